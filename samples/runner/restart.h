/* --restart FILE@TICK: the state of a recording after TICK steps, and the scene stored in the
 * recording. --restart FILE: the state of a checkpoint. In: the file. Out: a snapshot. Cost: that
 * of kugel-replay seek. */
#ifndef RUNNER_RESTART_H
#define RUNNER_RESTART_H

#include "run.h"

/* All zero: empty. */
typedef struct restart {
    void *snapshot; /* malloc'ed */
    size_t size;
    char *text; /* the scene in the recording, malloc'ed; NULL: none */
    size_t text_size;
    double dt; /* s, length of the recording's first tick; 0: not known */
    /* s, times of two successive states, one of them at TICK; equal: not known */
    double before, after;
    kugel_world_def world; /* the recorded settings */
    plane *planes;         /* stb_ds array */
} restart;

/* @return 0, or an exit code after a message. */
int restart_read(restart *restart, const options *options);
/* Replace the scene's settings and planes by the recorded ones, and drop its bodies. If neither an
 * option nor a scene file gives dt, the recorded dt replaces that of the stored scene. @return 0,
 * or an exit code after a message. */
int restart_replace(restart *restart, const options *options, scene *scene);
void restart_free(restart *restart);

#endif
