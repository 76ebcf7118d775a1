/* The targets nearest to a point. In: scope, point, maximum gap. Out: targets by (gap, kind,
 * index). The search for bodies visits a cube around the point and doubles it until no body outside
 * can be a result: such a body has a gap above half the cube's edge. A body counts in its nearest
 * image. The centre of that image is within half a length along a periodic axis, so the cube grows
 * no further there. */
#include "query/query_targets.h"
#include "query/query_walk_box.h"

typedef struct search {
    const kg_query_scope *scope;
    const double *point;
    double max_gap; /* m */
    kg_best_results results;
} search;

static bool precedes(const void *a, const void *b)
{
    const kugel_found *p = a, *q = b;
    return p->gap != q->gap ? p->gap < q->gap : kg_query_found_precedes(p, q);
}

/* Along an axis: the image in which x is nearest to the point, the lower one of two at equal
 * distance. */
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
    }
    kg_query_center(a->scope->world->query, exact->x, image, center);
    kg_sub3(d, center, a->point);
    double c = kg_dot3(d, d) - exact->radius * exact->radius,
           gap = c / (kg_length3(d) + exact->radius);
    if (!(gap <= a->max_gap) || !kg_query_accepts(a->scope, exact->body)) return;
    kugel_found found = {.body = exact->body,
                         .image = {image[0], image[1], image[2]},
                         .index = kugel_body_id(exact->body),
                         .gap = gap};
    kg_best_results_offer(&a->results, &found);
}

/* Bounds of the cube's half edge, m: the search starts with *first; with *last the cube holds the
 * nearest images of all centres. If *first is 0, so is *last. */
static void bounds_of(const kg_query_index *index, const double point[3], double *first,
                      double *last)
{
    *first = index->group_count ? 1e300 : 0;
    *last = 0;
    for (uint32_t k = 0; k < index->group_count; ++k) {
        const kg_query_group *g = &index->group[k];
        double near = 0, far = 0;
        for (int axis = 0; axis < 3; ++axis) {
            double below = g->low[axis] - point[axis], above = point[axis] - g->high[axis];
            if (g->length[axis] > 0) {
                far = kg_max(far, g->length[axis]);
                continue;
            }
            near = kg_max(near, kg_max(below, above));
            far = kg_max(far, kg_max(kg_abs(below), kg_abs(above)));
        }
        near += kg_max_abs3(g->edge);
        *first = near < *first ? near : *first;
        *last = kg_max(*last, far * (1 + 1e-9));
    }
    /* changed bodies are in no group: they are visited at any distance along an axis that is not
     * periodic; along a periodic one, their nearest images are within its length */
    for (int axis = 0; axis < 3 && index->changed_count; ++axis)
        *last = kg_max(*last, index->length[axis]);
    if (!index->group_count) *first = *last;
}

/* The largest gap of the results so far, m. */
static double farthest_kept(const search *a)
{
    const kugel_found *found = (const void *)a->results.items;
    double gap = found[0].gap;
    for (size_t k = 1; k < a->results.count; ++k) gap = kg_max(gap, found[k].gap);
    return gap;
}

/* The part of a cube that can hold centres of nearest images. At half a period rounding decides
 * which image is nearest; the padding of kg_walk_region_cells covers both images. */
static kg_region cube_around(const kg_query_index *index, const double point[3], double half)
{
    kg_region region = kg_region_around(point, half);
    region.radius = 2 * half; /* above sqrt(3) half: the sphere encloses the cube */
    for (int k = 0; k < 3; ++k) {
        double half_period = 0.5 * index->length[k];
        if (!(half_period > 0 && half_period < half)) continue;
        region.low[k] = point[k] - half_period;
        region.high[k] = point[k] + half_period;
    }
    return region;
}

static void walk_cube(search *a, double half)
{
    const kugel_world *world = a->scope->world;
    kg_region region = cube_around(world->query, a->point, half);
    kg_walk_box(world, &region, visit, a);
}

size_t kg_query_nearest(const kg_query_scope *scope, const double point[3], double max_gap,
                        size_t capacity, kugel_found *found)
{
    search a = {.scope = scope, .point = point, .max_gap = max_gap};
    const kg_volume volume = {.center = point};
    double half = 0, farthest = 0;
    if (scope->find_bodies) bounds_of(scope->world->query, point, &half, &farthest);
    for (;; half *= 2) {
        bool last = half >= farthest || half >= max_gap;
        kg_best_results_open(&a.results, found, sizeof *found, capacity, precedes);
        kg_query_volume_targets(scope, &volume, last || max_gap < half ? max_gap : half, true,
                                &a.results);
        if (scope->find_bodies) walk_cube(&a, half);
        if (last || (a.results.count == capacity && farthest_kept(&a) <= half)) break;
    }
    kg_best_results_sort(&a.results);
    kg_query_describe_bodies(scope->world, &volume, a.results.count, found);
    return a.results.count;
}
