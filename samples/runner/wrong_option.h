/* Messages for options that getopt_long refuses. */
#ifndef RUNNER_WRONG_OPTION_H
#define RUNNER_WRONG_OPTION_H

#include <getopt.h>
#include <stddef.h>

/* Call after getopt_long returned '?'. Example: "--tikcs: unknown option; did you mean
 * --ticks?". */
void wrong_option(char *const *argv, const struct option *longs, char *text, size_t size);

#endif
