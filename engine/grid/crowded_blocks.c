/* Lists of bodies in blocks that list_build.c cannot copy: too many bodies, or at the end of the
 * coordinate range, where cells hold bodies at any distance. Order of a list: by cell, then slot.
 */
#include "grid/neighbour_lists.h"

/* Cells -1, 0, +1 around a cell along an axis, and the image step of each. */
typedef struct adjacent {
    int32_t cell[3];
    uint32_t image[3];
} adjacent;

static adjacent adjacent_cells(const kg_lattice *lattice, int axis, int32_t cell)
{
    adjacent b;
    int32_t n = lattice->count[axis];
    for (int32_t d = 0; d < 3; ++d) {
        int32_t c = cell + d - 1;
        b.image[d] = n && c < 0 ? 0 : n && c >= n ? 2 : 1;
        b.cell[d] = c + (b.image[d] == 0 ? n : b.image[d] == 2 ? -n : 0);
    }
    return b;
}

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

bool kg_list_build_crowded(kugel_world *world, const kg_block *block)
{
    const kg_grid *grid = world->grid;
    for (uint32_t local = 0; local < KG_BLOCK_CELLS; ++local) {
        uint32_t head = block->head[local];
        adjacent around[3];
        if (head == KG_NONE) continue;
        for (uint32_t i = head; i != KG_NONE; i = grid->origin[i].next)
            kg_list_node_clear(&grid->nodes[i], i);
        for (int axis = 0; axis < 3; ++axis) {
            int32_t cell = block->at[axis] * KG_BLOCK_EDGE + (int32_t)(local >> 2 * axis & 3);
            around[axis] = adjacent_cells(&grid->lattice, axis, cell);
        }
        for (int k = 0; k < 27; ++k) {
            int32_t at[3];
            uint32_t in = 0, image = 0;
            for (int axis = 2; axis >= 0; --axis) {
                int step = axis == 0 ? k % 3 : axis == 1 ? k / 3 % 3 : k / 9;
                at[axis] = around[axis].cell[step] >> KG_BLOCK_SHIFT;
                in = in << KG_BLOCK_SHIFT |
                     ((uint32_t)around[axis].cell[step] & (KG_BLOCK_EDGE - 1));
                image = 3 * image + around[axis].image[step];
            }
            uint32_t b = kg_grid_find_block(grid, at);
            if (b != KG_NONE && !list_cell_pair(world, head, grid->blocks[b].head[in], image))
                return false;
        }
    }
    return true;
}
