/* Heights over a plane n.x = d and slopes against it, with reliable signs. In: unit normal, offset
 * (m), a point (m) or a direction. Out: n.point - d (m) or n.direction; 0 where rounding hides the
 * sign, so a direction in the plane has slope 0. Cost: two dot products. */
#ifndef KG_GEOMETRY_PLANE_GEOMETRY_H
#define KG_GEOMETRY_PLANE_GEOMETRY_H

double kg_plane_slope(const double normal[3], const double along[3]);

/* Foot of the perpendicular from the point. on_plane may be point. */
void kg_plane_project(const double normal[3], double offset, const double point[3],
                      double on_plane[3]);

#endif
