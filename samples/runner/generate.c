/* Runs the generators of a scene and appends their bodies: lattices here, gases in gas.c. A seed
 * gives the same bits on every platform: only + - * / sqrt and rounding functions are used. */
#include <stdio.h>

#include "arrays.h"
#include "gas.h"
#include "random.h"

static void make_lattice(scene *scene, const lattice *lattice, uint64_t seed)
{
    random_state random = random_seed(seed);
    const uint32_t *count = lattice->count;
    for (uint32_t z = 0; z < count[2]; ++z) {
        for (uint32_t y = 0; y < count[1]; ++y) {
            for (uint32_t x = 0; x < count[0]; ++x) {
                kugel_body_def def = scene->defaults;
                const uint32_t at[3] = {x, y, z};
                for (int k = 0; k < 3; ++k) {
                    double jitter = (2 * random_uniform(&random) - 1) * lattice->jitter;
                    def.position[k] = lattice->origin[k] + at[k] * lattice->spacing[k] + jitter;
                }
                arrput(scene->bodies, def);
            }
        }
    }
}

static double bodies_asked_for(const generator *g)
{
    if (g->is_gas) return g->gas.count;
    return (double)g->lattice.count[0] * g->lattice.count[1] * g->lattice.count[2];
}

bool scene_generate(scene *scene, const uint64_t *seed, const char *name, complaint *complaint)
{
    double all = (double)arrlenu(scene->bodies);
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        all += bodies_asked_for(&scene->generators[i]);
        if (all <= MOST_BODIES) continue;
        return refuse(complaint, EXIT_USAGE,
                      "%s: generators[%zu]: more than %d bodies in all: %.0f", name, i, MOST_BODIES,
                      all);
    }
    arrsetcap(scene->bodies, (size_t)all + 1);
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        const generator *g = &scene->generators[i];
        uint64_t own = seed ? *seed + i : g->is_gas ? g->gas.seed : g->lattice.seed;
        char path[48];
        snprintf(path, sizeof path, "generators[%zu].gas", i);
        if (!g->is_gas) make_lattice(scene, &g->lattice, own);
        else if (!make_gas(scene, &g->gas, own, name, path, complaint)) return false;
        arrput(scene->generated, arrlenu(scene->bodies));
    }
    return true;
}

void scene_body_path(const scene *scene, size_t body, char path[48])
{
    size_t first = scene->listed, g = 0;
    if (body < first) {
        snprintf(path, 48, "bodies[%zu]", body);
        return;
    }
    while (g + 1 < arrlenu(scene->generated) && body >= scene->generated[g]) {
        first = scene->generated[g++];
    }
    snprintf(path, 48, "generators[%zu]: body %zu", g, body - first);
}
