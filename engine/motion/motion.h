/* The stages that move bodies: read the columns, accelerate, advance, write the columns back. */
#ifndef KG_MOTION_MOTION_H
#define KG_MOTION_MOTION_H

#include "world/world.h"

/* Canonical columns and contacts into the work area. In: the world between steps. Order: any body.
 */
kugel_status kg_motion_begin(kugel_world *world);
/* v and w of dynamic bodies feel damping and torque over h; every body gets its frame. */
void kg_motion_accelerate(kugel_world *world, double h);
/* Every body from its own clock to h; frames are left; clocks start at 0 again.
 * false when a place or speed would leave the finite range. */
bool kg_motion_advance(kugel_world *world, double h);
/* The end of a tick: bodies that have been slow for long enough fall asleep; false when out of
 * memory. */
bool kg_motion_sleep(kugel_world *world, double dt);
/* Publish the pending events, count the tick. */
void kg_motion_finish_tick(kugel_world *world, double dt);
/* The work area into the canonical columns, and the tick has passed: cannot fail. */
void kg_motion_commit(kugel_world *world, double dt);
/* The step failed: the contacts are as they were, and nothing that was found out on the way is
 * kept. */
void kg_motion_revert(kugel_world *world);

#endif
