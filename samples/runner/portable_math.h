/* Elementary functions with the same bits on every platform: + - * / and sqrt only. libm's differ
 * between platforms. */
#ifndef RUNNER_PORTABLE_MATH_H
#define RUNNER_PORTABLE_MATH_H

/* ln x for normal x > 0; error a few units in the last place. */
double portable_log(double x);
/* e^x for x <= 700, 0 below -700; relative error about 1e-15. */
double portable_exp(double x);
/* x > 0, normal. */
double portable_cbrt(double x);

#endif
