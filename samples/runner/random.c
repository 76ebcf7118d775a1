/* See random.h. */
#include "random.h"

#include <math.h>

#include "portable_math.h"

static uint64_t next(random_state *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

random_state random_seed(uint64_t seed) { return (random_state){seed}; }
double random_uniform(random_state *random) { return (double)(next(random) >> 11) * 0x1p-53; }
uint64_t random_below(random_state *random, uint64_t n)
{
    return (uint64_t)(random_uniform(random) * (double)n);
}

double random_gauss(random_state *random)
{
    for (;;) {
        double x = 2 * random_uniform(random) - 1, y = 2 * random_uniform(random) - 1,
               q = x * x + y * y;
        if (q > 0 && q < 1) return x * sqrt(-2 * portable_log(q) / q);
    }
}
