/* --timing: time of each stage of the step. */
#ifndef RUNNER_TIMING_H
#define RUNNER_TIMING_H

#include <kugel/kugel.h>
#include <stdio.h>

kugel_clock timing_clock(void);
/* Print a line for each stage: mean ms a step, and share of the whole step. */
void timing_print(FILE *out, const kugel_step_times *times);

#endif
