/* Moving spheres against bodies at rest. In: scope, motion, radius. Out: hits with the bits of
 * kugel_sweep_sphere_sphere. Order of all hits: time, id, image. */
#include "geometry/sweep_linear.h"
#include "query/query.h"
#include "query/best_results.h"
#include "query/query_walk_line.h"

typedef struct search {
    const kg_query_scope *scope;
    const kugel_ray *ray;
    kg_line line;
    kugel_cast_hit best;         /* closest, any: only the time of its contact is set */
    kg_exact_sphere best_sphere; /* the body of `best` */
    kg_best_results results;
} search;

static bool precedes(const kugel_cast_hit *a, const kugel_cast_hit *b)
{
    if (a->contact.time != b->contact.time) return a->contact.time < b->contact.time;
    return kg_query_body_precedes(a->body, a->image, b->body, b->image);
}

static bool item_before(const void *a, const void *b) { return precedes(a, b); }

/* Makes the operations of kugel_sweep_spheres in the same order, for the same bits. */
static inline bool hits_body(const search *a, const kg_exact_sphere *exact, const int32_t image[3],
                             double *time)
{
    double center[3], d[3], w[3], reach = a->line.radius + exact->radius;
    const double rest[3] = {0, 0, 0};
    kg_query_center(a->scope->world->query, exact->x, image, center);
    kg_sub3(d, center, a->ray->origin);
    kg_sub3(w, rest, a->ray->direction);
    double c = kg_dot3(d, d) - reach * reach;
    *time = c <= 0 ? 0 : kg_sweep_spheres(d, w, reach, a->ray->t_max);
    return *time < KG_NEVER;
}

static inline double visit_closest(void *context, const kg_exact_sphere *exact,
                                   const int32_t image[3], double end)
{
    search *a = context;
    double time;
    if (!hits_body(a, exact, image, &time)) return end;
    kugel_cast_hit hit = {
        .body = exact->body, .image = {image[0], image[1], image[2]}, .contact.time = time};
    if ((a->best.body && !precedes(&hit, &a->best)) || !kg_query_accepts(a->scope, exact->body))
        return end;
    a->best = hit;
    a->best_sphere = *exact;
    return kg_line_end_at(&a->line, time);
}

static inline double visit_any(void *context, const kg_exact_sphere *exact, const int32_t image[3],
                               double end)
{
    search *a = context;
    double time;
    if (a->best.body || !hits_body(a, exact, image, &time) ||
        !kg_query_accepts(a->scope, exact->body))
        return end;
    a->best.body = exact->body;
    return -1;
}

static inline double visit_all(void *context, const kg_exact_sphere *exact, const int32_t image[3],
                               double end)
{
    search *a = context;
    double time;
    if (!hits_body(a, exact, image, &time) || !kg_query_accepts(a->scope, exact->body)) return end;
    kugel_cast_hit hit = {
        .body = exact->body, .image = {image[0], image[1], image[2]}, .contact.time = time};
    kg_best_results_offer(&a->results, &hit);
    return end;
}

/* The whole hit of a body that is hit. */
static void fill(const search *a, const kg_exact_sphere *exact, kugel_cast_hit *hit)
{
    double center[3];
    kg_query_center(a->scope->world->query, exact->x, hit->image, center);
    kugel_sweep_sphere_sphere(a->ray->origin, a->ray->direction, a->line.radius, center,
                              exact->radius, a->ray->t_max, &hit->contact);
}

void kg_query_cast_closest(const kg_query_scope *scope, const kugel_ray *ray, double radius,
                           kugel_cast_hit *hit)
{
    search a = {.scope = scope, .ray = ray, .line = kg_walk_make_line(ray, radius)};
    kg_walk_line(scope->world, &a.line, visit_closest, &a);
    *hit = a.best;
    if (hit->body) fill(&a, &a.best_sphere, hit);
}

bool kg_query_cast_any(const kg_query_scope *scope, const kugel_ray *ray, double radius)
{
    search a = {.scope = scope, .ray = ray, .line = kg_walk_make_line(ray, radius)};
    kg_walk_line(scope->world, &a.line, visit_any, &a);
    return a.best.body != 0;
}

size_t kg_query_cast_all(const kg_query_scope *scope, const kugel_ray *ray, double radius,
                         size_t capacity, kugel_cast_hit *hits)
{
    search a = {.scope = scope, .ray = ray, .line = kg_walk_make_line(ray, radius)};
    kg_best_results_open(&a.results, hits, sizeof *hits, capacity, item_before);
    kg_walk_line(scope->world, &a.line, visit_all, &a);
    kg_best_results_sort(&a.results);
    for (size_t k = 0; k < a.results.count; ++k) {
        kg_exact_sphere exact = kg_query_exact_sphere(scope->world, hits[k].body);
        fill(&a, &exact, &hits[k]);
    }
    return a.results.offered_count;
}
