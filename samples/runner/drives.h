/* Drives of a scene. Thermostats act before a step, like other acts. Servos act after each step,
 * with what their surfaces exchanged in it: the new velocity is part of the state, so that a run
 * goes on from a checkpoint with the same bits. Functions that return an int return 0, or an exit
 * code after a message with the scene's name. */
#ifndef RUNNER_DRIVES_H
#define RUNNER_DRIVES_H

#include "scene.h"

/* Refuse thermostats whose probability would exceed 1. */
int thermostats_check(const char *name, const scene *scene);
bool thermostats_are_due(const scene *scene, uint64_t tick);
/* Set the temperatures that are due at `tick`. */
int thermostats_run(const char *name, const scene *scene, kugel_world *world, uint64_t tick);

/* Refuse servos without a surface, and let the world sum impulses for the others. */
int servos_begin(const char *name, const scene *scene, kugel_world *world);
/* After the step that led to `tick`: set the velocities of the surfaces. */
int servos_run(const char *name, const scene *scene, kugel_world *world, uint64_t tick);

#endif
