/* A world at the start of a substep, for tests of the impact stage that call its functions one by
 * one. Nothing has moved; the event queue is empty. Such a world is destroyed without a further
 * step. */
#ifndef SUPPORT_SUBSTEP_H
#define SUPPORT_SUBSTEP_H

#include "impact/predict.h"
#include "support/support_scene.h"

/* Run the stages of a tick of h (s) up to the impacts. The world's def has one substep. The order
 * of the columns stays: in a world that has not stepped yet, slots are ids. */
void support_substep_begin(kugel_world *world, double h);
/* The same for a new world of the scene. */
kugel_world *support_substep_world(const support_scene *scene, double h);

/* The impact of body a with body b, or with a boundary, at `time`; slots. */
kg_event support_pair_event(const kugel_world *world, uint32_t a, uint32_t b, double time);
kg_event support_boundary_event(const kugel_world *world, uint32_t a, kg_boundary boundary,
                                double time);
/* A neighbour without a periodic image. */
uint32_t support_neighbour(uint32_t slot);

/* Set position and velocity of a body, which has clock t. */
void support_place(kugel_world *world, uint32_t slot, const double x[3], const double v[3],
                   double t);

#endif
