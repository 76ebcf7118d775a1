/* Which bodies have Verlet lists, and when lists are refreshed, rebuilt or invalid (neighbours.h).
 * A body that leaves its skin so often that new lists cost more than tests against all bodies has
 * no list: all bodies are its candidates, and it is a candidate of all bodies. */
#include "grid/neighbours.h"

#include "base/compiler.h"
#include "base/vec.h"

static bool is_longer(const kugel_world *world, double path_squared)
{
    return path_squared > world->grid->longest_path * world->grid->longest_path;
}

/* outruns_lists for list origins that drift. The path has a straight part, with the mean velocity
 * relative to the drift, and the bend of the parabola. */
static KG_NOINLINE bool outruns_drift(const kugel_world *world, uint32_t i, double until)
{
    const kg_motion *m = &world->work.motion[i];
    double left = until - m->clock, bend = 0.125 * left * left, v[3], a[3] = {0, 0, 0};
    if (world->work.frame[i] != KG_FRAME_INERTIAL) kg_work_acceleration(&world->work, i, a);
    kg_add_scaled3(v, m->v, 0.5 * (until + m->clock), a);
    kg_sub3(v, v, world->grid->drift);
    return is_longer(world, kg_dot3(v, v) * left * left + kg_dot3(a, a) * bend * bend);
}

/* True when the body's path up to `until` is too long for lists. */
static inline bool outruns_lists(const kugel_world *world, uint32_t i, double until)
{
    if (world->grid->drift_path > 0) return outruns_drift(world, i, until);
    const kg_motion *m = &world->work.motion[i];
    double a[3], left = until - m->clock, path_squared = kg_dot3(m->v, m->v) * left * left;
    if (world->work.frame[i] != KG_FRAME_INERTIAL) {
        kg_work_acceleration(&world->work, i, a);
        double fall = 0.5 * (until + m->clock) * left;
        path_squared += kg_dot3(a, a) * fall * fall;
    }
    return is_longer(world, path_squared);
}

static bool refresh_at(kugel_world *world, uint32_t slot, double now, double h)
{
    double place[3];
    kg_list_origin_choose(world, slot, now, h, place);
    return kg_list_refresh(world, slot, place);
}

bool kg_neighbours_refresh(kugel_world *world, uint32_t slot, double now, double h)
{
    return kg_grid_is_unlisted(world->grid, slot) || refresh_at(world, slot, now, h);
}

/* Make a body unlisted if it outruns lists, or give it a list again if it no longer does. */
static bool change_listing(kugel_world *world, uint32_t slot, bool outruns, double now, double h)
{
    if (kg_grid_is_unlisted(world->grid, slot) == outruns) return true;
    if (outruns) return kg_grid_set_unlisted(world, slot) && kg_near_triangles_find(world, slot);
    kg_grid_clear_unlisted(world->grid, slot);
    return refresh_at(world, slot, now, h);
}

bool kg_neighbours_update_listing(kugel_world *world, uint32_t slot, double now, double until,
                                  double h)
{
    if (world->grid->cell_lists.used) return true;
    bool outruns = outruns_lists(world, slot, until);
    if (outruns && world->aside.count) kg_grid_want_on_path(world, slot, until);
    return change_listing(world, slot, outruns, now, h);
}

/* Set grid->any_listing_changes if some body becomes unlisted or gets a list again. */
static void find_listing_changes(kugel_world *world, uint32_t from, uint32_t to, double until)
{
    kg_grid *grid = world->grid;
    bool any = false;
    for (uint32_t i = kg_neighbours_next_active(grid, from, to); i < to;
         i = kg_neighbours_next_active(grid, i + 1, to)) {
        bool outruns = outruns_lists(world, i, until);
        if (outruns && world->aside.count) kg_grid_want_on_path(world, i, until);
        any |= kg_grid_is_unlisted(grid, i) != outruns;
    }
    if (any) KG_ATOMIC_STORE(&grid->any_listing_changes, true);
}

bool kg_neighbours_update_listings(kugel_world *world, double now, double until, double h)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    grid->any_listing_changes = false;
    kg_for_bodies(world, find_listing_changes, until);
    for (uint32_t i = 0; i < n && grid->any_listing_changes; ++i) {
        if (kg_grid_is_active(grid, i) && !kg_neighbours_update_listing(world, i, now, until, h))
            return false;
    }
    return true;
}

bool kg_neighbours_need_rebuild(const kugel_world *world, uint64_t refreshes_before)
{
    /* a refresh costs five to ten times a body's share of a rebuild, so n / 8 refreshes cost about
     * as much as a rebuild */
    enum { REBUILD_SHARE = 8 };
    const kg_grid *grid = world->grid;
    uint64_t n = world->bodies.count;
    if (grid->cell_lists.used) return grid->cell_lists.abandon || world->work.contacts.count;
    return world->list_refreshes >=
           refreshes_before + n / REBUILD_SHARE + 16 + grid->unlisted_count * n / KG_LIST_COST;
}

bool kg_neighbours_rebuild(kugel_world *world, double now, double h)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    if (cell_lists->used) cell_lists->retry_after = KG_CELL_RETRY_AFTER;
    cell_lists->used = false;
    return kg_list_rebuild(world, now, h);
}

/* True when the cell lists can stay valid although rows of bodies change between steps. */
static bool cells_stay_valid(const kugel_world *world)
{
    const kg_grid *grid = world->grid;
    const kg_cell_lists *cells = &grid->cell_lists;
    return grid->valid && cells->used && !cells->in_subdomains && !cells->oversized_count;
}

void kg_neighbours_truncate(kugel_world *world, uint32_t count)
{
    if (count >= world->bodies.count) return;
    if (cells_stay_valid(world)) kg_cell_lists_truncate(world, count);
    else kg_neighbours_invalidate(world);
}

void kg_neighbours_note_added_rows(kugel_world *world)
{
    if (!cells_stay_valid(world)) kg_neighbours_invalidate(world);
}

void kg_neighbours_remove_row(kugel_world *world, uint32_t slot)
{
    if (cells_stay_valid(world)) kg_cell_lists_remove_row(world, slot);
    else kg_neighbours_invalidate(world);
}
