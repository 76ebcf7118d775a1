/* Heights and slopes against a plane n.x = d whose sign can be trusted.
 * In: unit normal, offset (m), a point (m) or a direction. Out: signed numbers, 0 when the rounding
 * of their own terms hides the sign: an in-plane direction has slope exactly 0. Cost: a dot
 * product. */
#ifndef KG_GEOMETRY_PLANE_GEOMETRY_H
#define KG_GEOMETRY_PLANE_GEOMETRY_H

double kg_plane_slope(const double normal[3], const double along[3]);
double kg_plane_height(const double normal[3], double offset, const double point[3]);

/* Foot of the perpendicular from the point. on_plane may be point. */
void kg_plane_project(const double normal[3], double offset, const double point[3],
                      double on_plane[3]);

#endif
