/* The point of a triangle nearest to a point, its feature, and whether that answers there. Cost: a
 * few dozen flops, and the region of the feature. */
#include "geometry/triangle.h"
#include "surfaces/mesh_feature.h"

static bool face_answers(const kg_mesh *mesh, uint32_t triangle, const double x[3], double distance)
{
    kg_mesh_site face;
    double d[3], tolerance = kg_mesh_tolerance(mesh, x, distance);
    kg_mesh_set_site(&face, mesh, triangle, KG_PART_FACE);
    kg_sub3(d, x, face.point);
    bool front = !mesh->one_sided || kg_dot3(face.along, d) >= -tolerance;
    return front && kg_mesh_site_contains(&face, x, tolerance);
}

static bool feature_answers(const kg_mesh *mesh, uint32_t feature, const double x[3],
                            double distance)
{
    uint32_t triangle = feature / KG_PARTS, part = feature % KG_PARTS;
    kg_mesh_site site;
    if (!(mesh->answers[triangle] & 1u << part)) return false;
    double tolerance = kg_mesh_tolerance(mesh, x, distance);
    kg_mesh_set_site(&site, mesh, triangle, part);
    return kg_mesh_site_contains(&site, x, tolerance) && kg_mesh_is_in_front(&site, x, tolerance);
}

/* An edge or vertex that does not answer may be the border of a facet that does: x is then over the
 * border, within the tolerance. */
static void set_feature(const kg_mesh *mesh, uint32_t triangle, uint32_t part, const double x[3],
                        kg_mesh_nearest *nearest)
{
    nearest->feature = kg_mesh_feature_of(mesh, triangle, part);
    nearest->answers = false;
    if (!kg_mesh_is_live(mesh, triangle)) return;
    if (part != KG_PART_FACE) {
        nearest->answers = feature_answers(mesh, nearest->feature, x, nearest->distance);
        if (nearest->answers) return;
    }
    if (!face_answers(mesh, triangle, x, nearest->distance)) return;
    nearest->feature = KG_PARTS * mesh->facet[triangle];
    nearest->answers = true;
}

void kg_mesh_find_nearest(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                          kg_mesh_nearest *nearest)
{
    const double *corner[3];
    kg_triangle_nearest best;
    for (uint32_t k = 0; k < 3; ++k)
        corner[k] = kg_mesh_vertex(mesh, mesh->corner[3 * triangle + k]);
    kg_triangle_find_nearest(corner, x, &best);
    kg_copy3(nearest->point, best.point);
    nearest->distance = sqrt(best.squared);
    set_feature(mesh, triangle, best.part, x, nearest);
}
