/* Energy and momentum of one body. */
#include "world/energy.h"

kg_energy kg_energy_of_body(const kugel_world *world, uint32_t slot)
{
    const kg_bodies *b = &world->bodies;
    kg_energy out = {0};
    double m = b->mass[slot], v2 = 0, w2 = 0, gx = 0;
    if (m == 0) return out;
    for (int k = 0; k < 3; ++k) {
        v2 += b->v[k][slot] * b->v[k][slot];
        w2 += b->w[k][slot] * b->w[k][slot];
        gx += world->def.gravity[k] * b->x[k][slot];
        out.momentum[k] = m * b->v[k][slot];
    }
    out.kinetic = 0.5 * m * v2 + 0.2 * m * b->radius[slot] * b->radius[slot] * w2;
    out.potential = -(m * kg_bodies_material(b, slot)->gravity_scale * gx);
    return out;
}

void kg_energy_add(kugel_stats *stats, const kg_energy *energy)
{
    stats->kinetic_energy += energy->kinetic;
    stats->potential_energy += energy->potential;
    kg_add_scaled3(stats->momentum, stats->momentum, 1, energy->momentum);
}
