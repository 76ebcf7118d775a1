/* Let D be the set of all differences of a point of a and a point of b. The solids meet if D
 * contains the origin. A simplex of at most four points of D approaches the origin. Each step adds
 * the point of D that is farthest in the direction from the simplex's nearest point to the origin,
 * and drops the corners that the new nearest point does not need. If the farthest point does not
 * reach the origin along this direction, a plane separates the solids. */
#include "geometry/convex_meet.h"

#include <string.h>

#include "base/vec.h"
#include "geometry/sweep_linear.h"
#include "geometry/triangle.h"

enum { STEPS_LIMIT = 100 }; /* solids that touch need about 20 */

/* A volume below this share of the product of three edges counts as flat: the share is above
 * rounding. */
#define FLATNESS 1e-15

/* A point of D, and the point of a in this difference. */
typedef struct corner {
    double x[3], of_a[3];
} corner;

typedef struct simplex {
    corner at[4];
    int count;
    double nearest[3]; /* the point of the simplex nearest to the origin, m */
    double squared;    /* m^2, squared distance of `nearest` */
} simplex;

/* Corners of the faces of a tetrahedron; the fourth corner is opposite. */
static const int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};

/* Six times the volume of the tetrahedron of a triangle and x, with a sign. */
static double volume(const double *const corner[3], const double x[3])
{
    double e[3], f[3], n[3], d[3];
    kg_sub3(e, corner[1], corner[0]);
    kg_sub3(f, corner[2], corner[0]);
    kg_sub3(d, x, corner[0]);
    kg_cross3(n, e, f);
    return kg_dot3(n, d);
}

/* The volume below which rounding decides the sign. */
static double flat_volume(const double *const corner[3], const double x[3])
{
    return FLATNESS * sqrt(kg_squared_distance3(corner[1], corner[0])) *
           sqrt(kg_squared_distance3(corner[2], corner[0])) *
           sqrt(kg_squared_distance3(x, corner[0]));
}

/* Barycentric coordinates (shares of the corners) of the origin in a tetrahedron; false if the
 * origin is outside the tetrahedron. */
static bool set_shares(const simplex *s, double share[4])
{
    for (int k = 0; k < 4; ++k) {
        const int *f = faces[k];
        const double *const at[3] = {s->at[f[0]].x, s->at[f[1]].x, s->at[f[2]].x},
                            *top = s->at[f[3]].x;
        double whole = volume(at, top);
        if (!(kg_abs(whole) > flat_volume(at, top))) return false;
        share[f[3]] = volume(at, kg_zero3) / whole;
        if (!(share[f[3]] >= 0)) return false;
    }
    return true;
}

/* The point of a that has these shares of the corners. */
static void mix(const simplex *s, const double share[4], double point[3])
{
    double sum = 0;
    for (int k = 0; k < s->count; ++k) sum += share[k];
    kg_set3(point, 0, 0, 0);
    for (int k = 0; k < s->count; ++k) kg_add_scaled3(point, point, share[k] / sum, s->at[k].of_a);
}

/* Shares of the corners of a triangle at its nearest point. They are measured along the longest
 * edge and perpendicular to it, so they keep their digits for slivers. */
static void set_face_shares(const simplex *s, double share[4])
{
    int i = 0, j, k;
    double squared[3], edge[3], f[3], d[3];
    for (int c = 0; c < 3; ++c) {
        squared[c] = kg_squared_distance3(s->at[c].x, s->at[(c + 1) % 3].x);
        if (squared[c] > squared[i]) i = c;
    }
    j = (i + 1) % 3, k = (i + 2) % 3;
    kg_sub3(edge, s->at[j].x, s->at[i].x);
    kg_sub3(f, s->at[k].x, s->at[i].x);
    kg_sub3(d, s->nearest, s->at[i].x);
    double f_along = kg_dot3(f, edge) / squared[i], d_along = kg_dot3(d, edge) / squared[i];
    kg_add_scaled3(f, f, -f_along, edge);
    share[k] = kg_min(kg_max(kg_dot3(d, f) / kg_dot3(f, f), 0), 1);
    share[j] = kg_max(d_along - share[k] * f_along, 0);
    share[i] = kg_max(1 - share[j] - share[k], 0);
}

/* The point of a that belongs to the nearest point of a simplex of at most three corners. */
static void mix_nearest(const simplex *s, double point[3])
{
    double share[4] = {1};
    if (s->count == 2) {
        share[0] = sqrt(kg_squared_distance3(s->at[1].x, s->nearest));
        share[1] = sqrt(kg_squared_distance3(s->at[0].x, s->nearest));
    } else if (s->count == 3) {
        set_face_shares(s, share);
    }
    mix(s, share, point);
}

/* Reduce the simplex to the corners with the indices `keep`; some of these corners may be equal. */
static void keep_corners(simplex *s, const int *keep, int count)
{
    corner kept[3];
    for (int k = 0; k < count; ++k) kept[k] = s->at[keep[k]];
    memcpy(s->at, kept, (size_t)count * sizeof *kept);
    s->count = count;
}

/* Find the nearest point of the simplex, which does not contain the origin, and keep the corners
 * that it needs. A point or an edge is a triangle with equal corners. */
static void reduce(simplex *s)
{
    static const int small[3][4] = {{0, 0, 0}, {0, 1, 1}, {0, 1, 2}};
    const int(*face)[4] = s->count < 4 ? &small[s->count - 1] : faces, *best = face[0];
    kg_triangle_nearest nearest = {.squared = KG_NEVER};
    for (int k = 0; k < (s->count < 4 ? 1 : 4); ++k) {
        const double *const at[3] = {s->at[face[k][0]].x, s->at[face[k][1]].x, s->at[face[k][2]].x};
        kg_triangle_nearest other;
        kg_triangle_find_nearest(at, kg_zero3, &other);
        if (other.squared < nearest.squared) nearest = other, best = face[k];
    }
    uint32_t k = nearest.part < KG_TRIANGLE_CORNER ? nearest.part - KG_TRIANGLE_EDGE
                                                   : nearest.part - KG_TRIANGLE_CORNER;
    const int edge[2] = {best[k % 3], best[(k + 1) % 3]};
    if (nearest.part == KG_TRIANGLE_FACE) keep_corners(s, best, 3);
    else keep_corners(s, edge, nearest.part < KG_TRIANGLE_CORNER ? 2 : 1);
    kg_copy3(s->nearest, nearest.point);
    s->squared = nearest.squared;
}

/* Add the point of D that is farthest in the direction from `nearest` to the origin. Returns the
 * largest magnitude of a coordinate of its two points. */
static double add_corner(simplex *s, const kg_convex *a, const kg_convex *b)
{
    corner *c = &s->at[s->count++];
    double against[3], of_b[3];
    kg_scale3(against, s->nearest, -1);
    a->farthest(a->solid, against, c->of_a);
    b->farthest(b->solid, s->nearest, of_b);
    kg_sub3(c->x, c->of_a, of_b);
    return kg_max(kg_max_abs3(c->of_a), kg_max_abs3(of_b));
}

bool kg_convex_meet(const kg_convex *a, const kg_convex *b, const double start[3], double point[3])
{
    simplex s = {.squared = KG_NEVER};
    double largest = 0, share[4];
    kg_copy3(s.nearest, start);
    for (int step = 0; step < STEPS_LIMIT; ++step) {
        largest = kg_max(largest, add_corner(&s, a, b));
        double tolerance = KG_CONVEX_TOLERANCE * largest, before = s.squared;
        double height = kg_dot3(s.nearest, s.at[s.count - 1].x);
        if (height > tolerance * kg_length3(s.nearest)) return false;
        if (s.count == 4 && set_shares(&s, share)) {
            mix(&s, share, point);
            return true;
        }
        reduce(&s);
        if (s.squared <= tolerance * tolerance) {
            mix_nearest(&s, point);
            return true;
        }
        if (!(s.squared < before)) return false;
    }
    return false;
}
