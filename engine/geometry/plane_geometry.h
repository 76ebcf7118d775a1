/* Slopes against a plane n.x = d, and feet of perpendiculars. In: unit normal n, offset d (m), a
 * point (m) or a direction. Cost: two dot products. */
#ifndef KG_GEOMETRY_PLANE_GEOMETRY_H
#define KG_GEOMETRY_PLANE_GEOMETRY_H

#include "base/vec.h"

/* The change of height along a direction, n.direction. It is 0 if rounding hides its sign, so a
 * direction in the plane has the slope 0. */
double kg_plane_slope(const double normal[3], const double along[3]);

/* Bound of the rounding error of the squared length of a normalised vector: 5 roundings of the sum,
 * and twice the 2 of each component, of 2^-53 each. */
#define KG_UNIT_ROUNDING 0x1p-49

/* The unit normal of a plane. Returns `normal` if it is unit up to rounding. Else `unit` receives
 * the normalised normal, and the offset is divided by the length, so that the plane has the same
 * points and heights are lengths. */
static inline const double *kg_plane_normalize(const double normal[3], double *offset,
                                               double unit[3])
{
    double length2 = kg_dot3(normal, normal);
    if (kg_abs(length2 - 1) <= KG_UNIT_ROUNDING) return normal;
    double length = sqrt(length2);
    kg_set3(unit, normal[0] / length, normal[1] / length, normal[2] / length);
    *offset /= length;
    return unit;
}

/* The foot of the perpendicular from a point. on_plane may be point. */
void kg_plane_project(const double normal[3], double offset, const double point[3],
                      double on_plane[3]);

#endif
