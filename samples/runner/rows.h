/* Rows of the events: a contract with other programs. */
#ifndef RUNNER_ROWS_H
#define RUNNER_ROWS_H

#include <stdio.h>

#include "resting.h"
#include "scene.h"

extern const char events_head[];

/* Where they go, and which pairs rest: a pair that ended and began anew at one time did so in that
 * order. */
typedef struct event_rows {
    FILE *to;
    resting resting;
} event_rows;

/* A step: it brings the world to this tick; s. */
typedef struct step_span {
    uint64_t tick;
    double start, end;
} step_span;

/* What happened in the last step, by time. Every step's are to be written. false: out of memory. */
bool write_events(event_rows *rows, const kugel_world *world, const step_span *step);

/* One event row. a is a body's id, or a beam's index. */
void write_event(FILE *to, uint64_t tick, double time, const char *kind, uint32_t a, const char *b,
                 const double point[3], const double normal[3], double speed, double impulse);

/* ---- beams.c ---- */

/* A beam's hit and exit as rows; none when it hits nothing. It acts on the state as it is. Across
 * periodic faces it goes on at the opposite one, through at most 1000 boxes; points are then on the
 * straight line, in the box where the beam has come to. Equally near: bodies by id, then planes,
 * then ellipsoids. false: out of memory. */
bool write_beam(FILE *to, const scene *scene, const kugel_world *world, size_t beam, uint64_t tick,
                double time);

#endif
