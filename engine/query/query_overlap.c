/* Bodies that touch a sphere, box, ellipsoid or point. In: scope, volume. Out: bodies with the gap
 * of the pure functions, bit for bit. Order: id, image. */
#include "query/query.h"
#include "query/best_results.h"
#include "query/query_walk_box.h"

typedef struct search search;

/* True when a sphere touches the volume. The gap of one that touches is exact. */
typedef bool touches(const search *a, const double center[3], double radius, double *gap);

struct search {
    const kg_query_scope *scope;
    touches *touches;
    const double *center, *min, *max;
    const kugel_ellipsoid *ellipsoid;
    double radius;
    kg_best_results results;
};

/* Makes the operations of kugel_overlap_spheres in the same order, for the same bits. */
static bool touches_sphere(const search *a, const double center[3], double radius, double *gap)
{
    double d[3], reach = a->radius + radius;
    kg_sub3(d, center, a->center);
    *gap = kg_dot3(d, d) - reach * reach; /* has the sign of the gap */
    if (*gap > 0) return false;
    double far = kg_length3(d) + reach;
    *gap = far > 0 ? *gap / far : 0;
    return true;
}

static bool touches_point(const search *a, const double center[3], double radius, double *gap)
{
    bool inside;
    touches_sphere(a, center, radius, gap);
    kugel_point_sphere(a->center, center, radius, &inside);
    return inside;
}

static bool touches_box(const search *a, const double center[3], double radius, double *gap)
{
    kugel_overlap overlap;
    kugel_overlap_sphere_box(center, radius, a->min, a->max, &overlap);
    *gap = overlap.gap;
    return overlap.hit;
}

static bool touches_ellipsoid(const search *a, const double center[3], double radius, double *gap)
{
    const kugel_ellipsoid *e = a->ellipsoid;
    kugel_overlap nearest;
    kugel_ellipsoid_nearest(center, e->center, e->semi_axes, e->rotation, &nearest);
    *gap = nearest.gap - radius;
    return *gap <= 0;
}

static bool precedes(const void *a, const void *b)
{
    const kugel_found *p = a, *q = b;
    return kg_query_body_precedes(p->body, p->image, q->body, q->image);
}

static inline void visit(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    double center[3], gap;
    kg_query_center(a->scope->world->query, exact->x, image, center);
    if (!a->touches(a, center, exact->radius, &gap) || !kg_query_accepts(a->scope, exact->body))
        return;
    kugel_found found = {exact->body, {image[0], image[1], image[2]}, gap};
    kg_best_results_offer(&a->results, &found);
}

static size_t find(search *a, const kg_region *region, size_t capacity, kugel_found *found)
{
    kg_best_results_open(&a->results, found, sizeof *found, capacity, precedes);
    kg_walk_box(a->scope->world, region, visit, a);
    kg_best_results_sort(&a->results);
    return a->results.offered_count;
}

size_t kg_query_overlap_sphere(const kg_query_scope *scope, const double center[3], double radius,
                               size_t capacity, kugel_found *found)
{
    search a = {.scope = scope, .touches = touches_sphere, .center = center, .radius = radius};
    kg_region region = kg_region_around(center, radius);
    return find(&a, &region, capacity, found);
}

size_t kg_query_overlap_point(const kg_query_scope *scope, const double point[3], size_t capacity,
                              kugel_found *found)
{
    search a = {.scope = scope, .touches = touches_point, .center = point};
    kg_region region = kg_region_around(point, 0);
    return find(&a, &region, capacity, found);
}

size_t kg_query_overlap_box(const kg_query_scope *scope, const double min[3], const double max[3],
                            size_t capacity, kugel_found *found)
{
    search a = {.scope = scope, .touches = touches_box, .min = min, .max = max};
    kg_region region;
    double half[3];
    kg_copy3(region.low, min);
    kg_copy3(region.high, max);
    for (int k = 0; k < 3; ++k) {
        region.center[k] = 0.5 * min[k] + 0.5 * max[k];
        half[k] = 0.5 * max[k] - 0.5 * min[k];
    }
    region.radius = kg_length3(half);
    return find(&a, &region, capacity, found);
}

size_t kg_query_overlap_ellipsoid(const kg_query_scope *scope, const kugel_ellipsoid *ellipsoid,
                                  size_t capacity, kugel_found *found)
{
    search a = {.scope = scope, .touches = touches_ellipsoid, .ellipsoid = ellipsoid};
    kg_region region = kg_region_around(ellipsoid->center, kg_max_abs3(ellipsoid->semi_axes));
    return find(&a, &region, capacity, found);
}
