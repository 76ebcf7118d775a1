/* Queries by brute force over the pure functions, as an oracle for those of a world. Each pure
 * result is compared with the gap of the two solids in long double, where that gap is large enough
 * to decide. */
#ifndef SUPPORT_BRUTE_H
#define SUPPORT_BRUTE_H

#include <kugel/kugel.h>

enum { BRUTE_MOST = 1 << 12 };

/* A world's bodies with a range of periodic images, and its other targets but surfaces. */
typedef struct support_brute {
    const kugel_world *world;
    const char *name;          /* printed on a failure */
    double length[3];          /* m, of periodic axes, else 0 */
    int32_t first[3], last[3]; /* images along periodic axes, both included */
} support_brute;

/* Images from -images to images along every periodic axis. */
void support_brute_set_images(support_brute *brute, int32_t images);

/* All results in the queries' order, in a malloc'ed array of *count. */
kugel_ray_hit *support_brute_ray(const support_brute *brute, const kugel_ray *ray,
                                 const kugel_filter *filter, size_t *count);
kugel_cast_hit *support_brute_cast(const support_brute *brute, const kugel_ray *ray, double radius,
                                   const kugel_filter *filter, size_t *count);

/* A sphere that touches a target at its start, or would if it were larger by a thousandth, and
 * meets it at a flat angle, enters it by this thousandth (m), or if it starts deeper, goes
 * deeper. */
double support_cast_slack(double radius);
/* The slack if the sphere rests on a surface: then it applies to all surfaces. Else 0. */
double support_surface_slack(const kugel_world *world, const kugel_ray *ray, double radius,
                             const kugel_filter *filter);

/* A wall: normal . x <= offset. */
typedef struct support_half_space {
    kugel_target target;
    uint32_t index;
    double normal[3], offset;
} support_half_space;
enum { BRUTE_HALF_SPACES = 6 };
/* Those that the filter selects, in the queries' order; returns their number. */
int support_half_spaces(const support_brute *brute, const kugel_filter *filter,
                        support_half_space spaces[BRUTE_HALF_SPACES]);
bool support_has(const kugel_filter *filter, kugel_target target);
/* True if the filter's function, if there is one, accepts the target. */
bool support_accepts(const kugel_filter *filter, kugel_target target, uint64_t handle);

/* The gap of a volume and a body in m, by a pure function; a body with gap <= 0 is a result. */
typedef double support_gap(const void *volume, const double center[3], double radius);
/* The same in long double. NULL: not compared. */
typedef long double support_exact_gap(const void *volume, const double center[3], double radius);
/* The height of the volume's deepest point over a half space. NULL: they are left out. */
typedef double support_height(const void *volume, const support_half_space *space);
kugel_found *support_brute_found(const support_brute *brute, support_gap *gap,
                                 support_exact_gap *exact, support_height *height, double radius,
                                 const void *volume, const kugel_filter *filter, size_t *count);

/* All targets with gap <= most from a point, bodies in their nearest images. */
kugel_found *support_brute_nearest(const support_brute *brute, const double point[3], double most,
                                   const kugel_filter *filter, size_t *count);

/* Bodies on a side of a plane. */
kugel_found *support_brute_side(const support_brute *brute, const double normal[3], double offset,
                                int side, const kugel_filter *filter, size_t *count);

#endif
