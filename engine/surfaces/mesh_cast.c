/* The first contact of a moving sphere with a mesh: the earliest time of impact with a collidable
 * part of a triangle near the path. The walk of the tree visits the boxes within reach of the
 * centre's path, and a node's children in the order in which the path comes within reach of them.
 * In: mesh, path. Out: time, feature, normal. Cost: O(log n) and the triangles near the path. */
#include "base/compiler.h"
#include "base/wide.h"
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
    bool rests;        /* see kg_mesh_cast */
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

/* Operations on four triangles, in KG_EACH(4). */
#define DOT4(a, b) (KG_L(a[0]) * KG_L(b[0]) + KG_L(a[1]) * KG_L(b[1]) + KG_L(a[2]) * KG_L(b[2]))
#define CROSS4(a, b, i, k) (KG_L(a[i]) * KG_L(b[k]) - KG_L(a[k]) * KG_L(b[i]))
#define CHOOSE4(which, yes, no) KG_CHOOSE(kg_double4, kg_mask4, which, yes, no)

/* The squared length of an axis below which rounding to 0 could shorten it. */
#define LEAST_SQUARED_AXIS 1e-250

/* The times of four triangles at which the straight path may be near. */
typedef struct times4 {
    kg_double4 from, until;
} times4;

/* Limit times to those at which the path is within reach along an axis of any length. `corner`:
 * corners from the start of the path. */
KG_INLINE void limit_along(const cast *c, kg_double4 axis[3], kg_double4 corner[3][3],
                           times4 *times)
{
    const double *v = c->path.v;
    kg_double4 length, low, high;
    KG_EACH (4) {
        KG_L(length) = DOT4(axis, axis);
        KG_L(low) = DOT4(axis, corner[0]);
        KG_L(high) = KG_L(low);
    }
    for (int k = 0; k < 4; ++k) {
        double squared = KG_AT(length, k);
        KG_AT(length, k) = squared > LEAST_SQUARED_AXIS ? sqrt(squared) : INFINITY;
    }
    for (int k = 1; k < 3; ++k) {
        KG_EACH (4) {
            kg_double4_lane at = DOT4(axis, corner[k]);
            KG_L(low) = CHOOSE4(at < KG_L(low), at, KG_L(low));
            KG_L(high) = CHOOSE4(at > KG_L(high), at, KG_L(high));
        }
    }
    KG_EACH (4) { /* NaN, as of a path along the limit, 0 / 0, limits nothing */
        kg_double4_lane speed = KG_L(axis[0]) * v[0] + KG_L(axis[1]) * v[1] + KG_L(axis[2]) * v[2];
        kg_double4_lane one = (KG_L(low) - c->reach * KG_L(length)) / speed;
        kg_double4_lane other = (KG_L(high) + c->reach * KG_L(length)) / speed;
        kg_double4_lane from = CHOOSE4(other < one, other, one);
        kg_double4_lane until = CHOOSE4(other < one, one, other);
        KG_L(times->from) = CHOOSE4(from > KG_L(times->from), from, KG_L(times->from));
        KG_L(times->until) = CHOOSE4(until < KG_L(times->until), until, KG_L(times->until));
    }
}

/* The axis from the nearest point of the straight path to the mean of the corners. */
KG_INLINE void away_from_path(const cast *c, kg_double4 corner[3][3], kg_double4 axis[3])
{
    const double *v = c->path.v, inverse = 1 / kg_dot3(v, v);
    kg_double4 t;
    for (int x = 0; x < 3; ++x) {
        KG_EACH (4) {
            KG_L(axis[x]) = KG_L(corner[0][x]) + KG_L(corner[1][x]) + KG_L(corner[2][x]);
            KG_L(axis[x]) *= 1. / 3;
        }
    }
    KG_EACH (4)
        KG_L(t) = (KG_L(axis[0]) * v[0] + KG_L(axis[1]) * v[1] + KG_L(axis[2]) * v[2]) * inverse;
    for (int x = 0; x < 3; ++x)
        KG_EACH (4) KG_L(axis[x]) -= KG_L(t) * v[x];
}

/* The triangles of a leaf, a bit each, of which the straight path comes within reach along the
 * normal, away from the path, and in the plane across each edge, all at the times `times`. */
KG_INLINE uint32_t come_near(const cast *c, const kg_mesh_leaf *leaf, times4 *times)
{
    enum { NORMAL = 3, AWAY, AXES }; /* after those across the edges */
    kg_double4 corner[3][3], edge[3][3], axis[AXES][3];
    kg_mask4 meets;
    for (int k = 0; k < 3; ++k) {
        const double *p[4];
        for (int i = 0; i < 4; ++i) p[i] = kg_mesh_vertex(c->mesh, leaf->corner[i][k]);
        for (int x = 0; x < 3; ++x) {
            kg_double4 column = {p[0][x], p[1][x], p[2][x], p[3][x]};
            KG_EACH (4) KG_L(corner[k][x]) = KG_L(column) - c->path.x[x];
        }
    }
    for (int k = 0; k < 3; ++k) {
        for (int x = 0; x < 3; ++x)
            KG_EACH (4) KG_L(edge[k][x]) = KG_L(corner[(k + 1) % 3][x]) - KG_L(corner[k][x]);
    }
    for (int k = 0; k < 4; ++k) KG_AT(times->from, k) = 0, KG_AT(times->until, k) = c->path.horizon;
    for (int x = 0; x < 3; ++x) {
        int i = (x + 1) % 3, k = (x + 2) % 3;
        KG_EACH (4) KG_L(axis[NORMAL][x]) = CROSS4(edge[0], edge[1], i, k);
    }
    for (int e = 0; e < 3; ++e) {
        for (int x = 0; x < 3; ++x) {
            int i = (x + 1) % 3, k = (x + 2) % 3;
            KG_EACH (4) KG_L(axis[e][x]) = CROSS4(edge[e], axis[NORMAL], i, k);
        }
    }
    away_from_path(c, corner, axis[AWAY]);
    for (int k = 0; k < AXES; ++k) limit_along(c, axis[k], corner, times);
    KG_EACH (4) KG_L(meets) = KG_MASK(KG_L(times->from) <= KG_L(times->until));
    return kg_movemask4(&meets);
}

KG_VARIANTS(uint32_t, come_near, (const cast *c, const kg_mesh_leaf *leaf, times4 *times),
            (c, leaf, times))

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

/* The time at which the smaller sphere meets a part that is met at a flat angle. */
static double time_from_rest(const cast *c, uint32_t triangle, uint32_t part, double normal[3])
{
    double point[3], distance = kg_mesh_distance(c->mesh, triangle, c->path.x, point);
    kg_mesh_path path = c->path;
    path.radius = kg_radius_from_rest(path.radius, distance);
    return kg_mesh_sweep_part(c->mesh, triangle, part, &path, path.horizon, normal);
}

/* Of features with equal times the lowest is chosen, so the order of the walk does not matter. */
static void test_part(cast *c, uint32_t triangle, uint32_t part)
{
    double normal[3],
        t = kg_mesh_sweep_part(c->mesh, triangle, part, &c->path, c->path.horizon, normal);
    if (t >= KG_NEVER || comes_from_behind(c, triangle, part, t)) return;
    if (c->rests && kg_meets_flat(kg_dot3(normal, c->path.v), c->path.v))
        t = time_from_rest(c, triangle, part, normal);
    if (t >= KG_NEVER) return;
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
    times4 times;
    for (uint32_t near = KG_WIDEST(come_near)(c, leaf, &times); near; near &= near - 1) {
        uint32_t i = (uint32_t)kg_lowest_bit(near);
        double from = KG_AT(times.from, i), until = kg_min(KG_AT(times.until, i), c->path.horizon);
        if (leaf->triangle[i] == KG_NONE || from > until) continue;
        uint32_t triangle = leaf->triangle[i] & ~KG_MESH_NAMES_FACET,
                 parts = kg_mesh_parts_on_path(c->mesh, triangle, &c->path, from, until);
        for (uint32_t part = KG_PART_FACE; part < KG_PART_END; ++part) {
            if (parts & 1u << part) test_part(c, triangle, part);
        }
    }
}

double kg_mesh_cast(const kg_mesh *mesh, const kg_mesh_path *path, bool rests, uint32_t *feature,
                    double normal[3])
{
    cast c; /* the walk is large, and needs no zeros */
    c.mesh = mesh, c.path = *path, c.rests = rests, c.reach = reach_of(mesh, path),
    c.time = KG_NEVER;
    kg_mesh_flight_start(&c.flight, mesh, path->x, path->v, c.reach, path->horizon);
    while (kg_mesh_flight_advance(&c.flight, test_leaf, &c)) {}
    if (c.time >= KG_NEVER) return KG_NEVER;
    *feature = c.feature;
    kg_copy3(normal, c.normal);
    return c.time;
}
