/* The entry of a ray into a sphere, without the points and normals of kugel_ray_sphere: for tests
 * of many spheres with few hits. In: ray, sphere. Out: hit and t_enter with the bits of
 * kugel_ray_sphere. Cost: one square root. */
#ifndef KG_GEOMETRY_RAY_SPHERE_H
#define KG_GEOMETRY_RAY_SPHERE_H

#include <math.h>
#include <stdbool.h>

#include "geometry/roots.h"

/* True if the ray hits. kugel_ray_sphere then hits as well, provided that the points of its hit do
 * not overflow. */
bool kg_ray_sphere_enter(const double origin[3], const double direction[3], const double center[3],
                         double radius, double *enter);

/* Magnitudes for which scaling by powers of two changes no bit: squares of products stay in the
 * range of doubles. 0 is allowed as well. */
#define KG_UNSCALED_MIN 1e-60
#define KG_UNSCALED_MAX 1e60
/* kg_ray_sphere_enter without scaling. In: m = centre - origin, direction u, uu = u.u > 0, radius;
 * the components of m, the radius and the largest component of u are 0 or within the limits above.
 * No branches, so that loops vectorise. */
static inline bool kg_ray_sphere_unscaled(double m0, double m1, double m2, const double u[3],
                                          double uu, double radius, double *enter)
{
    double b = m0 * u[0] + m1 * u[1] + m2 * u[2], closest = b / uu, along = -closest;
    double c = m0 * m0 + m1 * m1 + m2 * m2 - radius * radius;
    double p0 = m0 + along * u[0], p1 = m1 + along * u[1], p2 = m2 + along * u[2];
    double s = radius * radius - (p0 * p0 + p1 * p1 + p2 * p2), disc = uu * s;
    double near = kg_entry_root(b, c, disc, closest);
    *enter = c <= 0 ? 0 : near;
    return (c <= 0) | ((b > 0) & (s >= 0));
}

#endif
