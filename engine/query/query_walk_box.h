/* Visits the bodies near an axis-aligned region, cell by cell; see query_walk_line.h for lines.
 * In: the index and a region. Out: calls of the visitor, as in query_walk.h. Order: none. */
#ifndef KG_QUERY_QUERY_WALK_BOX_H
#define KG_QUERY_QUERY_WALK_BOX_H

#include "query/query_walk.h"

/* The intersection of a box and a sphere. */
typedef struct kg_region {
    double low[3], high[3];   /* m, corners of the box */
    double center[3], radius; /* m, of the sphere */
} kg_region;

/* A sphere and the box around it. */
static inline kg_region kg_region_around(const double center[3], double radius)
{
    kg_region region = {.radius = radius};
    kg_copy3(region.center, center);
    for (int k = 0; k < 3; ++k) {
        region.low[k] = center[k] - radius;
        region.high[k] = center[k] + radius;
    }
    return region;
}

/* The cells along an axis that can hold the centre of a body that reaches the box; false if there
 * are none. */
static inline bool kg_walk_region_cells(const kg_query_group *g, const kg_region *region, int axis,
                                        int64_t *from, int64_t *to)
{
    double low = region->low[axis] - g->largest, high = region->high[axis] + g->largest;
    double pad =
        1e-9 * g->edge[axis] + 1e-13 * (kg_abs(low) + kg_abs(high) + kg_abs(g->origin[axis]));
    low = (low - pad - g->origin[axis]) * g->inverse[axis];
    high = (high + pad - g->origin[axis]) * g->inverse[axis];
    return kg_query_clip_cells(g, axis, low, high, g->length[axis] > 0, from, to);
}

/* Visit the bodies of one group that can reach the region. */
KG_INLINE void kg_walk_box_group(const kg_query_index *index, const kg_query_group *g,
                                 const kg_region *region, kg_query_visitor visit, void *context)
{
    int64_t from[3], to[3];
    double place[3], far = kg_max_abs3(region->center) + kg_max_abs3(g->origin);
    kg_coarse_test test = {.reach = (float)(region->radius * g->unit * (1 + 1e-4)) +
                                    g->rounding_error + (float)(far * 1e-13 * g->unit)};
    for (int axis = 0; axis < 3; ++axis) {
        if (!kg_walk_region_cells(g, region, axis, &from[axis], &to[axis])) return;
        place[axis] = (region->center[axis] - g->origin[axis]) * g->unit;
    }
    kg_walk_cells(index, g, &test, place, from, to, visit, context);
}

/* Visit every body that can reach the region. */
KG_INLINE void kg_walk_box(const kugel_world *world, const kg_region *region,
                           kg_query_visitor visit, void *context)
{
    const kg_query_index *index = world->query;
    KG_ASSERT(atomic_load_explicit(&index->ready, memory_order_relaxed) && !world->busy);
    for (uint32_t k = 0; k < index->changed_count; ++k) {
        kg_exact_sphere exact = kg_walk_changed_body(world, k);
        kg_walk_changed_near(index, &exact, region->low, region->high, visit, context);
    }
    for (uint32_t g = 0; g < index->group_count; ++g)
        kg_walk_box_group(index, &index->group[g], region, visit, context);
}

#endif
