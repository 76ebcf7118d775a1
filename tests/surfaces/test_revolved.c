/* For engine/surfaces/revolved.c: distances and first contacts against long double, closed forms of
 * balls in drums and on capsules. */
#include <criterion/criterion.h>

#include <math.h>

#include "geometry/sweep_linear.h"
#include "support/support_random.h"
#include "surfaces/revolved.h"

/* The least distance from circles of the surface: a search over the profile, which the distance
 * from a circle falls and rises along. */
static long double circle_distance(const kg_revolved *s, long double share, long double rho,
                                   long double z)
{
    long double radius = s->radius[0] + share * ((long double)s->radius[1] - s->radius[0]);
    long double height = s->height[0] + share * ((long double)s->height[1] - s->height[0]);
    return hypotl(rho - radius, z - height);
}

static long double distance_of(const kg_revolved *s, const long double *x)
{
    long double d[3], z = 0, across = 0, low = 0, high = 1;
    for (int k = 0; k < 3; ++k) d[k] = x[k] - s->origin[k], z += d[k] * s->axis[k];
    for (int k = 0; k < 3; ++k) across += powl(d[k] - z * s->axis[k], 2);
    long double rho = sqrtl(across);
    for (int step = 0; step < 120; ++step) {
        long double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (circle_distance(s, a, rho, z) < circle_distance(s, b, rho, z)) high = b;
        else low = a;
    }
    return circle_distance(s, (low + high) / 2, rho, z) - s->thickness;
}

static void position_at(const kg_mesh_path *path, long double t, long double *x)
{
    for (int k = 0; k < 3; ++k) x[k] = path->x[k] + (path->v[k] + 0.5L * path->a[k] * t) * t;
}

static long double speed_at(const kg_mesh_path *path, long double t)
{
    long double square = 0;
    for (int k = 0; k < 3; ++k) square += powl(path->v[k] + path->a[k] * t, 2);
    return sqrtl(square);
}

/* The first overlap by more than `depth` in [from, to]: a gap changes at most as fast as the centre
 * moves. */
static long double first_overlap(const kg_revolved *s, const kg_mesh_path *path, long double from,
                                 long double to, long double depth)
{
    long double speed = fmaxl(speed_at(path, from), speed_at(path, to)), x[3];
    long double middle = (from + to) / 2, half = (to - from) / 2;
    position_at(path, middle, x);
    long double gap = distance_of(s, x) - path->radius + depth;
    if (gap > speed * half) return INFINITY;
    if (half < 1e-14L) return gap <= 0 ? middle : INFINITY;
    long double first = first_overlap(s, path, from, middle, depth);
    return first < INFINITY ? first : first_overlap(s, path, middle, to, depth);
}

static kg_revolved random_surface(support_random *random)
{
    double origin[3], axis[3], r = support_between(random, 0.2, 1),
                               length = support_between(random, 0.2, 2);
    support_direction(random, 0.3, origin);
    support_direction(random, 1, axis);
    double norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int k = 0; k < 3; ++k) axis[k] /= norm;
    kg_revolved surface;
    switch (support_below(random, 6)) {
    case 0:
        return kg_revolved_disc(origin, axis, r);
    case 1:
        return kg_revolved_cylinder(origin, axis, r, length);
    case 2:
        return kg_revolved_cone(origin, axis, r, support_between(random, 0, 1), length);
    case 3:
        return kg_revolved_cone(origin, axis, 0, r, length);
    case 4:
        return kg_revolved_capsule(origin, axis, r, length);
    default: /* a thick ring */
        surface = kg_revolved_cylinder(origin, axis, r, 0.05);
        surface.thickness = support_between(random, 0, 0.1);
        return surface;
    }
}

Test(revolved, distances_agree_with_long_double)
{
    support_random random = support_random_start("revolved_distances", 1);
    for (int i = 0; i < 5000; ++i) {
        kg_revolved surface = random_surface(&random);
        double x[3], normal[3], moved[3], other[3];
        kg_revolved_region region;
        support_direction(&random, support_between(&random, 0, 2), x);
        if (i % 10 == 0) {
            for (int k = 0; k < 3; ++k) x[k] = surface.origin[k] + 0.3 * surface.axis[k];
        }
        long double at[3] = {x[0], x[1], x[2]}, length = 0;
        double distance = kg_revolved_distance(&surface, x, normal, &region);
        cr_assert(fabsl(distance - distance_of(&surface, at)) < 2e-15, "%.17g", distance);
        for (int k = 0; k < 3; ++k) length += normal[k] * normal[k];
        cr_assert(fabsl(length - 1) < 1e-15L * 4);
        for (int k = 0; k < 3; ++k) moved[k] = x[k] + 1e-6 * normal[k];
        double fall = distance - kg_revolved_distance(&surface, moved, other, &region);
        if (distance + surface.thickness > 1e-5)
            cr_assert(fabs(fall - 1e-6) < 1e-11, "the normal leads away: %g", fall);
    }
}

/* A shallower graze than 1e-11 may be missed. The gap at the time is at most 1e-13 of the radius
 * and 2^-50 of the path, which is below 40 m. */
Test(revolved, first_contacts_agree_with_long_double)
{
    support_random random = support_random_start("revolved_contacts", 2);
    int hits = 0, misses = 0, inside = 0;
    for (int i = 0; i < 6000; ++i) {
        kg_revolved surface = random_surface(&random);
        kg_mesh_path path = {.radius = pow(10, support_between(&random, -3, -0.5)), .horizon = 1};
        double target[3], normal[3];
        kg_revolved_region region;
        support_direction(&random, i & 1 ? 2.5 : 0.3 * support_uniform(&random), path.x);
        support_direction(&random, support_between(&random, 0, 1), target);
        for (int k = 0; k < 3; ++k)
            path.v[k] = (target[k] - path.x[k]) * support_between(&random, 1, 6);
        if (i & 2) support_direction(&random, support_between(&random, 0, 20), path.a);
        long double x[3];
        position_at(&path, 0, x);
        if (distance_of(&surface, x) < path.radius + 1e-9) continue;
        double t = kg_revolved_sweep(&surface, &path, normal, &region);
        long double until = t < KG_NEVER ? t : path.horizon;
        if (t < KG_NEVER) {
            hits += 1, inside += !(i & 1);
            position_at(&path, t, x);
            long double gap = distance_of(&surface, x) - path.radius;
            cr_assert(fabsl(gap) < 1e-13, "gap %Lg at %g", gap, t);
        } else {
            misses += 1;
        }
        long double first = first_overlap(&surface, &path, 0, until, 1e-11L);
        cr_assert(first >= until - 1e-12L, "contact at %.17Lg, not %.17g", first, t);
    }
    cr_assert(hits > 2000 && misses > 500 && inside > 500, "%d, %d, %d", hits, misses, inside);
}

Test(revolved, balls_in_drums_have_closed_forms)
{
    const double origin[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
    kg_revolved drum = kg_revolved_cylinder(origin, axis, 1, 4);
    kg_mesh_path path = {{0.25, 0, 0}, {1, 0, 0}, {0, 0, 0}, 0.25, 10};
    double normal[3];
    kg_revolved_region region;
    cr_assert(fabs(kg_revolved_sweep(&drum, &path, normal, &region) - 0.5) < 1e-12);
    cr_assert(fabs(normal[0] - 1) < 1e-12 && region == KG_REVOLVED_SIDE);
    path.v[0] = -1; /* over the axis */
    cr_assert(fabs(kg_revolved_sweep(&drum, &path, normal, &region) - 1) < 1e-12);
    path.v[0] = 0, path.a[0] = 2;
    cr_assert(fabs(kg_revolved_sweep(&drum, &path, normal, &region) - sqrt(0.5)) < 1e-12);
    path.x[0] = 0.75, path.a[0] = 0; /* touches */
    cr_assert_eq(kg_revolved_sweep(&drum, &path, normal, &region), KG_NEVER, "rests");
    path.v[0] = 1;
    cr_assert_eq(kg_revolved_sweep(&drum, &path, normal, &region), 0);
    path.v[0] = -1;
    cr_assert(fabs(kg_revolved_sweep(&drum, &path, normal, &region) - 1.5) < 1e-12, "leaves");
    path.x[0] = 0.875, path.a[0] = 0, path.v[0] = -0.5, path.a[0] = 8; /* turns in overlap */
    cr_assert(fabs(kg_revolved_sweep(&drum, &path, normal, &region) - 0.0625) < 1e-7);
    path = (kg_mesh_path){{0, 0, 0.5}, {0, 0, 1}, {0, 0, 0}, 0.25, 10};
    cr_assert_eq(kg_revolved_sweep(&drum, &path, normal, &region), KG_NEVER, "along the axis");
}

Test(revolved, tight_tubes_and_long_paths_end)
{
    const double origin[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
    kg_revolved tube = kg_revolved_cylinder(origin, axis, 1, 1000);
    kg_mesh_path path = {{0, 0, 0}, {1e-12, 0, 1}, {0, 0, 0}, 1 - 1e-10, 200};
    double normal[3];
    kg_revolved_region region;
    double t = kg_revolved_sweep(&tube, &path, normal, &region);
    cr_assert(fabs(t - 100) < 2, "%g", t); /* 1e-13 of the radius is 0.1 s */
    kg_revolved capsule = kg_revolved_capsule(origin, axis, 1, 2);
    path = (kg_mesh_path){{1e6, 0, 0}, {-1e3, 0, 0}, {0, 0, 0}, 1, 1e4};
    t = kg_revolved_sweep(&capsule, &path, normal, &region);
    cr_assert(fabs(t - 999.998) < 1e-9, "%.17g", t);
    for (int k = 0; k < 40; ++k) { /* grazes: gaps of 2^-k */
        path = (kg_mesh_path){{-10, 2 + ldexp(1, -k), 0}, {1, 0, 0}, {0, 0, 0}, 1, 100};
        cr_assert_eq(kg_revolved_sweep(&capsule, &path, normal, &region), KG_NEVER);
    }
}
