/* Solid ellipsoids in worlds against the pure functions kugel_ray_ellipsoid,
 * kugel_sweep_sphere_ellipsoid and kugel_ellipsoid_nearest. A world tests a surface in its own
 * frame and on a path of unit direction, so the bits differ. An answer must lie between those for
 * the ellipsoid with semi-axes that are longer and shorter by a margin: 1e-12 of the distances and
 * sizes that enter, some thousand roundings, as short semi-axes let the gap of a point grow by less
 * than its semi-axes do. */
#ifndef SUPPORT_SHIELDS_H
#define SUPPORT_SHIELDS_H

#include "query/support_brute.h"

typedef struct support_shield {
    double center[3], axes[3], rotation[4]; /* m; unit quaternion */
    uint32_t category, mask, group;
    uint32_t index; /* of the surface */
} support_shield;

/* Adds the surface and sets the index. */
void support_shield_add(kugel_world *world, support_shield *shield);
bool support_shield_passes(const support_shield *shield, const kugel_filter *filter);

/* Asserts that the result of a query for one shield is right; NULL: it is no result. */
void support_shield_check_ray(const char *name, const support_shield *shield, const kugel_ray *ray,
                              const kugel_filter *filter, const kugel_ray_hit *hit);
/* slack: of support_surface_slack, m */
void support_shield_check_cast(const char *name, const support_shield *shield, const kugel_ray *ray,
                               double radius, double slack, const kugel_filter *filter,
                               const kugel_cast_hit *hit);
/* Of a sphere. Shields with a gap above `most` (m) may be left out. */
void support_shield_check_found(const char *name, const support_shield *shield,
                                const double center[3], double radius, double most,
                                const kugel_filter *filter, const kugel_found *found);

/* Queries of a world whose only surfaces are the shields. Other targets have the bits of brute
 * force (support_check.h). Returned: the number of shields among the results. */
size_t support_shields_check_ray(const support_brute *brute, size_t count,
                                 const support_shield *shields, const kugel_ray *ray,
                                 const kugel_filter *filter);
size_t support_shields_check_cast(const support_brute *brute, size_t count,
                                  const support_shield *shields, const kugel_ray *ray,
                                  double radius, const kugel_filter *filter);
/* Nearest targets and those in a sphere. */
size_t support_shields_check_near(const support_brute *brute, size_t count,
                                  const support_shield *shields, const double center[3],
                                  double radius, const kugel_filter *filter);

#endif
