/* See speeds.h. */
#include "speeds.h"

#include <math.h>

#include "arrays.h"

static size_t count_of(const scene *scene, size_t generator)
{
    return scene->generated[generator].end - scene_first_of(scene, generator);
}

static double mass_of(const scene *scene, size_t generator, size_t body)
{
    return grains_mass(&scene->generators[generator].grains,
                       generated_radius(&scene->generated[generator], body));
}

static void find_mean(speeds *speeds, const scene *scene, size_t generator)
{
    double sum[3] = {0, 0, 0}, all = 0, velocity[3], first = mass_of(scene, generator, 0);
    for (size_t i = 0, count = count_of(scene, generator); i < count; ++i) {
        double mass = mass_of(scene, generator, i), weight = mass / first;
        all += weight;
        speeds_next(speeds, mass, velocity);
        for (int k = 0; k < 3; ++k) sum[k] += weight * velocity[k];
    }
    for (int k = 0; k < 3; ++k) speeds->mean[k] = sum[k] / all;
}

/* Number of bodies of all gases with a temperature, but for single ones. */
static double count_warm(const scene *scene)
{
    double warm = 0;
    for (size_t i = 0; i < arrlenu(scene->generated); ++i) {
        size_t count = count_of(scene, i);
        if (scene->generators[i].is_gas && scene->generators[i].gas.temperature > 0 && count > 1)
            warm += (double)count;
    }
    return warm;
}

/* Of the N bodies of all gases N - 1 count, as the centre of mass is at rest. */
static void find_factor(speeds *speeds, const scene *scene, size_t generator)
{
    double sum = 0, axes = 0, velocity[3], warm = count_warm(scene);
    size_t count = count_of(scene, generator);
    uint32_t locks = scene->defaults.locks;
    for (size_t i = 0; i < count; ++i) {
        double mass = mass_of(scene, generator, i);
        speeds_next(speeds, mass, velocity);
        for (int k = 0; k < 3; ++k)
            if (!(locks >> k & 1)) sum += mass * velocity[k] * velocity[k];
    }
    for (int k = 0; k < 3; ++k) axes += !(locks >> k & 1);
    double freedom = axes * (double)count * (warm - 1) / warm;
    if (sum > 0) speeds->factor = sqrt(speeds->gas->temperature * freedom / sum);
}

speeds speeds_begin(const scene *scene, size_t generator)
{
    const generated *generated = &scene->generated[generator];
    speeds speeds = {
        .gas = &scene->generators[generator].gas, .factor = 1, .random = generated->velocity};
    if (count_of(scene, generator) == 1) return speeds;
    find_mean(&speeds, scene, generator);
    speeds.random = generated->velocity;
    if (!(speeds.gas->temperature > 0)) return speeds;
    find_factor(&speeds, scene, generator);
    speeds.random = generated->velocity;
    return speeds;
}

void speeds_next(speeds *speeds, double mass, double velocity[3])
{
    double temperature = speeds->gas->temperature,
           sigma = temperature > 0 ? sqrt(temperature / mass) : speeds->gas->speed_sigma;
    for (int k = 0; k < 3; ++k)
        velocity[k] = speeds->factor * (sigma * random_gauss(&speeds->random) - speeds->mean[k]);
}
