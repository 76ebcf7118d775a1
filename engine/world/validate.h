/* Checks of all values that enter a world. Out: KUGEL_OK, or a status and an error that names the
 * field. Values are not corrected, except that -0 becomes +0. */
#ifndef KG_WORLD_VALIDATE_H
#define KG_WORLD_VALIDATE_H

#include "world/world.h"

/* Set by the default functions; a zeroed def lacks them. */
#define KG_WORLD_DEF_COOKIE 0x6b75676cu
#define KG_BODY_DEF_COOKIE 0x6b756762u

kugel_status kg_validate_world_def(const kugel_world_def *def, kugel_error *error);
kugel_status kg_validate_body_def(const kugel_world *world, const kugel_body_def *def,
                                  kugel_error *error);
/* Contact material and gravity scale of a body def. */
kugel_status kg_validate_surface(const kugel_body_def *def, kugel_error *error);
/* A unit quaternion. */
kugel_status kg_validate_orientation(const float q[4], kugel_error *error);
kugel_status kg_validate_plane(const kugel_plane *plane, kugel_error *error);
/* The shape and its sizes. */
kugel_status kg_validate_shape(const kugel_surface_def *def, kugel_error *error);
kugel_status kg_validate_surface_def(const kugel_surface_def *def, kugel_error *error);
/* All but the values of the arrays. */
kugel_status kg_validate_surface_head(const kugel_surface_def *def, kugel_error *error);
/* A unit quaternion of doubles; `name`: the argument. */
kugel_status kg_validate_rotation(const double *rotation, const char *name, kugel_error *error);
/* `low` <= value <= `high`; `name`: the argument. */
kugel_status kg_validate_range(double value, double low, double high, const char *name,
                               kugel_error *error);
/* Three finite values within KG_VALUE_LIMIT; `name`: the argument. */
kugel_status kg_validate_vector(const double *value, const char *name, kugel_error *error);
/* Three images, 0 along axes that are not periodic. */
kugel_status kg_validate_image(const kugel_world *world, const int32_t *image, const char *name,
                               kugel_error *error);
/* A body's centre lies within closed faces. */
kugel_status kg_validate_position(const kugel_world *world, const double *position, double radius,
                                  const char *name, kugel_error *error);

/* Give equal worlds equal bytes: -0 becomes +0, and NaN in unused fields becomes 0. */
void kg_validate_canonical_def(kugel_world_def *def);
void kg_validate_canonical_plane(kugel_plane *plane);

#endif
