/* Rays against bodies. In: scope, rays. Out: hits with the bits of kugel_ray_sphere: the walk tests
 * candidates with kg_ray_sphere_enter, its first half. Order of all hits: t_enter, id, image. */
#include "geometry/ray_sphere.h"
#include "query/query.h"
#include "query/best_results.h"
#include "query/query_walk_line.h"

typedef struct search {
    const kg_query_scope *scope;
    const kugel_ray *ray;
    kg_line line;
    double uu;          /* direction . direction; 0 when the unscaled test does not apply */
    kugel_ray_hit best; /* closest, any: only t_enter of its hit is set */
    kg_exact_sphere best_sphere; /* the body of `best` */
    kg_best_results results;
} search;

static bool precedes(const kugel_ray_hit *a, const kugel_ray_hit *b)
{
    if (a->hit.t_enter != b->hit.t_enter) return a->hit.t_enter < b->hit.t_enter;
    return kg_query_body_precedes(a->body, a->image, b->body, b->image);
}

static bool item_before(const void *a, const void *b) { return precedes(a, b); }

static inline bool hits_body(const search *a, const kg_exact_sphere *exact, const int32_t image[3],
                             double *t)
{
    double center[3];
    kg_query_center(a->scope->world->query, exact->x, image, center);
    const double *o = a->ray->origin, *u = a->ray->direction;
    bool hit = a->uu > 0 ? kg_ray_sphere_unscaled(center[0] - o[0], center[1] - o[1],
                                                  center[2] - o[2], u, a->uu, exact->radius, t)
                         : kg_ray_sphere_enter(o, u, center, exact->radius, t);
    return hit && *t <= a->ray->t_max;
}

static inline double visit_closest(void *context, const kg_exact_sphere *exact,
                                   const int32_t image[3], double end)
{
    search *a = context;
    double t;
    if (!hits_body(a, exact, image, &t)) return end;
    kugel_ray_hit hit = {
        .body = exact->body, .image = {image[0], image[1], image[2]}, .hit.t_enter = t};
    if ((a->best.body && !precedes(&hit, &a->best)) || !kg_query_accepts(a->scope, exact->body))
        return end;
    a->best = hit;
    a->best_sphere = *exact;
    return kg_line_end_at(&a->line, t);
}

static inline double visit_any(void *context, const kg_exact_sphere *exact, const int32_t image[3],
                               double end)
{
    search *a = context;
    double t;
    if (a->best.body || !hits_body(a, exact, image, &t) || !kg_query_accepts(a->scope, exact->body))
        return end;
    a->best.body = exact->body;
    return -1;
}

static inline double visit_all(void *context, const kg_exact_sphere *exact, const int32_t image[3],
                               double end)
{
    search *a = context;
    double t;
    if (!hits_body(a, exact, image, &t) || !kg_query_accepts(a->scope, exact->body)) return end;
    kugel_ray_hit hit = {
        .body = exact->body, .image = {image[0], image[1], image[2]}, .hit.t_enter = t};
    kg_best_results_offer(&a->results, &hit);
    return end;
}

static search start(const kg_query_scope *scope, const kugel_ray *ray)
{
    search a = {.scope = scope, .ray = ray, .line = kg_walk_make_line(ray, 0)};
    double largest = kg_max_abs3(ray->direction);
    if (largest >= KG_UNSCALED_MIN && largest <= KG_UNSCALED_MAX)
        a.uu = kg_dot3(ray->direction, ray->direction);
    return a;
}

/* The whole hit of a body that is hit. */
static void fill(const search *a, const kg_exact_sphere *exact, kugel_ray_hit *hit)
{
    double center[3];
    kg_query_center(a->scope->world->query, exact->x, hit->image, center);
    kugel_ray_sphere(a->ray->origin, a->ray->direction, center, exact->radius, &hit->hit);
}

void kg_query_ray_closest(const kg_query_scope *scope, const kugel_ray *ray, kugel_ray_hit *hit)
{
    search a = start(scope, ray);
    kg_walk_line(scope->world, &a.line, visit_closest, &a);
    *hit = a.best;
    if (hit->body) fill(&a, &a.best_sphere, hit);
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
    p->search = start(scope, ray);
    p->reaches_group = kg_walk_line_slabs(g, &p->search.line, &p->slabs);
    if (!p->reaches_group) return;
    p->window = kg_walk_window(g, &p->slabs, 0);
    for (int64_t r = 0; r < p->window.rows; ++r) {
        __builtin_prefetch(p->window.start + r * p->slabs.stride[p->slabs.minor[1]] +
                           p->window.low * p->slabs.stride[p->slabs.minor[0]]);
    }
}

static void finish(prepared *p, kugel_ray_hit *hit)
{
    const kugel_world *world = p->search.scope->world;
    const kg_query_index *index = world->query;
    double end = kg_walk_changed(world, p->search.line.end, visit_closest, &p->search);
    if (p->reaches_group)
        end = kg_walk_slabs(index, &index->group[0], &p->slabs, p->window, end, visit_closest,
                            &p->search);
    for (uint32_t g = 1; g < index->group_count; ++g) {
        end =
            kg_walk_group(index, &index->group[g], &p->search.line, end, visit_closest, &p->search);
    }
    *hit = p->search.best;
    if (hit->body) fill(&p->search, &p->search.best_sphere, hit);
}

void kg_query_rays_closest(const kg_query_scope *scope, size_t count, const kugel_ray *rays,
                           kugel_ray_hit *hits)
{
    enum { LAG = 8, RING = 2 * LAG };
    const kg_query_index *index = scope->world->query;
    if (count < RING || index->periodic || !index->group_count) {
        for (size_t i = 0; i < count; ++i) kg_query_ray_closest(scope, &rays[i], &hits[i]);
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

bool kg_query_ray_any(const kg_query_scope *scope, const kugel_ray *ray)
{
    search a = start(scope, ray);
    kg_walk_line(scope->world, &a.line, visit_any, &a);
    return a.best.body != 0;
}

size_t kg_query_ray_all(const kg_query_scope *scope, const kugel_ray *ray, size_t capacity,
                        kugel_ray_hit *hits)
{
    search a = start(scope, ray);
    kg_best_results_open(&a.results, hits, sizeof *hits, capacity, item_before);
    kg_walk_line(scope->world, &a.line, visit_all, &a);
    kg_best_results_sort(&a.results);
    for (size_t k = 0; k < a.results.count; ++k) {
        kg_exact_sphere exact = kg_query_exact_sphere(scope->world, hits[k].body);
        fill(&a, &exact, &hits[k]);
    }
    return a.results.offered_count;
}
