/* Builds the lists of all bodies. A block and one layer of cells around it are copied into columns.
 * Each body is tested against the 27 cells around it, eight bodies at a time. It is also tested
 * against the larger bodies of other levels that reach into the block, which get these pairs
 * afterwards.
 * Positions are floats relative to the block; a margin covers their rounding, so lists may hold
 * more bodies than needed. Blocks are task ranges; a list is made by the task of its block. Cost
 * O(n). Order of a list: by cell, then slot; the numbers of further nodes depend on threads and
 * affect no result. */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/tasks.h"
#include "base/wide_avx.h"
#include "grid/neighbour_lists.h"

enum {
    EDGE = KG_BLOCK_EDGE + 2,   /* cells along a block with one layer around it */
    CELLS = EDGE * EDGE * EDGE, /* cells of a block with one layer around it */
    HALO_BODIES = 2048,         /* maximum number of bodies in these cells and of other levels */
    LANES = 8,
    WORD = 64 / LANES,                  /* vectors per word of bits */
    VECTORS = HALO_BODIES / LANES + 10, /* maximum number of vectors around a cell */
    BLOCKS_PER_TASK = 4
};

/* Layers of cells along an axis: the last of the block before, those of the block, the first of the
 * block after. */
typedef struct halo_axis {
    int layers; /* 3 ... 6; fewer where a periodic axis ends in the block */
    kg_axis_cell cell[EDGE];
    /* m; subtracted from a coordinate of a body in the layer, it gives the coordinate of the body's
     * periodic image relative to the block */
    double origin[EDGE];
} halo_axis;

/* Bodies in columns, with space for a whole vector after the last one, and the vectors around one
 * cell. */
typedef struct halo {
    halo_axis axis[3];
    /* Index of the first body of each cell. start[CELLS]: first body of the other levels. */
    uint32_t start[CELLS + 1];
    uint32_t count; /* bodies */
    float x[3][HALO_BODIES + LANES], radius[HALO_BODIES + LANES];
    uint32_t neighbour[HALO_BODIES + LANES];
    uint32_t at[VECTORS];            /* first body of each vector */
    uint8_t lanes[VECTORS];          /* bit l: body at + l belongs to the vector */
    uint32_t found[HALO_BODIES + 1]; /* neighbours of a body */
} halo;

/* Cells are at most some three reaches wide, so coordinates relative to the block are below 20
 * reaches. Rounding them to float, by 2^-24, changes a squared distance near reach^2 by less than
 * this. */
static const float reach_margin = 1.00004f;

static void find_layers(const kg_lattice *lattice, int axis, int32_t block, halo_axis *out)
{
    int32_t n = lattice->count[axis], first = block * KG_BLOCK_EDGE - 1;
    double origin = lattice->origin[axis] + block * (KG_BLOCK_EDGE / lattice->inverse[axis]);
    out->layers = n && n - first < EDGE - 1 ? n - first + 1 : EDGE;
    for (int l = 0; l < out->layers; ++l) {
        int32_t cell = first + l;
        int step = n && cell < 0 ? -1 : n && cell >= n ? 1 : 0;
        out->cell[l] = kg_lattice_axis_cell(lattice, axis, cell);
        out->origin[l] = origin - step * lattice->length[axis];
    }
}

/* true at the end of the coordinate range, where cells hold bodies at any distance. */
static bool is_last(const kg_block *block)
{
    const double last = KG_CELL_COORDINATE_LIMIT - 2 * KG_BLOCK_EDGE;
    bool is = false;
    for (int axis = 0; axis < 3; ++axis)
        is = is || fabs((double)block->at[axis] * KG_BLOCK_EDGE) > last;
    return is;
}

/* Append a body; false when it does not fit. */
KG_INLINE bool copy_body(const kg_list_origin *list_origin, uint32_t j, uint32_t image,
                         const double origin[3], halo *out)
{
    uint32_t at = out->count;
    if (at == HALO_BODIES) return false;
    for (int k = 0; k < 3; ++k) out->x[k][at] = (float)(list_origin[j].x[k] - origin[k]);
    out->radius[at] = list_origin[j].radius;
    out->neighbour[at] = j | image << KG_NEIGHBOUR_IMAGE_SHIFT;
    out->count += 1;
    return true;
}

/* Append the bodies of a cell; false when they do not fit. */
KG_INLINE bool copy_cell(const kg_list_origin *list_origin, uint32_t head, uint32_t image,
                         const double origin[3], halo *out)
{
    bool fits = true;
    for (uint32_t j = head; j != KG_NONE && fits; j = list_origin[j].next)
        fits = copy_body(list_origin, j, image, origin, out);
    return fits;
}

/* Append a row of cells along x. */
KG_INLINE bool copy_row(const kg_grid *grid, uint32_t level, int y, int z, halo *out)
{
    const halo_axis *ax = &out->axis[0], *ay = &out->axis[1], *az = &out->axis[2];
    uint32_t *start = out->start + (z * EDGE + y) * EDGE, block = KG_NONE;
    bool inside = y < ay->layers && z < az->layers, fits = true;
    for (int x = 0; x < EDGE; ++x) {
        start[x] = out->count;
        if (!inside || x >= ax->layers) continue;
        const kg_axis_cell *cx = &ax->cell[x], *cy = &ay->cell[y], *cz = &az->cell[z];
        if (x <= 1 || x == ax->layers - 1)
            block = kg_grid_find_block(grid, level, (int32_t[3]){cx->block, cy->block, cz->block});
        if (block == KG_NONE) continue;
        const double origin[3] = {ax->origin[x], ay->origin[y], az->origin[z]};
        fits = fits &&
               copy_cell(grid->origin, grid->blocks[block].head[cx->local | cy->local | cz->local],
                         cx->image + cy->image + cz->image, origin, out);
    }
    return fits;
}

/* The box that the cells of a block fill, m. */
typedef struct block_box {
    double low[3], high[3];
    double near; /* m, largest distance from a centre in the box to the surface of a neighbour */
} block_box;

static block_box box_of(const kg_grid *grid, const kg_block *block)
{
    const kg_lattice *lattice = &grid->lattice[block->level];
    block_box box = {.near = grid->level_radius[block->level] + 2 * grid->skin};
    for (int axis = 0; axis < 3; ++axis) {
        double width = KG_BLOCK_EDGE / lattice->inverse[axis],
               end = lattice->origin[axis] + lattice->length[axis];
        box.low[axis] = lattice->origin[axis] + block->at[axis] * width;
        box.high[axis] = box.low[axis] + width;
        if (lattice->count[axis] && box.high[axis] > end) box.high[axis] = end;
    }
    return box;
}

/* True when an image of a larger body may reach a body in the box. */
static bool reaches(const block_box *box, const kg_list_origin *body, const double shift[3])
{
    double d2 = 0, reach = (body->radius + box->near) * (1 + 1e-6);
    for (int axis = 0; axis < 3; ++axis) {
        double x = body->x[axis] + shift[axis], below = box->low[axis] - x,
               above = x - box->high[axis], d = below > above ? below : above;
        d2 += d > 0 ? d * d : 0;
    }
    return d2 < reach * reach;
}

/* Append the bodies of one cell that reach the block; the cell is of a level of larger bodies. */
static bool copy_reaching(const kg_grid *grid, const block_box *box, uint32_t head, uint32_t image,
                          halo *out)
{
    const double *shift = grid->lattice->shift[image];
    double origin[3];
    for (int axis = 0; axis < 3; ++axis) origin[axis] = box->low[axis] - shift[axis];
    bool fits = true;
    for (uint32_t j = head; j != KG_NONE && fits; j = grid->origin[j].next) {
        if (reaches(box, &grid->origin[j], shift))
            fits = copy_body(grid->origin, j, image, origin, out);
    }
    return fits;
}

/* Append the larger bodies of a level that reach the block; false when they do not fit. */
static bool copy_level(const kg_grid *grid, const kg_block *block, uint32_t level, halo *out)
{
    const kg_lattice *lattice = &grid->lattice[level];
    block_box box = box_of(grid, block);
    double far = grid->level_radius[level] + box.near;
    int32_t low[3], high[3], at[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = kg_lattice_cell_or_next(lattice, axis, box.low[axis] - far);
        high[axis] = kg_lattice_cell_or_next(lattice, axis, box.high[axis] + far);
    }
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
                kg_axis_cell c[3];
                for (int axis = 0; axis < 3; ++axis)
                    c[axis] = kg_lattice_axis_cell(lattice, axis, at[axis]);
                uint32_t found = kg_grid_find_block(
                    grid, level, (int32_t[3]){c[0].block, c[1].block, c[2].block});
                if (found == KG_NONE) continue;
                uint32_t cell = c[0].local | c[1].local | c[2].local,
                         image = c[0].image + c[1].image + c[2].image;
                if (!copy_reaching(grid, &box, grid->blocks[found].head[cell], image, out))
                    return false;
            }
        }
    }
    return true;
}

/* Copy a block, the cells around it and the larger bodies that reach it; false when they do not
 * fit. */
KG_INLINE bool make_halo(const kg_grid *grid, const kg_block *block, halo *out)
{
    bool fits = !is_last(block);
    out->count = 0;
    for (int axis = 0; axis < 3; ++axis)
        find_layers(&grid->lattice[block->level], axis, block->at[axis], &out->axis[axis]);
    for (int z = 0; z < EDGE; ++z) {
        for (int y = 0; y < EDGE && fits; ++y) fits = copy_row(grid, block->level, y, z, out);
    }
    out->start[CELLS] = out->count;
    for (uint32_t level = 0; level < block->level && fits; ++level)
        fits = copy_level(grid, block, level, out);
    return fits;
}

/* Append the vectors of bodies [from, to) of the halo; returns the number of vectors. */
KG_INLINE uint32_t add_vectors(halo *h, uint32_t count, uint32_t from, uint32_t to)
{
    for (; from < to; from += LANES) {
        h->at[count] = from;
        h->lanes[count++] = to - from < LANES ? (uint8_t)((1u << (to - from)) - 1) : 255;
    }
    return count;
}

/* Collect the vectors of the 27 cells around cell k, and of the other levels; returns their
 * number. */
KG_INLINE uint32_t gather_vectors(halo *h, int k)
{
    uint32_t count = 0;
    for (int z = -1; z <= 1; ++z) {
        for (int y = -1; y <= 1; ++y) {
            const uint32_t *start = h->start + k + (z * EDGE + y) * EDGE;
            count = add_vectors(h, count, start[-1], start[2]);
        }
    }
    return add_vectors(h, count, h->start[CELLS], h->count);
}

/* Bit l is set if body `at + l` of the halo is near: its distance from x is below the sum of its
 * radius and `reach` (m), with a margin for rounding. */
KG_INLINE uint32_t near_bits(const halo *h, uint32_t at, const float x[3], float reach, bool wide)
{
    kg_mask8 meet;
    KG_EACH (8) {
        kg_float8_lane dx = KG_LOAD(kg_float8, h->x[0] + at) - x[0],
                       dy = KG_LOAD(kg_float8, h->x[1] + at) - x[1],
                       dz = KG_LOAD(kg_float8, h->x[2] + at) - x[2],
                       r = KG_LOAD(kg_float8, h->radius + at) + reach;
        KG_L(meet) = KG_MASK(dx * dx + dy * dy + dz * dz < r * r * reach_margin);
    }
    return kg_movemask8_wide(&meet, wide);
}

/* Test `count` vectors against a body of the halo and write the neighbours in reach to h->found,
 * the body itself excepted; returns their number. */
KG_INLINE uint32_t find_near(halo *h, uint32_t body, uint32_t count, float skins, bool wide)
{
    const float x[3] = {h->x[0][body], h->x[1][body], h->x[2][body]},
                reach = h->radius[body] + skins;
    uint32_t self = h->neighbour[body], *out = h->found;
    for (uint32_t v = 0; v < count; v += WORD) {
        uint64_t bits = 0; /* of WORD vectors: fewer branches than one vector at a time */
        for (uint32_t k = 0; k < WORD && v + k < count; ++k)
            bits |= (uint64_t)(near_bits(h, h->at[v + k], x, reach, wide) & h->lanes[v + k])
                    << 8 * k;
        for (; bits; bits &= bits - 1) {
            uint32_t bit = (uint32_t)kg_lowest_bit64(bits);
            *out = h->neighbour[h->at[v + bit / LANES] + bit % LANES];
            out += *out != self;
        }
    }
    return (uint32_t)(out - h->found);
}

/* What the tasks of all blocks share. */
typedef struct list_job {
    kugel_world *world;
    /* true: filter_neighbours is needed, because some pairs do not collide, or a periodic axis of
     * one cell makes bodies their own neighbours */
    bool filters;
    uint32_t node_capacity; /* allocated nodes */
    kg_shared_number neighbours;
    bool any_lacks_halo; /* some block was not copied */
} list_job;

static bool is_listed_pair(const kugel_world *world, uint32_t slot, uint32_t other)
{
    return other != slot && kg_grid_may_collide(world, slot, other);
}

/* Keep the bodies that can collide with this one, without its own images; returns their number. */
static uint32_t filter_neighbours(const kugel_world *world, uint32_t slot, uint32_t *found,
                                  uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (is_listed_pair(world, slot, found[k] & KG_NEIGHBOUR_SLOT)) found[kept++] = found[k];
    }
    return kept;
}

static void write_node(kg_list_node *node, uint32_t slot, const uint32_t *neighbour, uint32_t count,
                       uint32_t next)
{
    kg_list_node_clear(node, slot);
    for (uint32_t k = 0; k < count; ++k) kg_list_node_add(node, neighbour[k]);
    node->next = next;
}

/* Write a body's list. Of several nodes only the second may be partly filled. Without enough nodes
 * the list is cut short, and all lists are made again. */
static void write_list(const list_job *j, uint32_t slot, const uint32_t *found, uint32_t count)
{
    kg_grid *grid = j->world->grid;
    uint32_t first = count < KG_NODE_NEIGHBOURS ? count : KG_NODE_NEIGHBOURS, rest = count - first;
    uint32_t nodes = (rest + KG_NODE_NEIGHBOURS - 1) / KG_NODE_NEIGHBOURS, next = KG_NONE;
    if (nodes) next = KG_ATOMIC_ADD(&grid->node_count, nodes) - nodes;
    if (nodes && (uint64_t)next + nodes > j->node_capacity) nodes = 0, next = KG_NONE;
    write_node(&grid->nodes[slot], slot, found, first, next);
    for (uint32_t c = 0, from = first; c < nodes; ++c) {
        uint32_t part = c ? KG_NODE_NEIGHBOURS : rest - (nodes - 1) * KG_NODE_NEIGHBOURS;
        write_node(&grid->nodes[next + c], slot, found + from, part,
                   c + 1 < nodes ? next + c + 1 : KG_NONE);
        from += part;
    }
}

/* Build the lists of the bodies of cell k; returns their number of neighbours. */
KG_INLINE uint32_t list_cell(const list_job *j, halo *h, int k, bool wide)
{
    const float skins = 2 * (float)j->world->grid->skin;
    uint32_t begin = h->start[k], end = h->start[k + 1], neighbours = 0;
    if (begin == end) return 0;
    uint32_t vectors = gather_vectors(h, k);
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t slot = h->neighbour[b] & KG_NEIGHBOUR_SLOT,
                 count = find_near(h, b, vectors, skins, wide);
        /* counted before the filter: lists that it makes short would lengthen the skin too far */
        neighbours += count;
        if (j->filters) count = filter_neighbours(j->world, slot, h->found, count);
        write_list(j, slot, h->found, count);
    }
    return neighbours;
}

/* Build the lists of the bodies of a block; false when the block could not be copied. */
KG_INLINE bool list_block(list_job *j, const kg_block *block, bool wide)
{
    halo h;
    if (!make_halo(j->world->grid, block, &h)) return false;
    uint32_t neighbours = 0;
    for (int z = 1; z < h.axis[2].layers - 1; ++z) {
        for (int y = 1; y < h.axis[1].layers - 1; ++y) {
            for (int x = 1; x < h.axis[0].layers - 1; ++x)
                neighbours += list_cell(j, &h, (z * EDGE + y) * EDGE + x, wide);
        }
    }
    KG_ATOMIC_ADD(&j->neighbours, neighbours);
    return true;
}

KG_VARIANTS(bool, list_block, (list_job * j, const kg_block *block), (j, block, wide))

static void list_blocks(void *context, uint32_t index)
{
    list_job *j = context;
    kg_grid *grid = j->world->grid;
    uint32_t end = kg_range_end(index, BLOCKS_PER_TASK, grid->block_count);
    bool few = j->world->bodies.count <= KG_FEW_BODIES;
    for (uint32_t b = index * BLOCKS_PER_TASK; b < end; ++b) {
        grid->blocks[b].lacks_halo = few || !KG_WIDEST(list_block)(j, &grid->blocks[b]);
        if (grid->blocks[b].lacks_halo) KG_ATOMIC_STORE(&j->any_lacks_halo, true);
    }
}

/* Append to the lists of larger bodies their pairs with body i, which only the list of body i holds
 * so far. */
static bool list_larger(kugel_world *world, uint32_t i)
{
    kg_grid *grid = world->grid;
    uint32_t level = kg_level_of(grid, i);
    for (uint32_t node = i; node != KG_NONE && level; node = grid->nodes[node].next) {
        for (uint32_t k = 0; k < grid->nodes[node].count; ++k) {
            uint32_t neighbour = grid->nodes[node].neighbour[k], j = neighbour & KG_NEIGHBOUR_SLOT;
            if (kg_level_of(grid, j) >= level) continue;
            if (!kg_list_add(&world->memory, grid, j, kg_list_reverse(i, neighbour))) return false;
        }
    }
    return true;
}

bool kg_list_build_all(kugel_world *world, double now)
{
    kg_grid *grid = world->grid;
    list_job j = {.world = world, .filters = grid->has_filters || grid->any_immovable};
    for (int axis = 0; axis < 3; ++axis) j.filters |= grid->lattice->count[axis] == 1;
    grid->free_node = KG_NONE;
    for (;;) {
        grid->node_count = world->bodies.count;
        j.neighbours = 0;
        j.any_lacks_halo = false;
        j.node_capacity = kg_list_node_capacity(grid);
        kg_for_ranges(world, (grid->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK,
                      list_blocks, &j);
        if (grid->node_count <= j.node_capacity) break;
        if (!kg_list_node_reserve(&world->memory, grid, grid->node_count, 0)) return false;
    }
    grid->neighbour_total = j.neighbours;
    if (j.any_lacks_halo && !kg_list_build_without_halos(world, now == 0)) return false;
    for (uint32_t i = 0; i < world->bodies.count && grid->level_count > 1; ++i) {
        if (!list_larger(world, i)) return false;
    }
    return true;
}
