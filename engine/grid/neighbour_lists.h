/* Verlet lists and list origins, for files of grid/ only. Functions that allocate return false when
 * out of memory. */
#ifndef KG_GRID_NEIGHBOUR_LISTS_H
#define KG_GRID_NEIGHBOUR_LISTS_H

#include "grid/grid.h"

/* Empty a node of the list of `slot`. Unused places hold the slot itself. */
static inline void kg_list_node_clear(kg_list_node *node, uint32_t slot)
{
    node->count = node->flags = 0;
    node->next = KG_NONE;
    for (int k = 0; k < KG_NODE_NEIGHBOURS; ++k) node->neighbour[k] = slot;
}

/* Append to a node that is not full. */
static inline void kg_list_node_add(kg_list_node *node, uint32_t neighbour)
{
    node->neighbour[node->count++] = neighbour;
    if (neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT != KG_IMAGE_NONE) node->flags |= KG_NODE_HAS_IMAGES;
    if (neighbour & KG_NEIGHBOUR_RESTING) node->flags |= KG_NODE_HAS_RESTING;
}

/* Find the coordinates of the block that contains a position; returns the index of the cell in
 * it. */
static inline uint32_t kg_block_locate(const kg_lattice *lattice, const double position[3],
                                       int32_t at[3])
{
    uint32_t local = 0;
    for (int axis = 2; axis >= 0; --axis) {
        int32_t cell = kg_lattice_cell(lattice, axis, position[axis]);
        at[axis] = cell >> KG_BLOCK_SHIFT;
        local = local << KG_BLOCK_SHIFT | ((uint32_t)cell & (KG_BLOCK_EDGE - 1));
    }
    return local;
}

static inline uint32_t kg_block_hash(uint32_t level, const int32_t at[3])
{
    uint64_t h = ((uint64_t)level << 32 ^ (uint32_t)at[0]) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29 ^ (uint32_t)at[1]) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 31 ^ (uint32_t)at[2]) * 0x94d049bb133111ebu;
    return (uint32_t)(h >> 32);
}

/* Number of allocated nodes. */
uint32_t kg_list_node_capacity(const kg_grid *grid);
/* Allocate at least `count` nodes; the first `keep` keep their content. */
bool kg_list_node_reserve(kg_memory *memory, kg_grid *grid, size_t count, size_t keep);
/* Append a neighbour to a slot's list. */
bool kg_list_add(kg_memory *memory, kg_grid *grid, uint32_t slot, uint32_t neighbour);
/* The neighbour that stands for the same pair in the other body's list. */
static inline uint32_t kg_list_reverse(uint32_t slot, uint32_t neighbour)
{
    return slot | (26 - (neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT)) << KG_NEIGHBOUR_IMAGE_SHIFT;
}
/* Append a pair to the lists of both bodies. */
bool kg_list_add_pair(kg_memory *memory, kg_grid *grid, uint32_t slot, uint32_t neighbour);
/* Remove a neighbour, given without the resting flag, from a slot's list. */
void kg_list_remove(kg_grid *grid, uint32_t slot, uint32_t neighbour);
/* Mark or unmark another body as resting in a slot's list. */
void kg_list_mark_resting(kg_grid *grid, uint32_t slot, uint32_t other, bool resting);
/* Return a chain of nodes to the free list. */
void kg_list_free_chain(kg_grid *grid, uint32_t node);
/* Radius with which a body is listed, m. It includes the largest gap of a new contact or a support,
 * and is rounded up. */
static inline float kg_list_radius(const kugel_world *world, double radius)
{
    double gap = world->def.slop > KG_SUPPORT_GAP ? world->def.slop : KG_SUPPORT_GAP;
    return (float)(radius * (1 + gap) * (1 + 0x1p-23));
}
/* Set a body's list origin and find the boundaries near it. */
void kg_list_origin_set(kugel_world *world, uint32_t slot, const double position[3]);
/* Choose the drift of new list origins, at `now` of a substep of length h. */
void kg_list_drift_choose(kugel_world *world, double now, double h);
/* Choose and set the list origins of all bodies, at `now` of a substep of length h. Makes all
 * bodies active. */
void kg_list_origins_set_all(kugel_world *world, double now, double h);

/* grid_blocks.c */
/* Put all bodies into the cells of their list origins, ascending in each cell. */
bool kg_grid_fill_cells(kugel_world *world);
/* Cells of a level that are not empty, among the 27 around the one that contains a position. */
typedef struct kg_cells_around {
    uint32_t head[27];  /* first body of each cell */
    uint32_t image[27]; /* code of the periodic image of each cell */
    uint32_t count;     /* cells */
} kg_cells_around;
void kg_grid_find_cells_around(const kg_grid *grid, uint32_t level, const double x[3],
                               kg_cells_around *out);

/* True when a and the image of b can touch, begin to rest or support each other while both are
 * within their skins. */
static inline bool kg_within_reach(const kg_grid *grid, const kg_list_origin *a,
                                   const kg_list_origin *b, uint32_t image)
{
    double o[3] = {0, 0, 0};
    if (image != KG_IMAGE_NONE) kg_image_offset(grid->lattice, image, o);
    double dx = b->x[0] - a->x[0] + o[0], dy = b->x[1] - a->x[1] + o[1],
           dz = b->x[2] - a->x[2] + o[2];
    double reach = a->radius + b->radius + 2 * grid->skin;
    return dx * dx + dy * dy + dz * dz < reach * reach;
}

/* list_build.c: the lists of all bodies, from the filled cells. */
bool kg_list_build_all(kugel_world *world, double now);
/* The lists of so few bodies are built one by one: that costs less than the copies of blocks. */
enum { KG_FEW_BODIES = 24 };
/* list_crowded.c: build the lists in the blocks that lack a halo. At the start of a substep it ends
 * above kg_grid_pair_limit, with has_too_many_pairs set, before all pairs are listed. False then
 * and when out of memory. */
bool kg_list_build_without_halos(kugel_world *world, bool substep_starts);
/* list_crowded.c: true if the lists have more deep pairs than kg_grid_pair_limit. Cost: nothing
 * unless there are more neighbours than such pairs; then a pass over the lists. */
bool kg_list_has_too_many_pairs(const kugel_world *world);

/* levels.c: choose the levels and their cells for the skin of the grid. `largest`: largest radius
 * of a body that is not a sensor, m. */
void kg_levels_choose(kugel_world *world, double largest);
/* The level of a body, by the radius of its list origin. */
static inline uint32_t kg_level_of(const kg_grid *grid, uint32_t slot)
{
    uint32_t level = grid->level_count - 1;
    while (level && grid->origin[slot].radius > grid->level_radius[level]) level -= 1;
    return level;
}
/* True for bodies that are in lists: all but sensors. */
static inline bool kg_grid_is_solid(const kugel_world *world, uint32_t slot)
{
    return !(world->grid->has_filters && kg_bodies_is_sensor(&world->bodies, slot));
}

#endif
