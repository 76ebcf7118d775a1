/* See support_brute.h. */
#include "query/support_brute.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

void support_brute_set_images(support_brute *brute, int32_t images)
{
    for (int k = 0; k < 3; ++k) {
        int32_t most = brute->length[k] > 0 ? images : 0;
        brute->first[k] = -most, brute->last[k] = most;
    }
}

/* An iteration over every image of every body that passes the filter, by id and image. */
typedef struct walk {
    const support_brute *brute;
    const kugel_filter *filter;
    uint32_t id;
    int32_t image[3];
    kugel_body_state body;
    bool at_start;
} walk;

static walk start(const support_brute *brute, const kugel_filter *filter)
{
    return (walk){.brute = brute, .filter = filter, .at_start = true};
}

static bool passes(const kugel_filter *f, const kugel_body_state *b)
{
    const kugel_filter all = kugel_filter_default();
    if (!f) f = &all;
    return (f->category & b->mask) && (b->category & f->mask) && (f->sensors || !b->sensor) &&
           (!f->group || f->group != b->group) && (!f->accept || f->accept(f->user, b->body));
}

static bool next_body(walk *w)
{
    const kugel_world *world = w->brute->world;
    if (!w->at_start) w->id += 1;
    w->at_start = false;
    for (; w->id < kugel_world_id_end(world); ++w->id) {
        if (kugel_body_get(world, kugel_world_body(world, w->id), &w->body) ||
            !passes(w->filter, &w->body))
            continue;
        for (int k = 0; k < 3; ++k) w->image[k] = w->brute->first[k];
        return true;
    }
    return false;
}

static bool next(walk *w, double center[3])
{
    bool more = false;
    if (!w->at_start) {
        for (int k = 2; k >= 0 && !more; --k) {
            if (w->image[k] < w->brute->last[k]) w->image[k] += 1, more = true;
            else w->image[k] = w->brute->first[k];
        }
    }
    if (!more && !next_body(w)) return false;
    for (int k = 0; k < 3; ++k) center[k] = w->body.position[k] + w->image[k] * w->brute->length[k];
    return true;
}

static int compare(double p, double q, uint32_t a, uint32_t b, const int32_t *i, const int32_t *j)
{
    if (p != q) return p < q ? -1 : 1;
    if (a != b) return a < b ? -1 : 1;
    for (int k = 0; k < 3; ++k) {
        if (i[k] != j[k]) return i[k] < j[k] ? -1 : 1;
    }
    return 0;
}

static long double length(const long double v[3])
{
    return sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The gap of a ball whose centre is on a ray and a ball of radius `radius` at rest; m. */
static long double path_gap(const kugel_ray *ray, const double center[3], long double reach)
{
    long double d[3], du = 0, uu = 0;
    for (int k = 0; k < 3; ++k) {
        d[k] = (long double)center[k] - ray->origin[k];
        du += d[k] * ray->direction[k];
        uu += (long double)ray->direction[k] * ray->direction[k];
    }
    long double t = uu > 0 ? du / uu : 0;
    if (t < 0) t = 0;
    if (t > ray->t_max) t = ray->t_max;
    for (int k = 0; k < 3; ++k) d[k] -= t * ray->direction[k];
    return length(d) - reach;
}

/* A bound of the rounding error in the gap of two solids: differences of places and sums of radii
 * are rounded to doubles (half of DBL_EPSILON each, on three axes), and the pure functions make a
 * few more operations of that relative error. 16 is about twice what these sum to. The place of a
 * periodic image, x + image * length, is rounded before the pure function gets it. */
static long double rounding(const double a[3], const double b[3], double radii)
{
    long double scale = radii;
    for (int k = 0; k < 3; ++k) scale += fabsl((long double)a[k] - b[k]);
    return 16 * DBL_EPSILON * scale;
}

/* A gap beyond rounding decides whether there is a hit. */
static void decide(const support_brute *brute, const char *what, kugel_body body, bool hit,
                   long double gap, long double error)
{
    if (fabsl(gap) <= error || hit == (gap <= 0)) return;
    cr_assert_fail("%s: a %s has hit %d for body %u at a gap of %Lg m, rounding %Lg m", brute->name,
                   what, hit, kugel_body_id(body), gap, error);
}

static int compare_rays(const void *a, const void *b)
{
    const kugel_ray_hit *p = a, *q = b;
    return compare(p->hit.t_enter, q->hit.t_enter, kugel_body_id(p->body), kugel_body_id(q->body),
                   p->image, q->image);
}

static int compare_casts(const void *a, const void *b)
{
    const kugel_cast_hit *p = a, *q = b;
    return compare(p->contact.time, q->contact.time, kugel_body_id(p->body), kugel_body_id(q->body),
                   p->image, q->image);
}

kugel_ray_hit *support_brute_ray(const support_brute *brute, const kugel_ray *ray,
                                 const kugel_filter *filter, size_t *count)
{
    kugel_ray_hit *hits = calloc(BRUTE_MOST, sizeof *hits);
    double center[3];
    *count = 0;
    for (walk w = start(brute, filter); next(&w, center);) {
        kugel_ray_hit hit = {.body = w.body.body, .image = {w.image[0], w.image[1], w.image[2]}};
        kugel_ray_sphere(ray->origin, ray->direction, center, w.body.radius, &hit.hit);
        bool is_hit = hit.hit.hit && hit.hit.t_enter <= ray->t_max;
        decide(brute, "ray", w.body.body, is_hit, path_gap(ray, center, w.body.radius),
               rounding(center, ray->origin, w.body.radius));
        if (!is_hit) continue;
        if (*count == BRUTE_MOST) cr_assert_fail("%s: too many hits", brute->name);
        hits[(*count)++] = hit;
    }
    qsort(hits, *count, sizeof *hits, compare_rays);
    return hits;
}

kugel_cast_hit *support_brute_cast(const support_brute *brute, const kugel_ray *ray, double radius,
                                   const kugel_filter *filter, size_t *count)
{
    kugel_cast_hit *hits = calloc(BRUTE_MOST, sizeof *hits);
    double center[3];
    *count = 0;
    for (walk w = start(brute, filter); next(&w, center);) {
        kugel_cast_hit hit = {.body = w.body.body, .image = {w.image[0], w.image[1], w.image[2]}};
        kugel_sweep_sphere_sphere(ray->origin, ray->direction, radius, center, w.body.radius,
                                  ray->t_max, &hit.contact);
        decide(brute, "cast", w.body.body, hit.contact.hit,
               path_gap(ray, center, (long double)w.body.radius + radius),
               rounding(center, ray->origin, w.body.radius + radius));
        if (!hit.contact.hit) continue;
        if (*count == BRUTE_MOST) cr_assert_fail("%s: too many hits", brute->name);
        hits[(*count)++] = hit;
    }
    qsort(hits, *count, sizeof *hits, compare_casts);
    return hits;
}

kugel_found *support_brute_found(const support_brute *brute, support_gap *gap,
                                 support_exact_gap *exact, const void *volume,
                                 const kugel_filter *filter, size_t *count)
{
    kugel_found *found = calloc(BRUTE_MOST, sizeof *found);
    double center[3];
    *count = 0;
    for (walk w = start(brute, filter); next(&w, center);) {
        double g = gap(volume, center, w.body.radius);
        if (exact) {
            const double *from = volume; /* every volume begins with a point of it */
            decide(brute, "volume", w.body.body, g <= 0, exact(volume, center, w.body.radius),
                   rounding(center, from, w.body.radius));
        }
        if (!(g <= 0)) continue;
        if (*count == BRUTE_MOST) cr_assert_fail("%s: too many bodies", brute->name);
        found[(*count)++] = (kugel_found){w.body.body, {w.image[0], w.image[1], w.image[2]}, g};
    }
    return found;
}

static int compare_gaps(const void *a, const void *b)
{
    const kugel_found *p = a, *q = b;
    return compare(p->gap, q->gap, kugel_body_id(p->body), kugel_body_id(q->body), p->image,
                   q->image);
}

/* The image of a body that is nearest to a point along an axis, the lower one of two. Which of two
 * is nearer is decided by the rounded places that the other queries use as well. */
static int32_t nearest_image(double x, double point, double length, double *place)
{
    int32_t image = 0, middle = length > 0 ? (int32_t)floor((point - x) / length) : 0;
    *place = x;
    for (int32_t i = middle - 1; i <= middle + 2 && length > 0; ++i) {
        double at = x + i * length;
        if (i == middle - 1 || fabs(at - point) < fabs(*place - point)) *place = at, image = i;
    }
    return image;
}

kugel_found *support_brute_nearest(const support_brute *brute, const double point[3], double most,
                                   const kugel_filter *filter, size_t *count)
{
    uint32_t n = kugel_world_id_end(brute->world);
    kugel_found *all = calloc(n + 1, sizeof *all);
    kugel_body_state b;
    *count = 0;
    for (uint32_t id = 0; id < n; ++id) {
        if (kugel_body_get(brute->world, kugel_world_body(brute->world, id), &b) ||
            !passes(filter, &b))
            continue;
        kugel_found found = {.body = b.body};
        double center[3];
        long double d[3];
        kugel_overlap o;
        for (int k = 0; k < 3; ++k) {
            found.image[k] = nearest_image(b.position[k], point[k], brute->length[k], &center[k]);
            d[k] = (long double)center[k] - point[k];
        }
        kugel_overlap_spheres(point, 0, center, b.radius, &o);
        long double error = fabsl(length(d) - b.radius - o.gap);
        if (!(error <= rounding(center, point, b.radius)))
            cr_assert_fail("%s: gap of body %u is off by %Lg m", brute->name, id, error);
        found.gap = o.gap;
        if (o.gap <= most) all[(*count)++] = found;
    }
    qsort(all, *count, sizeof *all, compare_gaps);
    return all;
}

kugel_found *support_brute_side(const support_brute *brute, const double normal[3], double offset,
                                int side, const kugel_filter *filter, size_t *count)
{
    uint32_t n = kugel_world_id_end(brute->world);
    kugel_found *all = calloc(n + 1, sizeof *all);
    kugel_body_state b;
    *count = 0;
    for (uint32_t id = 0; id < n; ++id) {
        if (kugel_body_get(brute->world, kugel_world_body(brute->world, id), &b) ||
            !passes(filter, &b))
            continue;
        kugel_plane_gap g;
        kugel_plane_sphere(normal, offset, b.position, b.radius, &g);
        long double height = -(long double)offset, scale = fabs(offset) + b.radius;
        for (int k = 0; k < 3; ++k) {
            height += (long double)normal[k] * b.position[k];
            scale += fabs(normal[k] * b.position[k]);
        }
        decide(brute, "plane", b.body, g.hit, fabsl(height) - b.radius, 16 * DBL_EPSILON * scale);
        if ((g.hit ? 0 : g.height > 0 ? 1 : -1) != side) continue;
        all[(*count)++] = (kugel_found){.body = b.body, .gap = g.distance};
    }
    return all;
}
