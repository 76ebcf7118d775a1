/* Sorts all bodies into cells at a list rebuild: a counting sort by block over ranges of slots,
 * then by cell within each block.
 * Out: list origins, blocks, each body's cell, and rows of slots by block and cell. Ranges and
 * blocks are task ranges. The order does not depend on threads: blocks by first slot, bodies of a
 * cell by slot. Cost O(n); the serial part between the tasks is small when columns are in spatial
 * order. */
#include <string.h>

#include "base/tasks.h"
#include "grid/neighbour_lists.h"

enum { RANGE_BODIES = 2048, BLOCKS_PER_TASK = 4 };

/* Bodies of a range in one block. */
typedef struct tally {
    int32_t at[3];
    uint32_t block;
    uint32_t count; /* later: the next one's place in the order */
} tally;

/* A range of slots and its blocks, in order of first use. */
typedef struct range {
    uint32_t from, to, mask;
    uint32_t *count;
    tally *tallies;
    uint16_t *table; /* hash table with open addressing: tally + 1, or 0 */
} range;

/* Scratch in the memory of the nodes: the order, 4 bytes a body, then tallies and table of each
 * range. */
typedef struct fill_job {
    kugel_world *world;
    double now, h;
    uint32_t *order; /* slot; cell in the block in the upper 6 bits */
} fill_job;
enum { RANGE_BYTES = sizeof(uint32_t) + RANGE_BODIES * (sizeof(tally) + 4 * sizeof(uint16_t)) };
_Static_assert(4 + sizeof(uint32_t) + sizeof(tally) + 4 * sizeof(uint16_t) <= sizeof(kg_list_node),
               "chunks have room");
_Static_assert(KG_BODY_LIMIT <= 1u << 26 && KG_BLOCK_CELLS <= 1 << 6,
               "a slot and a cell fit one word");

static range range_at(const fill_job *f, uint32_t index)
{
    uint32_t n = f->world->bodies.count, from = index * RANGE_BODIES,
             to = n - from < RANGE_BODIES ? n : from + RANGE_BODIES, places = 2;
    char *at = (char *)(f->order + n) + (size_t)index * RANGE_BYTES;
    range r = {.from = from, .to = to, .count = (uint32_t *)(void *)at};
    while (places < 2 * (to - from)) places *= 2;
    r.mask = places - 1;
    r.tallies = (tally *)(void *)(r.count + 1);
    r.table = (uint16_t *)(void *)(r.tallies + (to - from));
    return r;
}

static uint32_t tally_of(const range *r, const int32_t at[3])
{
    uint32_t place = kg_block_hash(at) & r->mask;
    for (; r->table[place]; place = (place + 1) & r->mask) {
        if (memcmp(r->tallies[r->table[place] - 1].at, at, sizeof(int32_t[3])) == 0)
            return r->table[place] - 1u;
    }
    tally *t = &r->tallies[*r->count];
    memcpy(t->at, at, sizeof t->at);
    t->count = 0;
    r->table[place] = (uint16_t)++ * r->count;
    return *r->count - 1;
}

/* Set the list origins of a range and count its bodies by block. */
static void count_range_blocks(void *context, uint32_t index)
{
    const fill_job *f = context;
    const kg_grid *grid = f->world->grid;
    range r = range_at(f, index);
    *r.count = 0;
    memset(r.table, 0, (r.mask + 1) * sizeof *r.table);
    kg_list_origin_set_range(f->world, r.from, r.to, f->now, f->h);
    int32_t last[3] = {INT32_MAX, 0,
                       /* most bodies lie in the block of the body before */
                       0};
    uint32_t in = 0;
    for (uint32_t i = r.from; i < r.to; ++i) {
        int32_t at[3];
        uint32_t local = kg_block_locate(&grid->lattice, grid->origin[i].x, at);
        if (memcmp(at, last, sizeof at) != 0) {
            in = tally_of(&r, at);
            memcpy(last, at, sizeof at);
        }
        r.tallies[in].count += 1;
        grid->cell[i] = in * KG_BLOCK_CELLS + local;
    }
}

/* Make the blocks and give each range its places; false when out of memory. */
static bool place_ranges(const fill_job *f, uint32_t ranges)
{
    kg_grid *grid = f->world->grid;
    kg_grid_clear_blocks(grid);
    for (uint32_t k = 0; k < ranges; ++k) {
        range r = range_at(f, k);
        for (tally *t = r.tallies; t < r.tallies + *r.count; ++t) {
            t->block = kg_grid_find_or_add_block(&f->world->memory, grid, t->at);
            if (t->block == KG_NONE) return false;
            grid->blocks[t->block].count += t->count;
        }
    }
    for (uint32_t b = 0, first = 0; b < grid->block_count; ++b) {
        grid->blocks[b].head[0] = first;
        first += grid->blocks[b].count;
        grid->blocks[b].count = 0;
    }
    for (uint32_t k = 0; k < ranges; ++k) {
        range r = range_at(f, k);
        for (tally *t = r.tallies; t < r.tallies + *r.count; ++t) {
            kg_block *block = &grid->blocks[t->block];
            uint32_t count = t->count;
            t->count = block->head[0] + block->count;
            block->count += count;
        }
    }
    return true;
}

static void order_range(void *context, uint32_t index)
{
    const fill_job *f = context;
    uint32_t *cell = f->world->grid->cell;
    range r = range_at(f, index);
    for (uint32_t i = r.from; i < r.to; ++i) {
        tally *t = &r.tallies[cell[i] / KG_BLOCK_CELLS];
        uint32_t local = cell[i] % KG_BLOCK_CELLS;
        f->order[t->count++] = i | local << 26;
        cell[i] = t->block * KG_BLOCK_CELLS + local;
    }
}

/* Sort the rows of one block by cell and link its cells. */
static void sort_block(const kg_grid *grid, kg_block *block, const uint32_t *order)
{
    uint32_t *rows = grid->sorted_slots;
    uint32_t next[KG_BLOCK_CELLS + 1] = {0}, first = block->head[0], end = first + block->count;
    for (uint32_t k = first; k < end; ++k) next[(order[k] >> 26) + 1] += 1;
    next[0] = first;
    for (uint32_t c = 0; c < KG_BLOCK_CELLS; ++c) {
        next[c + 1] += next[c];
        block->head[c] = next[c];
    }
    for (uint32_t k = first; k < end; ++k)
        rows[next[order[k] >> 26]++] = order[k] & KG_NEIGHBOUR_SLOT;
    for (uint32_t k = first; k + 1 < end; ++k) grid->origin[rows[k]].next = rows[k + 1];
    for (uint32_t c = 0; c < KG_BLOCK_CELLS; ++c) { /* now cell c ends at next[c] */
        if (next[c] > block->head[c]) grid->origin[rows[next[c] - 1]].next = KG_NONE;
    }
}

static void sort_blocks(void *context, uint32_t index)
{
    const fill_job *f = context;
    const kg_grid *grid = f->world->grid;
    for (uint32_t b = index * BLOCKS_PER_TASK;
         b < grid->block_count && b < (index + 1) * BLOCKS_PER_TASK; ++b) {
        sort_block(grid, &grid->blocks[b], f->order);
    }
}

bool kg_grid_fill_cells(kugel_world *world, double now, double h)
{
    kg_grid *grid = world->grid;
    fill_job f = {world, now, h, (uint32_t *)(void *)grid->nodes};
    uint32_t ranges = (world->bodies.count + RANGE_BODIES - 1) / RANGE_BODIES;
    kg_for_ranges(world, ranges, count_range_blocks, &f);
    if (!place_ranges(&f, ranges)) return false;
    kg_for_ranges(world, ranges, order_range, &f);
    kg_for_ranges(world, (grid->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK, sort_blocks,
                  &f);
    return true;
}
