/* Neighbour lists: entries added, taken out, looked for and marked. */
#include <string.h>

#include "base/wide.h"
#include "grid/lists.h"

enum { COLUMN_CHUNKS = 6 };

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

void kg_list_remove(kg_grid *grid, uint32_t slot, uint32_t entry)
{
    for (uint32_t c = slot; c != KG_NONE; c = grid->chunks[c].next) {
        kg_chunk *chunk = &grid->chunks[c];
        for (uint32_t k = 0; k < chunk->count; ++k) {
            if ((chunk->entry[k] & ~KG_ENTRY_RESTING) != entry) continue;
            chunk->entry[k] = chunk->entry[--chunk->count];
            return;
        }
    }
}

void kg_list_free_chain(kg_grid *grid, uint32_t c)
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

/* Does the body stand in the chunk? Or its number at the chunk's beginning: then it may not. */
static bool may_hold(const kg_chunk *chunk, uint32_t slot)
{
    const int32_t number = (int32_t)KG_ENTRY_SLOT, one = (int32_t)slot;
    kg_mask4f words[sizeof *chunk / sizeof(kg_mask4f)], same = {0};
    memcpy(words, chunk, sizeof words);
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) same |= (words[k] & number) == one;
    return kg_bits4f(&same) != 0;
}

/* Where thousands lie in one point, their lists are as long, and each pair that begins to rest looks through two of them. */
static void mark_one(kg_grid *grid, uint32_t slot, uint32_t other, bool resting)
{
    for (uint32_t c = slot; c != KG_NONE; c = grid->chunks[c].next) {
        kg_chunk *chunk = &grid->chunks[c];
        if (!may_hold(chunk, other)) continue;
        for (uint32_t k = 0; k < chunk->count; ++k) {
            if ((chunk->entry[k] & KG_ENTRY_SLOT) != other) continue;
            if (resting) chunk->flags |= KG_CHUNK_RESTING;
            chunk->entry[k] = resting ? chunk->entry[k] | KG_ENTRY_RESTING : chunk->entry[k] & ~KG_ENTRY_RESTING;
        }
    }
}

void kg_grid_mark(kg_grid *grid, uint32_t a, uint32_t b, bool resting)
{
    if (grid->dense.used) return; /* no lists: those that will be made look for themselves */
    mark_one(grid, a, b, resting);
    mark_one(grid, b, a, resting);
}
