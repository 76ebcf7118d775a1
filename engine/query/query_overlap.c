/* Bodies that touch a sphere, box, ellipsoid or point. In: scope, volume. Out: bodies with the gap
 * of the pure functions, bit for bit. Order: id, image. */
#include "base/vec.h"
#include "query/query.h"
#include "query/best_results.h"
#include "query/query_walk_box.h"

typedef struct search {
    const kg_query_scope *scope;
    const double *center, *min, *max;
    const kugel_ellipsoid *ellipsoid;
    double radius;
    kg_best_results results;
} search;

static bool precedes(const void *a, const void *b)
{
    const kugel_found *p = a, *q = b;
    return kg_query_body_precedes(p->body, p->image, q->body, q->image);
}

static inline void center_of(const search *a, const kg_exact_sphere *exact, const int32_t image[3],
                             double center[3])
{
    kg_query_center(a->scope->world->query, exact->x, image, center);
}

static inline void offer(search *a, kugel_body body, const int32_t image[3], double gap)
{
    if (!kg_query_accepts(a->scope, body)) return;
    kugel_found found = {body, {image[0], image[1], image[2]}, gap};
    kg_best_results_offer(&a->results, &found);
}

/* Makes the operations of kugel_overlap_spheres in the same order, for the same bits. *c has the
 * sign of the gap; a positive gap is not exact. */
static inline double sphere_gap(const search *a, const kg_exact_sphere *exact,
                                const int32_t image[3], double *c)
{
    double center[3], d[3], reach = a->radius + exact->radius;
    center_of(a, exact, image, center);
    kg_sub3(d, center, a->center);
    *c = kg_dot3(d, d) - reach * reach;
    if (*c > 0) return *c;
    double far = kg_length3(d) + reach;
    return far > 0 ? *c / far : 0;
}

static inline void visit_sphere(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    double c, gap = sphere_gap(context, exact, image, &c);
    if (c <= 0) offer(context, exact->body, image, gap);
}

static inline void visit_point(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    double c, center[3], gap = sphere_gap(a, exact, image, &c);
    bool inside;
    center_of(a, exact, image, center);
    kugel_point_sphere(a->center, center, exact->radius, &inside);
    if (inside) offer(a, exact->body, image, gap);
}

static inline void visit_box(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    double center[3];
    kugel_overlap overlap;
    center_of(a, exact, image, center);
    kugel_overlap_sphere_box(center, exact->radius, a->min, a->max, &overlap);
    if (overlap.hit) offer(a, exact->body, image, overlap.gap);
}

static inline void visit_ellipsoid(void *context, const kg_exact_sphere *exact,
                                   const int32_t image[3])
{
    search *a = context;
    const kugel_ellipsoid *e = a->ellipsoid;
    double center[3];
    kugel_overlap nearest;
    center_of(a, exact, image, center);
    kugel_ellipsoid_nearest(center, e->center, e->semi_axes, e->rotation, &nearest);
    double gap = nearest.gap - exact->radius;
    if (gap <= 0) offer(a, exact->body, image, gap);
}

static search start(const kg_query_scope *scope, size_t capacity, kugel_found *found)
{
    search a = {.scope = scope};
    kg_best_results_open(&a.results, found, sizeof *found, capacity, precedes);
    return a;
}

static size_t end(search *a)
{
    kg_best_results_sort(&a->results);
    return a->results.offered_count;
}

size_t kg_query_overlap_sphere(const kg_query_scope *scope, const double center[3], double radius,
                               size_t capacity, kugel_found *found)
{
    search a = start(scope, capacity, found);
    a.center = center, a.radius = radius;
    kg_region region = kg_region_around(center, radius);
    kg_walk_box(scope->world, &region, visit_sphere, &a);
    return end(&a);
}

size_t kg_query_overlap_point(const kg_query_scope *scope, const double point[3], size_t capacity,
                              kugel_found *found)
{
    search a = start(scope, capacity, found);
    a.center = point;
    kg_region region = kg_region_around(point, 0);
    kg_walk_box(scope->world, &region, visit_point, &a);
    return end(&a);
}

size_t kg_query_overlap_box(const kg_query_scope *scope, const double min[3], const double max[3],
                            size_t capacity, kugel_found *found)
{
    search a = start(scope, capacity, found);
    a.min = min, a.max = max;
    kg_region region;
    double half[3];
    for (int k = 0; k < 3; ++k) {
        region.low[k] = min[k];
        region.high[k] = max[k];
        region.center[k] = 0.5 * min[k] + 0.5 * max[k];
        half[k] = 0.5 * max[k] - 0.5 * min[k];
    }
    region.radius = kg_length3(half);
    kg_walk_box(scope->world, &region, visit_box, &a);
    return end(&a);
}

size_t kg_query_overlap_ellipsoid(const kg_query_scope *scope, const kugel_ellipsoid *ellipsoid,
                                  size_t capacity, kugel_found *found)
{
    search a = start(scope, capacity, found);
    a.ellipsoid = ellipsoid;
    kg_region region = kg_region_around(ellipsoid->center, kg_max_abs3(ellipsoid->semi_axes));
    kg_walk_box(scope->world, &region, visit_ellipsoid, &a);
    return end(&a);
}
