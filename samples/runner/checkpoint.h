/* --checkpoint FILE@N: a snapshot of the world after each N-th tick, for --restart FILE. The file
 * is replaced as a whole: at any moment it is a complete checkpoint, the last or the one before. */
#ifndef RUNNER_CHECKPOINT_H
#define RUNNER_CHECKPOINT_H

#include "run.h"

bool checkpoint_is_due(const options *options, uint64_t tick);
/* Before the run: can the file be written? @return 0, or an exit code after a message. */
int checkpoint_try(const options *options);
/* @return as above. */
int checkpoint_write(const options *options, kugel_world *world);

#endif
