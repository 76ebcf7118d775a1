/* Renews the list of one body at a new list origin, and its entries in its neighbours' lists.
 * Pairs within reach of both origins stay, so most other lists are unchanged. Invariant: a pair
 * within reach is in both lists. A list may also hold a pair out of reach, then perhaps only one of
 * the two. Cost: the bodies in the 27 cells around, four at a time. */
#include "base/wide.h"
#include "grid/neighbour_lists.h"

typedef struct refresh {
    kugel_world *world;
    uint32_t slot;
    kg_list_origin from, to;
    kg_list_node
        /* the list's first node before; the nodes behind it are freed at the end */
        old;
} refresh;

/* ---- reach ---- */

enum { BATCH = 64 };
typedef struct batch {
    uint32_t neighbour[BATCH];
    uint32_t count;
    bool images; /* some neighbour has an image */
    /* true: oversized bodies are accepted; false: they are skipped */
    bool oversized;
    /* out: bit k when neighbour k is within reach of the old, of the new list origin */
    uint64_t in_old_reach, in_new_reach;
} batch;

/* The order of operations gives both bodies of a pair the same answer. */
KG_INLINE void within_reach(const kg_double4 x[3], const kg_double4 offset[3],
                            const kg_list_origin *at, const kg_double4 *reach, kg_mask4 *out)
{
    kg_double4 d[3];
    for (int k = 0; k < 3; ++k) d[k] = x[k] - at->x[k] + offset[k];
    *out = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < *reach * *reach;
}

KG_INLINE void test_reach(const refresh *m, batch *of)
{
    const kg_grid *grid = m->world->grid;
    of->in_old_reach = of->in_new_reach = 0;
    for (uint32_t k = 0; k < of->count; k += 4) {
        const uint32_t *neighbour = of->neighbour + k;
        const kg_double4 *axis_cells[4];
        kg_double4 x[4], reach, offset[3] = {{0}};
        for (int l = 0; l < 4; ++l) {
            const kg_list_origin *other = &grid->origin[neighbour[l] & KG_NEIGHBOUR_SLOT];
            axis_cells[l] = (const kg_double4 *)(const void *)other->x;
            reach[l] = m->to.radius + other->radius;
        }
        kg_transpose4(axis_cells, x);
        for (int l = 0; l < 4 && of->images; ++l) {
            const double *shift = grid->lattice.shift[neighbour[l] >> KG_NEIGHBOUR_IMAGE_SHIFT];
            for (int axis = 0; axis < 3; ++axis) offset[axis][l] = shift[axis];
        }
        reach += 2 * grid->skin;
        kg_mask4 in_old_reach, in_new_reach;
        within_reach(x, offset, &m->from, &reach, &in_old_reach);
        within_reach(x, offset, &m->to, &reach, &in_new_reach);
        of->in_old_reach |= (uint64_t)kg_movemask4(&in_old_reach) << k;
        of->in_new_reach |= (uint64_t)kg_movemask4(&in_new_reach) << k;
    }
}

KG_VARIANTS(void, test_reach, (const refresh *m, batch *of), (m, of))

static void test_reach_batch(const refresh *m, batch *of)
{
    for (uint32_t k = of->count; k & 3; ++k) of->neighbour[k] = of->neighbour[0];
    KG_WIDEST(test_reach)(m, of);
    if (of->count < BATCH) of->in_new_reach &= ((uint64_t)1 << of->count) - 1;
}

/* ---- old neighbours ---- */

/* The neighbour that stands for the same pair in the other body's list. */
static uint32_t reverse_neighbour(uint32_t slot, uint32_t neighbour)
{
    return slot | (26 - (neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT)) << KG_NEIGHBOUR_IMAGE_SHIFT;
}

/* Keep neighbours in reach of both origins; remove the body from the lists of the others. */
static bool keep_neighbours(refresh *m)
{
    kg_grid *grid = m->world->grid;
    kg_list_node node = m->old; /* a copy: adding a node may move all nodes */
    for (;;) {
        batch list = {.count = node.count, .images = node.flags & KG_NODE_HAS_IMAGES};
        for (uint32_t k = 0; k < KG_NODE_NEIGHBOURS; ++k) list.neighbour[k] = node.neighbour[k];
        test_reach_batch(m, &list);
        for (uint32_t k = 0; k < list.count; ++k) {
            uint32_t neighbour = list.neighbour[k];
            if (!(list.in_old_reach & list.in_new_reach & (uint64_t)1 << k))
                kg_list_remove(grid, neighbour & KG_NEIGHBOUR_SLOT,
                               reverse_neighbour(m->slot, neighbour));
            else if (!kg_list_add(&m->world->memory, grid, m->slot, neighbour)) return false;
        }
        if (node.next == KG_NONE) return true;
        node = grid->nodes[node.next];
    }
}

/* ---- new neighbours ---- */

static bool record_added(kugel_world *world, uint32_t neighbour)
{
    kg_grid *grid = world->grid;
    size_t need = (size_t)grid->added_count + 1;
    if (!kg_column_reserve(&world->memory, &grid->columns[KG_GRID_COLUMN_ADDED],
                           sizeof *grid->added, need | 63, grid->added_count))
        return false;
    grid->added = grid->columns[KG_GRID_COLUMN_ADDED].data;
    grid->added[grid->added_count++] = neighbour;
    return true;
}

static bool add_neighbours(refresh *m, batch *found)
{
    kugel_world *world = m->world;
    kg_grid *grid = world->grid;
    test_reach_batch(m, found);
    for (uint64_t added = found->in_new_reach & ~found->in_old_reach; added; added &= added - 1) {
        uint32_t neighbour = found->neighbour[__builtin_ctzll(added)],
                 j = neighbour & KG_NEIGHBOUR_SLOT;
        if (j == m->slot || !kg_grid_may_collide(world, m->slot, j) ||
            (!found->oversized && kg_grid_is_oversized(world, j)))
            continue;
        bool ok = kg_list_add(&world->memory, grid, m->slot, neighbour) &&
                  kg_list_add(&world->memory, grid, j, reverse_neighbour(m->slot, neighbour)) &&
                  record_added(world, neighbour);
        if (!ok) return false;
    }
    found->count = 0;
    return true;
}

/* Along one axis, the three cells around the new list origin: block, cell in it, number of the
 * block and image; squared distance from the origin, m^2, and the largest projection on the
 * origin's displacement, m^2, measured from its middle. */
typedef struct axis_cells {
    int32_t block[3];
    uint32_t local[3], number[3], image[3];
    double distance2[3], forward[3];
} axis_cells;

/* The margin covers rounding. The last cells of the coordinate range hold bodies at any distance.
 */
static void measure_axis_cells(const refresh *m, int axis, int32_t middle, axis_cells *r)
{
    const kg_lattice *lattice = &m->world->grid->lattice;
    double edge = 1 / lattice->inverse[axis], x = m->to.x[axis], displacement = x - m->from.x[axis],
           from_origin = x - lattice->origin[axis];
    double margin = 1e-6 * edge + 1e-15 * (from_origin < 0 ? -from_origin : from_origin),
           low = middle * edge - from_origin - edge;
    if (middle < 4 - KG_CELL_COORDINATE_LIMIT || middle > KG_CELL_COORDINATE_LIMIT - 4)
        margin = KG_VALUE_LIMIT * 1e10;
    for (int d = 0; d < 3; ++d) {
        double begin = low + d * edge - margin, end = low + (d + 1) * edge + margin;
        double distance2 = begin > 0 ? begin : end < 0 ? end : 0;
        r->distance2[d] = distance2 * distance2;
        r->forward[d] = displacement * ((displacement > 0 ? end : begin) + 0.5 * displacement);
    }
}

static void make_axis_cells(const refresh *m, int axis, axis_cells *r)
{
    const kg_grid *grid = m->world->grid;
    uint32_t cell = grid->cell[m->slot];
    int32_t n = grid->lattice.count[axis];
    int32_t local = (int32_t)(cell >> (KG_BLOCK_SHIFT * axis) & (KG_BLOCK_EDGE - 1));
    int32_t middle = grid->blocks[cell / KG_BLOCK_CELLS].at[axis] * KG_BLOCK_EDGE + local;
    measure_axis_cells(m, axis, middle, r);
    for (int32_t d = 0; d < 3; ++d) {
        int32_t c = middle + d - 1;
        r->image[d] = 1;
        if (n && c < 0) c += n, r->image[d] = 0;
        else if (n && c >= n) c -= n, r->image[d] = 2;
        r->block[d] = c >> KG_BLOCK_SHIFT;
        r->local[d] = (uint32_t)c & (KG_BLOCK_EDGE - 1);
        r->number[d] = (uint32_t)d;
        for (int32_t e = d - 1; e >= 0; --e) {
            if (r->block[e] == r->block[d]) r->number[d] = r->number[e];
        }
    }
}

/* First bodies of the cells around that are in reach, on the side of the displacement; there is
 * nothing new on the other side. */
typedef struct cell_heads {
    /* image codes, shifted as in neighbours */
    uint32_t head[27], image[27];
    uint32_t count;
} cell_heads;

static void find_cell_heads(const refresh *m, cell_heads *out)
{
    static const uint32_t none[KG_BLOCK_CELLS] = {0}; /* its address marks a missing block */
    const kg_grid *grid = m->world->grid;
    const uint32_t *blocks[27] = {NULL}; /* each block is searched once */
    axis_cells rows[3];
    double reach2 = grid->reach * grid->reach * 1.0001;
    out->count = 0;
    for (int axis = 0; axis < 3; ++axis) make_axis_cells(m, axis, &rows[axis]);
    const axis_cells *rx = &rows[0];
    for (int k = 0; k < 9; ++k) {
        const axis_cells *ry = &rows[1], *rz = &rows[2];
        int y = k % 3, z = k / 3;
        double distance2 = ry->distance2[y] + rz->distance2[z],
               forward = ry->forward[y] + rz->forward[z];
        uint32_t number = (rz->number[z] * 3 + ry->number[y]) * 3,
                 local = ry->local[y] << 2 | rz->local[z] << 4;
        uint32_t image = 3 * ry->image[y] + 9 * rz->image[z];
        for (int x = 0; x < 3; ++x) {
            const uint32_t **block = &blocks[number + rx->number[x]];
            if (!*block) {
                uint32_t found = kg_grid_find_block(
                    grid, (int32_t[3]){rx->block[x], ry->block[y], rz->block[z]});
                *block = found == KG_NONE ? none : grid->blocks[found].head;
            }
            if (*block == none) continue;
            uint32_t head = (*block)[rx->local[x] | local];
            out->head[out->count] = head;
            out->image[out->count] = (image + rx->image[x]) << KG_NEIGHBOUR_IMAGE_SHIFT;
            out->count += (head != KG_NONE) & (distance2 + rx->distance2[x] < reach2) &
                          (forward + rx->forward[x] >= 0);
        }
    }
}

/* Test one body in all images; for oversized bodies, whose reach exceeds the cells. */
static bool test_body(refresh *m, uint32_t j, const kg_images *images, batch *found)
{
    for (uint32_t k = 0; k < images->count; ++k) {
        if (found->count == BATCH && !add_neighbours(m, found)) return false;
        found->neighbour[found->count++] = j | images->code[k] << KG_NEIGHBOUR_IMAGE_SHIFT;
    }
    return true;
}

static bool find_oversized(refresh *m)
{
    const kg_grid *grid = m->world->grid;
    kg_images images = kg_lattice_images(&grid->lattice);
    batch found = {.oversized = true, .images = images.count > 1};
    bool all = kg_grid_is_oversized(m->world, m->slot);
    uint32_t count = all ? m->world->bodies.count : grid->oversized_count;
    for (uint32_t k = 0; k < count; ++k) {
        if (!test_body(m, all ? k : grid->oversized[k], &images, &found)) return false;
    }
    return add_neighbours(m, &found);
}

/* Follow all cells' chains one step at a time: their lengths are unpredictable, so no branch
 * depends on them. */
static bool find_neighbours(refresh *m)
{
    const kg_grid *grid = m->world->grid;
    cell_heads at;
    batch found = {.count = 0};
    find_cell_heads(m, &at);
    while (at.count) {
        uint32_t left = 0, images = 0;
        for (uint32_t k = 0; k < at.count; ++k) {
            uint32_t j = at.head[k], image = at.image[k], next = grid->origin[j].next;
            found.neighbour[found.count++] = j | image;
            images |= image ^ KG_IMAGE_NONE << KG_NEIGHBOUR_IMAGE_SHIFT;
            at.head[left] = next;
            at.image[left] = image;
            left += next != KG_NONE;
        }
        at.count = left;
        found.images |= images != 0;
        if (left > BATCH - found.count && !add_neighbours(m, &found)) return false;
    }
    return add_neighbours(m, &found);
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

/* true when the list may lack a body that this one rests on: the pair was out of reach, or one of
 * the two had no list, when the contact began. */
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
    if (!kg_grid_is_oversized(world, slot) && !find_neighbours(&m)) return false;
    if (grid->oversized_count && !find_oversized(&m)) return false;
    mark_resting_again(&m);
    mark_added(&m);
    kg_list_free_chain(grid, m.old.next);
    world->list_refreshes += 1;
    return true;
}
