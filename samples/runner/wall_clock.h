/* The clock of waits and of what happens by wall time. Includers define _GNU_SOURCE. */
#ifndef RUNNER_WALL_CLOCK_H
#define RUNNER_WALL_CLOCK_H

#include <time.h>

/* s since some moment; never decreases. */
static inline double wall_clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
