/* The clock, and medians and quartiles of sorted times. */
#define _GNU_SOURCE
#include "times.h"

#include <stdlib.h>
#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double now(void) { return read_clock(CLOCK_MONOTONIC); }
double thread_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

static int compare(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

times times_of(double *seconds, size_t n)
{
    qsort(seconds, n, sizeof *seconds, compare);
    double median = seconds[n / 2];
    return (times){median, seconds[0],
                   (seconds[n - 1 - (n - 1) / 4] - seconds[(n - 1) / 4]) / median};
}
