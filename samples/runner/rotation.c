/* See rotation.h. */
#include "rotation.h"

#include <math.h>

void rotation_multiply(const double a[4], const double b[4], double out[4])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[3] * b[k] + b[3] * a[k] + a[i] * b[j] - a[j] * b[i];
    }
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static double length3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* q divided by its length, as a rotation by at most pi: q[3] >= 0. */
static void normalize(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double scale = (q[3] < 0 ? -1 : 1) / length;
    for (int k = 0; k < 4; ++k) q[k] *= scale;
}

/* arcsin x / x for |x| <= sin(pi / 64): the next term of the Taylor series is below 4e-18. */
static double arcsine_ratio(double x)
{
    double y = x * x;
    return 1 +
           y * (1 / 6. + y * (3 / 40. + y * (15 / 336. + y * (105 / 3456. + y * (945 / 42240.)))));
}

/* Five halvings of a rotation by at most pi leave a vector part of at most sin(pi / 64). The half
 * of a unit quaternion is its sum with 1, normalised. */
void rotation_between(const double from[4], const double to[4], double vector[3])
{
    enum { HALVINGS = 5 };
    const double back[4] = {-from[0], -from[1], -from[2], from[3]};
    double q[4];
    rotation_multiply(to, back, q);
    normalize(q);
    for (int k = 0; k < HALVINGS; ++k) {
        q[3] += 1;
        normalize(q);
    }
    double ratio = 2 * (1 << HALVINGS) * arcsine_ratio(length3(q));
    for (int k = 0; k < 3; ++k) vector[k] = ratio * q[k];
}
