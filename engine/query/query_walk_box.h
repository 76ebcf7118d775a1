/* Visits the bodies near an axis-aligned region, cell by cell; see query_walk_line.h for lines.
 * In: the index and a region. Out: calls of the visitor, at most one for each body and image, after
 * a float test against a sphere around the region. Order: none. */
#ifndef KG_QUERY_QUERY_WALK_BOX_H
#define KG_QUERY_QUERY_WALK_BOX_H

#include "base/dispatch.h"
#include "base/vec.h"
#include "query/query_index.h"

typedef void kg_box_visitor(void *context, const kg_exact_sphere *exact, const int32_t image[3]);

/* A box, and a sphere around it that a body must reach as well. m */
typedef struct kg_region {
    double low[3], high[3];
    double center[3], radius;
} kg_region;

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

/* Cells along an axis that can hold a centre within reach of the region; false when none can. */
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

/* The region's centre along an axis as seen from an image, from the group's origin, in its unit. */
static inline float kg_walk_center_in_image(const kg_query_group *g, const kg_region *region,
                                            int axis, int32_t image)
{
    return (float)((region->center[axis] - g->origin[axis] - image * g->length[axis]) * g->unit);
}

/* Visits the row of cells from ... to at y, z, in runs that stay within one image along x. */
KG_INLINE void kg_walk_box_row(const kg_query_index *index, const kg_query_group *g,
                               const kg_region *region, const uint32_t *start, int64_t from,
                               int64_t to, float reach, float at[3], int32_t image[3],
                               kg_box_visitor visit, void *context)
{
    for (int64_t x = from, count; x <= to; x += count) {
        int64_t first = g->length[0] > 0 ? kg_query_wrap_cell(x, g->cells[0], &image[0]) : x;
        int64_t limit = g->length[0] > 0 ? g->cells[0] - first : to - x + 1;
        count = to - x + 1 < limit ? to - x + 1 : limit;
        at[0] = kg_walk_center_in_image(g, region, 0, image[0]);
        for (uint32_t row = start[first]; row < start[first + count]; ++row) {
            const kg_coarse_sphere *c = &index->coarse[row];
            float dx = c->at[0] - at[0], dy = c->at[1] - at[1], dz = c->at[2] - at[2];
            float far = reach + c->radius;
            if (dx * dx + dy * dy + dz * dz > far * far || !index->exact[row].body) continue;
            visit(context, &index->exact[row], image);
        }
    }
}

KG_INLINE void kg_walk_box_group(const kg_query_index *index, const kg_query_group *g,
                                 const kg_region *region, kg_box_visitor visit, void *context)
{
    int64_t from[3], to[3];
    int32_t image[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        if (!kg_walk_region_cells(g, region, axis, &from[axis], &to[axis])) return;
    }
    float reach = (float)(region->radius * g->unit * (1 + 1e-4)) + g->rounding_error, at[3];
    double far = kg_max_abs3(region->center) + kg_max_abs3(g->origin);
    reach += (float)(far * 1e-13 * g->unit);
    for (int64_t z = from[2]; z <= to[2]; ++z) {
        int64_t cz = g->length[2] > 0 ? kg_query_wrap_cell(z, g->cells[2], &image[2]) : z;
        at[2] = kg_walk_center_in_image(g, region, 2, image[2]);
        for (int64_t y = from[1]; y <= to[1]; ++y) {
            int64_t cy = g->length[1] > 0 ? kg_query_wrap_cell(y, g->cells[1], &image[1]) : y;
            at[1] = kg_walk_center_in_image(g, region, 1, image[1]);
            const uint32_t *start = g->start + (cz * g->cells[1] + cy) * g->cells[0];
            kg_walk_box_row(index, g, region, start, from[0], to[0], reach, at, image, visit,
                            context);
        }
    }
}

/* Visits every body that can reach the region. */
KG_INLINE void kg_walk_box(const kugel_world *world, const kg_region *region, kg_box_visitor visit,
                           void *context)
{
    static const int32_t none[3] = {0, 0, 0};
    const kg_query_index *index = world->query;
    for (uint32_t k = 0; k < index->changed_count; ++k) {
        kg_exact_sphere exact = kg_query_changed_sphere(world, k);
        visit(context, &exact, none);
    }
    for (uint32_t g = 0; g < index->group_count; ++g)
        kg_walk_box_group(index, &index->group[g], region, visit, context);
}

#endif
