/* --forces: what the bodies do to walls, planes and surfaces, as means over some ticks. Other
 * programs read the rows: names and order of columns stay. */
#ifndef RUNNER_FORCES_H
#define RUNNER_FORCES_H

#include <stdio.h>

#include "rows.h"

extern const char forces_head[];

/* The sums of a target since the last row. */
typedef struct force_sum {
    double impulse[3], angular_impulse[3]; /* N s; N m s about the origin */
    double along, friction;                /* N s, sums of sizes */
    uint64_t impacts;
} force_sum;

typedef struct force_rows {
    FILE *to;
    const scene *scene;
    force_sum *targets;      /* stb_ds: faces, then surfaces by index */
    kugel_impulse_sum *sums; /* stb_ds, of a step */
    double start;            /* s, of the ticks summed so far */
    bool partial;            /* the run began between two rows: the next one would lack ticks */
} force_rows;

/* Add a step, whose world sums impulses; after each scene->accumulate ticks write a row for each
 * wall and surface, unless the run has not had all of these. false: out of memory. */
bool forces_add(force_rows *rows, const kugel_world *world, const step_span *step);
/* The tick of the first row of a run that begins at tick `first`. */
uint64_t forces_first_row(const scene *scene, uint64_t first);
void forces_free(force_rows *rows);

#endif
