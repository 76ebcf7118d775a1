/* Floors of cells or bricks, and balls, as meshes. */
#include "support/support_mesh.h"

#include <math.h>
#include <stdlib.h>

static support_mesh make(uint32_t vertices, uint32_t triangles)
{
    return (support_mesh){.vertices = calloc(3 * (size_t)vertices, sizeof(double)),
                          .triangles = calloc(3 * (size_t)triangles, sizeof(uint32_t)),
                          .vertex_count = vertices,
                          .triangle_count = triangles};
}

void support_mesh_free(support_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (support_mesh){0};
}

static void put_triangle(support_mesh *mesh, uint32_t at, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = mesh->triangles + 3 * (size_t)at;
    t[0] = a, t[1] = b, t[2] = c;
}

support_mesh support_mesh_floor(uint32_t cells, double size, double bumps, support_random *random)
{
    uint32_t row = cells + 1;
    support_mesh mesh = make(row * row, 2 * cells * cells);
    double step = size / cells;
    for (uint32_t k = 0; k < row * row; ++k) {
        uint32_t at[2] = {k % row, k / row};
        for (int axis = 0; axis < 2; ++axis) {
            double aside = support_between(random, -1, 1) / 3;
            if (at[axis] == 0 || at[axis] == cells) aside = 0;
            mesh.vertices[3 * (size_t)k + axis] = (at[axis] + aside) * step - size / 2;
        }
        mesh.vertices[3 * (size_t)k + 2] = bumps > 0 ? support_between(random, 0, bumps) : 0;
    }
    for (uint32_t k = 0; k < cells * cells; ++k) {
        uint32_t a = k / cells * row + k % cells, b = a + 1, c = a + row, d = c + 1;
        bool turned = support_below(random, 2);
        put_triangle(&mesh, 2 * k, a, b, turned ? c : d);
        put_triangle(&mesh, 2 * k + 1, turned ? b : a, d, c);
    }
    return mesh;
}

support_mesh support_mesh_bricks(uint32_t rows, uint32_t bricks, double size,
                                 support_random *random)
{
    support_mesh mesh = make(4 * rows * bricks, 2 * rows * bricks);
    for (uint32_t k = 0; k < rows * bricks; ++k) {
        uint32_t row = k / bricks, at = k % bricks, v = 4 * k;
        double joint = at + 1 < bricks ? support_between(random, -0.4, 0.4) : 0;
        double low[2] = {at ? mesh.vertices[3 * (v - 3)] : -size / 2, row * size / rows - size / 2},
               high[2] = {(at + 1 + joint) * size / bricks - size / 2,
                          (row + 1) * size / rows - size / 2};
        for (uint32_t c = 0; c < 4; ++c) {
            mesh.vertices[3 * (v + c)] = c == 1 || c == 2 ? high[0] : low[0];
            mesh.vertices[3 * (v + c) + 1] = c < 2 ? low[1] : high[1];
        }
        put_triangle(&mesh, 2 * k, v, v + 1, v + 2);
        put_triangle(&mesh, 2 * k + 1, v, v + 2, v + 3);
    }
    return mesh;
}

/* Adds the 4^divisions triangles of a face with three vertices each; the world welds equal ones. */
static void divide(support_mesh *mesh, const double *a, const double *b, const double *c,
                   uint32_t divisions, double radius, uint32_t *next)
{
    const double *corner[3] = {a, b, c};
    if (divisions == 0) {
        for (int k = 0; k < 3; ++k) {
            const double *p = corner[k];
            double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            for (int axis = 0; axis < 3; ++axis)
                mesh->vertices[9 * (size_t)*next + 3 * k + axis] = radius * p[axis] / length;
        }
        put_triangle(mesh, *next, 3 * *next, 3 * *next + 1, 3 * *next + 2);
        *next += 1;
        return;
    }
    double middle[3][3];
    for (int k = 0; k < 3; ++k) {
        for (int axis = 0; axis < 3; ++axis)
            middle[k][axis] = corner[k][axis] + corner[(k + 1) % 3][axis];
        double length = sqrt(middle[k][0] * middle[k][0] + middle[k][1] * middle[k][1] +
                             middle[k][2] * middle[k][2]);
        for (int axis = 0; axis < 3; ++axis) middle[k][axis] /= length;
    }
    divide(mesh, a, middle[0], middle[2], divisions - 1, radius, next);
    divide(mesh, middle[0], b, middle[1], divisions - 1, radius, next);
    divide(mesh, middle[2], middle[1], c, divisions - 1, radius, next);
    divide(mesh, middle[0], middle[1], middle[2], divisions - 1, radius, next);
}

support_mesh support_mesh_ball(uint32_t divisions, double radius)
{
    uint32_t triangles = 8u << 2 * divisions, next = 0;
    support_mesh mesh = make(3 * triangles, triangles);
    for (int octant = 0; octant < 8; ++octant) {
        double s[3] = {octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1};
        const double x[3] = {s[0], 0, 0}, y[3] = {0, s[1], 0}, z[3] = {0, 0, s[2]};
        bool mirrored = s[0] * s[1] * s[2] < 0;
        divide(&mesh, x, mirrored ? z : y, mirrored ? y : z, divisions, radius, &next);
    }
    return mesh;
}

kugel_surface_def support_mesh_def(const support_mesh *mesh)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = mesh->vertices;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    return def;
}
