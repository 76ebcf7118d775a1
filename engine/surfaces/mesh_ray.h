/* Rays against a mesh. In: rays. Out: the first hit of each. Several rays take turns, so that the
 * memory latency of one overlaps the work of the others. */
#ifndef KG_SURFACES_MESH_RAY_H
#define KG_SURFACES_MESH_RAY_H

#include "surfaces/mesh.h"

enum { KG_MESH_RAYS = 8 }; /* maximum number of rays of a call */

typedef struct kg_mesh_ray_task {
    double origin[3], direction[3], limit;
    /* results: the first triangle that origin + t direction meets, with t in [0, limit]; the back
     * of a one-sided mesh is not met */
    double t;         /* KG_NEVER: no triangle */
    double normal[3]; /* unit, on the side of the origin */
    uint32_t triangle;
} kg_mesh_ray_task;

/* Trace `count` rays, at most KG_MESH_RAYS. */
void kg_mesh_rays(const kg_mesh *mesh, uint32_t count, kg_mesh_ray_task *rays);

#endif
