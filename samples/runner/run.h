/* Runs a scene: options and entry point. */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

#include <stdio.h>

#include "scene.h"

/* When the run is drawn in the terminal: automatically, always, never. */
typedef enum live_mode { LIVE_AUTO, LIVE_ON, LIVE_OFF } live_mode;

typedef struct options {
    /* file, "-", or sample name; without one (scene_given) the file to restart from */
    const char *scene;
    bool scene_given;
    const char *restart; /* recording or checkpoint; NULL: none */
    bool restart_is_recording;
    uint64_t restart_tick;  /* of the recording */
    const char *checkpoint; /* NULL: none */
    uint64_t checkpoint_ticks;
    const char *csv, *events, *series, *record, *export, *video, *view;
    const char *format; /* of the export; NULL: given by the file name's ending */
    uint64_t every;
    uint32_t threads;
    uint32_t last; /* minimum number of ticks that the recording keeps; 0: all */
    bool check, quiet, states, timing;
    live_mode live; /* LIVE_AUTO: only on a terminal */
    /* options that replace the scene's values */
    bool ticks_given, dt_given, substeps_given, seed_given;
    uint64_t ticks, substeps, seed;
    double dt;
} options;

/* What a run begins with and stores. */
typedef struct run_start {
    scene *scene;
    const char *text; /* of the scene, stored in the recording */
    size_t text_size;
    const void *snapshot; /* of the world; NULL: the scene's start */
    size_t snapshot_size;
    bool acted;   /* true: the acts of the first tick but impulses and forces are in the snapshot */
    bool is_rank; /* true: one of several ranks, which may have a part of the bodies only */
} run_start;

/* true: the run's files and last lines are complete up to its last tick. */
static inline bool run_is_whole(int code) { return code == EXIT_DONE || code == EXIT_INVARIANT; }

/* Run the scene, write the outputs, print the summary. @return an exit code; a message is printed
 * unless it is 0. */
int run_scene(const options *options, const run_start *start);

#endif
