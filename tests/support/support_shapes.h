/* Signed distances of solid shapes in long double, for tests. */
#ifndef SUPPORT_SHAPES_H
#define SUPPORT_SHAPES_H

#include "kugel/surface.h"

/* Signed distance of a point from a solid shape, m; negative inside, where its absolute value may
 * be less than the depth. */
double support_shape_distance(const kugel_surface_def *def, const double point[3]);

#endif
