/* Whether two solids meet: boxes, ellipsoids, triangles. Boundaries are inclusive.
 * In: shapes in m. Out: a point that both have. Order: of operations fixed, so that results are the
 * same everywhere. Cost: some hundred flops; two ellipsoids 60 small systems. */
#ifndef KG_GEOMETRY_OVERLAP_SHAPES_H
#define KG_GEOMETRY_OVERLAP_SHAPES_H

#include "geometry/ellipsoid.h"

/* A solid ellipsoid at a place. */
typedef struct kg_placed_ellipsoid {
    kg_ellipsoid shape;
    double center[3]; /* m */
} kg_placed_ellipsoid;

/* In: finite numbers, a rotation. */
void kg_ellipsoid_place(kg_placed_ellipsoid *solid, const double center[3],
                        const double semi_axes[3], const double *rotation);
/* The point of the ellipsoid farthest along a unit direction. */
void kg_ellipsoid_support(const kg_placed_ellipsoid *solid, const double direction[3],
                          double point[3]);

bool kg_box_meets_triangle(const double min[3], const double max[3], const double *const corner[3],
                           double point[3]);
/* The point: the triangle's, or the box's, innermost in the ellipsoid. */
bool kg_ellipsoid_meets_triangle(const kg_placed_ellipsoid *solid, const double *const corner[3],
                                 double point[3]);
bool kg_ellipsoid_meets_box(const kg_placed_ellipsoid *solid, const double min[3],
                            const double max[3], double point[3]);
/* A semi-axis shorter than 2^-20 of the longest one counts as 2^-20 of it. */
bool kg_ellipsoids_meet(const kg_placed_ellipsoid *a, const kg_placed_ellipsoid *b,
                        double point[3]);

#endif
