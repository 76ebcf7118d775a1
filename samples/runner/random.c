#include "random.h"

#include <math.h>
#include <string.h>

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

/* ln x for normal x > 0: x = m 2^e with m in [sqrt 1/2, sqrt 2], ln m = 2 atanh((m - 1) / (m + 1)).
 */
static double logarithm(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) m *= 0.5, exponent += 1;
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int k = 25; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
    return 2 * s * sum + exponent * 0.6931471805599453;
}

double random_gauss(random_state *random)
{
    for (;;) {
        double x = 2 * random_uniform(random) - 1, y = 2 * random_uniform(random) - 1,
               q = x * x + y * y;
        if (q > 0 && q < 1) return x * sqrt(-2 * logarithm(q) / q);
    }
}
