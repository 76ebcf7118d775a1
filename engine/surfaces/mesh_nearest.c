/* The point of a triangle nearest to a point x, its feature, and whether the feature is the nearest
 * part of the surface there. Cost: a few dozen flops, and the region of the feature. */
#include "geometry/sweep_linear.h"
#include "geometry/triangle.h"
#include "surfaces/mesh_feature.h"

_Static_assert(KG_TRIANGLE_FACE == (int)KG_PART_FACE && KG_TRIANGLE_EDGE == (int)KG_PART_EDGE &&
                   KG_TRIANGLE_CORNER == (int)KG_PART_VERTEX,
               "parts have the same numbers in both headers");

static bool face_is_nearest(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                            double distance)
{
    kg_mesh_site face;
    double d[3], tolerance = kg_mesh_tolerance(mesh, x, distance);
    kg_mesh_set_site(&face, mesh, triangle, KG_PART_FACE);
    kg_sub3(d, x, face.point);
    bool front = !mesh->one_sided || kg_dot3(face.along, d) >= -tolerance;
    return front && kg_mesh_site_contains(&face, x, tolerance);
}

/* The answer depends on x and the feature alone, whichever triangle is tested first. */
static bool sharp_feature_is_nearest(const kg_mesh *mesh, uint32_t feature, const double x[3],
                                     kg_mesh_last_sharp *last)
{
    double normal[3];
    if (!(mesh->collidable[feature / KG_PARTS] & 1u << feature % KG_PARTS)) return false;
    if (last->mesh != mesh || last->feature != feature)
        *last = (kg_mesh_last_sharp){
            mesh, feature, kg_mesh_feature_distance(mesh, feature, x, 0, normal) < KG_NEVER};
    return last->is_nearest;
}

/* Accept a candidate point of the triangle if x is in the region of the point's feature; then set
 * *nearest. If x is over the border of a facet, the candidate is on an edge or vertex. If x is not
 * in the region of that edge or vertex, the facet may be accepted instead. */
static bool accept(const kg_mesh *mesh, uint32_t triangle, const kg_triangle_nearest *c,
                   const double x[3], kg_mesh_last_sharp *last, kg_mesh_nearest *nearest)
{
    uint32_t feature = kg_mesh_feature_of(mesh, triangle, c->part);
    double distance = sqrt(c->squared);
    bool is_sharp = c->part != KG_PART_FACE && sharp_feature_is_nearest(mesh, feature, x, last);
    if (!is_sharp) {
        if (!face_is_nearest(mesh, triangle, x, distance)) return false;
        feature = KG_PARTS * mesh->facet[triangle];
    }
    kg_copy3(nearest->point, c->point);
    nearest->distance = distance;
    nearest->feature = feature;
    nearest->is_nearest = true;
    return true;
}

static void set_corners(const kg_mesh *mesh, uint32_t triangle, const double *corner[3])
{
    for (uint32_t k = 0; k < 3; ++k)
        corner[k] = kg_mesh_vertex(mesh, mesh->corner[3 * triangle + k]);
}

double kg_mesh_edge_distance(const kg_mesh *mesh, uint32_t triangle, uint32_t k, const double x[3])
{
    const double *corner[3];
    kg_triangle_nearest nearest;
    set_corners(mesh, triangle, corner);
    kg_triangle_find_on_edge(corner, k, x, &nearest);
    return sqrt(nearest.squared);
}

double kg_mesh_distance(const kg_mesh *mesh, uint32_t triangle, const double x[3], double point[3])
{
    const double *corner[3];
    kg_triangle_nearest nearest;
    set_corners(mesh, triangle, corner);
    kg_triangle_find_nearest(corner, x, &nearest);
    kg_copy3(point, nearest.point);
    return sqrt(nearest.squared);
}

/* A sliver may stand out of its facet's plane by the thickness of facets, so that the nearest point
 * is on an inner edge, which is not collidable. Then an edge of the triangle at the same distance,
 * within the thickness, is tried. */
void kg_mesh_nearest_on_triangle(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                                 double reach, kg_mesh_last_sharp *last, kg_mesh_nearest *nearest)
{
    const double *corner[3];
    kg_triangle_nearest best, edge;
    set_corners(mesh, triangle, corner);
    kg_triangle_find_nearest(corner, x, &best);
    kg_copy3(nearest->point, best.point);
    nearest->distance = sqrt(best.squared);
    nearest->is_nearest = false;
    if (!(nearest->distance <= reach)) return;
    nearest->feature = kg_mesh_feature_of(mesh, triangle, best.part);
    if (!kg_mesh_has_area(mesh, triangle) || accept(mesh, triangle, &best, x, last, nearest))
        return;
    double far = nearest->distance + mesh->facet_thickness;
    for (uint32_t k = 0; k < 3; ++k) {
        kg_triangle_find_on_edge(corner, k, x, &edge);
        bool near = edge.part != best.part && edge.squared <= far * far;
        if (near && accept(mesh, triangle, &edge, x, last, nearest)) return;
    }
}
