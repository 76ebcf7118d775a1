/* Sensors between steps: which bodies are in them, and exits that calls cause.
 * In: places of bodies and surfaces. Out: exits, which the next step reports unless the body is in
 * the sensor again (world->events.left). Cost: O(bodies) for a call that changes a body or sensor,
 * in a world with sensors. Order: by id of a body, then surfaces by index. */
#include <string.h>

#include "base/vec.h"
#include "sensors/sensor_pair.h"
#include "sensors/sensors.h"
#include "world/periodic.h"

const kg_surface *kg_sensor_surface_of(const kugel_world *world, uint32_t s)
{
    return &world->surfaces.items[s - KG_SENSOR_SURFACE];
}

bool kg_sensor_may_report(const kugel_world *world, uint32_t s, uint32_t b)
{
    const kg_bodies *bodies = &world->bodies;
    bool is_surface = kg_sensor_is_surface(s);
    const kg_material *m = is_surface ? &kg_sensor_surface_of(world, s)->material
                                      : kg_bodies_material(bodies, s),
                      *n = kg_bodies_material(bodies, b);
    return !n->sensor && kg_bodies_filters_match(m, n) &&
           ((!is_surface && bodies->type[s] != KUGEL_STATIC) || bodies->type[b] != KUGEL_STATIC);
}

bool kg_sensor_is_one(const kugel_world *world, uint32_t s)
{
    if (!kg_sensor_is_surface(s)) return kg_bodies_is_sensor(&world->bodies, s);
    return kg_sensor_surface_of(world, s)->used && kg_sensor_surface_of(world, s)->material.sensor;
}

/* From the sensor's centre to the body's between steps, m. */
static void separation(const kugel_world *world, uint32_t s, uint32_t b, double d[3])
{
    const kg_bodies *bodies = &world->bodies;
    for (int k = 0; k < 3; ++k)
        d[k] = kg_periodic_nearest_image(world, k, bodies->x[k][b] - bodies->x[k][s]);
}

/* The nearest point of a surface between steps, and the height of a body's centre over it, m. */
static double height_over(const kugel_world *world, uint32_t s, uint32_t b, double point[3],
                          double normal[3])
{
    const kg_bodies *bodies = &world->bodies;
    const kg_surface *surface = kg_sensor_surface_of(world, s);
    const double x[3] = {bodies->x[0][b], bodies->x[1][b], bodies->x[2][b]};
    double height = kg_surface_height(surface, &surface->pose, x, normal);
    kg_add_scaled3(point, x, -height, normal);
    return height;
}

bool kg_sensors_contain(const kugel_world *world, uint32_t s, uint32_t b)
{
    const kg_bodies *bodies = &world->bodies;
    double d[3], point[3];
    if (!kg_sensor_is_one(world, s) || !kg_sensor_may_report(world, s, b)) return false;
    if (kg_sensor_is_surface(s)) return height_over(world, s, b, point, d) - bodies->radius[b] <= 0;
    double reach = bodies->radius[s] + bodies->radius[b];
    separation(world, s, b, d);
    return kg_dot3(d, d) <= reach * reach;
}

void kg_sensor_set_names(const kugel_world *world, uint32_t s, uint32_t b, kugel_sensor_event *e)
{
    e->body = kg_bodies_handle(&world->bodies, b);
    if (kg_sensor_is_surface(s))
        e->surface = (kugel_surface)kg_indices_handle(&world->surfaces.indices, KG_HANDLE_SURFACE,
                                                      s - KG_SENSOR_SURFACE);
    else e->sensor = kg_bodies_handle(&world->bodies, s);
}

static bool note_exit(kugel_world *world, uint32_t s, uint32_t b)
{
    static const double up[3] = {0, 0, 1};
    const kg_bodies *bodies = &world->bodies;
    kugel_sensor_event e = {.speed = -0.0};
    if (!kg_event_log_reserve_left(&world->memory, &world->events, 1)) return false;
    kg_sensor_set_names(world, s, b, &e);
    if (kg_sensor_is_surface(s)) {
        (void)height_over(world, s, b, e.point, e.normal);
    } else {
        separation(world, s, b, e.normal);
        kg_normalize3(e.normal, e.normal, up);
        for (int k = 0; k < 3; ++k) e.point[k] = bodies->x[k][s] + bodies->radius[s] * e.normal[k];
    }
    world->events.left[world->events.left_count++] = e;
    return true;
}

/* Note the exit of a pair if the body is in the sensor, and no call has changed the other of the
 * two, which has `placed`: its exits are noted already. False when out of memory, with the `before`
 * exits of earlier calls. */
static bool note_if_inside(kugel_world *world, uint32_t s, uint32_t b, bool placed, size_t before)
{
    if (placed || !kg_sensors_contain(world, s, b) || note_exit(world, s, b)) return true;
    world->events.left_count = before;
    return false;
}

bool kg_sensors_note_exits(kugel_world *world, uint32_t slot)
{
    const kg_bodies *bodies = &world->bodies;
    const kg_surfaces *surfaces = &world->surfaces;
    if (!kg_world_any_sensor(world) || bodies->placed[slot]) return true;
    bool is_sensor = kg_bodies_is_sensor(bodies, slot), ok = true;
    size_t before = world->events.left_count;
    uint32_t others = kg_bodies_any_sensor(bodies) ? bodies->count : 0;
    for (uint32_t i = 0; i < others && ok; ++i)
        ok = note_if_inside(world, is_sensor ? slot : i, is_sensor ? i : slot, bodies->placed[i],
                            before);
    for (uint32_t k = 0; k < surfaces->sensor_count && ok; ++k) {
        uint32_t index = surfaces->sensors[k];
        bool placed = surfaces->items[index].placed;
        ok = note_if_inside(world, KG_SENSOR_SURFACE + index, slot, placed, before);
    }
    return ok;
}

bool kg_sensors_note_surface_exits(kugel_world *world, uint32_t index)
{
    const kg_surface *surface = &world->surfaces.items[index];
    bool ok = true;
    size_t before = world->events.left_count;
    for (uint32_t i = 0; i < world->bodies.count && ok && !surface->placed; ++i)
        ok = note_if_inside(world, KG_SENSOR_SURFACE + index, i, world->bodies.placed[i], before);
    return ok;
}

/* The number of the sensor of an event, or KG_NONE where it is gone. */
static uint32_t sensor_of_event(const kugel_world *world, const kugel_sensor_event *e)
{
    if (!e->surface) return kg_bodies_find(&world->bodies, e->sensor);
    uint32_t index = kg_indices_find(&world->surfaces.indices, KG_HANDLE_SURFACE, e->surface);
    return index == KG_NONE ? index : KG_SENSOR_SURFACE + index;
}

void kg_sensors_settle_exits(kugel_world *world)
{
    kg_event_log *log = &world->events;
    for (size_t k = 0; k < log->left_count; ++k) {
        kugel_sensor_event *e = &log->left[k];
        uint32_t s = sensor_of_event(world, e), b = kg_bodies_find(&world->bodies, e->body);
        e->entered = s != KG_NONE && b != KG_NONE && kg_sensors_contain(world, s, b);
    }
}

bool kg_sensors_may_report_resting(const kugel_world *world)
{
    const kg_surfaces *set = &world->surfaces;
    const kg_bodies *bodies = &world->bodies;
    bool may =
        world->events.left_count || (bodies->count && memchr(bodies->placed, 1, bodies->count));
    for (uint32_t k = 0; k < set->sensor_count && !may; ++k) {
        const kg_surface *sensor = &set->items[set->sensors[k]];
        may = sensor->moves || sensor->placed;
    }
    return may && set->sensor_count;
}
