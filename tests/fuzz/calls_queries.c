/* Queries of the world, compared with each other, and without periodic axes with the pure functions
 * for every body. */
#include <math.h>
#include <string.h>

#include "calls.h"

enum { MOST_HITS = 256 };

static bool accept_even(void *user, kugel_target target, uint64_t handle)
{
    (void)user, (void)target;
    return (uint32_t)handle % 2 == 0;
}

static bool passes(const kugel_filter *f, const kugel_body_state *b)
{
    return b->enabled && (f->targets & KUGEL_TARGETS_BODIES) && (f->category & b->mask) &&
           (b->category & f->mask) && (f->group == 0 || f->group != b->group) &&
           (f->sensors || !b->sensor) &&
           (!f->accept || f->accept(f->user, KUGEL_TARGET_BODY, b->body));
}

static kugel_filter random_filter(fuzz_input *in)
{
    kugel_filter filter = kugel_filter_default();
    uint8_t parts = fuzz_byte(in);
    if (parts & 1) filter.category = fuzz_byte(in), filter.mask = fuzz_byte(in);
    if (parts & 2) filter.group = fuzz_below(in, 4);
    if (parts & 4) filter.sensors = true;
    if (parts & 8) filter.accept = accept_even;
    if (parts & 16) filter.targets = fuzz_byte(in);
    return filter;
}

static bool is_periodic(const calls *c)
{
    const kugel_face *faces = c->def.bounds.faces;
    return faces[0] == KUGEL_FACE_PERIODIC || faces[2] == KUGEL_FACE_PERIODIC ||
           faces[4] == KUGEL_FACE_PERIODIC;
}

/* As calls_end, for calls that cannot change the world. @return true if the query succeeded. */
static bool answered(calls *c, kugel_status status, bool valid, const char *what)
{
    bool failed = c->memory.failures != c->failures;
    FUZZ_CHECK(valid || status, "%s: succeeded with invalid arguments", what);
    FUZZ_CHECK(!failed || status == KUGEL_ERROR_OUT_OF_MEMORY, "%s: %s without memory", what,
               kugel_status_text(status));
    FUZZ_CHECK(!valid || !status || failed || (is_periodic(c) && status == KUGEL_ERROR_LIMIT),
               "%s: %s", what, kugel_status_text(status));
    if (status == KUGEL_ERROR_OUT_OF_MEMORY) failing_memory_disarm(&c->memory);
    c->failures = c->memory.failures;
    return status == KUGEL_OK;
}

static kugel_ray random_ray(fuzz_input *in)
{
    kugel_ray ray;
    fuzz_vector(in, ray.origin);
    fuzz_vector(in, ray.direction);
    ray.t_max = fabs(fuzz_number(in));
    return ray;
}

static bool is_valid_ray(const kugel_ray *ray)
{
    return fuzz_is_vector(ray->origin) && fuzz_is_vector(ray->direction) && ray->t_max >= 0;
}

/* Number of bodies among the results; results beyond the array count as bodies. */
#define BODIES_OF(results, count, bodies)                                                          \
    do {                                                                                           \
        (bodies) = (count) > MOST_HITS ? (count)-MOST_HITS : 0;                                    \
        for (size_t i = 0; i < (count) && i < MOST_HITS; ++i)                                      \
            (bodies) += (results)[i].body != KUGEL_NULL_BODY;                                      \
    } while (0)

static void check_rays(calls *c, const kugel_filter *filter)
{
    kugel_ray ray = random_ray(&c->in);
    kugel_ray_hit hits[MOST_HITS], first;
    size_t count = 9;
    bool any = true;
    kugel_status status = kugel_world_ray_all(c->world, &ray, filter, MOST_HITS, hits, &count);
    if (!answered(c, status, is_valid_ray(&ray), "ray")) {
        FUZZ_CHECK(count == 0, "ray: refused with results");
        return;
    }
    if (answered(c, kugel_world_ray_any(c->world, &ray, filter, &any), true, "ray any"))
        FUZZ_CHECK(any == (count > 0), "ray: any differs from all");
    if (answered(c, kugel_world_ray_closest(c->world, &ray, filter, &first), true, "ray first"))
        FUZZ_CHECK(count ? !memcmp(&first.hit.t_enter, &hits[0].hit.t_enter, 8) &&
                               first.body == hits[0].body
                         : !first.hit.hit,
                   "ray: the first differs from all");
    size_t all = 0, bodies;
    BODIES_OF(hits, count, bodies);
    for (uint32_t i = 0; i < c->model.count; ++i) {
        const kugel_body_state *b = &c->model.bodies[i];
        kugel_hit hit;
        status =
            kugel_ray_sphere(ray.origin, ray.direction, INFINITY, b->position, b->radius, &hit);
        FUZZ_CHECK(!status, "kugel_ray_sphere: %s", kugel_status_text(status));
        all += passes(filter, b) && hit.hit && hit.t_enter <= ray.t_max;
    }
    FUZZ_CHECK(is_periodic(c) || all == bodies, "ray: %zu bodies, the pure function has %zu",
               bodies, all);
}

static void check_casts(calls *c, const kugel_filter *filter)
{
    kugel_ray ray = random_ray(&c->in);
    double radius = fuzz_number(&c->in);
    kugel_cast_hit hits[MOST_HITS], first;
    size_t count = 9;
    bool any = true,
         valid = is_valid_ray(&ray) && ray.t_max < INFINITY && radius >= 0 && fuzz_is_value(radius);
    kugel_status status =
        kugel_world_cast_all(c->world, &ray, radius, filter, MOST_HITS, hits, &count);
    if (!answered(c, status, valid, "cast")) {
        FUZZ_CHECK(count == 0, "cast: refused with results");
        return;
    }
    if (answered(c, kugel_world_cast_any(c->world, &ray, radius, filter, &any), true, "cast any"))
        FUZZ_CHECK(any == (count > 0), "cast: any differs from all");
    status = kugel_world_cast_closest(c->world, &ray, radius, filter, &first);
    if (answered(c, status, true, "cast first"))
        FUZZ_CHECK(count ? first.target == hits[0].target && first.index == hits[0].index
                         : !first.contact.hit,
                   "cast: the first differs from all");
}

static void check_volumes(calls *c, const kugel_filter *filter)
{
    double center[3], radius = fuzz_number(&c->in);
    kugel_found found[MOST_HITS];
    size_t count = 9, all = 0, bodies;
    fuzz_vector(&c->in, center);
    bool valid = fuzz_is_vector(center) && radius >= 0 && fuzz_is_value(radius);
    kugel_status status =
        kugel_world_overlap_sphere(c->world, center, radius, filter, MOST_HITS, found, &count);
    if (!answered(c, status, valid, "overlap")) {
        FUZZ_CHECK(count == 0, "overlap: refused with results");
        return;
    }
    BODIES_OF(found, count, bodies);
    for (uint32_t i = 0; i < c->model.count; ++i) {
        const kugel_body_state *b = &c->model.bodies[i];
        kugel_overlap o;
        status = kugel_overlap_spheres(center, radius, b->position, b->radius, &o);
        FUZZ_CHECK(!status, "kugel_overlap_spheres: %s", kugel_status_text(status));
        all += passes(filter, b) && o.hit;
    }
    FUZZ_CHECK(is_periodic(c) || all == bodies, "overlap: %zu, the pure function has %zu", bodies,
               all);
    double corner[3], axes[3];
    for (int k = 0; k < 3; ++k) corner[k] = center[k] + radius, axes[k] = radius;
    kugel_world_overlap_box(c->world, center, corner, filter, MOST_HITS, found, &count);
    kugel_world_overlap_ellipsoid(c->world, center, axes, NULL, filter, MOST_HITS, found, &count);
    kugel_world_overlap_sphere(c->world, center, 0, filter, MOST_HITS, found, &count);
}

static void check_nearest(calls *c, const kugel_filter *filter)
{
    double point[3], most = fuzz_number(&c->in);
    kugel_found found[4];
    size_t count = 9;
    fuzz_vector(&c->in, point);
    kugel_status status = kugel_world_nearest(c->world, point, most, filter, 4, found, &count);
    bool valid = status == KUGEL_OK || (fuzz_is_vector(point) && most >= 0 && fuzz_is_value(most));
    if (!answered(c, status, valid, "nearest")) return;
    FUZZ_CHECK(count <= 4, "nearest: %zu of 4", count);
    for (size_t i = 0; i < count; ++i) {
        FUZZ_CHECK(found[i].gap <= most && (i == 0 || found[i - 1].gap <= found[i].gap),
                   "nearest: order");
    }
}

/* Each body that passes the filter must be on exactly one of three sides of a plane. */
static void check_sides(calls *c, const kugel_filter *filter)
{
    static const double normals[3][3] = {{0, 0, 1}, {0.6, 0.8, 0}, {0, -1, 0}};
    const double *normal = normals[fuzz_below(&c->in, 3)];
    double offset = fuzz_number(&c->in);
    size_t all = 0, passing = 0;
    for (int side = -1; side <= 1; ++side) {
        kugel_found found[MOST_BODIES];
        size_t count;
        kugel_status status = kugel_world_plane_side(c->world, normal, offset, side, filter,
                                                     MOST_BODIES, found, &count);
        if (!answered(c, status, fuzz_is_value(offset), "side")) return;
        all += count;
    }
    for (uint32_t i = 0; i < c->model.count; ++i) passing += passes(filter, &c->model.bodies[i]);
    FUZZ_CHECK(all == passing, "side: %zu of %zu bodies", all, passing);
}

void calls_query(calls *c)
{
    kugel_filter filter = random_filter(&c->in);
    bool again = fuzz_byte(&c->in) & 1;
    uint64_t hash = kugel_world_hash(c->world);
    calls_begin(c);
    switch (fuzz_below(&c->in, 5)) {
    case 0:
        check_rays(c, &filter);
        break;
    case 1:
        check_casts(c, &filter);
        break;
    case 2:
        check_volumes(c, &filter);
        break;
    case 3:
        check_nearest(c, &filter);
        break;
    default:
        check_sides(c, &filter);
        break;
    }
    if (again) answered(c, kugel_world_prepare_queries(c->world), true, "prepare");
    FUZZ_CHECK(kugel_world_hash(c->world) == hash, "a query changes the world");
}
