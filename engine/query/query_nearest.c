/* The bodies nearest to a point: a cube around it, doubled until it surely holds them.
 * A body that no cell of the cube can hold has its centre farther than half the cube and its
 * group's largest radius along some axis, so its gap is at least half the cube. Bodies count in
 * their nearest image, which is within half a length along a periodic axis: the cube grows no
 * farther there. */
#include "base/vec.h"
#include "query/query.h"
#include "query/best_results.h"
#include "query/query_walk.h"

typedef struct search {
    const kg_query_scope *scope;
    const double *point;
    double most;
    kg_best_results results;
} search;

static bool precedes(const void *a, const void *b)
{
    const kugel_found *p = a, *q = b;
    if (p->gap != q->gap) return p->gap < q->gap;
    return kugel_body_id(p->body) < kugel_body_id(q->body);
}

/* The image of x whose distance to the point is least along a periodic axis; the lower one of two.
 */
static int32_t nearest_image(double x, double point, double length)
{
    if (!(length > 0)) return 0;
    double periods = (point - x) / length;
    int32_t low = (int32_t)periods - 1, best = low;
    for (int32_t k = low + 1; k <= low + 3; ++k) {
        if (kg_abs(x + k * length - point) < kg_abs(x + best * length - point)) best = k;
    }
    return best;
}

static inline void visit(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    const double *length = a->scope->world->query->length;
    double center[3], d[3];
    for (int k = 0; k < 3; ++k) {
        if (length[k] > 0 && image[k] != nearest_image(exact->x[k], a->point[k], length[k])) return;
        center[k] = exact->x[k] + image[k] * length[k];
    }
    kg_sub3(d, center, a->point);
    double c = kg_dot3(d, d) - exact->radius * exact->radius,
           gap = c / (kg_length3(d) + exact->radius);
    if (!(gap <= a->most) || !kg_query_accepts(a->scope, exact->body)) return;
    kugel_found found = {exact->body, {image[0], image[1], image[2]}, gap};
    kg_best_results_offer(&a->results, &found);
}

/* How far the nearest and the farthest centre can be along an axis. */
static void bounds_of(const kg_query_index *index, const double point[3], double *least,
                      double *most)
{
    *least = index->group_count ? 1e300 : 0;
    *most = 0;
    for (uint32_t k = 0; k < index->group_count; ++k) {
        const kg_query_group *g = &index->group[k];
        double near = 0, far = 0;
        for (int axis = 0; axis < 3; ++axis) {
            bool periodic = g->length[axis] > 0;
            double below = g->low[axis] - point[axis], above = point[axis] - g->high[axis];
            if (!periodic) near = kg_max(near, kg_max(below, above));
            far = kg_max(far, periodic ? g->length[axis]
                                       : kg_max(kg_abs(g->low[axis] - point[axis]),
                                                kg_abs(g->high[axis] - point[axis])));
        }
        near += kg_max(g->edge[0], kg_max(g->edge[1], g->edge[2]));
        *least = near < *least ? near : *least;
        *most = kg_max(*most, far * (1 + 1e-9));
    }
}

static double farthest_kept(const search *a)
{
    const kugel_found *found = (const void *)a->results.items;
    double gap = found[0].gap;
    for (size_t k = 1; k < a->results.count; ++k) gap = kg_max(gap, found[k].gap);
    return gap;
}

/* The part of a cube that can hold nearest images. On the seam of a periodic axis rounding decides
 * which image is the nearest: kg_walk_region_cells has room for it. */
static kg_region cube_around(const kg_query_index *index, const double point[3], double half)
{
    kg_region region = {.radius = 2 * half}; /* the cube is within it */
    for (int k = 0; k < 3; ++k) {
        double most = 0.5 * index->length[k], reach = most > 0 && most < half ? most : half;
        region.center[k] = point[k];
        region.low[k] = point[k] - reach;
        region.high[k] = point[k] + reach;
    }
    return region;
}

size_t kg_query_nearest(const kg_query_scope *scope, const double point[3], double most,
                        size_t capacity, kugel_found *found)
{
    search a = {.scope = scope, .point = point, .most = most};
    double half, farthest;
    bounds_of(scope->world->query, point, &half, &farthest);
    for (;; half *= 2) {
        bool last = half >= farthest || half >= most;
        kg_region region = cube_around(scope->world->query, point, half);
        a.results =
            (kg_best_results){(char *)found, sizeof *found, capacity, 0, 0, precedes, false};
        kg_walk_box(scope->world, &region, visit, &a);
        if (last || (a.results.count == capacity && farthest_kept(&a) <= half)) break;
    }
    kg_best_results_sort(&a.results);
    return a.results.count;
}
