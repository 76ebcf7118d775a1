/* See random.h. */
#include "random.h"

#include <math.h>

static uint64_t state;

void random_seed(uint64_t seed) { state = seed; }

double random_uniform(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

double random_gauss(void)
{
    return sqrt(-2 * log(1 - random_uniform())) * cos(6.283185307179586 * random_uniform());
}

void random_direction(double length, double out[3])
{
    double turn = 6.283185307179586 * random_uniform(), up = 2 * random_uniform() - 1,
           flat = sqrt(1 - up * up);
    out[0] = length * flat * cos(turn);
    out[1] = length * flat * sin(turn);
    out[2] = length * up;
}
