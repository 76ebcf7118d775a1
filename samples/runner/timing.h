/* --timing: where the time of the steps went. */
#ifndef RUNNER_TIMING_H
#define RUNNER_TIMING_H

#include <kugel/kugel.h>
#include <stdio.h>

kugel_clock timing_clock(void);
/* A line a stage: ms a step, mean over all steps, and its share. */
void timing_print(FILE *out, const kugel_world *world);

#endif
