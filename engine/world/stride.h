/* How far bodies may come in a tick, from the state at its start. */
#ifndef KG_WORLD_STRIDE_H
#define KG_WORLD_STRIDE_H

#include "world/world.h"

/* Bound of the acceleration of a body without contacts, m/s^2. */
double kg_stride_acceleration(const kugel_world *world, uint32_t slot);
/* Bound of the path in dt, s, of a body that meets nothing, and a radius more, so that few bodies
 * go farther after an impact; of a sleeping body the radius; m. */
double kg_stride_of_body(const kugel_world *world, uint32_t slot, double dt);
/* Bound of the distance in dt, s, of the points of a surface from its place at the start, m. */
double kg_stride_of_surface(const kg_surface *surface, double dt);
/* True if a surface and a body may touch in dt, s. */
bool kg_stride_meets(const kugel_world *world, const kg_surface *surface, uint32_t slot, double dt);
/* True if some surface that moves and admits the body may touch it in dt, s. */
bool kg_stride_meets_moving(const kugel_world *world, uint32_t slot, double dt);
/* The same for a sensor that moves or that a call has placed. */
bool kg_stride_meets_sensor(const kugel_world *world, uint32_t slot, double dt);

#endif
