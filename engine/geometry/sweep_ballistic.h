/* Contact times when two bodies accelerate differently: the separation is d + w t + a t^2 / 2.
 * Used where free fall meets something that does not fall: planes, faces, static, kinematic and
 * supported bodies. Pairs with equal accelerations are linear: sweep_linear.h. */
#ifndef KG_GEOMETRY_SWEEP_BALLISTIC_H
#define KG_GEOMETRY_SWEEP_BALLISTIC_H

/* Earliest t in [0, horizon] at which |d + w t + a t^2 / 2| falls to reach; 0 when touching and
 * approaching at the start; when they touch and part but turn back before they have parted, the
 * time of the turn; KG_NEVER otherwise. Cost: a few dozen flops when a sphere around the chord
 * rules the contact out, else a bracketed root of a quartic. */
double kg_sweep_spheres_ballistic(const double d[3], const double w[3], const double a[3],
                                  double reach, double horizon);

/* The same for a distance: gap + u t + a t^2 / 2 falls to 0. */
double kg_sweep_plane_ballistic(double gap, double u, double a, double horizon);

#endif
