/* The viewer: one page of HTML that holds the engine and a recording and needs neither server nor
 * network. In: a recording. Out: the page's bytes. */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include <kugel/kugel.h>
#include <stdio.h>

/* Was the viewer there when this program was built? It takes clang and wasi-libc. */
bool view_available(void);

/* Write a page that plays the recording. `name` is its title. The file's own state tells of failed
 * writes.
 * @return KUGEL_OK, KUGEL_ERROR_IO, or what kugel_player_rewrite returned. */
kugel_status view_write(FILE *to, const char *name, kugel_player *player);

/* Made at build time: the page up to its data in parts that NULL ends; without the viewer there is
 * none. */
extern const char *const view_page[];

#endif
