/* Seeded random numbers (splitmix64) for property tests. A failing test prints its seed. */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdint.h>

typedef struct support_random {
    uint64_t state;
} support_random;

/* A generator for one test. KUGEL_SEED replaces the seed. Seed and test name are printed on stderr,
 * to repeat a failure. */
support_random support_random_start(const char *test, uint64_t seed);

/* In [0, 1). */
double support_uniform(support_random *random);
double support_between(support_random *random, double low, double high);
double support_gauss(support_random *random);
uint32_t support_below(support_random *random, uint32_t n);
/* A random vector of this length, uniform over directions. */
void support_direction(support_random *random, double length, double out[3]);

#endif
