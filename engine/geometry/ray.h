/* The entry of a ray into a sphere without all that kugel_ray_sphere tells besides: for queries, which
 * ask many spheres and report few. */
#ifndef KG_GEOMETRY_RAY_H
#define KG_GEOMETRY_RAY_H

#include <stdbool.h>

/* Does kugel_ray_sphere report a hit, and at which t_enter? The same bits; numbers must be finite, places
 * and the radius such that the points of a hit are finite too. */
bool kg_ray_sphere_enter(const double origin[3], const double direction[3], const double center[3], double radius,
                         double *enter);

#endif
