/* All lists at once: bodies into cells, then every pair of neighbouring cells once. Cost O(n). */
#include "grid/lists.h"

#include <string.h>

/* The skin for the next lists: long enough for a substep's usual way, short enough for short lists. */
static double choose_skin(const kugel_world *world, double largest, double h)
{
    const kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    double skin = grid->skin / largest;
    if (!(skin >= KG_SKIN_MIN && skin <= KG_SKIN_MAX)) skin = KG_SKIN_START;
    double length = grid->body_count ? (double)grid->entries / grid->body_count : KG_LIST_TARGET_LOW;
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const double *v = world->work.motion[i].v;
        sum += __builtin_fabs(v[0]) + __builtin_fabs(v[1]) + __builtin_fabs(v[2]);
    }
    double way = n ? 1.2 * sum / n * h / largest : 0;
    if (length > KG_LIST_TARGET_HIGH) skin *= 0.85;
    else if (length < KG_LIST_TARGET_LOW && skin < way) skin *= 1.3;
    skin = skin < KG_SKIN_MIN ? KG_SKIN_MIN : skin;
    skin = skin > KG_SKIN_MAX ? KG_SKIN_MAX : skin;
    return skin * largest;
}

static bool any_filter(const kg_bodies *bodies)
{
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *m = &bodies->materials[k];
        if (m->users && (m->sensor || m->mask != 0xffffffffu || m->category == 0)) return true;
    }
    return false;
}

/* A block's cells and one layer around them: 6 x 6 x 6. Its bodies are copied cell after cell, each
 * at its place in the image that the block sees, so that rows of cells are runs of memory. */
enum { EDGE = KG_BLOCK_EDGE + 2, CELLS = EDGE * EDGE * EDGE, HALO_BODIES = 2048 };
typedef struct halo {
    uint32_t start[CELLS + 1]; /* first body of each cell */
    bool own[3][EDGE];         /* this row of cells belongs to the block */
    kg_anchor body[HALO_BODIES];
    uint32_t slot[HALO_BODIES];
    uint8_t image[HALO_BODIES];
} halo;

/* Along one axis: block (-1, 0, +1 of this one, or another across a periodic face), place in it and
 * image step of each of the 6 rows. */
typedef struct halo_axis {
    int32_t block[EDGE];
    uint32_t local[EDGE], image[EDGE];
} halo_axis;

static void halo_rows(const kg_lattice *lattice, int axis, int32_t block, halo_axis *rows, bool own[EDGE])
{
    int32_t n = lattice->count[axis];
    for (int l = 0; l < EDGE; ++l) {
        int32_t cell = block * KG_BLOCK_EDGE + l - 1;
        own[l] = l >= 1 && l <= KG_BLOCK_EDGE && (!n || cell < n);
        rows->image[l] = 1;
        if (n && cell < 0) cell += n, rows->image[l] = 0;
        else if (n && cell >= n) cell -= n, rows->image[l] = 2;
        rows->block[l] = cell >> KG_BLOCK_SHIFT;
        rows->local[l] = (uint32_t)cell & (KG_BLOCK_EDGE - 1);
    }
}

/* Copy one cell's bodies; false when the halo is full. */
static bool halo_cell(const kg_grid *grid, halo *out, uint32_t *count, uint32_t head, uint32_t image)
{
    double offset[3] = {0, 0, 0};
    if (image != KG_IMAGE_NONE && head != KG_NONE) kg_image_offset(&grid->lattice, image, offset);
    for (uint32_t i = head; i != KG_NONE; i = grid->next[i]) {
        if (*count == HALO_BODIES) return false;
        kg_anchor *to = &out->body[*count];
        for (int k = 0; k < 3; ++k) to->x[k] = grid->anchor[i].x[k] + offset[k];
        to->radius = grid->anchor[i].radius;
        out->slot[*count] = i;
        out->image[*count] = (uint8_t)image;
        *count += 1;
    }
    return true;
}

/* Heads of the 216 cells and their images. Blocks are looked up once for each change along a row. */
static void halo_heads(const kg_grid *grid, const kg_block *block, halo *out, uint32_t head[CELLS], uint8_t image[CELLS])
{
    halo_axis rows[3];
    for (int axis = 0; axis < 3; ++axis) halo_rows(&grid->lattice, axis, block->at[axis], &rows[axis], out->own[axis]);
    const uint32_t *heads[3][3][3]; /* of the blocks around, by row 0, 1 ... 4, 5 */
    bool known[27] = {false};
    bool plain = !grid->lattice.count[0] && !grid->lattice.count[1] && !grid->lattice.count[2];
    for (int z = 0, k = 0; z < EDGE; ++z) {
        for (int y = 0; y < EDGE; ++y) {
            for (int x = 0; x < EDGE; ++x, ++k) {
                int sx = (x + 3) / 4, sy = (y + 3) / 4, sz = (z + 3) / 4; /* 0, 1, 1, 1, 1, 2 */
                int side = sx + 3 * sy + 9 * sz;
                int32_t at[3] = {rows[0].block[x], rows[1].block[y], rows[2].block[z]};
                /* a periodic axis that ends inside this block has a row of another block among its own */
                if (!known[side] || !plain) {
                    uint32_t b = kg_grid_find(grid, at);
                    heads[sz][sy][sx] = b == KG_NONE ? NULL : grid->blocks[b].head;
                    known[side] = true;
                }
                const uint32_t *from = heads[sz][sy][sx];
                uint32_t local = rows[0].local[x] | rows[1].local[y] << 2 | rows[2].local[z] << 4;
                head[k] = from ? from[local] : KG_NONE;
                image[k] = (uint8_t)(rows[0].image[x] + 3 * rows[1].image[y] + 9 * rows[2].image[z]);
            }
        }
    }
}

/* Bodies of run [from, to) of the halo that body b can meet: found without branches first, for of five
 * neighbours one is near, in no pattern. */
static bool pair_run(kugel_world *world, const halo *around, uint32_t b, uint32_t from, uint32_t to)
{
    enum { AT_ONCE = 32 };
    const kg_anchor *p = &around->body[b];
    double wide = p->radius + 2 * world->grid->skin;
    uint32_t near[AT_ONCE], slot = around->slot[b];
    while (from < to) {
        uint32_t end = to - from > AT_ONCE ? from + AT_ONCE : to, count = 0;
        for (; from < end; ++from) {
            const kg_anchor *q = &around->body[from];
            double dx = q->x[0] - p->x[0], dy = q->x[1] - p->x[1], dz = q->x[2] - p->x[2], reach = wide + q->radius;
            near[count] = from;
            count += dx * dx + dy * dy + dz * dz < reach * reach;
        }
        for (uint32_t k = 0; k < count; ++k) {
            uint32_t other = near[k];
            if (around->slot[other] != slot && !kg_add_pair(world, slot, around->slot[other], around->image[other])) return false;
        }
    }
    return true;
}

/* One cell with itself and the 13 cells that follow it, in five runs: each pair of cells once. */
static bool pair_cell(kugel_world *world, const halo *around, int k)
{
    static const int rows[4] = {EDGE, EDGE * EDGE - EDGE, EDGE * EDGE, EDGE * EDGE + EDGE};
    const uint32_t *start = around->start;
    for (uint32_t b = start[k]; b < start[k + 1]; ++b) {
        if (!pair_run(world, around, b, b + 1, start[k + 2])) return false;
        for (int r = 0; r < 4; ++r) {
            int middle = k + rows[r];
            if (!pair_run(world, around, b, start[middle - 1], start[middle + 2])) return false;
        }
    }
    return true;
}

/* Without copies, for blocks that are too full for a halo: any number of bodies. */
static bool pair_crowded(kugel_world *world, const uint32_t head[CELLS], const uint8_t image[CELLS], int k)
{
    static const int forward[14] = {0, 1,
                                    EDGE - 1, EDGE, EDGE + 1,
                                    EDGE * EDGE - EDGE - 1, EDGE * EDGE - EDGE, EDGE * EDGE - EDGE + 1,
                                    EDGE * EDGE - 1, EDGE * EDGE, EDGE * EDGE + 1,
                                    EDGE * EDGE + EDGE - 1, EDGE * EDGE + EDGE, EDGE * EDGE + EDGE + 1};
    const kg_grid *grid = world->grid;
    for (int f = 0; f < 14; ++f) {
        uint32_t seen_in = image[k + forward[f]];
        for (uint32_t i = head[k]; i != KG_NONE; i = grid->next[i]) {
            for (uint32_t j = f ? head[k + forward[f]] : grid->next[i]; j != KG_NONE; j = grid->next[j]) {
                if (i == j || !kg_within_reach(grid, &grid->anchor[i], &grid->anchor[j], seen_in)) continue;
                if (!kg_add_pair(world, i, j, seen_in)) return false;
            }
        }
    }
    return true;
}

static bool pair_block(kugel_world *world, const kg_block *block)
{
    halo around;
    uint32_t head[CELLS], count = 0;
    uint8_t image[CELLS];
    halo_heads(world->grid, block, &around, head, image);
    bool fits = true;
    for (int k = 0; k < CELLS && fits; ++k) {
        around.start[k] = count;
        fits = halo_cell(world->grid, &around, &count, head[k], image[k]);
    }
    around.start[CELLS] = count;
    for (int z = 1; z <= KG_BLOCK_EDGE; ++z) {
        for (int y = 1; y <= KG_BLOCK_EDGE; ++y) {
            for (int x = 1; x <= KG_BLOCK_EDGE; ++x) {
                int k = (z * EDGE + y) * EDGE + x;
                if (head[k] == KG_NONE || !around.own[0][x] || !around.own[1][y] || !around.own[2][z]) continue;
                if (!(fits ? pair_cell(world, &around, k) : pair_crowded(world, head, image, k))) return false;
            }
        }
    }
    return true;
}

static bool make_lists(kugel_world *world)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    grid->chunk_count = n;
    grid->free_chunk = KG_NONE;
    for (uint32_t i = 0; i < n; ++i) {
        grid->chunks[i].count = 0;
        grid->chunks[i].next = KG_NONE;
    }
    for (uint32_t b = 0; b < grid->block_count; ++b) {
        if (!pair_block(world, &grid->blocks[b])) return false;
    }
    grid->entries = 0;
    for (uint32_t c = 0; c < grid->chunk_count; ++c) grid->entries += grid->chunks[c].count;
    return true;
}

static bool fill_cells(kugel_world *world)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    kg_grid_clear_blocks(grid);
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t slot = n - 1 - k; /* lists then run in slot order */
        kg_anchor_at(world, slot, world->work.motion[slot].x);
        if (!kg_grid_link(&world->memory, grid, slot)) return false;
    }
    return true;
}

bool kg_grid_rebuild(kugel_world *world, double h)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    grid->valid = false;
    if (!kg_grid_reserve(&world->memory, grid, n)) return false;
    double largest = kg_bodies_largest_radius(&world->bodies);
    if (largest <= 0) largest = 1;
    grid->smallest = kg_bodies_smallest_radius(&world->bodies);
    grid->skin = choose_skin(world, largest, h);
    grid->reach = 2 * (largest + grid->skin);
    grid->lattice = kg_lattice_make(&world->def.bounds, grid->reach * 1.0001);
    grid->filtered = any_filter(&world->bodies);
    grid->far_count = 0;
    if (!fill_cells(world) || !make_lists(world)) return false;
    grid->body_count = n;
    for (uint32_t i = 0; i < n; ++i) kg_grid_forget_room(grid, i);
    const kg_contact_set *contacts = &world->work.contacts;
    for (uint32_t k = 0; k < contacts->count; ++k) {
        const kg_contact *c = &contacts->items[k];
        if (c->ended) continue;
        if (c->other != KG_OTHER_BODY) continue;
        kg_grid_mark(grid, world->bodies.slot[c->a], world->bodies.slot[c->b], true);
    }
    grid->valid = true;
    grid->unsorted += 1;
    world->rebuilds += 1;
    return true;
}
