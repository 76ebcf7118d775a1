/* A progress bar on stderr. */
#ifndef RUNNER_PROGRESS_H
#define RUNNER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    uint64_t all; /* ticks of the run */
    int drawn;    /* length of the bar on the screen, in its steps; -1: off */
} progress;

/* Draws nothing if `quiet` or if stderr is not a terminal. */
progress progress_begin(uint64_t all, bool quiet);
void progress_show(progress *progress, uint64_t tick);
void progress_end(progress *progress);

#endif
