/* The stages that move bodies: read the state, accelerate, advance, sleep, write the state.
 * Each stage handles bodies independently, in any order, except sleep, which handles islands. */
#ifndef KG_MOTION_MOTION_H
#define KG_MOTION_MOTION_H

#include "world/world.h"

/* Copy bodies and contacts into the work area. */
kugel_status kg_motion_begin(kugel_world *world);
/* Apply torque and damping of a substep of length h to velocities and spins; set the frame of each
 * body (world/work.h). */
void kg_motion_accelerate(kugel_world *world, double h);
/* Apply the damping at the end of a substep, after kg_motion_advance. */
void kg_motion_end_damping(kugel_world *world, double h);
/* Move every body from its own clock to h, into the world's frame; then clocks are 0 again. Centres
 * are kept inside walls and surfaces (containment.h).
 * KUGEL_ERROR_LIMIT when a position, velocity or spin leaves +-KG_VALUE_LIMIT. */
kugel_status kg_motion_advance(kugel_world *world, double h);
/* End of a tick: islands that have been slow for long enough fall asleep. Returns false when out of
 * memory. */
bool kg_motion_sleep(kugel_world *world, double dt);
/* Publish the pending events and count the tick. */
void kg_motion_finish_tick(kugel_world *world, double dt);
/* Copy the work area back to bodies and contacts. */
void kg_motion_write(kugel_world *world);
/* After all bodies are written: move the surfaces, and finish the tick. */
void kg_motion_end(kugel_world *world, double dt);
/* kg_motion_write and kg_motion_end. */
void kg_motion_commit(kugel_world *world, double dt);
/* Undo a failed step: the contacts are as before, and the grid is invalid. */
void kg_motion_revert(kugel_world *world);

#endif
