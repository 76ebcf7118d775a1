/* Disturbs the caches of a world, none of which may change a result: neighbour lists, cell lists,
 * windows of the impact stage, the order of the columns. */
#ifndef SUPPORT_CACHES_H
#define SUPPORT_CACHES_H

#include <stdbool.h>

#include "kugel/world.h"

/* The next substep builds all neighbour lists again. */
void support_caches_rebuild_lists(kugel_world *world);
/* The next lists are built for about this skin, m, or for this many times the present one. */
void support_caches_set_skin(kugel_world *world, double skin);
void support_caches_scale_skin(kugel_world *world, double factor);
/* The skin of the present lists, m. */
double support_caches_skin(const kugel_world *world);

/* Without cell lists the world uses Verlet lists only. */
void support_caches_allow_cell_lists(kugel_world *world, bool allowed);
/* The next substep tries cell lists again, however short ago they did not suit. */
void support_caches_retry_cell_lists(kugel_world *world);
bool support_caches_use_cell_lists(const kugel_world *world);

/* The next windows of the impact stage are about this long, s. */
void support_caches_set_window(kugel_world *world, double length);
/* The next step sorts the columns by space, or does not. */
void support_caches_sort_columns(kugel_world *world, bool sort);

#endif
