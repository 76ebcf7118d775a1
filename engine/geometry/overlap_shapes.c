/* Tests whether two solids meet. In, out, cost: overlap_shapes.h. Triangle and box: the box clips
 * the triangle; they meet if a part is left. Triangle and ellipsoid: in coordinates in which the
 * ellipsoid is the unit ball, the triangle's point nearest to the centre decides. Box and
 * ellipsoid: the ellipsoid's centre in the box, or one of the box's 12 triangles. Two ellipsoids:
 * the function of J. Perram and M. Wertheim ("Statistical mechanics of hard ellipsoids", J. Comput.
 * Phys. 58, 1985), which exceeds 1 exactly when they are apart. */
#include "geometry/overlap_shapes.h"

#include <string.h>

#include "base/vec.h"
#include "geometry/triangle.h"

/* maximum number of corners of the clipped triangle: each face of the box adds at most one */
enum { CORNERS = 3 + 6 };

/* Replace the polygon by its part on one side of the plane x[axis] = bound: above for side 1,
 * below for side -1. Returns the number of corners. */
static int clip_polygon(double polygon[CORNERS][3], int count, int axis, double bound, int side)
{
    double kept[CORNERS + 1][3];
    int n = 0;
    for (int i = 0; i < count; ++i) {
        const double *a = polygon[i], *b = polygon[(i + 1) % count];
        double above_a = side * (a[axis] - bound), above_b = side * (b[axis] - bound);
        if (above_a >= 0) kg_copy3(kept[n++], a);
        if ((above_a > 0 && above_b < 0) || (above_a < 0 && above_b > 0)) {
            double edge[3];
            kg_sub3(edge, b, a);
            kg_add_scaled3(kept[n], a, above_a / (above_a - above_b), edge);
            kept[n++][axis] = bound;
        }
    }
    if (n > CORNERS) n = CORNERS; /* rounding near the plane can add a corner */
    memcpy(polygon, kept, (size_t)n * sizeof *kept);
    return n;
}

bool kg_box_meets_triangle(const double min[3], const double max[3], const double *const corner[3],
                           double point[3])
{
    double polygon[CORNERS][3];
    int count = 3;
    for (int i = 0; i < 3; ++i) kg_copy3(polygon[i], corner[i]);
    for (int axis = 0; axis < 3 && count; ++axis) {
        count = clip_polygon(polygon, count, axis, min[axis], 1);
        if (count) count = clip_polygon(polygon, count, axis, max[axis], -1);
    }
    kg_set3(point, 0, 0, 0);
    for (int i = 0; i < count; ++i) kg_add_scaled3(point, point, 1.0 / count, polygon[i]);
    return count > 0;
}

void kg_ellipsoid_place(kg_placed_ellipsoid *solid, const double center[3],
                        const double semi_axes[3], const double *rotation)
{
    bool finite;
    kg_copy3(solid->center, center);
    (void)kg_ellipsoid_make(&solid->shape, semi_axes, rotation, &finite);
}

void kg_ellipsoid_support_in_frame(const double axes[3], const double direction[3], double point[3])
{
    double along[3];
    for (int k = 0; k < 3; ++k) along[k] = axes[k] * direction[k];
    double length = kg_length3(along);
    for (int k = 0; k < 3; ++k) point[k] = axes[k] * (along[k] / length);
}

void kg_ellipsoid_support(const kg_placed_ellipsoid *solid, const double direction[3],
                          double point[3])
{
    const kg_ellipsoid *e = &solid->shape;
    double along[3], out[3];
    kg_ellipsoid_to_frame(e, direction, along);
    kg_ellipsoid_support_in_frame(e->axes, along, out);
    kg_ellipsoid_to_world(e, out, out);
    kg_add_scaled3(point, solid->center, 1 / e->scale, out);
}

/* Converts a point of the world to coordinates in which the ellipsoid is the unit ball. */
static void to_ball(const kg_placed_ellipsoid *solid, const double x[3], double out[3])
{
    const kg_ellipsoid *e = &solid->shape;
    double d[3];
    kg_sub3(d, x, solid->center);
    kg_scale3(d, d, e->scale);
    kg_ellipsoid_to_frame(e, d, out);
    for (int k = 0; k < 3; ++k) out[k] /= e->axes[k];
}

/* The inverse of to_ball. */
static void from_ball(const kg_placed_ellipsoid *solid, const double y[3], double out[3])
{
    const kg_ellipsoid *e = &solid->shape;
    const double d[3] = {y[0] * e->axes[0], y[1] * e->axes[1], y[2] * e->axes[2]};
    kg_ellipsoid_to_world(e, d, out);
    kg_add_scaled3(out, solid->center, 1 / e->scale, out);
}

/* Set *squared and `point` to the squared distance and the place of the triangle's point nearest to
 * the ball's centre, if it is nearer than *squared; both in the coordinates of to_ball. */
static void keep_nearest(const kg_placed_ellipsoid *solid, const double *const corner[3],
                         double *squared, double point[3])
{
    double at[3][3];
    const double *const scaled[3] = {at[0], at[1], at[2]};
    kg_triangle_nearest nearest;
    for (int k = 0; k < 3; ++k) to_ball(solid, corner[k], at[k]);
    kg_triangle_find_nearest(scaled, kg_zero3, &nearest);
    if (!(nearest.squared < *squared)) return;
    *squared = nearest.squared;
    kg_copy3(point, nearest.point);
}

bool kg_ellipsoid_meets_triangle(const kg_placed_ellipsoid *solid, const double *const corner[3],
                                 double point[3])
{
    double squared = 2, at[3] = {0};
    keep_nearest(solid, corner, &squared, at);
    from_ball(solid, at, point);
    return squared <= 1;
}

/* keep_nearest for the two triangles of a box's face. side: true for the face at max[axis]. */
static void keep_nearest_of_face(const kg_placed_ellipsoid *solid, const double min[3],
                                 const double max[3], int axis, bool side, double *squared,
                                 double at[3])
{
    double quad[4][3];
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int k = 0; k < 4; ++k) {
        quad[k][axis] = side ? max[axis] : min[axis];
        quad[k][u] = k == 1 || k == 2 ? max[u] : min[u];
        quad[k][v] = k >= 2 ? max[v] : min[v];
    }
    const double *const one[3] = {quad[0], quad[1], quad[2]}, *const two[3] = {quad[0], quad[2],
                                                                               quad[3]};
    keep_nearest(solid, one, squared, at);
    keep_nearest(solid, two, squared, at);
}

bool kg_ellipsoid_meets_box(const kg_placed_ellipsoid *solid, const double min[3],
                            const double max[3], double point[3])
{
    const double *c = solid->center;
    double squared = 2, at[3] = {0};
    bool inside = true;
    for (int k = 0; k < 3; ++k) inside = inside && c[k] >= min[k] && c[k] <= max[k];
    kg_copy3(point, c);
    if (inside) return true;
    for (int face = 0; face < 6; ++face)
        keep_nearest_of_face(solid, min, max, face / 2, face % 2, &squared, at);
    from_ball(solid, at, point);
    return squared <= 1;
}

/* A symmetric matrix: xx, yy, zz, xy, yz, zx. */
typedef struct symmetric {
    double m[6];
} symmetric;

/* The matrix sum of a_k^2 u_k u_k^T over the semi-axes a_k with directions u_k. scale: from
 * m to the lengths of the matrix. */
static symmetric sum_of_squared_axes(const kg_placed_ellipsoid *solid, double scale)
{
    const kg_ellipsoid *e = &solid->shape;
    double thinnest = kg_max_abs3(e->axes) * 0x1p-20;
    symmetric q = {{0}};
    for (int k = 0; k < 3; ++k) {
        const double *u = e->world_to_frame[k];
        double a = kg_max(e->axes[k], thinnest) / e->scale * scale;
        for (int i = 0; i < 3; ++i) {
            q.m[i] += a * a * u[i] * u[i];
            q.m[3 + i] += a * a * u[i] * u[(i + 1) % 3];
        }
    }
    return q;
}

static void multiply(const symmetric *q, const double x[3], double out[3])
{
    const double *m = q->m;
    kg_set3(out, m[0] * x[0] + m[3] * x[1] + m[5] * x[2], m[3] * x[0] + m[1] * x[1] + m[4] * x[2],
            m[5] * x[0] + m[4] * x[1] + m[2] * x[2]);
}

/* Solves q x = d for a positive definite q, by the decomposition L D L^T. */
static void solve(const symmetric *q, const double d[3], double x[3])
{
    const double *m = q->m;
    double l10 = m[3] / m[0], l20 = m[5] / m[0];
    double d1 = m[1] - l10 * m[3], s21 = m[4] - l20 * m[3], l21 = s21 / d1;
    double d2 = m[2] - l20 * m[5] - l21 * s21;
    double y1 = d[1] - l10 * d[0], y2 = d[2] - l20 * d[0] - l21 * y1;
    x[2] = y2 / d2;
    x[1] = y1 / d1 - l21 * x[2];
    x[0] = d[0] / m[0] - l10 * x[1] - l20 * x[2];
}

/* The minimum over space of share F_a + (1 - share) F_b, where F is the quadratic form of an
 * ellipsoid, 1 on its surface. d: from the centre of a to that of b. x: the place of the minimum,
 * from the centre of a. */
static double perram_wertheim(const symmetric *a, const symmetric *b, const double d[3],
                              double share, double x[3])
{
    symmetric sum;
    double solved[3];
    for (int i = 0; i < 6; ++i) sum.m[i] = (1 - share) * a->m[i] + share * b->m[i];
    solve(&sum, d, solved);
    multiply(a, solved, x);
    kg_scale3(x, x, 1 - share);
    return share * (1 - share) * kg_dot3(d, solved);
}

/* The ellipsoids meet if the maximum of perram_wertheim over `share` is at most 1. A golden-section
 * search finds it; the error of the maximum is of second order in the error of `share`. */
bool kg_ellipsoids_meet(const kg_placed_ellipsoid *a, const kg_placed_ellipsoid *b, double point[3])
{
    const double golden = 0.6180339887498949;
    double d[3], x[3], low = 0, high = 1, one = 1 - golden, two = golden;
    kg_sub3(d, b->center, a->center);
    double longest = kg_max(kg_max_abs3(a->shape.axes) / a->shape.scale,
                            kg_max_abs3(b->shape.axes) / b->shape.scale);
    double scale = kg_unit_scale(kg_max(longest, kg_max_abs3(d)));
    symmetric qa = sum_of_squared_axes(a, scale), qb = sum_of_squared_axes(b, scale);
    kg_scale3(d, d, scale);
    double at_one = perram_wertheim(&qa, &qb, d, one, x),
           at_two = perram_wertheim(&qa, &qb, d, two, x);
    for (int i = 0; i < 60; ++i) {
        if (at_one > 1 || at_two > 1) return false;
        if (at_one < at_two) {
            low = one, one = two, at_one = at_two;
            two = low + golden * (high - low);
            at_two = perram_wertheim(&qa, &qb, d, two, x);
        } else {
            high = two, two = one, at_two = at_one;
            one = high - golden * (high - low);
            at_one = perram_wertheim(&qa, &qb, d, one, x);
        }
    }
    kg_add_scaled3(point, a->center, 1 / scale, x);
    return at_one <= 1 && at_two <= 1;
}
