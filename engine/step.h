/* One tick of a world or of a place, see step.c for its stages; and the ends of a step of a world.
 * places/world_step.c joins them to a step. */
#ifndef KG_STEP_H
#define KG_STEP_H

#include "world/world.h"

/* Run a tick of dt, s, in world->work, without writing its result. KG_STEP_RETRY: a place wants
 * bodies aside. */
kugel_status kg_step_try(kugel_world *world, double dt);
/* Write the result to the world if `commits` is true, else drop it. */
void kg_step_end(kugel_world *world, double dt, bool commits);
/* The part of it that follows when the result is written or dropped. */
void kg_step_derive(kugel_world *world, bool commits);
/* A tick in which no body moves and no sensor can report: of the state, only tick and time change,
 * and no body counts as placed by a call any more. work.substeps is set because the recorder
 * predicts states with it, and a replay from a snapshot must have the same value. */
kugel_status kg_step_idle(kugel_world *world, double dt);

#endif
