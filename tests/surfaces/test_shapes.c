/* For engine/surfaces/shapes.c: areas, volumes and heights of the triangles. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "geometry/sweep_linear.h"
#include "surfaces/shapes.h"
#include "surfaces/support_mesh.h"

/* Volume between the triangles and the origin, and the area of all. */
static void measure(const double *vertex, const uint32_t *corner, uint32_t triangles,
                    double *volume, double *area)
{
    *volume = *area = 0;
    for (uint32_t t = 0; t < triangles; ++t, corner += 3) {
        const double *a = vertex + 3 * corner[0], *b = vertex + 3 * corner[1],
                     *c = vertex + 3 * corner[2];
        double n[3];
        for (int k = 0; k < 3; ++k) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            n[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
        }
        *volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
        *area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    }
}

Test(shapes, box_and_rectangle_have_their_size)
{
    const double half[3] = {1, 2, 4};
    double vertices[3 * KG_BOX_VERTICES], volume, area;
    uint32_t triangles[3 * KG_BOX_TRIANGLES];
    kg_shape_box(half, vertices, triangles);
    measure(vertices, triangles, KG_BOX_TRIANGLES, &volume, &area);
    cr_assert_eq(volume, 64, "outwards: %g", volume);
    cr_assert_eq(area, 112);
    kg_shape_rectangle(half, vertices, triangles);
    measure(vertices, triangles, KG_RECTANGLE_TRIANGLES, &volume, &area);
    cr_assert_eq(area, 8);
    for (int i = 0; i < KG_RECTANGLE_VERTICES; ++i) vertices[3 * i + 2] = 1;
    measure(vertices, triangles, KG_RECTANGLE_TRIANGLES, &volume, &area);
    cr_assert(volume > 0, "faces +z");
}

/* A plane over the grid is one facet, with the heights of all points. */
Test(shapes, a_height_field_has_its_heights)
{
    enum { NX = 5, NY = 7 };
    double heights[NX * NY], *vertices;
    uint32_t *triangles;
    for (int j = 0; j < NY; ++j) {
        for (int i = 0; i < NX; ++i) heights[j * NX + i] = 0.5 * i - 0.25 * j;
    }
    kg_height_field field = {{-1, 2, 3}, {0.5, 0.25}, NX, NY, heights};
    uint32_t n = (uint32_t)kg_height_field_vertices(&field);
    uint32_t count = (uint32_t)kg_height_field_triangles(&field);
    cr_assert(n == NX * NY && count == 2 * (NX - 1) * (NY - 1));
    vertices = malloc(3 * n * sizeof *vertices);
    triangles = malloc(3 * count * sizeof *triangles);
    kg_shape_height_field(&field, vertices, triangles);
    kugel_allocator none = {0};
    kg_memory memory;
    kg_mesh mesh;
    kg_memory_init(&memory, &none);
    cr_assert(kg_mesh_build(&memory, &mesh, vertices, n, triangles, count, true));
    cr_assert_eq(mesh.report.facets, 1);
    cr_assert_eq(mesh.report.open_edges, 2 * (NX - 1) + 2 * (NY - 1));
    for (int j = 0; j < NY; ++j) {
        for (int i = 0; i < NX; ++i) {
            double origin[3] = {-1 + 0.5 * i, 2 + 0.25 * j, 100}, down[3] = {0, 0, -1}, normal[3];
            uint32_t triangle;
            double t = kg_mesh_ray(&mesh, origin, down, 1000, &triangle, normal);
            cr_assert(fabs(100 - t - 3 - heights[j * NX + i]) < 1e-12, "at %d, %d", i, j);
        }
    }
    kg_mesh_free(&memory, &mesh);
    free(vertices);
    free(triangles);
}
