/* Distance to an ellipsoid in long double by bisection, independent of the engine's code.
 * In: a point outside or on the surface and semi-axes, in the ellipsoid's frame. Out: m. */
#ifndef TEST_ORACLE_ELLIPSOID_H
#define TEST_ORACLE_ELLIPSOID_H

#include <math.h>

static inline long double oracle_ellipsoid_distance(const long double y[3], const double axes[3])
{
    long double low = 0, high = 0, x[3], sum = 0;
    for (int k = 0; k < 3; ++k) high += fabsl(y[k]) * axes[k]; /* every term is below 1 there */
    for (int k = 0; k < 3; ++k) sum += (y[k] / axes[k]) * (y[k] / axes[k]);
    if (sum <= 1) return 0;
    for (int step = 0; step < 200; ++step) {
        long double t = (low + high) / 2, n = 0;
        for (int k = 0; k < 3; ++k) {
            long double w = axes[k] * y[k] / (t + (long double)axes[k] * axes[k]);
            n += w * w;
        }
        if (n > 1) low = t;
        else high = t;
    }
    sum = 0;
    for (int k = 0; k < 3; ++k) {
        x[k] = y[k] - axes[k] * (axes[k] * y[k] / (high + (long double)axes[k] * axes[k]));
        sum += x[k] * x[k];
    }
    return sqrtl(sum);
}

#endif
