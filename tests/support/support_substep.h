/* A world at the start of a substep, for tests that call functions of the impact stage directly. No
 * body has moved; the event queue is empty. Such a world must be destroyed without a step. */
#ifndef SUPPORT_SUBSTEP_H
#define SUPPORT_SUBSTEP_H

#include "impact/predict.h"
#include "support/support_scene.h"

/* Run the stages of a tick of h (s) before the impacts. The world's def must have one substep. The
 * columns are not sorted: in a world that has not stepped, slots equal ids. */
void support_substep_begin(kugel_world *world, double h);
/* Create the world of a scene and begin its substep. */
kugel_world *support_substep_world(const support_scene *scene, double h);

/* The event that the body in slot a hits the body in slot b, or a boundary, at `time`. */
kg_event support_pair_event(const kugel_world *world, uint32_t a, uint32_t b, double time);
kg_event support_boundary_event(const kugel_world *world, uint32_t a, kg_boundary boundary,
                                double time);
/* A neighbour in a Verlet list without a periodic image. */
uint32_t support_neighbour(uint32_t slot);

/* Set position, velocity and clock of a body. */
void support_place(kugel_world *world, uint32_t slot, const double x[3], const double v[3],
                   double t);

#endif
