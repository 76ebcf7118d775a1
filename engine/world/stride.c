/* Bounds of paths in a tick (stride.h).
 * In: bodies and surfaces at the start of the tick. Out: lengths in m. Cost: a few operations. */
#include "world/stride.h"

#include "base/vec.h"
#include "world/pair_filter.h"
#include "world/sleep_state.h"

double kg_stride_acceleration(const kugel_world *world, uint32_t slot)
{
    const kg_bodies *bodies = &world->bodies;
    double a = kg_length3(world->def.gravity) *
               kg_abs(kg_bodies_material(bodies, slot)->gravity_scale),
           force[3];
    if (!bodies->has_forces || !(bodies->mass[slot] > 0)) return a;
    for (int k = 0; k < 3; ++k) force[k] = bodies->force[k][slot];
    return a + kg_length3(force) / bodies->mass[slot];
}

double kg_stride_of_body(const kugel_world *world, uint32_t slot, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    const double v[3] = {bodies->v[0][slot], bodies->v[1][slot], bodies->v[2][slot]};
    if (bodies->sleep_state[slot] == KG_ASLEEP) return bodies->radius[slot];
    return kg_length3(v) * dt + kg_stride_acceleration(world, slot) * dt * dt +
           bodies->radius[slot];
}

double kg_stride_of_surface(const kg_surface *surface, double dt)
{
    return kg_surface_extent(surface) + kg_length3(surface->velocity) * dt;
}

bool kg_stride_meets(const kugel_world *world, const kg_surface *surface, uint32_t slot, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    double d[3], stride = kg_stride_of_surface(surface, dt) + bodies->radius[slot] +
                          kg_stride_of_body(world, slot, dt);
    for (int k = 0; k < 3; ++k) d[k] = bodies->x[k][slot] - surface->position[k];
    return kg_dot3(d, d) <= stride * stride;
}

typedef bool surface_test(const kg_surface *surface, const kg_material *material);

/* True if one of these surfaces that passes the test and the body may touch in dt, s. The pair
 * filter, which sensors do not use, is asked last: for what is near. */
static bool meets_one(const kugel_world *world, const uint32_t *indices, uint32_t count,
                      uint32_t slot, double dt, surface_test test)
{
    const kg_material *material = kg_bodies_material(&world->bodies, slot);
    for (uint32_t k = 0; k < count; ++k) {
        const kg_surface *surface = &world->surfaces.items[indices[k]];
        if (test(surface, material) && kg_stride_meets(world, surface, slot, dt) &&
            (surface->material.sensor || kg_pair_filter_admits_surface(world, slot, surface)))
            return true;
    }
    return false;
}

static bool pushes(const kg_surface *s, const kg_material *m) { return kg_surface_admits(s, m); }

static bool may_enter(const kg_surface *s, const kg_material *m)
{
    return (s->moves || s->placed) && kg_bodies_filters_match(&s->material, m);
}

bool kg_stride_meets_moving(const kugel_world *world, uint32_t slot, double dt)
{
    const kg_surfaces *set = &world->surfaces;
    return meets_one(world, set->moving, set->moving_count, slot, dt, pushes);
}

bool kg_stride_meets_sensor(const kugel_world *world, uint32_t slot, double dt)
{
    const kg_surfaces *set = &world->surfaces;
    return meets_one(world, set->sensors, set->sensor_count, slot, dt, may_enter);
}
