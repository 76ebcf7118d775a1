/* Checks of all values that enter a world. In: a def or arguments. Out: KUGEL_OK, or a status and
 * an error that names the field. The checks change no value; kg_validate_canonical_... give equal
 * values equal bytes. */
#ifndef KG_WORLD_VALIDATE_H
#define KG_WORLD_VALIDATE_H

#include "world/world.h"

/* Values of `cookie` that the default functions set; a def without them is refused. */
#define KG_WORLD_DEF_COOKIE 0x6b75676cu
#define KG_BODY_DEF_COOKIE 0x6b756762u

kugel_status kg_validate_world_def(const kugel_world_def *def, kugel_error *error);
kugel_status kg_validate_body_def(const kugel_world *world, const kugel_body_def *def,
                                  kugel_error *error);
/* A unit quaternion of floats. */
kugel_status kg_validate_orientation(const double q[4], kugel_error *error);
kugel_status kg_validate_plane(const kugel_plane *plane, kugel_error *error);
/* The shape and its sizes. */
kugel_status kg_validate_shape(const kugel_surface_def *def, kugel_error *error);
kugel_status kg_validate_surface_def(const kugel_surface_def *def, kugel_error *error);
/* All fields of a surface def but its shape's sizes and the values of its arrays. */
kugel_status kg_validate_surface_head(const kugel_surface_def *def, kugel_error *error);
/* A unit quaternion of doubles. `name`, here and below: the argument, for the error. */
kugel_status kg_validate_rotation(const double *rotation, const char *name, kugel_error *error);
/* `low` <= value <= `high`. */
kugel_status kg_validate_range(double value, double low, double high, const char *name,
                               kugel_error *error);
/* The first `count` numbers of a material (KG_RESTITUTION ...). `prefix`: of their names. */
kugel_status kg_validate_material(const double *values, int count, const char *prefix,
                                  kugel_error *error);
/* Three finite values within KG_VALUE_LIMIT. */
kugel_status kg_validate_vector(const double *value, const char *name, kugel_error *error);
/* Three images (counts of periods), which are 0 along axes that are not periodic. */
kugel_status kg_validate_image(const kugel_world *world, const int32_t *image, const char *name,
                               kugel_error *error);
/* A finite position inside the faces that are not open. */
kugel_status kg_validate_position(const kugel_world *world, const double *position,
                                  const char *name, kugel_error *error);
/* A radius in its range and below a quarter of each periodic length. */
kugel_status kg_validate_radius(const kugel_world *world, double radius, const char *name,
                                kugel_error *error);

/* Give equal defs equal bytes: -0 becomes +0, and NaN in unused bounds becomes 0. */
void kg_validate_canonical_def(kugel_world_def *def);
void kg_validate_canonical_plane(kugel_plane *plane);

#endif
