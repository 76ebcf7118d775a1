/* How far bodies were from their start in a tick, while a place steps (places/): their distances at
 * the times at which their motion changes, and at the end of each substep. */
#ifndef KG_WORLD_FARTHEST_H
#define KG_WORLD_FARTHEST_H

#include "world/world.h"

/* Raise world->farthest of the bodies [from, to) to their present distance, m. */
void kg_farthest_note(kugel_world *world, uint32_t from, uint32_t to, double unused);

#endif
