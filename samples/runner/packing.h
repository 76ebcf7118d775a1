/* Places spheres of any sizes among the bodies of a scene without overlaps. */
#ifndef RUNNER_PACKING_H
#define RUNNER_PACKING_H

#include "obstacles.h"

typedef enum packing_result { PACKING_DONE, PACKING_TOO_DENSE, PACKING_NO_MEMORY } packing_result;

/* Place the bodies of all gases of a scene, clear of walls, open faces, planes, obstacles (NULL:
 * none) and all bodies, also across periodic faces. Method: random sequential addition, largest
 * first; in dense scenes with overlaps, which are then relaxed. Equal spheres reach a packing of
 * 0.6. Cost O(bodies) times the number of sweeps, about 50 at a packing of 0.5. Places are equal on
 * every platform. */
packing_result pack_gases(scene *scene, const obstacles *obstacles, random_state random);

#endif
