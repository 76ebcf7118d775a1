/* Whether two convex solids meet, from their farthest points along directions (E. Gilbert,
 * D. Johnson, S. Keerthi, "A fast procedure for computing the distance between complex objects in
 * three-dimensional space", IEEE J. Robotics and Automation 4(2), 1988). In: solids, m. Out: true,
 * and a common point. The order of operations is fixed. Cost: a few farthest points of each; up to
 * 20 for solids that touch. */
#ifndef KG_GEOMETRY_CONVEX_MEET_H
#define KG_GEOMETRY_CONVEX_MEET_H

#include <stdbool.h>

/* A convex solid, given by a function that finds its point (m) farthest along a direction. The
 * direction is not 0. */
typedef void kg_convex_farthest(const void *solid, const double direction[3], double point[3]);
typedef struct kg_convex {
    kg_convex_farthest *farthest;
    const void *solid;
} kg_convex;

/* Distance that counts as contact, as a share of the coordinates of both solids: more than the
 * rounding of their farthest points. Larger: more solids that are apart count as meeting. */
#define KG_CONVEX_TOLERANCE 1e-12

/* True if the solids meet; `point`: a common point, m. start: from b to a, roughly; not 0. */
bool kg_convex_meet(const kg_convex *a, const kg_convex *b, const double start[3], double point[3]);

#endif
