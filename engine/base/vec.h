/* Vectors of three doubles, as plain arrays, and a few scalar helpers.
 * Order: sums are taken in the order x, y, z, so their bits are fixed. */
#ifndef KG_BASE_VEC_H
#define KG_BASE_VEC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline double kg_abs(double x) { return x < 0 ? -x : x; }
static inline double kg_max(double x, double y) { return x > y ? x : y; }
static inline double kg_min(double x, double y) { return x < y ? x : y; }

/* True if x is neither NaN nor infinite: else x - x is NaN. */
static inline bool kg_finite(double x) { return x - x == 0; }
static inline bool kg_finite3(const double a[3])
{
    return kg_finite(a[0]) && kg_finite(a[1]) && kg_finite(a[2]);
}

static const double kg_zero3[3] = {0, 0, 0};
static inline bool kg_equal3(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}
static inline bool kg_is_zero3(const double a[3]) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

static inline double kg_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double kg_length3(const double a[3]) { return sqrt(kg_dot3(a, a)); }

static inline double kg_max_abs3(const double a[3])
{
    return kg_max(kg_abs(a[0]), kg_max(kg_abs(a[1]), kg_abs(a[2])));
}

static inline void kg_set3(double out[3], double x, double y, double z)
{
    out[0] = x, out[1] = y, out[2] = z;
}

static inline void kg_copy3(double out[3], const double a[3]) { kg_set3(out, a[0], a[1], a[2]); }

static inline void kg_sub3(double out[3], const double a[3], const double b[3])
{
    kg_set3(out, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

static inline double kg_squared_distance3(const double a[3], const double b[3])
{
    double d[3];
    kg_sub3(d, a, b);
    return kg_dot3(d, d);
}

static inline void kg_scale3(double out[3], const double a[3], double s)
{
    kg_set3(out, a[0] * s, a[1] * s, a[2] * s);
}

/* out = a + s b */
static inline void kg_add_scaled3(double out[3], const double a[3], double s, const double b[3])
{
    kg_set3(out, a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]);
}

static inline void kg_cross3(double out[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1];
    double y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    kg_set3(out, x, y, z);
}

/* Rows of the inverse rotation of the quaternion q; `s`: 2 / |q|^2, 2 for a unit quaternion
 * (K. Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985). */
static inline void kg_rotation_rows(const double q[4], double s, double rows[3][3])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    kg_set3(rows[0], 1 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w));
    kg_set3(rows[1], s * (x * y - z * w), 1 - s * (x * x + z * z), s * (y * z + x * w));
    kg_set3(rows[2], s * (x * z + y * w), s * (y * z - x * w), 1 - s * (x * x + y * y));
}

/* out = a b for quaternions x, y, z, w: the rotation b followed by the rotation a. out is another
 * array than a and b. */
static inline void kg_rotation_product(double out[4], const double a[4], const double b[4])
{
    double cross[3];
    kg_cross3(cross, a, b);
    for (int k = 0; k < 3; ++k) out[k] = a[3] * b[k] + b[3] * a[k] + cross[k];
    out[3] = a[3] * b[3] - kg_dot3(a, b);
}

/* The power of two that scales `largest` (finite, >= 0) into [1, 2); 1 for 0. Scaling by a power of
 * two is exact, and squares of the scaled numbers cannot overflow. The exponent is clamped to
 * [-1000, 1000], so that the factor and its inverse are normal numbers. */
static inline double kg_unit_scale(double largest)
{
    if (!(largest > 0)) return 1;
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent > 1000) exponent = 1000;
    if (exponent < -1000) exponent = -1000;
    bits = (uint64_t)(1023 - exponent) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* out = a / |a| for any finite a, or `fallback` if a is 0. out may be a. */
static inline void kg_normalize3(double out[3], const double a[3], const double fallback[3])
{
    double unit[3];
    kg_scale3(unit, a, kg_unit_scale(kg_max_abs3(a)));
    double length = kg_length3(unit);
    if (length > 0) {
        kg_set3(out, unit[0] / length, unit[1] / length, unit[2] / length);
    } else {
        kg_copy3(out, fallback);
    }
}

#endif
