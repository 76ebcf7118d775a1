/* Makes the world of a scene: its settings, then its planes, surfaces and bodies. Each returns 0,
 * or an exit code after a message. */
#ifndef RUNNER_MAKE_WORLD_H
#define RUNNER_MAKE_WORLD_H

#include "run.h"

/* The empty world, or that of the snapshot. */
int make_world(const options *options, const run_start *start, kugel_world **world);
/* Of a surface, with its arrays. */
kugel_surface_def surface_def(const surface *surface);
/* Afterwards the scene has no bodies: they are in the world. */
int fill_world(const options *options, scene *scene, kugel_world *world);

#endif
