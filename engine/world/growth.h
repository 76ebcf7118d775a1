/* Growth of radii (Lubachevsky, Stillinger 1990). Before a tick of length dt each dynamic body that
 * is awake gets its radius of the tick's end, R = (1 + growth dt) times the former one. So all that
 * reads a radius, such as lists, filters, contacts and sensors, is right at any time of the tick or
 * conservative. Only impacts use the radius at their time: R (1 - rate left), where `left` is the
 * time to the tick's end and rate = growth / (1 + growth dt).
 * In: def.growth, radii. Out: radii, work.growth. Cost: a pass over the bodies. */
#ifndef KG_WORLD_GROWTH_H
#define KG_WORLD_GROWTH_H

#include "world/sleep_state.h"

/* True if the radius of the body grows in this tick: as it was at the tick's start. */
static inline bool kg_growth_applies(const kg_bodies *bodies, uint32_t slot)
{
    return bodies->mass[slot] > 0 && bodies->sleep_state[slot] != KG_ASLEEP;
}

/* Let the radii grow for a tick of length dt. *before: the former ones by id, scratch memory, or
 * NULL if def.growth is 0. False when out of memory. */
bool kg_growth_begin(kugel_world *world, double dt, double **before);
/* After a tick that failed. */
void kg_growth_revert(kugel_world *world, const double *before);

/* At the start of a substep of length h, `start` (s) in the tick. */
static inline void kg_growth_begin_substep(kugel_world *world, double h, double start)
{
    world->work.growth.until = world->work.substeps * h - start;
}

/* Radius of a body at t (s in the substep), m. */
static inline double kg_growth_radius(const kugel_world *world, uint32_t slot, double t)
{
    double left = world->work.growth.until - t;
    double radius = world->work.motion[slot].radius;
    bool grows = kg_growth_applies(&world->bodies, slot);
    return grows ? radius * (1 - world->work.growth.rate * left) : radius;
}

/* Speed at which it grows, m/s. */
static inline double kg_growth_speed(const kugel_world *world, uint32_t slot)
{
    bool grows = kg_growth_applies(&world->bodies, slot);
    return grows ? world->work.growth.rate * world->work.motion[slot].radius : 0;
}
/* Speed at which the surfaces of a pair approach by it, m/s; b is KG_NONE for a boundary. */
static inline double kg_growth_closing_speed(const kugel_world *world, uint32_t a, uint32_t b)
{
    if (world->work.growth.rate == 0) return 0;
    return kg_growth_speed(world, a) + (b == KG_NONE ? 0 : kg_growth_speed(world, b));
}

#endif
