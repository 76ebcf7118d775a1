/* Elementary functions with equal bits on every platform, because they use only + - * / and
 * rounding. The functions of libm differ between platforms. */
#ifndef RUNNER_PORTABLE_MATH_H
#define RUNNER_PORTABLE_MATH_H

/* ln x for normal x > 0; error a few units in the last place. */
double portable_log(double x);
/* e^x for x <= 700, 0 below -700; relative error about 1e-15. */
double portable_exp(double x);
/* Cube root of normal x > 0. */
double portable_cbrt(double x);

#endif
