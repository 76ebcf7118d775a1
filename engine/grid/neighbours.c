/* Neighbour lists of single bodies: anchored anew, marked, mended. */
#include "grid/lists.h"

#include <string.h>

enum { COLUMN_CHUNKS = 6 };

/* The 27 cells around a body's cell, with the periodic image each is seen in. */
typedef struct stencil {
    uint32_t cell[27]; /* block * 64 + cell, KG_NONE where no block is */
    uint32_t image[27];
    uint32_t count;
} stencil;

/* Along one axis: the cells -1, 0, +1 around `cell` and the image step of each. */
static void axis_cells(const kg_lattice *lattice, int axis, int32_t cell, int32_t cells[3], uint32_t image[3])
{
    int32_t n = lattice->count[axis];
    for (int32_t d = -1; d <= 1; ++d) {
        int32_t c = cell + d;
        image[d + 1] = 1;
        if (n && c < 0) c += n, image[d + 1] = 0;
        else if (n && c >= n) c -= n, image[d + 1] = 2;
        cells[d + 1] = c;
    }
}

/* All cells around the one at `at` that hold bodies. They lie in at most 8 blocks: each is looked up
 * once. */
static void stencil_make(const kg_grid *grid, const int32_t at[3], stencil *s)
{
    int32_t cells[3][3];
    uint32_t image[3][3], side[3][3], block[8];
    bool known[8] = {false};
    for (int axis = 0; axis < 3; ++axis) {
        axis_cells(&grid->lattice, axis, at[axis], cells[axis], image[axis]);
        for (int d = 0; d < 3; ++d) {
            side[axis][d] = (cells[axis][d] >> KG_BLOCK_SHIFT) != (cells[axis][1] >> KG_BLOCK_SHIFT);
        }
    }
    /* with one or two blocks along a periodic axis both outer cells can lie in other blocks: then the
     * memo must not be shared */
    bool shared = true;
    for (int axis = 0; axis < 3; ++axis) {
        shared = shared && !(side[axis][0] && side[axis][2] &&
                             cells[axis][0] >> KG_BLOCK_SHIFT != cells[axis][2] >> KG_BLOCK_SHIFT);
    }
    s->count = 0;
    for (int k = 0; k < 27; ++k) {
        int x = k % 3, y = k / 3 % 3, z = k / 9;
        uint32_t memo = side[0][x] | side[1][y] << 1 | side[2][z] << 2;
        if (!known[memo] || !shared) {
            int32_t b[3] = {cells[0][x] >> KG_BLOCK_SHIFT, cells[1][y] >> KG_BLOCK_SHIFT,
                            cells[2][z] >> KG_BLOCK_SHIFT};
            block[memo] = kg_grid_find(grid, b);
            known[memo] = true;
        }
        if (block[memo] == KG_NONE) continue;
        uint32_t local = (uint32_t)(cells[0][x] & 3) | (uint32_t)(cells[1][y] & 3) << 2 | (uint32_t)(cells[2][z] & 3) << 4;
        if (grid->blocks[block[memo]].head[local] == KG_NONE) continue;
        s->cell[s->count] = block[memo] * KG_BLOCK_CELLS + local;
        s->image[s->count] = image[0][x] + 3 * image[1][y] + 9 * image[2][z];
        s->count++;
    }
}

static void cell_coordinates(const kg_grid *grid, uint32_t cell, int32_t at[3])
{
    const kg_block *block = &grid->blocks[cell / KG_BLOCK_CELLS];
    uint32_t local = cell % KG_BLOCK_CELLS;
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] = block->at[axis] * KG_BLOCK_EDGE + (int32_t)(local >> (2 * axis) & 3);
    }
}

/* ---- lists ---- */

uint32_t kg_chunk_room(const kg_grid *grid)
{
    size_t room = grid->columns[COLUMN_CHUNKS].capacity;
    return room < KG_NONE ? (uint32_t)room : KG_NONE;
}

bool kg_chunk_reserve(kg_memory *memory, kg_grid *grid, size_t count, size_t keep)
{
    kg_column *column = &grid->columns[COLUMN_CHUNKS];
    size_t more = count - (grid->body_count < count ? grid->body_count : count); /* mostly few more than bodies */
    if (count <= column->capacity) return true;
    if (!kg_column_reserve_exact(memory, column, sizeof *grid->chunks, count + more / 2 + 32, keep)) return false;
    grid->chunks = column->data;
    return true;
}

static uint32_t new_chunk(kg_memory *memory, kg_grid *grid, uint32_t slot)
{
    uint32_t chunk = grid->free_chunk;
    if (chunk != KG_NONE) {
        grid->free_chunk = grid->chunks[chunk].next;
    } else {
        if (!kg_chunk_reserve(memory, grid, (size_t)grid->chunk_count + 1, grid->chunk_count)) return KG_NONE;
        chunk = grid->chunk_count++;
    }
    kg_chunk_clear(&grid->chunks[chunk], slot);
    return chunk;
}

bool kg_list_add(kg_memory *memory, kg_grid *grid, uint32_t slot, uint32_t entry)
{
    kg_chunk *first = &grid->chunks[slot];
    if (first->count < KG_CHUNK_ENTRIES) {
        kg_chunk_add(first, entry);
        return true;
    }
    uint32_t second = first->next;
    if (second == KG_NONE || grid->chunks[second].count == KG_CHUNK_ENTRIES) {
        uint32_t chunk = new_chunk(memory, grid, slot);
        if (chunk == KG_NONE) return false;
        grid->chunks[chunk].next = second;
        grid->chunks[slot].next = chunk;
        second = chunk;
    }
    kg_chunk_add(&grid->chunks[second], entry);
    return true;
}

/* Take `other` out of a list, in every image. */
static void list_remove(kg_grid *grid, uint32_t slot, uint32_t other)
{
    for (uint32_t c = slot; c != KG_NONE; c = grid->chunks[c].next) {
        kg_chunk *chunk = &grid->chunks[c];
        for (uint32_t k = 0; k < chunk->count;) {
            if ((chunk->entry[k] & KG_ENTRY_SLOT) == other) chunk->entry[k] = chunk->entry[--chunk->count];
            else ++k;
        }
    }
}

/* Give the chunks behind a list's first one back. */
static void free_chain(kg_grid *grid, uint32_t c)
{
    while (c != KG_NONE) {
        uint32_t next = grid->chunks[c].next;
        grid->chunks[c].next = grid->free_chunk;
        grid->free_chunk = c;
        c = next;
    }
}

bool kg_grid_may_meet(const kugel_world *world, uint32_t a, uint32_t b)
{
    const kg_bodies *bodies = &world->bodies;
    if (bodies->mass[a] == 0 && bodies->mass[b] == 0) return false;
    if (!world->grid->filtered) return true;
    const kg_material *m = kg_material_of(bodies, a), *n = kg_material_of(bodies, b);
    return kg_materials_meet(m, n);
}

/* Take a body out of its neighbours' lists. Its own list's first chunk is handed out, the chain behind
 * it is left whole: it still says with whom the body rests. */
static kg_chunk leave_lists(kg_grid *grid, uint32_t slot)
{
    kg_chunk old = grid->chunks[slot];
    for (uint32_t c = slot; c != KG_NONE; c = grid->chunks[c].next) {
        for (uint32_t k = 0; k < grid->chunks[c].count; ++k) {
            list_remove(grid, grid->chunks[c].entry[k] & KG_ENTRY_SLOT, slot);
        }
    }
    kg_chunk_clear(&grid->chunks[slot], slot);
    return old;
}

static bool find_neighbours(kugel_world *world, uint32_t slot)
{
    const kg_grid *grid = world->grid;
    int32_t at[3];
    stencil around;
    cell_coordinates(grid, grid->cell[slot], at);
    stencil_make(grid, at, &around);
    for (uint32_t s = 0; s < around.count; ++s) {
        uint32_t cell = around.cell[s];
        uint32_t j = grid->blocks[cell / KG_BLOCK_CELLS].head[cell % KG_BLOCK_CELLS];
        for (; j != KG_NONE; j = grid->anchor[j].next) {
            if (j == slot || !kg_within_reach(grid, &grid->anchor[slot], &grid->anchor[j], around.image[s])) continue;
            if (!kg_add_pair(world, slot, j, around.image[s])) return false;
        }
    }
    return true;
}

bool kg_grid_regrid(kugel_world *world, uint32_t slot, const double place[3])
{
    kg_grid *grid = world->grid;
    kg_chunk old = leave_lists(grid, slot);
    kg_grid_unlink(grid, slot);
    kg_anchor_at(world, slot, place);
    if (!kg_grid_link(&world->memory, grid, slot)) return false;
    if (!find_neighbours(world, slot)) return false;
    const kg_chunk *chunk = &old;
    for (;;) {
        for (uint32_t k = 0; k < chunk->count; ++k) {
            if (chunk->entry[k] & KG_ENTRY_RESTING) kg_grid_mark(grid, slot, chunk->entry[k] & KG_ENTRY_SLOT, true);
        }
        if (chunk->next == KG_NONE) break;
        chunk = &grid->chunks[chunk->next];
    }
    free_chain(grid, old.next);
    world->regrids += 1;
    return true;
}

static void mark_one(kg_grid *grid, uint32_t slot, uint32_t other, bool resting)
{
    for (uint32_t c = slot; c != KG_NONE; c = grid->chunks[c].next) {
        kg_chunk *chunk = &grid->chunks[c];
        for (uint32_t k = 0; k < chunk->count; ++k) {
            if ((chunk->entry[k] & KG_ENTRY_SLOT) != other) continue;
            if (resting) chunk->flags |= KG_CHUNK_RESTING;
            chunk->entry[k] = resting ? chunk->entry[k] | KG_ENTRY_RESTING : chunk->entry[k] & ~KG_ENTRY_RESTING;
        }
    }
}

void kg_grid_mark(kg_grid *grid, uint32_t a, uint32_t b, bool resting)
{
    mark_one(grid, a, b, resting);
    mark_one(grid, b, a, resting);
}

bool kg_grid_is_marked(const kg_grid *grid, uint32_t a, uint32_t b)
{
    for (uint32_t c = a; c != KG_NONE; c = grid->chunks[c].next) {
        const kg_chunk *chunk = &grid->chunks[c];
        for (uint32_t k = 0; k < chunk->count; ++k) {
            if ((chunk->entry[k] & KG_ENTRY_SLOT) == b) return chunk->entry[k] & KG_ENTRY_RESTING;
        }
    }
    return false;
}
