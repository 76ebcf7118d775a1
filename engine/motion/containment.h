/* Final correction of a substep: a centre that was inside closed bounds and above all planes at the
 * start of the tick, and on one side of a surface at the start of the substep, is there at its end.
 * Impacts keep bodies there; a squeeze by heavy or kinematic bodies, a position correction of deep
 * overlaps, or the end of an impact budget may not. */
#ifndef KG_MOTION_CONTAINMENT_H
#define KG_MOTION_CONTAINMENT_H

#include "motion/motion.h"

/* Move each body that left to half a radius inside, and remove its outward velocity. A wedged body,
 * which other boundaries push out again, goes to its place at the start of the tick, at rest;
 * in a world with surfaces of the substep. Positions are those of the end of a substep h. */
void kg_motion_contain(kugel_world *world, double h);

#endif
