/* --checkpoint FILE@N: a snapshot of the world after each N-th tick, for --restart FILE. Each
 * checkpoint replaces the file as a whole, so that the file is complete at any moment. */
#ifndef RUNNER_CHECKPOINT_H
#define RUNNER_CHECKPOINT_H

#include "run.h"

bool checkpoint_is_due(const options *options, uint64_t tick);
/* Check before the run that the file can be written. @return 0, or an exit code after a message. */
int checkpoint_try(const options *options);
/* @return 0, or an exit code after a message. */
int checkpoint_write(const options *options, kugel_world *world);

#endif
