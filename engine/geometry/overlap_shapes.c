/* A box or an ellipsoid and a triangle (overlap_shapes.h). The box clips the triangle; they meet if
 * a part is left. In coordinates in which the ellipsoid is the unit ball, the triangle's point
 * nearest to the centre decides. */
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

bool kg_ellipsoid_meets_triangle(const kg_placed_ellipsoid *solid, const double *const corner[3],
                                 double point[3])
{
    double at[3][3];
    const double *const scaled[3] = {at[0], at[1], at[2]};
    kg_triangle_nearest nearest;
    for (int k = 0; k < 3; ++k) to_ball(solid, corner[k], at[k]);
    kg_triangle_find_nearest(scaled, kg_zero3, &nearest);
    from_ball(solid, nearest.point, point);
    return nearest.squared <= 1;
}
