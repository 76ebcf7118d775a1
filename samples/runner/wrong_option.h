/* What is wrong with an option that getopt_long did not take. */
#ifndef RUNNER_WRONG_OPTION_H
#define RUNNER_WRONG_OPTION_H

#include <getopt.h>
#include <stddef.h>

/* After getopt_long returned '?': "--tikcs: unknown option; did you mean --ticks?" and the like. */
void wrong_option(char *const *argv, const struct option *longs, char *text, size_t size);

#endif
