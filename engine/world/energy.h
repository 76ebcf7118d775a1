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
kg_energy kg_energy_of_body(const kugel_world *world, uint32_t slot);
/* Add the energy and momentum of a body to the sums in *stats. */
void kg_energy_add(kugel_stats *stats, const kg_energy *energy);

#endif
