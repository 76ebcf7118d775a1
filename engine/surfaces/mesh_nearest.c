/* The point of a triangle nearest to a point: the foot on the plane if it is inside, else the
 * nearest of the three edges, each clamped to its ends. Both are points of the triangle, and the
 * nearer one counts: rough normals of slivers do no harm (regions: C. Ericson, Real-Time Collision
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

static candidate nearest_candidate(const kg_mesh *mesh, uint32_t triangle, const double x[3])
{
    const double *corner[3];
    candidate face;
    for (uint32_t k = 0; k < 3; ++k)
        corner[k] = kg_mesh_vertex(mesh, mesh->corner[3 * triangle + k]);
    candidate best = nearest_on_edge(corner, 0, x);
    for (uint32_t k = 1; k < 3; ++k) {
        candidate other = nearest_on_edge(corner, k, x);
        keep_nearer(&best, &other);
    }
    if (nearest_on_face(corner, x, &face)) keep_nearer(&best, &face);
    return best;
}

double kg_mesh_distance(const kg_mesh *mesh, uint32_t triangle, const double x[3])
{
    return sqrt(nearest_candidate(mesh, triangle, x).squared);
}

void kg_mesh_find_nearest(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                          kg_mesh_nearest *nearest)
{
    candidate best = nearest_candidate(mesh, triangle, x);
    kg_copy3(nearest->point, best.point);
    nearest->distance = sqrt(best.squared);
    set_feature(mesh, triangle, best.part, x, nearest);
}
