/* Checks of everything that enters a world. In: values from outside. Out: KUGEL_OK, or a status and
 * an error value that names the bad field. Nothing is corrected silently but the sign of zero,
 * which is no state. */
#ifndef KG_WORLD_VALIDATE_H
#define KG_WORLD_VALIDATE_H

#include "world/world.h"

/* Set by the default functions; a zeroed or foreign def does not have them. */
#define KG_WORLD_DEF_COOKIE 0x6b75676cu
#define KG_BODY_DEF_COOKIE 0x6b756762u

kugel_status kg_validate_world_def(const kugel_world_def *def, kugel_error *error);
kugel_status kg_validate_body_def(const kugel_world *world, const kugel_body_def *def,
                                  kugel_error *error);
/* What a body def says of its surface and of gravity; a unit quaternion. */
kugel_status kg_validate_surface(const kugel_body_def *def, kugel_error *error);
kugel_status kg_validate_orientation(const float q[4], kugel_error *error);
kugel_status kg_validate_plane(const kugel_plane *plane, kugel_error *error);
/* Three finite values of allowed size; `name` is the argument. */
kugel_status kg_validate_vector(const double *value, const char *name, kugel_error *error);
/* A body's centre, against the closed faces. */
kugel_status kg_validate_position(const kugel_world *world, const double *position, double radius,
                                  const char *name, kugel_error *error);

/* Of what was checked: -0 becomes +0, and NaN where it is not used 0, for equal worlds are equal
 * bytes. */
void kg_validate_canonical_def(kugel_world_def *def);
void kg_validate_canonical_plane(kugel_plane *plane);

#endif
