/* Rays and moving spheres against all targets at rest. In: scope, ray, radius. Out: hits. The hit
 * of a body has the bits of kugel_ray_sphere or kugel_sweep_spheres. The walk over the bodies
 * computes only the time of each meeting; the rest of a hit is computed for results.
 * Targets other than bodies come first: a meeting with one of them shortens the walk.
 * Order of hits: time (t_enter of a ray), kind, index, image. */
#include <string.h>

#include "geometry/ray_sphere.h"
#include "geometry/sweep_linear.h"
#include "query/query_targets.h"

typedef struct search {
    kg_line_query query;
    double uu; /* direction . direction if kg_ray_sphere_unscaled applies to the ray; else 0 */
    /* of a search for the closest target: the first meeting so far, and its body's sphere; of a
     * search for any target: `meets` alone */
    kg_meeting best;
    kg_exact_sphere best_sphere;
    kg_best_results results; /* of a search for all targets: meetings */
} search;

/* Set all members but best_sphere and results. */
static void start(search *a, const kg_query_scope *scope, const kugel_ray *ray,
                  const double *radius)
{
    a->query.scope = scope;
    a->query.ray = ray;
    a->query.line = kg_walk_make_line(ray, radius ? *radius : 0);
    a->query.is_ray = !radius;
    a->best = (kg_meeting){0};
    double largest = kg_max_abs3(ray->direction);
    bool unscaled = !radius && largest >= KG_UNSCALED_MIN && largest <= KG_UNSCALED_MAX;
    a->uu = unscaled ? kg_dot3(ray->direction, ray->direction) : 0;
}

static inline bool ray_meets(const search *a, const double center[3], double radius, double *t)
{
    const kugel_ray *ray = a->query.ray;
    const double *o = ray->origin, *u = ray->direction;
    bool hit = a->uu > 0 ? kg_ray_sphere_unscaled(center[0] - o[0], center[1] - o[1],
                                                  center[2] - o[2], u, a->uu, radius, t)
                         : kg_ray_sphere_enter(o, u, center, radius, t);
    return hit && *t <= ray->t_max;
}

/* Spheres that meet at a flat angle: if they touch at the start, m->radius becomes smaller. */
static KG_NOINLINE bool meets_flat(const search *a, const double d[3], const double w[3],
                                   double radius, kg_meeting *m)
{
    double distance = kg_length3(d) - radius;
    if (!kg_rests_at(m->radius, distance)) return true;
    m->radius = kg_radius_from_rest(m->radius, distance);
    m->time = kg_sweep_spheres(d, w, m->radius + radius, a->query.ray->t_max);
    return m->time < KG_NEVER;
}

/* The operations of kugel_sweep_spheres in the same order, for the same bits. Spheres that touch at
 * the start meet if they approach or the filter wants them. */
static inline bool cast_meets(const search *a, const double center[3], double radius, kg_meeting *m)
{
    const kugel_ray *ray = a->query.ray;
    double d[3], w[3], reach = a->query.line.radius + radius;
    m->radius = a->query.line.radius;
    kg_sub3(d, center, ray->origin);
    kg_sub3(w, kg_zero3, ray->direction);
    double c = kg_dot3(d, d) - reach * reach;
    m->time = c > 0 ? kg_sweep_spheres(d, w, reach, ray->t_max) : 0;
    double closing = kg_dot3(d, w) + kg_dot3(w, w) * m->time; /* times the distance */
    if (c <= 0 && a->query.scope->filter.initial) return true;
    if (m->time >= KG_NEVER || (c <= 0 && !(closing < 0))) return false;
    double distance = c > 0 ? reach : kg_length3(d);
    return !kg_meets_flat(closing / distance, w) || meets_flat(a, d, w, radius, m);
}

/* Sets time and radius of *m. */
static inline bool meets(const search *a, const kg_exact_sphere *exact, const int32_t image[3],
                         kg_meeting *m)
{
    double center[3];
    kg_query_center(a->query.scope->world->query, exact->x, image, center);
    m->radius = 0;
    return a->query.is_ray ? ray_meets(a, center, exact->radius, &m->time)
                           : cast_meets(a, center, exact->radius, m);
}

/* The meeting with a body at the time of `met`. */
static inline kg_meeting meeting_of(const kg_exact_sphere *exact, const int32_t image[3],
                                    const kg_meeting *met)
{
    return (kg_meeting){.time = met->time,
                        .radius = met->radius,
                        .index = kugel_body_id(exact->body),
                        .image = {image[0], image[1], image[2]},
                        .meets = true,
                        .body = exact->body};
}

static bool precedes(const void *a, const void *b)
{
    const kg_meeting *p = a, *q = b;
    if (p->time != q->time) return p->time < q->time;
    return kg_query_key_precedes((kg_query_key){p->target, p->index, p->image},
                                 (kg_query_key){q->target, q->index, q->image});
}

static inline void visit_closest(void *context, const kg_exact_sphere *exact,
                                 const int32_t image[3])
{
    search *a = context;
    kg_meeting met;
    if (!meets(a, exact, image, &met) || (a->best.meets && met.time > a->best.time)) return;
    kg_meeting m = meeting_of(exact, image, &met);
    if ((a->best.meets && !precedes(&m, &a->best)) ||
        !kg_query_accepts(a->query.scope, exact->body))
        return;
    a->best = m;
    a->best_sphere = *exact;
    kg_line_end_at(&a->query.line, m.time);
}

static void visit_closest_target(void *context, const kg_meeting *m)
{
    search *a = context;
    if (a->best.meets && !precedes(m, &a->best)) return;
    a->best = *m;
    kg_line_end_at(&a->query.line, m->time);
}

static inline void visit_any(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    kg_meeting met;
    if (a->best.meets || !meets(a, exact, image, &met) ||
        !kg_query_accepts(a->query.scope, exact->body))
        return;
    a->best.meets = true;
    a->query.line.end = -1;
}

static void visit_any_target(void *context, const kg_meeting *m)
{
    search *a = context;
    a->best.meets = m->meets;
    a->query.line.end = -1;
}

static inline void visit_all(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    kg_meeting met;
    if (!meets(a, exact, image, &met) || !kg_query_accepts(a->query.scope, exact->body)) return;
    kg_meeting m = meeting_of(exact, image, &met);
    kg_best_results_offer(&a->results, &m);
}

static void visit_all_targets(void *context, const kg_meeting *m)
{
    search *a = context;
    kg_best_results_offer(&a->results, m);
}

static void write_ray_hit(const search *a, const kg_meeting *m, const kg_exact_sphere *exact,
                          kugel_ray_hit *hit)
{
    const kg_line_query *q = &a->query;
    double center[3];
    *hit = (kugel_ray_hit){.body = m->body,
                           .image = {m->image[0], m->image[1], m->image[2]},
                           .target = m->target,
                           .index = m->index,
                           .triangle = m->triangle};
    if (!m->body) {
        if (m->meets) kg_query_write_ray_hit(q, m, &hit->hit);
        return;
    }
    kg_query_center(q->scope->world->query, exact->x, m->image, center);
    kugel_ray_sphere(q->ray->origin, q->ray->direction, INFINITY, center, exact->radius, &hit->hit);
}

static void write_cast_hit(const search *a, const kg_meeting *m, const kg_exact_sphere *exact,
                           kugel_cast_hit *hit)
{
    const kg_line_query *q = &a->query;
    double center[3];
    *hit = (kugel_cast_hit){.body = m->body,
                            .image = {m->image[0], m->image[1], m->image[2]},
                            .target = m->target,
                            .index = m->index};
    if (!m->body) {
        if (m->meets) kg_query_write_cast_hit(q, m, hit);
        return;
    }
    kg_query_center(q->scope->world->query, exact->x, m->image, center);
    kugel_sweep_spheres(q->ray->origin, q->ray->direction, m->radius, center, kg_zero3,
                        exact->radius, q->ray->t_max, &hit->contact);
}

/* exact: the sphere of a body; not used for other targets. */
static void write_hit(const search *a, const kg_meeting *m, const kg_exact_sphere *exact, void *hit)
{
    if (a->query.is_ray) write_ray_hit(a, m, exact, hit);
    else write_cast_hit(a, m, exact, hit);
}

/* Shorten the search to the closest body. Once for all callers: the walk is long code. */
static KG_NOINLINE void walk_to_closest(search *a)
{
    kg_walk_line(a->query.scope->world, &a->query.line, visit_closest, a);
}

void kg_query_line_closest(const kg_query_scope *scope, const kugel_ray *ray, const double *radius,
                           void *hit)
{
    search a;
    start(&a, scope, ray, radius);
    kg_query_line_targets(&a.query, visit_closest_target, &a);
    if (scope->find_bodies) walk_to_closest(&a);
    write_hit(&a, &a.best, &a.best_sphere, hit);
}

bool kg_query_line_any(const kg_query_scope *scope, const kugel_ray *ray, const double *radius)
{
    search a;
    start(&a, scope, ray, radius);
    kg_query_line_targets(&a.query, visit_any_target, &a);
    if (scope->find_bodies && !a.best.meets)
        kg_walk_line(scope->world, &a.query.line, visit_any, &a);
    return a.best.meets;
}

/* The caller's array first holds meetings. They become hits in place, the last one first, because a
 * hit is larger. */
_Static_assert(sizeof(kg_meeting) <= sizeof(kugel_ray_hit) &&
                   sizeof(kg_meeting) <= sizeof(kugel_cast_hit),
               "meetings fit into hits");

size_t kg_query_line_all(const kg_query_scope *scope, const kugel_ray *ray, const double *radius,
                         size_t capacity, void *hits)
{
    search a;
    start(&a, scope, ray, radius);
    const kg_bodies *bodies = &scope->world->bodies;
    size_t size = a.query.is_ray ? sizeof(kugel_ray_hit) : sizeof(kugel_cast_hit);
    kg_best_results_open(&a.results, hits, sizeof(kg_meeting), capacity, precedes);
    kg_query_line_targets(&a.query, visit_all_targets, &a);
    if (scope->find_bodies) kg_walk_line(scope->world, &a.query.line, visit_all, &a);
    kg_best_results_sort(&a.results);
    for (size_t k = a.results.count; k-- > 0;) {
        kg_meeting m;
        kg_exact_sphere exact = {.body = KUGEL_NULL_BODY};
        memcpy(&m, a.results.items + k * sizeof m, sizeof m);
        if (m.body) exact = kg_query_sphere(bodies, bodies->slot[m.index]);
        write_hit(&a, &m, &exact, (char *)hits + k * size);
    }
    return a.results.offered_count;
}

/* For KG_QUERY_RAYS rays at a time: first the targets other than bodies for all of them together,
 * then the bodies for each ray. */
void kg_query_rays_closest(const kg_query_scope *scope, size_t count, const kugel_ray *rays,
                           kugel_ray_hit *hits)
{
    search searches[KG_QUERY_RAYS];
    for (size_t from = 0, n; from < count; from += n) {
        const kg_line_query *queries[KG_QUERY_RAYS] = {NULL};
        void *contexts[KG_QUERY_RAYS];
        n = count - from < KG_QUERY_RAYS ? count - from : KG_QUERY_RAYS;
        for (size_t i = 0; i < n; ++i) {
            start(&searches[i], scope, &rays[from + i], NULL);
            queries[i] = &searches[i].query;
            contexts[i] = &searches[i];
        }
        kg_query_rays_targets((uint32_t)n, queries, visit_closest_target, contexts);
        for (size_t i = 0; i < n; ++i) {
            search *a = &searches[i];
            if (scope->find_bodies) walk_to_closest(a);
            write_hit(a, &a->best, &a->best_sphere, &hits[from + i]);
        }
    }
}
