/* See support_brute.h. */
#include "query/support_brute.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool support_has(const kugel_filter *filter, kugel_target target)
{
    return !filter || filter->targets >> target & 1;
}

bool support_accepts(const kugel_filter *filter, kugel_target target, uint64_t handle)
{
    return !filter || !filter->accept || filter->accept(filter->user, target, handle);
}

static bool passes(const kugel_filter *f, const kugel_body_state *b)
{
    const kugel_filter all = kugel_filter_default();
    if (!f) f = &all;
    return support_has(f, KUGEL_TARGET_BODY) && (f->category & b->mask) &&
           (b->category & f->mask) && (f->sensors || !b->sensor) &&
           (!f->group || f->group != b->group) && support_accepts(f, KUGEL_TARGET_BODY, b->body);
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

int support_half_spaces(const support_brute *brute, const kugel_filter *filter,
                        support_half_space spaces[BRUTE_HALF_SPACES])
{
    kugel_world_def def;
    int n = 0;
    cr_assert_eq(kugel_world_get_def(brute->world, &def), KUGEL_OK);
    for (uint32_t f = 0; f < 6 && support_has(filter, KUGEL_TARGET_FACE); ++f) {
        if (def.bounds.faces[f] != KUGEL_FACE_WALL ||
            !support_accepts(filter, KUGEL_TARGET_FACE, f))
            continue;
        support_half_space *s = &spaces[n++];
        *s = (support_half_space){.target = KUGEL_TARGET_FACE, .index = f};
        s->normal[f / 2] = f % 2 ? -1 : 1;
        s->offset = f % 2 ? -def.bounds.max[f / 2] : def.bounds.min[f / 2];
    }
    return n;
}

typedef struct name {
    kugel_target target;
    uint32_t index;
    const int32_t *image;
} name;

static int compare(double p, double q, name a, name b)
{
    if (p != q) return p < q ? -1 : 1;
    if (a.target != b.target) return a.target < b.target ? -1 : 1;
    if (a.index != b.index) return a.index < b.index ? -1 : 1;
    for (int k = 0; k < 3; ++k) {
        if (a.image[k] != b.image[k]) return a.image[k] < b.image[k] ? -1 : 1;
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
    return compare(p->hit.t_enter, q->hit.t_enter, (name){p->target, p->index, p->image},
                   (name){q->target, q->index, q->image});
}

static int compare_casts(const void *a, const void *b)
{
    const kugel_cast_hit *p = a, *q = b;
    return compare(p->contact.time, q->contact.time, (name){p->target, p->index, p->image},
                   (name){q->target, q->index, q->image});
}

static void add_ray_hit(const support_brute *brute, kugel_ray_hit *hits, size_t *count,
                        const kugel_ray_hit *hit)
{
    if (*count == BRUTE_MOST) cr_assert_fail("%s: too many hits", brute->name);
    hits[(*count)++] = *hit;
}

/* A half space is met from its free side; it has no exit. */
static void add_ray_targets(const support_brute *brute, const kugel_ray *ray,
                            const kugel_filter *filter, kugel_ray_hit *hits, size_t *count)
{
    support_half_space spaces[BRUTE_HALF_SPACES];
    int n = support_half_spaces(brute, filter, spaces);
    for (int i = 0; i < n; ++i) {
        kugel_ray_hit hit = {.target = spaces[i].target, .index = spaces[i].index};
        kugel_plane_hit met;
        kugel_ray_plane(ray->origin, ray->direction, INFINITY, spaces[i].normal, spaces[i].offset,
                        &met);
        if (!met.hit || met.side < 0 || met.t > ray->t_max) continue;
        hit.hit = (kugel_hit){
            .hit = true, .started_inside = met.side == 0, .t_enter = met.t, .t_exit = met.t};
        memcpy(hit.hit.point, met.point, sizeof met.point);
        memcpy(hit.hit.exit_point, met.point, sizeof met.point);
        memcpy(hit.hit.normal, spaces[i].normal, sizeof met.normal);
        memcpy(hit.hit.exit_normal, spaces[i].normal, sizeof met.normal);
        add_ray_hit(brute, hits, count, &hit);
    }
}

kugel_ray_hit *support_brute_ray(const support_brute *brute, const kugel_ray *ray,
                                 const kugel_filter *filter, size_t *count)
{
    kugel_ray_hit *hits = calloc(BRUTE_MOST, sizeof *hits);
    double center[3];
    *count = 0;
    for (walk w = start(brute, filter); next(&w, center);) {
        kugel_ray_hit hit = {.body = w.body.body,
                             .image = {w.image[0], w.image[1], w.image[2]},
                             .index = kugel_body_id(w.body.body)};
        kugel_ray_sphere(ray->origin, ray->direction, INFINITY, center, w.body.radius, &hit.hit);
        bool is_hit = hit.hit.hit && hit.hit.t_enter <= ray->t_max;
        decide(brute, "ray", w.body.body, is_hit, path_gap(ray, center, w.body.radius),
               rounding(center, ray->origin, w.body.radius));
        if (is_hit) add_ray_hit(brute, hits, count, &hit);
    }
    add_ray_targets(brute, ray, filter, hits, count);
    qsort(hits, *count, sizeof *hits, compare_rays);
    return hits;
}

static void add_cast_hit(const support_brute *brute, kugel_cast_hit *hits, size_t *count,
                         const kugel_cast_hit *hit)
{
    if (*count == BRUTE_MOST) cr_assert_fail("%s: too many hits", brute->name);
    hits[(*count)++] = *hit;
}

double support_cast_slack(double radius) { return 1e-3 * radius; }

double support_surface_slack(const kugel_world *world, const kugel_ray *ray, double radius,
                             const kugel_filter *filter)
{
    kugel_filter surfaces = filter ? *filter : kugel_filter_default();
    size_t count;
    surfaces.targets &= KUGEL_TARGETS_SURFACES;
    surfaces.accept = NULL;
    cr_assert_eq(kugel_world_overlap_sphere(world, ray->origin, radius * (1 + 1e-3), &surfaces, 0,
                                            NULL, &count),
                 KUGEL_OK);
    return count ? support_cast_slack(radius) : 0;
}

static double squared_distance(const double a[3], const double b[3])
{
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = a[k] - b[k];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* The radius of the sphere whose contact is that of a cast. distance: m, from the target at the
 * start. */
static double radius_of_contact(const kugel_contact *contact, const kugel_ray *ray, double radius,
                                double distance)
{
    const double *v = ray->direction, *n = contact->normal;
    double approach = v[0] * n[0] + v[1] * n[1] + v[2] * n[2],
           speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2],
           smaller = fmin(distance - 1e-9 * radius, radius - support_cast_slack(radius));
    bool flat = contact->hit && contact->approaching && approach * approach < 2 * 1e-3 * speed2;
    return flat && distance <= radius * (1 + 1e-3) && smaller > 0 ? smaller : radius;
}

static void add_cast_targets(const support_brute *brute, const kugel_ray *ray, double radius,
                             const kugel_filter *filter, kugel_cast_hit *hits, size_t *count)
{
    support_half_space spaces[BRUTE_HALF_SPACES];
    int n = support_half_spaces(brute, filter, spaces);
    for (int i = 0; i < n; ++i) {
        kugel_cast_hit hit = {.target = spaces[i].target, .index = spaces[i].index};
        kugel_sweep_sphere_plane(ray->origin, ray->direction, radius, spaces[i].normal,
                                 spaces[i].offset, ray->t_max, &hit.contact);
        double own = radius_of_contact(&hit.contact, ray, radius, radius + hit.contact.gap);
        if (own < radius)
            kugel_sweep_sphere_plane(ray->origin, ray->direction, own, spaces[i].normal,
                                     spaces[i].offset, ray->t_max, &hit.contact);
        if (hit.contact.hit && hit.contact.approaching) add_cast_hit(brute, hits, count, &hit);
    }
}

kugel_cast_hit *support_brute_cast(const support_brute *brute, const kugel_ray *ray, double radius,
                                   const kugel_filter *filter, size_t *count)
{
    kugel_cast_hit *hits = calloc(BRUTE_MOST, sizeof *hits);
    double center[3];
    *count = 0;
    for (walk w = start(brute, filter); next(&w, center);) {
        kugel_cast_hit hit = {.body = w.body.body,
                              .image = {w.image[0], w.image[1], w.image[2]},
                              .index = kugel_body_id(w.body.body)};
        kugel_sweep_spheres(ray->origin, ray->direction, radius, center, (double[3]){0},
                            w.body.radius, ray->t_max, &hit.contact);
        decide(brute, "cast", w.body.body, hit.contact.hit,
               path_gap(ray, center, (long double)w.body.radius + radius),
               rounding(center, ray->origin, w.body.radius + radius));
        double distance = sqrt(squared_distance(center, ray->origin)) - w.body.radius;
        double own = radius_of_contact(&hit.contact, ray, radius, distance);
        if (own < radius)
            kugel_sweep_spheres(ray->origin, ray->direction, own, center, (double[3]){0},
                                w.body.radius, ray->t_max, &hit.contact);
        if (hit.contact.hit && hit.contact.approaching) add_cast_hit(brute, hits, count, &hit);
    }
    add_cast_targets(brute, ray, radius, filter, hits, count);
    qsort(hits, *count, sizeof *hits, compare_casts);
    return hits;
}

/* Adds walls with gap <= most. */
static void add_found_targets(const support_brute *brute, support_height *height, double radius,
                              const void *volume, double most, const kugel_filter *filter,
                              kugel_found *found, size_t *count)
{
    support_half_space spaces[BRUTE_HALF_SPACES];
    int n = height ? support_half_spaces(brute, filter, spaces) : 0;
    for (int i = 0; i < n; ++i) {
        double gap = height(volume, &spaces[i]) - radius;
        if (gap <= most)
            found[(*count)++] =
                (kugel_found){.target = spaces[i].target, .index = spaces[i].index, .gap = gap};
    }
}

kugel_found *support_brute_found(const support_brute *brute, support_gap *gap,
                                 support_exact_gap *exact, support_height *height, double radius,
                                 const void *volume, const kugel_filter *filter, size_t *count)
{
    kugel_found *found = calloc(BRUTE_MOST + BRUTE_HALF_SPACES, sizeof *found);
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
        found[(*count)++] = (kugel_found){.body = w.body.body,
                                          .image = {w.image[0], w.image[1], w.image[2]},
                                          .index = kugel_body_id(w.body.body),
                                          .gap = g};
    }
    add_found_targets(brute, height, radius, volume, 0, filter, found, count);
    return found;
}

static int compare_gaps(const void *a, const void *b)
{
    const kugel_found *p = a, *q = b;
    return compare(p->gap, q->gap, (name){p->target, p->index, p->image},
                   (name){q->target, q->index, q->image});
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

static double height_of_point(const void *point, const support_half_space *space)
{
    kugel_plane_gap gap;
    kugel_plane_sphere(space->normal, space->offset, point, 0, &gap);
    return gap.height;
}

kugel_found *support_brute_nearest(const support_brute *brute, const double point[3], double most,
                                   const kugel_filter *filter, size_t *count)
{
    uint32_t n = kugel_world_id_end(brute->world);
    kugel_found *all = calloc(n + 1 + BRUTE_HALF_SPACES, sizeof *all);
    kugel_body_state b;
    *count = 0;
    for (uint32_t id = 0; id < n; ++id) {
        if (kugel_body_get(brute->world, kugel_world_body(brute->world, id), &b) ||
            !passes(filter, &b))
            continue;
        kugel_found found = {.body = b.body, .index = id};
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
    add_found_targets(brute, height_of_point, 0, point, most, filter, all, count);
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
        all[(*count)++] = (kugel_found){.body = b.body, .index = id, .gap = g.distance};
    }
    return all;
}
