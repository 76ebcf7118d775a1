/* --series: one row for each tick with sums over all bodies and impacts. Cost O(bodies + impacts) a
 * tick. Other programs read the rows: names and order of columns stay. */
#ifndef RUNNER_SERIES_H
#define RUNNER_SERIES_H

#include <row_set.h>
#include <stdio.h>

#include "rows.h"

extern const char series_head[];

typedef struct series_rows {
    FILE *to;
    row_set bodies;
} series_rows;

/* Write the row of the state after the step. Pressures are those of this step:
 *
 *   wall_pressure = sum J / (A t)                        impacts on walls, A: area of the walls
 *   pressure = (sum m u^2 + sum J (ra + rb) / t) / 3 V   the virial theorem, V: volume of the box
 *
 * J: impulse along the normal, t: length of the step, u: velocity of a dynamic body relative to the
 * centre of mass. The second sum is over impacts of two dynamic bodies. A counts walls without an
 * open face at their edges; V needs bounds without open faces. A pressure without A or V is 0.
 * false: out of memory. */
bool series_add(series_rows *rows, const kugel_world *world, const step_span *step);
void series_free(series_rows *rows);

#endif
