/* A mixture: the gases of a scene together, whose spheres of any sizes share the bounds. */
#ifndef RUNNER_MIXTURE_H
#define RUNNER_MIXTURE_H

#include "obstacles.h"

/* Draw the radii of a gas. If it has a count and a packing fraction, all radii are scaled to reach
 * the fraction. In: the seed of `generated`. Out: its radii and its state before the first
 * velocity. false: a complaint, which names the generator by `path`. */
bool mixture_draw(const scene *scene, const generator *g, generated *generated, const char *name,
                  const char *path, complaint *complaint);
/* Place the bodies of all gases clear of all bodies, walls, planes and obstacles (NULL: none). Call
 * after all generators. false: a complaint. */
bool mixture_place(scene *scene, const obstacles *obstacles, const char *name,
                   complaint *complaint);

#endif
