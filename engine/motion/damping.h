/* Linear damping in closed form: v' = a - c v over a substep of length h, for a constant free
 * acceleration a. A body's path in a substep stays a parabola with the acceleration a. So the
 * damping changes its velocity at both ends of the substep. Place and velocity at the end are then
 * exact for a body in free flight. */
#ifndef KG_MOTION_DAMPING_H
#define KG_MOTION_DAMPING_H

/* Factors of the velocity (1) and gains, factors of the free acceleration (s), at the start and at
 * the end of a substep. `decay` is exp(-c h), and `mean` its mean over the substep, (1 - exp(-c h))
 * / (c h). */
typedef struct kg_damping {
    double start_factor, start_gain, end_factor, end_gain;
    double decay, mean;
} kg_damping;

/* c >= 0 in 1/s, h > 0 in s. */
kg_damping kg_damping_of(double c, double h);

#endif
