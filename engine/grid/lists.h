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

/* Append an entry to a slot's list; false when out of memory. */
bool kg_list_add(kg_memory *memory, kg_grid *grid, uint32_t slot, uint32_t entry);
/* Anchor a body here and note the boundaries near it. */
void kg_anchor_at(kugel_world *world, uint32_t slot, const double place[3]);

/* Are the anchors so close, b seen in `image`, that the bodies can touch within their skins? */
static inline bool kg_within_reach(const kg_grid *grid, const kg_anchor *a, const kg_anchor *b, uint32_t image)
{
    double o[3] = {0, 0, 0};
    if (image != KG_IMAGE_NONE) kg_image_offset(&grid->lattice, image, o);
    double dx = b->x[0] - a->x[0] + o[0], dy = b->x[1] - a->x[1] + o[1], dz = b->x[2] - a->x[2] + o[2];
    double reach = a->radius + b->radius + 2 * grid->skin;
    return dx * dx + dy * dy + dz * dz < reach * reach;
}

/* pairs.c: the lists of all bodies, from the cells; false when out of memory. */
bool kg_lists_make(kugel_world *world);

/* List the two with each other if they may meet; false when out of memory. */
static inline bool kg_add_pair(kugel_world *world, uint32_t a, uint32_t b, uint32_t image)
{
    kg_grid *grid = world->grid;
    if (!kg_grid_may_meet(world, a, b)) return true;
    return kg_list_add(&world->memory, grid, a, b | image << KG_ENTRY_IMAGE_SHIFT) &&
           kg_list_add(&world->memory, grid, b, a | (26 - image) << KG_ENTRY_IMAGE_SHIFT);
}

#endif
