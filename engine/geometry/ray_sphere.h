/* The entry of a ray into a sphere without all that kugel_ray_sphere tells besides: for queries,
 * which ask many spheres and report few. */
#ifndef KG_GEOMETRY_RAY_SPHERE_H
#define KG_GEOMETRY_RAY_SPHERE_H

#include <math.h>
#include <stdbool.h>

/* Does kugel_ray_sphere report a hit, and at which t_enter? The same bits; numbers must be finite,
 * places and the radius such that the points of a hit are finite too. */
bool kg_ray_sphere_enter(const double origin[3], const double direction[3], const double center[3],
                         double radius, double *enter);

/* The same without scaling by powers of two, which changes no bit unless a square leaves the range
 * of doubles: for places, radii of at least 1e-60 and directions whose largest component is within
 * 1e-60 ... 1e60. In: m = centre - origin, uu = u.u > 0. `far` too must be finite then.
 * No branches, so that loops over spheres become vector instructions. */
#define KG_UNSCALED_MIN 1e-60
#define KG_UNSCALED_MAX 1e60
static inline bool kg_ray_sphere_unscaled(double m0, double m1, double m2, const double u[3],
                                          double uu, double radius, double *enter)
{
    double b = m0 * u[0] + m1 * u[1] + m2 * u[2], along = -(b / uu);
    double c = m0 * m0 + m1 * m1 + m2 * m2 - radius * radius;
    double p0 = m0 + along * u[0], p1 = m1 + along * u[1], p2 = m2 + along * u[2];
    double s = radius * radius - (p0 * p0 + p1 * p1 + p2 * p2), disc = uu * s;
    double near = c / (b + sqrt(disc > 0 ? disc : 0));
    *enter = c <= 0 ? 0 : near;
    return (c <= 0) | ((b > 0) & (s >= 0));
}

#endif
