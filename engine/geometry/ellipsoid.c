/* TEMPORARY */
#include "geometry/hit.h"
kugel_status kugel_ray_ellipsoid(const double o[3], const double u[3], const double c[3], const double s[3], const double q[4], kugel_hit *hit)
{ (void)q; double p[3], d[3]; static const double z[3]; for (int k = 0; k < 3; ++k) { p[k] = (o[k]-c[k])/s[k]; d[k] = u[k]/s[k]; } return kugel_ray_sphere(p, d, z, 1, hit); }
