/* Public functions that turn bodies: at once, or by the spin that reaches an orientation in a step
 * of length dt. */
#include "api/api_body.h"
#include "kugel/body.h"
#include "record/recorder.h"

static kugel_status find_and_check(kugel_world *world, kugel_body body, const float *orientation,
                                   uint32_t *slot)
{
    kugel_error error;
    kugel_status status = kg_api_find_body(world, body, slot);
    if (status) return status;
    if (!orientation) return kg_refuse_null(world, "orientation");
    if (!kg_validate_orientation(orientation, &error)) return KUGEL_OK;
    return kg_error_report(world, error.status, "orientation", "%s", error.message);
}

kugel_status kugel_body_set_orientation(kugel_world *world, kugel_body body,
                                        const float *orientation)
{
    uint32_t i;
    kugel_status status = find_and_check(world, body, orientation, &i);
    if (status) return status;
    for (int k = 0; k < 4; ++k) world->bodies.q[k][i] = orientation[k] + 0.0f; /* -0 becomes +0 */
    kg_record_orientation(world->recorder, body, orientation);
    return KUGEL_OK;
}

kugel_status kugel_body_set_target_orientation(kugel_world *world, kugel_body body,
                                               const float *orientation, double dt)
{
    uint32_t i;
    kugel_status status = find_and_check(world, body, orientation, &i);
    if (!status) status = kg_api_check_target(world, i, dt);
    if (status) return status;
    double from[4], to[4], spin[3];
    for (int k = 0; k < 4; ++k)
        from[k] = (double)world->bodies.q[k][i], to[k] = (double)orientation[k];
    kg_api_spin_to(from, to, dt, spin);
    status = kg_api_check_target_speed(world, spin);
    return status ? status : kugel_body_set_spin(world, body, spin);
}
