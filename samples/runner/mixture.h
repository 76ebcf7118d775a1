/* A mixture: all gases of a scene share the bounds, with spheres of any sizes. */
#ifndef RUNNER_MIXTURE_H
#define RUNNER_MIXTURE_H

#include "obstacles.h"

/* Append the bodies of a gas without places. Radii are drawn; with a count and a fraction they are
 * scaled to fill this fraction of the bounds' volume. false with a complaint; `path` names the
 * generator. */
bool mixture_draw(scene *scene, const generator *g, uint64_t seed, const char *name,
                  const char *path, complaint *complaint);
/* Give the bodies of all gases places clear of each other, all other bodies, walls, planes and
 * obstacles (NULL: none), then velocities. Runs after all generators; `seeds` are theirs. false
 * with a complaint. */
bool mixture_place(scene *scene, const obstacles *obstacles, const uint64_t *seeds,
                   const char *name, complaint *complaint);

#endif
