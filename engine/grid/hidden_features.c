/* Finds edges, vertices and shapes that faces hide, and facets in the plane of a face on which the
 * body rests already. So a ball rolls over a floor of tiles that are flush with each other, that
 * overlap or that lie on a plane, as over one facet.
 * In: near triangles, walls and resting contacts of a body. Out: true or false. Cost: a
 * pass over the near triangles for each edge or vertex with a due event; a pass over the boundaries
 * on which the body rests for each predicted facet. */
#include "base/vec.h"
#include "grid/neighbours.h"
#include "world/boundary.h"

/* Planes count as equal up to this distance: a share of the radius and, for rounding, of the
 * coordinates. Larger: balls roll over low steps without touching them; smaller: tiles in inclined
 * planes are not flush. */
static const double distance_share = 1e-9, rounding_share = 0x1p-46;
/* Maximum difference of the normals of equal planes. */
static const double normal_tolerance = 1e-9;

/* A body and the point of a feature that it would touch. */
typedef struct touch {
    const kg_surface *surface;  /* of the feature */
    double t;                   /* s, in the substep */
    double centre[3], point[3]; /* m */
    double distance, normal[3]; /* distance, m, and unit normal from the centre to the point */
    double tolerance;           /* m, of distances from planes */
} touch;

static const kg_surface *surface_of(const kugel_world *world, kg_boundary feature)
{
    return kg_boundary_surface(world, (feature - KG_BOUNDARY_FEATURES) / KG_PARTS);
}

double kg_neighbours_plane_tolerance(const kugel_world *world, uint32_t slot, const double x[3])
{
    return distance_share * world->bodies.radius[slot] + rounding_share * kg_max_abs3(x);
}

static touch touch_at(const kugel_world *world, uint32_t slot, kg_boundary feature, double t,
                      const double centre[3])
{
    touch at = {.surface = surface_of(world, feature), .t = t};
    at.distance = kg_boundary_contact_gap(world, feature, t, centre, 0, at.normal);
    kg_copy3(at.centre, centre);
    kg_add_scaled3(at.point, centre, at.distance, at.normal);
    at.tolerance = kg_neighbours_plane_tolerance(world, slot, at.centre) +
                   rounding_share * kg_max_abs3(at.point);
    return at;
}

/* True if the plane of a face stays where it is relative to the feature's surface for a substep:
 * face and surface may move along the plane and turn about its normal. face: NULL for
 * walls. */
static bool keeps_plane(const kugel_world *world, const touch *at, const kg_surface *face,
                        const double normal[3])
{
    double apart[3], velocity[3], turn[3], h = world->work.substep_length;
    if (at->surface == face || (!at->surface->moves && !(face && face->moves))) return true;
    kg_surface_velocity_at(at->surface, at->t, at->point, apart);
    kg_copy3(turn, at->surface->spin);
    if (face) {
        kg_surface_velocity_at(face, at->t, at->point, velocity);
        kg_sub3(apart, apart, velocity);
        kg_sub3(turn, turn, face->spin);
    }
    kg_cross3(turn, turn, normal);
    return kg_abs(kg_dot3(apart, normal)) * h <= at->tolerance &&
           kg_max_abs3(turn) * at->distance * h <= at->tolerance;
}

/* True if a face acts rather than the touched feature. Of two solid shapes in one plane each could
 * hide the other where they are equally near, as under a ball over their seam: the nearer one acts,
 * or the first within rounding. Planes and meshes are not hidden by shapes. */
static bool acts_first(const touch *at, const kg_surface *face, double height)
{
    double slack = rounding_share * (kg_max_abs3(at->centre) + kg_max_abs3(at->point));
    if (!kg_surface_is_solid(at->surface) || !kg_surface_is_solid(face) ||
        face->shape.kind == KUGEL_SURFACE_PLANE)
        return true;
    return height < at->distance + (face < at->surface ? slack : -slack);
}

static bool facet_hides(const kugel_world *world, const touch *at, uint32_t triangle)
{
    const kg_surface *surface = kg_boundary_surface(world, triangle);
    if (surface == at->surface && kg_surface_is_solid(surface)) return false;
    kg_pose moved;
    kg_facet_side side =
        kg_boundary_side(world, triangle, kg_surface_pose_at(surface, at->t, &moved), at->centre);
    if (!acts_first(at, surface, side.height)) return false;
    double to_point[3], up = side.height < 0 && !kg_surface_is_one_sided(surface) ? -1 : 1;
    kg_sub3(to_point, at->point, at->centre);
    return up * side.height > 0 &&
           up * (side.height + kg_dot3(to_point, side.normal)) <= at->tolerance &&
           keeps_plane(world, at, surface, side.normal) &&
           kg_boundary_is_over(world, triangle, &side);
}

static bool wall_hides(const kugel_world *world, const touch *at, kg_boundary k)
{
    double normal[3];
    return kg_boundary_measure(world, k, 0, at->centre, 0, normal) > 0 &&
           kg_boundary_gap(world, k, 0, at->point, 0) <= at->tolerance &&
           keeps_plane(world, at, NULL, normal);
}

bool kg_neighbours_is_hidden(const kugel_world *world, uint32_t slot, kg_boundary feature, double t,
                             const double centre[3])
{
    touch at = touch_at(world, slot, feature, t, centre);
    if (at.distance < 0) return false; /* the centre is inside a shape, which pushes it out */
    kg_boundary_set solid = kg_neighbours_boundaries(world, slot) & kg_boundary_solid(world);
    while (solid) {
        if (wall_hides(world, &at, kg_boundary_set_take(&solid))) return true;
    }
    kg_near_triangles near =
        kg_neighbours_triangles_within(world, slot, centre, at.distance + at.tolerance);
    for (uint32_t triangle; kg_near_triangles_next(&near, &triangle);) {
        if (facet_hides(world, &at, triangle)) return true;
    }
    return false;
}

/* True if a wall or facet on which a body rests lies in the plane of the touched facet, and
 * stays in it. */
static bool is_in_plane(const kugel_world *world, const touch *at, kg_boundary k)
{
    double normal[3];
    bool feature = kg_boundary_is_feature(k);
    if (feature && !kg_boundary_is_facet(k)) return false;
    double distance = kg_boundary_contact_gap(world, k, at->t, at->centre, 0, normal);
    kg_sub3(normal, normal, at->normal);
    return kg_abs(distance - at->distance) <= at->tolerance &&
           kg_max_abs3(normal) <= normal_tolerance &&
           keeps_plane(world, at, feature ? surface_of(world, k) : NULL, at->normal);
}

bool kg_neighbours_rests_in_plane(const kugel_world *world, uint32_t slot, kg_boundary facet,
                                  double t, const double centre[3])
{
    touch at = touch_at(world, slot, facet, t, centre);
    kg_resting_iterator on = kg_work_resting(&world->work, slot);
    for (kg_boundary k; kg_resting_iterator_next(&on, &k);) {
        if (k != facet && is_in_plane(world, &at, k)) return true;
    }
    return false;
}
