/* --checkpoint FILE, FILE@N: a snapshot of the world for --restart FILE, between two ticks: after
 * each N-th tick, every --checkpoint-every seconds, after SIGUSR1, and when a signal ends the run.
 * Each checkpoint replaces the file as a whole, so that the file is complete at any moment. */
#ifndef RUNNER_CHECKPOINT_H
#define RUNNER_CHECKPOINT_H

#include "run.h"

/* True if the number of the tick asks for a checkpoint. */
bool checkpoint_is_due(const options *options, uint64_t tick);
/* True if --checkpoint-every seconds have passed since *last. @param last in and out: s of the wall
 * clock, when the run began or such a checkpoint was due */
bool checkpoint_time_is_due(const options *options, double *last);
/* Check before the run that the file can be written. @return 0, or an exit code after a message. */
int checkpoint_try(const options *options);
/* @return 0, or an exit code after a message. */
int checkpoint_write(const options *options, kugel_world *world);

#endif
