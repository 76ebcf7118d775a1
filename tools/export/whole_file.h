/* Files that never lie half-written under their name: they are written beside it and renamed at the end.
 * "-" is standard output; pipes and devices are written as they are. */
#ifndef EXPORT_WHOLE_FILE_H
#define EXPORT_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct whole_file {
    FILE *file; /* NULL: not asked for, or closed */
    const char *name;
    char *temporary; /* NULL: none */
} whole_file;

/* false: errno says why. */
bool whole_file_open(whole_file *out, const char *name);
/* Has a write failed so far? Flushes. */
bool whole_file_good(whole_file *out);
/* Close and rename; nothing is left when that fails (errno says why). */
bool whole_file_finish(whole_file *out);
/* Close and remove. */
void whole_file_abandon(whole_file *out);

#endif
