/* Meshes for tests. */
#include "surfaces/support_mesh.h"

#include <criterion/criterion.h>

#include <math.h>

#include "base/vec.h"
#include "surfaces/mesh_ray.h"

static support_shape shape_of_program;

support_shape *support_shape_start(void)
{
    shape_of_program.vertices = shape_of_program.triangles = 0;
    return &shape_of_program;
}

uint32_t support_add_vertex(support_shape *shape, double x, double y, double z)
{
    cr_assert(shape->vertices < SUPPORT_MESH_VERTICES);
    double *p = shape->vertex + 3 * shape->vertices;
    p[0] = x, p[1] = y, p[2] = z;
    return shape->vertices++;
}

void support_add_triangle(support_shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    cr_assert(shape->triangles < SUPPORT_MESH_TRIANGLES);
    uint32_t *corner = shape->corner + 3 * shape->triangles++;
    corner[0] = a, corner[1] = b, corner[2] = c;
}

static void shuffle_triangles(support_shape *shape, support_random *random, uint32_t first)
{
    for (uint32_t i = shape->triangles - 1; i > first; --i) {
        uint32_t j = first + support_below(random, i - first + 1), *corner = shape->corner;
        for (int k = 0; k < 3; ++k) {
            uint32_t swap = corner[3 * i + k];
            corner[3 * i + k] = corner[3 * j + k], corner[3 * j + k] = swap;
        }
    }
}

void support_add_floor(support_shape *shape, support_random *random, uint32_t n, double z)
{
    uint32_t first = shape->vertices, begin = shape->triangles;
    for (uint32_t i = 0; i <= n; ++i) {
        for (uint32_t j = 0; j <= n; ++j) {
            bool inner = i > 0 && i < n && j > 0 && j < n;
            double wide = inner ? 0.24 : 0;
            support_add_vertex(shape, i + support_between(random, -wide, wide),
                               j + support_between(random, -wide, wide), z);
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j < n; ++j) {
            uint32_t a = first + i * (n + 1) + j, b = a + n + 1, c = b + 1, d = a + 1;
            if (support_below(random, 2)) {
                support_add_triangle(shape, a, b, c);
                support_add_triangle(shape, c, d, a);
            } else {
                support_add_triangle(shape, b, c, d);
                support_add_triangle(shape, d, a, b);
            }
        }
    }
    shuffle_triangles(shape, random, begin);
}

void support_add_cube(support_shape *shape, double half)
{
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    uint32_t first = shape->vertices;
    for (int i = 0; i < 8; ++i)
        support_add_vertex(shape, i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    for (int f = 0; f < 6; ++f) {
        const uint32_t *v = faces[f];
        support_add_triangle(shape, first + v[0], first + v[1], first + v[2]);
        support_add_triangle(shape, first + v[2], first + v[3], first + v[0]);
    }
}

static uint32_t add_on_sphere(support_shape *shape, double radius, double x, double y, double z)
{
    double scale = radius / sqrt(x * x + y * y + z * z);
    return support_add_vertex(shape, x * scale, y * scale, z * scale);
}

/* Vertices are doubled at shared edges: welding joins them. */
static void add_spherical(support_shape *shape, double radius, const double p[3][3], int levels)
{
    if (levels == 0) {
        uint32_t v[3];
        for (int k = 0; k < 3; ++k) v[k] = add_on_sphere(shape, radius, p[k][0], p[k][1], p[k][2]);
        support_add_triangle(shape, v[0], v[1], v[2]);
        return;
    }
    double middle[3][3];
    for (int e = 0; e < 3; ++e) {
        double length = 0;
        for (int k = 0; k < 3; ++k) {
            middle[e][k] = p[e][k] + p[(e + 1) % 3][k];
            length += middle[e][k] * middle[e][k];
        }
        for (int k = 0; k < 3; ++k) middle[e][k] /= sqrt(length);
    }
    for (int c = 0; c < 4; ++c) {
        double part[3][3];
        for (int k = 0; k < 3; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                part[k][axis] = c == 3   ? middle[k][axis]
                                : k == c ? p[c][axis]
                                         : middle[k == (c + 1) % 3 ? c : (c + 2) % 3][axis];
            }
        }
        add_spherical(shape, radius, part, levels - 1);
    }
}

void support_add_icosphere(support_shape *shape, double radius, int levels)
{
    static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    double g = (1 + sqrt(5)) / 2, l = sqrt(1 + g * g), corner[12][3];
    for (int i = 0; i < 12; ++i) {
        double one = i & 1 ? 1 : -1, golden = i & 2 ? -g : g;
        for (int k = 0; k < 3; ++k) corner[i][k] = 0;
        corner[i][i / 4] = one / l, corner[i][(i / 4 + 1) % 3] = golden / l;
    }
    for (int f = 0; f < 20; ++f) {
        double p[3][3];
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k) p[c][k] = corner[faces[f][c]][k];
        }
        add_spherical(shape, radius, p, levels);
    }
}

void support_add_soup(support_shape *shape, support_random *random, uint32_t triangles, bool shared)
{
    uint32_t first = shape->vertices,
             vertices = shared ? 4 + (uint32_t)sqrt(3 * triangles) : 3 * triangles;
    for (uint32_t i = 0; i < vertices; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k) p[k] = support_between(random, -1, 1);
        support_add_vertex(shape, p[0], p[1], p[2]);
    }
    for (uint32_t t = 0; t < triangles; ++t) {
        uint32_t v[3];
        for (uint32_t k = 0; k < 3; ++k)
            v[k] = first + (shared ? support_below(random, vertices) : 3 * t + k);
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        support_add_triangle(shape, v[0], v[1], v[2]);
    }
}

kg_mesh support_build(kg_memory *memory, const support_shape *shape, bool one_sided)
{
    kugel_allocator none = {0};
    kg_mesh mesh;
    kg_memory_init(memory, &none);
    cr_assert(kg_mesh_build(memory, NULL, &mesh, shape->vertex, shape->vertices, shape->corner,
                            shape->triangles, one_sided));
    return mesh;
}

kg_mesh support_build_any(kg_memory *memory, support_random *random, uint32_t trial,
                          uint32_t triangles, bool one_sided, double *away)
{
    support_shape *shape = support_shape_start();
    *away = trial % 3 ? 0 : 1e6;
    if (trial & 1) support_add_icosphere(shape, 1, 2);
    else support_add_soup(shape, random, triangles, trial & 2);
    for (uint32_t i = 0; i < 3 * shape->vertices; ++i) shape->vertex[i] += *away;
    return support_build(memory, shape, one_sided);
}

double support_ray(const kg_mesh *mesh, const double origin[3], const double direction[3],
                   double limit, uint32_t *triangle, double normal[3])
{
    kg_mesh_ray_task ray = {.limit = limit};
    kg_copy3(ray.origin, origin);
    kg_copy3(ray.direction, direction);
    kg_mesh_rays(mesh, 1, &ray);
    *triangle = ray.triangle;
    kg_copy3(normal, ray.normal);
    return ray.t;
}
