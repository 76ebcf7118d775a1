/* Times of impact under a constant relative acceleration, as of a falling body and a plane, a face,
 * or a static, kinematic or supported body. Pairs with equal accelerations use sweep_linear.h.
 * In: separation d (m), relative velocity w (m/s), relative acceleration a (m/s^2), reach = r_a +
 * r_b (m), horizon (s). The separation at t is d + w t + a t^2 / 2. */
#ifndef KG_GEOMETRY_SWEEP_BALLISTIC_H
#define KG_GEOMETRY_SWEEP_BALLISTIC_H

#include <stdbool.h>

/* The earliest t in [0, horizon] at which the distance falls to reach, or KG_NEVER. For a pair that
 * touches at the start t is 0 if the pair approaches. If the pair separates but turns back before a
 * gap opens, t is the time at which it turns. Cost: a few dozen flops if the chord of the path
 * excludes a contact; else a bracketed root of a quartic. */
double kg_sweep_spheres_ballistic(const double d[3], const double w[3], const double a[3],
                                  double reach, double horizon);

/* The same for a reach that grows: at t it is reach + growth t; growth in m/s, >= 0. */
double kg_sweep_growing_spheres(const double d[3], const double w[3], const double a[3],
                                double reach, double growth, double horizon);

/* A conservative test: false only if the distance stays above reach in [0, horizon]. */
bool kg_sweep_comes_within(const double d[3], const double w[3], const double a[3], double reach,
                           double horizon);

/* kg_sweep_spheres_ballistic along one axis: the time at which gap + u t + a t^2 / 2 falls to 0,
 * with the gap in m, u in m/s and a in m/s^2. */
double kg_sweep_plane_ballistic(double gap, double u, double a, double horizon);

#endif
