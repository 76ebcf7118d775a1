/* The point of a triangle nearest to a point x: the foot of the perpendicular from x on the plane
 * if it is in the triangle, else a point of an edge beyond which the foot lies (C. Ericson,
 * Real-Time Collision Detection, 2005, section 5.1.5). Where the foot is inexact, as that of a
 * sliver, or near an edge, the nearest candidate counts of the foot and all edges: all are points
 * of the triangle. */
#include "geometry/triangle.h"

#include "base/dispatch.h"
#include "base/vec.h"

/* True if the nearest point of edge k is a corner, while that of the other edge at this corner is
 * inside of it. The corner is farther then, but by a square that may round to nothing, while the
 * directions to x still differ. */
static bool is_end_of_nearer(const kg_triangle_nearest edges[3], uint32_t k)
{
    if (edges[k].part < KG_TRIANGLE_CORNER) return false;
    uint32_t corner = edges[k].part - KG_TRIANGLE_CORNER;
    return edges[corner == k ? (k + 2) % 3 : corner].part < KG_TRIANGLE_CORNER;
}

KG_INLINE void find_on_edge(const double *const corner[3], uint32_t k, const double x[3],
                            kg_triangle_nearest *nearest)
{
    const double *a = corner[k], *b = corner[(k + 1) % 3];
    double edge[3], d[3];
    kg_sub3(edge, b, a);
    kg_sub3(d, x, a);
    double along = kg_dot3(d, edge), length = kg_dot3(edge, edge);
    kg_triangle_nearest c = {.part = KG_TRIANGLE_EDGE + k};
    if (!(along > 0)) {
        c.part = KG_TRIANGLE_CORNER + k;
        kg_copy3(c.point, a);
    } else if (along >= length) {
        c.part = KG_TRIANGLE_CORNER + (k + 1) % 3;
        kg_copy3(c.point, b);
    } else {
        kg_add_scaled3(c.point, a, along / length, edge);
    }
    c.squared = kg_squared_distance3(c.point, x);
    *nearest = c;
}

void kg_triangle_find_on_edge(const double *const corner[3], uint32_t k, const double x[3],
                              kg_triangle_nearest *nearest)
{
    find_on_edge(corner, k, x, nearest);
}

static uint32_t longest_edge(const double *const corner[3])
{
    uint32_t longest = 0;
    double squared[3];
    for (uint32_t k = 0; k < 3; ++k) {
        squared[k] = kg_squared_distance3(corner[k], corner[(k + 1) % 3]);
        if (squared[k] > squared[longest]) longest = k;
    }
    return longest;
}

/* The foot of the perpendicular from x on the plane; false if it is outside the triangle. It is
 * computed along and perpendicular to the longest edge: for slivers the perpendicular part is
 * small, and so is its rounding. */
static bool find_on_face(const double *const corner[3], const double x[3], kg_triangle_nearest *c)
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
    c->part = KG_TRIANGLE_FACE;
    for (int axis = 0; axis < 3; ++axis)
        c->point[axis] = start[axis] + d_along * along[axis] + share * f[axis];
    c->squared = kg_squared_distance3(c->point, x);
    return true;
}

/* The nearest of the points of the chosen edges, and of *nearest if that is `found`. */
KG_INLINE void take_nearest_edge(const double *const corner[3], const double x[3],
                                 const bool chosen[3], bool found, kg_triangle_nearest *nearest)
{
    kg_triangle_nearest edges[3];
    for (uint32_t k = 0; k < 3; ++k) {
        edges[k].part = KG_TRIANGLE_CORNER;
        if (chosen[k]) find_on_edge(corner, k, x, &edges[k]);
    }
    for (uint32_t k = 0; k < 3; ++k) {
        if (!chosen[k] || is_end_of_nearer(edges, k)) continue;
        if (!found || edges[k].squared < nearest->squared) *nearest = edges[k];
        found = true;
    }
}

/* The nearest of the foot and all edges. */
static void find_of_all(const double *const corner[3], const double x[3],
                        kg_triangle_nearest *nearest)
{
    static const bool all[3] = {true, true, true};
    bool found = find_on_face(corner, x, nearest);
    take_nearest_edge(corner, x, all, found, nearest);
}

/* Least square of twice the area of a triangle, as a share of the fourth power of its longer edge
 * at corner 0, at which the shares of corners in the foot tell where it is. */
#define SLIVER 1e-4
/* A share nearer to 0 does not tell on which side of the edge the foot is. */
#define SHARE_ROUNDING 1e-6

/* The shares of the corners opposite to each edge in the foot of the perpendicular; false for a
 * sliver. */
static bool find_shares(const double *const corner[3], const double x[3], double share[3])
{
    double e[3], f[3], d[3];
    kg_sub3(e, corner[1], corner[0]);
    kg_sub3(f, corner[2], corner[0]);
    kg_sub3(d, x, corner[0]);
    double ee = kg_dot3(e, e), ef = kg_dot3(e, f), ff = kg_dot3(f, f), de = kg_dot3(d, e),
           df = kg_dot3(d, f), area = ee * ff - ef * ef, longer = kg_max(ee, ff);
    if (!(area > SLIVER * longer * longer)) return false;
    share[2] = (ff * de - ef * df) / area;
    share[0] = (ee * df - ef * de) / area;
    share[1] = 1 - share[0] - share[2];
    return true;
}

void kg_triangle_find_nearest(const double *const corner[3], const double x[3],
                              kg_triangle_nearest *nearest)
{
    double share[3];
    bool beyond[3], sure = find_shares(corner, x, share);
    for (int k = 0; k < 3 && sure; ++k) {
        sure = kg_abs(share[k]) > SHARE_ROUNDING;
        beyond[k] = share[k] < 0;
    }
    if (!sure) {
        find_of_all(corner, x, nearest);
    } else if (beyond[0] || beyond[1] || beyond[2]) {
        take_nearest_edge(corner, x, beyond, false, nearest);
    } else if (!find_on_face(corner, x, nearest)) {
        find_of_all(corner, x, nearest);
    }
}
