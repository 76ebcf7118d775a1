/* See portable_math.h. */
#include "portable_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* x = m 2^e with m in [sqrt 1/2, sqrt 2], ln m = 2 atanh((m - 1) / (m + 1)). */
double portable_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) m *= 0.5, exponent += 1;
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int k = 25; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
    return 2 * s * sum + exponent * 0.6931471805599453;
}

/* x = r + k ln 2 with |r| <= ln 2 / 2; Taylor series of e^r. ln 2 is split, so that k times its
 * upper part is exact. */
double portable_exp(double x)
{
    if (x < -700) return 0;
    double k = nearbyint(x * 1.4426950408889634);
    double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33, sum = 1;
    for (int n = 15; n >= 1; --n) sum = 1 + sum * r / n;
    uint64_t bits = (uint64_t)(1023 + (int64_t)k) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

/* Bisection, then Newton's method. */
double portable_cbrt(double x)
{
    double root = 1;
    while (root * root * root > x) root *= 0.5;
    while (root * root * root < x) root *= 2;
    for (int k = 0; k < 8; ++k) root -= (root * root * root - x) / (3 * root * root);
    return root;
}
