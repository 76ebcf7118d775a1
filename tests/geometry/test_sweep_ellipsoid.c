/* For engine/geometry/sweep_ellipsoid.c: the first contact of a moving sphere with an ellipsoid.
 * The oracle minimises and bisects the distance in long double; it is convex along the motion. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "geometry/oracle_ellipsoid.h"
#include "kugel/geometry.h"
#include "support/support_random.h"

static const double zero[3] = {0, 0, 0};

static long double gap_at(const double c[3], const double v[3], const double axes[3], double radius,
                          long double t)
{
    const long double y[3] = {c[0] + t * v[0], c[1] + t * v[1], c[2] + t * v[2]};
    return oracle_ellipsoid_distance(y, axes) - radius;
}

typedef struct truth {
    bool hit;
    long double time, closest; /* the smallest gap in [0, dt] */
} truth;

static truth exact_sweep(const double c[3], const double v[3], const double axes[3], double radius,
                         double dt)
{
    long double low = 0, high = dt;
    for (int step = 0; step < 120; ++step) { /* ternary search for the closest approach */
        long double one = low + (high - low) / 3, two = high - (high - low) / 3;
        if (gap_at(c, v, axes, radius, one) <= gap_at(c, v, axes, radius, two)) high = two;
        else low = one;
    }
    truth t = {false, 0, gap_at(c, v, axes, radius, low)};
    long double last = gap_at(c, v, axes, radius, dt);
    if (last < t.closest) t.closest = last, low = dt;
    t.hit = t.closest <= 0;
    long double before = 0, after = low;
    for (int step = 0; step < 70; ++step) {
        long double middle = (before + after) / 2;
        if (gap_at(c, v, axes, radius, middle) > 0) before = middle;
        else after = middle;
    }
    t.time = after;
    return t;
}

Test(sweep_ellipsoid, hits_where_the_distance_is_the_radius)
{
    support_random random = support_random_start("shield", 67);
    int hits = 0, judged = 0;
    double worst_gap = 0, worst_time = 0;
    for (int i = 0; i < 1500; ++i) {
        double c[3], v[3], axes[3], radius = support_between(&random, 0.05, 1), target[3];
        for (int k = 0; k < 3; ++k) axes[k] = support_between(&random, 0.2, 3);
        support_direction(&random, support_between(&random, 4.5, 20), c);
        support_direction(&random, support_between(&random, 0, 4), target);
        for (int k = 0; k < 3; ++k) v[k] = target[k] - c[k];
        truth t = exact_sweep(c, v, axes, radius, 1.5);
        if (fabsl(t.closest) < 1e-13L) continue;
        ++judged;
        kugel_contact contact;
        cr_assert_eq(kugel_sweep_sphere_ellipsoid(c, v, radius, zero, axes, NULL, 1.5, &contact),
                     KUGEL_OK);
        cr_assert_eq(contact.hit, t.hit, "closest approach %Lg", t.closest);
        cr_assert(!contact.touching);
        if (!t.hit) continue;
        ++hits;
        long double gap = gap_at(c, v, axes, radius, contact.time);
        worst_gap = fmax(worst_gap, (double)fabsl(gap));
        worst_time = fmax(worst_time, (double)fabsl(contact.time - t.time));
        double out = 0; /* the contact point is radius away from the centre, along the normal */
        for (int k = 0; k < 3; ++k) {
            double at = c[k] + contact.time * v[k] - radius * contact.normal[k] - contact.point[k];
            out += at * at;
        }
        cr_assert(sqrt(out) < 1e-13, "%g", sqrt(out));
    }
    fprintf(stderr, "gap at contact %.2g, time %.2g, %d hits of %d\n", worst_gap, worst_time, hits,
            judged);
    cr_assert(hits > 500 && judged - hits > 200, "%d hits of %d", hits, judged);
    cr_assert(worst_gap < 2e-14, "gap at contact %g", worst_gap); /* 20 m away, 2^-52 each step */
    cr_assert(worst_time < 1e-10, "time off by %g of the motion",
              worst_time); /* grazes: root of the gap */
}

/* A sphere that passes over the top of a flat ellipsoid 1e-9 lower hits, 1e-9 higher misses. */
Test(sweep_ellipsoid, grazing_spheres_hit_and_miss_within_1e_9)
{
    const double axes[3] = {3, 2, 1}, along[3] = {10, 0, 0};
    static const double tops[] = {-1e-3, -1e-9, -1e-13, 0, 1e-13, 1e-9, 1e-3};
    for (int i = 0; i < 7; ++i) {
        const double center[3] = {-10, 0, 1.5 + tops[i]};
        kugel_contact c;
        kugel_sweep_sphere_ellipsoid(center, along, 0.5, zero, axes, NULL, 2, &c);
        cr_assert_eq(c.hit, tops[i] <= 0, "passes %g over the top: hit %d", tops[i], c.hit);
        /* near the top the gap grows as x^2 / 2R, R = 9 + 0.5, so contact comes that much before t
         * = 1; gaps below 2^-50 of the sizes count as contact */
        if (c.hit) cr_assert(fabs(c.time - 1) < sqrt(19.1 * (4e-15 - tops[i])) / 10, "%g", c.time);
    }
}

struct start_row {
    char name[32];
    double center[3], velocity[3];
    bool hit, touching, approaching;
    double time, gap;
};

Test(sweep_ellipsoid, starts_and_ends_have_exact_values)
{
    static const struct start_row table[] = {
        /* radius 0.5, semi-axes 3 2 1, dt 1 */
        {"head on", {7.5, 0, 0}, {-8, 0, 0}, true, false, true, 0.5, 4},
        {"arrives at the end", {7.5, 0, 0}, {-4, 0, 0}, true, false, true, 1, 4},
        {"too slow", {7.5, 0, 0}, {-3.875, 0, 0}, false, false, true, 0, 4},
        {"leaves", {7.5, 0, 0}, {8, 0, 0}, false, false, false, 0, 4},
        {"at rest, apart", {7.5, 0, 0}, {0, 0, 0}, false, false, false, 0, 4},
        {"at rest, touching", {3.5, 0, 0}, {0, 0, 0}, true, true, false, 0, 0},
        {"touching, approaching", {3.5, 0, 0}, {-1, 0, 0}, true, true, true, 0, 0},
        {"touching, leaving", {3.5, 0, 0}, {1, 0, 0}, true, true, false, 0, 0},
        {"touching, sliding", {0, 2.5, 0}, {1, 0, 0}, true, true, false, 0, 0},
        {"centre inside", {0, 0, 0.5}, {0, 0, -1}, true, true, true, 0, -1},
        {"through in one step", {7.5, 0, 0}, {-4000, 0, 0}, true, false, true, 0.001, 4},
    };
    const double axes[3] = {3, 2, 1};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct start_row *row = &table[i];
        kugel_contact c;
        kugel_sweep_sphere_ellipsoid(row->center, row->velocity, 0.5, zero, axes, NULL, 1, &c);
        cr_assert_eq(c.hit, row->hit, "%s: hit %d", row->name, c.hit);
        cr_assert_eq(c.touching, row->touching, "%s: gap %g", row->name, c.gap);
        cr_assert_eq(c.approaching, row->approaching, "%s", row->name);
        cr_assert(fabs(c.time - row->time) < 4e-15, "%s: time %.17g", row->name, c.time);
        cr_assert(fabs(c.gap - row->gap) < 4e-15, "%s: gap %.17g", row->name, c.gap);
    }
}

/* A ray against the ellipsoid with semi-axes a + r, b + r, c + r is no substitute. That surface
 * agrees with the offset surface at the six vertices and is inside it elsewhere, so contacts come
 * late or not at all. For semi-axes 4, 1, 1 and r = 1 the overlap is up to 0.138 r. */
Test(sweep_ellipsoid, adding_r_to_the_semi_axes_is_wrong)
{
    const double axes[3] = {4, 1, 1}, grown[3] = {5, 2, 2}, radius = 1, down[3] = {0, -1, 0};
    double worst = 0;
    for (int i = 0; i <= 1000; ++i) {
        const double center[3] = {4.99 * i / 1000, 9, 0};
        kugel_hit late;
        kugel_contact right;
        kugel_ray_ellipsoid(center, down, INFINITY, zero, grown, NULL, &late);
        kugel_sweep_sphere_ellipsoid(center, down, radius, zero, axes, NULL, 20, &right);
        cr_assert(late.hit && right.hit && late.t_enter > right.time - 1e-14);
        kugel_overlap o;
        const double y[3] = {center[0], center[1] - late.t_enter, 0};
        kugel_ellipsoid_nearest(y, zero, axes, NULL, &o);
        worst = fmax(worst, radius - o.gap);
    }
    fprintf(stderr, "adding r: contact comes at an overlap of up to %.4f r\n", worst / radius);
    cr_assert(worst > 0.137 * radius && worst < 0.139 * radius, "%g", worst);
    kugel_contact c;
    const double above[3] = {0, 9, 0};
    kugel_sweep_sphere_ellipsoid(above, down, radius, zero, axes, NULL, 20, &c);
    cr_assert(fabs(c.time - 7) < 1e-14, "both are right at the vertex");
    /* along a tangent with normal (0.6, 0.8): sqrt(16 * 0.36 + 0.64) + 1 = 3.530, sqrt(9 + 2.56)
     * = 3.4 */
    const double side[3] = {0.6 * 3.46 - 16, 0.8 * 3.46 + 12, 0}, along[3] = {0.8, -0.6, 0};
    kugel_hit missed;
    kugel_ray_ellipsoid(side, along, INFINITY, zero, grown, NULL, &missed);
    kugel_sweep_sphere_ellipsoid(side, along, radius, zero, axes, NULL, 40, &c);
    cr_assert(c.hit && !missed.hit, "the shortcut misses a sphere that hits");
}

Test(sweep_ellipsoid, equal_semi_axes_agree_with_the_sphere)
{
    support_random random = support_random_start("shield_sphere", 71);
    int hits = 0;
    for (int i = 0; i < 5000; ++i) {
        double c[3], v[3], radius = support_between(&random, 0.1, 1);
        const double equal[3] = {1.5, 1.5, 1.5}, almost[3] = {1.5, nextafter(1.5, 9), 1.5};
        support_direction(&random, support_between(&random, 1, 6), c);
        support_direction(&random, support_between(&random, 0, 9), v);
        kugel_contact sphere, same, close;
        kugel_sweep_spheres(c, v, radius, zero, zero, 1.5, 1, &sphere);
        kugel_sweep_sphere_ellipsoid(c, v, radius, zero, equal, NULL, 1, &same);
        kugel_sweep_sphere_ellipsoid(c, v, radius, zero, almost, NULL, 1, &close);
        cr_assert(same.hit == sphere.hit && same.time == sphere.time && same.gap == sphere.gap);
        cr_assert(close.hit == sphere.hit && close.touching == sphere.touching);
        cr_assert(fabs(close.gap - sphere.gap) < 1e-14);
        hits += sphere.hit && !sphere.touching;
        if (sphere.hit)
            cr_assert(fabs(close.time - sphere.time) < 1e-9, "%g", close.time - sphere.time);
    }
    cr_assert(hits > 100, "%d", hits);
}

/* A motion inside the enclosing sphere can leave the centre and still approach the surface. */
Test(sweep_ellipsoid, hits_a_flat_ellipsoid_while_leaving_its_centre)
{
    const double axes[3] = {10, 10, 1}, c[3] = {1, 0, 1.6}, v[3] = {4, 0, -1};
    kugel_contact contact;
    kugel_overlap at;
    cr_assert_eq(kugel_sweep_sphere_ellipsoid(c, v, 0.5, zero, axes, NULL, 1, &contact), KUGEL_OK);
    cr_assert(contact.hit && contact.approaching && !contact.touching);
    const double there[3] = {c[0] + contact.time * v[0], 0, c[2] + contact.time * v[2]};
    kugel_ellipsoid_nearest(there, zero, axes, NULL, &at);
    cr_assert(fabs(at.gap - 0.5) < 1e-14, "%.17g", at.gap - 0.5);
}

enum { SAMPLES = 400 };

/* The least gap at SAMPLES times in [0, until]. */
static double least_gap(const double c[3], const double v[3], double radius, const double center[3],
                        const double axes[3], const double rotation[4], double until)
{
    double least = INFINITY;
    for (int k = 0; k <= SAMPLES; ++k) {
        const double t = until * k / SAMPLES;
        const double there[3] = {c[0] + t * v[0], c[1] + t * v[1], c[2] + t * v[2]};
        kugel_overlap at;
        kugel_ellipsoid_nearest(there, center, axes, rotation, &at);
        least = fmin(least, at.gap - radius);
    }
    return least;
}

static void random_rotation(support_random *random, double q[4])
{
    double length = 0;
    for (int k = 0; k < 4; ++k) q[k] = support_gauss(random), length += q[k] * q[k];
    for (int k = 0; k < 4; ++k) q[k] /= sqrt(length);
}

/* Random motions near ellipsoids of any flatness: no sample of the path before the contact, or of
 * the whole path of a miss, overlaps. */
Test(sweep_ellipsoid, agrees_with_samples_of_the_distance)
{
    support_random random = support_random_start("shield_samples", 79);
    int hits = 0, misses = 0, outward = 0;
    for (int i = 0; i < 8000; ++i) {
        double c[3], v[3], axes[3], q[4], center[3], from[3];
        double radius = support_between(&random, 0, 1);
        for (int k = 0; k < 3; ++k) axes[k] = pow(10, support_between(&random, -2, 1));
        random_rotation(&random, q);
        support_direction(&random, 20, center);
        support_direction(&random,
                          fmax(axes[0], fmax(axes[1], axes[2])) * support_between(&random, 0, 1.5),
                          from);
        support_direction(&random, support_between(&random, 0, 20), v);
        for (int k = 0; k < 3; ++k) c[k] = center[k] + from[k];
        kugel_contact contact;
        cr_assert_eq(kugel_sweep_sphere_ellipsoid(c, v, radius, center, axes, q, 1, &contact),
                     KUGEL_OK);
        if (contact.touching) continue;
        double least = least_gap(c, v, radius, center, axes, q, contact.hit ? contact.time : 1);
        cr_assert(least > -1e-12, "case %d: hit %d, but a gap of %g", i, contact.hit, least);
        if (contact.hit) cr_assert(least < 1e-12, "case %d: contact at a gap of %g", i, least);
        hits += contact.hit, misses += !contact.hit;
        outward += contact.hit && from[0] * v[0] + from[1] * v[1] + from[2] * v[2] > 0;
    }
    cr_assert(hits > 300 && misses > 300 && outward > 25, "%d hits, %d misses, %d outward", hits,
              misses, outward);
}

/* A rotation and shift of the scene changes only rounding. */
Test(sweep_ellipsoid, a_rotated_scene_has_the_same_contacts)
{
    const double axes[3] = {3, 2, 1}, turn[4] = {0.5, 0.5, 0.5, 0.5}; /* x -> y -> z -> x, exact */
    support_random random = support_random_start("shield_turned", 73);
    for (int i = 0; i < 2000; ++i) {
        double c[3], v[3];
        support_direction(&random, 8, c);
        support_direction(&random, 3, v);
        for (int k = 0; k < 3; ++k) v[k] -= c[k];
        const double tc[3] = {c[2], c[0], c[1]}, tv[3] = {v[2], v[0], v[1]};
        kugel_contact plain, turned;
        kugel_sweep_sphere_ellipsoid(c, v, 0.5, zero, axes, NULL, 2, &plain);
        kugel_sweep_sphere_ellipsoid(tc, tv, 0.5, zero, axes, turn, 2, &turned);
        cr_assert_eq(plain.hit, turned.hit);
        cr_assert(plain.time == turned.time && plain.normal[0] == turned.normal[1]);
    }
}
