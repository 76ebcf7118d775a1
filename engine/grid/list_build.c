/* The lists of all bodies. A block and one layer of cells around it are copied into columns; each
 * body is tested against the 27 cells around it, eight bodies at a time.
 * Positions are floats relative to the block; a margin covers their rounding, so lists may hold
 * more bodies than needed. Blocks are task ranges; a list is made by the task of its block. Cost
 * O(n). Order of a list: by cell, then slot; the numbers of further nodes depend on threads and
 * affect no result. */
#include <string.h>

#include "base/tasks.h"
#include "base/wide.h"
#include "grid/neighbour_lists.h"

/* A block and one layer of cells around it: 6 x 6 x 6. */
enum { EDGE = KG_BLOCK_EDGE + 2, CELLS = EDGE * EDGE * EDGE, LANES = 8, HALO_BODIES = 2048 };
/* Blocks of a task range; vectors per word of bits, and tested at a time; vectors around a cell. */
enum { BLOCKS_PER_TASK = 4, WORD = 64 / LANES, STEP = 4, VECTORS = HALO_BODIES / LANES + 16 };

/* Bodies in columns, with space for whole vectors behind the last, and the vectors around one cell.
 */
typedef struct halo {
    uint32_t start[CELLS + 1]; /* first body of each cell */
    bool images;               /* some body is an image */
    float x[3][HALO_BODIES + LANES], radius[HALO_BODIES + LANES];
    uint32_t neighbour[HALO_BODIES + LANES];
    uint32_t at[VECTORS];   /* first body */
    uint8_t lanes[VECTORS]; /* those inside the 27 cells */
    uint64_t bits[VECTORS / WORD];
    uint32_t found[HALO_BODIES];
} halo;

/* Cells are at most two reaches wide, so coordinates relative to the block are at most 10 reaches.
 * Rounding them to float, by 2^-24, changes a squared distance near reach^2 by less than this. */
static const float reach_margin = 1.00004f;

/* Layers of cells along an axis that lie in one block. */
typedef struct span {
    int32_t block;
    int layer, layers;
    uint32_t local, image; /* of the first layer: cell in its block, image step */
    /* m; origin of the block in the middle, relative to this image */
    double origin;
} span;

/* Along one axis: last layer of the block before, layers of the block, first layer of the block
 * after. */
typedef struct halo_axis {
    int layers; /* 3 ... 6; fewer where a periodic axis ends in the block */
    int count;
    span spans[3];
} halo_axis;

static halo_axis layers_of(const kg_lattice *lattice, int axis, int32_t block)
{
    halo_axis a = {.layers = EDGE};
    int32_t n = lattice->count[axis], first = block * KG_BLOCK_EDGE - 1;
    double origin = lattice->origin[axis] + block * (KG_BLOCK_EDGE / lattice->inverse[axis]);
    if (n && n - first < EDGE - 1) a.layers = n - first + 1;
    for (int l = 0; l < a.layers; l += a.spans[a.count++].layers) {
        int32_t cell = first + l;
        bool own = l == 1;
        span s = {.layer = l, .layers = own ? a.layers - 2 : 1};
        s.image = n && cell < 0 ? 0 : n && cell >= n ? 2 : 1;
        cell += s.image == 0 ? n : s.image == 2 ? -n : 0;
        s.block = cell >> KG_BLOCK_SHIFT;
        s.local = (uint32_t)cell & (KG_BLOCK_EDGE - 1);
        s.origin = origin - ((int)s.image - 1) * lattice->length[axis];
        a.spans[a.count] = s;
    }
    return a;
}

/* The blocks of the halo by spans along x, y, z; NULL where a block does not exist. */
typedef struct adjacent_blocks {
    halo_axis axis[3];
    const kg_block *block[3][3][3];
} adjacent_blocks;

/* true at the end of the coordinate range, where cells hold bodies at any distance. */
static bool is_last(const kg_block *block)
{
    const double last = KG_CELL_COORDINATE_LIMIT - 2 * KG_BLOCK_EDGE;
    bool is = false;
    for (int axis = 0; axis < 3; ++axis)
        is = is || __builtin_fabs((double)block->at[axis] * KG_BLOCK_EDGE) > last;
    return is;
}

/* false when the block is at the end of the coordinate range. */
static bool find_adjacent_blocks(const kg_grid *grid, const kg_block *block, adjacent_blocks *out)
{
    for (int axis = 0; axis < 3; ++axis)
        out->axis[axis] = layers_of(&grid->lattice, axis, block->at[axis]);
    const halo_axis *x = &out->axis[0], *y = &out->axis[1], *z = &out->axis[2];
    for (int k = 0; k < z->count; ++k) {
        for (int j = 0; j < y->count; ++j) {
            for (int i = 0; i < x->count; ++i) {
                const int32_t at[3] = {x->spans[i].block, y->spans[j].block, z->spans[k].block};
                uint32_t found = kg_grid_find_block(grid, at);
                out->block[k][j][i] = found == KG_NONE ? NULL : &grid->blocks[found];
            }
        }
    }
    return !is_last(block);
}

/* Copy the list origins of four slots, relative to `origin`, to the halo. */
KG_INLINE void copy_four(const kg_list_origin *list_origin, const uint32_t slot[4],
                         const double origin[3], uint32_t image, halo *out, uint32_t at)
{
    const kg_double4 *row[4];
    kg_double4 x[4];
    kg_mask4f_unaligned neighbour;
    for (int k = 0; k < 4; ++k) row[k] = (const kg_double4 *)(const void *)list_origin[slot[k]].x;
    kg_transpose4(row, x);
    for (int k = 0; k < 3; ++k)
        *(kg_float4_unaligned *)(out->x[k] + at) =
            __builtin_convertvector(x[k] - origin[k], kg_float4_unaligned);
    for (int k = 0; k < 4; ++k) out->radius[at + (uint32_t)k] = list_origin[slot[k]].radius;
    memcpy(&neighbour, slot, sizeof neighbour);
    *(kg_mask4f_unaligned *)(out->neighbour + at) = neighbour | (int32_t)image;
}

/* Append `cells` cells along x of a block, from cell `from`, to the halo. Returns the new number of
 * bodies, above HALO_BODIES when they do not fit. Copies whole vectors; the next cells overwrite
 * the rest. */
KG_INLINE uint32_t copy_cells(const kugel_world *world, const kg_block *block, uint32_t from,
                              uint32_t cells, const double origin[3], uint32_t image,
                              uint32_t *start, halo *out, uint32_t at)
{
    const uint32_t *rows = world->grid->sorted_slots, first = block->head[from],
                   end = kg_block_end(block, from + cells - 1);
    for (uint32_t k = 0; k < cells; ++k) start[k] = at + block->head[from + k] - first;
    if (end - first > HALO_BODIES - at) return HALO_BODIES + 1;
    for (uint32_t row = first; row < end; row += 4) {
        uint32_t slot[4], left = end - row;
        for (uint32_t k = 0; k < 4; ++k) slot[k] = rows[row + (k < left ? k : 0)];
        copy_four(world->grid->origin, slot, origin, image << KG_NEIGHBOUR_IMAGE_SHIFT, out,
                  at + (row - first));
    }
    return at + (end - first);
}

/* Append one row of cells along x. */
KG_INLINE uint32_t copy_cell_row(const kugel_world *world, const adjacent_blocks *adjacent, int j,
                                 int k, int y, int z, halo *out, uint32_t at)
{
    const halo_axis *ax = &adjacent->axis[0];
    const span *sy = &adjacent->axis[1].spans[j], *sz = &adjacent->axis[2].spans[k];
    uint32_t line =
        (sy->local + (uint32_t)(y - sy->layer)) << 2 | (sz->local + (uint32_t)(z - sz->layer)) << 4;
    uint32_t image = 3 * sy->image + 9 * sz->image, *start = out->start + (z * EDGE + y) * EDGE;
    for (int i = 0; i < ax->count && at <= HALO_BODIES; ++i) {
        const span *sx = &ax->spans[i];
        const kg_block *block = adjacent->block[k][j][i];
        const double origin[3] = {sx->origin, sy->origin, sz->origin};
        if (block)
            at = copy_cells(world, block, line | sx->local, (uint32_t)sx->layers, origin,
                            image + sx->image, start + sx->layer, out, at);
        else
            for (int l = sx->layer; l < sx->layer + sx->layers; ++l) start[l] = at;
        out->images |= block && image + sx->image != KG_IMAGE_NONE;
    }
    for (int l = ax->layers; l < EDGE; ++l) start[l] = at;
    return at;
}

/* false when the halo is too small. */
KG_INLINE bool make_halo(const kugel_world *world, const adjacent_blocks *adjacent, halo *out)
{
    const halo_axis *ay = &adjacent->axis[1], *az = &adjacent->axis[2];
    uint32_t at = 0;
    out->images = false;
    for (int k = 0; k < az->count; ++k) {
        for (int z = az->spans[k].layer; z < az->spans[k].layer + az->spans[k].layers; ++z) {
            for (int j = 0; j < ay->count; ++j) {
                for (int y = ay->spans[j].layer;
                     y < ay->spans[j].layer + ay->spans[j].layers && at <= HALO_BODIES; ++y) {
                    at = copy_cell_row(world, adjacent, j, k, y, z, out, at);
                }
            }
            for (int l = (z * EDGE + ay->layers) * EDGE; l < (z + 1) * EDGE * EDGE; ++l)
                out->start[l] = at;
        }
    }
    for (int l = az->layers * EDGE * EDGE; l <= CELLS; ++l) out->start[l] = at;
    return at <= HALO_BODIES;
}

/* Collect the vectors of the 27 cells around cell k; returns their number. Masks exclude other
 * cells. */
KG_INLINE uint32_t gather_vectors(halo *h, int k)
{
    uint32_t count = 0;
    for (int z = -1; z <= 1; ++z) {
        for (int y = -1; y <= 1; ++y) {
            const uint32_t *start = h->start + k + (z * EDGE + y) * EDGE;
            for (uint32_t at = start[-1], end = start[2]; at < end; at += LANES) {
                h->at[count] = at;
                h->lanes[count++] = end - at < LANES ? (uint8_t)((1u << (end - at)) - 1) : 255;
            }
        }
    }
    for (uint32_t beyond = 0; beyond < STEP - 1; ++beyond)
        h->at[count + beyond] = h->lanes[count + beyond] = 0;
    return count;
}

/* Bit l is set if the distance from x to body `at + l` of the halo is below the sum of that body's
 * radius and `reach`, m, with a margin for rounding. */
KG_INLINE uint32_t near_bits(const halo *h, uint32_t at, const float x[3], float reach, bool wide)
{
    kg_float8 dx = *(const kg_float8_unaligned *)(h->x[0] + at) - x[0],
              dy = *(const kg_float8_unaligned *)(h->x[1] + at) - x[1];
    kg_float8 dz = *(const kg_float8_unaligned *)(h->x[2] + at) - x[2],
              r = *(const kg_float8_unaligned *)(h->radius + at) + reach;
    kg_mask8 meet = dx * dx + dy * dy + dz * dz < r * r * reach_margin;
    return kg_movemask8_wide(&meet, wide);
}

/* Population count, without a call of the compiler's library. */
KG_INLINE uint32_t count_bits(uint64_t bits, bool wide)
{
    if (wide) return (uint32_t)__builtin_popcountll(bits);
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(bits * 0x0101010101010101u >> 56);
}

/* Test `count` vectors against a body of the halo, itself included; sets a byte per vector. Returns
 * the number of bodies in reach. */
KG_INLINE uint32_t find_near(halo *h, uint32_t body, uint32_t count, float skins, bool wide)
{
    const float x[3] = {h->x[0][body], h->x[1][body], h->x[2][body]},
                reach = h->radius[body] + skins;
    uint32_t sum = 0;
    for (uint32_t v = 0; v < count; v += WORD) {
        uint64_t bits = 0;
        for (uint32_t k = 0; k < WORD && v + k < count;
             /* in steps: fewer branches */
             k += STEP) {
            for (uint32_t l = k; l < k + STEP; ++l) {
                bits |= (uint64_t)(near_bits(h, h->at[v + l], x, reach, wide) & h->lanes[v + l])
                        << 8 * l;
            }
        }
        h->bits[v / WORD] = bits;
        sum += count_bits(bits, wide);
    }
    return sum;
}

/* Write the neighbours whose bits are set, except one; `out` needs one more place. */
KG_INLINE void read_bits(const halo *h, uint32_t count, uint32_t except, uint32_t *out)
{
    for (uint32_t v = 0; v < count; v += WORD) {
        for (uint64_t bits = h->bits[v / WORD]; bits; bits &= bits - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(bits),
                     neighbour = h->neighbour[h->at[v + bit / LANES] + bit % LANES];
            *out = neighbour;
            out += neighbour != except;
        }
    }
}

/* The task of all blocks. */
typedef struct list_job {
    kugel_world *world;
    /* filter_neighbours is needed: some pairs do not collide, some bodies are oversized, or few
     * cells make bodies their own neighbours */
    bool filters;
    uint32_t node_capacity; /* allocated nodes */
    uint64_t neighbours;
    bool crowded; /* some block was not copied */
} list_job;

/* Keep the bodies that can collide with this one, without its own images; returns their number. */
static uint32_t filter_neighbours(const kugel_world *world, uint32_t slot, uint32_t *found,
                                  uint32_t count)
{
    uint32_t kept = 0;
    if (kg_grid_is_oversized(world, slot)) return 0; /* oversized_bodies.c lists them */
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t other = found[k] & KG_NEIGHBOUR_SLOT;
        if (other == slot || !kg_grid_may_collide(world, slot, other) ||
            kg_grid_is_oversized(world, other))
            continue;
        found[kept++] = found[k];
    }
    return kept;
}

static void note_images(kg_list_node *node)
{
    for (uint32_t k = 0; k < node->count; ++k) {
        if (node->neighbour[k] >> KG_NEIGHBOUR_IMAGE_SHIFT != KG_IMAGE_NONE)
            node->flags = KG_NODE_HAS_IMAGES;
    }
}

static void write_node(kg_list_node *node, uint32_t slot, const uint32_t *neighbour, uint32_t count,
                       uint32_t next)
{
    kg_list_node_clear(node, slot);
    node->count = (uint16_t)count;
    node->next = next;
    memcpy(node->neighbour, neighbour, count * sizeof *neighbour);
    note_images(node);
}

/* Write a body's list; its second node is the one that is not full. Without enough nodes the list
 * is cut short, and all lists are made again. */
static void write_list(const list_job *j, uint32_t slot, const uint32_t *found, uint32_t count)
{
    kg_grid *grid = j->world->grid;
    uint32_t first = count < KG_NODE_NEIGHBOURS ? count : KG_NODE_NEIGHBOURS, rest = count - first;
    uint32_t nodes = (rest + KG_NODE_NEIGHBOURS - 1) / KG_NODE_NEIGHBOURS, next = KG_NONE;
    if (nodes) next = __atomic_fetch_add(&grid->node_count, nodes, __ATOMIC_RELAXED);
    if (nodes && (uint64_t)next + nodes > j->node_capacity) nodes = 0, next = KG_NONE;
    write_node(&grid->nodes[slot], slot, found, first, next);
    for (uint32_t c = 0, from = first; c < nodes; ++c) {
        uint32_t part = c ? KG_NODE_NEIGHBOURS : rest - (nodes - 1) * KG_NODE_NEIGHBOURS;
        write_node(&grid->nodes[next + c], slot, found + from, part,
                   c + 1 < nodes ? next + c + 1 : KG_NONE);
        from += part;
    }
}

/* Lists of the bodies of cell k; returns their number of neighbours. */
KG_INLINE uint32_t list_cell(const list_job *j, halo *h, int k, bool wide)
{
    const float skins = 2 * (float)j->world->grid->skin;
    uint32_t begin = h->start[k], end = h->start[k + 1], neighbours = 0;
    if (begin == end) return 0;
    uint32_t count = gather_vectors(h, k);
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t neighbour = h->neighbour[b], slot = neighbour & KG_NEIGHBOUR_SLOT,
                 number = find_near(h, b, count, skins, wide) - 1;
        if (!j->filters && !h->images && number < KG_NODE_NEIGHBOURS) {
            kg_list_node *node = &j->world->grid->nodes[slot];
            kg_list_node_clear(node, slot);
            node->count = (uint16_t)number;
            read_bits(h, count, neighbour, node->neighbour);
            node->neighbour[number] = slot;
        } else {
            read_bits(h, count, neighbour, h->found);
            write_list(j, slot, h->found,
                       j->filters ? filter_neighbours(j->world, slot, h->found, number) : number);
        }
        /* before the filter: otherwise the skin would grow too far */
        neighbours += number;
    }
    return neighbours;
}

/* false when the block could not be copied. */
KG_INLINE bool list_block(list_job *j, const kg_block *block, bool wide)
{
    adjacent_blocks adjacent;
    halo h;
    if (!find_adjacent_blocks(j->world->grid, block, &adjacent) ||
        !make_halo(j->world, &adjacent, &h))
        return false;
    uint32_t neighbours = 0;
    for (int z = 1; z < adjacent.axis[2].layers - 1; ++z) {
        for (int y = 1; y < adjacent.axis[1].layers - 1; ++y) {
            for (int x = 1; x < adjacent.axis[0].layers - 1; ++x)
                neighbours += list_cell(j, &h, (z * EDGE + y) * EDGE + x, wide);
        }
    }
    __atomic_fetch_add(&j->neighbours, neighbours, __ATOMIC_RELAXED);
    return true;
}

KG_VARIANTS(bool, list_block, (list_job * j, const kg_block *block), (j, block, wide))

static void list_blocks(void *context, uint32_t index)
{
    list_job *j = context;
    kg_grid *grid = j->world->grid;
    for (uint32_t b = index * BLOCKS_PER_TASK;
         b < grid->block_count && b < (index + 1) * BLOCKS_PER_TASK; ++b) {
        grid->blocks[b].crowded = !KG_WIDEST(list_block)(j, &grid->blocks[b]);
        if (grid->blocks[b].crowded) __atomic_store_n(&j->crowded, true, __ATOMIC_RELAXED);
    }
}

/* Turn rows into the linked lists that fill_cells.c prepared. */
static void set_heads(void *context, uint32_t index)
{
    const list_job *j = context;
    kg_grid *grid = j->world->grid;
    const uint32_t *rows = j->world->grid->sorted_slots;
    for (uint32_t b = index * BLOCKS_PER_TASK;
         b < grid->block_count && b < (index + 1) * BLOCKS_PER_TASK; ++b) {
        kg_block *block = &grid->blocks[b];
        uint32_t last = kg_block_end(block, KG_BLOCK_CELLS - 1);
        for (uint32_t c = 0; c < KG_BLOCK_CELLS; ++c) {
            uint32_t end = c + 1 < KG_BLOCK_CELLS ? block->head[c + 1] : last;
            block->head[c] = block->head[c] < end ? rows[block->head[c]] : KG_NONE;
        }
    }
}

bool kg_list_build_all(kugel_world *world)
{
    kg_grid *grid = world->grid;
    list_job j = {.world = world,
                  .filters = grid->has_filters || grid->any_immovable || grid->oversized_count};
    for (int axis = 0; axis < 3; ++axis) j.filters |= grid->lattice.count[axis] == 1;
    grid->free_node = KG_NONE;
    for (;;) {
        grid->node_count = world->bodies.count;
        j.neighbours = 0;
        j.crowded = false;
        j.node_capacity = kg_list_node_capacity(grid);
        kg_for_ranges(world, (grid->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK,
                      list_blocks, &j);
        if (grid->node_count <= j.node_capacity) break;
        if (!kg_list_node_reserve(&world->memory, grid, grid->node_count, 0)) return false;
    }
    kg_for_ranges(world, (grid->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK, set_heads,
                  &j);
    grid->neighbour_total = j.neighbours;
    for (uint32_t b = 0; b < grid->block_count && j.crowded; ++b) {
        if (grid->blocks[b].crowded && !kg_list_build_crowded(world, &grid->blocks[b]))
            return false;
    }
    return kg_lists_add_oversized(world);
}
