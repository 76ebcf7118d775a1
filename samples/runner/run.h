/* Running a scene: what the options ask for, and the loop. */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

#include <stdio.h>

#include "scene.h"

/* Exit codes: a contract. */
enum { EXIT_DONE = 0, EXIT_USAGE = 2, EXIT_INVARIANT = 3, EXIT_RESOURCES = 4 };

typedef struct options {
    const char *scene; /* file, "-", or sample name */
    const char *csv, *events, *record;
    uint64_t every;
    const uint64_t *seed; /* NULL: the scene's own */
    uint32_t threads;
    bool check, quiet, states;
} options;

/* Everything a run needs. */
typedef struct runner {
    const options *options;
    const scene *scene;
    const char *name, *text; /* of the scene, for the recording */
    size_t text_size;
    kugel_world *world;
    struct output *csv, *events, *record;
} runner;

/* One line on stderr, "kugel-run: ..."; returns `code`. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

int run_scene(const options *options, const scene *scene, const char *name, const char *text, size_t size);

/* ---- output.c: files that never lie half-written under their name ---- */
typedef struct output {
    FILE *file;
    const char *name;
    char *temporary;
} output;
bool output_open(output *out, const char *name); /* errno says why not */
bool output_finish(output *out);                 /* flush, close, rename */
void output_abandon(output *out);

/* ---- rows.c ---- */
extern const char csv_head[], events_head[];
/* Bodies of the world as csv rows. false when out of memory. */
bool write_csv(FILE *to, const kugel_world *world, uint64_t tick, double time);
/* Impacts, begins and ends of the last step, by time. `start` is the step's start, s. */
void write_events(FILE *to, const scene *scene, const kugel_world *world, uint64_t tick, double start);
/* The beam's hit and exit, if any. */
void write_beam(FILE *to, const scene *scene, const kugel_world *world, size_t beam, uint64_t tick, double time);

/* ---- check.c: invariants ---- */
typedef struct checker {
    double energy;    /* J, may not be exceeded */
    double scale;     /* J, for the tolerance */
    bool energy_means; /* energy is conserved or lost in this scene */
    bool apart;       /* no overlap was seen yet beyond tolerance: from then on none may be */
    char what[256];
} checker;
void check_begin(checker *checker, const scene *scene, const kugel_world *world);
/* After an impulse from outside the energy may be what it is now. */
void check_allow(checker *checker, const kugel_world *world);
/* false: an invariant is violated, `what` says which. */
bool check_tick(checker *checker, const scene *scene, const kugel_world *world);

#endif
