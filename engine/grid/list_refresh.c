/* Refreshes the list of one body at a new list origin: the body leaves the lists of some bodies and
 * joins others. Pairs within reach of both origins stay, so most other lists are unchanged.
 * Invariant: a pair within reach is in both lists; pairs out of reach may be in both, in one or in
 * none. Cost: the bodies in 27 cells of its own level and of each level of larger bodies; those in
 * the blocks in reach of each level of smaller bodies. */
#include "grid/neighbour_lists.h"

typedef struct refresh {
    kugel_world *world;
    uint32_t slot;
    kg_list_origin from, to; /* the old and the new list origin */
    kg_list_node old; /* first node of the old list; the nodes after it are freed at the end */
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

/* Add a pair that is in reach of the new origin and was out of reach of the old one. */
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

static bool add_cell(const refresh *m, uint32_t head, uint32_t image)
{
    const kg_grid *grid = m->world->grid;
    for (uint32_t j = head; j != KG_NONE; j = grid->origin[j].next) {
        if (!add_if_new(m, j | image << KG_NEIGHBOUR_IMAGE_SHIFT)) return false;
    }
    return true;
}

/* Add neighbours from the body's own level, or from one of larger bodies. */
static bool add_from_level(const refresh *m, uint32_t level)
{
    kg_cells_around around;
    kg_grid_find_cells_around(m->world->grid, level, m->to.x, &around);
    for (uint32_t c = 0; c < around.count; ++c) {
        if (!add_cell(m, around.head[c], around.image[c])) return false;
    }
    return true;
}

/* Blocks of a level that can hold neighbours of the body in one periodic image. */
typedef struct block_range {
    uint32_t level, image;
    int32_t low[3], high[3];
    double count;
} block_range;

static block_range range_of(const refresh *m, uint32_t level, uint32_t image)
{
    const kg_grid *grid = m->world->grid;
    const kg_lattice *lattice = &grid->lattice[level];
    block_range range = {.level = level, .image = image, .count = 1};
    double reach = m->to.radius + grid->level_radius[level] + 2 * grid->skin;
    for (int axis = 0; axis < 3; ++axis) {
        double x = m->to.x[axis] - lattice->shift[image][axis];
        range.low[axis] = kg_lattice_cell(lattice, axis, x - reach) >> KG_BLOCK_SHIFT;
        range.high[axis] = kg_lattice_cell(lattice, axis, x + reach) >> KG_BLOCK_SHIFT;
        range.count *= (double)range.high[axis] - range.low[axis] + 1;
    }
    return range;
}

static bool add_block(const refresh *m, const block_range *range, uint32_t block)
{
    for (uint32_t k = 0; k < KG_BLOCK_CELLS && block != KG_NONE; ++k) {
        if (!add_cell(m, m->world->grid->blocks[block].head[k], range->image)) return false;
    }
    return true;
}

static bool is_in_range(const block_range *range, const kg_block *block)
{
    bool inside = block->level == range->level;
    for (int axis = 0; axis < 3; ++axis)
        inside =
            inside && block->at[axis] >= range->low[axis] && block->at[axis] <= range->high[axis];
    return inside;
}

/* Add neighbours from a level of smaller bodies: look up each block in reach by its coordinates, or
 * pass over all blocks if these are fewer. */
static bool add_from_smaller(const refresh *m, const block_range *range)
{
    const kg_grid *grid = m->world->grid;
    if (range->count > grid->block_count) {
        for (uint32_t b = 0; b < grid->block_count; ++b) {
            if (is_in_range(range, &grid->blocks[b]) && !add_block(m, range, b)) return false;
        }
        return true;
    }
    int32_t at[3];
    for (at[2] = range->low[2]; at[2] <= range->high[2]; ++at[2]) {
        for (at[1] = range->low[1]; at[1] <= range->high[1]; ++at[1]) {
            for (at[0] = range->low[0]; at[0] <= range->high[0]; ++at[0]) {
                if (!add_block(m, range, kg_grid_find_block(grid, range->level, at))) return false;
            }
        }
    }
    return true;
}

static bool add_neighbours(const refresh *m)
{
    const kg_grid *grid = m->world->grid;
    uint32_t own = kg_level_of(grid, m->slot);
    kg_images images = kg_lattice_images(grid->lattice);
    for (uint32_t level = 0; level <= own; ++level) {
        if (!add_from_level(m, level)) return false;
    }
    for (uint32_t level = own + 1; level < grid->level_count; ++level) {
        for (uint32_t k = 0; k < images.count; ++k) {
            block_range range = range_of(m, level, images.code[k]);
            if (!add_from_smaller(m, &range)) return false;
        }
    }
    return true;
}

/* Mark the resting pairs of the old list in the new one, in every periodic image. */
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

/* Number of contacts that the old list marks. KG_NONE if the list contains periodic images, since a
 * contact is marked in each of them. */
static uint32_t count_marked(const refresh *m)
{
    uint32_t marked = 0, flags = 0;
    for (const kg_list_node *node = &m->old;; node = &m->world->grid->nodes[node->next]) {
        flags |= node->flags;
        for (uint32_t k = 0; k < node->count && node->flags & KG_NODE_HAS_RESTING; ++k)
            marked += (node->neighbour[k] & KG_NEIGHBOUR_RESTING) != 0;
        if (node->next == KG_NONE) return flags & KG_NODE_HAS_IMAGES ? KG_NONE : marked;
    }
}

/* True when an added neighbour may be in resting contact with the body. That is rare: a pair in
 * contact is out of reach only after it has parted. */
static bool may_rest_on_added(const refresh *m)
{
    const kg_work *work = &m->world->work;
    uint32_t others = work->contact_count[m->slot] - kg_work_count_resting(work, m->slot);
    return others && others != count_marked(m);
}

/* Mark added neighbours that are in resting contact with the body. */
static void mark_added(const refresh *m)
{
    kg_grid *grid = m->world->grid;
    const kg_work *work = &m->world->work;
    const uint32_t *id = m->world->bodies.id;
    if (!may_rest_on_added(m)) return;
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
    if (!kg_near_triangles_find(world, slot) || !kg_grid_link_body(&world->memory, grid, slot) ||
        !keep_neighbours(&m))
        return false;
    if (!add_neighbours(&m)) return false;
    mark_resting_again(&m);
    mark_added(&m);
    kg_list_free_chain(grid, m.old.next);
    world->list_refreshes += 1;
    return true;
}
