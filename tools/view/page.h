/* The viewer: one HTML page with the engine and a recording, without server or network. In: a
 * recording. Out: the page's bytes. */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include <kugel/kugel.h>
#include <stdio.h>

/* True if the viewer was built; it needs clang and wasi-libc. */
bool view_available(void);

/* Write a page that plays the recording. `name` is its title. Write errors are in the state of the
 * file. @return KUGEL_OK, KUGEL_ERROR_IO, or the status of kugel_player_rewrite. */
kugel_status view_write(FILE *to, const char *name, kugel_player *player);

/* Made at build time: the parts of the page before its data, NULL-terminated; empty without the
 * viewer. */
extern const char *const view_page[];

#endif
