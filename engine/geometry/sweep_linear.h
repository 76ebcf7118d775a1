/* The moving-sphere test at the heart of the step (GEOMETRY rows 9 and 10), shared bit for bit by
 * the public functions, the step and the queries. In: separation d = b - a (m), relative velocity w
 * = v_b - v_a (m/s), reach = r_a + r_b, horizon (s). Out: earliest time in [0, horizon] at which |d
 * + w t| falls to reach while approaching; 0 when they touch or overlap at the start and approach;
 * KG_NEVER otherwise. Why this form: |d + w t|^2 = reach^2 has discriminant |w|^2 (reach^2 - |p|^2)
 * with p the part of d perpendicular to w; it does not cancel for a small sphere far away, and c /
 * (-b + sqrt(..)) is the near root without subtraction (Haines et al., Ray Tracing Gems 2019,
 * chapter 7). */
#ifndef KG_GEOMETRY_SWEEP_LINEAR_H
#define KG_GEOMETRY_SWEEP_LINEAR_H

#include <math.h>

/// Later than any time in a tick; finite, so that it can be compared and stored without care.
#define KG_NEVER 1e300

static inline double kg_sweep_spheres(const double d[3], const double w[3], double reach,
                                      double horizon)
{
    double b = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
    if (!(b < 0)) return KG_NEVER; /* separating, resting, or NaN */
    double c = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - reach * reach;
    if (c <= 0) return 0;
    double ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double k = b / ww;
    double p0 = d[0] - w[0] * k, p1 = d[1] - w[1] * k, p2 = d[2] - w[2] * k;
    double s = reach * reach - (p0 * p0 + p1 * p1 + p2 * p2);
    if (!(s >= 0)) return KG_NEVER;
    double t = c / (-b + sqrt(ww * s));
    return t <= horizon ? t : KG_NEVER;
}

#endif
