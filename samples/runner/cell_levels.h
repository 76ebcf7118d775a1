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

/* Level 0 holds radii above half the largest radius, level 1 those above a quarter, and so on. The
 * last level holds all smaller radii. */
int cell_level_of(double largest, double radius);
/* Make the periodic axes of bounds periodic, before points are added. */
void cells_wrap_bounds(cells *cells, const kugel_bounds *bounds);
/* Reserve space for `count` spheres in the bounds. `radius` must live as long as the grid. A cell
 * of a level is as wide as the reach of its largest spheres, 2 r `stretch`.
 * false: out of memory. */
bool cell_levels_open(cell_levels *levels, const kugel_bounds *bounds, const double *radius,
                      uint32_t count, double stretch);
void cell_levels_close(cell_levels *levels);
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

#endif
