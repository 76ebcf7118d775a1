/* Compares members, because structs have padding. */
#include "support/support_events.h"

#include <string.h>

#define SAME(member) (memcmp(&a->member, &b->member, sizeof a->member) == 0)

static bool same_impact(const kugel_impact *a, const kugel_impact *b)
{
    return SAME(time) && SAME(target) && SAME(index) && SAME(a) && SAME(b) && SAME(point) &&
           SAME(normal) && SAME(speed) && SAME(impulse) && SAME(triangle);
}

static bool same_touch(const kugel_touch *a, const kugel_touch *b)
{
    return SAME(time) && SAME(target) && SAME(index) && SAME(a) && SAME(b) && SAME(point) &&
           SAME(normal) && SAME(triangle);
}

static bool same_rest(const kugel_rest *a, const kugel_rest *b) { return SAME(time) && SAME(body); }

static bool same_sensor_event(const kugel_sensor_event *a, const kugel_sensor_event *b)
{
    return SAME(time) && SAME(entered) && SAME(sensor) && SAME(body) && SAME(point) &&
           SAME(normal) && SAME(speed);
}

/* Compares two arrays of one type. */
#define SAME_ARRAYS(type, read, same)                                                              \
    static bool read##_are_same(const kugel_world *a, const kugel_world *b)                        \
    {                                                                                              \
        size_t n, m;                                                                               \
        const type *p = kugel_world_##read(a, &n), *q = kugel_world_##read(b, &m);                 \
        bool equal = n == m;                                                                       \
        for (size_t k = 0; k < n && equal; ++k) equal = same(&p[k], &q[k]);                        \
        return equal;                                                                              \
    }
SAME_ARRAYS(kugel_impact, impact_events, same_impact)
SAME_ARRAYS(kugel_touch, begin_events, same_touch)
SAME_ARRAYS(kugel_touch, end_events, same_touch)
SAME_ARRAYS(kugel_rest, sleep_events, same_rest)
SAME_ARRAYS(kugel_rest, wake_events, same_rest)
SAME_ARRAYS(kugel_sensor_event, sensor_events, same_sensor_event)

const char *support_events_difference(const kugel_world *a, const kugel_world *b)
{
    if (!impact_events_are_same(a, b)) return "impacts";
    if (!begin_events_are_same(a, b)) return "begins";
    if (!end_events_are_same(a, b)) return "ends";
    if (!sleep_events_are_same(a, b)) return "sleeps";
    if (!wake_events_are_same(a, b)) return "wakes";
    return sensor_events_are_same(a, b) ? NULL : "sensor events";
}
