/* For engine/surfaces/mesh_shapes.c: sizes, orientation, closedness, volumes in closed form. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "kugel/kugel.h"

enum { ROOM = 4096 };
static double vertices[3 * ROOM];
static uint32_t triangles[3 * 4 * ROOM];

static void edge_of(uint32_t triangle, int k, uint32_t *a, uint32_t *b)
{
    *a = triangles[3 * triangle + k], *b = triangles[3 * triangle + (k + 1) % 3];
}

/* Directed edges whose reverse is no edge: 0 in a closed mesh whose triangles turn the same way. */
static uint32_t open_edges(uint32_t count)
{
    uint32_t open = 0, a, b, c, d;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        int opposite = 0;
        edge_of(i / 3, i % 3, &a, &b);
        for (uint32_t j = 0; j < 3 * count; ++j) {
            edge_of(j / 3, j % 3, &c, &d);
            cr_assert(i == j || a != c || b != d, "edge %u %u twice in one direction", a, b);
            opposite += a == d && b == c;
        }
        open += opposite == 0;
    }
    return open;
}

/* Sum of the signed volumes of the tetrahedra with the origin: > 0 where corners turn left seen
 * from outside. */
static double volume(uint32_t count)
{
    double sum = 0;
    for (uint32_t t = 0; t < count; ++t) {
        const double *a = vertices + 3 * triangles[3 * t], *b = vertices + 3 * triangles[3 * t + 1],
                     *c = vertices + 3 * triangles[3 * t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

/* Twice the sum of the triangles' area vectors. */
static void area(uint32_t count, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (uint32_t t = 0; t < count; ++t) {
        const double *a = vertices + 3 * triangles[3 * t], *b = vertices + 3 * triangles[3 * t + 1],
                     *c = vertices + 3 * triangles[3 * t + 2];
        double u[3], v[3];
        for (int k = 0; k < 3; ++k) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            out[k] += (u[l] * v[m] - u[m] * v[l]) / 2;
        }
    }
}

/* What a world finds in the mesh. */
static kugel_surface_info world_info(uint32_t vertex_count, uint32_t triangle_count)
{
    kugel_world_def world_def = kugel_world_def_default();
    kugel_surface_def def = kugel_surface_def_default();
    kugel_surface_info info;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&world_def, &world), KUGEL_OK);
    def.vertices = vertices, def.vertex_count = vertex_count;
    def.triangles = triangles, def.triangle_count = triangle_count;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, 0), &def, &info), KUGEL_OK);
    kugel_world_destroy(world);
    return info;
}

/* A few hundred sums of numbers near 1: 1e-12 is far above their rounding. */
static void is_near(double got, double want, const char *what)
{
    cr_assert(fabs(got - want) <= 1e-12 * fabs(want), "%s: %.17g, not %.17g", what, got, want);
}

static double polygon_area(uint32_t n, double radius)
{
    return n / 2.0 * sin(2 * M_PI / n) * radius * radius;
}

Test(mesh_shapes, a_box_is_closed_and_looks_outwards)
{
    const double half[3] = {1, 2, 3.5};
    cr_assert_eq(kugel_mesh_box(half, vertices, triangles), KUGEL_OK);
    cr_assert_eq(open_edges(KUGEL_MESH_BOX_TRIANGLES), 0);
    is_near(volume(KUGEL_MESH_BOX_TRIANGLES), 8 * 7, "volume");
    kugel_surface_info info = world_info(KUGEL_MESH_BOX_VERTICES, KUGEL_MESH_BOX_TRIANGLES);
    cr_assert(info.facets == 6 && info.dropped == 0 && info.welded == 0 && info.open_edges == 0);
}

Test(mesh_shapes, a_rectangle_looks_along_the_cross_product)
{
    const double corner[3] = {1, 2, 3}, a[3] = {2, 0, 0}, b[3] = {0, 3, 0};
    double front[3];
    cr_assert_eq(kugel_mesh_rectangle(corner, a, b, vertices, triangles), KUGEL_OK);
    area(KUGEL_MESH_RECTANGLE_TRIANGLES, front);
    cr_assert(front[0] == 0 && front[1] == 0 && front[2] == 6);
    cr_assert(vertices[6] == 3 && vertices[7] == 5 && vertices[8] == 3, "corner + a + b");
}

Test(mesh_shapes, a_height_field_has_its_heights_and_looks_up)
{
    enum { NX = 5, NY = 4 };
    const double origin[3] = {-1, 10, 100};
    double heights[NX * NY], up[3];
    for (int i = 0; i < NX * NY; ++i) heights[i] = i * i % 7;
    uint32_t count = KUGEL_MESH_HEIGHT_FIELD_TRIANGLES(NX, NY);
    cr_assert_eq(kugel_mesh_height_field(origin, 0.5, 2, NX, NY, heights, vertices, triangles),
                 KUGEL_OK);
    for (int j = 0; j < NY; ++j) {
        for (int i = 0; i < NX; ++i) {
            const double *v = vertices + 3 * (i + NX * j);
            cr_assert(v[0] == -1 + 0.5 * i && v[1] == 10 + 2 * j &&
                      v[2] == 100 + heights[i + NX * j]);
        }
    }
    area(count, up);
    is_near(up[2], 0.5 * (NX - 1) * 2 * (NY - 1), "area seen from above");
    cr_assert_eq(open_edges(count), 2 * (NX - 1) + 2 * (NY - 1));
}

Test(mesh_shapes, a_disc_has_the_area_of_its_polygon)
{
    const double center[3] = {1, 2, 3}, normal[3] = {0, -3e200, 4e200};
    double front[3];
    cr_assert_eq(kugel_mesh_disc(center, normal, 2, 12, vertices, triangles), KUGEL_OK);
    area(KUGEL_MESH_DISC_TRIANGLES(12), front);
    is_near(-front[1], 0.6 * polygon_area(12, 2), "y");
    is_near(front[2], 0.8 * polygon_area(12, 2), "z");
    cr_assert(fabs(front[0]) < 1e-14);
    cr_assert_eq(open_edges(12), 12);
}

/* Frustum of a pyramid: h / 3 (A + B + sqrt(A B)). */
Test(mesh_shapes, cones_have_their_volume)
{
    const double from[3] = {1, -2, 0.5}, to[3] = {3, 1, -5.5}; /* 7 m apart */
    const double radii[4][2] = {{2, 2}, {2, 0.5}, {0, 1.5}, {1.5, 0}};
    for (int r = 0; r < 4; ++r) {
        for (uint32_t n = 3; n <= 33; n += 5) {
            double a = polygon_area(n, radii[r][0]), b = polygon_area(n, radii[r][1]);
            uint32_t count = 0, tips = (a == 0) + (b == 0);
            cr_assert_eq(kugel_mesh_cone(from, to, radii[r][0], radii[r][1], n,
                                         KUGEL_MESH_CAPS_BOTH, vertices, triangles, &count),
                         KUGEL_OK);
            cr_assert_eq(count, tips ? 2 * n : 4 * n);
            cr_assert_eq(open_edges(count), 0);
            is_near(volume(count), 7 * (a + b + sqrt(a * b)) / 3, "volume");
            cr_assert_eq(world_info(KUGEL_MESH_CONE_VERTICES(n), count).dropped, 0);
        }
    }
}

Test(mesh_shapes, caps_close_the_named_ends)
{
    const double from[3] = {0, 0, 0}, to[3] = {0, 0, 1};
    for (uint32_t caps = 0; caps < 4; ++caps) {
        uint32_t count, closed = (caps & 1) + (caps >> 1);
        cr_assert_eq(
            kugel_mesh_cone(from, to, 1, 2, 8, (kugel_mesh_caps)caps, vertices, triangles, &count),
            KUGEL_OK);
        cr_assert_eq(count, 16 + 8 * closed);
        cr_assert_eq(open_edges(count), 16 - 8 * closed);
        double up[3];
        area(count, up); /* that of the open ends, from outside */
        double a = polygon_area(8, 1), b = polygon_area(8, 2);
        double want = (caps & 1 ? 0 : a) - (caps & 2 ? 0 : b);
        cr_assert(fabs(up[2] - want) < 1e-12, "caps %u: %g, not %g", caps, up[2], want);
    }
}

/* The distance of a point from the capsule's axis. */
static double from_axis(const double x[3], const double from[3], const double to[3])
{
    double along = 0, length2 = 0, d2 = 0;
    for (int k = 0; k < 3; ++k) along += (x[k] - from[k]) * (to[k] - from[k]);
    for (int k = 0; k < 3; ++k) length2 += (to[k] - from[k]) * (to[k] - from[k]);
    double t = length2 > 0 ? fmin(fmax(along / length2, 0), 1) : 0;
    for (int k = 0; k < 3; ++k) d2 += pow(x[k] - from[k] - t * (to[k] - from[k]), 2);
    return sqrt(d2);
}

/* Vertices lie on the true shape, middles of triangles inside by no more than the header says. */
Test(mesh_shapes, capsules_and_spheres_lie_on_the_true_shape)
{
    const double from[3] = {1, -2, 0.5}, ends[2][3] = {{3, 1, -5.5}, {1, -2, 0.5}};
    for (int e = 0; e < 2; ++e) {
        for (uint32_t n = 4; n <= 48; n += 4) {
            uint32_t count = KUGEL_MESH_CAPSULE_TRIANGLES(n);
            cr_assert_eq(kugel_mesh_capsule(from, ends[e], 1.5, n, vertices, triangles), KUGEL_OK);
            for (uint32_t v = 0; v < KUGEL_MESH_CAPSULE_VERTICES(n); ++v)
                cr_assert(fabs(from_axis(vertices + 3 * v, from, ends[e]) - 1.5) < 1e-14);
            double most = 2 * 1.5 * (1 - cos(M_PI / n)), lowest = 1.5;
            for (uint32_t t = 0; t < count; ++t) {
                double middle[3] = {0, 0, 0};
                for (int k = 0; k < 9; ++k)
                    middle[k % 3] += vertices[3 * triangles[3 * t + k / 3] + k % 3] / 3;
                lowest = fmin(lowest, from_axis(middle, from, ends[e]));
            }
            cr_assert(n == 4 || 1.5 - lowest <= most, "%u: %g, at most %g", n, 1.5 - lowest, most);
            kugel_surface_info info = world_info(KUGEL_MESH_CAPSULE_VERTICES(n), count);
            cr_assert_eq(info.open_edges, 0);
            cr_assert_eq(info.dropped, e ? 2 * n : 0, "a sphere's cylinder has no area");
            /* less by three times the mean depth over the radius, at most 6.6 / n^2 */
            double round = 4 / 3.0 * M_PI * 1.5 * 1.5 * 1.5 + (e ? 0 : 7 * M_PI * 1.5 * 1.5);
            cr_assert(volume(count) < round && volume(count) > round * (1 - 20.0 / (n * n)));
            if (n <= 16 && e == 0) cr_assert_eq(open_edges(count), 0);
        }
    }
}

/* Against long double: at most 2^-52. Mirrored vertices have equal bits. */
Test(mesh_shapes, circles_are_accurate_and_symmetric)
{
    const double center[3] = {0, 0, 0}, normal[3] = {0, 0, 1};
    for (uint32_t n = 3; n <= KUGEL_MESH_SEGMENTS_MAX; n = n * 3 / 2 + 1) {
        cr_assert_eq(kugel_mesh_disc(center, normal, 1, n, vertices, triangles), KUGEL_OK);
        for (uint32_t k = 0; k < n; ++k) {
            const double *v = vertices + 3 * k, *mirror = vertices + 3 * ((n - k) % n);
            long double angle = 2 * acosl(-1) * k / n;
            cr_assert(fabsl(v[0] - cosl(angle)) <= 0x1p-52 && fabsl(v[1] - sinl(angle)) <= 0x1p-52);
            cr_assert(v[0] == mirror[0] && v[1] == -mirror[1]);
            if (n % 4 == 0) {
                const double *quarter = vertices + 3 * ((k + n / 4) % n);
                cr_assert(quarter[0] == -v[1] && quarter[1] == v[0]);
            }
        }
    }
}

/* FNV-1a of a sphere's vertices: another value on some machine is a bug. */
Test(mesh_shapes, bits_are_the_same_everywhere)
{
    const double from[3] = {0.1, 0.2, 0.3}, to[3] = {1, 2, 4};
    uint64_t hash = 0xcbf29ce484222325u;
    cr_assert_eq(kugel_mesh_capsule(from, to, 1.1, 28, vertices, triangles), KUGEL_OK);
    const unsigned char *bytes = (const unsigned char *)vertices;
    for (size_t i = 0; i < sizeof(double) * 3 * KUGEL_MESH_CAPSULE_VERTICES(28); ++i)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    cr_assert_eq(hash, 0x47780f3b7d3bf164u, "0x%016llx", (unsigned long long)hash);
}

#define REFUSED(call) cr_assert_eq(call, KUGEL_ERROR_INVALID_ARGUMENT)

Test(mesh_shapes, bad_arguments_are_refused)
{
    const double a[3] = {0, 0, 0}, b[3] = {0, 0, 1}, bad[3] = {0, NAN, 0},
                 heights[4] = {0, 0, 0, 0};
    double *v = vertices;
    uint32_t *t = triangles;
    REFUSED(kugel_mesh_box(a, v, t));
    REFUSED(kugel_mesh_box(NULL, v, t));
    REFUSED(kugel_mesh_rectangle(a, b, bad, v, t));
    REFUSED(kugel_mesh_rectangle(a, b, b, v, NULL));
    REFUSED(kugel_mesh_height_field(a, 0, 1, 2, 2, heights, v, t));
    REFUSED(kugel_mesh_height_field(a, 1, 1, 1, 4, heights, v, t));
    REFUSED(kugel_mesh_height_field(a, 1, 1, 1u << 16, 1u << 16, heights, v, t));
    REFUSED(kugel_mesh_height_field(a, 1, INFINITY, 2, 2, heights, v, t));
    REFUSED(kugel_mesh_disc(a, a, 1, 8, v, t));
    REFUSED(kugel_mesh_disc(a, b, 0, 8, v, t));
    REFUSED(kugel_mesh_disc(a, b, 1, 2, v, t));
    REFUSED(kugel_mesh_disc(a, b, 1, KUGEL_MESH_SEGMENTS_MAX + 1, v, t));
    REFUSED(kugel_mesh_cone(a, a, 1, 1, 8, KUGEL_MESH_CAPS_BOTH, v, t, NULL));
    REFUSED(kugel_mesh_cone(a, b, 0, 0, 8, KUGEL_MESH_CAPS_BOTH, v, t, NULL));
    REFUSED(kugel_mesh_cone(a, b, -1, 1, 8, KUGEL_MESH_CAPS_BOTH, v, t, NULL));
    REFUSED(kugel_mesh_cone(a, b, 1, 1, 8, (kugel_mesh_caps)4, v, t, NULL));
    REFUSED(kugel_mesh_cone(a, bad, 1, 1, 8, KUGEL_MESH_CAPS_BOTH, v, t, NULL));
    REFUSED(kugel_mesh_capsule(a, b, 1, 10, v, t));
    REFUSED(kugel_mesh_capsule(bad, bad, 1, 8, v, t));
    REFUSED(kugel_mesh_capsule(a, b, NAN, 8, v, t));
    cr_assert_eq(kugel_mesh_cone(a, b, 1, 1, 8, KUGEL_MESH_CAPS_BOTH, v, t, NULL), KUGEL_OK);
}
