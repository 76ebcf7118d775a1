/* Brute force over the pure functions, for comparison with a world's queries. */
#ifndef SUPPORT_BRUTE_H
#define SUPPORT_BRUTE_H

#include <kugel/kugel.h>

enum { BRUTE_MOST = 1 << 12 };

/* A world's bodies as they are, with every periodic image up to `images` boxes away. */
typedef struct support_brute {
    const kugel_world *world;
    double length[3]; /* of periodic axes, else 0 */
    int images;
} support_brute;

/* All of them in the queries' order, malloc'ed arrays of *count. filter may be NULL: no filter at
 * all. */
kugel_ray_hit *support_brute_ray(const support_brute *brute, const kugel_ray *ray,
                                 const kugel_filter *filter, size_t *count);
kugel_cast_hit *support_brute_cast(const support_brute *brute, const kugel_ray *ray, double radius,
                                   const kugel_filter *filter, size_t *count);

/* What a volume's gap to a body is; gap <= 0 counts. */
typedef double support_gap(const void *volume, const double center[3], double radius);
kugel_found *support_brute_found(const support_brute *brute, support_gap *gap, const void *volume,
                                 const kugel_filter *filter, size_t *count);

#endif
