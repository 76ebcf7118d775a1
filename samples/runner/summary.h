/* What a run prints at its end: notes, times of the stages, the last lines. */
#ifndef RUNNER_SUMMARY_H
#define RUNNER_SUMMARY_H

#include "acts.h"
#include "overlap.h"
#include "run.h"

typedef struct summary {
    uint64_t bodies;
    kugel_energy start, end; /* before the first tick and after the last one */
    kugel_stats stats;       /* after the last tick */
    kugel_step_times times;
    uint64_t hash;
    overlap deepest;
} summary;

/* Notes and times on standard error, five lines on standard output. */
void summary_print(const summary *summary, const options *options, const acts *acts);

#endif
