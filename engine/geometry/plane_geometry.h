/* Slopes against a plane n.x = d, and feet of perpendiculars. In: normal n, whose length is 1 within
 * 1e-6, offset d (m), a point (m) or a direction. Cost: two dot products. */
#ifndef KG_GEOMETRY_PLANE_GEOMETRY_H
#define KG_GEOMETRY_PLANE_GEOMETRY_H

/* The change of height along a direction, n.direction. It is 0 if rounding hides its sign, so a
 * direction in the plane has the slope 0. */
double kg_plane_slope(const double normal[3], const double along[3]);

/* The length of a normal; 1 if it is unit up to rounding. Heights are (n.x - d) / length. */
double kg_plane_normal_length(const double normal[3]);

/* The foot of the perpendicular from a point. on_plane may be point. */
void kg_plane_project(const double normal[3], double offset, const double point[3],
                      double on_plane[3]);

#endif
