/* Motions of a scene: changes of velocity, spin, position, rotation or tangent velocity of a body,
 * surface or plane that begin at a tick. */
#ifndef RUNNER_MOTIONS_H
#define RUNNER_MOTIONS_H

#include "scene.h"

/* [mover_kind]: "body", "surface", "plane" */
extern const char *const mover_names[];
/* The ends of motions to a position or a rotation. @return an stb_ds array. */
motion_stop *motions_make_stops(const motion *motions);
/* Begin a motion of a body. @param dt tick length, s. */
kugel_status motion_begin_body(kugel_world *world, kugel_body body, const motion *motion,
                               double dt);
/* Begin a motion of a surface or plane. The tick length is that of the scene. */
kugel_status motion_begin_surface(kugel_world *world, const scene *scene, const motion *motion);
/* End a motion. A removed body is left out. */
kugel_status motion_end(kugel_world *world, const scene *scene, const motion_stop *stop);

#endif
