/* Acceleration of bodies without supporting contacts, and their falling frames (work.h).
 * In: gravity, gravity scales, forces. Out: work.frame, work.acceleration. */
#include <string.h>

#include "world/locks.h"
#include "world/world.h"

void kg_frame_free_acceleration(const kugel_world *world, uint32_t slot, double a[3])
{
    const kg_bodies *bodies = &world->bodies;
    const double *g = world->def.gravity;
    double mass = bodies->mass[slot];
    for (int k = 0; k < 3; ++k) a[k] = mass == 0 ? 0 : g[k];
    if (!world->work.has_own_accelerations || mass == 0) return;
    const kg_material *m = kg_bodies_material(bodies, slot);
    for (int k = 0; k < 3; ++k)
        a[k] = m->gravity_scale * g[k] + (bodies->has_forces ? bodies->force[k][slot] / mass : 0);
    kg_locks_project(m->locks, a);
}

void kg_frame_set_free(kugel_world *world, uint32_t slot)
{
    double a[3];
    kg_frame_free_acceleration(world, slot, a);
    uint8_t *frame = &world->work.frame[slot];
    *frame = KG_FRAME_INERTIAL;
    if (kg_is_zero3(a)) return;
    *frame = kg_equal3(a, world->def.gravity) ? KG_FRAME_GRAVITY : KG_FRAME_PER_BODY;
    if (*frame == KG_FRAME_PER_BODY) memcpy(world->work.acceleration[slot], a, sizeof a);
}

void kg_frame_set_free_range(kugel_world *world, uint32_t from, uint32_t to, bool inert)
{
    const double *g = world->def.gravity, *mass = world->bodies.mass;
    uint8_t *frame = world->work.frame,
            falls = kg_is_zero3(g) ? KG_FRAME_INERTIAL : KG_FRAME_GRAVITY;
    memset(frame + from, falls, to - from);
    for (uint32_t i = from; i < to && world->work.has_own_accelerations; ++i)
        kg_frame_set_free(world, i);
    for (uint32_t i = from; i < to && inert && !world->work.has_own_accelerations; ++i) {
        if (mass[i] == 0) frame[i] = KG_FRAME_INERTIAL;
    }
}
