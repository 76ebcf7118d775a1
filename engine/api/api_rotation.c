/* Public functions that turn bodies at once, or that set the motion of kinematic bodies which
 * reaches a place and a rotation in a step of length dt. */
#include "api/api_body.h"
#include "kugel/body.h"
#include "record/recorder.h"
#include "world/moves.h"
#include "world/periodic.h"

kugel_status kugel_body_set_rotation(kugel_world *world, kugel_body body, const double *rotation)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    if (kg_validate_rotation(rotation, "rotation", &error)) return kg_refuse_error(world, &error);
    for (int k = 0; k < 4; ++k) world->bodies.q[k][i] = rotation[k] + 0.0; /* -0 becomes +0 */
    kg_moves_note_placed(world, i);
    KG_RECORD(world, SET_ROTATION, .body = body, .rotation = KG_ELEMENTS4(rotation));
    return KUGEL_OK;
}

/* Check and compute the motion that brings a body to a position and a rotation in dt, s. */
static kugel_status motion_to(kugel_world *world, kugel_body body, const double *position,
                              const double *rotation, double dt, double velocity[3], double spin[3])
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    if (!position && !rotation)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "position",
                               "and rotation are both NULL");
    if ((position && (kg_validate_vector(position, "position", &error) ||
                      kg_validate_position(world, position, "position", &error))) ||
        (rotation && kg_validate_rotation(rotation, "rotation", &error)))
        return kg_refuse_error(world, &error);
    if ((status = kg_api_check_target(world, i, dt))) return status;
    const kg_bodies *b = &world->bodies;
    for (int k = 0; k < 3 && position; ++k)
        velocity[k] = kg_periodic_nearest_image(world, k, position[k] - b->x[k][i]) / dt;
    if (rotation)
        kg_api_spin_to((const double[4]){b->q[0][i], b->q[1][i], b->q[2][i], b->q[3][i]}, rotation,
                       dt, spin);
    if (position) status = kg_api_check_target_speed(world, velocity);
    if (rotation && !status) status = kg_api_check_target_speed(world, spin);
    return status;
}

kugel_status kugel_body_set_target(kugel_world *world, kugel_body body, const double *position,
                                   const double *rotation, double dt)
{
    double velocity[3], spin[3];
    kugel_status status = motion_to(world, body, position, rotation, dt, velocity, spin);
    if (position && !status) status = kugel_body_set_velocity(world, body, velocity);
    if (rotation && !status) status = kugel_body_set_spin(world, body, spin);
    return status;
}
