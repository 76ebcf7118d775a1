/* Random small worlds of every kind: periodic, walled and open boxes, planes, all body types,
 * filters, sensors, gravity, restitution, friction, rolling resistance, sleep, forces. One seed
 * gives one world. */
#ifndef SUPPORT_WORLDS_H
#define SUPPORT_WORLDS_H

#include "support/support_scene.h"

typedef struct support_any_world {
    support_scene scene;
    double dt;      /* s, the usual tick */
    bool varies;    /* true: ticks are up to half longer or shorter */
    uint32_t ticks; /* to run */
    bool pushes;    /* true: call support_any_world_calls before each tick */
} support_any_world;

/* The world of this seed. The caller frees its scene. Bodies may overlap at the start. */
support_any_world support_any_world_make(uint64_t seed);
/* Length of tick number `tick`, s. */
double support_any_world_dt(const support_any_world *any, uint64_t seed, uint64_t tick);
/* Calls between ticks: forces, impulses, positions, filters; a function of seed and tick alone. */
void support_any_world_calls(kugel_world *world, uint64_t seed, uint64_t tick);

#endif
