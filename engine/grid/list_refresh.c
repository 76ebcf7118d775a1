/* Renews the list of one body at a new list origin, and its entries in its neighbours' lists.
 * Pairs within reach of both origins stay, so most other lists are unchanged. Invariant: a pair
 * within reach is in both lists. A list may also hold a pair out of reach, then perhaps only one of
 * the two. Cost: the bodies in the 27 cells around. */
#include "grid/neighbour_lists.h"

typedef struct refresh {
    kugel_world *world;
    uint32_t slot;
    kg_list_origin from, to;
    kg_list_node old; /* the list's first node before; the nodes behind it are freed at the end */
} refresh;

static bool is_in_reach(const refresh *m, const kg_list_origin *origin, uint32_t neighbour)
{
    const kg_grid *grid = m->world->grid;
    return kg_within_reach(grid, origin, &grid->origin[neighbour & KG_NEIGHBOUR_SLOT],
                           neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT);
}

/* Keep neighbours in reach of both origins; remove the body from the lists of the others. */
static bool keep_neighbours(const refresh *m)
{
    kg_grid *grid = m->world->grid;
    kg_list_node node = m->old; /* a copy: adding a node may move all nodes */
    for (;;) {
        for (uint32_t k = 0; k < node.count; ++k) {
            uint32_t neighbour = node.neighbour[k];
            if (!is_in_reach(m, &m->from, neighbour) || !is_in_reach(m, &m->to, neighbour))
                kg_list_remove(grid, neighbour & KG_NEIGHBOUR_SLOT,
                               kg_list_reverse(m->slot, neighbour));
            else if (!kg_list_add(&m->world->memory, grid, m->slot, neighbour)) return false;
        }
        if (node.next == KG_NONE) return true;
        node = grid->nodes[node.next];
    }
}

static bool record_added(kugel_world *world, uint32_t neighbour)
{
    kg_grid *grid = world->grid;
    size_t need = (size_t)grid->added_count + 1;
    if (!KG_RESERVE(&world->memory, &grid->columns[KG_GRID_COLUMN_ADDED], grid->added, need | 63,
                    grid->added_count))
        return false;
    grid->added[grid->added_count++] = neighbour;
    return true;
}

/* List a pair that is in reach of the new origin and was not of the old. */
static bool add_if_new(const refresh *m, uint32_t neighbour)
{
    kugel_world *world = m->world;
    uint32_t j = neighbour & KG_NEIGHBOUR_SLOT;
    if (!is_in_reach(m, &m->to, neighbour) || is_in_reach(m, &m->from, neighbour) || j == m->slot ||
        !kg_grid_may_collide(world, m->slot, j))
        return true;
    return kg_list_add_pair(&world->memory, world->grid, m->slot, neighbour) &&
           record_added(world, neighbour);
}

static bool add_neighbours(const refresh *m)
{
    const kg_grid *grid = m->world->grid;
    kg_cells_around around;
    kg_grid_find_cells_around(grid, grid->cell[m->slot], &around);
    for (uint32_t c = 0; c < around.count; ++c) {
        for (uint32_t j = around.head[c]; j != KG_NONE; j = grid->origin[j].next) {
            if (!kg_grid_is_oversized(m->world, j) &&
                !add_if_new(m, j | around.image[c] << KG_NEIGHBOUR_IMAGE_SHIFT))
                return false;
        }
    }
    return true;
}

/* Pairs with an oversized body, whose reach exceeds the cells. */
static bool add_oversized(const refresh *m)
{
    const kg_grid *grid = m->world->grid;
    kg_images images = kg_lattice_images(&grid->lattice);
    bool all = kg_grid_is_oversized(m->world, m->slot);
    uint32_t count = all ? m->world->bodies.count : grid->oversized_count;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t j = all ? k : grid->oversized[k];
        for (uint32_t i = 0; i < images.count; ++i) {
            if (!add_if_new(m, j | images.code[i] << KG_NEIGHBOUR_IMAGE_SHIFT)) return false;
        }
    }
    return true;
}

/* Resting pairs of the old list rest in every image of the new one. */
static void mark_resting_again(const refresh *m)
{
    kg_grid *grid = m->world->grid;
    for (const kg_list_node *node = &m->old;; node = &grid->nodes[node->next]) {
        for (uint32_t k = 0; k < node->count && node->flags & KG_NODE_HAS_RESTING; ++k) {
            if (node->neighbour[k] & KG_NEIGHBOUR_RESTING)
                kg_grid_mark_resting(grid, m->slot, node->neighbour[k] & KG_NEIGHBOUR_SLOT, true);
        }
        if (node->next == KG_NONE) return;
    }
}

/* true when the list marks fewer resting pairs than the body has, or holds images: a pair was out
 * of reach, or one of the two had no list, when the contact began. */
static bool lacks_resting(const kugel_world *world, uint32_t slot)
{
    const kg_grid *grid = world->grid;
    uint32_t known = kg_boundary_set_count(world->work.resting_boundaries[slot]),
             rests = world->work.contact_count[slot];
    for (uint32_t c = slot; c != KG_NONE && known < rests; c = grid->nodes[c].next) {
        const kg_list_node *node = &grid->nodes[c];
        for (uint32_t k = 0; k < node->count; ++k)
            known += (node->neighbour[k] & KG_NEIGHBOUR_RESTING) != 0;
        if (node->flags & KG_NODE_HAS_IMAGES) return true; /* an image may count a pair twice */
    }
    return known < rests;
}

/* Mark added neighbours that rest on the body. */
static void mark_added(const refresh *m)
{
    kg_grid *grid = m->world->grid;
    const kg_work *work = &m->world->work;
    const uint32_t *id = m->world->bodies.id;
    if (!grid->added_count || !work->contact_count[m->slot] || !lacks_resting(m->world, m->slot))
        return;
    for (uint32_t k = 0; k < grid->added_count; ++k) {
        uint32_t j = grid->added[k] & KG_NEIGHBOUR_SLOT;
        if (!work->contact_count[j] ||
            !kg_contact_set_has_pair(&work->contacts, id[m->slot], id[j]))
            continue;
        grid->added[k] |= KG_NEIGHBOUR_RESTING;
        kg_grid_mark_resting(grid, m->slot, j, true);
    }
}

bool kg_list_refresh(kugel_world *world, uint32_t slot, const double place[3])
{
    kg_grid *grid = world->grid;
    refresh m = {
        .world = world, .slot = slot, .from = grid->origin[slot], .old = grid->nodes[slot]};
    grid->added_count = 0;
    kg_list_node_clear(&grid->nodes[slot], slot);
    kg_grid_unlink_body(grid, slot);
    kg_list_origin_set(world, slot, place);
    m.to = grid->origin[slot];
    if (!kg_grid_link_body(&world->memory, grid, slot) || !keep_neighbours(&m)) return false;
    if (!kg_grid_is_oversized(world, slot) && !add_neighbours(&m)) return false;
    if (grid->oversized_count && !add_oversized(&m)) return false;
    mark_resting_again(&m);
    mark_added(&m);
    kg_list_free_chain(grid, m.old.next);
    world->list_refreshes += 1;
    return true;
}
