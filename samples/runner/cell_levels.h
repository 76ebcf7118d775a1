/* A hierarchical grid: spheres of any sizes in cells of several sizes, each level half as large as
 * the one above. Finding neighbours costs the same for dust among boulders as for equal spheres. */
#ifndef RUNNER_CELL_LEVELS_H
#define RUNNER_CELL_LEVELS_H

#include "cells.h"
#include "scene.h"

enum { CELL_LEVELS = 32 };

typedef struct cell_levels {
    const double *radius;       /* [index], m; belongs to the caller */
    double largest;             /* m, the largest radius */
    double stretch;             /* neighbours are within `stretch` times the sum of radii */
    double widest[CELL_LEVELS]; /* m, the largest radius of each level */
    cells level[CELL_LEVELS];
    uint32_t *index[CELL_LEVELS]; /* [level][point]: index of the sphere; NULL: an empty level */
} cell_levels;

/* Make the periodic axes of bounds periodic, before points are added. */
void cells_wrap_bounds(cells *cells, const kugel_bounds *bounds);
/* Reserve space for `count` spheres in the bounds. `radius` must live as long as the grid. A cell
 * of a level is `edge` times as wide as the reach of its largest spheres, 2 r `stretch`. If `edge`
 * is at least 2, a search visits at most 8 cells of a level. false: out of memory. */
bool cell_levels_open(cell_levels *levels, const kugel_bounds *bounds, const double *radius,
                      uint32_t count, double stretch, double edge);
void cell_levels_close(cell_levels *levels);
/* Remove all spheres; the memory stays. */
void cell_levels_clear(cell_levels *levels);
void cell_levels_add(cell_levels *levels, uint32_t index, const double place[3]);
/* Call visit(context, index, squared distance) for all spheres within `stretch` times the sum of
 * radii of a sphere of `radius` at `place`, and for some farther ones. @return false if a visit
 * ended the search. */
bool cell_levels_near(const cell_levels *levels, const double place[3], double radius,
                      cells_visit *visit, void *context);
/* As cell_levels_near, for the level of `radius` and those of larger spheres. Such a search for
 * each sphere finds each pair at least once. */
bool cell_levels_near_larger(const cell_levels *levels, const double place[3], double radius,
                             cells_visit *visit, void *context);
/* Call visit(context, a, b, squared distance) for each pair within `stretch` times its sum of
 * radii, and for some farther pairs; some pairs come twice. No sphere can be added until
 * cell_levels_clear. false: out of memory. */
typedef void cell_levels_pair(void *context, uint32_t a, uint32_t b, double d2);
bool cell_levels_pairs(cell_levels *levels, cell_levels_pair *visit, void *context);

#endif
