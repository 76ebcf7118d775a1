/* Containment, the final correction of a substep. A centre that was inside closed bounds and above
 * all planes at the start of the tick is there at the end of the substep. It is also on the side of
 * each surface on which it was at the start of its path (kg_work.start): at the start of the
 * substep, or where it last crossed a periodic face. Impacts keep centres there. Three causes can
 * move them out: a squeeze by heavy or kinematic bodies, a position correction of deep
 * overlaps, and the end of an impact budget. */
#ifndef KG_MOTION_CONTAINMENT_H
#define KG_MOTION_CONTAINMENT_H

#include "motion/motion.h"

/* Move each centre that has left to half a radius inside, and remove its outward velocity. A wedged
 * body, which other boundaries push out again and again, is put back at rest: in a world with
 * surfaces to its place at the start of the substep, else to that at the start of the tick.
 * Positions are those at the end of a substep of length h. */
void kg_motion_contain(kugel_world *world, double h);

#endif
