/* Rays against a mesh, several at once. See kg_mesh_ray in mesh.h for one. */
#ifndef KG_SURFACES_MESH_RAY_H
#define KG_SURFACES_MESH_RAY_H

#include "surfaces/mesh.h"

enum { KG_MESH_RAYS = 8 }; /* in flight: memory latency of one overlaps the work of others */

typedef struct kg_mesh_ray_task {
    double origin[3], direction[3], limit;
    /* results, as of kg_mesh_ray */
    double t, normal[3];
    uint32_t triangle;
} kg_mesh_ray_task;

/* At most KG_MESH_RAYS. */
void kg_mesh_rays(const kg_mesh *mesh, uint32_t count, kg_mesh_ray_task *rays);

#endif
