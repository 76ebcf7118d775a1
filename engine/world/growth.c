/* See growth.h. */
#include "world/growth.h"

#include <string.h>

bool kg_growth_begin(kugel_world *world, double dt, double **before)
{
    kg_bodies *bodies = &world->bodies;
    double growth = world->def.growth, factor = 1 + growth * dt;
    *before = NULL;
    world->work.growth = (kg_growth){.rate = growth / factor};
    if (growth == 0) return true;
    if (!KG_TAKE(world, *before, bodies->id_end)) return false;
    memset(*before, 0, bodies->id_end * sizeof **before);
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (!kg_growth_applies(bodies, i)) continue;
        (*before)[bodies->id[i]] = bodies->radius[i];
        bodies->radius[i] *= factor;
    }
    return true;
}

void kg_growth_revert(kugel_world *world, const double *before)
{
    kg_bodies *bodies = &world->bodies;
    for (uint32_t i = 0; i < bodies->count && before; ++i) {
        double radius = before[bodies->id[i]];
        if (radius > 0) bodies->radius[i] = radius;
    }
}
