/* Drives of a scene. They act before a step, like other acts, servos with what their surfaces
 * exchanged in the step before it. A snapshot lacks these exchanges, so a checkpoint has the state
 * after the servos: a run goes on from it with the same bits. Functions that return an int return
 * 0, or an exit code after a message with the scene's name. */
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
/* Set the velocities of the surfaces of `driven`: `world`, or a clone of it. `world` has just made
 * the step that led to `tick`. */
int servos_run(const char *name, const scene *scene, const kugel_world *world, kugel_world *driven,
               uint64_t tick);

#endif
