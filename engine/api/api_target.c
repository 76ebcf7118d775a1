/* See api_target.h. Functions of libm other than sqrt are not used, so that all platforms give the
 * same bits. */
#include "api/api_target.h"

#include <math.h>

#include "base/vec.h"

/* The unit quaternion r with r from = to and r[3] >= 0. */
static void rotation_between(const double from[4], const double to[4], double r[4])
{
    double cross[3], length2;
    kg_cross3(cross, from, to);
    for (int k = 0; k < 3; ++k) r[k] = from[3] * to[k] - to[3] * from[k] + cross[k];
    r[3] = from[3] * to[3] + kg_dot3(from, to);
    length2 = kg_dot3(r, r) + r[3] * r[3];
    double scale = (r[3] < 0 ? -1 : 1) / sqrt(length2);
    for (int k = 0; k < 4; ++k) r[k] *= scale;
}

/* Replace the rotation r, with r[3] >= 0, by the rotation about the same axis by half the angle. */
static void halve_rotation(double r[4])
{
    double length2 = kg_dot3(r, r), w = r[3] + 1, scale = 1 / sqrt(length2 + w * w);
    for (int k = 0; k < 3; ++k) r[k] *= scale;
    r[3] = w * scale;
}

/* arcsin x / x for |x| <= sin(pi / 64). The next term of the Taylor series is below 4e-18. */
static double arcsine_ratio(double x)
{
    double y = x * x;
    return 1 +
           y * (1 / 6. + y * (3 / 40. + y * (15 / 336. + y * (105 / 3456. + y * (945 / 42240.)))));
}

/* Rotation vector of r, rad. Five halvings of the rotation leave a quaternion with a vector part of
 * at most sin(pi / 64). */
static void rotation_vector(double r[4], double vector[3])
{
    enum { HALVINGS = 5 };
    for (int k = 0; k < HALVINGS; ++k) halve_rotation(r);
    double ratio = 2 * (1 << HALVINGS) * arcsine_ratio(kg_length3(r));
    for (int k = 0; k < 3; ++k) vector[k] = ratio * r[k];
}

void kg_api_spin_to(const double from[4], const double to[4], double dt, double spin[3])
{
    double rotation[4];
    rotation_between(from, to, rotation);
    rotation_vector(rotation, spin);
    for (int k = 0; k < 3; ++k) spin[k] = spin[k] / dt + 0.0;
}
