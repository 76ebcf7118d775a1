/* For engine/geometry/ellipsoid_nearest.c: nearest point, normal and signed distance. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "geometry/oracle_ellipsoid.h"
#include "kugel/geometry.h"
#include "support/support_random.h"

static const double zero[3] = {0, 0, 0};

struct nearest_row {
    char name[32];
    double point[3], gap, nearest[3];
};

Test(ellipsoid_nearest, known_points_have_their_values)
{
    static const struct nearest_row table[] = {
        {"over the x vertex", {5, 0, 0}, 2, {3, 0, 0}},
        {"over the y vertex", {0, -5, 0}, 3, {0, -2, 0}},
        {"over the z vertex", {0, 0, 1.5}, 0.5, {0, 0, 1}},
        {"on the surface", {0, 2, 0}, 0, {0, 2, 0}},
        {"inside, near the z vertex", {0, 0, 0.75}, -0.25, {0, 0, 1}},
        {"the centre", {0, 0, 0}, -1, {0, 0, 1}},
    };
    const double axes[3] = {3, 2, 1};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct nearest_row *row = &table[i];
        kugel_overlap o;
        cr_assert_eq(kugel_ellipsoid_nearest(row->point, zero, axes, NULL, &o), KUGEL_OK);
        cr_assert(fabs(o.gap - row->gap) < 1e-15, "%s: gap %.17g", row->name, o.gap);
        cr_assert_eq(o.hit, row->gap <= 0, "%s", row->name);
        for (int k = 0; k < 3; ++k) {
            cr_assert(fabs(o.point_b[k] - row->nearest[k]) < 1e-15, "%s: %g", row->name,
                      o.point_b[k]);
            double normal = (row->nearest[k] > 0) - (row->nearest[k] < 0);
            cr_assert(fabs(o.normal[k] - normal) < 1e-15, "%s", row->name);
        }
    }
}

/* In the plane across the short axis of an oblate shape, two points are equally near deep inside,
 * and one near the ends of the longer axes. The distance is that of the closed form of the ellipse.
 */
Test(ellipsoid_nearest, distance_across_the_short_axis_has_the_closed_form)
{
    const double axes[3] = {2, 2, 1};
    for (int i = 0; i <= 100; ++i) {
        double x = 2.0 * i / 100;
        const double point[3] = {x, 0, 0};
        kugel_overlap o;
        kugel_ellipsoid_nearest(point, zero, axes, NULL, &o);
        double expected = x < 1.5 ? sqrt(1 - x * x / 3) : 2 - x; /* 1.5: the centre of curvature */
        cr_assert(fabs(-o.gap - expected) < 1e-14, "x %g: %.17g, not %.17g", x, -o.gap, expected);
    }
}

static void random_axes(support_random *random, double thin, double axes[3])
{
    for (int k = 0; k < 3; ++k) axes[k] = pow(thin, support_uniform(random));
    if (support_below(random, 4) == 0) axes[1] = axes[0];
    if (support_below(random, 4) == 0) axes[2] = axes[0];
}

/* Within 1e-15 of the sizes, against bisection in long double. */
Test(ellipsoid_nearest, distance_outside_agrees_with_long_double)
{
    support_random random = support_random_start("distance_outside", 53);
    double worst = 0;
    for (int i = 0; i < 10000; ++i) {
        double point[3], axes[3];
        random_axes(&random, i % 2 ? 0.1 : 1e-6, axes);
        support_direction(&random, pow(10, support_between(&random, -2, 3)), point);
        if (i % 5 == 0) point[support_below(&random, 3)] = 0;
        kugel_overlap o;
        kugel_ellipsoid_nearest(point, zero, axes, NULL, &o);
        if (o.gap <= 0) continue;
        const long double y[3] = {point[0], point[1], point[2]};
        long double exact = oracle_ellipsoid_distance(y, axes);
        double size = 1 + fabs(point[0]) + fabs(point[1]) + fabs(point[2]);
        worst = fmax(worst, (double)fabsl(o.gap - exact) / size);
    }
    fprintf(stderr, "distance: %.2g of the sizes\n", worst);
    cr_assert(worst < 1e-15, "%g", worst);
}

/* Inside and outside, rotated and shifted: the nearest point is on the surface, |gap| away along
 * the normal, and no sampled surface point is nearer. */
Test(ellipsoid_nearest, no_surface_point_is_nearer)
{
    support_random random = support_random_start("nearest_properties", 59);
    for (int i = 0; i < 10000; ++i) {
        double point[3], axes[3], center[3], q[4] = {0, 0, 0, 1}, off = 0, on = 0, side[3];
        random_axes(&random, 0.05, axes);
        support_direction(&random, support_between(&random, 0, 10), center);
        support_direction(&random, support_between(&random, 0, 1.2), point);
        for (int k = 0; k < 3; ++k) point[k] += center[k];
        double a = support_between(&random, -1, 1);
        q[i % 3] = a, q[3] = sqrt(1 - a * a);
        kugel_overlap o;
        cr_assert_eq(kugel_ellipsoid_nearest(point, center, axes, q, &o), KUGEL_OK);
        for (int k = 0; k < 3; ++k) {
            double step = point[k] - o.point_b[k] - o.gap * o.normal[k];
            off += step * step;
        }
        cr_assert(sqrt(off) < 1e-13, "the point is not gap * normal from its nearest: %g",
                  sqrt(off));
        kugel_hit hit;
        double out[3], in[3];
        for (int k = 0; k < 3; ++k) {
            out[k] = o.point_b[k] + 1e-3 * o.normal[k];
            in[k] = -o.normal[k];
        }
        kugel_ray_ellipsoid(out, in, INFINITY, center, axes, q, &hit);
        on = hit.t_enter - 1e-3;
        cr_assert(hit.hit && fabs(on) < 1e-12, "the nearest point is %g off the surface", on);
        for (int probe = 0; probe < 20; ++probe) {
            support_direction(&random, 1, side);
            kugel_ray_ellipsoid(center, side, INFINITY, center, axes, q, &hit);
            double dd = 0;
            for (int k = 0; k < 3; ++k) {
                dd += (hit.exit_point[k] - point[k]) * (hit.exit_point[k] - point[k]);
            }
            cr_assert(sqrt(dd) > fabs(o.gap) - 1e-13, "%g is nearer than %g", sqrt(dd),
                      fabs(o.gap));
        }
    }
}

Test(ellipsoid_nearest, equal_semi_axes_are_a_sphere)
{
    support_random random = support_random_start("nearest_sphere", 61);
    const double axes[3] = {1.5, 1.5, 1.5}, none[3] = {0, 0, 0};
    for (int i = 0; i < 10000; ++i) {
        double point[3], distance = support_between(&random, 0, 4);
        support_direction(&random, distance, point);
        kugel_overlap o;
        kugel_ellipsoid_nearest(point, zero, axes, NULL, &o);
        cr_assert(fabs(o.gap - (distance - 1.5)) < 4e-15, "%g", o.gap - (distance - 1.5));
    }
    kugel_overlap o;
    const double point[3] = {3, 0, 4};
    kugel_ellipsoid_nearest(point, zero, none, NULL, &o);
    cr_assert(!o.hit && o.gap == 5 && o.point_b[0] == 0, "semi-axes of 0: the distance to a point");
    kugel_ellipsoid_nearest(zero, zero, none, NULL, &o);
    cr_assert(o.hit && o.gap == 0 && o.normal[0] == 1);
}
