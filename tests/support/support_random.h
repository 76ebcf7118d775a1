/* Seeded random numbers for property tests: splitmix64. A failing test prints its seed. */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdint.h>

typedef struct support_random {
    uint64_t state;
} support_random;

/* A generator for one test. The environment variable KUGEL_SEED replaces the seed; the one that is
 * used is printed on stderr with the test's name, so that a failure can be run again. */
support_random support_random_start(const char *test, uint64_t seed);

/* In [0, 1). */
double support_uniform(support_random *random);
double support_between(support_random *random, double low, double high);
double support_gauss(support_random *random);
uint32_t support_below(support_random *random, uint32_t n);
/* A vector of the given length, every direction alike. */
void support_direction(support_random *random, double length, double out[3]);

#endif
