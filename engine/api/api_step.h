/* Shared by worlds and ranks: checks before a step, the report of an error, statistics. */
#ifndef KG_API_API_STEP_H
#define KG_API_API_STEP_H

#include "world/world.h"

/* Check dt, s, and the paths that bodies and surfaces would have in the step. */
kugel_status kg_api_check_step(kugel_world *world, double dt);
/* Report the status of a failed step as the world's last error; returns the public status. */
kugel_status kg_api_report_step(kugel_world *world, kugel_status status, double dt);

/* kugel_world_stats while the world may be busy, but not in a step. */
void kg_api_read_stats(const kugel_world *world, kugel_stats *stats);
/* Add the energies of the bodies to *energy, in the same way. */
void kg_api_read_energy(const kugel_world *world, kugel_energy *energy);

#endif
