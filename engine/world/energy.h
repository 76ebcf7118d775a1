/* Energy and momentum of one body. Callers sum over bodies in the order of ids, so that the bits of
 * the sum do not depend on the order of the columns. */
#ifndef KG_WORLD_ENERGY_H
#define KG_WORLD_ENERGY_H

#include "world/world.h"

typedef struct kg_energy {
    double kinetic, potential; /* J */
    double momentum[3];        /* kg m/s */
} kg_energy;

/* Energy and momentum of the body in a slot; 0 for a body of infinite mass. */
static inline kg_energy kg_energy_of_body(const kugel_world *world, uint32_t slot)
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

/* Add the energy and momentum of a body to the sums in *stats. */
static inline void kg_energy_add(kugel_stats *stats, const kg_energy *energy)
{
    stats->kinetic_energy += energy->kinetic;
    stats->potential_energy += energy->potential;
    kg_add_scaled3(stats->momentum, stats->momentum, 1, energy->momentum);
}

#endif
