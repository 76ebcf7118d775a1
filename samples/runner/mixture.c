/* See mixture.h. */
#include "mixture.h"

#include <math.h>

#include "arrays.h"
#include "gas.h"
#include "packing.h"
#include "portable_math.h"

/* Streams of one seed: radii, places and velocities do not depend on each other. */
enum { RADII = 1, PLACES, SPEEDS };

static random_state random_stream(uint64_t seed, uint64_t which)
{
    return random_seed(seed ^ which * 0xd1342543de82ef95u); /* an odd constant of high weight */
}

/* Draw radii until their volume is as near to `wanted` m^3 as possible; none if the first sphere
 * exceeds twice that volume. stb_ds array. */
static double *draw_volume(const scene *scene, const grains *grains, double wanted,
                           random_state *random)
{
    double *radius = NULL;
    for (double fraction_of = 0; fraction_of < wanted && arrlenu(radius) <= MOST_BODIES;) {
        double r = radii_draw(&grains->radii, scene->choices, random), volume = sphere_volume(r);
        if (fraction_of + volume - wanted > wanted - fraction_of) break;
        fraction_of += volume;
        arrput(radius, r);
    }
    return radius;
}

/* Draw as many radii as the gas counts, scaled to its packing fraction if it has one. stb_ds
 * array. */
static double *draw_count(const scene *scene, const generator *g, random_state *random)
{
    double *radius = NULL, fraction_of = 0,
           wanted = g->gas.packing_fraction * bounds_volume(&scene->world.bounds);
    for (uint32_t i = 0; i < g->gas.count; ++i) {
        double r = radii_draw(&g->grains.radii, scene->choices, random);
        fraction_of += sphere_volume(r);
        arrput(radius, r);
    }
    double scale = wanted > 0 ? portable_cbrt(wanted / fraction_of) : 1;
    if (fabs(scale - 1) <= 1e-6) scale = 1;
    for (uint32_t i = 0; i < g->gas.count; ++i) radius[i] *= scale;
    return radius;
}

/* Refuse a gas whose own fixed radius contradicts its count and packing fraction by over 1 %. */
static bool fits_radius(const scene *scene, const generator *g, const char *name, const char *path,
                        complaint *complaint)
{
    bool all = g->gas.count && g->gas.packing_fraction > 0 && g->gas.own_radius;
    if (!all || g->grains.radii.kind != RADIUS_FIXED) return true;
    double radius = gas_radius(scene, &g->gas);
    if (fabs(radius / g->grains.radii.low - 1) <= 0.01) return true;
    return refuse(complaint, EXIT_USAGE,
                  "%s: %s.radius: count and packing_fraction make it %.6g, got %.10g", name, path,
                  radius, g->grains.radii.low);
}

bool mixture_draw(const scene *scene, const generator *g, generated *generated, const char *name,
                  const char *path, complaint *complaint)
{
    random_state random = random_stream(generated->seed, RADII);
    if (!fits_radius(scene, g, name, path, complaint)) return false;
    double wanted = g->gas.packing_fraction * bounds_volume(&scene->world.bounds);
    generated->radius = g->gas.count ? draw_count(scene, g, &random)
                                     : draw_volume(scene, &g->grains, wanted, &random);
    generated->velocity = random_stream(generated->seed, SPEEDS);
    if (arrlenu(generated->radius)) return true;
    return refuse(complaint, EXIT_USAGE,
                  "%s: %s.packing_fraction: %.10g is less than half a sphere", name, path,
                  g->gas.packing_fraction);
}

bool mixture_place(scene *scene, const obstacles *obstacles, const char *name, complaint *complaint)
{
    uint64_t seed = 0;
    double volume = 0;
    uint32_t count = 0;
    for (size_t g = 0; g < arrlenu(scene->generators); ++g) {
        const generated *gas = &scene->generated[g];
        if (!scene->generators[g].is_gas) continue;
        seed = seed * 0x9e3779b97f4a7c15u + gas->seed;
        count += (uint32_t)arrlenu(gas->radius);
        for (size_t i = 0; i < arrlenu(gas->radius); ++i) volume += sphere_volume(gas->radius[i]);
    }
    double fraction = volume / bounds_volume(&scene->world.bounds);
    packing_result result = fraction < 1 ? pack_gases(scene, obstacles, random_stream(seed, PLACES))
                                         : PACKING_TOO_DENSE;
    if (result == PACKING_NO_MEMORY)
        return refuse(complaint, EXIT_RESOURCES, "%s: generators: out of memory", name);
    return result == PACKING_DONE ||
           refuse(complaint, EXIT_USAGE,
                  "%s: generators: a packing of %.4g cannot be reached with the %u spheres of "
                  "all gases here",
                  name, fraction, count);
}
