/* Runs a scene: options and entry point. */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

#include <stdio.h>

#include "scene.h"

/* Whether the run is drawn in the terminal. */
typedef enum live_mode { LIVE_AUTO, LIVE_ON, LIVE_OFF } live_mode;

typedef struct options {
    const char *scene; /* file, "-", or sample name */
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

/* Run the scene, write the outputs, print the summary. `text` is stored in the recording. @return
 * an exit code; a message is printed unless it is 0. */
int run_scene(const options *options, const scene *scene, const char *text, size_t size);

#endif
