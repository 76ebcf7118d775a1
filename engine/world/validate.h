/* Checks of all values that enter a world. In: a def or arguments. Out: KUGEL_OK, or a status and
 * an error that names the field. The checks change no value; kg_validate_canonical_... give equal
 * values equal bytes. */
#ifndef KG_WORLD_VALIDATE_H
#define KG_WORLD_VALIDATE_H

#include "base/sized.h"
#include "world/world.h"

/* Cookies of the library's own defs. */
#define KG_WORLD_DEF_COOKIE KG_COOKIE(1, kugel_world_def)
#define KG_BODY_DEF_COOKIE KG_COOKIE(2, kugel_body_def)

/* Read a caller's def into *complete, which has the defaults and `own` bytes. The name of the
 * argument is for the error. */
kugel_status kg_validate_def(const void *def, void *complete, size_t own, const char *argument,
                             kugel_error *error);
/* The values of defs that kg_validate_def completed. */

kugel_status kg_validate_world_def(const kugel_world_def *def, kugel_error *error);
kugel_status kg_validate_body_def(const kugel_world *world, const kugel_body_def *def,
                                  kugel_error *error);
/* Mass of a body, kg, from the def's density or mass. */
double kg_body_def_mass(const kugel_body_def *def);
/* The shape and its sizes. */
kugel_status kg_validate_shape(const kugel_surface_def *def, kugel_error *error);
kugel_status kg_validate_surface_def(const kugel_surface_def *def, kugel_error *error);
/* All fields of a surface def but its shape's sizes and the values of its arrays. */
kugel_status kg_validate_surface_head(const kugel_surface_def *def, kugel_error *error);
/* A unit quaternion. `name`, here and below: the argument, for the error. */
kugel_status kg_validate_rotation(const double *rotation, const char *name, kugel_error *error);
/* `low` <= value <= `high`. */
kugel_status kg_validate_range(double value, double low, double high, const char *name,
                               kugel_error *error);
/* The first `count` numbers of a material (KG_RESTITUTION ...). `prefix`: of their names. */
kugel_status kg_validate_material(const double *values, int count, const char *prefix,
                                  kugel_error *error);
/* A kind of material. */
kugel_status kg_validate_kind(uint32_t kind, const char *name, kugel_error *error);
/* Bits of kugel_locks. */
kugel_status kg_validate_locks(uint32_t locks, const char *name, kugel_error *error);
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

#endif
