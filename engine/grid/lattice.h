/* Arithmetic of the uniform grid: positions to cells, cells to blocks and colours.
 * Pure functions of position and lattice. A block is 4 x 4 x 4 cells. No two blocks of one colour
 * are adjacent: colours alternate 0, 1 along an axis; the last block of a periodic axis with an odd
 * number of blocks has the colour 2. */
#ifndef KG_GRID_LATTICE_H
#define KG_GRID_LATTICE_H

#include <stdint.h>

#include "base/constants.h"
#include "kugel/world.h"

typedef struct kg_lattice {
    double origin[3];    /* m, lower corner of cell 0 */
    double inverse[3];   /* 1/m, inverse width of a cell */
    double length[3];    /* m, of a periodic axis; else 0 */
    int32_t count[3];    /* cells along a periodic axis; else 0 */
    double shift[27][4]; /* m; code sx + 3 sy + 9 sz: (sx - 1, sy - 1, sz - 1) lengths */
} kg_lattice;

/* A lattice of cells of width `edge`, m. A periodic axis has a whole number of cells, which are as
 * wide or wider; an axis shorter than `edge` is one cell. */
kg_lattice kg_lattice_make(const kugel_bounds *bounds, double edge);

/* The periodic images that a neighbour can have: three along each periodic axis, one along
 * others. */
typedef struct kg_images {
    uint32_t code[27]; /* as in kg_lattice.shift */
    uint32_t count;
} kg_images;
kg_images kg_lattice_images(const kg_lattice *lattice);

/* The cell along one axis that contains x; on a periodic axis clamped to one cell beyond the
 * ends. */
static inline int32_t kg_lattice_cell_or_next(const kg_lattice *lattice, int axis, double x)
{
    double c = (x - lattice->origin[axis]) * lattice->inverse[axis];
    c = c < -KG_CELL_COORDINATE_LIMIT ? -KG_CELL_COORDINATE_LIMIT : c;
    c = c > KG_CELL_COORDINATE_LIMIT ? KG_CELL_COORDINATE_LIMIT : c;
    int32_t i = (int32_t)c;
    i -= (double)i > c; /* floor */
    int32_t n = lattice->count[axis];
    if (n) {
        i = i < -1 ? -1 : i;
        i = i > n ? n : i;
    }
    return i;
}

/* The cell along one axis that contains x; beyond the ends of a periodic axis the first or last
 * one. */
static inline int32_t kg_lattice_cell(const kg_lattice *lattice, int axis, double x)
{
    int32_t i = kg_lattice_cell_or_next(lattice, axis, x), n = lattice->count[axis];
    return !n ? i : i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* A cell along one axis, at most one beyond the ends of a periodic axis. */
typedef struct kg_axis_cell {
    int32_t block;  /* coordinate of its block */
    uint32_t local; /* summed over the axes: index of the cell in its block */
    uint32_t image; /* summed over the axes: code of its periodic image */
} kg_axis_cell;

static inline kg_axis_cell kg_lattice_axis_cell(const kg_lattice *lattice, int axis, int32_t cell)
{
    static const uint32_t stride[3] = {1, 3, 9};
    int32_t n = lattice->count[axis];
    uint32_t step = n && cell < 0 ? 0 : n && cell >= n ? 2 : 1;
    cell -= ((int32_t)step - 1) * n;
    return (kg_axis_cell){cell >> KG_BLOCK_SHIFT,
                          ((uint32_t)cell & (KG_BLOCK_EDGE - 1)) << KG_BLOCK_SHIFT * axis,
                          step * stride[axis]};
}

/* Colour of a block along one axis, 0 ... 2. */
static inline uint32_t kg_lattice_colour_axis(const kg_lattice *lattice, int axis, int32_t block)
{
    int32_t n = lattice->count[axis];
    int32_t blocks = (n + KG_BLOCK_EDGE - 1) >> KG_BLOCK_SHIFT;
    if (n && (blocks & 1) && block == blocks - 1) return 2;
    return (uint32_t)block & 1u;
}

/* Colour of a block, 0 ... 26. */
static inline uint32_t kg_lattice_colour(const kg_lattice *lattice, const int32_t block[3])
{
    return kg_lattice_colour_axis(lattice, 0, block[0]) +
           3 * kg_lattice_colour_axis(lattice, 1, block[1]) +
           9 * kg_lattice_colour_axis(lattice, 2, block[2]);
}

#endif
