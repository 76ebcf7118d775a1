/* See lattice.h. */
#include "lattice.h"

size_t lattice_count(const lattice *lattice)
{
    return (size_t)lattice->count[0] * lattice->count[1] * lattice->count[2];
}

bool lattice_each(const scene *scene, const generator *g, uint64_t seed, sphere_visit *visit,
                  void *context)
{
    random_state random = random_seed(seed), sizes = random_seed(~seed);
    const lattice *lattice = &g->lattice;
    size_t count = lattice_count(lattice), row = lattice->count[0], layer = row * lattice->count[1];
    for (size_t i = 0; i < count; ++i) {
        const size_t at[3] = {i % row, i % layer / row, i / layer};
        sphere sphere = {.radius = radii_draw(&g->grains.radii, scene->choices, &sizes),
                         .generator = g};
        for (int k = 0; k < 3; ++k) {
            double jitter = (2 * random_uniform(&random) - 1) * lattice->jitter;
            sphere.place[k] = lattice->origin[k] + (double)at[k] * lattice->spacing[k] + jitter;
        }
        if (!visit(context, &sphere)) return false;
    }
    return true;
}
