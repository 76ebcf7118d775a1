/* Public functions that read the events of the last step. Without a world (NULL) there are none. */
#include "api/api_refuse.h"
#include "query/best_results.h"
#include "query/query.h"
#include "sensors/sensor_pair.h"
#include "sensors/sensors.h"
#include "world/validate.h"

kugel_status kugel_world_report_impacts_above(kugel_world *world, double speed)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    if (kg_validate_range(speed, 0, KG_VALUE_LIMIT, "speed", &error))
        return kg_refuse_error(world, &error);
    world->report_threshold = speed;
    return KUGEL_OK;
}

kugel_status kugel_world_sum_impulses(kugel_world *world, bool on)
{
    KG_CHANGE_LOCAL(world);
    world->sums_impulses = on;
    return KUGEL_OK;
}

static const kg_event_set *published(const kugel_world *world)
{
    static const kg_event_set none;
    return kg_refuse_read(world) ? &none : &world->events.published;
}

/* Events for a caller whose rows have `size` bytes, the library's `own`. NULL if there are none, or
 * no memory for a copy. */
static const void *rows_of(const kugel_world *world, int kind, const void *items, size_t n,
                           size_t own, size_t *count, size_t size)
{
    if (count) *count = n;
    if (!n || size == own) return n ? items : NULL;
    kugel_world *holder = (kugel_world *)world; /* the copy is derived */
    items = kg_event_log_resize(&holder->memory, &holder->events, kind, items, n, own, size);
    if (count && !items) *count = 0;
    return items;
}

const kugel_impact *kugel_world_impact_events(const kugel_world *world, size_t *count, size_t size)
{
    const kg_event_set *set = published(world);
    return rows_of(world, KG_EVENT_LOG_IMPACTS, set->impacts, set->impact_count,
                   sizeof(kugel_impact), count, size);
}

const kugel_touch *kugel_world_begin_events(const kugel_world *world, size_t *count, size_t size)
{
    const kg_event_set *set = published(world);
    return rows_of(world, KG_EVENT_LOG_BEGINS, set->begins, set->begin_count, sizeof(kugel_touch),
                   count, size);
}

const kugel_touch *kugel_world_end_events(const kugel_world *world, size_t *count, size_t size)
{
    const kg_event_set *set = published(world);
    return rows_of(world, KG_EVENT_LOG_ENDS, set->ends, set->end_count, sizeof(kugel_touch), count,
                   size);
}

const kugel_rest *kugel_world_sleep_events(const kugel_world *world, size_t *count, size_t size)
{
    const kg_event_set *set = published(world);
    return rows_of(world, KG_EVENT_LOG_RESTS + KG_REST_SLEEP, set->rests[KG_REST_SLEEP],
                   set->rest_count[KG_REST_SLEEP], sizeof(kugel_rest), count, size);
}

const kugel_rest *kugel_world_wake_events(const kugel_world *world, size_t *count, size_t size)
{
    const kg_event_set *set = published(world);
    return rows_of(world, KG_EVENT_LOG_RESTS + KG_REST_WAKE, set->rests[KG_REST_WAKE],
                   set->rest_count[KG_REST_WAKE], sizeof(kugel_rest), count, size);
}

const kugel_sensor_event *kugel_world_sensor_events(const kugel_world *world, size_t *count,
                                                    size_t size)
{
    const kg_event_set *set = published(world);
    return rows_of(world, KG_EVENT_LOG_SENSORS, set->sensor_events, set->sensor_event_count,
                   sizeof(kugel_sensor_event), count, size);
}

/* A list of the bodies in a sensor. */
typedef struct inside {
    const kugel_world *world;
    uint32_t sensor; /* number */
    kg_best_results results;
} inside;

static void offer_inside(void *context, uint32_t slot)
{
    inside *found = context;
    kugel_body body = kg_bodies_handle(&found->world->bodies, slot);
    if (kg_sensors_contain(found->world, found->sensor, slot))
        kg_best_results_offer(&found->results, &body);
}

static bool precedes_by_id(const void *a, const void *b)
{
    return kugel_body_id(*(const kugel_body *)a) < kugel_body_id(*(const kugel_body *)b);
}

kugel_status kugel_surface_bodies(const kugel_world *world, kugel_surface surface, size_t capacity,
                                  kugel_body *bodies, size_t *count)
{
    if (!kg_clear_results(capacity, bodies, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    uint32_t index = kg_indices_find(&world->surfaces.indices, KG_HANDLE_SURFACE, surface);
    if (index == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    if (!world->surfaces.items[index].material.sensor) return KUGEL_ERROR_INVALID_ARGUMENT;
    inside found = {.world = world, .sensor = KG_SENSOR_SURFACE + index};
    kg_best_results_open(&found.results, bodies, sizeof *bodies, capacity, precedes_by_id);
    for (uint32_t i = 0; i < world->bodies.count; ++i) offer_inside(&found, i);
    kg_best_results_sort(&found.results);
    *count = found.results.offered_count;
    return KUGEL_OK;
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
    inside found = {.world = world, .sensor = s};
    const double center[3] = {all->x[0][s], all->x[1][s], all->x[2][s]};
    kg_best_results_open(&found.results, bodies, sizeof *bodies, capacity, precedes_by_id);
    kg_query_visit_near(world, center, all->radius[s], offer_inside, &found);
    kg_best_results_sort(&found.results);
    *count = found.results.offered_count;
    return KUGEL_OK;
}
