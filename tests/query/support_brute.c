/* See support_brute.h. */
#include "query/support_brute.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* An iteration over every image of every body that passes the filter, by id and image. */
typedef struct walk {
    const support_brute *brute;
    const kugel_filter *filter;
    uint32_t id;
    int32_t image[3], most[3];
    kugel_body_state body;
    bool at_start;
} walk;

static walk start(const support_brute *brute, const kugel_filter *filter)
{
    walk w = {.brute = brute, .filter = filter, .at_start = true};
    for (int k = 0; k < 3; ++k) w.most[k] = brute->length[k] > 0 ? brute->images : 0;
    return w;
}

static bool passes(const kugel_filter *f, const kugel_body_state *b)
{
    if (!f) return true;
    return (f->category & b->mask) && (b->category & f->mask) && (f->sensors || !b->sensor) &&
           (!f->accept || f->accept(f->user, b->body));
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
        for (int k = 0; k < 3; ++k) w->image[k] = -w->most[k];
        return true;
    }
    return false;
}

static bool next(walk *w, double center[3])
{
    bool more = false;
    if (!w->at_start) {
        for (int k = 2; k >= 0 && !more; --k) {
            if (w->image[k] < w->most[k]) w->image[k] += 1, more = true;
            else w->image[k] = -w->most[k];
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
        if (!hit.hit.hit || hit.hit.t_enter > ray->t_max) continue;
        cr_assert(*count < BRUTE_MOST);
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
        if (!hit.contact.hit) continue;
        cr_assert(*count < BRUTE_MOST);
        hits[(*count)++] = hit;
    }
    qsort(hits, *count, sizeof *hits, compare_casts);
    return hits;
}

kugel_found *support_brute_found(const support_brute *brute, support_gap *gap, const void *volume,
                                 const kugel_filter *filter, size_t *count)
{
    kugel_found *found = calloc(BRUTE_MOST, sizeof *found);
    double center[3];
    *count = 0;
    for (walk w = start(brute, filter); next(&w, center);) {
        double g = gap(volume, center, w.body.radius);
        if (!(g <= 0)) continue;
        cr_assert(*count < BRUTE_MOST);
        found[(*count)++] = (kugel_found){w.body.body, {w.image[0], w.image[1], w.image[2]}, g};
    }
    return found;
}
