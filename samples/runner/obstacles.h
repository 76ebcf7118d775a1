/* The surfaces of a scene in their initial places, as obstacles for generated bodies. Bodies may be
 * on both sides of an open mesh, outside solid shapes, and outside closed meshes. A closed mesh
 * whose bounding box holds the bounds of the scene is a container: bodies are inside. */
#ifndef RUNNER_OBSTACLES_H
#define RUNNER_OBSTACLES_H

#include "scene.h"

typedef struct obstacles obstacles;

/* *made is NULL for a scene without surfaces; only obstacles_free accepts NULL. false: a
 * complaint. */
bool obstacles_make(const scene *scene, const char *name, obstacles **made, complaint *complaint);
void obstacles_free(obstacles *obstacles);
/* True if a sphere overlaps no surface and is on the allowed side of each. Surfaces that the
 * default bodies of the scene do not collide with, by category and mask, are left out. Cost: two
 * queries. */
bool obstacles_clear(const obstacles *obstacles, const double place[3], double radius);
/* Move a sphere out of surfaces that it overlaps, one after the other. */
void obstacles_push(const obstacles *obstacles, double place[3], double radius);

#endif
