/* For engine/surfaces/mesh_nearest.c and the distances of mesh_feature.c: against long double. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "geometry/sweep_linear.h"
#include "geometry/triangle.h"
#include "surfaces/mesh_closest.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/oracle_mesh.h"
#include "surfaces/support_mesh.h"
#include "surfaces/support_mesh_contact.h"

static double length_between(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Within a few roundings of the coordinates; the point is on the triangle. */
static void expect_nearest(const kg_mesh *mesh, uint32_t triangle, const double x[3])
{
    oracle_vec at = {x[0], x[1], x[2]};
    kg_mesh_nearest nearest;
    kg_mesh_last_sharp last = {0};
    kg_mesh_nearest_on_triangle(mesh, triangle, x, KG_NEVER, &last, &nearest);
    long double distance = oracle_distance(mesh, triangle, at), size = 1 + distance;
    cr_assert(fabsl(nearest.distance - distance) < 4e-15L * size, "%.17g, not %.17Lg",
              nearest.distance, distance);
    oracle_vec point = {nearest.point[0], nearest.point[1], nearest.point[2]};
    cr_assert(oracle_distance(mesh, triangle, point) < 4e-15L * size, "the point is beside it");
    cr_assert(fabs(length_between(nearest.point, x) - nearest.distance) < 4e-15 * (double)size);
}

Test(mesh_nearest, distances_agree_with_long_double)
{
    support_random random = support_random_start("distances", 1);
    for (int trial = 0; trial < 200; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_soup(shape, &random, 40, trial & 1);
        kg_mesh mesh = support_build(&memory, shape, false);
        for (int i = 0; i < 40; ++i) {
            double x[3];
            support_direction(&random, support_between(&random, 0, 2), x);
            for (uint32_t t = 0; t < mesh.triangle_count; ++t) expect_nearest(&mesh, t, x);
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* Heights from 1e-11 to 1e-3 of the length, at random angles. */
Test(mesh_nearest, slivers_have_exact_distances)
{
    support_random random = support_random_start("slivers", 2);
    for (int trial = 0; trial < 2000; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        double a[3], b[3], off[3], s = support_between(&random, -0.5, 1.5), c[3];
        support_direction(&random, 1, a);
        support_direction(&random, 1, b);
        support_direction(&random, pow(10, support_between(&random, -11, -3)), off);
        for (int k = 0; k < 3; ++k) c[k] = a[k] + s * (b[k] - a[k]) + off[k];
        support_add_vertex(shape, a[0], a[1], a[2]);
        support_add_vertex(shape, b[0], b[1], b[2]);
        support_add_vertex(shape, c[0], c[1], c[2]);
        support_add_triangle(shape, 0, 1, 2);
        kg_mesh mesh = support_build(&memory, shape, false);
        for (int i = 0; i < 20; ++i) {
            double x[3];
            support_direction(&random, pow(10, support_between(&random, -12, 0)), x);
            s = support_uniform(&random);
            for (int k = 0; k < 3; ++k) x[k] += i & 1 ? a[k] + s * (b[k] - a[k]) : 0;
            expect_nearest(&mesh, 0, x);
        }
        kg_mesh_free(&memory, &mesh);
    }
}

Test(mesh_nearest, the_nearest_feature_is_found)
{
    support_random random = support_random_start("answers", 3);
    for (int trial = 0; trial < 60; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        if (trial % 3 == 0) support_add_soup(shape, &random, 60, true);
        if (trial % 3 == 1) support_add_icosphere(shape, 1, 1), support_add_cube(shape, 0.7);
        if (trial % 3 == 2) support_add_floor(shape, &random, 5, -0.5);
        kg_mesh mesh = support_build(&memory, shape, false);
        for (int i = 0; i < 300; ++i) {
            double x[3];
            support_direction(&random, support_between(&random, 0, 3), x);
            uint32_t v = support_below(&random, mesh.vertex_count);
            for (int k = 0; k < 3 && i % 3 == 0; ++k) x[k] = x[k] * 0.01 + mesh.vertex[3 * v + k];
            for (int k = 0; k < 2 && i % 3 == 1; ++k) x[k] = mesh.vertex[3 * v + k];
            support_expect_nearest(&mesh, x, 1e-12,
                                   trial % 3 == 0   ? "soup"
                                   : trial % 3 == 1 ? "solid"
                                                    : "floor");
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* In front of one-sided closed meshes one feature is nearest; behind them none is. */
Test(mesh_nearest, one_sided_meshes_collide_in_front)
{
    support_random random = support_random_start("one_sided", 4);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_icosphere(shape, 1, 2);
    for (uint32_t i = 0; i < 3 * shape->vertices; i += 3) { /* dents: the same for equal vertices */
        double *p = shape->vertex + i, s = 1 + 0.3 * sin(20 * p[0] + 9 * p[1]) * cos(15 * p[2]);
        for (int k = 0; k < 3; ++k) p[k] *= s;
    }
    kg_mesh mesh = support_build(&memory, shape, true);
    cr_assert_eq(mesh.report.open_edges, 0);
    int front = 0, back = 0;
    for (int i = 0; i < 4000; ++i) {
        double x[3], normal[3], along[3];
        uint32_t triangle, crossings = 0;
        support_direction(&random, support_between(&random, 0.3, 2), x);
        support_direction(&random, 1, along);
        double from[3] = {x[0], x[1], x[2]}, t;
        kg_mesh both = mesh; /* count crossings of both sides */
        both.one_sided = false;
        while ((t = support_ray(&both, from, along, 9, &triangle, normal)) < KG_NEVER) {
            for (int k = 0; k < 3; ++k) from[k] += (t + 1e-9) * along[k];
            crossings += 1;
        }
        if (crossings % 2 == 0) {
            front += 1;
            support_expect_nearest(&mesh, x, 1e-12, "front");
            continue;
        }
        back += 1;
        oracle_vec at = {x[0], x[1], x[2]};
        long double least = INFINITY;
        for (uint32_t k = 0; k < mesh.triangle_count; ++k)
            least = fminl(least, oracle_distance(&mesh, k, at));
        for (triangle = 0; triangle < mesh.triangle_count; ++triangle) {
            kg_mesh_nearest nearest;
            kg_mesh_last_sharp last = {0};
            kg_mesh_nearest_on_triangle(&mesh, triangle, x, KG_NEVER, &last, &nearest);
            if (nearest.distance > least + 1e-9L) continue; /* it belongs to another wall */
            cr_assert(!nearest.is_nearest, "feature %u is nearest behind", nearest.feature);
        }
    }
    cr_assert(front > 500 && back > 500);
    kg_mesh_free(&memory, &mesh);
}

/* Behind a face of a one-sided mesh: down to `depth`. */
Test(mesh_nearest, depth_limits_distances_below_0)
{
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_cube(shape, 1);
        kg_mesh mesh = support_build(&memory, shape, one_sided);
        double x[3] = {0.25, 0.5, 0.75}, normal[3];
        uint32_t top = KG_PARTS * mesh.facet[2]; /* z = 1 */
        double d = kg_mesh_feature_distance(&mesh, top, x, 0.5, normal);
        cr_assert_eq(d, one_sided ? -0.25 : 0.25);
        cr_assert_eq(normal[2], one_sided ? -1 : 1);
        d = kg_mesh_feature_distance(&mesh, top, x, 0.125, normal);
        cr_assert_eq(d, one_sided ? KG_NEVER : 0.25);
        x[0] = 1.5;
        cr_assert_eq(kg_mesh_feature_distance(&mesh, top, x, 0.5, normal), KG_NEVER, "beside");
        kg_mesh_free(&memory, &mesh);
    }
}

/* A normal alone has the bits of the one with the distance, also where another feature is
 * nearest. */
Test(mesh_nearest, normals_need_no_distance)
{
    support_random random = support_random_start("normals_need_no_distance", 6);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    uint32_t found = 0, none = 0;
    support_add_soup(shape, &random, 40, false);
    kg_mesh mesh = support_build(&memory, shape, false);
    for (uint32_t i = 0; i < 100 * KG_PARTS * mesh.triangle_count; ++i) {
        double x[3], with[3], alone[3];
        if (i % KG_PARTS == KG_PARTS - 1) continue; /* not a part */
        support_direction(&random, support_between(&random, 0, 2), x);
        uint32_t feature = i % (KG_PARTS * mesh.triangle_count);
        bool any = kg_mesh_feature_distance(&mesh, feature, x, 0, with) < KG_NEVER;
        kg_mesh_feature_normal(&mesh, feature, x, alone);
        for (int k = 0; k < 3; ++k) cr_assert_eq(with[k], alone[k], "feature %u", feature);
        found += any, none += !any;
    }
    cr_assert(found > 1000 && none > 1000, "%u with a nearest feature, %u without", found, none);
    kg_mesh_free(&memory, &mesh);
}

/* The nearest of all triangles, the lowest of several. */
static void search_all(const kg_mesh *mesh, const double x[3], kg_mesh_closest *closest)
{
    double least = INFINITY;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const double *corner[3];
        kg_triangle_nearest nearest;
        for (int k = 0; k < 3; ++k) corner[k] = kg_mesh_vertex(mesh, mesh->corner[3 * t + k]);
        kg_triangle_find_nearest(corner, x, &nearest);
        if (!kg_mesh_has_area(mesh, t) || !(nearest.squared < least)) continue;
        least = nearest.squared;
        closest->distance = sqrt(least);
        closest->triangle = t;
        memcpy(closest->point, nearest.point, sizeof nearest.point);
    }
}

/* Bit for bit, with and without a limit; every third mesh is far from the origin, points are in it,
 * on it or far away. */
Test(mesh_nearest, the_closest_point_is_that_of_all_triangles)
{
    support_random random = support_random_start("closest", 9);
    for (uint32_t m = 0; m < 60; ++m) {
        kg_memory memory;
        double away;
        kg_mesh mesh = support_build_any(&memory, &random, m, 200, false, &away);
        for (int i = 0; i < 300; ++i) {
            kg_mesh_closest all, found;
            double x[3], far = pow(10, support_between(&random, -4, 2));
            const double *on = kg_mesh_vertex(&mesh, support_below(&random, mesh.vertex_count));
            support_direction(&random, i % 4 ? far : 0, x);
            for (int k = 0; k < 3; ++k) x[k] += i & 1 ? on[k] : away;
            search_all(&mesh, x, &all);
            double limit = i % 3 ? KG_NEVER : all.distance * (i % 2 ? 1 : 1.5);
            cr_assert(kg_mesh_find_closest(&mesh, x, limit, &found));
            cr_assert(found.triangle == all.triangle && found.distance == all.distance &&
                          !memcmp(found.point, all.point, sizeof all.point),
                      "triangle %u at %.17g, not %u at %.17g", found.triangle, found.distance,
                      all.triangle, all.distance);
            if (all.distance > 0)
                cr_assert(!kg_mesh_find_closest(&mesh, x, all.distance * (1 - 1e-15), &found));
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* Paths to and beside each part, a little shorter than its clearance. @return paths tested. */
static int expect_no_impact(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                            support_random *random, const double x[3])
{
    double radius = support_between(random, 0, 1), normal[3];
    double way = kg_mesh_part_clearance(mesh, triangle, part, x, radius, KG_NEVER) * (1 - 1e-9);
    for (int i = 0; i < 8 && way > 0; ++i) {
        kg_mesh_path path = {.radius = radius, .horizon = 1};
        kg_mesh_nearest nearest;
        kg_mesh_last_sharp last = {0};
        support_direction(random, way, path.v);
        kg_mesh_nearest_on_triangle(mesh, triangle, x, KG_NEVER, &last, &nearest);
        for (int k = 0; k < 3; ++k) {
            path.x[k] = x[k];
            if (i == 0) path.v[k] = (nearest.point[k] - x[k]) * way / nearest.distance;
        }
        cr_assert_eq(kg_mesh_sweep_part(mesh, triangle, part, &path, 1, normal), KG_NEVER,
                     "triangle %u, part %u: met within %g m", triangle, part, way);
    }
    return way > 0;
}

/* A body on a vertex took an edge beside it as out of reach until it was over the edge: it met it
 * in the past. */
Test(mesh_nearest, nothing_is_met_within_the_clearance)
{
    support_random random = support_random_start("clearance", 5);
    int tested = 0, overlaps = 0;
    for (int trial = 0; trial < 40; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        if (trial & 1) support_add_soup(shape, &random, 30, true);
        else support_add_cube(shape, 0.7);
        kg_mesh mesh = support_build(&memory, shape, false);
        for (int i = 0; i < 60; ++i) {
            double x[3];
            support_direction(&random, support_between(&random, 0, 2), x);
            for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
                for (uint32_t parts = kg_mesh_collidable_parts(&mesh, t); parts;
                     parts &= parts - 1) {
                    uint32_t part = (uint32_t)__builtin_ctz(parts);
                    int clear = expect_no_impact(&mesh, t, part, &random, x);
                    tested += clear, overlaps += !clear;
                }
            }
        }
        kg_mesh_free(&memory, &mesh);
    }
    cr_assert(tested > 10000 && overlaps > 1000, "%d clear, %d in overlap", tested, overlaps);
}
