/* Seeded random numbers (splitmix64) for property tests. A failing test prints its seed. */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdint.h>

typedef struct support_random {
    uint64_t state;
} support_random;

/* A generator for one test. The environment variable KUGEL_SEED replaces the seed, KUGEL_SHIFT
 * gives another one of each. Prints test name and seed on stderr, so that a failure can be
 * repeated. */
support_random support_random_start(const char *test, uint64_t seed);

/* Uniform in [0, 1). */
double support_uniform(support_random *random);
double support_between(support_random *random, double low, double high);
/* Gaussian with mean 0 and variance 1. */
double support_gauss(support_random *random);
/* An integer in [0, n). */
uint32_t support_below(support_random *random, uint32_t n);
/* A random vector of this length, uniform over directions. */
void support_direction(support_random *random, double length, double out[3]);

#endif
