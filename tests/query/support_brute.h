/* Queries by brute force over the pure functions, as an oracle for those of a world. */
#ifndef SUPPORT_BRUTE_H
#define SUPPORT_BRUTE_H

#include <kugel/kugel.h>

enum { BRUTE_MOST = 1 << 12 };

/* A world's bodies with every periodic image up to `images` boxes away. */
typedef struct support_brute {
    const kugel_world *world;
    double length[3]; /* m, of periodic axes, else 0 */
    int images;
} support_brute;

/* All results in the queries' order, in a malloc'ed array of *count. filter NULL: no filter. */
kugel_ray_hit *support_brute_ray(const support_brute *brute, const kugel_ray *ray,
                                 const kugel_filter *filter, size_t *count);
kugel_cast_hit *support_brute_cast(const support_brute *brute, const kugel_ray *ray, double radius,
                                   const kugel_filter *filter, size_t *count);

/* The gap of a volume and a body in m; a body with gap <= 0 is a result. */
typedef double support_gap(const void *volume, const double center[3], double radius);
kugel_found *support_brute_found(const support_brute *brute, support_gap *gap, const void *volume,
                                 const kugel_filter *filter, size_t *count);

#endif
