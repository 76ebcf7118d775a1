/* Energy and momentum of one body. Callers sum over bodies in the order of ids, so that the bits of
 * the sum do not depend on the order of the columns. */
#ifndef KG_WORLD_ENERGY_H
#define KG_WORLD_ENERGY_H

#include "world/world.h"

/* Energy and momentum of the body in a slot; 0 for a body of infinite mass and a disabled one. */
static inline kugel_energy kg_energy_of_body(const kugel_world *world, uint32_t slot)
{
    const kg_bodies *b = &world->bodies;
    kugel_energy out = {0};
    double m = b->mass[slot], v2 = 0, w2 = 0, gx = 0;
    if (m == 0 || kg_bodies_is_disabled(b, slot)) return out;
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

/* Add the energy and momentum of a body to the sums. */
static inline void kg_energy_add(kugel_energy *sums, const kugel_energy *energy)
{
    sums->kinetic += energy->kinetic;
    sums->potential += energy->potential;
    kg_add_scaled3(sums->momentum, sums->momentum, 1, energy->momentum);
}

#endif
