/* A mixture: the gases of a scene together, whose spheres of any sizes share the bounds. */
#ifndef RUNNER_MIXTURE_H
#define RUNNER_MIXTURE_H

#include "obstacles.h"

/* Append the bodies of a gas, not yet placed, with random radii. If the gas has a count and a
 * packing fraction, all radii are scaled to reach the fraction. false: a complaint, which names the
 * generator by `path`. */
bool mixture_draw(scene *scene, const generator *g, uint64_t seed, const char *name,
                  const char *path, complaint *complaint);
/* Place the bodies of all gases clear of all bodies, walls, planes and obstacles (NULL: none), then
 * set their velocities. Call after all generators. @param seeds of all generators. false: a
 * complaint. */
bool mixture_place(scene *scene, const obstacles *obstacles, const uint64_t *seeds,
                   const char *name, complaint *complaint);

#endif
