/* Meshes for tests: vertices and triangles in arrays that grow. */
#ifndef SUPPORT_MESH_H
#define SUPPORT_MESH_H

#include "base/memory.h"
#include "support/support_random.h"
#include "surfaces/mesh.h"

enum { SUPPORT_MESH_VERTICES = 80000, SUPPORT_MESH_TRIANGLES = 80000 };

typedef struct support_shape {
    double vertex[3 * SUPPORT_MESH_VERTICES];
    uint32_t corner[3 * SUPPORT_MESH_TRIANGLES];
    uint32_t vertices, triangles;
} support_shape;

/* One shape for all tests of a program, emptied. */
support_shape *support_shape_start(void);
uint32_t support_add_vertex(support_shape *shape, double x, double y, double z);
void support_add_triangle(support_shape *shape, uint32_t a, uint32_t b, uint32_t c);

/* A flat floor [0, n] x [0, n] at height z: 2 n^2 triangles over shuffled vertices of random
 * places, in random order, each split along a random diagonal. */
void support_add_floor(support_shape *shape, support_random *random, uint32_t n, double z);
/* A cube of 12 triangles around the origin, whose faces look outwards. */
void support_add_cube(support_shape *shape, double half);
/* A sphere of 20 * 4^levels triangles around the origin. */
void support_add_icosphere(support_shape *shape, double radius, int levels);
/* Triangles of random corners; with `shared` of few vertices, so that edges and vertices branch. */
void support_add_soup(support_shape *shape, support_random *random, uint32_t triangles,
                      bool shared);

/* For tests against all triangles: a sphere of 320 or a soup of so many triangles in turn, every
 * third one far from the origin: `away` along each axis. */
kg_mesh support_build_any(kg_memory *memory, support_random *random, uint32_t trial,
                          uint32_t triangles, bool one_sided, double *away);

/* A mesh of the shape, with malloc's memory; asserts that it was built. */
kg_mesh support_build(kg_memory *memory, const support_shape *shape, bool one_sided);

/* One ray, as of kg_mesh_rays: KG_NEVER, or its parameter, triangle and normal. */
double support_ray(const kg_mesh *mesh, const double origin[3], const double direction[3],
                   double limit, uint32_t *triangle, double normal[3]);

#endif
