/* Runs a scene: options and entry point. */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

#include <picture_look.h>
#include <stdio.h>

#include "scene.h"

/* When the run is drawn in the terminal: automatically, always, never. */
typedef enum live_mode { LIVE_AUTO, LIVE_ON, LIVE_OFF } live_mode;

typedef struct options {
    const char *scene;   /* file, "-", or sample name; if not given, the file of --restart */
    bool scene_given;    /* true: the command line names a scene */
    const char *restart; /* recording or checkpoint; NULL: none */
    bool restart_is_recording;
    uint64_t restart_tick;     /* of the recording */
    const char *checkpoint;    /* file; NULL: none */
    uint64_t checkpoint_ticks; /* ticks between two checkpoints; 0: not by ticks */
    double checkpoint_every;   /* s of wall time between two checkpoints; 0: not by time */
    double log_every;          /* s of wall time between two lines of progress; 0: none */
    /* output files; NULL: none */
    const char *csv, *events, *series, *forces, *record, *export, *video, *view;
    const char *format; /* of the export; NULL: given by the ending of the file's name */
    picture_look look;  /* of video and pictures */
    bool look_given;
    uint64_t every; /* ticks between two frames of csv, export and video */
    uint32_t threads;
    uint64_t memory; /* limit of the world, MiB; 0: none, or the default where a file is restored */
    uint32_t last;   /* minimum number of ticks that the recording keeps; 0: all */
    bool check, quiet, timing;
    bool other_writes; /* true: another process writes the files, and checks their names */
    bool states;       /* true: the recording stores states, too; false: inputs and hashes only */
    live_mode live;    /* LIVE_AUTO: only on a terminal */
    /* values that replace those of the scene, if given */
    bool ticks_given, dt_given, substeps_given, seed_given;
    uint64_t ticks, substeps, seed;
    double dt;
} options;

/* The input of a run. */
typedef struct run_start {
    scene *scene;
    const char *text; /* of the scene, stored in the recording */
    size_t text_size;
    const void *snapshot; /* of the world; NULL: the scene's start */
    size_t snapshot_size;
    bool is_rank; /* true: one of several ranks, which may have only a part of the bodies */
} run_start;

/* True if the files and last lines of a run with this exit code are complete up to its last
 * tick. */
static inline bool run_is_whole(int code) { return code == EXIT_DONE || code == EXIT_INVARIANT; }

/* Run the scene, write the outputs, print the summary. @return 0, or an exit code after a
 * message. */
int run_scene(const options *options, const run_start *start);

#endif
