/* The files that a run writes: trajectories, events, series, recording, page; and its checks. Files
 * are complete or absent. Functions that return an int return an exit code, after a message unless
 * it is 0. */
#ifndef RUNNER_OUTPUTS_H
#define RUNNER_OUTPUTS_H

#include <export.h>

#include "acts.h"
#include "check.h"
#include "rows.h"
#include "run.h"
#include "series.h"
#include "viewing.h"

/* All zero but `options` and `scene`: no file is open. */
typedef struct outputs {
    const options *options;
    const scene *scene;
    exporter csv, export, video;
    atomic_file events, series, record, page;
    event_rows event_rows;
    series_rows series_rows;
    schedule beams;
    checker checker;
    viewing viewing;
    int why; /* errno of the recording's failed write */
} outputs;

int outputs_open(outputs *out);
/* Start the recording, if there is to be one, with the scene's text. */
int outputs_record(outputs *out, kugel_world *world, const char *text, size_t size);
/* Write the rows of the state after `step->tick` steps, and check it; step->start is step->end for
 * the first state. */
int outputs_add(outputs *out, const kugel_world *world, const step_span *step);
/* Acts changed the world between steps. */
int outputs_note_acts(outputs *out, const kugel_world *world, const acts *acts);
/* Close or remove all. `code` is the run's exit code. A violated invariant or an interrupt keeps
 * the files up to that tick. An error removes all but the file of --last. @return the run's exit
 * code: the first error's. @param world may be NULL. @param started true: the loop has begun. */
int outputs_close(outputs *out, kugel_world *world, int code, bool started);

#endif
