/* Constant spins of bodies and surfaces against the closed form of a turn, for many ticks. */
#ifndef SUPPORT_TURNS_H
#define SUPPORT_TURNS_H

#include <stdint.h>

/* Turn dynamic and kinematic bodies and surfaces by 1e-12 ... 10 rad a tick, about several axes and
 * from several rotations, and assert the rotation after `ticks` ticks. */
void support_turns_check(uint32_t ticks, int32_t substeps, double dt);

#endif
