/* Places spheres of any sizes among the bodies of a scene without overlaps. */
#ifndef RUNNER_PACKING_H
#define RUNNER_PACKING_H

#include "obstacles.h"

typedef enum packing_result { PACKING_DONE, PACKING_TOO_DENSE, PACKING_NO_MEMORY } packing_result;

/* Give positions to the bodies `loose[count]` of the scene, by id, clear of walls, open faces,
 * planes, obstacles (NULL: none) and all other bodies, also across periodic faces. Random
 * sequential addition, largest first; in dense scenes with overlaps, which are relaxed. Equal
 * spheres reach a packing of 0.6. Cost O(count) times the sweeps, some fifty at a packing of 0.5.
 * The same positions on every platform. */
packing_result pack_bodies(scene *scene, const obstacles *obstacles, const uint32_t *loose,
                           uint32_t count, random_state random);

#endif
