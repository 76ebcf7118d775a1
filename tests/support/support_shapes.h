/* Signed distances of solid shapes in long double, for tests. */
#ifndef SUPPORT_SHAPES_H
#define SUPPORT_SHAPES_H

#include "kugel/surface.h"

/* From the surface of a def that is not a mesh to a point of the world, m; below 0 inside,
 * where it is at most as deep as the point. */
double support_shape_distance(const kugel_surface_def *def, const double point[3]);

#endif
