/* Seeded random numbers: splitmix64. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

void random_seed(uint64_t seed);
double random_uniform(void); /* in [0, 1) */
double random_gauss(void);
void random_direction(double length, double out[3]);

#endif
