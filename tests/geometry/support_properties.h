/* Properties of every public function of kugel/geometry.h, tested on random inputs against
 * support_solids.h. Each property holds for one input of a random generator.
 * Environment: KUGEL_INPUTS, the number of inputs; KUGEL_SEED, the seed of the first one. A wrong
 * input is printed with its seed; KUGEL_SEED=<seed> KUGEL_INPUTS=1 repeats it.
 *
 * Tolerance: 20 units in the last place of the problem's scale, the sum of the distances, sizes and
 * path lengths that enter the result. The engine's operations on one input are about as many. */
#ifndef SUPPORT_PROPERTIES_H
#define SUPPORT_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>

#include "geometry/support_solids.h"
#include "geometry/support_starts.h"

/* clang-format off */
#define SUPPORT_PROPERTIES(X)                                                                      \
    X(point_sphere) X(ray_sphere) X(ray_sphere_slide) X(segment_sphere) X(line_sphere)             \
    X(ray_plane) X(segment_plane) X(plane_sphere) X(plane_sphere_circle) X(point_ellipsoid)        \
    X(ray_ellipsoid) X(ray_ellipsoid_slide) X(segment_ellipsoid) X(ellipsoid_nearest)              \
    X(sweep_spheres) X(sweep_spheres_at_rest) X(sweep_spheres_slide) X(sweep_sphere_plane)         \
    X(sweep_sphere_box) X(sweep_sphere_ellipsoid) X(sweep_sphere_capsule)                          \
    X(sweep_sphere_triangle) X(sweep_sphere_flat_triangle) X(sweep_sphere_disc)                    \
    X(sweep_sphere_oriented_box) X(overlap_spheres) X(overlap_sphere_box)
/* clang-format on */

/* NULL if the results for the next input are right, else what is wrong. */
typedef const char *support_property(support_random *random);

#define SUPPORT_DECLARE_PROPERTY(name) support_property support_property_##name;
SUPPORT_PROPERTIES(SUPPORT_DECLARE_PROPERTY)

/* The number of wrong inputs of `count`, or of KUGEL_INPUTS. */
size_t support_property_count_wrong(const char *name, support_property *property, size_t count);

/* One input's numbers, printed if the input is wrong. */
void support_property_note(const char *what, const double *numbers, size_t count);

static inline long double support_tolerance(long double scale)
{
    return 20 * SUPPORT_UNIT * scale + 20 * 0x1p-1074L;
}

#define SUPPORT_CHECK(condition)                                                                   \
    do {                                                                                           \
        if (!(condition)) return #condition;                                                       \
    } while (0)

#endif
