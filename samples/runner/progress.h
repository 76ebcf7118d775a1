/* Progress on stderr: a bar on a terminal, elsewhere a line from time to time. */
#ifndef RUNNER_PROGRESS_H
#define RUNNER_PROGRESS_H

#include "run.h"

typedef struct progress {
    uint64_t all;  /* ticks of the run */
    int drawn;     /* length of the bar on the screen, in its steps; -1: no bar */
    double every;  /* s between two lines; 0: none */
    double time;   /* s, of the last line */
    uint64_t tick; /* of the last line */
} progress;

/* @param tick before the first step; @param all ticks of the run; @param quiet true: no progress */
progress progress_begin(const options *options, uint64_t tick, uint64_t all, bool quiet);
void progress_show(progress *progress, uint64_t tick);
void progress_end(progress *progress);

#endif
