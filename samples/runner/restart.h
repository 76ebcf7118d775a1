/* --restart FILE@TICK: the state of a recording after TICK steps, and the scene stored in it.
 * --restart FILE: the state of a checkpoint. In: the file. Out: a snapshot. Cost: that of
 * kugel-replay seek. */
#ifndef RUNNER_RESTART_H
#define RUNNER_RESTART_H

#include "run.h"

/* All zero: empty. */
typedef struct restart {
    void *snapshot; /* malloc'ed */
    size_t size;
    char *text; /* the scene in the recording, malloc'ed; NULL: none */
    size_t text_size;
    /* a seek to tick 0 includes the calls before the first step up to the first push */
    bool acted;
    double dt; /* s, of the recording's first tick; 0: not known */
    /* s, times of two successive states around the tick; equal: not known */
    double before, after;
    kugel_world_def world;
    kugel_plane *planes; /* stb_ds array */
} restart;

/* @return 0, or an exit code after a message. */
int restart_read(restart *restart, const options *options);
/* Put the recorded settings and planes in the place of the scene's, and drop its bodies. Where
 * neither an option nor a scene file gives dt, the recorded one replaces that of the stored scene.
 * @return as above. */
int restart_replace(restart *restart, const options *options, scene *scene);
void restart_free(restart *restart);

#endif
