/* For engine/geometry/ray_sphere.c: accuracy against long double. For a sphere of radius 1e-3 at
 * distance 1e4, hit and miss are right for rays that pass the edge by more than 1e-8 of the radius,
 * as the line's distance rounds at 1e4 * 2^-53 = 1e-12. t is within 1e-11, also for grazing rays,
 * whose half-chord is the square root of that rounding. */
#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "kugel/geometry.h"
#include "support/support_random.h"

typedef struct truth {
    bool hit;
    long double edge; /* radii, from the line to the edge; negative outside */
    long double enter, leave;
} truth;

static truth exact_ray(const double o[3], const double d[3], const double c[3], double radius)
{
    long double m[3], md = 0, dd = 0, mm = 0, pp = 0;
    for (int k = 0; k < 3; ++k) {
        m[k] = (long double)c[k] - o[k];
        md += m[k] * d[k];
        dd += (long double)d[k] * d[k];
        mm += m[k] * m[k];
    }
    for (int k = 0; k < 3; ++k) {
        long double p = m[k] - md / dd * d[k];
        pp += p * p;
    }
    long double rr = (long double)radius * radius, half = sqrtl(fmaxl(rr - pp, 0) / dd);
    truth t = {mm <= rr || (md > 0 && pp <= rr), 1 - sqrtl(pp) / radius, md / dd - half,
               md / dd + half};
    if (mm <= rr) t.enter = 0;
    return t;
}

/* A ray that passes the centre at the distance `miss`. Its start is `distance` before its point
 * nearest to the centre. */
static void aim(support_random *random, double distance, double miss, double o[3], double d[3],
                double c[3])
{
    double along[3], side[3], across[3];
    support_direction(random, 1, along);
    support_direction(random, 1, side);
    double dot = along[0] * side[0] + along[1] * side[1] + along[2] * side[2], length = 0;
    for (int k = 0; k < 3; ++k) {
        across[k] = side[k] - dot * along[k];
        length += across[k] * across[k];
    }
    double speed = support_between(random, 0.01, 100);
    support_direction(random, support_between(random, 0, 100), o);
    for (int k = 0; k < 3; ++k) {
        c[k] = o[k] + distance * along[k] + miss * across[k] / sqrt(length);
        d[k] = along[k] * speed;
    }
}

typedef struct error {
    double t, point; /* largest relative error of t; largest |distance of the point from the centre
                        - r| / r */
    int judged;
} error;

static error measure(support_random *random, double radius, double distance, double edge)
{
    error worst = {0, 0, 0};
    for (int i = 0; i < 50000; ++i) {
        double o[3], d[3], c[3], spread = pow(10, -support_between(random, 0, 9));
        double miss = radius * (1 + (i % 2 ? spread : -spread));
        aim(random, distance, miss, o, d, c);
        truth t = exact_ray(o, d, c, radius);
        if (fabsl(t.edge) < edge) continue;
        kugel_hit hit;
        cr_assert_eq(kugel_ray_sphere(o, d, INFINITY, c, radius, &hit), KUGEL_OK);
        cr_assert_eq(hit.hit, t.hit, "passes %Lg radii inside the edge, hit %d", t.edge, hit.hit);
        ++worst.judged;
        if (!t.hit) continue;
        worst.t = fmax(worst.t, (double)fabsl(hit.t_enter / t.enter - 1));
        worst.t = fmax(worst.t, (double)fabsl(hit.t_exit / t.leave - 1));
        long double off = 0;
        for (int k = 0; k < 3; ++k) {
            long double x = (long double)hit.point[k] - c[k];
            off += x * x;
        }
        worst.point = fmax(worst.point, (double)fabsl(sqrtl(off) / radius - 1));
    }
    return worst;
}

Test(ray_sphere_accuracy, a_small_sphere_far_away_is_hit_rightly)
{
    support_random random = support_random_start("small_sphere_far_away", 17);
    error worst = measure(&random, 1e-3, 1e4, 1e-8);
    fprintf(stderr, "r 1e-3 at 1e4: t %.2g, point %.2g, %d rays\n", worst.t, worst.point,
            worst.judged);
    cr_assert(worst.judged > 40000);
    cr_assert(worst.t < 1e-11, "relative error of t %g", worst.t);
    cr_assert(worst.point < 1e-8, "the point is %g radii off the surface", worst.point);
}

/* At 10 radii the half-chord of a graze is sqrt(1e-15) r at worst, 3e-9 of the distance. */
Test(ray_sphere_accuracy, radii_of_all_sizes_hit_and_miss_rightly)
{
    support_random random = support_random_start("all_sizes", 19);
    for (double radius = 1e-3; radius < 1e7; radius *= 100) {
        double distance = radius * 10;
        error worst = measure(&random, radius, distance, 1e-13);
        cr_assert(worst.t < 1e-8, "radius %g: relative error of t %g", radius, worst.t);
    }
}

/* The textbook's b^2 - 4ac rounds at D^2 2^-52 at distance D, which hides r^2 for D / r above 1e8.
 */
static bool textbook(const double o[3], const double d[3], const double c[3], double radius)
{
    double a = 0, b = 0, cc = -radius * radius;
    for (int k = 0; k < 3; ++k) {
        a += d[k] * d[k];
        b += 2 * d[k] * (o[k] - c[k]);
        cc += (o[k] - c[k]) * (o[k] - c[k]);
    }
    return b * b - 4 * a * cc >= 0 && b < 0;
}

Test(ray_sphere_accuracy, textbook_discriminant_misjudges_small_spheres_far_away)
{
    support_random random = support_random_start("textbook_discriminant", 23);
    int wrong_textbook = 0, wrong = 0, rays = 20000;
    for (int i = 0; i < rays; ++i) {
        double o[3], d[3], c[3];
        aim(&random, 1e6, i % 2 ? 0.5e-3 : 2e-3, o, d, c); /* clearly through, clearly past */
        truth t = exact_ray(o, d, c, 1e-3);
        kugel_hit hit;
        kugel_ray_sphere(o, d, INFINITY, c, 1e-3, &hit);
        wrong += hit.hit != t.hit;
        wrong_textbook += textbook(o, d, c, 1e-3) != t.hit;
    }
    fprintf(stderr, "b^2 - 4ac misjudges %d of %d rays\n", wrong_textbook, rays);
    cr_assert_eq(wrong, 0);
    cr_assert(wrong_textbook > rays / 50, "only %d wrong: too few for a test", wrong_textbook);
}

/* A start just inside the surface that moves out has a t_exit far smaller than the chord; it comes
 * from c / q, which does not cancel. The error of c = m.m - r.r, a few 2^-53 r^2, is an absolute
 * error of a few 1e-16 radii in t_exit. */
Test(ray_sphere_accuracy, exit_near_the_surface_is_exact_to_rounding)
{
    support_random random = support_random_start("exit_near_the_surface_is_exact_to_rounding", 29);
    double worst = 0;
    for (int i = 0; i < 50000; ++i) {
        double o[3], d[3], c[3] = {0, 0, 0};
        support_direction(&random, 1 - pow(10, -support_between(&random, 1, 12)), o);
        support_direction(&random, 1, d);
        double outwards = o[0] * d[0] + o[1] * d[1] + o[2] * d[2];
        if (outwards < 0.1) continue; /* grazing amplifies the rounding of the start itself */
        truth t = exact_ray(o, d, c, 1);
        kugel_hit hit;
        kugel_ray_sphere(o, d, INFINITY, c, 1, &hit);
        cr_assert(hit.hit && hit.started_inside);
        worst = fmax(worst, (double)fabsl(hit.t_exit - t.leave) * outwards);
    }
    cr_assert(worst < 1e-15, "exit off by %g radii", worst);
}
