/* Candidates of a body that are in no Verlet list, copied with their resting flags (neighbours.h).
 * In: cell lists, unlisted bodies, contacts. Out: a node of candidates at a time. Cost: the
 * unlisted bodies for a body with a list; the bodies of 27 cells in cell lists; all bodies for an
 * unlisted or oversized body. */
#include "grid/neighbours.h"

#include "grid/neighbour_lists.h"

static void mark_resting_on(kg_list_node *node, uint32_t slot)
{
    for (uint32_t k = 0; k < node->count; ++k) {
        if ((node->neighbour[k] & KG_NEIGHBOUR_SLOT) != slot) continue;
        node->neighbour[k] |= KG_NEIGHBOUR_RESTING;
        node->flags |= KG_NODE_HAS_RESTING;
    }
}

/* The slot on which body `slot` rests by a contact that began in the step; KG_NONE if the contact
 * has ended or is not between this body and another one. */
static uint32_t begun_on(const kugel_world *world, const kg_contact *begun, uint32_t slot)
{
    uint32_t id = world->bodies.id[slot];
    if (begun->with != KG_WITH_BODY || begun->ended || (begun->a != id && begun->b != id))
        return KG_NONE;
    return world->bodies.slot[begun->a == id ? begun->b : begun->a];
}

/* Find the slots on which the body began to rest in the step. These contacts are unsorted, so one
 * pass over them serves all candidates of the body. The pass stops at begun_end when `begun` is
 * full. */
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
 * first contact, and Verlet lists replace the cell lists (kg_neighbours_need_rebuild). */
static const kg_list_node *copy_from_cell_lists(kg_candidates *c)
{
    uint32_t around[KG_CELL_NEIGHBOURS_MAX],
        count = kg_cell_lists_neighbours(&c->world->grid->cell_lists, c->slot, around);
    for (; c->body < count && c->copied.count < KG_NODE_NEIGHBOURS; ++c->body) {
        if ((around[c->body] & KG_NEIGHBOUR_SLOT) != c->slot)
            kg_list_node_add(&c->copied, around[c->body]);
    }
    return c->copied.count ? &c->copied : NULL;
}

/* Copy candidates that are in no list: all bodies for an unlisted or oversized body, the unlisted
 * bodies for other ones. */
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
