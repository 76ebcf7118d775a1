/* Compares every query of a world with brute force: hit for hit and bit for bit, without
 * tolerances, because a query has the bits of the pure functions and a total order (ties in time,
 * distance or gap go to the lower kind, index and image). Returned: the number of results. */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include "query/support_brute.h"

/* A sphere (center, radius), a point (center), a box (center to max) and an ellipsoid. */
typedef struct support_volume {
    double center[3], radius, max[3], axes[3], rotation[4];
} support_volume;

/* Equal fields of n results, bit for bit. */
bool support_same_rays(const kugel_ray_hit *a, const kugel_ray_hit *b, size_t n);
bool support_same_casts(const kugel_cast_hit *a, const kugel_cast_hit *b, size_t n);
bool support_same_found(const kugel_found *a, const kugel_found *b, size_t n);

/* kugel_world_ray_all, _closest, _any. */
size_t support_check_ray(const support_brute *brute, const kugel_ray *ray,
                         const kugel_filter *filter);
/* kugel_world_cast_all, _closest, _any. */
size_t support_check_cast(const support_brute *brute, const kugel_ray *ray, double radius,
                          const kugel_filter *filter);
/* kugel_world_overlap_sphere, _point, _overlap_box, _overlap_ellipsoid. */
size_t support_check_volumes(const support_brute *brute, const support_volume *volume,
                             const kugel_filter *filter);
void support_check_nearest(const support_brute *brute, const double point[3], double most,
                           size_t capacity, const kugel_filter *filter);
/* kugel_world_rays_closest against kugel_world_ray_closest. */
void support_check_batch(const support_brute *brute, size_t count, const kugel_ray *rays,
                         const kugel_filter *filter);
/* kugel_world_plane_side, all three sides. */
size_t support_check_side(const support_brute *brute, const double normal[3], double offset,
                          const kugel_filter *filter);

#endif
