/* Who is in the dense cells around a body. In: cells (dense.h). Out: entries, side by side. Order: cells, places in them,
 * then those that found no room. */
#include "grid/around.h"

/* Is the cell of one that found no room among those to look at? Then what is to be added to its entry's image. */
static bool is_near(const kg_dense *dense, uint32_t slot, uint32_t other, uint32_t which, int *image)
{
    static const int step[3] = {1, 3, 9};
    int d[3], ahead = 0;
    *image = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int last = (int)dense->count[axis] - 3;
        d[axis] = (int)kg_dense_axis(dense->place[other].cell, axis) - (int)kg_dense_axis(dense->place[slot].cell, axis);
        bool periodic = dense->periodic >> 2 * axis & 1;
        if (periodic && d[axis] == last) d[axis] = -1, *image -= step[axis];
        else if (periodic && d[axis] == -last) d[axis] = 1, *image += step[axis];
        if (d[axis] < -1 || d[axis] > 1) return false;
        ahead += step[axis] * d[axis];
    }
    if (which < KG_DENSE_ALL) return d[which / 2] == (which & 1 ? 1 : -1);
    return which == KG_DENSE_ALL || ahead > 0 || (ahead == 0 && other > slot);
}

uint32_t kg_dense_add_loose(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < dense->loose_count; ++k) {
        int image;
        if (!is_near(dense, slot, dense->loose[k], which, &image)) continue;
        out[count++] = dense->loose[k] | (uint32_t)((int)KG_IMAGE_NONE + image) << KG_ENTRY_IMAGE_SHIFT;
    }
    return count;
}

void kg_dense_fetch(const kg_dense *dense, uint32_t slot)
{
    uint32_t dy = dense->count[0], dz = dy * dense->count[1];
    const kg_dense_cell *first = dense->cell + dense->place[slot].index - dz - dy - 1;
    for (uint32_t z = 0; z < 3; ++z) {
        for (uint32_t y = 0; y < 3; ++y) {
            __builtin_prefetch(first[z * dz + y * dy]);
            __builtin_prefetch(first[z * dz + y * dy + 2]);
        }
    }
}

uint32_t kg_dense_near(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out)
{
    uint64_t self;
    return kg_gather(dense, slot, which, out, &self, false);
}
