/* Rows of the event file. Other programs read them: names and order of columns stay. */
#ifndef RUNNER_ROWS_H
#define RUNNER_ROWS_H

#include <stdio.h>

#include "resting.h"
#include "scene.h"

extern const char events_head[];

/* The output, and the pairs at rest: they decide the order of begin and end at one time. */
typedef struct event_rows {
    FILE *to;
    const scene *scene; /* has the names of surfaces */
    resting resting;
} event_rows;

/* The step that leads to `tick`, s. */
typedef struct step_span {
    uint64_t tick;
    double start, end;
} step_span;

/* Note the pairs that rest at the start of the run. false: out of memory. */
bool events_begin(event_rows *rows, const kugel_world *world);

/* Write the events of the last step by time. Must be called after every step. false: out of
 * memory. */
bool write_events(event_rows *rows, const kugel_world *world, const step_span *step);

/* Write one row. a is the id of a body or the index of a beam. */
void write_event(FILE *to, uint64_t tick, double time, const char *kind, uint32_t a, const char *b,
                 const double point[3], const double normal[3], double speed, double impulse);

/* "surface:drum", or "surface:7" for one that the scene does not have. */
void surface_name(char out[80], const scene *scene, uint32_t index);

/* beams.c */

/* Write the hit and the exit of a beam; nothing if it hits nothing. It is cast in the present
 * state. Across periodic faces it continues at the opposite face, through at most 1000 boxes;
 * points lie on the straight line. At equal distance: bodies by id, then planes, then ellipsoids,
 * then surfaces. false: out of memory. */
bool write_beam(FILE *to, const scene *scene, const kugel_world *world, size_t beam, uint64_t tick,
                double time);

#endif
