/* The lists of all bodies at once: every block with one layer of cells around it is copied into runs of
 * memory, and each of its bodies looks through the 27 cells around its own, eight bodies at a time.
 * Places are floats relative to the block, and the reach has a margin for their rounding: lists may hold
 * a few bodies too many, which changes nothing. Cost O(n). Order of a list: cells, then slots. */
#include "base/wide.h"
#include "grid/lists.h"

/* A block's cells and one layer around them: 6 x 6 x 6; row k of cells along x is a run. */
enum { EDGE = KG_BLOCK_EDGE + 2, CELLS = EDGE * EDGE * EDGE, HALO_BODIES = 2048, LANES = 8 };
typedef struct halo {
    uint32_t start[CELLS + 1]; /* first body of each cell */
    uint32_t head[CELLS];      /* first slot of each cell, or KG_NONE */
    uint8_t image[CELLS];      /* in which the block sees the cell */
    bool own[3][EDGE];         /* this row of cells belongs to the block */
    double origin[3];
    float x[3][HALO_BODIES + LANES], radius[HALO_BODIES + LANES];
    uint32_t entry[HALO_BODIES + LANES];
    uint32_t found[HALO_BODIES + LANES];
} halo;

/* Cells are up to two reaches wide along a periodic axis, so places relative to the block are at most 24
 * reaches: rounding to float, 2^-24 of that in each coordinate, changes a squared distance near reach^2
 * by less than the margin. */
static const float margin = 1.00004f;

/* Along one axis: block (-1, 0, +1 of this one, or another across a periodic face), place in it and
 * image step of each of the 6 rows; rows of one block share its number. */
typedef struct halo_axis {
    int32_t block[EDGE];
    uint32_t local[EDGE], image[EDGE], number[EDGE];
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
        /* a periodic axis that ends inside this block: rows beyond the next layer are nobody's */
        if (n && cell >= n) cell %= n;
        rows->block[l] = cell >> KG_BLOCK_SHIFT;
        rows->local[l] = (uint32_t)cell & (KG_BLOCK_EDGE - 1);
        rows->number[l] = (uint32_t)l;
        for (int m = l - 1; m >= 0; --m) {
            if (rows->block[m] == rows->block[l]) rows->number[l] = rows->number[m];
        }
    }
}

/* Heads of the 216 cells and their images; each block around is looked up once. */
static void halo_heads(const kg_grid *grid, const kg_block *block, halo *out)
{
    halo_axis rows[3];
    uint32_t blocks[CELLS];
    bool known[CELLS] = {false};
    for (int axis = 0; axis < 3; ++axis) halo_rows(&grid->lattice, axis, block->at[axis], &rows[axis], out->own[axis]);
    for (int z = 0, k = 0; z < EDGE; ++z) {
        for (int y = 0; y < EDGE; ++y) {
            for (int x = 0; x < EDGE; ++x, ++k) {
                uint32_t number = (rows[2].number[z] * EDGE + rows[1].number[y]) * EDGE + rows[0].number[x];
                if (!known[number]) {
                    int32_t at[3] = {rows[0].block[x], rows[1].block[y], rows[2].block[z]};
                    blocks[number] = kg_grid_find(grid, at);
                    known[number] = true;
                }
                uint32_t local = rows[0].local[x] | rows[1].local[y] << 2 | rows[2].local[z] << 4;
                out->head[k] = blocks[number] == KG_NONE ? KG_NONE : grid->blocks[blocks[number]].head[local];
                out->image[k] = (uint8_t)(rows[0].image[x] + 3 * rows[1].image[y] + 9 * rows[2].image[z]);
            }
        }
    }
}

/* Copy one cell's bodies; false when the halo is full. */
static bool halo_cell(const kg_grid *grid, halo *out, uint32_t *count, uint32_t head, uint32_t image)
{
    double offset[3] = {-out->origin[0], -out->origin[1], -out->origin[2]};
    if (image != KG_IMAGE_NONE) {
        double shift[3];
        kg_image_offset(&grid->lattice, image, shift);
        for (int k = 0; k < 3; ++k) offset[k] += shift[k];
    }
    uint32_t at = *count;
    for (uint32_t i = head; i != KG_NONE; i = grid->next[i], ++at) {
        if (at == HALO_BODIES) return false;
        const kg_anchor *from = &grid->anchor[i];
        for (int k = 0; k < 3; ++k) out->x[k][at] = (float)(from->x[k] + offset[k]);
        out->radius[at] = from->radius;
        out->entry[at] = i | image << KG_ENTRY_IMAGE_SHIFT;
    }
    *count = at;
    return true;
}

/* Cells at the end of the coordinates hold what is beyond them: any distance. */
static bool is_last_block(const kg_block *block)
{
    const double last = KG_CELL_LIMIT - 2 * KG_BLOCK_EDGE;
    bool is = false;
    for (int axis = 0; axis < 3; ++axis) is = is || __builtin_fabs((double)block->at[axis] * KG_BLOCK_EDGE) > last;
    return is;
}

static bool halo_bodies(const kg_grid *grid, const kg_block *block, halo *out)
{
    uint32_t count = 0;
    bool fits = !is_last_block(block), empty = true;
    for (int k = 0; k < CELLS && fits; ++k) {
        out->start[k] = count;
        if (out->head[k] == KG_NONE) continue;
        if (empty) {
            double shift[3];
            kg_image_offset(&grid->lattice, out->image[k], shift);
            for (int axis = 0; axis < 3; ++axis) out->origin[axis] = grid->anchor[out->head[k]].x[axis] + shift[axis];
            empty = false;
        }
        fits = halo_cell(grid, out, &count, out->head[k], out->image[k]);
    }
    out->start[CELLS] = count;
    return fits;
}

/* Entries whose bit is set, side by side; their number. Writes up to LANES. Which are near has no pattern:
 * no branches. */
#ifdef KG_AVX2
KG_AVX2 static inline uint32_t pack_avx2(uint32_t *out, const uint32_t *in, uint32_t bits)
{
#define LANE(i) 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3
    static const uint8_t order[16][16] = {
        {LANE(0), LANE(0), LANE(0), LANE(0)}, {LANE(0), LANE(0), LANE(0), LANE(0)}, {LANE(1), LANE(0), LANE(0), LANE(0)},
        {LANE(0), LANE(1), LANE(0), LANE(0)}, {LANE(2), LANE(0), LANE(0), LANE(0)}, {LANE(0), LANE(2), LANE(0), LANE(0)},
        {LANE(1), LANE(2), LANE(0), LANE(0)}, {LANE(0), LANE(1), LANE(2), LANE(0)}, {LANE(3), LANE(0), LANE(0), LANE(0)},
        {LANE(0), LANE(3), LANE(0), LANE(0)}, {LANE(1), LANE(3), LANE(0), LANE(0)}, {LANE(0), LANE(1), LANE(3), LANE(0)},
        {LANE(2), LANE(3), LANE(0), LANE(0)}, {LANE(0), LANE(2), LANE(3), LANE(0)}, {LANE(1), LANE(2), LANE(3), LANE(0)},
        {LANE(0), LANE(1), LANE(2), LANE(3)}};
#undef LANE
    uint32_t count = 0;
    for (int half = 0; half < 2; ++half) {
        uint32_t four = bits >> 4 * half & 15;
        __m128i from = _mm_loadu_si128((const __m128i *)(const void *)(in + 4 * half));
        __m128i table = _mm_loadu_si128((const __m128i *)(const void *)order[four]);
        _mm_storeu_si128((__m128i *)(void *)(out + count), _mm_shuffle_epi8(from, table));
        count += (uint32_t)__builtin_popcount(four);
    }
    return count;
}
#endif

KG_INLINE uint32_t pack(uint32_t *out, const uint32_t *in, uint32_t bits, bool wide)
{
#ifdef KG_AVX2
    if (wide) return pack_avx2(out, in, bits);
#endif
    uint32_t count = 0;
    for (uint32_t l = 0; l < LANES; ++l) {
        out[count] = in[l];
        count += bits >> l & 1;
    }
    return count;
}

/* Entries of the bodies in the 27 cells around cell k that body b can meet, itself included. */
KG_INLINE uint32_t find_near(halo *around, double skin, int k, uint32_t b, bool wide)
{
    const float px = around->x[0][b], py = around->x[1][b], pz = around->x[2][b];
    const float own = around->radius[b] + 2 * (float)skin;
    uint32_t count = 0;
    for (int row = 0; row < 9; ++row) {
        int middle = k + (row % 3 - 1) * EDGE + (row / 3 - 1) * EDGE * EDGE;
        uint32_t end = around->start[middle + 2];
        for (uint32_t at = around->start[middle - 1]; at < end; at += LANES) {
            kg_float8 x, y, z, r;
            __builtin_memcpy(&x, &around->x[0][at], sizeof x);
            __builtin_memcpy(&y, &around->x[1][at], sizeof y);
            __builtin_memcpy(&z, &around->x[2][at], sizeof z);
            __builtin_memcpy(&r, &around->radius[at], sizeof r);
            x -= px, y -= py, z -= pz, r += own;
            kg_mask8 near = x * x + y * y + z * z < r * r * margin;
            uint32_t bits = kg_bits8(&near);
            if (end - at < LANES) bits &= (1u << (end - at)) - 1;
            count += pack(around->found + count, around->entry + at, bits, wide);
        }
    }
    return count;
}

#ifdef KG_AVX2
KG_AVX2 static uint32_t find_near_avx2(halo *around, double skin, int k, uint32_t b) { return find_near(around, skin, k, b, true); }
#endif

static uint32_t find_near_any(halo *around, double skin, int k, uint32_t b)
{
#ifdef KG_AVX2
    if (KG_HAS_AVX2) return find_near_avx2(around, skin, k, b);
#endif
    return find_near(around, skin, k, b, false);
}

/* Make a list of the entries found; those of the body itself and those that it never pushes are left out. */
static bool keep(kugel_world *world, uint32_t slot, const uint32_t *found, uint32_t count, bool filtered)
{
    kg_grid *grid = world->grid;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t other = found[k] & KG_ENTRY_SLOT;
        if (other == slot || (filtered && !kg_grid_may_meet(world, slot, other))) continue;
        kg_chunk *chunk = &grid->chunks[slot];
        if (chunk->count < KG_CHUNK_ENTRIES) kg_chunk_add(chunk, found[k]);
        else if (!kg_list_add(&world->memory, grid, slot, found[k])) return false;
    }
    grid->entries += count - 1; /* but itself */
    return true;
}

/* Without copies, for blocks that are too full or too wide for a halo: any number of bodies. */
static bool list_crowded(kugel_world *world, const halo *around, int k)
{
    const kg_grid *grid = world->grid;
    for (uint32_t i = around->head[k]; i != KG_NONE; i = grid->next[i]) {
        for (int cell = 0; cell < 27; ++cell) {
            int at = k + cell % 3 - 1 + (cell / 3 % 3 - 1) * EDGE + (cell / 9 - 1) * EDGE * EDGE;
            uint32_t seen_in = around->image[at];
            for (uint32_t j = around->head[at]; j != KG_NONE; j = grid->next[j]) {
                if (!kg_within_reach(grid, &grid->anchor[i], &grid->anchor[j], seen_in)) continue;
                uint32_t entry = j | seen_in << KG_ENTRY_IMAGE_SHIFT;
                if (i == j || !kg_grid_may_meet(world, i, j)) continue;
                if (!kg_list_add(&world->memory, world->grid, i, entry)) return false;
                world->grid->entries += 1;
            }
        }
    }
    return true;
}

static bool list_cell(kugel_world *world, halo *around, int k, bool filtered)
{
    for (uint32_t b = around->start[k]; b < around->start[k + 1]; ++b) {
        uint32_t count = find_near_any(around, world->grid->skin, k, b);
        if (!keep(world, around->entry[b] & KG_ENTRY_SLOT, around->found, count, filtered)) return false;
    }
    return true;
}

static bool list_block(kugel_world *world, const kg_block *block, bool filtered)
{
    halo around;
    halo_heads(world->grid, block, &around);
    bool fits = halo_bodies(world->grid, block, &around);
    for (int z = 1; z <= KG_BLOCK_EDGE; ++z) {
        for (int y = 1; y <= KG_BLOCK_EDGE; ++y) {
            for (int x = 1; x <= KG_BLOCK_EDGE; ++x) {
                int k = (z * EDGE + y) * EDGE + x;
                if (around.head[k] == KG_NONE || !around.own[0][x] || !around.own[1][y] || !around.own[2][z]) continue;
                if (!(fits ? list_cell(world, &around, k, filtered) : list_crowded(world, &around, k))) return false;
            }
        }
    }
    return true;
}

bool kg_lists_make(kugel_world *world)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    bool filtered = grid->filtered;
    grid->chunk_count = n;
    grid->free_chunk = KG_NONE;
    grid->entries = 0;
    for (uint32_t i = 0; i < n; ++i) {
        kg_chunk_clear(&grid->chunks[i], i);
        filtered = filtered || world->bodies.mass[i] == 0;
    }
    for (uint32_t b = 0; b < grid->block_count; ++b) {
        if (!list_block(world, &grid->blocks[b], filtered)) return false;
    }
    return true;
}
