/* Turns by a rotation vector, as unit quaternions x, y, z, w. In: a constant spin and a time. Out:
 * the quaternion of the turn, to rounding, for any angle. Pure functions without libm other than
 * sqrt. */
#ifndef KG_BASE_ROTATION_H
#define KG_BASE_ROTATION_H

#include "base/vec.h"

/* Maximum rounding error of the squared length of a normalised quaternion, with a margin. */
#define KG_ROTATION_ROUNDING 0x1p-48

/* Normalise a quaternion. A normalised one keeps its bits, so a saved rotation is restored bit for
 * bit. */
static inline void kg_rotation_normalise(double q[4])
{
    double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    double length = kg_abs(length2 - 1) < KG_ROTATION_ROUNDING ? 1 : sqrt(length2);
    for (int k = 0; k < 4; ++k) q[k] = q[k] / length + 0.0; /* -0 becomes +0 */
}

/* The quaternion of a turn by the rotation vector spin * t. Half the angle is halved until it is at
 * most 1/2, where Taylor series give sine and cosine; squaring the quaternion undoes each halving.
 * No turn if spin * t overflows. */
static inline void kg_rotation_turn(const double spin[3], double t, double q[4])
{
    double half[3] = {0.5 * spin[0] * t, 0.5 * spin[1] * t, 0.5 * spin[2] * t};
    int halvings = 0;
    if (!kg_finite3(half)) kg_set3(half, 0, 0, 0);
    for (; kg_dot3(half, half) > 0.25; ++halvings) kg_scale3(half, half, 0.5);
    double x2 = kg_dot3(half, half), cosine = 1, sine = 1;
    for (int n = 16; n > 0; n -= 2) cosine = 1 - x2 / (n * (n - 1)) * cosine;
    for (int n = 17; n > 1; n -= 2) sine = 1 - x2 / (n * (n - 1)) * sine;
    kg_scale3(q, half, sine);
    q[3] = cosine;
    for (; halvings > 0; --halvings) {
        double once[4] = {q[0], q[1], q[2], q[3]};
        kg_rotation_product(q, once, once);
        kg_rotation_normalise(q);
    }
}

#endif
