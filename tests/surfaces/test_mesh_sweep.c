/* For engine/surfaces/mesh_sweep.c and mesh_cast.c: the first contact of straight and parabolic
 * paths against long double, closed meshes without holes, overlaps at the start. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "support/support_sanitized.h"
#include "surfaces/mesh_feature.h"
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
                hits += kg_mesh_cast(&mesh, &path, false, &feature, normal) < KG_NEVER;
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

static long double least_distance(const kg_mesh *mesh, const long double *x)
{
    long double least = INFINITY;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        least = fminl(least, oracle_distance(mesh, t, x));
    return least;
}

/* Unit normal of a triangle. */
static void normal_of(const kg_mesh *mesh, uint32_t triangle, double normal[3])
{
    const uint32_t *corner = mesh->corner + 3 * triangle;
    const double *a = mesh->vertex + 3 * corner[0], *b = mesh->vertex + 3 * corner[1],
                 *c = mesh->vertex + 3 * corner[2];
    double length = 0;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
        length += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; ++k) normal[k] /= sqrt(length);
}

/* Paths aimed exactly at edges and vertices, where regions meet, a part of them along the border of
 * regions; at last far from the origin, where coordinates are rough. */
Test(mesh_sweep, paths_at_borders_of_regions_do_not_slip_through)
{
    support_random random = support_random_start("borders", 3);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_icosphere(shape, 1, 2);
    support_add_cube(shape, 0.7);
    for (int m = 0; m < 3; ++m) {
        double away[3] = {m == 2 ? 1e5 : 0, m == 2 ? -3e5 : 0, m == 2 ? 2e5 : 0};
        for (uint32_t i = 0; i < 3 * shape->vertices; ++i) shape->vertex[i] += away[i % 3];
        kg_mesh mesh = support_build(&memory, shape, m & 1);
        for (int i = 0; i < SUPPORT_ROUNDS(20000); ++i) {
            uint32_t half = support_below(&random, 3 * mesh.triangle_count);
            const double *a = mesh.vertex + 3 * mesh.corner[half];
            const double *b = mesh.vertex + 3 * mesh.corner[half % 3 == 2 ? half - 2 : half + 1];
            double s = i % 3 ? support_uniform(&random) : 0, speed = pow(10, i % 4), normal[3];
            kg_mesh_path path = {.radius = pow(10, support_between(&random, -6, -0.5))};
            path.horizon = 6 / speed;
            support_direction(&random, 3, path.x);
            normal_of(&mesh, half / 3, normal);
            for (int k = 0; k < 3; ++k) {
                double target = a[k] + s * (b[k] - a[k]);
                path.x[k] = i % 5 ? target + 3 * normal[k] : path.x[k] + away[k];
                path.v[k] = (target - path.x[k]) / 3 * speed;
            }
            uint32_t feature;
            double t = kg_mesh_cast(&mesh, &path, false, &feature, normal);
            cr_assert(t < 3.1 / speed, "passes at speed %g, radius %g", speed, path.radius);
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* A floor of 20,000 triangles is a plane: the same bits of time and normal, whatever is below. */
Test(mesh_sweep, a_flat_floor_has_the_bits_of_a_plane)
{
    support_random random = support_random_start("flat", 6);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_floor(shape, &random, 100, 0);
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        kg_mesh mesh = support_build(&memory, shape, one_sided);
        for (int i = 0; i < SUPPORT_ROUNDS(20000); ++i) {
            kg_mesh_path path = {.radius = pow(10, support_between(&random, -3, 0)), .horizon = 1};
            double normal[3], t;
            uint32_t feature, half = support_below(&random, 3 * mesh.triangle_count);
            const double *p = mesh.vertex + 3 * mesh.corner[half]; /* over vertices, too */
            for (int k = 0; k < 2; ++k) {
                path.x[k] =
                    i & 2 ? p[k] < 20 || p[k] > 80 ? 50 : p[k] : support_between(&random, 20, 80);
                path.v[k] = i & 4 ? 0 : support_between(&random, -15, 15);
            }
            path.x[2] = path.radius + support_between(&random, 0, 0.2);
            path.v[2] = support_between(&random, -3, 1), path.a[2] = i & 1 ? -9.81 : 0;
            t = kg_mesh_cast(&mesh, &path, false, &feature, normal);
            cr_assert_eq(t, kg_sweep_plane_ballistic(path.x[2] - path.radius, path.v[2], path.a[2],
                                                     path.horizon));
            if (t >= KG_NEVER) continue;
            cr_assert(feature == KG_PARTS * mesh.facet[0] && normal[2] == -1);
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* Spheres shot from inside and outside at 1 to 1000 m/s, an eighth of them under gravity: these are
 * out of the sphere within 1.5 s, and after 15 m. A contact comes before the centre is on the other
 * side. */
Test(mesh_sweep, closed_meshes_are_watertight)
{
    support_random random = support_random_start("watertight", 4);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_icosphere(shape, 1, 4);
    kg_mesh mesh = support_build(&memory, shape, false);
    for (int i = 0; i < SUPPORT_ROUNDS(40000); ++i) {
        double speed = pow(10, support_between(&random, 0, 3)), target[3], normal[3];
        bool falls = i % 16 >= 14;
        kg_mesh_path path = {.radius = pow(10, support_between(&random, -4, -1)),
                             .horizon = falls ? fmin(1.5, 15 / speed) : 10};
        support_direction(&random, i & 1 ? 0.85 * cbrt(support_uniform(&random)) : 1.5, path.x);
        support_direction(&random, 0.9 * cbrt(support_uniform(&random)), target);
        for (int k = 0; k < 3; ++k) path.v[k] = target[k] - path.x[k];
        double length = sqrt(path.v[0] * path.v[0] + path.v[1] * path.v[1] + path.v[2] * path.v[2]);
        for (int k = 0; k < 3; ++k) path.v[k] *= speed / length;
        if (falls) path.a[2] = -9.81;
        uint32_t feature;
        double t = kg_mesh_cast(&mesh, &path, false, &feature, normal);
        if (falls && speed < 10 && !(i & 1)) continue; /* may fall beside the sphere */
        cr_assert(t < KG_NEVER, "no contact from %s", i & 1 ? "inside" : "outside");
        long double x[3];
        oracle_position(&path, t, x);
        double from = sqrt((double)oracle_dot(x, x));
        cr_assert(i & 1 ? from < 1 : from > 0.99, "%g from the middle", from);
    }
    kg_mesh_free(&memory, &mesh);
}

/* The first contact with any part of any triangle, and of those at one time the lowest feature. */
static double cast_at_all(const kg_mesh *mesh, const kg_mesh_path *path, uint32_t *feature,
                          double normal[3])
{
    double first = KG_NEVER, at[3];
    for (uint32_t i = 0; i < KG_PARTS * mesh->triangle_count; ++i) {
        if (i % KG_PARTS > KG_PART_VERTEX + 2) continue;
        double t = kg_mesh_sweep_part(mesh, i / KG_PARTS, i % KG_PARTS, path, path->horizon, at);
        uint32_t met = kg_mesh_feature_of(mesh, i / KG_PARTS, i % KG_PARTS);
        if (t >= KG_NEVER || t > first || (t == first && met >= *feature)) continue;
        first = t;
        *feature = met;
        memcpy(normal, at, sizeof at);
    }
    return first;
}

/* Bit for bit on straight paths, as those of queries. On bent ones the last bits depend on the
 * horizon, which a cast lowers. Every third mesh is far from the origin. */
Test(mesh_sweep, a_cast_is_the_first_contact_of_all_parts)
{
    support_random random = support_random_start("cast", 11);
    uint32_t hits = 0;
    for (uint32_t m = 0; m < SUPPORT_ROUNDS(60); ++m) {
        kg_memory memory;
        double away;
        kg_mesh mesh = support_build_any(&memory, &random, m, 100, m & 4, &away);
        for (uint32_t i = 0; i < 200; ++i) {
            kg_mesh_path path = support_random_path(&random, 2, i & 1);
            double normal[2][3] = {{0}}, t[2];
            uint32_t feature[2] = {KG_NONE, KG_NONE};
            path.radius = pow(10, support_between(&random, -4, 0));
            if (i % 8 == 0) path.v[i / 8 % 3] = 0;
            for (int k = 0; k < 3; ++k) path.x[k] += away;
            t[0] = kg_mesh_cast(&mesh, &path, false, &feature[0], normal[0]);
            t[1] = cast_at_all(&mesh, &path, &feature[1], normal[1]);
            if (i & 1 && fabs(t[0] - t[1]) < 1e-12 * t[1]) continue;
            cr_assert(t[0] == t[1] && feature[0] == feature[1] &&
                          !memcmp(normal[0], normal[1], sizeof *normal),
                      "feature %u at %.17g, not %u at %.17g", feature[0], t[0], feature[1], t[1]);
            hits += t[0] < KG_NEVER;
        }
        kg_mesh_free(&memory, &mesh);
    }
    cr_assert_gt(hits, SUPPORT_ROUNDS(1000), "%u hits", hits);
}

/* Two triangles with fronts up and to the left: a sphere that comes up behind the second overlaps
 * it, and approaches their edge when its centre is in front of the first. */
Test(mesh_sweep, a_cast_meets_an_edge_that_it_overlaps_from_behind)
{
    support_shape *shape = support_shape_start();
    kg_memory memory;
    uint32_t a = support_add_vertex(shape, 0, -2, 0), b = support_add_vertex(shape, 0, 2, 0),
             left = support_add_vertex(shape, -2, 0, 0),
             below = support_add_vertex(shape, 0, 0, -2);
    support_add_triangle(shape, a, b, left);
    support_add_triangle(shape, a, b, below);
    kg_mesh mesh = support_build(&memory, shape, true);
    kg_mesh_path path = {{1, 0, -0.5}, {-1, 0, 1}, {0, 0, 0}, 0.75, 10};
    double normal[3];
    uint32_t feature;
    cr_assert_float_eq(kg_mesh_cast(&mesh, &path, false, &feature, normal), 0.5, 1e-12);
    cr_assert_eq(feature % KG_PARTS, KG_PART_EDGE);
    cr_assert_float_eq(normal[0], -1, 1e-12, "%g %g", normal[0], normal[2]);
    kg_mesh_free(&memory, &mesh);
}

/* Spheres that overlap at the start, in soups of two-sided triangles: as soon as the distance from
 * the nearest triangle falls while it is below the radius, there is a contact. Steps of 1/2000 of
 * the horizon; a fall counts above 1e-9 m, far above rounding. */
Test(mesh_sweep, overlapping_spheres_meet_what_they_approach)
{
    enum { STEPS = 2000 };
    support_random random = support_random_start("overlapping", 5);
    int later = 0, never = 0;
    for (int trial = 0; trial < 400; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_soup(shape, &random, 3, trial & 1);
        kg_mesh mesh = support_build(&memory, shape, false);
        kg_mesh_path path = support_random_path(&random, 0.7, trial & 2);
        path.radius = support_between(&random, 0.2, 0.6);
        uint32_t feature;
        double normal[3], t = kg_mesh_cast(&mesh, &path, false, &feature, normal);
        long double before = INFINITY, distance;
        for (int i = 0; i <= STEPS && mesh.node_count; ++i, before = distance) {
            oracle_vec x;
            double at = path.horizon * i / STEPS;
            oracle_position(&path, at, x);
            distance = least_distance(&mesh, x);
            if (before > path.radius || distance > before - 1e-9L) continue;
            cr_assert(t <= at, "falls at %g, contact at %g of feature %u", at, t, feature);
            break;
        }
        later += t > 0 && t < KG_NEVER, never += t >= KG_NEVER;
        kg_mesh_free(&memory, &mesh);
    }
    cr_assert(later > 20 && never > 20, "%d later, %d never", later, never);
}

/* One triangle: overlaps at the start, entries, turns. */

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
         KG_NEVER,
         {0}},
        {"behind the front", true, 0, {0.25, 0.25, -0.5}, {0, 0, -1}, {0}, KG_NEVER, {0}},
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
        {"passes beside it, returns from below",
         false,
         0,
         {-1, 0.25, 1},
         {0.8, 0, -4},
         {0, 0, 4},
         1.6123724356957945,
         {0, 0, 1}},
        {"the same, behind the front",
         true,
         0,
         {-1, 0.25, 1},
         {0.8, 0, -4},
         {0, 0, 4},
         KG_NEVER,
         {0}},
        {"first root beside it, second over it",
         true,
         0,
         {-1.5, 0.25, 0.5},
         {1, 0, -1},
         {0, 0, 0},
         KG_NEVER,
         {0}},
        {"plane met beside it, again over it",
         true,
         0,
         {-1, 0.25, 0.5},
         {0.5, 0, -0.75},
         {0, 0, 0.5},
         KG_NEVER,
         {0}},
        {"meets it at the second fall",
         true,
         0,
         {-0.5, 0.25, 0.125},
         {0.5, 0, 1},
         {0, 0, -1},
         1.8660254037844386,
         {0, 0, -1}},
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
        double t = kg_mesh_sweep_part(&mesh, 0, row->part, &path, path.horizon, normal);
        cr_assert(fabs(t - row->time) < 1e-8, "%s: %.17g", row->name, t);
        for (int k = 0; k < 3 && t < KG_NEVER; ++k)
            cr_assert(fabs(normal[k] - row->normal[k]) < 1e-8, "%s: normal", row->name);
        kg_mesh_free(&memory, &mesh);
    }
}

/* Later times may be left out; earlier ones keep their bits. */
Test(mesh_sweep, times_are_the_same_up_to_the_last_one_wanted)
{
    /* with this seed, paths reach a region after `last` */
    support_random random = support_random_start("last one wanted", ((uint64_t)9200 << 32) + 11);
    uint32_t before = 0, after = 0;
    for (int trial = 0; trial < 900; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_soup(shape, &random, 12, true);
        kg_mesh mesh = support_build(&memory, shape, trial & 1);
        for (int i = 0; i < 20; ++i) {
            kg_mesh_path path = support_random_path(&random, 2, i & 1);
            uint32_t triangle = support_below(&random, mesh.triangle_count),
                     part = support_below(&random, KG_PART_END);
            double normal[3], at_last[3], last = support_between(&random, 0, path.horizon);
            double t = kg_mesh_sweep_part(&mesh, triangle, part, &path, path.horizon, normal);
            if (t == KG_NEVER) continue;
            if (i % 3 == 0) last = t;
            double s = kg_mesh_sweep_part(&mesh, triangle, part, &path, last, at_last);
            cr_assert_eq(s, t <= last ? t : KG_NEVER, "%.17g, %.17g, last %.17g", s, t, last);
            before += t <= last, after += t > last;
            for (int k = 0; k < 3 && t <= last; ++k) cr_assert_eq(normal[k], at_last[k]);
        }
        kg_mesh_free(&memory, &mesh);
    }
    cr_assert(before > 200 && after > 50, "%u before, %u after", before, after);
}

/* A part that kg_mesh_parts_on_path leaves out is met by no sweep, however short the path. */
Test(mesh_sweep, parts_that_a_path_does_not_enter_are_not_met)
{
    support_random random = support_random_start("parts", 12);
    uint32_t left_out = 0, met = 0;
    for (int trial = 0; trial < SUPPORT_ROUNDS(200); ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        if (trial % 3) support_add_soup(shape, &random, 12, true);
        else support_add_floor(shape, &random, 3, trial % 2 ? 0.3 : 0);
        kg_mesh mesh = support_build(&memory, shape, trial & 1);
        for (int i = 0; i < 60; ++i) {
            kg_mesh_path path = support_random_path(&random, 2, i & 1);
            double from = i % 4 ? 0 : support_between(&random, 0, path.horizon), normal[3];
            if (i % 3 == 0) path.horizon *= 0.01; /* as in a substep */
            if (from > path.horizon) from = 0;
            for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
                uint32_t all = kg_mesh_collidable_parts(&mesh, t),
                         parts = kg_mesh_parts_on_path(&mesh, t, &path, from, path.horizon);
                cr_assert_eq(parts & ~all, 0u);
                for (uint32_t part = 0; part < KG_PART_END; ++part) {
                    if (!(all & 1u << part)) continue;
                    double at = kg_mesh_sweep_part(&mesh, t, part, &path, path.horizon, normal);
                    bool found = at < KG_NEVER && at >= from;
                    met += found;
                    left_out += !(parts & 1u << part);
                    cr_assert(!found || parts & 1u << part, "part %u of %u at %.17g", part, t, at);
                }
            }
        }
        kg_mesh_free(&memory, &mesh);
    }
    cr_assert(met > SUPPORT_ROUNDS(1000) && left_out > SUPPORT_ROUNDS(100000),
              "%u met, %u left out", met, left_out);
}
