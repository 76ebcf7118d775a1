/* Random small worlds of every kind: periodic, walled and open boxes, planes, all body types,
 * filters, sensors, gravity, restitution, friction, rolling resistance, sleep, forces. The seed
 * determines the world. */
#ifndef SUPPORT_WORLDS_H
#define SUPPORT_WORLDS_H

#include "support/support_scene.h"

typedef struct support_any_world {
    support_scene scene;
    double dt;      /* s, the usual tick */
    bool varies;    /* true: ticks are longer or shorter by up to a half */
    uint32_t ticks; /* number of ticks to run */
    bool pushes;    /* true: call support_any_world_calls before each tick */
} support_any_world;

/* The world of this seed. The caller frees its scene. Bodies may overlap at the start. */
support_any_world support_any_world_make(uint64_t seed);
/* Length of tick number `tick`, s. */
double support_any_world_dt(const support_any_world *any, uint64_t seed, uint64_t tick);
/* Make random calls on the world between ticks: forces, impulses, positions, filters, materials.
 * They depend only on seed and tick. */
void support_any_world_calls(kugel_world *world, uint64_t seed, uint64_t tick);
/* Change a property of a body, or its sleep. `size`, m, and `mass`, kg: of which a changed radius
 * and mass are 0.7 to 1.1 and 0.5 to 1.5. */
void support_change_body(kugel_world *world, kugel_body body, double size, double mass,
                         support_random *random);

#endif
