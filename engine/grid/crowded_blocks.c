/* Lists of bodies in blocks that list_build.c cannot copy: too many bodies, or at the end of the
 * coordinate range, where cells hold bodies at any distance. Order of a list: by cell, then slot.
 */
#include "grid/neighbour_lists.h"

/* Add bodies of the cell that starts at `other`, shifted by periodic image `image`, to the lists of
 * the bodies in the cell that starts at `head`. */
static bool list_cell_pair(kugel_world *world, uint32_t head, uint32_t other, uint32_t image)
{
    kg_grid *grid = world->grid;
    for (uint32_t i = head; i != KG_NONE; i = grid->origin[i].next) {
        for (uint32_t j = other; j != KG_NONE; j = grid->origin[j].next) {
            if (i == j || !kg_within_reach(grid, &grid->origin[i], &grid->origin[j], image))
                continue;
            if (!kg_grid_may_collide(world, i, j) || kg_grid_is_oversized(world, i) ||
                kg_grid_is_oversized(world, j))
                continue;
            if (!kg_list_add(&world->memory, grid, i, j | image << KG_NEIGHBOUR_IMAGE_SHIFT))
                return false;
            grid->neighbour_total += 1;
        }
    }
    return true;
}

bool kg_list_build_crowded(kugel_world *world, uint32_t block)
{
    const kg_grid *grid = world->grid;
    for (uint32_t local = 0; local < KG_BLOCK_CELLS; ++local) {
        uint32_t head = grid->blocks[block].head[local];
        kg_cells_around around;
        if (head == KG_NONE) continue;
        for (uint32_t i = head; i != KG_NONE; i = grid->origin[i].next)
            kg_list_node_clear(&grid->nodes[i], i);
        kg_grid_find_cells_around(grid, block * KG_BLOCK_CELLS + local, &around);
        for (uint32_t k = 0; k < around.count; ++k) {
            if (!list_cell_pair(world, head, around.head[k], around.image[k])) return false;
        }
    }
    return true;
}
