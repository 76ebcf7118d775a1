/* The point of a triangle nearest to a point: the foot on the plane if it is inside, else the
 * nearest of the three edges, each clamped to its ends. All are points of the triangle, and the
 * nearest one counts: rough normals of slivers do no harm (regions: C. Ericson, Real-Time Collision
 * Detection, 2005, section 5.1.5). Cost: a few dozen flops, and the region of the feature. */
#include "surfaces/mesh_feature.h"

/* A candidate: part of the triangle, point, squared distance. */
typedef struct candidate {
    uint32_t part;
    double point[3], squared;
} candidate;

static void keep_nearer(candidate *best, const candidate *other)
{
    if (other->squared < best->squared) *best = *other;
}

static double squared_distance(const double a[3], const double b[3])
{
    double d[3];
    kg_sub3(d, a, b);
    return kg_dot3(d, d);
}

static candidate nearest_on_edge(const double *const corner[3], uint32_t k, const double x[3])
{
    const double *a = corner[k], *b = corner[(k + 1) % 3];
    double edge[3], d[3];
    kg_sub3(edge, b, a);
    kg_sub3(d, x, a);
    double along = kg_dot3(d, edge), length = kg_dot3(edge, edge);
    candidate c = {.part = KG_PART_EDGE + k};
    if (!(along > 0)) {
        c.part = KG_PART_VERTEX + k;
        kg_copy3(c.point, a);
    } else if (along >= length) {
        c.part = KG_PART_VERTEX + (k + 1) % 3;
        kg_copy3(c.point, b);
    } else {
        kg_add_scaled3(c.point, a, along / length, edge);
    }
    c.squared = squared_distance(c.point, x);
    return c;
}

static uint32_t longest_edge(const double *const corner[3])
{
    uint32_t longest = 0;
    double squared[3];
    for (uint32_t k = 0; k < 3; ++k) {
        squared[k] = squared_distance(corner[k], corner[(k + 1) % 3]);
        if (squared[k] > squared[longest]) longest = k;
    }
    return longest;
}

/* The foot on the plane; false outside of the triangle. In the frame of the longest edge: what is
 * across it is small for slivers, and so is its rounding. */
static bool nearest_on_face(const double *const corner[3], const double x[3], candidate *c)
{
    uint32_t k = longest_edge(corner);
    const double *start = corner[k];
    double edge[3], f[3], d[3], along[3];
    kg_sub3(edge, corner[(k + 1) % 3], start);
    kg_sub3(f, corner[(k + 2) % 3], start);
    kg_sub3(d, x, start);
    double length = kg_length3(edge);
    kg_scale3(along, edge, 1 / length);
    double f_along = kg_dot3(f, along), d_along = kg_dot3(d, along);
    kg_add_scaled3(f, f, -f_along, along);
    kg_add_scaled3(d, d, -d_along, along);
    double height = kg_length3(f), share = kg_dot3(d, f) / (height * height);
    /* between the sides that rise from the ends of the longest edge to the far corner */
    if (!(share >= 0 && share <= 1 && d_along >= share * f_along &&
          length - d_along >= share * (length - f_along)))
        return false;
    c->part = KG_PART_FACE;
    for (int axis = 0; axis < 3; ++axis)
        c->point[axis] = start[axis] + d_along * along[axis] + share * f[axis];
    c->squared = squared_distance(c->point, x);
    return true;
}

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

/* Does the candidate answer at x? Sets nearest, if so. An edge or vertex that does not answer may
 * be the border of a facet that does: x is then over the border, within the tolerance. */
static bool accept(const kg_mesh *mesh, uint32_t triangle, const candidate *c, const double x[3],
                   kg_mesh_nearest *nearest)
{
    uint32_t feature = kg_mesh_feature_of(mesh, triangle, c->part);
    double distance = sqrt(c->squared);
    bool answers = c->part != KG_PART_FACE && feature_answers(mesh, feature, x, distance);
    if (!answers) {
        if (!face_answers(mesh, triangle, x, distance)) return false;
        feature = KG_PARTS * mesh->facet[triangle];
    }
    kg_copy3(nearest->point, c->point);
    nearest->distance = distance;
    nearest->feature = feature;
    nearest->answers = true;
    return true;
}

/* The nearest point of the triangle, and those of its edges. */
static candidate nearest_candidate(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                                   candidate edges[3])
{
    const double *corner[3];
    candidate best;
    for (uint32_t k = 0; k < 3; ++k)
        corner[k] = kg_mesh_vertex(mesh, mesh->corner[3 * triangle + k]);
    for (uint32_t k = 0; k < 3; ++k) edges[k] = nearest_on_edge(corner, k, x);
    if (!nearest_on_face(corner, x, &best)) best = edges[0];
    for (uint32_t k = 0; k < 3; ++k) keep_nearer(&best, &edges[k]);
    return best;
}

double kg_mesh_distance(const kg_mesh *mesh, uint32_t triangle, const double x[3])
{
    candidate edges[3];
    return sqrt(nearest_candidate(mesh, triangle, x, edges).squared);
}

/* A sliver may stand out of its facet's plane by the thickness of facets, so that an inner edge is
 * nearest. Then another part of the triangle answers, at the same distance within the thickness. */
void kg_mesh_find_nearest(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                          kg_mesh_nearest *nearest)
{
    candidate edges[3], best = nearest_candidate(mesh, triangle, x, edges);
    kg_copy3(nearest->point, best.point);
    nearest->distance = sqrt(best.squared);
    nearest->feature = kg_mesh_feature_of(mesh, triangle, best.part);
    nearest->answers = false;
    if (!kg_mesh_is_live(mesh, triangle) || accept(mesh, triangle, &best, x, nearest)) return;
    double far = nearest->distance + kg_mesh_facet_thickness(mesh);
    for (uint32_t k = 0; k < 3; ++k) {
        bool near = edges[k].part != best.part && edges[k].squared <= far * far;
        if (near && accept(mesh, triangle, &edges[k], x, nearest)) return;
    }
}
