/* Writes into the caches of a world. */
#include "support/support_caches.h"

#include <math.h>

#include "base/constants.h"
#include "impact/impact.h"

void support_caches_rebuild_lists(kugel_world *world) { world->grid->valid = false; }

void support_caches_set_skin(kugel_world *world, double skin) { world->grid->skin = skin; }

void support_caches_scale_skin(kugel_world *world, double factor) { world->grid->skin *= factor; }

void support_caches_force_skin(kugel_world *world, double share)
{
    const kg_bodies *bodies = &world->bodies;
    kg_grid *grid = world->grid;
    double mean = 0, margin = share > 0.5 ? 1 - 1e-9 : 1 + 1e-9;
    for (uint32_t i = 0; i < bodies->count; ++i) mean += bodies->radius[i] / bodies->count;
    grid->skin = margin * mean * KG_SKIN_MIN * pow(KG_SKIN_MAX / KG_SKIN_MIN, share);
    grid->near_triangle_total = 0; /* they would limit the skin */
    grid->valid = false;
}

double support_caches_skin(const kugel_world *world) { return world->grid->skin; }

void support_caches_allow_cell_lists(kugel_world *world, bool allowed)
{
    world->grid->cell_lists.disabled = !allowed;
}

void support_caches_retry_cell_lists(kugel_world *world)
{
    world->grid->cell_lists.retry_after = 0;
}

bool support_caches_use_cell_lists(const kugel_world *world)
{
    return world->grid->cell_lists.used;
}

void support_caches_set_window(kugel_world *world, double length)
{
    world->impact->window_length = length;
}

void support_caches_sort_columns(kugel_world *world, bool sort)
{
    world->grid->rebuilds_since_sort = sort ? 1000 : 0;
}
