/* Tests whether a box or an ellipsoid meets a triangle: whether they touch or overlap. In: shapes,
 * m. Out: true, and a point that both contain. The order of operations is fixed, so that results
 * are the same on every machine. Cost: some hundred flops. */
#ifndef KG_GEOMETRY_OVERLAP_SHAPES_H
#define KG_GEOMETRY_OVERLAP_SHAPES_H

#include "geometry/ellipsoid.h"

/* A solid ellipsoid and its place. */
typedef struct kg_placed_ellipsoid {
    kg_ellipsoid shape;
    double center[3]; /* m */
} kg_placed_ellipsoid;

/* In: finite numbers; a unit quaternion, or NULL. */
void kg_ellipsoid_place(kg_placed_ellipsoid *solid, const double center[3],
                        const double semi_axes[3], const double *rotation);
/* The point that is farthest along a direction, of an ellipsoid around the origin with semi-axes
 * along x, y and z; in the unit of the semi-axes. */
void kg_ellipsoid_support_in_frame(const double axes[3], const double direction[3],
                                   double point[3]);
/* The point of the ellipsoid that is farthest along a direction. */
void kg_ellipsoid_support(const kg_placed_ellipsoid *solid, const double direction[3],
                          double point[3]);

bool kg_box_meets_triangle(const double min[3], const double max[3], const double *const corner[3],
                           double point[3]);
/* `point`: the point of the triangle that is deepest in the ellipsoid. */
bool kg_ellipsoid_meets_triangle(const kg_placed_ellipsoid *solid, const double *const corner[3],
                                 double point[3]);

#endif
