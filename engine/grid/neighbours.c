/* Neighbours of a body beyond Verlet lists, and when lists are refreshed (neighbours.h).
 * A body that leaves its skin so often that new lists cost more than tests against all bodies has
 * no list: all bodies are its candidates, and it is a candidate of all bodies. */
#include "grid/neighbours.h"

#include "base/vec.h"
#include "grid/neighbour_lists.h"

static void mark_resting_on(kg_list_node *node, uint32_t slot)
{
    for (uint32_t k = 0; k < node->count; ++k) {
        if ((node->neighbour[k] & KG_NEIGHBOUR_SLOT) != slot) continue;
        node->neighbour[k] |= KG_NEIGHBOUR_RESTING;
        node->flags |= KG_NODE_HAS_RESTING;
    }
}

/* The slot on which body `slot` rests by a contact that began in the step; KG_NONE if the body has
 * no part in the contact. */
static uint32_t begun_on(const kugel_world *world, const kg_contact *begun, uint32_t slot)
{
    uint32_t id = world->bodies.id[slot];
    if (begun->with != KG_WITH_BODY || begun->ended || (begun->a != id && begun->b != id))
        return KG_NONE;
    return world->bodies.slot[begun->a == id ? begun->b : begun->a];
}

/* Find the slots on which the body began to rest in the step. These contacts are unsorted, so one
 * pass serves all candidates of the body. It stops at begun_end when `begun` is full. */
static void find_begun(kg_candidates *c)
{
    const kg_contact_set *set = &c->world->work.contacts;
    c->begun_count = 0;
    for (c->begun_end = set->sorted_count;
         c->begun_end < set->count && c->begun_count < KG_NODE_NEIGHBOURS; ++c->begun_end) {
        uint32_t slot = begun_on(c->world, &set->items[c->begun_end], c->slot);
        if (slot != KG_NONE) c->begun[c->begun_count++] = slot;
    }
}

/* Mark the copied candidates that rest on the body. */
static void mark_resting(kg_candidates *c)
{
    const kg_work *work = &c->world->work;
    const kg_contact_set *set = &work->contacts;
    const uint32_t *id = c->world->bodies.id;
    if (!work->contact_count[c->slot]) return;
    for (uint32_t k = 0; k < c->copied.count; ++k) {
        uint32_t j = c->copied.neighbour[k] & KG_NEIGHBOUR_SLOT;
        if (work->contact_count[j] && kg_contact_set_has_sorted_pair(set, id[c->slot], id[j]))
            mark_resting_on(&c->copied, j);
    }
    if (c->begun_count == KG_NONE) find_begun(c);
    for (uint32_t k = 0; k < c->begun_count; ++k) mark_resting_on(&c->copied, c->begun[k]);
    for (uint32_t k = c->begun_end; k < set->count; ++k) {
        uint32_t slot = begun_on(c->world, &set->items[k], c->slot);
        if (slot != KG_NONE) mark_resting_on(&c->copied, slot);
    }
}

/* Copy the bodies in the cells around the body. None is marked as resting: the window ends with the
 * first contact, and Verlet lists replace the cell lists (kg_neighbours_are_worn). */
static const kg_list_node *copy_from_cell_lists(kg_candidates *c)
{
    uint32_t around[KG_CELL_NEIGHBOURS_MAX],
        count = kg_cell_lists_neighbours(&c->world->grid->cell_lists, c->slot, KG_CELL_GATHER_ALL,
                                         around);
    for (; c->body < count && c->copied.count < KG_NODE_NEIGHBOURS; ++c->body) {
        if ((around[c->body] & KG_NEIGHBOUR_SLOT) != c->slot)
            kg_list_node_add(&c->copied, around[c->body]);
    }
    return c->copied.count ? &c->copied : NULL;
}

/* Copy candidates that are in no list: for an unlisted or oversized body all bodies, for other
 * bodies the unlisted ones. */
static const kg_list_node *copy_unlisted(kg_candidates *c)
{
    const kugel_world *world = c->world;
    const kg_grid *grid = world->grid;
    bool all = grid->cell_lists.used || kg_grid_is_unlisted(grid, c->slot);
    uint32_t bodies = all ? world->bodies.count : grid->unlisted_count;
    kg_images images = kg_lattice_images(grid->lattice);
    while (c->body < bodies && c->copied.count < KG_NODE_NEIGHBOURS) {
        uint32_t j = all ? c->body : grid->unlisted[c->body];
        if (j == c->slot || !kg_grid_may_collide(world, c->slot, j)) {
            c->body += 1;
            continue;
        }
        while (c->image < images.count && c->copied.count < KG_NODE_NEIGHBOURS) {
            uint32_t image = images.code[c->image++];
            kg_list_node_add(&c->copied, j | image << KG_NEIGHBOUR_IMAGE_SHIFT);
        }
        if (c->image < images.count) break;
        c->body += 1;
        c->image = 0;
    }
    mark_resting(c);
    return c->copied.count ? &c->copied : NULL;
}

const kg_list_node *kg_candidates_copy(kg_candidates *c)
{
    kg_list_node_clear(&c->copied, c->slot);
    const kg_cell_lists *cell_lists = &c->world->grid->cell_lists;
    return cell_lists->used && !kg_cell_lists_is_oversized(cell_lists, c->slot)
               ? copy_from_cell_lists(c)
               : copy_unlisted(c);
}

static bool is_longer(const kugel_world *world, double path_squared)
{
    return path_squared > world->grid->longest_path * world->grid->longest_path;
}

/* outruns_lists for list origins that drift. The path is a straight part, with the mean velocity
 * relative to the drift, and the bend of the parabola. */
static __attribute__((noinline)) bool outruns_drift(const kugel_world *world, uint32_t i,
                                                    double until)
{
    const kg_motion *m = &world->work.motion[i];
    double left = until - m->clock, bend = 0.125 * left * left, v[3], a[3] = {0, 0, 0};
    if (world->work.frame[i] != KG_FRAME_INERTIAL) kg_work_acceleration(&world->work, i, a);
    kg_add_scaled3(v, m->v, 0.5 * (until + m->clock), a);
    kg_sub3(v, v, world->grid->drift);
    return is_longer(world, kg_dot3(v, v) * left * left + kg_dot3(a, a) * bend * bend);
}

/* true when the body's path up to `until` is too long for lists. */
static inline bool outruns_lists(const kugel_world *world, uint32_t i, double until)
{
    if (world->grid->drift_way > 0) return outruns_drift(world, i, until);
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

/* Remove the list of a body whose path is too long for one; give other bodies a list again. */
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
    return change_listing(world, slot, outruns, now, h);
}

/* Set grid->any_listing_changes if some body becomes unlisted or gets a list again. */
static void find_listing_changes(kugel_world *world, uint32_t from, uint32_t to, double until)
{
    kg_grid *grid = world->grid;
    bool any = false;
    for (uint32_t i = kg_neighbours_next_active(grid, from, to); i < to;
         i = kg_neighbours_next_active(grid, i + 1, to))
        any |= kg_grid_is_unlisted(grid, i) != outruns_lists(world, i, until);
    if (any) __atomic_store_n(&grid->any_listing_changes, true, __ATOMIC_RELAXED);
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
    /* a refresh costs some two times a body's share of a rebuild, so n / 8 refreshes cost a
     * quarter of a rebuild */
    enum { WORN_SHARE = 8 };
    const kg_grid *grid = world->grid;
    uint64_t n = world->bodies.count;
    if (grid->cell_lists.used) return grid->cell_lists.abandon || world->work.contacts.count;
    return world->list_refreshes >=
           refreshes_before + n / WORN_SHARE + 16 + grid->unlisted_count * n / KG_LIST_COST;
}

bool kg_neighbours_rebuild(kugel_world *world, double now, double h)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    if (cell_lists->used) cell_lists->retry_after = KG_CELL_RETRY_AFTER;
    cell_lists->used = false;
    return kg_list_rebuild(world, now, h);
}

/* True when the cell lists stay valid although rows of bodies change between steps. Otherwise the
 * lists become invalid. */
static bool keep_cells_or_invalidate(kugel_world *world)
{
    const kg_grid *grid = world->grid;
    const kg_cell_lists *cells = &grid->cell_lists;
    bool keeps = grid->valid && cells->used && !cells->in_subdomains && !cells->oversized_count;
    if (!keeps) kg_neighbours_invalidate(world);
    return keeps;
}

void kg_neighbours_truncate(kugel_world *world, uint32_t count)
{
    if (count < world->bodies.count && keep_cells_or_invalidate(world))
        kg_cell_lists_truncate(world, count);
}

void kg_neighbours_note_added_rows(kugel_world *world) { (void)keep_cells_or_invalidate(world); }

void kg_neighbours_remove_row(kugel_world *world, uint32_t slot)
{
    if (keep_cells_or_invalidate(world)) kg_cell_lists_remove_row(world, slot);
}
