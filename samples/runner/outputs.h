/* The files that a run writes (trajectories, events, series, forces, recording, page), and the
 * checks of --check. A file appears under its name only when it is complete, except a recording
 * without --last, which grows under its name. Functions that return an int return 0, or an exit
 * code after a message. */
#ifndef RUNNER_OUTPUTS_H
#define RUNNER_OUTPUTS_H

#include <export.h>

#include "acts.h"
#include "check.h"
#include "forces.h"
#include "rows.h"
#include "run.h"
#include "series.h"
#include "viewing.h"

/* All zero but `options` and `scene`: no file is open. */
typedef struct outputs {
    const options *options;
    const scene *scene;
    exporter csv, export, video;
    atomic_file events, series, forces, record, page;
    event_rows event_rows;
    series_rows series_rows;
    force_rows force_rows;
    schedule beams;
    checker checker;
    viewing viewing;
    int record_errno; /* errno of the recording's failed write */
    /* parts in which the next frame of the export is written, over ranks; 0: it is whole */
    uint32_t pieces;
} outputs;

int outputs_open(outputs *out);
/* Start the recording with the scene's text, if --record or --view is given, and the sums of
 * --forces. */
int outputs_record(outputs *out, kugel_world *world, const char *text, size_t size);
/* Mark the present state as tick 0 of the recording, before the acts of the first tick. */
void outputs_mark(const outputs *out, kugel_world *world);
/* Print a note if --forces gets no row, or --checkpoint FILE@N writes none, because the first one
 * is due after the last tick.
 * @param first the tick at which the run begins */
void outputs_note_late(const outputs *out, uint64_t first);
/* Write the rows of the state after `step->tick` steps, and check the state. For the first state of
 * a run step->start equals step->end. */
int outputs_add(outputs *out, const kugel_world *world, const step_span *step);
/* Call after acts_run: the checks accept the changes, and resting contacts are read again if bodies
 * were made or removed. */
int outputs_note_acts(outputs *out, const kugel_world *world, const acts *acts);
/* Close or remove all files. A violated invariant or an interrupt keeps the files up to that tick;
 * an error removes all files except a recording with --last. @param world may be NULL. @param code
 * the run's exit code so far. @param started true: the loop has begun. @return the exit code of the
 * run, which is that of the first error. */
int outputs_close(outputs *out, kugel_world *world, int code, bool started);

#endif
