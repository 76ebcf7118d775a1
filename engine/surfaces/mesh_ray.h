/* Rays against a mesh, one or several at once. */
#ifndef KG_SURFACES_MESH_RAY_H
#define KG_SURFACES_MESH_RAY_H

#include "surfaces/mesh.h"

enum { KG_MESH_RAYS = 8 }; /* in flight: memory latency of one overlaps the work of others */

typedef struct kg_mesh_ray_task {
    double origin[3], direction[3], limit;
    /* Results: the first triangle that origin + t direction meets, t in [0, limit]; backs of
     * one-sided meshes do not count. t is KG_NEVER if there is none. */
    double t, normal[3]; /* unit, on the side of the origin */
    uint32_t triangle;
} kg_mesh_ray_task;

/* At most KG_MESH_RAYS. */
void kg_mesh_rays(const kg_mesh *mesh, uint32_t count, kg_mesh_ray_task *rays);

#endif
