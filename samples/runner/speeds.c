/* See speeds.h. */
#include "speeds.h"

speeds speeds_begin(const generator *g, const generated *generated, size_t count)
{
    speeds speeds = {.sigma = g->gas.speed_sigma, .random = generated->velocity};
    double sum[3] = {0, 0, 0}, all = 0, velocity[3];
    if (count == 1) return speeds;
    double first = grains_mass(&g->grains, generated_radius(generated, 0));
    for (size_t i = 0; i < count; ++i) {
        double weight = grains_mass(&g->grains, generated_radius(generated, i)) / first;
        all += weight;
        speeds_next(&speeds, velocity);
        for (int k = 0; k < 3; ++k) sum[k] += weight * velocity[k];
    }
    for (int k = 0; k < 3; ++k) speeds.mean[k] = sum[k] / all;
    speeds.random = generated->velocity;
    return speeds;
}

void speeds_next(speeds *speeds, double velocity[3])
{
    for (int k = 0; k < 3; ++k)
        velocity[k] = speeds->sigma * random_gauss(&speeds->random) - speeds->mean[k];
}
