/* The lattice of a world: width and number of cells, and the offsets of periodic images. */
#include "grid/lattice.h"

#include <stdbool.h>

kg_lattice kg_lattice_make(const kugel_bounds *bounds, double edge)
{
    kg_lattice lattice = {0};
    for (int axis = 0; axis < 3; ++axis) {
        kugel_face low = bounds->faces[2 * axis], high = bounds->faces[2 * axis + 1];
        lattice.inverse[axis] = 1 / edge;
        if (low != KUGEL_FACE_OPEN) lattice.origin[axis] = bounds->min[axis];
        else if (high != KUGEL_FACE_OPEN) lattice.origin[axis] = bounds->max[axis];
        if (low != KUGEL_FACE_PERIODIC) continue;
        lattice.length[axis] = bounds->max[axis] - bounds->min[axis];
        double cells = lattice.length[axis] / edge;
        cells = cells > KG_CELL_COORDINATE_LIMIT ? KG_CELL_COORDINATE_LIMIT : cells;
        lattice.count[axis] = cells < 1 ? 1 : (int32_t)cells;
        lattice.inverse[axis] = lattice.count[axis] / lattice.length[axis];
    }
    for (int image = 0; image < 27; ++image) {
        const int step[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
        for (int axis = 0; axis < 3; ++axis)
            lattice.shift[image][axis] = step[axis] * lattice.length[axis];
    }
    return lattice;
}

kg_images kg_lattice_images(const kg_lattice *lattice)
{
    kg_images all = {.count = 0};
    for (uint32_t image = 0; image < 27; ++image) {
        bool real = (image % 3 == 1 || lattice->count[0]) &&
                    (image / 3 % 3 == 1 || lattice->count[1]) &&
                    (image / 9 == 1 || lattice->count[2]);
        if (real) all.code[all.count++] = image;
    }
    return all;
}
