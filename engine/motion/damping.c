/* The factors of kg_damping. With s = c h, e = exp(-s), p = (1 - e) / s and q = (1 - p) / s the
 * exact motion is x = v p h + a q h^2 and v = v e + a p h. A parabola that starts with the velocity
 * p v + a (q - 1/2) h ends at the same place; the factor e / p and a gain at its end then give the
 * same velocity. Relative error: some 1e-16 for each halving of s. */
#include "motion/damping.h"

/* q by its series 1/2 - s/6 + s^2/24 - ..., for s <= 1/2: 14 terms leave 1e-17. */
static double second_mean(double s)
{
    double sum = 1;
    for (int n = 16; n > 2; --n) sum = 1 - s / n * sum;
    return 0.5 * sum;
}

kg_damping kg_damping_of(double c, double h)
{
    double s = c * h;
    int halvings = 0;
    for (; s > 0.5; ++halvings) s *= 0.5;
    double q = second_mean(s), p = 1 - s * q, e = 1 - s * p;
    for (; halvings > 0; --halvings) {
        p *= 0.5 * (1 + e);
        e *= e;
        s *= 2;
        q = (1 - p) / s;
    }
    return (kg_damping){.start_factor = p,
                        .start_gain = (q - 0.5) * h,
                        .end_factor = e / p,
                        .end_gain = (p - e / p * (q + 0.5)) * h,
                        .decay = e,
                        .mean = p};
}
