/* Starts for property tests of rays and moving spheres: paths near a solid that is a unit ball when
 * divided by its semi-axes. The paths are tangent, slide, start on the surface or inside, recede,
 * rest, or are denormal; lengths and directions have all magnitudes.
 * In: a random generator. Out: a start with finite numbers. */
#ifndef SUPPORT_STARTS_H
#define SUPPORT_STARTS_H

#include "support/support_random.h"

typedef struct support_start {
    double origin[3], direction[3]; /* of the path */
    double center[3], axes[3];      /* m; a ball has three equal semi-axes */
    double rotation[4];             /* unit quaternion */
    double radius;                  /* m, axes[0] */
} support_start;

typedef enum support_start_shape {
    SUPPORT_STARTS_BALL,
    SUPPORT_STARTS_ELLIPSOID
} support_start_shape;

/* magnitude: lengths are 10^-magnitude ... 10^magnitude, as are directions. */
support_start support_start_any(support_random *random, support_start_shape shape,
                                double magnitude);

/* Of move-and-slide: the start is the point at which a ray met the solid, and the direction is
 * another one without its part along the normal there. Lengths are those of a level. */
support_start support_start_slide(support_random *random, support_start_shape shape);

/* A random number with a random exponent to 10 in [low, high]. */
double support_power(support_random *random, double low, double high);
/* A unit quaternion, at times the identity. */
void support_rotation(support_random *random, double rotation[4]);
/* A unit normal, at times along an axis, at times with a length that is 1 only within 1e-6. */
void support_normal(support_random *random, double normal[3]);

#endif
