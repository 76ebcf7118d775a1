/* What the steps of a world and of ranks share: checks before and reports after. */
#ifndef KG_API_API_STEP_H
#define KG_API_API_STEP_H

#include "world/world.h"

/* Check dt and the travel of bodies and surfaces. */
kugel_status kg_api_check_step(kugel_world *world, double dt);
/* Report a step that failed; returns the public status. */
kugel_status kg_api_report_step(kugel_world *world, kugel_status status, double dt);

#endif
