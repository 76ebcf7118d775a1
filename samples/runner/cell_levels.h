/* A hierarchical grid: spheres of any sizes in cells of several sizes, each level half as large as
 * the one above. Finding neighbours costs the same for dust among boulders as for equal spheres. */
#ifndef RUNNER_CELL_LEVELS_H
#define RUNNER_CELL_LEVELS_H

#include "cells.h"
#include "scene.h"

enum { CELL_LEVELS = 32 };

typedef struct cell_levels {
    const double *radius;       /* m, by index; the caller's */
    double largest;             /* m */
    double stretch;             /* neighbours are within `stretch` times the sum of radii */
    double widest[CELL_LEVELS]; /* m, the largest radius of a level */
    cells level[CELL_LEVELS];
    uint32_t *index[CELL_LEVELS]; /* of a level's points; NULL without points */
} cell_levels;

/* Reserve space for `count` spheres in the bounds. `radius` must live as long as the grid. A cell
 * is `edge` times as wide as two of its level's largest spheres reach: from 2 on a search visits 8
 * cells of its level at most, of more spheres each. false: out of memory. */
bool cell_levels_open(cell_levels *levels, const kugel_bounds *bounds, const double *radius,
                      uint32_t count, double stretch, double edge);
void cell_levels_close(cell_levels *levels);
void cell_levels_add(cell_levels *levels, uint32_t index, const double place[3]);
/* Call visit(context, index, squared distance) for all spheres within `stretch` times the sum of
 * radii of a sphere of `radius` at `place`, and some beyond. @return false if a visit ended the
 * search. */
bool cell_levels_near(const cell_levels *levels, const double place[3], double radius,
                      cells_visit *visit, void *context);
/* The same for its own level and those above: a search for each sphere finds each pair. */
bool cell_levels_near_larger(const cell_levels *levels, const double place[3], double radius,
                             cells_visit *visit, void *context);
/* All spheres have been added: call visit(context, a, b, squared distance) for each pair within
 * `stretch` times its sum of radii, and some beyond, some of them twice. false: out of memory. */
typedef void cell_levels_pair(void *context, uint32_t a, uint32_t b, double d2);
bool cell_levels_pairs(cell_levels *levels, cell_levels_pair *visit, void *context);

#endif
