/* The Markdown page of one or more runs, which no hand edits: a head, then a section for each
 * scene. A run replaces the sections of its scenes and keeps the others. */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Read the page of earlier runs, if the file is one, and open it for writing. @return 0, or 4
 * after a message. */
int page_open(const char *name);
/* True if the name of page_open is that of the open file, which is not a device. */
bool page_is(FILE *open);
/* The stream of a new section "## title"; `rows` counts its rows until the next call. NULL without
 * memory. */
FILE *page_begin(const char *title, unsigned *rows);
/* Write head and sections, in the order of the earlier page, then new ones. A section that has more
 * rows in the earlier page, from runs of more sizes, is kept with a line on standard output.
 * @return false on an error. */
bool page_close(const char *head);

#endif
