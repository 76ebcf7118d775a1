/* For engine/geometry/ellipsoid.c: hits, entries, exits and normals of rays against an
 * ellipsoid. The oracle solves the quadratic in long double in the ellipsoid's frame. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "kugel/geometry.h"
#include "support/support_random.h"

static bool near(double a, double b) { return fabs(a - b) <= 1e-14 * (1 + fabs(b)); }

static const double zero[3] = {0, 0, 0};
static const double axes321[3] = {3, 2, 1};
static const double quarter_z[4] = {0, 0, 0.70710678118654752, 0.70710678118654752};

struct ray_row {
    char name[32];
    double origin[3], direction[3];
    bool turned, hit, inside;
    double enter, leave, normal[3];
};

Test(ellipsoid, rays_have_the_values_of_closed_forms)
{
    static const struct ray_row table[] = {
        {"along x", {-9, 0, 0}, {1, 0, 0}, false, true, false, 6, 12, {-1, 0, 0}},
        {"along y", {0, -9, 0}, {0, 1, 0}, false, true, false, 7, 11, {0, -1, 0}},
        {"along z, twice as long", {0, 0, 9}, {0, 0, -2}, false, true, false, 4, 5, {0, 0, 1}},
        {"turned, along x", {-9, 0, 0}, {1, 0, 0}, true, true, false, 7, 11, {-1, 0, 0}},
        {"turned, along y", {0, -9, 0}, {0, 1, 0}, true, true, false, 6, 12, {0, -1, 0}},
        {"tangent", {-9, 2, 0}, {1, 0, 0}, false, true, false, 9, 9, {0, 1, 0}},
        {"past", {-9, 2 + 0x1p-40, 0}, {1, 0, 0}, false, false, false, 0, 0, {0}},
        {"behind", {9, 0, 0}, {1, 0, 0}, false, false, false, 0, 0, {0}},
        {"inside, away", {1, 0, 0}, {1, 0, 0}, false, true, true, 0, 2, {1, 0, 0}},
        {"from the centre", {0, 0, 0}, {0, 1, 0}, false, true, true, 0, 2, {1, 0, 0}},
        {"on it, out", {0, 2, 0}, {0, 1, 0}, false, true, true, 0, 0, {0, 1, 0}},
        {"on it, in", {0, 2, 0}, {0, -1, 0}, false, true, true, 0, 4, {0, 1, 0}},
        {"still, inside", {0, 1, 0}, {0, 0, 0}, false, true, true, 0, 0, {0, 1, 0}},
        {"still, outside", {0, 2.5, 0}, {0, 0, 0}, false, false, false, 0, 0, {0}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct ray_row *row = &table[i];
        const double *rotation = row->turned ? quarter_z : NULL;
        kugel_hit hit;
        cr_assert_eq(kugel_ray_ellipsoid(row->origin, row->direction, INFINITY, zero, axes321,
                                         rotation, &hit),
                     KUGEL_OK);
        cr_assert_eq(hit.hit, row->hit, "%s", row->name);
        cr_assert_eq(hit.started_inside, row->inside, "%s", row->name);
        cr_assert(near(hit.t_enter, row->enter), "%s: t_enter %.17g", row->name, hit.t_enter);
        cr_assert(near(hit.t_exit, row->leave), "%s: t_exit %.17g", row->name, hit.t_exit);
        for (int k = 0; k < 3; ++k) {
            cr_assert(near(hit.normal[k], row->normal[k]), "%s: normal[%d] %g", row->name, k,
                      hit.normal[k]);
            double point = hit.hit ? row->origin[k] + row->direction[k] * row->enter : 0;
            cr_assert(near(hit.point[k], point), "%s: point[%d] %g", row->name, k, hit.point[k]);
        }
    }
}

Test(ellipsoid, ends_and_points_on_the_surface_hit)
{
    const double p[3] = {-6, 0, 0}, on[3] = {-3, 0, 0}, to_surface[3] = {3, 0, 0},
                 less[3] = {3 - 0x1p-40, 0, 0};
    kugel_hit hit;
    kugel_ray_ellipsoid(p, to_surface, 1, zero, axes321, NULL, &hit);
    cr_assert(hit.hit && hit.t_enter == 1 && hit.t_exit == 3);
    kugel_ray_ellipsoid(p, less, 1, zero, axes321, NULL, &hit);
    cr_assert(!hit.hit);
    kugel_ray_ellipsoid(on, zero, 1, zero, axes321, NULL, &hit);
    cr_assert(hit.hit && hit.started_inside && hit.t_exit == 0);
    for (int k = 0; k < 3;
         ++k) { /* the six vertices are on the surface, so inside, for any lengths */
        const double axes[3] = {0.7, 0.1, 1.3};
        double vertex[3] = {0};
        vertex[k] = axes[k];
        kugel_ray_ellipsoid(vertex, zero, 0, zero, axes, NULL, &hit);
        cr_assert(hit.hit);
        vertex[k] = -nextafter(axes[k], 9);
        kugel_ray_ellipsoid(vertex, zero, 0, zero, axes, NULL, &hit);
        cr_assert(!hit.hit, "one step beyond the vertex");
    }
}

Test(ellipsoid, normal_is_the_gradient_not_the_direction_from_the_centre)
{
    const double axes[3] = {2, 1, 1}, origin[3] = {1, 5, 0}, down[3] = {0, -1, 0};
    kugel_hit hit;
    kugel_ray_ellipsoid(origin, down, INFINITY, zero, axes, NULL, &hit);
    double y = sqrt(0.75), gx = 1.0 / 4, gy = y, length = hypot(gx, gy);
    cr_assert(near(hit.point[0], 1) && near(hit.point[1], y));
    cr_assert(near(hit.normal[0], gx / length) && near(hit.normal[1], gy / length));
    double radial = atan2(y, 1), gradient = atan2(hit.normal[1], hit.normal[0]);
    cr_assert(gradient - radial > 0.5, "the direction from the centre is %g rad off",
              gradient - radial);
}

Test(ellipsoid, semi_axes_are_lengths_not_squares)
{
    const double axes[3] = {4, 1, 1}, origin[3] = {-9, 0, 0}, along[3] = {1, 0, 0};
    kugel_hit hit;
    kugel_ray_ellipsoid(origin, along, INFINITY, zero, axes, NULL, &hit);
    cr_assert_eq(hit.t_enter, 5, "taken as squares it would be 7");
}

typedef struct truth {
    long double b, vv, c, disc; /* vv t^2 - 2 b t + c = 0 */
} truth;

static truth exact_ray(const double o[3], const double d[3], const double c[3],
                       const double axes[3], const double q[4])
{
    long double m[3], x[3], v[3], s = 0;
    for (int k = 0; k < 4; ++k) s += (long double)q[k] * q[k];
    s = 2 / s;
    long double X = q[0], Y = q[1], Z = q[2], W = q[3];
    long double turn[3][3] = {{1 - s * (Y * Y + Z * Z), s * (X * Y + Z * W), s * (X * Z - Y * W)},
                              {s * (X * Y - Z * W), 1 - s * (X * X + Z * Z), s * (Y * Z + X * W)},
                              {s * (X * Z + Y * W), s * (Y * Z - X * W), 1 - s * (X * X + Y * Y)}};
    truth t = {0, 0, -1, 0};
    for (int k = 0; k < 3; ++k) m[k] = (long double)c[k] - o[k];
    for (int k = 0; k < 3; ++k) {
        x[k] = (turn[k][0] * m[0] + turn[k][1] * m[1] + turn[k][2] * m[2]) / axes[k];
        v[k] = (turn[k][0] * d[0] + turn[k][1] * d[1] + turn[k][2] * d[2]) / axes[k];
        t.b += x[k] * v[k];
        t.vv += v[k] * v[k];
        t.c += x[k] * x[k];
    }
    long double pp = 0;
    for (int k = 0; k < 3; ++k) {
        long double p = x[k] - t.b / t.vv * v[k];
        pp += p * p;
    }
    t.disc = t.vv * (1 - pp);
    return t;
}

static void random_turn(support_random *random, double q[4])
{
    double length = 0;
    for (int k = 0; k < 4; ++k) {
        q[k] = support_gauss(random);
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k) q[k] /= sqrt(length);
}

/* Semi-axes from 1 down to `thin`, rays that pass nearby. Rounding at `distance` moves the ray by
 * distance * 2^-52 sideways: hit and miss may differ within a few times that over the thinnest
 * axis, and t by that over the chord, which is at least 1e-3 for thousands of rays. */
static double measure(support_random *random, double distance, double thin)
{
    double worst = 0, slack = distance * 0x1p-49 / thin;
    int judged = 0, hits = 0;
    for (int i = 0; i < 30000; ++i) {
        double o[3], d[3], c[3], q[4], axes[3];
        for (int k = 0; k < 3; ++k) axes[k] = pow(thin, support_uniform(random));
        support_direction(random, support_between(random, 0, 10), c);
        support_direction(random, distance, o);
        support_direction(random, support_between(random, 0, 1), d);
        for (int k = 0; k < 3; ++k) d[k] -= o[k], o[k] += c[k];
        random_turn(random, q);
        truth t = exact_ray(o, d, c, axes, q);
        if (fabsl(t.disc / t.vv) < slack || fabsl(t.c) < slack) continue;
        ++judged;
        kugel_hit hit;
        cr_assert_eq(kugel_ray_ellipsoid(o, d, INFINITY, c, axes, q, &hit), KUGEL_OK);
        bool expected = t.c <= 0 || (t.b > 0 && t.disc >= 0);
        cr_assert_eq(hit.hit, expected, "axes %g %g %g: edge %Lg", axes[0], axes[1], axes[2],
                     t.disc / t.vv);
        cr_assert_eq(hit.started_inside, t.c <= 0);
        if (!hit.hit) continue;
        ++hits;
        long double leave = (t.b + sqrtl(t.disc)) / t.vv;
        worst = fmax(worst, (double)fabsl(hit.t_exit - leave));
        if (!hit.started_inside) {
            long double enter = t.c / (t.b + sqrtl(t.disc));
            worst = fmax(worst, (double)fabsl(hit.t_enter - enter));
        }
        truth at = exact_ray(hit.started_inside ? hit.exit_point : hit.point, d, c, axes, q);
        cr_assert(hit.t_enter <= hit.t_exit);
        /* the rounding is that of the centre (10 m), not that of the distance */
        cr_assert(fabsl(at.c) < 11 * 0x1p-48 / thin, "the point is off the surface: %Lg", at.c);
    }
    cr_assert(hits > 500 && judged > 20000, "%d hits of %d", hits, judged);
    return worst;
}

Test(ellipsoid, rays_agree_with_long_double)
{
    support_random random = support_random_start("ellipsoid_accuracy", 43);
    double round = measure(&random, 5, 0.2), thin = measure(&random, 5, 1e-4),
           distant = measure(&random, 1e4, 0.1);
    fprintf(stderr, "t (in lengths of the motion): round %.2g, thin %.2g, distant %.2g\n", round,
            thin, distant);
    cr_assert(round < 1e-12, "%g", round);
    cr_assert(thin < 1e-12, "%g", thin);
    cr_assert(distant < 1e-12, "%g", distant);
}

/* Equal semi-axes have the bits of the sphere's function for any rotation. Nearly equal ones run
 * the ellipsoid's code and agree to rounding. */
Test(ellipsoid, equal_semi_axes_agree_with_the_sphere)
{
    support_random random = support_random_start("equal_semi_axes", 47);
    int hits = 0;
    for (int i = 0; i < 20000; ++i) {
        double o[3], d[3], q[4], radius = support_between(&random, 0.5, 2);
        const double equal[3] = {radius, radius, radius};
        const double almost[3] = {radius, nextafter(radius, 9), radius};
        support_direction(&random, support_between(&random, 0, 5), o);
        support_direction(&random, support_between(&random, 0, 4), d);
        random_turn(&random, q);
        kugel_hit sphere, same, close;
        kugel_ray_sphere(o, d, INFINITY, zero, radius, &sphere);
        kugel_ray_ellipsoid(o, d, INFINITY, zero, equal, q, &same);
        kugel_ray_ellipsoid(o, d, INFINITY, zero, almost, q, &close);
        cr_assert(same.hit == sphere.hit && same.t_enter == sphere.t_enter &&
                  same.t_exit == sphere.t_exit);
        if (!sphere.hit || sphere.t_exit - sphere.t_enter < 1e-3)
            continue; /* a graze magnifies rounding */
        ++hits;
        cr_assert(close.hit && close.started_inside == sphere.started_inside);
        cr_assert(fabs(close.t_enter - sphere.t_enter) < 1e-11 * (1 + sphere.t_enter));
        cr_assert(fabs(close.t_exit - sphere.t_exit) < 1e-11 * (1 + sphere.t_exit));
        for (int k = 0; k < 3; ++k) {
            cr_assert(fabs(close.point[k] - sphere.point[k]) < 1e-11);
            if (!sphere.started_inside) cr_assert(fabs(close.normal[k] - sphere.normal[k]) < 1e-11);
        }
    }
    cr_assert(hits > 3000, "%d", hits);
}

/* One zero semi-axis makes a disc, three make a point. */
Test(ellipsoid, zero_semi_axes_make_a_disc_or_a_point)
{
    const double disc[3] = {0, 2, 1}, point[3] = {0, 0, 0};
    const double through[3] = {-3, 1, 0.5}, past[3] = {-3, 1, 0.9}, along[3] = {1, 0, 0},
                 center_ray[3] = {-3, 0, 0};
    kugel_hit hit;
    cr_assert_eq(kugel_ray_ellipsoid(through, along, INFINITY, zero, disc, NULL, &hit), KUGEL_OK);
    cr_assert(hit.hit && fabs(hit.t_enter - 3) < 1e-9 && fabs(hit.t_exit - 3) < 1e-9);
    cr_assert(hit.t_enter <= hit.t_exit && hit.normal[0] < -0.999999);
    kugel_ray_ellipsoid(past, along, INFINITY, zero, disc, NULL, &hit);
    cr_assert(!hit.hit);
    kugel_ray_ellipsoid(center_ray, along, INFINITY, zero, point, NULL, &hit);
    cr_assert(hit.hit && hit.t_enter == 3);
}
