/* Times of impact under a constant relative acceleration: the separation is d + w t + a t^2 / 2.
 * For falling bodies against planes, faces, static, kinematic and supported bodies. Pairs with
 * equal accelerations use sweep_linear.h. */
#ifndef KG_GEOMETRY_SWEEP_BALLISTIC_H
#define KG_GEOMETRY_SWEEP_BALLISTIC_H

#include <stdbool.h>

/* The earliest t in [0, horizon] at which |d + w t + a t^2 / 2| falls to reach. A touching pair
 * gives 0 when it approaches at the start, and the time of the turn when it turns back before the
 * gap opens. Else KG_NEVER. Cost: a few dozen flops when the chord's distance excludes a contact,
 * else a bracketed root of a quartic. */
double kg_sweep_spheres_ballistic(const double d[3], const double w[3], const double a[3],
                                  double reach, double horizon);

/* False when |d + w t + a t^2 / 2| stays above reach in [0, horizon]: a conservative test. */
bool kg_sweep_comes_within(const double d[3], const double w[3], const double a[3], double reach,
                           double horizon);

/* kg_sweep_spheres_ballistic for a distance: the time at which gap + u t + a t^2 / 2 falls to 0. */
double kg_sweep_plane_ballistic(double gap, double u, double a, double horizon);

#endif
