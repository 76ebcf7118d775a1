/* Writes into the caches of a world. */
#include "support/support_caches.h"

#include "impact/impact.h"

void support_caches_rebuild_lists(kugel_world *world) { world->grid->valid = false; }

void support_caches_set_skin(kugel_world *world, double skin) { world->grid->skin = skin; }

void support_caches_scale_skin(kugel_world *world, double factor) { world->grid->skin *= factor; }

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
