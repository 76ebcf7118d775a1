/* Vertices and triangles of simple shapes. */
#include "surfaces/shapes.h"

#include "base/vec.h"

/* Two triangles of the quadrangle a, b, c, d, cut from a to c. */
static uint32_t *add_quadrangle(uint32_t *at, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corners[6] = {a, b, c, c, d, a};
    memcpy(at, corners, sizeof corners);
    return at + 6;
}

void kg_shape_box(const double half[3], double vertices[3 * KG_BOX_VERTICES],
                  uint32_t triangles[3 * KG_BOX_TRIANGLES])
{
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < KG_BOX_VERTICES; ++i) {
        for (int k = 0; k < 3; ++k) vertices[3 * i + k] = i >> k & 1 ? half[k] : -half[k];
    }
    for (int f = 0; f < 6; ++f)
        triangles = add_quadrangle(triangles, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
}

void kg_shape_rectangle(const double half[2], double vertices[3 * KG_RECTANGLE_VERTICES],
                        uint32_t triangles[3 * KG_RECTANGLE_TRIANGLES])
{
    for (int i = 0; i < KG_RECTANGLE_VERTICES; ++i) {
        kg_set3(vertices + 3 * (size_t)i, i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                0);
    }
    add_quadrangle(triangles, 0, 1, 3, 2);
}

void kg_shape_height_field(const kg_height_field *field, double *vertices, uint32_t *triangles)
{
    const double *heights = field->heights;
    for (uint32_t j = 0; j < field->ny; ++j) {
        for (uint32_t i = 0; i < field->nx; ++i, vertices += 3) {
            kg_set3(vertices, field->origin[0] + i * field->spacing[0],
                    field->origin[1] + j * field->spacing[1],
                    field->origin[2] + heights[(size_t)j * field->nx + i]);
        }
    }
    for (uint32_t j = 0; j + 1 < field->ny; ++j) {
        for (uint32_t i = 0; i + 1 < field->nx; ++i) {
            uint32_t a = j * field->nx + i, b = a + 1, c = b + field->nx, d = a + field->nx;
            triangles = add_quadrangle(triangles, a, b, c, d);
        }
    }
}
