/* The first contact of a moving sphere with a mesh: the earliest time of impact with a collidable
 * part of a triangle near the path. The walk of the tree visits the boxes within reach of the
 * centre's path, and a node's children in the order in which the path comes within reach of them.
 * In: mesh, path. Out: time, feature, normal. Cost: O(log n) and the triangles near the path. */
#include "geometry/sweep_linear.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

/* Margins of the reach, more than rounding and the overlap of regions: a share of the radius, and a
 * share of the largest coordinate of the path. */
#define RADIUS_MARGIN 1e-6
#define PATH_MARGIN 1e-12

typedef struct cast {
    const kg_mesh *mesh;
    kg_mesh_path path; /* its horizon is the earliest time so far */
    double reach;      /* m; parts farther from the straight path x + v t are out of reach */
    double time, normal[3];
    uint32_t feature;
} cast;

static double reach_of(const kg_mesh *mesh, const kg_mesh_path *path)
{
    double t = path->horizon, bend = 0.5 * kg_length3(path->a) * t * t,
           length = kg_max_abs3(path->v) * t + bend,
           rounding = PATH_MARGIN * (kg_max_abs3(path->x) + length);
    return path->radius * (1 + RADIUS_MARGIN) + mesh->facet_thickness + bend + rounding;
}

/* True if the straight path comes within reach of the triangle's bounding ball. */
static bool comes_near(const cast *c, const uint32_t corner[3])
{
    const kg_mesh_path *path = &c->path;
    double d[3][3], centre[3] = {0}, ball = 0, speed2 = kg_dot3(path->v, path->v);
    for (int k = 0; k < 3; ++k) {
        kg_sub3(d[k], kg_mesh_vertex(c->mesh, corner[k]), path->x);
        kg_add_scaled3(centre, centre, 1.0 / 3, d[k]);
    }
    for (int k = 0; k < 3; ++k) ball = kg_max(ball, kg_squared_distance3(d[k], centre));
    double along = kg_dot3(centre, path->v), limit = c->reach + sqrt(ball) * (1 + RADIUS_MARGIN);
    double t = !(along > 0) ? 0 : along < path->horizon * speed2 ? along / speed2 : path->horizon;
    kg_add_scaled3(centre, centre, -t, path->v);
    return kg_dot3(centre, centre) <= limit * limit;
}

/* True if a sphere that meets an edge or vertex of a one-sided mesh at time t comes from behind: it
 * starts behind all triangles around that part, and at t it already overlaps the triangle. Such a
 * sphere only recedes. Without this test the tolerances report a hit where the centre passes
 * through the edge or vertex. */
static bool comes_from_behind(const cast *c, uint32_t triangle, uint32_t part, double t)
{
    const kg_mesh_path *path = &c->path;
    kg_mesh_site site;
    double x[3], point[3];
    if (!c->mesh->one_sided || part == KG_PART_FACE || !kg_is_zero3(path->a)) return false;
    kg_add_scaled3(x, path->x, t, path->v);
    double tolerance = kg_mesh_tolerance(c->mesh, x, 0),
           overlap = kg_max(path->radius * (1 - RADIUS_MARGIN), tolerance);
    kg_mesh_set_site(&site, c->mesh, triangle, part);
    return kg_mesh_distance(c->mesh, triangle, x, point) <= overlap &&
           !kg_mesh_is_in_front(&site, path->x, tolerance);
}

/* Of features with equal times the lowest is chosen, so the order of the walk does not matter. */
static void test_part(cast *c, uint32_t triangle, uint32_t part)
{
    double normal[3],
        t = kg_mesh_sweep_part(c->mesh, triangle, part, &c->path, c->path.horizon, normal);
    if (t >= KG_NEVER || comes_from_behind(c, triangle, part, t)) return;
    uint32_t feature = kg_mesh_feature_of(c->mesh, triangle, part);
    if (t > c->time || (t == c->time && feature >= c->feature)) return;
    c->time = t;
    c->feature = feature;
    kg_copy3(c->normal, normal);
    if (t < c->path.horizon) c->path.horizon = t;
}

static void test_triangle(void *context, const uint32_t corner[3], uint32_t triangle)
{
    cast *c = context;
    if (!comes_near(c, corner)) return;
    for (uint32_t part = KG_PART_FACE; part < KG_PART_END; ++part) {
        if (c->mesh->collidable[triangle] & 1u << part) test_part(c, triangle, part);
    }
}

double kg_mesh_cast(const kg_mesh *mesh, const kg_mesh_path *path, uint32_t *feature,
                    double normal[3])
{
    cast c = {.mesh = mesh, .path = *path, .reach = reach_of(mesh, path), .time = KG_NEVER};
    kg_tree_line line;
    kg_tree_set_line(&line, path->x, path->v, c.reach, mesh->largest_coordinate);
    kg_mesh_visit_line(mesh, &line, &c.path.horizon, test_triangle, &c);
    if (c.time >= KG_NEVER) return KG_NEVER;
    *feature = c.feature;
    kg_copy3(normal, c.normal);
    return c.time;
}
