/* Meshes for tests of surfaces. */
#ifndef SUPPORT_MESH_H
#define SUPPORT_MESH_H

#include "kugel/surface.h"
#include "support/support_random.h"

typedef struct support_mesh {
    double *vertices;    /* [3 * vertex_count] */
    uint32_t *triangles; /* [3 * triangle_count] */
    uint32_t vertex_count, triangle_count;
} support_mesh;

/* A square [-size / 2, size / 2]^2 of cells x cells squares, two triangles each. Inner vertices are
 * moved sideways by up to a third of a square, and all vertices up by up to `bumps` (m). */
support_mesh support_mesh_floor(uint32_t cells, double size, double bumps, support_random *random);
/* A flat square [-size / 2, size / 2]^2 of rows of rectangles with random lengths, like bricks: a
 * vertex of one row lies on an edge of the next row. */
support_mesh support_mesh_bricks(uint32_t rows, uint32_t bricks, double size,
                                 support_random *random);
/* A closed mesh near a sphere about the origin: an octahedron, each triangle cut into four
 * `divisions` times. All vertices lie on the sphere; the front is outside. */
support_mesh support_mesh_ball(uint32_t divisions, double radius);
void support_mesh_free(support_mesh *mesh);

/* The default def of a surface with this mesh. */
kugel_surface_def support_mesh_def(const support_mesh *mesh);

#endif
