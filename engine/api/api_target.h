/* Targets of kinematic bodies and of surfaces, to be reached in a time dt, s. In: arguments of a
 * call. Out: the spin, or an error that names dt. */
#ifndef KG_API_API_TARGET_H
#define KG_API_API_TARGET_H

#include "api/api_refuse.h"
#include "world/validate.h"

/* Check dt. */
static inline kugel_status kg_api_check_target_time(kugel_world *world, double dt)
{
    if (dt > 0 && dt <= KG_VALUE_LIMIT) return KUGEL_OK;
    return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "dt",
                           "must be > 0 and at most %g, got %g", KG_VALUE_LIMIT, dt);
}

/* Check the velocity, or spin, that leads to a target. */
static inline kugel_status kg_api_check_target_speed(kugel_world *world, const double *speed)
{
    kugel_error error;
    if (!kg_validate_vector(speed, "dt", &error)) return KUGEL_OK;
    return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "dt",
                           "is too short: a component of the speed would exceed %g",
                           KG_VALUE_LIMIT);
}

/* The spin, rad/s, that turns rotation `from` into `to` in dt by at most half a turn. Both are
 * quaternions x, y, z, w of length 1 or near it. Equal rotations give 0. The error of spin * dt
 * is at most 1e-15 rad + 2e-15 of the angle. */
void kg_api_spin_to(const double from[4], const double to[4], double dt, double spin[3]);

#endif
