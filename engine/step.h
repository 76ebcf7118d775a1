/* One tick of a world; see step.c for its stages. */
#ifndef KG_STEP_H
#define KG_STEP_H

#include "world/world.h"

/* Advance the world by dt (s), which the caller has checked. On an error the world is as it was. */
kugel_status kg_step(kugel_world *world, double dt);

/* kg_step in two parts, for ranks, which compare results before they accept one. kg_step_try runs
 * the tick in world->work. kg_step_end writes the result to the world if `commits` is true, else
 * drops it. Unlike kg_step, neither sorts the rows of the bodies. */
kugel_status kg_step_try(kugel_world *world, double dt);
void kg_step_end(kugel_world *world, double dt, bool commits);

#endif
