/* Keeps, refreshes or rebuilds the lists at the start of a substep. */
#include "base/tasks.h"
#include "base/vec.h"
#include "grid/grid.h"

/* Bodies of a task range. */
enum { RANGE = 2048 };

static double distance_squared(const double x[3], const double list_origin[3])
{
    double d[3];
    kg_sub3(d, x, list_origin);
    return kg_dot3(d, d);
}

/* A body farther from its list origin is refreshed: it had no list, or was pushed out of an
 * overlap. */
static double refresh_distance_squared(const kg_grid *grid)
{
    return grid->skin * (1 - 1e-6) * (grid->skin * (1 - 1e-6));
}

/* Counts active bodies that will leave their skins in the substep, and tests for bodies outside
 * now. Inactive bodies are slow and inside. */
typedef struct skin_exits {
    kugel_world *world;
    double h;
    uint32_t count;
    bool outside;
} skin_exits;

static void count_skin_exits(void *context, uint32_t index)
{
    skin_exits *exits = context;
    const kg_grid *grid = exits->world->grid;
    const kg_motion *motion = exits->world->work.motion;
    double skin2 = grid->skin * grid->skin, limit_squared = refresh_distance_squared(grid);
    uint32_t count = 0, to = kg_range_end(index, RANGE, exits->world->bodies.count);
    bool outside = false;
    for (uint32_t i = index * RANGE; i < to; ++i) {
        if (!kg_grid_is_active(grid, i)) continue;
        const kg_motion *m = &motion[i];
        double predicted[3];
        kg_add_scaled3(predicted, m->x, exits->h, m->v);
        count += distance_squared(predicted, grid->origin[i].x) > skin2;
        outside |= distance_squared(m->x, grid->origin[i].x) > limit_squared;
    }
    if (count) __atomic_fetch_add(&exits->count, count, __ATOMIC_RELAXED);
    if (outside) __atomic_store_n(&exits->outside, true, __ATOMIC_RELAXED);
}

static bool refresh_outside(kugel_world *world, bool outside)
{
    kg_grid *grid = world->grid;
    for (uint32_t k = 0; k < grid->unlisted_count; ++k) {
        uint32_t slot = grid->unlisted[k];
        if (!kg_list_refresh(world, slot, world->work.motion[slot].x)) return false;
    }
    grid->unlisted_count = 0;
    for (uint32_t i = 0; i < world->bodies.count && outside; ++i) {
        const double *x = world->work.motion[i].x;
        if (distance_squared(x, grid->origin[i].x) > refresh_distance_squared(grid) &&
            !kg_list_refresh(world, i, x))
            return false;
    }
    return true;
}

bool kg_grid_prepare(kugel_world *world, double h)
{
    /* a rebuild costs as much as refreshes of a third of the bodies, and it adapts the skin */
    enum { SKIN_EXITS_SHARE = 10, REFRESHES_SHARE = 4 };
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    if (!kg_cell_lists_prepare(world)) return false;
    if (grid->cell_lists.used) return true;
    bool many_refreshes =
        world->list_refreshes - grid->refreshes_at_rebuild > n / REFRESHES_SHARE + 16;
    if (!grid->valid || many_refreshes) return kg_list_rebuild(world, 0, h);
    skin_exits l = {.world = world, .h = h};
    kg_for_ranges(world, (n + RANGE - 1) / RANGE, count_skin_exits, &l);
    return l.count > n / SKIN_EXITS_SHARE ? kg_list_rebuild(world, 0, h)
                                          : refresh_outside(world, l.outside);
}
