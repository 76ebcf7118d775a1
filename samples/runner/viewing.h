/* --view: keeps a recording in memory during the run and writes a page that plays it at the end. */
#ifndef RUNNER_VIEWING_H
#define RUNNER_VIEWING_H

#include <stdbool.h>
#include <stdio.h>
#include <atomic_file.h>

typedef struct viewing {
    FILE *stream; /* NULL: off */
    char *data;
    size_t size;
} viewing;

/* false with errno set. */
bool viewing_open(viewing *viewing);
/* Append bytes of the recording. false: out of memory. */
bool viewing_take(viewing *viewing, const void *data, size_t size);
/* Write the page of the closed recording. @param scene path whose last part is the page's title.
 * @return 0, or an exit code after a message. */
int viewing_write(viewing *viewing, const char *scene, const atomic_file *page);
void viewing_close(viewing *viewing);

#endif
