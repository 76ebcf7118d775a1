/* Rotations as unit quaternions x, y, z, w. Only + - * / and square roots are used, so every
 * platform gives the same bits. */
#ifndef RUNNER_ROTATION_H
#define RUNNER_ROTATION_H

/* out = a b: the rotation b, then a. `out` is another array than a and b. */
void rotation_multiply(const double a[4], const double b[4], double out[4]);
/* Turn a vector by the inverse of a rotation. */
void rotation_undo(const double rotation[4], const double x[3], double out[3]);

#endif
