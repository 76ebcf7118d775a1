/* Neighbours of a body in cell lists.
 * In: cells (cell_lists.h). Out: neighbours. Order: by cell, then place in the cell, then the
 * overflow, then oversized bodies. */
#include "grid/cell_lists_gather.h"

#include "base/compiler.h"

/* True when the overflow body `other` is in one of the cells to gather. `*image`: code of its image
 * less KG_IMAGE_NONE. */
static bool is_neighbour_cell(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t other,
                              uint32_t which, int *image)
{
    static const int step[3] = {1, 3, 9};
    bool oversized = kg_cell_lists_is_oversized(cell_lists, slot);
    int d[3], offset = 0;
    *image = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int size = (int)cell_lists->count[axis] - 2;
        d[axis] = (int)kg_cell_coordinate(cell_lists->body_cell[other].cell, axis) -
                  (int)kg_cell_coordinate(cell_lists->body_cell[slot].cell, axis);
        bool periodic = cell_lists->periodic_faces >> 2 * axis & 1;
        if (periodic && 2 * d[axis] > size) d[axis] -= size, *image -= step[axis];
        else if (periodic && 2 * d[axis] < -size) d[axis] += size, *image += step[axis];
        if (!oversized && (d[axis] < -1 || d[axis] > 1)) return false;
        offset += step[axis] * d[axis];
    }
    if (which < KG_CELL_GATHER_ALL) return d[which / 2] == (which & 1 ? 1 : -1);
    return which == KG_CELL_GATHER_ALL || offset > 0 || (offset == 0 && other > slot);
}

uint32_t kg_gather_overflow(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t which,
                            uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < cell_lists->overflow_count; ++k) {
        int image;
        if (!is_neighbour_cell(cell_lists, slot, cell_lists->overflow[k], which, &image)) continue;
        out[count++] = cell_lists->overflow[k] | (uint32_t)((int)KG_IMAGE_NONE + image)
                                                     << KG_NEIGHBOUR_IMAGE_SHIFT;
    }
    return count;
}

uint32_t kg_gather_rare(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t which,
                        uint32_t *out)
{
    uint32_t count = kg_gather_overflow(cell_lists, slot, which, out);
    if (!cell_lists->oversized_count) return count;
    intptr_t moved = 0;
    uint32_t index = cell_lists->body_cell[slot].index;
    for (int k = 0; k < KG_NEAR_PARTS; ++k)
        kg_gather_cell(cell_lists->near_cell[index][k], out + count + k * KG_CELL_CAPACITY, false,
                       &moved);
    return count + KG_NEAR_PARTS * KG_CELL_CAPACITY + (uint32_t)moved;
}

void kg_cell_lists_prefetch(const kg_cell_lists *cell_lists, uint32_t slot)
{
    uint32_t dy = cell_lists->count[0], dz = dy * cell_lists->count[1];
    const kg_cell *first = kg_cells(cell_lists) + cell_lists->body_cell[slot].index - dz - dy - 1;
    for (uint32_t z = 0; z < 3; ++z) {
        for (uint32_t y = 0; y < 3; ++y) {
            KG_PREFETCH(first[z * dz + y * dy]);
            KG_PREFETCH(first[z * dz + y * dy + 2]);
        }
    }
}

uint32_t kg_cell_lists_neighbours(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t *out)
{
    uint64_t self;
    return kg_gather_neighbours(cell_lists, slot, KG_CELL_GATHER_ALL, out, &self, false);
}
