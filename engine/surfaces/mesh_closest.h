/* The point of a mesh nearest to a point, of any triangle but dropped ones, from either side. Of
 * equal distances the lowest triangle counts. In: mesh, point in its frame. */
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
