/* Makes the world of a scene: first with its settings, then its planes, surfaces and bodies.
 * Functions that return an int return 0, or an exit code after a message. */
#ifndef RUNNER_MAKE_WORLD_H
#define RUNNER_MAKE_WORLD_H

#include "run.h"

/* Make an empty world with the scene's settings, or the world of the snapshot. */
int make_world(const options *options, const run_start *start, kugel_world **world);
/* The definition of a surface with pointers to its arrays, which the scene keeps. */
kugel_surface_def surface_def(const surface *surface);
/* The surface with this index in the scene: in the world the planes of the scene come first. */
kugel_surface world_surface(const kugel_world *world, const scene *scene, uint32_t index);
/* The surface or plane that a motion or servo moves; null if there is none. */
kugel_surface world_moved(const kugel_world *world, const scene *scene, const mover *mover);
/* Read the plane with this index among the surfaces of the world; it has no velocities, and its
 * index as name. False if it is no plane. */
bool world_plane(const kugel_world *world, uint32_t index, plane *plane);
/* Add planes, surfaces and bodies to the world. Afterwards the scene has no bodies. */
int fill_world(const options *options, scene *scene, kugel_world *world);

#endif
