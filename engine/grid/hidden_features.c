/* Features that other faces hide. A body whose centre is over a face touches the face before it
 * touches a point that is not above the plane of the face. So an edge or vertex does not act while
 * the centre is over such a face, of any surface: a ball rolls over a floor of tiles that are flush
 * with each other, that overlap or that lie on a plane, as over the inside of a facet. A facet does
 * not act either while the body rests on another in its plane.
 * In: near triangles, walls and planes of a body. Out: true or false. Cost: a pass over the near
 * triangles for each feature that would act. */
#include "base/vec.h"
#include "grid/neighbours.h"
#include "world/boundary.h"

/* A point counts as not above a plane up to this height: a share of the radius and, for rounding,
 * of the coordinates. Larger: balls roll over low steps without touching them; smaller: tiles in
 * inclined planes are not flush. */
static const double height_share = 1e-9, rounding_share = 0x1p-46;

/* A body at a feature that it would touch. */
typedef struct touch {
    uint32_t slot;
    kg_boundary feature;
    double centre[3], point[3]; /* m, of the body and of the feature */
    double tolerance;           /* m, height of `point` */
} touch;

static bool may_hide(const kugel_world *world, const touch *t, kg_boundary face)
{
    return face != t->feature &&
           (!kg_boundary_is_facet(t->feature) || kg_work_rests_on(&world->work, t->slot, face));
}

static bool facet_hides(const kugel_world *world, const touch *t, uint32_t triangle)
{
    const kg_surface *surface = kg_boundary_surface(world, triangle);
    if (surface->moves || !may_hide(world, t, kg_boundary_facet(world, triangle))) return false;
    kg_facet_side side = kg_boundary_side(world, triangle, &surface->pose, t->centre);
    double way[3], up = side.height < 0 && !kg_surface_is_one_sided(surface) ? -1 : 1;
    kg_sub3(way, t->point, t->centre);
    return up * side.height > 0 && up * (side.height + kg_dot3(way, side.normal)) <= t->tolerance &&
           kg_boundary_is_over(world, triangle, &side);
}

static bool plane_hides(const kugel_world *world, const touch *t, kg_boundary plane)
{
    return may_hide(world, t, plane) && kg_boundary_gap(world, plane, 0, t->centre, 0) > 0 &&
           kg_boundary_gap(world, plane, 0, t->point, 0) <= t->tolerance;
}

bool kg_neighbours_hide_feature(const kugel_world *world, uint32_t slot, kg_boundary feature,
                                double t, const double centre[3])
{
    double normal[3], distance;
    touch at = {.slot = slot, .feature = feature};
    if (kg_boundary_is_facet(feature) && !world->work.contact_count[slot]) return false;
    distance = kg_boundary_contact_gap(world, feature, t, centre, 0, normal);
    kg_copy3(at.centre, centre);
    kg_add_scaled3(at.point, centre, distance, normal);
    at.tolerance = height_share * world->bodies.radius[slot] +
                   rounding_share * (kg_max_abs3(at.centre) + kg_max_abs3(at.point));
    kg_boundary_set planes = kg_neighbours_boundaries(world, slot) & kg_boundary_solid(world);
    while (planes) {
        if (plane_hides(world, &at, kg_boundary_set_take(&planes))) return true;
    }
    kg_near_triangles near = kg_neighbours_triangles_within(world, slot, centre, distance);
    for (uint32_t triangle; kg_near_triangles_next(&near, &triangle);) {
        if (facet_hides(world, &at, triangle)) return true;
    }
    return false;
}
