/* Rays and moving spheres against bodies at rest. In: scope, ray, radius. Out: hits with the bits
 * of kugel_ray_sphere and kugel_sweep_sphere_sphere: the walk makes their first half, the time.
 * Order of all hits: time (t_enter of a ray), id, image. */
#include <string.h>

#include "geometry/ray_sphere.h"
#include "geometry/sweep_linear.h"
#include "query/query.h"
#include "query/best_results.h"
#include "query/query_walk_line.h"

/* A body that the line meets. */
typedef struct meeting {
    kugel_body body; /* null: none */
    int32_t image[3];
    double time; /* t_enter of a ray */
} meeting;

typedef struct search {
    const kg_query_scope *scope;
    const kugel_ray *ray;
    kg_line line;
    bool is_ray;  /* else a moving sphere */
    double uu;    /* of a ray: direction . direction; 0 when the unscaled test does not apply */
    meeting best; /* closest, any */
    kg_exact_sphere best_sphere; /* closest: the body of `best` */
    kg_best_results results;     /* all: meetings */
} search;

static search start(const kg_query_scope *scope, const kugel_ray *ray, const double *radius)
{
    search a = {.scope = scope,
                .ray = ray,
                .line = kg_walk_make_line(ray, radius ? *radius : 0),
                .is_ray = !radius};
    double largest = kg_max_abs3(ray->direction);
    if (a.is_ray && largest >= KG_UNSCALED_MIN && largest <= KG_UNSCALED_MAX)
        a.uu = kg_dot3(ray->direction, ray->direction);
    return a;
}

static inline bool ray_meets(const search *a, const double center[3], double radius, double *t)
{
    const double *o = a->ray->origin, *u = a->ray->direction;
    bool hit = a->uu > 0 ? kg_ray_sphere_unscaled(center[0] - o[0], center[1] - o[1],
                                                  center[2] - o[2], u, a->uu, radius, t)
                         : kg_ray_sphere_enter(o, u, center, radius, t);
    return hit && *t <= a->ray->t_max;
}

/* Makes the operations of kugel_sweep_spheres in the same order, for the same bits. */
static inline bool cast_meets(const search *a, const double center[3], double radius, double *time)
{
    double d[3], w[3], reach = a->line.radius + radius;
    kg_sub3(d, center, a->ray->origin);
    kg_sub3(w, kg_zero3, a->ray->direction);
    double c = kg_dot3(d, d) - reach * reach;
    *time = c <= 0 ? 0 : kg_sweep_spheres(d, w, reach, a->ray->t_max);
    return *time < KG_NEVER;
}

static inline bool meets(const search *a, const kg_exact_sphere *exact, const int32_t image[3],
                         meeting *m)
{
    double center[3];
    kg_query_center(a->scope->world->query, exact->x, image, center);
    *m = (meeting){exact->body, {image[0], image[1], image[2]}, 0};
    return a->is_ray ? ray_meets(a, center, exact->radius, &m->time)
                     : cast_meets(a, center, exact->radius, &m->time);
}

static bool precedes(const void *a, const void *b)
{
    const meeting *p = a, *q = b;
    if (p->time != q->time) return p->time < q->time;
    return kg_query_body_precedes(p->body, p->image, q->body, q->image);
}

static inline void visit_closest(void *context, const kg_exact_sphere *exact,
                                 const int32_t image[3])
{
    search *a = context;
    meeting m;
    if (!meets(a, exact, image, &m) || (a->best.body && !precedes(&m, &a->best)) ||
        !kg_query_accepts(a->scope, exact->body))
        return;
    a->best = m;
    a->best_sphere = *exact;
    kg_line_end_at(&a->line, m.time);
}

static inline void visit_any(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    meeting m;
    if (a->best.body || !meets(a, exact, image, &m) || !kg_query_accepts(a->scope, exact->body))
        return;
    a->best = m;
    a->line.end = -1;
}

static inline void visit_all(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    meeting m;
    if (meets(a, exact, image, &m) && kg_query_accepts(a->scope, exact->body))
        kg_best_results_offer(&a->results, &m);
}

/* Write the hit of a meeting: a kugel_ray_hit or a kugel_cast_hit; `exact`: the body's sphere. */
static void write_hit(const search *a, const meeting *m, const kg_exact_sphere *exact, void *hit)
{
    const double *o = a->ray->origin, *u = a->ray->direction;
    double center[3];
    kg_query_center(a->scope->world->query, exact->x, m->image, center);
    if (a->is_ray) {
        kugel_ray_hit *h = hit;
        *h = (kugel_ray_hit){.body = m->body, .image = {m->image[0], m->image[1], m->image[2]}};
        if (h->body) kugel_ray_sphere(o, u, center, exact->radius, &h->hit);
    } else {
        kugel_cast_hit *h = hit;
        *h = (kugel_cast_hit){.body = m->body, .image = {m->image[0], m->image[1], m->image[2]}};
        if (h->body)
            kugel_sweep_sphere_sphere(o, u, a->line.radius, center, exact->radius, a->ray->t_max,
                                      &h->contact);
    }
}

void kg_query_line_closest(const kg_query_scope *scope, const kugel_ray *ray, const double *radius,
                           void *hit)
{
    search a = start(scope, ray, radius);
    kg_walk_line(scope->world, &a.line, visit_closest, &a);
    write_hit(&a, &a.best, &a.best_sphere, hit);
}

bool kg_query_line_any(const kg_query_scope *scope, const kugel_ray *ray, const double *radius)
{
    search a = start(scope, ray, radius);
    kg_walk_line(scope->world, &a.line, visit_any, &a);
    return a.best.body != 0;
}

/* Meetings are found in the caller's array of larger hits; these replace them from the last on. */
size_t kg_query_line_all(const kg_query_scope *scope, const kugel_ray *ray, const double *radius,
                         size_t capacity, void *hits)
{
    search a = start(scope, ray, radius);
    const kg_bodies *bodies = &scope->world->bodies;
    size_t size = a.is_ray ? sizeof(kugel_ray_hit) : sizeof(kugel_cast_hit);
    kg_best_results_open(&a.results, hits, sizeof(meeting), capacity, precedes);
    kg_walk_line(scope->world, &a.line, visit_all, &a);
    kg_best_results_sort(&a.results);
    for (size_t k = a.results.count; k-- > 0;) {
        meeting m;
        memcpy(&m, a.results.items + k * sizeof m, sizeof m);
        kg_exact_sphere exact = kg_query_sphere(bodies, bodies->slot[kugel_body_id(m.body)]);
        write_hit(&a, &m, &exact, (char *)hits + k * size);
    }
    return a.results.offered_count;
}

/* A ray of a batch between its two passes. The slabs are those of the first group. */
typedef struct prepared {
    search search;
    kg_slabs slabs;
    kg_window window;
    bool reaches_group; /* the ray crosses the first group */
} prepared;

static void prepare(const kg_query_scope *scope, const kugel_ray *ray, prepared *p)
{
    const kg_query_group *g = &scope->world->query->group[0];
    p->search = start(scope, ray, NULL);
    p->reaches_group = kg_walk_line_slabs(g, &p->search.line, &p->slabs);
    if (!p->reaches_group) return;
    p->window = kg_walk_window(g, &p->slabs, 0);
    for (int64_t r = 0; r < p->window.rows; ++r)
        __builtin_prefetch(p->window.start + r * p->slabs.stride[p->slabs.minor[1]] +
                           p->window.low * p->slabs.stride[p->slabs.minor[0]]);
}

static void finish(prepared *p, kugel_ray_hit *hit)
{
    search *a = &p->search;
    const kg_query_index *index = a->scope->world->query;
    kg_walk_changed(a->scope->world, visit_closest, a);
    if (p->reaches_group)
        kg_walk_slabs(index, &index->group[0], &p->slabs, p->window, &a->line, visit_closest, a);
    kg_walk_groups(index, 1, &a->line, visit_closest, a);
    write_hit(a, &a->best, &a->best_sphere, hit);
}

void kg_query_rays_closest(const kg_query_scope *scope, size_t count, const kugel_ray *rays,
                           kugel_ray_hit *hits)
{
    enum { LAG = 8, RING = 2 * LAG };
    const kg_query_index *index = scope->world->query;
    if (count < RING || index->periodic || !index->group_count) {
        for (size_t i = 0; i < count; ++i) kg_query_line_closest(scope, &rays[i], NULL, &hits[i]);
        return;
    }
    prepared ring[RING];
    for (size_t i = 0; i < count + RING - 1; ++i) {
        if (i >= RING - 1) finish(&ring[(i + 1) % RING], &hits[i + 1 - RING]);
        if (i >= LAG && i - LAG < count) {
            const prepared *p = &ring[(i - LAG) % RING];
            if (p->reaches_group) kg_walk_prefetch(index, &p->slabs, &p->window);
        }
        if (i < count) prepare(scope, &rays[i], &ring[i % RING]);
    }
}
