/* Inside the grid: neighbour lists and anchors. */
#ifndef KG_GRID_LISTS_H
#define KG_GRID_LISTS_H

#include "grid/grid.h"

static inline void kg_chunk_clear(kg_chunk *chunk, uint32_t slot)
{
    chunk->count = chunk->flags = 0;
    chunk->next = KG_NONE;
    for (int k = 0; k < KG_CHUNK_ENTRIES; ++k) chunk->entry[k] = slot;
}

/* Append to a chunk that has room. */
static inline void kg_chunk_add(kg_chunk *chunk, uint32_t entry)
{
    chunk->entry[chunk->count++] = entry;
    if (entry >> KG_ENTRY_IMAGE_SHIFT != KG_IMAGE_NONE) chunk->flags |= KG_CHUNK_IMAGES;
    if (entry & KG_ENTRY_RESTING) chunk->flags |= KG_CHUNK_RESTING;
}

/* Where a place lies: coordinates of its block, and its cell in it. */
static inline uint32_t kg_block_cell(const kg_lattice *lattice, const double place[3], int32_t at[3])
{
    uint32_t local = 0;
    for (int axis = 2; axis >= 0; --axis) {
        int32_t cell = kg_lattice_cell(lattice, axis, place[axis]);
        at[axis] = cell >> KG_BLOCK_SHIFT;
        local = local << KG_BLOCK_SHIFT | ((uint32_t)cell & (KG_BLOCK_EDGE - 1));
    }
    return local;
}

static inline uint32_t kg_block_hash(const int32_t at[3])
{
    uint64_t h = (uint32_t)at[0] * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29 ^ (uint32_t)at[1]) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 31 ^ (uint32_t)at[2]) * 0x94d049bb133111ebu;
    return (uint32_t)(h >> 32);
}

/* How many chunks there is room for; make room for `count`, the first `keep` stay; false when out of memory. */
uint32_t kg_chunk_room(const kg_grid *grid);
bool kg_chunk_reserve(kg_memory *memory, kg_grid *grid, size_t count, size_t keep);
/* Append an entry to a slot's list; false when out of memory. */
bool kg_list_add(kg_memory *memory, kg_grid *grid, uint32_t slot, uint32_t entry);
/* Take an entry out of a slot's list, resting or not. */
void kg_list_remove(kg_grid *grid, uint32_t slot, uint32_t entry);
/* Give the chunks behind a list's first one back. */
void kg_list_free_chain(kg_grid *grid, uint32_t chunk);
/* Anchor a body here and note the boundaries near it. */
void kg_anchor_at(kugel_world *world, uint32_t slot, const double place[3]);
/* The same for slots [from, to) at `now` of a substep of length h; nothing is known of their room. */
void kg_anchor_range(kugel_world *world, uint32_t from, uint32_t to, double now, double h);
/* The row where a cell of a block ends, while lists are made. */
static inline uint32_t kg_block_end(const kg_block *block, uint32_t cell)
{
    return cell + 1 < KG_BLOCK_CELLS ? block->head[cell + 1] : block->head[0] + block->count;
}
/* fill.c: all bodies anchored, and in cells; false when out of memory. Writes where the chunks are. */
bool kg_grid_fill(kugel_world *world, double now, double h);

/* Are the anchors so close, b seen in `image`, that the bodies can touch within their skins? */
static inline bool kg_within_reach(const kg_grid *grid, const kg_anchor *a, const kg_anchor *b, uint32_t image)
{
    double o[3] = {0, 0, 0};
    if (image != KG_IMAGE_NONE) kg_image_offset(&grid->lattice, image, o);
    double dx = b->x[0] - a->x[0] + o[0], dy = b->x[1] - a->x[1] + o[1], dz = b->x[2] - a->x[2] + o[2];
    double reach = a->radius + b->radius + 2 * grid->skin;
    return dx * dx + dy * dy + dz * dz < reach * reach;
}

/* pairs.c: the lists of all bodies, from the cells as they were filled; false when out of memory. */
bool kg_lists_make(kugel_world *world);
/* crowded.c: those of the bodies of blocks that are too full or too far out for pairs.c, one after the other; false
 * when out of memory. */
bool kg_lists_of_crowded(kugel_world *world, const kg_block *block);

/* giants.c: who is a giant among the bodies, the largest of which (but sensors) has this radius; what is left has the usual one. */
void kg_find_giants(kugel_world *world, double largest);
/* The pairs of giants, with everybody, in all lists; false when out of memory. */
bool kg_lists_of_giants(kugel_world *world);
/* Is the body in any list, as sensors are not? */
static inline bool kg_grid_lists(const kugel_world *world, uint32_t slot)
{
    return !(world->grid->filtered && kg_material_of(&world->bodies, slot)->sensor);
}

#endif
