/* Keeps, refreshes or rebuilds the lists at the start of a substep.
 * In: motions, list origins. Out: valid lists. Cost: one pass over the bodies, and the lists of
 * those that left their skins. The choice has no effect on results. */
#include "base/compiler.h"
#include "base/vec.h"
#include "grid/neighbour_lists.h"

/* Square of the distance from its list origin beyond which a body's list is refreshed, m^2. A body
 * can be there because it was unlisted, or because contacts moved it out of its skin. */
static double refresh_distance_squared(const kg_grid *grid)
{
    return grid->skin * (1 - 1e-6) * (grid->skin * (1 - 1e-6));
}

/* Count the active bodies that will leave their skins in the substep, and note whether one is
 * outside already. Inactive bodies are slow and inside. */
static void count_skin_exits(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_grid *grid = world->grid;
    double skin2 = grid->skin * grid->skin, limit_squared = refresh_distance_squared(grid);
    uint32_t count = 0;
    bool outside = false;
    for (uint32_t i = from; i < to; ++i) {
        if (!kg_grid_is_active(grid, i)) continue;
        const kg_motion *m = &world->work.motion[i];
        double predicted[3];
        kg_add_scaled3(predicted, m->x, h, m->v);
        count += kg_squared_distance3(predicted, grid->origin[i].x) > skin2;
        outside |= kg_squared_distance3(m->x, grid->origin[i].x) > limit_squared;
    }
    if (count) KG_ATOMIC_ADD(&grid->exit_count, count);
    if (outside) KG_ATOMIC_STORE(&grid->any_outside, true);
}

static bool refresh_outside(kugel_world *world)
{
    kg_grid *grid = world->grid;
    for (uint32_t k = 0; k < grid->unlisted_count; ++k) {
        uint32_t slot = grid->unlisted[k];
        if (!kg_list_refresh(world, slot, world->work.motion[slot].x)) return false;
    }
    grid->unlisted_count = 0;
    for (uint32_t i = 0; i < world->bodies.count && grid->any_outside; ++i) {
        const double *x = world->work.motion[i].x;
        if (kg_squared_distance3(x, grid->origin[i].x) > refresh_distance_squared(grid) &&
            !kg_list_refresh(world, i, x))
            return false;
    }
    return true;
}

/* Lists that are valid for the start of the substep. */
static bool prepare_lists(kugel_world *world, double h)
{
    /* a refresh costs five to ten times a body's share of a rebuild, which adapts the skin, too */
    enum { SKIN_EXITS_SHARE = 10, REFRESHES_SHARE = 4 };
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    bool many_refreshes =
        world->list_refreshes - grid->refreshes_at_rebuild > n / REFRESHES_SHARE + 16;
    if (!grid->valid || many_refreshes || grid->drift_path > 0) return kg_list_rebuild(world, 0, h);
    if (!kg_near_triangles_prepare(world, h)) return false;
    grid->exit_count = 0;
    grid->any_outside = false;
    kg_for_bodies(world, count_skin_exits, h);
    return grid->exit_count > n / SKIN_EXITS_SHARE ? kg_list_rebuild(world, 0, h)
                                                   : refresh_outside(world);
}

/* In cell lists few bodies can overlap: a cell holds KG_CELL_CAPACITY. */
bool kg_grid_prepare(kugel_world *world, double h)
{
    kg_grid *grid = world->grid;
    grid->has_too_many_pairs = false;
    if (!kg_cell_lists_prepare(world)) return false;
    if (grid->cell_lists.used) return true;
    if (!prepare_lists(world, h)) return false;
    grid->has_too_many_pairs = kg_list_has_too_many_pairs(world);
    return !grid->has_too_many_pairs;
}
