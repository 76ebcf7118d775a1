/* Random numbers with equal bits on every platform: splitmix64 (Steele, Lea, Flood 2014), Gaussians
 * by Marsaglia's polar method. */
#ifndef RUNNER_RANDOM_H
#define RUNNER_RANDOM_H

#include <stdint.h>

typedef struct random_state {
    uint64_t state;
} random_state;

random_state random_seed(uint64_t seed);
/* In [0, 1), 53 bits. */
double random_uniform(random_state *random);
/* Mean 0, variance 1. */
double random_gauss(random_state *random);
/* In [0, n), n > 0. */
uint64_t random_below(random_state *random, uint64_t n);

#endif
