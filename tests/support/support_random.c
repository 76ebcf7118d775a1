/* splitmix64, and distributions of numbers and directions. */
#include "support/support_random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t next(support_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

support_random support_random_start(const char *test, uint64_t seed)
{
    const char *other = getenv("KUGEL_SEED");
    if (other) seed = strtoull(other, NULL, 0);
    const char *shift = getenv("KUGEL_SHIFT");
    if (shift) seed += strtoull(shift, NULL, 0) << 32;
    fprintf(stderr, "%s: seed %" PRIu64 "\n", test, seed);
    return (support_random){seed};
}

double support_uniform(support_random *random) { return (double)(next(random) >> 11) * 0x1p-53; }
double support_between(support_random *random, double low, double high)
{
    return low + (high - low) * support_uniform(random);
}
uint32_t support_below(support_random *random, uint32_t n)
{
    return (uint32_t)(support_uniform(random) * n);
}

double support_gauss(support_random *random)
{
    for (;;) {
        double x = support_between(random, -1, 1), y = support_between(random, -1, 1),
               q = x * x + y * y;
        if (q > 0 && q < 1) return x * sqrt(-2 * log(q) / q);
    }
}

void support_direction(support_random *random, double length, double out[3])
{
    for (;;) {
        double q = 0;
        for (int k = 0; k < 3; ++k) {
            out[k] = support_between(random, -1, 1);
            q += out[k] * out[k];
        }
        if (q > 1 || q < 1e-4) continue;
        for (int k = 0; k < 3; ++k) out[k] *= length / sqrt(q);
        return;
    }
}
