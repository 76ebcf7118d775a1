/* For engine/geometry/sweep_sphere.c: moving spheres against spheres, planes and boxes, and cases
 * in which a published article is wrong. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "geometry/sweep_linear.h"
#include "kugel/geometry.h"
#include "support/support_random.h"

static bool near(double a, double b) { return fabs(a - b) <= 4e-15 * (1 + fabs(b)); }

static const double zero[3] = {0, 0, 0};

struct pair_row {
    char name[40];
    double a[3], va[3], b[3], vb[3]; /* radii 1 and 2, dt 1 */
    bool hit, touching, approaching;
    double time, gap, normal[3], point[3];
};

static const struct pair_row pairs[] = {
    {"meets", {-5, 0, 0}, {4, 0, 0}, {0}, {0}, true, false, true, 0.5, 2, {-1, 0, 0}, {-2, 0, 0}},
    {"both move",
     {-5, 0, 0},
     {2, 0, 0},
     {0},
     {-2, 0, 0},
     true,
     false,
     true,
     0.5,
     2,
     {-1, 0, 0},
     {-3, 0, 0}},
    {"meets at the end",
     {-5, 0, 0},
     {2, 0, 0},
     {0},
     {0},
     true,
     false,
     true,
     1,
     2,
     {-1, 0, 0},
     {-2, 0, 0}},
    {"too slow", {-5, 0, 0}, {1.875, 0, 0}, {0}, {0}, false, false, true, 0, 2, {0}, {0}},
    {"leaves", {-5, 0, 0}, {-4, 0, 0}, {0}, {0}, false, false, false, 0, 2, {0}, {0}},
    {"same velocity", {-5, 0, 0}, {4, 3, 2}, {0}, {4, 3, 2}, false, false, false, 0, 2, {0}, {0}},
    {"at rest, apart", {-5, 0, 0}, {0}, {0}, {0}, false, false, false, 0, 2, {0}, {0}},
    {"at rest, touching",
     {-3, 0, 0},
     {0},
     {0},
     {0},
     true,
     true,
     false,
     0,
     0,
     {-1, 0, 0},
     {-2, 0, 0}},
    {"same velocity, overlapping",
     {-2, 0, 0},
     {9, 0, 0},
     {0},
     {9, 0, 0},
     true,
     true,
     false,
     0,
     -1,
     {-1, 0, 0},
     {-2, 0, 0}},
    {"overlapping, approaching",
     {-2, 0, 0},
     {9, 0, 0},
     {0},
     {0},
     true,
     true,
     true,
     0,
     -1,
     {-1, 0, 0},
     {-2, 0, 0}},
    {"overlapping, separating",
     {-2, 0, 0},
     {-9, 0, 0},
     {0},
     {0},
     true,
     true,
     false,
     0,
     -1,
     {-1, 0, 0},
     {-2, 0, 0}},
    {"touching, sliding past",
     {-3, 0, 0},
     {0, 9, 0},
     {0},
     {0},
     true,
     true,
     false,
     0,
     0,
     {-1, 0, 0},
     {-2, 0, 0}},
    {"tangent", {-4, 3, 0}, {4, 0, 0}, {0}, {0}, true, false, true, 1, 2, {0, 1, 0}, {0, 2, 0}},
    {"just past", {-4, 3 + 0x1p-46, 0}, {8, 0, 0}, {0}, {0}, false, false, true, 0, 2, {0}, {0}},
    {"through in one step",
     {-5, 0, 0},
     {1000, 0, 0},
     {0},
     {0},
     true,
     false,
     true,
     0.002,
     2,
     {-1, 0, 0},
     {-2, 0, 0}},
    {"equal centres", {0}, {1, 0, 0}, {0}, {0}, true, true, false, 0, -3, {-1, 0, 0}, {-2, 0, 0}},
};

Test(sweep_sphere, two_spheres_have_exact_values)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        const struct pair_row *row = &pairs[i];
        kugel_contact c;
        cr_assert_eq(kugel_sweep_spheres(row->a, row->va, 1, row->b, row->vb, 2, 1, &c), KUGEL_OK);
        cr_assert_eq(c.hit, row->hit, "%s: hit %d", row->name, c.hit);
        cr_assert_eq(c.touching, row->touching, "%s: touching %d", row->name, c.touching);
        cr_assert_eq(c.approaching, row->approaching, "%s: approaching %d", row->name,
                     c.approaching);
        cr_assert(near(c.time, row->time), "%s: time %.17g", row->name, c.time);
        cr_assert(near(c.gap, row->gap), "%s: gap %.17g", row->name, c.gap);
        for (int k = 0; k < 3; ++k) {
            cr_assert(near(c.normal[k], row->normal[k]), "%s: normal[%d] %g", row->name, k,
                      c.normal[k]);
            cr_assert(near(c.point[k], row->point[k]), "%s: point[%d] %g", row->name, k,
                      c.point[k]);
        }
    }
}

Test(sweep_sphere, article_test9_divides_by_zero_at_rest)
{
    const double touching[3] = {2, 0, 0};
    double speed = sqrt(0.0);
    cr_assert(isnan(0.0 / speed), "the article normalises a velocity of 0");
    kugel_contact c;
    kugel_sweep_spheres(touching, zero, 1, zero, zero, 1, 1, &c);
    cr_assert(c.hit && c.touching && !c.approaching && c.time == 0);
    cr_assert_eq(c.normal[0], 1);
}

/* The article compares a length with dt. A contact 8 m away at 4 m/s, after 2 s, fails against a dt
 * of 3 s; one 0.5 m away at 0.25 m/s, after 2 s, passes against a dt of 1 s. */
Test(sweep_sphere, article_test9_compares_length_with_time)
{
    const double far_off[3] = {-10, 0, 0}, fast[3] = {4, 0, 0};
    const double close[3] = {-2.5, 0, 0}, slow[3] = {0.25, 0, 0};
    kugel_contact c;
    kugel_sweep_spheres(far_off, fast, 1, zero, zero, 1, 3, &c);
    cr_assert(8 > 3 && c.hit && c.time == 2);
    kugel_sweep_spheres(close, slow, 1, zero, zero, 1, 1, &c);
    cr_assert(0.5 < 1 && !c.hit);
}

/* The public function has the bits of the step's code for pairs at rest and in motion. */
Test(sweep_sphere, same_bits_as_the_step)
{
    support_random random = support_random_start("same_bits_as_the_step", 31);
    int hits = 0;
    for (int i = 0; i < 50000; ++i) {
        double a[3], b[3], va[3], vb[3], d[3], w[3];
        double radius_a = support_between(&random, 0.01, 1),
               radius_b = support_between(&random, 0.01, 1);
        support_direction(&random, 1000, b);
        support_direction(&random, radius_a + radius_b + support_between(&random, 0, 2), a);
        support_direction(&random, support_between(&random, 0, 30), va);
        support_direction(&random, i % 3 ? support_between(&random, 0, 30) : 0, vb);
        for (int k = 0; k < 3; ++k) {
            a[k] += b[k];
            d[k] = b[k] - a[k];
            w[k] = vb[k] - va[k];
        }
        kugel_contact c;
        kugel_sweep_spheres(a, va, radius_a, b, vb, radius_b, 0.1, &c);
        double time = kg_sweep_spheres(d, w, radius_a + radius_b, 0.1);
        if (!c.touching) cr_assert_eq(c.hit, time < KG_NEVER);
        if (c.hit && !c.touching) cr_assert_eq(c.time, time);
        hits += c.hit;
    }
    cr_assert(hits > 3000, "%d hits", hits);
}

/* Spheres of 1e-3 m from 1e4 m away, against long double: hit and miss are right for paths that
 * pass by more than 1e-9 of the reach, the time is within 1e-11, relative. */
Test(sweep_sphere, small_fast_spheres_agree_with_long_double)
{
    support_random random = support_random_start("motion_accuracy", 37);
    double worst = 0;
    int hits = 0, judged = 0;
    for (int i = 0; i < 50000; ++i) {
        double a[3], va[3], b[3] = {0, 0, 0}, vb[3], w[3], side[3];
        support_direction(&random, 1e4, a);
        support_direction(&random, 500, vb);
        support_direction(&random, 1e-3 * support_between(&random, 0, 2), side);
        for (int k = 0; k < 3; ++k)
            va[k] = vb[k] - (a[k] + side[k]) / 10; /* passes in about 10 s */
        long double dw = 0, ww = 0, pp = 0, dd = 0, reach = 0.5e-3 + 0.5e-3;
        for (int k = 0; k < 3; ++k) {
            w[k] = vb[k] - va[k]; /* the velocities' difference is rounded in both */
            dw += ((long double)b[k] - a[k]) * w[k];
            ww += (long double)w[k] * w[k];
            dd += (long double)a[k] * a[k];
        }
        for (int k = 0; k < 3; ++k) {
            long double p = -(long double)a[k] - dw / ww * w[k];
            pp += p * p;
        }
        long double near_root =
            (dd - reach * reach) / (-dw + sqrtl(fmaxl(ww * (reach * reach - pp), 0)));
        if (fabsl(sqrtl(pp) / reach - 1) < 1e-8L) continue;
        ++judged;
        kugel_contact c;
        kugel_sweep_spheres(a, va, 0.5e-3, b, vb, 0.5e-3, 20, &c);
        cr_assert_eq(c.hit, pp <= reach * reach, "passes at %Lg reach", sqrtl(pp) / reach);
        if (!c.hit) continue;
        ++hits;
        worst = fmax(worst, (double)fabsl(c.time / near_root - 1));
    }
    cr_assert(hits > 10000 && judged - hits > 10000, "%d hits of %d", hits, judged);
    cr_assert(worst < 1e-11, "relative error of the time %g", worst);
}

struct plane_row {
    char name[32];
    double z, velocity[3]; /* radius 1, plane z = 0, dt 1 */
    bool hit, touching, approaching;
    double time, gap;
};

Test(sweep_sphere, sphere_and_plane_have_exact_values)
{
    static const struct plane_row table[] = {
        {"falls on it", 3, {5, 0, -4}, true, false, true, 0.5, 2},
        {"arrives at the end", 3, {0, 0, -2}, true, false, true, 1, 2},
        {"too slow", 3, {0, 0, -1.875}, false, false, true, 0, 2},
        {"leaves", 3, {0, 0, 4}, false, false, false, 0, 2},
        {"slides above", 3, {4, 4, 0}, false, false, false, 0, 2},
        {"slides on it", 1, {4, 4, 0}, true, true, false, 0, 0},
        {"rests on it", 1, {0, 0, 0}, true, true, false, 0, 0},
        {"touches and leaves", 1, {0, 0, 1}, true, true, false, 0, 0},
        {"touches and goes in", 1, {0, 0, -1}, true, true, true, 0, 0},
        {"starts in it", 0.5, {0, 0, -1}, true, true, true, 0, -0.5},
        {"starts behind, deeper", -5, {0, 0, -1}, true, true, true, 0, -6},
        {"starts behind, coming back", -5, {0, 0, 100}, true, true, false, 0, -6},
    };
    const double up[3] = {0, 0, 1};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct plane_row *row = &table[i];
        const double center[3] = {1, 2, row->z};
        kugel_contact c;
        cr_assert_eq(kugel_sweep_sphere_plane(center, row->velocity, 1, up, 0, 1, &c), KUGEL_OK);
        cr_assert_eq(c.hit, row->hit, "%s", row->name);
        cr_assert_eq(c.touching, row->touching, "%s", row->name);
        cr_assert_eq(c.approaching, row->approaching, "%s", row->name);
        cr_assert_eq(c.time, row->time, "%s: %g", row->name, c.time);
        cr_assert_eq(c.gap, row->gap, "%s", row->name);
        if (!c.hit) continue;
        cr_assert(c.normal[2] == 1 && c.point[2] == 0, "%s", row->name);
        cr_assert_eq(c.point[0], 1 + row->time * row->velocity[0], "%s", row->name);
    }
}

/* On a slanted plane n.v of a sliding velocity is rounding noise, which counts as 0. */
Test(sweep_sphere, sliding_along_a_slanted_plane_is_no_approach)
{
    support_random random = support_random_start("sliding", 41);
    for (int i = 0; i < 20000; ++i) {
        const double normal[3] = {0.6, 0, 0.8};
        double s = support_between(&random, -99, 99), z = support_between(&random, -99, 99);
        const double velocity[3] = {-0.8 * s, z, 0.6 * s}, center[3] = {0.6, z, 0.8};
        kugel_contact c;
        kugel_sweep_sphere_plane(center, velocity, 0.5, normal, 0, 1e300, &c);
        cr_assert(!c.hit && !c.approaching, "n.v = %g", 0.6 * velocity[0] + 0.8 * velocity[2]);
    }
}

struct box_row {
    char name[32];
    double center[3], velocity[3]; /* radius 1, box [0, 10]^3, dt 1 */
    bool hit, touching, approaching;
    int face;
    double time;
};

Test(sweep_sphere, sphere_in_a_box_has_exact_values)
{
    static const struct box_row table[] = {
        {"x-min", {5, 5, 5}, {-8, 0, 0}, true, false, true, 0, 0.5},
        {"x-max", {5, 5, 5}, {8, 0, 0}, true, false, true, 1, 0.5},
        {"y-min", {5, 5, 5}, {0, -8, 0}, true, false, true, 2, 0.5},
        {"y-max", {5, 5, 5}, {0, 8, 0}, true, false, true, 3, 0.5},
        {"z-min", {5, 5, 5}, {0, 0, -8}, true, false, true, 4, 0.5},
        {"z-max", {5, 5, 5}, {0, 0, 8}, true, false, true, 5, 0.5},
        {"the earlier of two", {5, 5, 5}, {8, 16, 0}, true, false, true, 3, 0.25},
        {"into a corner", {5, 5, 5}, {8, 8, 8}, true, false, true, 1, 0.5},
        {"none in time", {5, 5, 5}, {1, 1, 1}, false, false, true, -1, 0},
        {"at rest", {5, 5, 5}, {0, 0, 0}, false, false, false, -1, 0},
        {"slides on the floor to a wall", {5, 5, 1}, {8, 0, 0}, true, false, true, 1, 0.5},
        {"rests on the floor", {5, 5, 1}, {0, 0, 0}, true, true, false, 4, 0},
        {"leaves the floor for the ceiling", {5, 5, 1}, {0, 0, 16}, true, false, true, 5, 0.5},
        {"outside", {-5, 5, 5}, {1, 0, 0}, true, true, false, 0, 0},
    };
    const double min[3] = {0, 0, 0}, max[3] = {10, 10, 10};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct box_row *row = &table[i];
        kugel_contact c;
        int face;
        cr_assert_eq(kugel_sweep_sphere_box(row->center, row->velocity, 1, min, max, 1, &c, &face),
                     KUGEL_OK);
        cr_assert_eq(c.hit, row->hit, "%s", row->name);
        cr_assert_eq(c.touching, row->touching, "%s", row->name);
        cr_assert_eq(c.time, row->time, "%s: %g", row->name, c.time);
        cr_assert_eq(face, row->face, "%s: face %d", row->name, face);
        if (!c.hit) continue;
        cr_assert_eq(c.approaching, row->approaching, "%s", row->name);
        cr_assert_eq(c.normal[face / 2], face % 2 ? -1 : 1, "%s: the normal points inwards",
                     row->name);
        cr_assert_eq(c.point[face / 2], face % 2 ? 10 : 0, "%s", row->name);
    }
}
