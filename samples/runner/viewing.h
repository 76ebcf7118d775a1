/* What --view wants: a recording that is kept in memory while the run goes on, and the page that is
 * made of it at the end. */
#ifndef RUNNER_VIEWING_H
#define RUNNER_VIEWING_H

#include <stdbool.h>
#include <stdio.h>
#include <atomic_file.h>

typedef struct viewing {
    FILE *stream; /* NULL: not asked for */
    char *data;
    size_t size;
} viewing;

/* false: errno says why. */
bool viewing_open(viewing *viewing);
/* The recording's next bytes; false when out of memory. */
bool viewing_take(viewing *viewing, const void *data, size_t size);
/* Write the page of a closed recording. @param scene its title is the name of this file. @return an
 * exit code; a complaint was made unless it is 0. */
int viewing_write(viewing *viewing, const char *scene, const atomic_file *page);
void viewing_close(viewing *viewing);

#endif
