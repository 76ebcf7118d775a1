/* A small world, the source of seeds of corpora and of the base of all fuzzed deltas. */
#ifndef FUZZ_SEED_WORLD_H
#define FUZZ_SEED_WORLD_H

#include <kugel/kugel.h>

/* Add a mesh of four triangles. */
void seed_world_add_mesh(kugel_world *world);
/* Six bodies of all types above a plane in a box of walls. @param periodic true: the x axis is
 * periodic; false: there is a mesh. */
kugel_world *seed_world_make(bool periodic);
/* Calls of the tick (a force, a filter, a removed body), then a step of 1/60 s. */
void seed_world_step(kugel_world *world);

#endif
