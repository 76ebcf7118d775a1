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
    kg_mesh_flight flight;
} cast;

static double reach_of(const kg_mesh *mesh, const kg_mesh_path *path)
{
    double t = path->horizon, bend = 0.5 * kg_length3(path->a) * t * t,
           length = kg_max_abs3(path->v) * t + bend,
           rounding = PATH_MARGIN * (kg_max_abs3(path->x) + length);
    return path->radius * (1 + RADIUS_MARGIN) + mesh->facet_thickness + bend + rounding;
}

/* Limit the times [*enter, *leave] to those at which the straight path is within reach of a
 * triangle along an axis of any length. corner: from the start of the path. */
static void limit_along(const cast *c, const double axis[3], double corner[3][3], double *enter,
                        double *leave)
{
    double at = kg_dot3(axis, corner[0]), low = at, high = at;
    for (int k = 1; k < 3; ++k) {
        at = kg_dot3(axis, corner[k]);
        low = kg_min(low, at), high = kg_max(high, at);
    }
    /* 0 / 0, a path along the limit, limits nothing: of NaN and a number the second is taken */
    double reach = c->reach * kg_length3(axis), inverse = 1 / kg_dot3(axis, c->path.v),
           one = (low - reach) * inverse, other = (high + reach) * inverse;
    *enter = kg_max(inverse < 0 ? other : one, *enter);
    *leave = kg_min(inverse < 0 ? one : other, *leave);
}

/* True if the straight path comes within reach of the bounding ball of three corners. */
static bool meets_ball(const cast *c, double corner[3][3])
{
    const kg_mesh_path *path = &c->path;
    double centre[3] = {0}, ball = 0, speed2 = kg_dot3(path->v, path->v);
    for (int k = 0; k < 3; ++k) kg_add_scaled3(centre, centre, 1.0 / 3, corner[k]);
    for (int k = 0; k < 3; ++k) ball = kg_max(ball, kg_squared_distance3(corner[k], centre));
    double along = kg_dot3(centre, path->v), limit = c->reach + sqrt(ball) * (1 + RADIUS_MARGIN);
    double t = !(along > 0) ? 0 : along < path->horizon * speed2 ? along / speed2 : path->horizon;
    kg_add_scaled3(centre, centre, -t, path->v);
    return kg_dot3(centre, centre) <= limit * limit;
}

/* True if the straight path comes within reach of the triangle's bounding ball and, at the times
 * [*enter, *leave], within reach along the normal and, in the plane, across each edge. */
static bool comes_near(const cast *c, const uint32_t vertex[3], double *enter, double *leave)
{
    double corner[3][3], edge[3][3], normal[3], across[3];
    *enter = 0, *leave = c->path.horizon;
    for (int k = 0; k < 3; ++k) kg_sub3(corner[k], kg_mesh_vertex(c->mesh, vertex[k]), c->path.x);
    if (!meets_ball(c, corner)) return false;
    for (int k = 0; k < 3; ++k) kg_sub3(edge[k], corner[(k + 1) % 3], corner[k]);
    double scale = kg_unit_scale(kg_max(kg_max_abs3(edge[0]), kg_max_abs3(edge[1])));
    for (int k = 0; k < 3; ++k) kg_scale3(edge[k], edge[k], scale); /* no axis underflows */
    kg_cross3(normal, edge[0], edge[1]);
    limit_along(c, normal, corner, enter, leave);
    for (int k = 0; k < 3 && *enter <= *leave; ++k) {
        kg_cross3(across, edge[k], normal);
        limit_along(c, across, corner, enter, leave);
    }
    return *enter <= *leave;
}

/* True if the centre of a sphere passes through an edge or vertex of a one-sided mesh at time t,
 * from behind all triangles around that part. It recedes then, but within the tolerances it may
 * count as in front of one and approaching. Regions and fronts are each wider by half a tolerance;
 * four tolerances leave room for sharp edges and rounding. */
static bool comes_from_behind(const cast *c, uint32_t triangle, uint32_t part, double t)
{
    const kg_mesh_path *path = &c->path;
    kg_mesh_site site;
    double x[3], point[3];
    if (!c->mesh->one_sided || part == KG_PART_FACE || !kg_is_zero3(path->a)) return false;
    kg_add_scaled3(x, path->x, t, path->v);
    double tolerance = kg_mesh_tolerance(c->mesh, x, 0);
    kg_mesh_set_site(&site, c->mesh, triangle, part);
    return kg_mesh_distance(c->mesh, triangle, x, point) <= 4 * tolerance &&
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
    c->path.horizon = t;
    kg_mesh_flight_limit(&c->flight, t);
}

static void test_leaf(void *context, const kg_mesh_leaf *leaf)
{
    cast *c = context;
    double from, until;
    for (uint32_t next = 0, triangle; kg_mesh_next_in_leaf(leaf, &next, &triangle);) {
        if (!comes_near(c, leaf->corner[next - 1], &from, &until)) continue;
        uint32_t parts = kg_mesh_parts_on_path(c->mesh, triangle, &c->path, from, until);
        for (uint32_t part = KG_PART_FACE; part < KG_PART_END; ++part) {
            if (parts & 1u << part) test_part(c, triangle, part);
        }
    }
}

double kg_mesh_cast(const kg_mesh *mesh, const kg_mesh_path *path, uint32_t *feature,
                    double normal[3])
{
    cast c; /* the walk is large, and needs no zeros */
    c.mesh = mesh, c.path = *path, c.reach = reach_of(mesh, path), c.time = KG_NEVER;
    kg_mesh_flight_start(&c.flight, mesh, path->x, path->v, c.reach, path->horizon);
    while (kg_mesh_flight_advance(&c.flight, test_leaf, &c)) {}
    if (c.time >= KG_NEVER) return KG_NEVER;
    *feature = c.feature;
    kg_copy3(normal, c.normal);
    return c.time;
}
