/* Moving spheres against bodies at rest: kugel_sweep_sphere_sphere for those that the cells name.
 */
#include "geometry/sweep_linear.h"
#include "query/query.h"
#include "query/best_results.h"
#include "query/query_walk.h"

typedef struct search {
    const kg_query_scope *scope;
    const kugel_ray *ray;
    double radius, to_s;
    kugel_cast_hit best;         /* the time is all of its contact */
    kg_exact_sphere best_sphere; /* the best one */
    kg_best_results results;
} search;

static bool precedes(const kugel_cast_hit *a, const kugel_cast_hit *b)
{
    if (a->contact.time != b->contact.time) return a->contact.time < b->contact.time;
    if (a->body != b->body) return kugel_body_id(a->body) < kugel_body_id(b->body);
    for (int k = 0; k < 3; ++k) {
        if (a->image[k] != b->image[k]) return a->image[k] < b->image[k];
    }
    return false;
}

static bool item_before(const void *a, const void *b) { return precedes(a, b); }

static void center_of(const search *a, const double x[3], const int32_t image[3], double center[3])
{
    for (int k = 0; k < 3; ++k) center[k] = x[k] + image[k] * a->scope->world->query->length[k];
}

/* The time as in kugel_sweep_spheres: the same operations in the same order. */
static inline bool hits_body(const search *a, const kg_exact_sphere *exact, const int32_t image[3],
                             double *time)
{
    double center[3], d[3], w[3], reach = a->radius + exact->radius;
    const double rest[3] = {0, 0, 0};
    center_of(a, exact->x, image, center);
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
    return time * a->to_s * (1 + 1e-12);
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

static kg_line line_of(search *a)
{
    kg_line line = {.radius = a->radius};
    double scale = kg_unit_scale(kg_max_abs3(a->ray->direction));
    kg_copy3(line.origin, a->ray->origin);
    kg_scale3(line.unit, a->ray->direction, scale);
    a->to_s = 1 / scale;
    line.end = kg_max_abs3(line.unit) == 0 ? 0 : a->ray->t_max * a->to_s;
    return line;
}

static void fill(const search *a, const kg_exact_sphere *exact, kugel_cast_hit *hit)
{
    double center[3];
    center_of(a, exact->x, hit->image, center);
    kugel_sweep_sphere_sphere(a->ray->origin, a->ray->direction, a->radius, center, exact->radius,
                              a->ray->t_max, &hit->contact);
}

void kg_query_cast_closest(const kg_query_scope *scope, const kugel_ray *ray, double radius,
                           kugel_cast_hit *hit)
{
    search a = {.scope = scope, .ray = ray, .radius = radius};
    kg_line line = line_of(&a);
    kg_walk_line(scope->world, &line, visit_closest, &a);
    *hit = a.best;
    if (hit->body) fill(&a, &a.best_sphere, hit);
}

bool kg_query_cast_any(const kg_query_scope *scope, const kugel_ray *ray, double radius)
{
    search a = {.scope = scope, .ray = ray, .radius = radius};
    kg_line line = line_of(&a);
    kg_walk_line(scope->world, &line, visit_any, &a);
    return a.best.body != 0;
}

size_t kg_query_cast_all(const kg_query_scope *scope, const kugel_ray *ray, double radius,
                         size_t capacity, kugel_cast_hit *hits)
{
    search a = {.scope = scope, .ray = ray, .radius = radius};
    a.results = (kg_best_results){(char *)hits, sizeof *hits, capacity, 0, 0, item_before, false};
    kg_line line = line_of(&a);
    kg_walk_line(scope->world, &line, visit_all, &a);
    kg_best_results_sort(&a.results);
    for (size_t k = 0; k < a.results.count; ++k) {
        kg_exact_sphere exact = kg_walk_exact_sphere(scope->world, hits[k].body);
        fill(&a, &exact, &hits[k]);
    }
    return a.results.offered_count;
}
