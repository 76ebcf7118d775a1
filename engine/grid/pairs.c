/* The lists of all bodies at once: every block with one layer of cells around it is copied into runs of memory, the
 * 27 cells around one of its cells into one run, and each body of that cell is held against the run, eight bodies
 * at a time. Places are floats relative to the block, and the reach has a margin for their rounding: lists may
 * hold a few bodies too many, which changes nothing.
 * Blocks are pieces that threads may take: a body's list is made by its own block alone. Which chunk is a list's
 * second one is chance among threads, and shows nowhere. Cost O(n). Order of a list: cells, then slots. */
#include <string.h>

#include "base/tasks.h"
#include "base/wide.h"
#include "grid/lists.h"

/* A block's cells and one layer around them: 6 x 6 x 6; row k of cells along x is a run. */
enum { EDGE = KG_BLOCK_EDGE + 2, CELLS = EDGE * EDGE * EDGE, LANES = 8, HALO_BODIES = 2048 };
/* Blocks of a piece; vectors whose bits are in one word, and those taken at a time. */
enum { BLOCKS = 4, WORD = 64 / LANES, STEP = 4, VECTORS = HALO_BODIES / LANES + 16 };

/* Bodies in columns; what lies beyond them may be read and written by whole vectors. What the bodies of a cell look
 * at are vectors of them. */
typedef struct halo {
    uint32_t start[CELLS + 1]; /* first body of each cell */
    bool images;               /* some body is seen in an image */
    float x[3][HALO_BODIES + LANES], radius[HALO_BODIES + LANES];
    uint32_t entry[HALO_BODIES + LANES];
    uint32_t at[VECTORS];   /* first body */
    uint8_t lanes[VECTORS]; /* those that count */
    uint64_t bits[VECTORS / WORD];
    uint32_t found[HALO_BODIES];
} halo;

/* Cells are up to two reaches wide along a periodic axis, so places relative to the block are at most 10
 * reaches: rounding to float, 2^-24 of that in each coordinate, changes a squared distance near reach^2
 * by less than the margin. */
static const float margin = 1.00004f;

/* Layers of cells along an axis that lie side by side in one block. */
typedef struct span {
    int32_t block;
    int layer, layers;
    uint32_t local, image; /* of the first layer in its block; image step */
    double origin;         /* m; of the block in the middle, as it is seen from here */
} span;

/* Along one axis: at most the last layer of the block before, those of the block, the first of the block behind. */
typedef struct halo_axis {
    int layers; /* 3 ... 6: a periodic axis can end inside the block */
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

/* The blocks that the halo is of: by the spans along x, y, z; NULL: none is there. */
typedef struct around {
    halo_axis axis[3];
    const kg_block *block[3][3][3];
} around;

/* Cells at the end of the coordinates hold what is beyond them: any distance. */
static bool is_last(const kg_block *block)
{
    const double last = KG_CELL_LIMIT - 2 * KG_BLOCK_EDGE;
    bool is = false;
    for (int axis = 0; axis < 3; ++axis) is = is || __builtin_fabs((double)block->at[axis] * KG_BLOCK_EDGE) > last;
    return is;
}

/* false when the block is too far out. */
static bool look_around(const kg_grid *grid, const kg_block *block, around *out)
{
    for (int axis = 0; axis < 3; ++axis) out->axis[axis] = layers_of(&grid->lattice, axis, block->at[axis]);
    const halo_axis *x = &out->axis[0], *y = &out->axis[1], *z = &out->axis[2];
    for (int k = 0; k < z->count; ++k) {
        for (int j = 0; j < y->count; ++j) {
            for (int i = 0; i < x->count; ++i) {
                const int32_t at[3] = {x->spans[i].block, y->spans[j].block, z->spans[k].block};
                uint32_t found = kg_grid_find(grid, at);
                out->block[k][j][i] = found == KG_NONE ? NULL : &grid->blocks[found];
            }
        }
    }
    return !is_last(block);
}

/* The anchors of four slots, from `origin`, to the halo. */
KG_INLINE void copy_four(const kg_anchor *anchor, const uint32_t slot[4], const double origin[3], uint32_t image, halo *out, uint32_t at)
{
    const kg_double4 *row[4];
    kg_double4 x[4];
    kg_loose_mask4f entry;
    for (int k = 0; k < 4; ++k) row[k] = (const kg_double4 *)(const void *)anchor[slot[k]].x;
    kg_transpose4(row, x);
    for (int k = 0; k < 3; ++k) *(kg_loose4 *)(out->x[k] + at) = __builtin_convertvector(x[k] - origin[k], kg_loose4);
    for (int k = 0; k < 4; ++k) out->radius[at + (uint32_t)k] = anchor[slot[k]].radius;
    memcpy(&entry, slot, sizeof entry);
    *(kg_loose_mask4f *)(out->entry + at) = entry | (int32_t)image;
}

/* Cells `from` ... of a block, `cells` of them along x, to the end of the halo; how many bodies there are then, above
 * HALO_BODIES when there is no room. Whole vectors: what is beyond will be written over. */
KG_INLINE uint32_t copy_cells(const kugel_world *world, const kg_block *block, uint32_t from, uint32_t cells, const double origin[3],
                              uint32_t image, uint32_t *start, halo *out, uint32_t at)
{
    const uint32_t *rows = world->grid->rows, first = block->head[from], end = kg_block_end(block, from + cells - 1);
    for (uint32_t k = 0; k < cells; ++k) start[k] = at + block->head[from + k] - first;
    if (end - first > HALO_BODIES - at) return HALO_BODIES + 1;
    for (uint32_t row = first; row < end; row += 4) {
        uint32_t slot[4], left = end - row;
        for (uint32_t k = 0; k < 4; ++k) slot[k] = rows[row + (k < left ? k : 0)];
        copy_four(world->grid->anchor, slot, origin, image << KG_ENTRY_IMAGE_SHIFT, out, at + (row - first));
    }
    return at + (end - first);
}

/* One row of cells along x, in these layers of these spans of y and z. */
KG_INLINE uint32_t copy_line(const kugel_world *world, const around *near, int j, int k, int y, int z, halo *out, uint32_t at)
{
    const halo_axis *ax = &near->axis[0];
    const span *sy = &near->axis[1].spans[j], *sz = &near->axis[2].spans[k];
    uint32_t line = (sy->local + (uint32_t)(y - sy->layer)) << 2 | (sz->local + (uint32_t)(z - sz->layer)) << 4;
    uint32_t image = 3 * sy->image + 9 * sz->image, *start = out->start + (z * EDGE + y) * EDGE;
    for (int i = 0; i < ax->count && at <= HALO_BODIES; ++i) {
        const span *sx = &ax->spans[i];
        const kg_block *block = near->block[k][j][i];
        const double origin[3] = {sx->origin, sy->origin, sz->origin};
        if (block) at = copy_cells(world, block, line | sx->local, (uint32_t)sx->layers, origin, image + sx->image, start + sx->layer, out, at);
        else for (int l = sx->layer; l < sx->layer + sx->layers; ++l) start[l] = at;
        out->images |= block && image + sx->image != KG_IMAGE_NONE;
    }
    for (int l = ax->layers; l < EDGE; ++l) start[l] = at;
    return at;
}

/* false when there is no room. */
KG_INLINE bool make_halo(const kugel_world *world, const around *near, halo *out)
{
    const halo_axis *ay = &near->axis[1], *az = &near->axis[2];
    uint32_t at = 0;
    out->images = false;
    for (int k = 0; k < az->count; ++k) {
        for (int z = az->spans[k].layer; z < az->spans[k].layer + az->spans[k].layers; ++z) {
            for (int j = 0; j < ay->count; ++j) {
                for (int y = ay->spans[j].layer; y < ay->spans[j].layer + ay->spans[j].layers && at <= HALO_BODIES; ++y) {
                    at = copy_line(world, near, j, k, y, z, out, at);
                }
            }
            for (int l = (z * EDGE + ay->layers) * EDGE; l < (z + 1) * EDGE * EDGE; ++l) out->start[l] = at;
        }
    }
    for (int l = az->layers * EDGE * EDGE; l <= CELLS; ++l) out->start[l] = at;
    return at <= HALO_BODIES;
}

/* The 27 cells around cell k, as vectors; their number. A vector's lanes that belong to other cells are masked; vectors
 * behind the last have none. */
KG_INLINE uint32_t look_at(halo *h, int k)
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
    for (uint32_t beyond = 0; beyond < STEP - 1; ++beyond) h->at[count + beyond] = h->lanes[count + beyond] = 0;
    return count;
}

/* Bit l: a body at x with this reach can meet body at + l of the halo. */
KG_INLINE uint32_t near_bits(const halo *h, uint32_t at, const float x[3], float reach, bool wide)
{
    kg_float8 dx = *(const kg_loose8 *)(h->x[0] + at) - x[0], dy = *(const kg_loose8 *)(h->x[1] + at) - x[1];
    kg_float8 dz = *(const kg_loose8 *)(h->x[2] + at) - x[2], r = *(const kg_loose8 *)(h->radius + at) + reach;
    kg_mask8 meet = dx * dx + dy * dy + dz * dz < r * r * margin;
#ifdef KG_AVX2
    if (wide) return kg_bits8_avx2(&meet);
#endif
    (void)wide;
    return kg_bits8(&meet);
}

/* How many bits are set: by one instruction where there is one, and not by a call of the compiler's library. */
KG_INLINE uint32_t count_bits(uint64_t bits, bool wide)
{
    if (wide) return (uint32_t)__builtin_popcountll(bits);
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(bits * 0x0101010101010101u >> 56);
}

/* Which bodies of `count` vectors a body of the halo can meet, itself among them, a byte each vector; their number. */
KG_INLINE uint32_t find_near(halo *h, uint32_t body, uint32_t count, float skins, bool wide)
{
    const float x[3] = {h->x[0][body], h->x[1][body], h->x[2][body]}, reach = h->radius[body] + skins;
    uint32_t sum = 0;
    for (uint32_t v = 0; v < count; v += WORD) {
        uint64_t bits = 0;
        for (uint32_t k = 0; k < WORD && v + k < count; k += STEP) { /* not one by one: a branch less often taken */
            for (uint32_t l = k; l < k + STEP; ++l) {
                bits |= (uint64_t)(near_bits(h, h->at[v + l], x, reach, wide) & h->lanes[v + l]) << 8 * l;
            }
        }
        h->bits[v / WORD] = bits;
        sum += count_bits(bits, wide);
    }
    return sum;
}

/* The entries whose bits are set, but this one; room for one more is needed. */
KG_INLINE void read_bits(const halo *h, uint32_t count, uint32_t but, uint32_t *out)
{
    for (uint32_t v = 0; v < count; v += WORD) {
        for (uint64_t bits = h->bits[v / WORD]; bits; bits &= bits - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(bits), entry = h->entry[h->at[v + bit / LANES] + bit % LANES];
            *out = entry;
            out += entry != but;
        }
    }
}

/* What is done with all blocks. */
typedef struct job {
    kugel_world *world;
    bool sifts;    /* some bodies never push each other, or are giants, or there are so few cells that they find themselves */
    uint32_t room; /* chunks */
    uint64_t entries;
    bool crowded; /* some block could not be copied */
} job;

/* Those that the body can push, and none of its own images; their number. */
static uint32_t sift(const kugel_world *world, uint32_t slot, uint32_t *found, uint32_t count)
{
    uint32_t kept = 0;
    if (kg_grid_is_giant(world, slot)) return 0; /* giants.c lists them */
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t other = found[k] & KG_ENTRY_SLOT;
        if (other == slot || !kg_grid_may_meet(world, slot, other) || kg_grid_is_giant(world, other)) continue;
        found[kept++] = found[k];
    }
    return kept;
}

static void note_images(kg_chunk *chunk)
{
    for (uint32_t k = 0; k < chunk->count; ++k) {
        if (chunk->entry[k] >> KG_ENTRY_IMAGE_SHIFT != KG_IMAGE_NONE) chunk->flags = KG_CHUNK_IMAGES;
    }
}

static void write_chunk(kg_chunk *chunk, uint32_t slot, const uint32_t *entry, uint32_t count, uint32_t next)
{
    kg_chunk_clear(chunk, slot);
    chunk->count = (uint16_t)count;
    chunk->next = next;
    memcpy(chunk->entry, entry, count * sizeof *entry);
    note_images(chunk);
}

/* A body's list, of what it found. The chunk behind the first is the one that is not full; when there are no more, the
 * list is cut short, and all are made again. */
static void write_list(const job *j, uint32_t slot, const uint32_t *found, uint32_t count)
{
    kg_grid *grid = j->world->grid;
    uint32_t first = count < KG_CHUNK_ENTRIES ? count : KG_CHUNK_ENTRIES, rest = count - first;
    uint32_t chunks = (rest + KG_CHUNK_ENTRIES - 1) / KG_CHUNK_ENTRIES, next = KG_NONE;
    if (chunks) next = __atomic_fetch_add(&grid->chunk_count, chunks, __ATOMIC_RELAXED);
    if (chunks && (uint64_t)next + chunks > j->room) chunks = 0, next = KG_NONE;
    write_chunk(&grid->chunks[slot], slot, found, first, next);
    for (uint32_t c = 0, from = first; c < chunks; ++c) {
        uint32_t part = c ? KG_CHUNK_ENTRIES : rest - (chunks - 1) * KG_CHUNK_ENTRIES;
        write_chunk(&grid->chunks[next + c], slot, found + from, part, c + 1 < chunks ? next + c + 1 : KG_NONE);
        from += part;
    }
}

/* Lists of the bodies of cell k; their entries. */
KG_INLINE uint32_t list_cell(const job *j, halo *h, int k, bool wide)
{
    const float skins = 2 * (float)j->world->grid->skin;
    uint32_t begin = h->start[k], end = h->start[k + 1], entries = 0;
    if (begin == end) return 0;
    uint32_t count = look_at(h, k);
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t entry = h->entry[b], slot = entry & KG_ENTRY_SLOT, number = find_near(h, b, count, skins, wide) - 1;
        if (!j->sifts && !h->images && number < KG_CHUNK_ENTRIES) {
            kg_chunk *chunk = &j->world->grid->chunks[slot];
            kg_chunk_clear(chunk, slot);
            chunk->count = (uint16_t)number;
            read_bits(h, count, entry, chunk->entry);
            chunk->entry[number] = slot;
        } else {
            read_bits(h, count, entry, h->found);
            write_list(j, slot, h->found, j->sifts ? sift(j->world, slot, h->found, number) : number);
        }
        entries += number; /* sifted out or not: skins that grow until lists are long would make cells crowded */
    }
    return entries;
}

/* false when the block has to be listed without a copy. */
KG_INLINE bool list_block(job *j, const kg_block *block, bool wide)
{
    around near;
    halo h;
    if (!look_around(j->world->grid, block, &near) || !make_halo(j->world, &near, &h)) return false;
    uint32_t entries = 0;
    for (int z = 1; z < near.axis[2].layers - 1; ++z) {
        for (int y = 1; y < near.axis[1].layers - 1; ++y) {
            for (int x = 1; x < near.axis[0].layers - 1; ++x) entries += list_cell(j, &h, (z * EDGE + y) * EDGE + x, wide);
        }
    }
    __atomic_fetch_add(&j->entries, entries, __ATOMIC_RELAXED);
    return true;
}

#ifdef KG_AVX2
KG_AVX2 static bool list_block_avx2(job *j, const kg_block *block) { return list_block(j, block, true); }
#endif

static bool list_block_any(job *j, const kg_block *block)
{
#ifdef KG_AVX2
    if (KG_HAS_AVX2) return list_block_avx2(j, block);
#endif
    return list_block(j, block, false);
}

static void list_blocks(void *context, uint32_t index)
{
    job *j = context;
    kg_grid *grid = j->world->grid;
    for (uint32_t b = index * BLOCKS; b < grid->block_count && b < (index + 1) * BLOCKS; ++b) {
        grid->blocks[b].crowded = !list_block_any(j, &grid->blocks[b]);
        if (grid->blocks[b].crowded) __atomic_store_n(&j->crowded, true, __ATOMIC_RELAXED);
    }
}

/* From rows to lists of cells, which fill.c has linked. */
static void set_heads(void *context, uint32_t index)
{
    const job *j = context;
    kg_grid *grid = j->world->grid;
    const uint32_t *rows = j->world->grid->rows;
    for (uint32_t b = index * BLOCKS; b < grid->block_count && b < (index + 1) * BLOCKS; ++b) {
        kg_block *block = &grid->blocks[b];
        uint32_t last = kg_block_end(block, KG_BLOCK_CELLS - 1);
        for (uint32_t c = 0; c < KG_BLOCK_CELLS; ++c) {
            uint32_t end = c + 1 < KG_BLOCK_CELLS ? block->head[c + 1] : last;
            block->head[c] = block->head[c] < end ? rows[block->head[c]] : KG_NONE;
        }
    }
}

bool kg_lists_make(kugel_world *world)
{
    kg_grid *grid = world->grid;
    job j = {.world = world, .sifts = grid->filtered || grid->immovable || grid->giant_count};
    for (int axis = 0; axis < 3; ++axis) j.sifts |= grid->lattice.count[axis] == 1;
    grid->free_chunk = KG_NONE;
    for (;;) {
        grid->chunk_count = world->bodies.count;
        j.entries = 0;
        j.crowded = false;
        j.room = kg_chunk_room(grid);
        kg_for_pieces(world, (grid->block_count + BLOCKS - 1) / BLOCKS, list_blocks, &j);
        if (grid->chunk_count <= j.room) break;
        if (!kg_chunk_reserve(&world->memory, grid, grid->chunk_count, 0)) return false;
    }
    kg_for_pieces(world, (grid->block_count + BLOCKS - 1) / BLOCKS, set_heads, &j);
    grid->entries = j.entries;
    for (uint32_t b = 0; b < grid->block_count && j.crowded; ++b) {
        if (grid->blocks[b].crowded && !kg_lists_of_crowded(world, &grid->blocks[b])) return false;
    }
    return kg_lists_of_giants(world);
}
