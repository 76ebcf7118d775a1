/* How deep spheres are in the ground, measured by a world of kugel that has only the ground. */
#ifndef GROUND_H
#define GROUND_H

#include "bench.h"

/* A world with the floor and the movers of a scene, without bodies. */
kugel_world *ground_open(const scene *scene);
/* Depth of the deepest sphere, radii. @param x positions, 3 a sphere. */
double ground_depth(const scene *scene, const kugel_world *ground, const double *x);

#endif
