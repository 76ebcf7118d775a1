/* Files that never lie half-written under their name: they are written beside it and renamed at the end.
 * "-" is standard output; pipes and devices are written as they are. */
#ifndef RUNNER_OUTPUT_H
#define RUNNER_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output {
    FILE *file; /* NULL: not asked for, or closed */
    const char *name;
    char *temporary; /* NULL: none */
} output;

/* false: errno says why. */
bool output_open(output *out, const char *name);
/* Has a write failed so far? Flushes. */
bool output_good(output *out);
/* Close and rename; nothing is left when that fails (errno says why). */
bool output_finish(output *out);
/* Close and remove. */
void output_abandon(output *out);

#endif
