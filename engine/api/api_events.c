/* Public functions that read the events of the last step. Without a world (NULL) there are none. */
#include "api/api_refuse.h"
#include "base/vec.h"
#include "world/world.h"

kugel_status kugel_world_report_impacts_above(kugel_world *world, double speed)
{
    KG_CHANGE_LOCAL(world);
    if (!(speed >= 0) || !kg_finite(speed))
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "speed",
                               "must be finite and >= 0, is %g", speed);
    world->report_threshold = speed;
    return KUGEL_OK;
}

static const kg_event_set *published(const kugel_world *world)
{
    static const kg_event_set none;
    return kg_refuse_read(world) ? &none : &world->events.published;
}

static const void *event_items(const void *items, size_t n, size_t *count)
{
    if (count) *count = n;
    return n ? items : NULL;
}

const kugel_impact *kugel_world_impacts(const kugel_world *world, size_t *count)
{
    return event_items(published(world)->impacts, published(world)->impact_count, count);
}

const kugel_touch *kugel_world_begins(const kugel_world *world, size_t *count)
{
    return event_items(published(world)->begins, published(world)->begin_count, count);
}

const kugel_touch *kugel_world_ends(const kugel_world *world, size_t *count)
{
    return event_items(published(world)->ends, published(world)->end_count, count);
}

const kugel_sensor_event *kugel_world_sensor_events(const kugel_world *world, size_t *count)
{
    return event_items(published(world)->sensor_events, published(world)->sensor_event_count,
                       count);
}

static const kugel_rest *rest_items(const kugel_world *world, int kind, size_t *count)
{
    return event_items(published(world)->rests[kind], published(world)->rest_count[kind], count);
}

const kugel_rest *kugel_world_sleeps(const kugel_world *world, size_t *count)
{
    return rest_items(world, KG_REST_SLEEP, count);
}

const kugel_rest *kugel_world_wakes(const kugel_world *world, size_t *count)
{
    return rest_items(world, KG_REST_WAKE, count);
}
