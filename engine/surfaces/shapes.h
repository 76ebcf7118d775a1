/* Triangles of simple shapes, for kg_mesh_build. The caller gives the arrays; faces look outwards,
 * or along +z: corners turn left seen from there. Corner numbers begin at 0. Pure functions. */
#ifndef KG_SURFACES_SHAPES_H
#define KG_SURFACES_SHAPES_H

#include <stdint.h>

enum {
    KG_BOX_VERTICES = 8,
    KG_BOX_TRIANGLES = 12,
    KG_RECTANGLE_VERTICES = 4,
    KG_RECTANGLE_TRIANGLES = 2
};

/* The surface of a box around the origin; half edges, m, > 0. */
void kg_shape_box(const double half[3], double vertices[3 * KG_BOX_VERTICES],
                  uint32_t triangles[3 * KG_BOX_TRIANGLES]);

/* A rectangle around the origin in the plane z = 0; half edges along x and y, m, > 0. */
void kg_shape_rectangle(const double half[2], double vertices[3 * KG_RECTANGLE_VERTICES],
                        uint32_t triangles[3 * KG_RECTANGLE_TRIANGLES]);

/* Heights over a grid of nx * ny points, both >= 2: heights[j * nx + i], m, is that over the point
 * origin + (i spacing[0], j spacing[1], 0), spacing > 0. Each cell is cut from (i, j) to
 * (i + 1, j + 1). */
typedef struct kg_height_field {
    double origin[3], spacing[2];
    uint32_t nx, ny;
    const double *heights;
} kg_height_field;
static inline uint64_t kg_height_field_vertices(const kg_height_field *field)
{
    return (uint64_t)field->nx * field->ny;
}
static inline uint64_t kg_height_field_triangles(const kg_height_field *field)
{
    return 2 * (uint64_t)(field->nx - 1) * (field->ny - 1);
}
void kg_shape_height_field(const kg_height_field *field, double *vertices, uint32_t *triangles);

#endif
