/* Rows of the event file. Other programs read them: names and order of columns stay. */
#ifndef RUNNER_ROWS_H
#define RUNNER_ROWS_H

#include <stdio.h>

#include "resting.h"
#include "scene.h"

extern const char events_head[];

typedef struct event_rows {
    FILE *to;
    const scene *scene; /* has the names of surfaces */
    resting resting;    /* decides the order of begin and end events at one time */
} event_rows;

/* The step that leads to the state `tick`. */
typedef struct step_span {
    uint64_t tick;
    double start, end; /* s, simulated time */
} step_span;

/* Read the resting contacts of the present state. false: out of memory. */
bool events_begin(event_rows *rows, const kugel_world *world);

/* Write the events of the last step by time. Must be called after every step. false: out of
 * memory. */
bool write_events(event_rows *rows, const kugel_world *world, const step_span *step);

/* Write one row. @param a the id of a body or the index of a beam. @param b what it met. */
void write_event(FILE *to, uint64_t tick, double time, const char *kind, uint32_t a, const char *b,
                 const double point[3], const double normal[3], double speed, double impulse);

/* Size of the name of a target, with the final 0. */
enum { TARGET_NAME = 80 };
/* "17" (a body), "wall:x-min", "plane:0", "surface:drum", or "surface:7" if the scene does not have
 * the surface. The first surfaces of the world are the planes of the scene. */
void target_name(char out[TARGET_NAME], const scene *scene, kugel_target target, uint32_t index);

/* beams.c */

/* Cast a beam in the present state and write its hit and its exit, or nothing if it hits nothing.
 * Across periodic faces a beam continues through at most 1000 periodic images of the bounds; points
 * lie on the straight line. At equal distances bodies come first, by id, then planes, ellipsoids
 * and surfaces. false: out of memory. */
bool write_beam(FILE *to, const scene *scene, const kugel_world *world, size_t beam, uint64_t tick,
                double time);

#endif
