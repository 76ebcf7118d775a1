/* See support_check.h. */
#include "query/support_check.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares fields, as padding has no defined bytes. */
#define SAME_NAME(a, b)                                                                            \
    ((a)->body == (b)->body && !memcmp((a)->image, (b)->image, sizeof(a)->image) &&                \
     (a)->target == (b)->target && (a)->index == (b)->index && (a)->triangle == (b)->triangle)

static bool same_hit(const kugel_hit *a, const kugel_hit *b)
{
    return a->hit == b->hit && a->started_inside == b->started_inside &&
           memcmp(&a->t_enter, &b->t_enter, 14 * sizeof(double)) == 0;
}

bool support_same_rays(const kugel_ray_hit *a, const kugel_ray_hit *b, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; ++i) {
        same = same && SAME_NAME(&a[i], &b[i]) && same_hit(&a[i].hit, &b[i].hit);
    }
    return same;
}

bool support_same_casts(const kugel_cast_hit *a, const kugel_cast_hit *b, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; ++i) {
        const kugel_contact *p = &a[i].contact, *q = &b[i].contact;
        same = same && SAME_NAME(&a[i], &b[i]) && p->hit == q->hit && p->touching == q->touching &&
               p->approaching == q->approaching &&
               memcmp(&p->time, &q->time, 8 * sizeof(double)) == 0;
    }
    return same;
}

bool support_same_found(const kugel_found *a, const kugel_found *b, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; ++i) {
        same = same && SAME_NAME(&a[i], &b[i]) && memcmp(&a[i].gap, &b[i].gap, 8) == 0;
    }
    return same;
}

size_t support_check_ray(const support_brute *brute, const kugel_ray *ray,
                         const kugel_filter *filter)
{
    static kugel_ray_hit hits[BRUTE_MOST];
    size_t expected, count;
    bool any;
    kugel_ray_hit *brute_hits = support_brute_ray(brute, ray, filter, &expected), first;
    const kugel_ray_hit none = {0};
    cr_assert_eq(kugel_world_ray_all(brute->world, ray, filter, BRUTE_MOST, hits, &count), KUGEL_OK,
                 "%s", brute->name);
    cr_assert_eq(count, expected, "%s: %zu hits, not %zu", brute->name, count, expected);
    cr_assert(support_same_rays(hits, brute_hits, count), "%s: all hits", brute->name);
    cr_assert_eq(kugel_world_ray_closest(brute->world, ray, filter, &first), KUGEL_OK, "%s",
                 brute->name);
    cr_assert(support_same_rays(&first, expected ? brute_hits : &none, 1), "%s: closest",
              brute->name);
    cr_assert_eq(kugel_world_ray_any(brute->world, ray, filter, &any), KUGEL_OK, "%s", brute->name);
    cr_assert_eq(any, expected > 0, "%s: any", brute->name);
    /* with a smaller array: the first few */
    size_t room = expected / 2;
    memset(hits, 0, (room + 1) * sizeof *hits);
    cr_assert_eq(kugel_world_ray_all(brute->world, ray, filter, room, hits, &count), KUGEL_OK, "%s",
                 brute->name);
    cr_assert(count == expected && support_same_rays(hits, brute_hits, room), "%s: the first %zu",
              brute->name, room);
    cr_assert(!hits[room].body && !hits[room].hit.hit, "%s: wrote beyond the array", brute->name);
    free(brute_hits);
    return expected;
}

size_t support_check_cast(const support_brute *brute, const kugel_ray *ray, double radius,
                          const kugel_filter *filter)
{
    static kugel_cast_hit hits[BRUTE_MOST];
    size_t expected, count;
    bool any;
    kugel_cast_hit *brute_hits = support_brute_cast(brute, ray, radius, filter, &expected), first;
    const kugel_cast_hit none = {0};
    cr_assert_eq(kugel_world_cast_all(brute->world, ray, radius, filter, BRUTE_MOST, hits, &count),
                 KUGEL_OK, "%s", brute->name);
    cr_assert_eq(count, expected, "%s: %zu hits of a sphere, not %zu", brute->name, count,
                 expected);
    cr_assert(support_same_casts(hits, brute_hits, count), "%s: all hits of a sphere", brute->name);
    cr_assert_eq(kugel_world_cast_closest(brute->world, ray, radius, filter, &first), KUGEL_OK,
                 "%s", brute->name);
    cr_assert(support_same_casts(&first, expected ? brute_hits : &none, 1),
              "%s: closest of a sphere", brute->name);
    cr_assert_eq(kugel_world_cast_any(brute->world, ray, radius, filter, &any), KUGEL_OK, "%s",
                 brute->name);
    cr_assert_eq(any, expected > 0, "%s: any of a sphere", brute->name);
    free(brute_hits);
    return expected;
}

static double sphere_gap(const void *data, const double center[3], double radius)
{
    const support_volume *v = data;
    kugel_overlap o;
    kugel_overlap_spheres(v->center, v->radius, center, radius, &o);
    return o.hit ? o.gap : 1;
}

/* Of the centre. */
static double center_height(const void *data, const support_half_space *space)
{
    const support_volume *v = data;
    kugel_plane_gap gap;
    kugel_plane_sphere(space->normal, space->offset, v->center, 0, &gap);
    return gap.height;
}

/* Of the lowest corner. */
static double box_height(const void *data, const support_half_space *space)
{
    const support_volume *v = data;
    double least = INFINITY;
    for (int corner = 0; corner < 8; ++corner) {
        double x[3];
        kugel_plane_gap gap;
        for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? v->max[k] : v->center[k];
        kugel_plane_sphere(space->normal, space->offset, x, 0, &gap);
        least = fmin(least, gap.height);
    }
    return least;
}

static double point_gap(const void *data, const double center[3], double radius)
{
    const support_volume *v = data;
    kugel_overlap o;
    kugel_overlap_spheres(v->center, 0, center, radius, &o);
    return o.hit ? o.gap : 1;
}

static double box_gap(const void *data, const double center[3], double radius)
{
    const support_volume *v = data;
    kugel_overlap o;
    kugel_overlap_sphere_box(center, radius, v->center, v->max, &o);
    return o.hit ? o.gap : 1;
}

static double ellipsoid_gap(const void *data, const double center[3], double radius)
{
    const support_volume *v = data;
    kugel_overlap o;
    kugel_ellipsoid_nearest(center, v->center, v->axes, v->rotation, &o);
    return o.gap - radius;
}

static long double exact_sphere_gap(const void *data, const double center[3], double radius)
{
    const support_volume *v = data;
    long double d = 0;
    for (int k = 0; k < 3; ++k) d += powl((long double)center[k] - v->center[k], 2);
    return sqrtl(d) - v->radius - radius;
}

static long double exact_point_gap(const void *data, const double center[3], double radius)
{
    return exact_sphere_gap(data, center, radius) + ((const support_volume *)data)->radius;
}

static long double exact_box_gap(const void *data, const double center[3], double radius)
{
    const support_volume *v = data;
    long double d = 0;
    for (int k = 0; k < 3; ++k) {
        long double x = center[k], out = fmaxl(fmaxl(v->center[k] - x, x - v->max[k]), 0);
        d += out * out;
    }
    return sqrtl(d) - radius;
}

/* What is bit for bit a pure function: of ellipsoids only bodies. */
static kugel_filter exact_filter(const kugel_filter *filter, int kind)
{
    kugel_filter exact = filter ? *filter : kugel_filter_default();
    if (kind == 3) exact.targets &= KUGEL_TARGETS_BODIES;
    return exact;
}

size_t support_check_volumes(const support_brute *brute, const support_volume *v,
                             const kugel_filter *filter)
{
    static kugel_found found[BRUTE_MOST];
    static support_gap *const gaps[4] = {sphere_gap, point_gap, box_gap, ellipsoid_gap};
    static support_exact_gap *const exact[4] = {exact_sphere_gap, exact_point_gap, exact_box_gap};
    static support_height *const heights[4] = {center_height, center_height, box_height};
    const kugel_world *w = brute->world;
    size_t all = 0;
    for (int kind = 0; kind < 4; ++kind) {
        size_t expected, count;
        kugel_filter f = exact_filter(filter, kind);
        kugel_found *brute_found =
            support_brute_found(brute, gaps[kind], exact[kind], heights[kind],
                                kind == 0 ? v->radius : 0, v, &f, &expected);
        kugel_status status =
            kind == 0
                ? kugel_world_overlap_sphere(w, v->center, v->radius, &f, BRUTE_MOST, found, &count)
            : kind == 1 ? kugel_world_overlap_sphere(w, v->center, 0, &f, BRUTE_MOST, found, &count)
            : kind == 2
                ? kugel_world_overlap_box(w, v->center, v->max, &f, BRUTE_MOST, found, &count)
                : kugel_world_overlap_ellipsoid(w, v->center, v->axes, v->rotation, &f, BRUTE_MOST,
                                                found, &count);
        cr_assert_eq(status, KUGEL_OK, "%s: %s", brute->name, kugel_status_text(status));
        cr_assert_eq(count, expected, "%s: volume %d has %zu, not %zu", brute->name, kind, count,
                     expected);
        cr_assert(support_same_found(found, brute_found, count), "%s: volume %d", brute->name,
                  kind);
        free(brute_found);
        all += expected;
    }
    return all;
}

void support_check_nearest(const support_brute *brute, const double point[3], double most,
                           size_t capacity, const kugel_filter *filter)
{
    kugel_found *found = calloc(capacity + 1, sizeof *found);
    size_t count, got;
    kugel_found *all = support_brute_nearest(brute, point, most, filter, &count);
    if (count > capacity) count = capacity;
    cr_assert_eq(kugel_world_nearest(brute->world, point, most, filter, capacity, found, &got),
                 KUGEL_OK, "%s", brute->name);
    if (got != count || !support_same_found(found, all, count)) {
        fprintf(stderr, "point %.17g %.17g %.17g most %g cap %zu L %g %g %g\n", point[0], point[1],
                point[2], most, capacity, brute->length[0], brute->length[1], brute->length[2]);
        for (size_t i = 0; i < count; i++) {
            kugel_body_state b;
            kugel_body_get(brute->world, all[i].body, &b);
            fprintf(stderr, "exp id %u gap %.17g img %d %d %d x %.17g %.17g %.17g r %g\n",
                    (unsigned)all[i].body, all[i].gap, all[i].image[0], all[i].image[1],
                    all[i].image[2], b.position[0], b.position[1], b.position[2], b.radius);
        }
        for (size_t i = 0; i < got; i++)
            fprintf(stderr, "got id %u gap %.17g img %d %d %d\n", (unsigned)found[i].body,
                    found[i].gap, found[i].image[0], found[i].image[1], found[i].image[2]);
    }
    cr_assert_eq(got, count, "%s: nearest %zu, not %zu", brute->name, got, count);
    cr_assert(support_same_found(found, all, count), "%s: nearest", brute->name);
    free(all);
    free(found);
}

void support_check_batch(const support_brute *brute, size_t count, const kugel_ray *rays,
                         const kugel_filter *filter)
{
    kugel_ray_hit *hits = calloc(count + 1, sizeof *hits), one;
    cr_assert_eq(kugel_world_rays_closest(brute->world, count, rays, filter, hits), KUGEL_OK, "%s",
                 brute->name);
    for (size_t i = 0; i < count; ++i) {
        cr_assert_eq(kugel_world_ray_closest(brute->world, &rays[i], filter, &one), KUGEL_OK, "%s",
                     brute->name);
        cr_assert(support_same_rays(&one, &hits[i], 1), "%s: ray %zu of a batch", brute->name, i);
    }
    free(hits);
}

size_t support_check_side(const support_brute *brute, const double normal[3], double offset,
                          const kugel_filter *filter)
{
    static kugel_found found[BRUTE_MOST];
    size_t all = 0;
    for (int side = -1; side <= 1; ++side) {
        size_t expected, count;
        kugel_found *on = support_brute_side(brute, normal, offset, side, filter, &expected);
        cr_assert_eq(kugel_world_plane_side(brute->world, normal, offset, side, filter, BRUTE_MOST,
                                            found, &count),
                     KUGEL_OK, "%s", brute->name);
        cr_assert_eq(count, expected, "%s: %zu on side %d of a plane, not %zu", brute->name, count,
                     side, expected);
        cr_assert(support_same_found(found, on, count), "%s: side %d of a plane", brute->name,
                  side);
        free(on);
        all += expected;
    }
    return all;
}
