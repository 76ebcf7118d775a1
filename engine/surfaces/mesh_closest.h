/* The point of a mesh nearest to a given point: on any triangle with an area, from either side. The
 * lowest of the triangles with equal distances is chosen. In: mesh, point in the mesh's frame. */
#ifndef KG_SURFACES_MESH_CLOSEST_H
#define KG_SURFACES_MESH_CLOSEST_H

#include "surfaces/mesh.h"

typedef struct kg_mesh_closest {
    double point[3];
    double distance; /* m */
    uint32_t triangle;
} kg_mesh_closest;

/* False if no triangle is within `limit`, m. */
bool kg_mesh_find_closest(const kg_mesh *mesh, const double x[3], double limit,
                          kg_mesh_closest *closest);

#endif
