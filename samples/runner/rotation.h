/* Rotations as unit quaternions x, y, z, w. Only + - * / and square roots are used, so every
 * platform gives the same bits. */
#ifndef RUNNER_ROTATION_H
#define RUNNER_ROTATION_H

/* out = a b: the rotation b, then a. `out` is another array than a and b. */
void rotation_multiply(const double a[4], const double b[4], double out[4]);
/* The shortest turn from one rotation to another: its axis times its angle, rad, at most pi. The
 * relative error is a few units in the last place of the angle. */
void rotation_between(const double from[4], const double to[4], double vector[3]);

#endif
