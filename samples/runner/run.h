/* Running a scene: what the options ask for, and the loop. */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

#include <stdio.h>

#include "scene.h"

/* Is the run drawn in the terminal? */
typedef enum live_mode { LIVE_AUTO, LIVE_ON, LIVE_OFF } live_mode;

typedef struct options {
    const char *scene; /* file, "-", or sample name */
    const char *csv, *events, *record, *export, *video, *view;
    const char *format; /* of the export; NULL: what its ending says */
    uint64_t every;
    uint32_t threads;
    uint32_t last; /* ticks that the recording keeps at least; 0: all */
    bool check, quiet, states, timing;
    live_mode live; /* auto: where somebody looks at it */
    /* what replaces the scene's own values */
    bool ticks_given, dt_given, substeps_given, seed_given;
    uint64_t ticks, substeps, seed;
    double dt;
} options;

/* Run it, write what is asked for, print the summary. `text` is the scene's, kept in the recording.
 * @return an exit code; anything but 0 has been complained about. */
int run_scene(const options *options, const scene *scene, const char *text, size_t size);
/* When all is written: SIGTERM and SIGHUP, which ended the run after a tick as SIGINT does, end the
 * program. */
void run_pass_signal(void);

#endif
