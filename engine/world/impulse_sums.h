/* Sums of the impulses that a body and a target exchange in a tick (kugel_impulse_sum). Stages add
 * a row for each exchange; events/events_sort.c makes one of the rows of a pair. Without
 * world->sums_impulses nothing is added. */
#ifndef KG_WORLD_IMPULSE_SUMS_H
#define KG_WORLD_IMPULSE_SUMS_H

#include "world/world.h"

/* What a body and a target exchange at one time. */
typedef struct kg_exchanged {
    uint32_t a, b;        /* slots; b counts for bodies only */
    kg_boundary boundary; /* the target, or KG_WITH_BODY */
    uint32_t impacts;     /* 1 for an impact, else 0 */
    double time;          /* s in the substep */
    double normal[3];     /* unit, from a to the target */
    double along;         /* N s, on the target, along the normal */
    double friction[3];   /* N s, on the target */
    double turn[3];       /* N m s, on the target, by rolling resistance and torsional friction */
} kg_exchanged;

/* Set the impulses of a row. arm: m, of the impulse on the target, from the centre of a body, else
 * from the origin. */
void kg_impulse_sums_set(const kg_exchanged *exchanged, const double arm[3],
                         kugel_impulse_sum *row);
/* Add what is exchanged to the pending events. False when out of memory. */
bool kg_impulse_sums_add(kugel_world *world, const kg_exchanged *exchanged);

#endif
