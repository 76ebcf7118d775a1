/* One tick of a world; see step.c for its stages. */
#ifndef KG_STEP_H
#define KG_STEP_H

#include "world/world.h"

/* Advance the world by dt (checked), s. On an error the world is as it was. */
kugel_status kg_step(kugel_world *world, double dt);

#endif
