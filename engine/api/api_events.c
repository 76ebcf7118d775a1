/* Public functions that read the events of the last step. Without a world (NULL) there are none. */
#include "api/api_refuse.h"
#include "base/vec.h"
#include "sensors/sensors.h"
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

kugel_status kugel_world_sensor_bodies(const kugel_world *world, kugel_body sensor, size_t capacity,
                                       kugel_body *bodies, size_t *count)
{
    if (!kg_clear_results(capacity, bodies, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    const kg_bodies *all = &world->bodies;
    uint32_t s = kg_bodies_find(all, sensor);
    if (s == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    if (!kg_bodies_is_sensor(all, s)) return KUGEL_ERROR_INVALID_ARGUMENT;
    for (uint32_t id = 0; id < all->id_end; ++id) {
        uint32_t b = all->slot[id];
        if (b == KG_NONE || !kg_sensors_contain(world, s, b)) continue;
        if (*count < capacity) bodies[*count] = kg_bodies_handle(all, b);
        *count += 1;
    }
    return KUGEL_OK;
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
