/* Rotation of a vector. */
#ifndef SUPPORT_TURN_H
#define SUPPORT_TURN_H

#include <string.h>

/* out = v turned by a unit quaternion x, y, z, w: v + w t + q x t with t = 2 q x v. out may be
 * v. */
static inline void support_turn(const double q[4], const double v[3], double out[3])
{
    double t[3], turned[3];
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        t[k] = 2 * (q[i] * v[j] - q[j] * v[i]);
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        turned[k] = v[k] + q[3] * t[k] + q[i] * t[j] - q[j] * t[i];
    }
    memcpy(out, turned, sizeof turned);
}

#endif
