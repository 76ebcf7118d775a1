/* Changes the caches of a world: neighbour lists, cell lists, windows of the impact stage, order of
 * the columns. A cache must never change a result. */
#ifndef SUPPORT_CACHES_H
#define SUPPORT_CACHES_H

#include <stdbool.h>

#include "kugel/world.h"

/* The next substep builds all neighbour lists again. */
void support_caches_rebuild_lists(kugel_world *world);
/* Set the skin for the next lists, m, or scale it; the engine may adapt it. */
void support_caches_set_skin(kugel_world *world, double skin);
void support_caches_scale_skin(kugel_world *world, double factor);
/* The next substep builds all lists with the shortest skin that the engine uses (share 0), with the
 * longest one (share 1), or with one between them, if no body is a sensor. */
void support_caches_force_skin(kugel_world *world, double share);
/* The skin of the present lists, m. */
double support_caches_skin(const kugel_world *world);

/* @param allowed false: the world uses Verlet lists only. */
void support_caches_allow_cell_lists(kugel_world *world, bool allowed);
/* The next substep tries cell lists again, even if they did not suit shortly before. */
void support_caches_retry_cell_lists(kugel_world *world);
bool support_caches_use_cell_lists(const kugel_world *world);

/* Set the length of the next windows of the impact stage, s; the engine may adapt it. */
void support_caches_set_window(kugel_world *world, double length);
/* @param sort true: the next step sorts the columns in space; false: it does not. */
void support_caches_sort_columns(kugel_world *world, bool sort);

#endif
