/* For engine/geometry/sweep_linear.h and sweep_ballistic.c: spheres that touch and move along the
 * tangent, as after an impact that stops their approach. All coefficients of the equation are
 * rounding there. A contact has a gap of 0, and the spheres do not recede at it. No time before it
 * has an overlap beyond rounding. So a missed impact is a graze as deep as rounding, and no impulse
 * acts on spheres that are apart. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "support/support_random.h"
#include "support/support_sanitized.h"

typedef struct pair {
    double d[3], w[3], a[3], reach, horizon;
} pair;

/* d is at the distance `reach` up to rounding, w nearly perpendicular to it. */
static pair touching_pair(support_random *random)
{
    pair p = {.horizon = pow(10, support_between(random, -3, 0.5)),
              .reach = pow(10, support_between(random, -2, 2))};
    double speed = pow(10, support_between(random, -2, 2)), along = 0, d[3];
    support_direction(random, 1, d);
    support_direction(random, 1, p.w);
    double tilt = support_below(random, 3) ? 0 : pow(10, support_between(random, -17, -6)),
           gap = support_below(random, 2) ? 0 : support_between(random, -4, 4) * DBL_EPSILON;
    for (int k = 0; k < 3; ++k) along += p.w[k] * d[k];
    for (int k = 0; k < 3; ++k) {
        p.w[k] = speed * (p.w[k] - (along + tilt) * d[k]);
        p.d[k] = d[k] * p.reach * (1 + gap);
    }
    return p;
}

static long double gap_at(const pair *p, long double t)
{
    long double q = 0;
    for (int k = 0; k < 3; ++k) {
        long double x = p->d[k] + (p->w[k] + 0.5L * p->a[k] * t) * t;
        q += x * x;
    }
    return sqrtl(q) - p->reach;
}

/* Half the rate of the squared distance over the distance, m/s; below 0: they approach. */
static long double rate_at(const pair *p, long double t)
{
    long double q = 0, rate = 0;
    for (int k = 0; k < 3; ++k) {
        long double x = p->d[k] + (p->w[k] + 0.5L * p->a[k] * t) * t;
        q += x * x, rate += x * (p->w[k] + p->a[k] * t);
    }
    return rate / sqrtl(q);
}

/* The squared distance rounds by its terms, which are as large as the squared path; so the gap does
 * by that over the reach. The factor is the number of operations. */
static long double rounding_of(const pair *p)
{
    long double path = p->reach;
    for (int k = 0; k < 3; ++k)
        path += fabsl(p->w[k]) * p->horizon + fabsl(p->a[k]) * p->horizon * p->horizon;
    return 20 * DBL_EPSILON * path * (path / p->reach);
}

static void check(const pair *p, double t, int input)
{
    enum { SAMPLES = 200 };
    long double end = t < KG_NEVER ? t : p->horizon, by = rounding_of(p), lowest = INFINITY;
    for (int s = 0; s <= SAMPLES; ++s) {
        /* samples are denser near the start, where the spheres touch */
        long double x = (long double)s / SAMPLES;
        lowest = fminl(lowest, gap_at(p, end * x * x * x));
    }
    cr_assert(lowest >= -by, "input %d: an overlap of %Lg before %g, rounding %Lg", input, -lowest,
              t, by);
    if (t == KG_NEVER) return;
    cr_assert(fabsl(gap_at(p, t)) <= by,
              "input %d: a contact at %g with a gap of %Lg, rounding %Lg", input, t, gap_at(p, t),
              by);
}

/* A contact of the step is followed by an impulse where the spheres approach. */
Test(sweep_tangent, straight_paths)
{
    support_random random = support_random_start("tangent", 1);
    int contacts = 0;
    for (int i = 0; i < SUPPORT_ROUNDS(100000); ++i) {
        pair p = touching_pair(&random);
        double t = kg_sweep_spheres(p.d, p.w, p.reach, p.horizon);
        check(&p, t, i);
        if (t == KG_NEVER) continue;
        contacts += 1;
        long double speed = 0;
        for (int k = 0; k < 3; ++k) speed += fabsl(p.w[k]);
        cr_assert(rate_at(&p, t) <= 20 * DBL_EPSILON * speed, "input %d recedes", i);
    }
    cr_assert(contacts > SUPPORT_ROUNDS(1000), "only %d contacts", contacts);
}

Test(sweep_tangent, accelerated_paths)
{
    support_random random = support_random_start("tangent ballistic", 2);
    int contacts = 0;
    for (int i = 0; i < SUPPORT_ROUNDS(100000); ++i) {
        pair p = touching_pair(&random);
        support_direction(&random, pow(10, support_between(&random, -3, 2)), p.a);
        double t = kg_sweep_spheres_ballistic(p.d, p.w, p.a, p.reach, p.horizon);
        check(&p, t, i);
        contacts += t < KG_NEVER;
    }
    cr_assert(contacts > SUPPORT_ROUNDS(1000), "only %d contacts", contacts);
}
