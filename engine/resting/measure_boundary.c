/* Gap and normal between a body at the start of a substep and a boundary that it rests on. Bodies
 * are independent; threads measure different ones. The gap and normal of a feature at rest are kept
 * while the body stays in its place. */
#include "base/vec.h"
#include "geometry/sweep_linear.h"
#include "grid/neighbours.h"
#include "resting/resting.h"

/* Gap to a facet if the triangle that names it is below the body, or one of the near triangles that
 * belong to the facet; else KG_NEVER. This saves a search of the whole facet. The gap does not
 * depend on the triangle. */
static double near_facet_gap(const kugel_world *world, uint32_t slot, kg_boundary boundary,
                             double normal[3])
{
    const kg_motion *m = &world->work.motion[slot];
    double gap = KG_NEVER;
    uint32_t triangle;
    if (!kg_boundary_is_facet(boundary)) return KG_NEVER;
    triangle = (boundary - KG_BOUNDARY_FEATURES) / KG_PARTS;
    gap = kg_boundary_facet_gap(world, boundary, triangle, m->x, m->radius, normal);
    if (gap < KG_NEVER) return gap;
    kg_near_triangles near = kg_neighbours_triangles_within(
        world, slot, m->x, m->radius * (1 + kg_resting_slop_share(&world->def)));
    while (gap >= KG_NEVER && kg_near_triangles_next(&near, &triangle))
        gap = kg_boundary_facet_gap(world, boundary, triangle, m->x, m->radius, normal);
    return gap;
}

static double measure_again(const kugel_world *world, uint32_t slot, kg_boundary boundary,
                            double normal[3])
{
    const kg_motion *m = &world->work.motion[slot];
    double known = near_facet_gap(world, slot, boundary, normal);
    return known < KG_NEVER ? known
                            : kg_boundary_measure(world, boundary, 0, m->x, m->radius, normal);
}

double kg_resting_measure_boundary(const kugel_world *world, uint32_t slot, kg_boundary boundary,
                                   double normal[3])
{
    const double *x = world->work.motion[slot].x;
    kg_resting_feature *item =
        kg_boundary_is_feature(boundary)
            ? kg_resting_features_find(&world->work.resting_features, slot, boundary)
            : NULL;
    if (!item || item->moves) return measure_again(world, slot, boundary, normal);
    if (!kg_resting_feature_is_measured_at(item, x)) {
        item->gap = measure_again(world, slot, boundary, item->normal);
        kg_copy3(item->place, x);
    }
    kg_copy3(normal, item->normal);
    return item->gap;
}
