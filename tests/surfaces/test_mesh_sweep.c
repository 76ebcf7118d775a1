/* For engine/surfaces/mesh_sweep.c and mesh_cast.c: the first contact of straight and parabolic
 * paths against long double, closed meshes without holes, overlaps at the start. */
#include <criterion/criterion.h>

#include <math.h>

#include "geometry/sweep_linear.h"
#include "surfaces/oracle_mesh.h"
#include "surfaces/support_mesh.h"
#include "surfaces/support_mesh_contact.h"

struct soup_row {
    char name[32];
    uint32_t triangles;
    bool shared, parabolic;
};

Test(mesh_sweep, first_contacts_with_soups_agree_with_long_double)
{
    static const struct soup_row table[] = {{"straight, apart", 12, false, false},
                                            {"straight, shared", 30, true, false},
                                            {"parabolic, apart", 12, false, true},
                                            {"parabolic, shared", 30, true, true}};
    support_random random = support_random_start("soups", 1);
    for (int r = 0; r < 4; ++r) {
        int hits = 0;
        for (int trial = 0; trial < 500; ++trial) {
            support_shape *shape = support_shape_start();
            kg_memory memory;
            support_add_soup(shape, &random, table[r].triangles, table[r].shared);
            kg_mesh mesh = support_build(&memory, shape, false);
            for (int i = 0; i < 4; ++i) {
                kg_mesh_path path = support_random_path(&random, 3, table[r].parabolic);
                uint32_t feature;
                double normal[3];
                if (support_start_gap(&mesh, &path) < 1e-9) continue;
                support_expect_first_contact(&mesh, &path, 1e-11, table[r].name);
                hits += kg_mesh_cast(&mesh, &path, &feature, normal) < KG_NEVER;
            }
            kg_mesh_free(&memory, &mesh);
        }
        cr_assert(hits > 500, "%s: %d hits", table[r].name, hits);
    }
}

Test(mesh_sweep, first_contacts_with_closed_meshes_agree_with_long_double)
{
    support_random random = support_random_start("closed", 2);
    for (int m = 0; m < 4; ++m) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        if (m < 2) support_add_cube(shape, 0.6);
        else support_add_icosphere(shape, 1, 2);
        kg_mesh mesh = support_build(&memory, shape, m & 1);
        for (int i = 0; i < 1000; ++i) {
            kg_mesh_path path = support_random_path(&random, 4, i & 1);
            if (support_start_gap(&mesh, &path) < 1e-9) continue;
            support_expect_first_contact(&mesh, &path, 1e-11, m < 2 ? "cube" : "icosphere");
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* Paths aimed exactly at edges and vertices, where regions meet. */
Test(mesh_sweep, paths_at_borders_of_regions_do_not_slip_through)
{
    support_random random = support_random_start("borders", 3);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_icosphere(shape, 1, 2);
    support_add_cube(shape, 0.7);
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        kg_mesh mesh = support_build(&memory, shape, one_sided);
        for (int i = 0; i < 20000; ++i) {
            uint32_t half = support_below(&random, 3 * mesh.triangle_count);
            const double *a = mesh.vertex + 3 * mesh.corner[half];
            const double *b = mesh.vertex + 3 * mesh.corner[half % 3 == 2 ? half - 2 : half + 1];
            double s = i % 3 ? support_uniform(&random) : 0, speed = pow(10, i % 4), normal[3];
            kg_mesh_path path = {.radius = pow(10, support_between(&random, -6, -0.5))};
            path.horizon = 6 / speed;
            support_direction(&random, 3, path.x);
            for (int k = 0; k < 3; ++k) {
                double target = a[k] + s * (b[k] - a[k]);
                path.x[k] = i % 5 ? path.x[k] : target * 3;
                path.v[k] = (target - path.x[k]) / 3 * speed;
            }
            uint32_t feature;
            double t = kg_mesh_cast(&mesh, &path, &feature, normal);
            cr_assert(t < 3.1 / speed, "passes at speed %g, radius %g", speed, path.radius);
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* Spheres shot from inside and outside at 1 to 1000 m/s; ticks of 1/60 s, gravity in half of
 * them. A contact comes before the centre is on the other side. */
Test(mesh_sweep, closed_meshes_are_watertight)
{
    support_random random = support_random_start("watertight", 4);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_icosphere(shape, 1, 4);
    kg_mesh mesh = support_build(&memory, shape, false);
    for (int i = 0; i < 40000; ++i) {
        double speed = pow(10, support_between(&random, 0, 3)), target[3], normal[3];
        kg_mesh_path path = {.radius = pow(10, support_between(&random, -4, -1)), .horizon = 10};
        support_direction(&random, i & 1 ? 0.85 * cbrt(support_uniform(&random)) : 1.5, path.x);
        support_direction(&random, 0.9 * cbrt(support_uniform(&random)), target);
        for (int k = 0; k < 3; ++k) path.v[k] = target[k] - path.x[k];
        double length = sqrt(path.v[0] * path.v[0] + path.v[1] * path.v[1] + path.v[2] * path.v[2]);
        for (int k = 0; k < 3; ++k) path.v[k] *= speed / length;
        if (i & 2) path.a[2] = -9.81;
        uint32_t feature;
        double t = kg_mesh_cast(&mesh, &path, &feature, normal);
        if (i & 2 && speed < 10 && !(i & 1)) continue; /* may fall beside the sphere */
        cr_assert(t < KG_NEVER, "no contact from %s", i & 1 ? "inside" : "outside");
        long double x[3];
        oracle_position(&path, t, x);
        double from = sqrt((double)oracle_dot(x, x));
        cr_assert(i & 1 ? from < 1 : from > 0.99, "%g from the middle", from);
    }
    kg_mesh_free(&memory, &mesh);
}

/* ---- one triangle: overlaps at the start, entries, turns ---- */

static kg_mesh one_triangle(kg_memory *memory, bool one_sided)
{
    support_shape *shape = support_shape_start();
    support_add_vertex(shape, 0, 0, 0);
    support_add_vertex(shape, 1, 0, 0);
    support_add_vertex(shape, 0, 1, 0);
    support_add_triangle(shape, 0, 1, 2);
    return support_build(memory, shape, one_sided);
}

struct sweep_row {
    char name[40];
    bool one_sided;
    uint32_t part;
    double x[3], v[3], a[3], time, normal[3];
};

/* The sphere has radius 0.25. The triangle faces up and is below x + y = 1. */
Test(mesh_sweep, times_of_one_triangle_have_exact_values)
{
    static const struct sweep_row table[] = {
        {"falls", true, 0, {0.25, 0.25, 1.25}, {0, 0, -1}, {0}, 1, {0, 0, -1}},
        {"falls from below", false, 0, {0.25, 0.25, -1.25}, {0, 0, 1}, {0}, 1, {0, 0, 1}},
        {"behind a front", true, 0, {0.25, 0.25, -1.25}, {0, 0, 1}, {0}, KG_NEVER, {0}},
        {"beside", false, 0, {0.75, 0.75, 1.25}, {0, 0, -1}, {0}, KG_NEVER, {0}},
        {"touches, approaches", true, 0, {0.25, 0.25, 0.25}, {0, 0, -1}, {0}, 0, {0, 0, -1}},
        {"touches, rests", true, 0, {0.25, 0.25, 0.25}, {1, 0, 0}, {0}, KG_NEVER, {0}},
        {"touches, leaves", true, 0, {0.25, 0.25, 0.25}, {0, 0, 1}, {0}, KG_NEVER, {0}},
        {"touches, leaves, returns",
         true,
         0,
         {0.25, 0.25, 0.25},
         {0, 0, 1},
         {0, 0, -2},
         1,
         {0, 0, -1}},
        {"overlaps, turns",
         true,
         0,
         {0.25, 0.25, 0.125},
         {0, 0, 1},
         {0, 0, -2},
         0.85355339059327373,
         {0, 0, -1}},
        {"overlaps, turns inside",
         true,
         0,
         {0.25, 0.25, 0.125},
         {0, 0, 0.25},
         {0, 0, -2},
         0.125,
         {0, 0, -1}},
        {"overlaps behind the front",
         true,
         0,
         {0.25, 0.25, -0.125},
         {0, 0, -1},
         {0},
         0,
         {0, 0, -1}},
        {"too deep behind the front", true, 0, {0.25, 0.25, -0.5}, {0, 0, -1}, {0}, KG_NEVER, {0}},
        {"comes over it, sinking", false, 0, {-1, 0.25, 0.25}, {1, 0, -0.125}, {0}, 1, {0, 0, -1}},
        {"comes over it, rising", false, 0, {-1, 0.25, 0}, {1, 0, 0.125}, {0}, KG_NEVER, {0}},
        {"falls beside it, rises under it, returns",
         false,
         0,
         {-1, 0.25, 1},
         {0.25, 0, -4},
         {0, 0, 4},
         KG_NEVER,
         {0}},
        {"edge from the side", false, 1, {0.5, -1.25, 0}, {0, 1, 0}, {0}, 1, {0, 1, 0}},
        {"edge, over the face", false, 1, {0.5, 0.125, 1.25}, {0, 0, -1}, {0}, KG_NEVER, {0}},
        {"edge, overlaps", false, 1, {0.5, -0.125, 0}, {0, 1, 0}, {0}, 0, {0, 1, 0}},
        {"edge, comes along it", false, 1, {-1, -0.125, 0}, {1, 0.03125, 0}, {0}, 1, {0, 1, 0}},
        {"edge, passes its end", false, 1, {-0.5, -1.25, 0}, {0, 1, 0}, {0}, KG_NEVER, {0}},
        {"vertex", false, 4, {-1.25, 0, 0}, {1, 0, 0}, {0}, 1, {1, 0, 0}},
        {"vertex, over the edge", false, 4, {0.125, -1.25, 0}, {0, 1, 0}, {0}, KG_NEVER, {0}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct sweep_row *row = &table[i];
        kg_memory memory;
        kg_mesh mesh = one_triangle(&memory, row->one_sided);
        kg_mesh_path path = {.radius = 0.25, .horizon = 10};
        double normal[3] = {0};
        memcpy(path.x, row->x, sizeof path.x);
        memcpy(path.v, row->v, sizeof path.v);
        memcpy(path.a, row->a, sizeof path.a);
        double t = kg_mesh_sweep_part(&mesh, 0, row->part, &path, normal);
        cr_assert(fabs(t - row->time) < 1e-8, "%s: %.17g", row->name, t);
        for (int k = 0; k < 3 && t < KG_NEVER; ++k)
            cr_assert(fabs(normal[k] - row->normal[k]) < 1e-8, "%s: normal", row->name);
        kg_mesh_free(&memory, &mesh);
    }
}
