/* The surfaces of a scene at its start, as what generated bodies keep off. An open mesh is a sheet
 * with room on both sides. Solid shapes and the insides of closed meshes have no room. A closed
 * mesh whose box holds the bounds of the scene is a container: the room is inside. */
#ifndef RUNNER_OBSTACLES_H
#define RUNNER_OBSTACLES_H

#include "scene.h"

typedef struct obstacles obstacles;

/* *made is NULL for a scene without surfaces; no function but this one needs it then. false: a
 * complaint. */
bool obstacles_make(const scene *scene, const char *name, obstacles **made, complaint *complaint);
void obstacles_free(obstacles *obstacles);
/* True if a sphere touches no surface and is on the right side of all. Surfaces whose category and
 * mask exclude the bodies of the scene do not count. Cost: two queries. */
bool obstacles_clear(const obstacles *obstacles, const double place[3], double radius);
/* Move a sphere out of what it overlaps, each surface once. */
void obstacles_push(const obstacles *obstacles, double place[3], double radius);

#endif
