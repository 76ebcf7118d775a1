/* Public functions that turn bodies: at once, or by the spin that reaches an orientation in a step
 * of length dt. */
#include "api/api_body.h"
#include "kugel/body.h"
#include "record/recorder.h"

static kugel_status find_and_check(kugel_world *world, kugel_body body, const double *orientation,
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
                                        const double *orientation)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = find_and_check(world, body, orientation, &i);
    if (status) return status;
    for (int k = 0; k < 4; ++k) world->bodies.q[k][i] = orientation[k] + 0.0; /* -0 becomes +0 */
    KG_RECORD(world, SET_ORIENTATION, .body = body, .rotation = KG_ELEMENTS4(orientation));
    return KUGEL_OK;
}

/* Check and compute the spin, rad/s, that turns a body to an orientation in dt, s. */
static kugel_status spin_to(kugel_world *world, kugel_body body, const double *orientation,
                            double dt, double spin[3])
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = find_and_check(world, body, orientation, &i);
    if (!status) status = kg_api_check_target(world, i, dt);
    if (status) return status;
    double *const *q = world->bodies.q;
    kg_api_spin_to((const double[4]){q[0][i], q[1][i], q[2][i], q[3][i]}, orientation, dt, spin);
    return kg_api_check_target_speed(world, spin);
}

kugel_status kugel_body_set_target_orientation(kugel_world *world, kugel_body body,
                                               const double *orientation, double dt)
{
    double spin[3];
    kugel_status status = spin_to(world, body, orientation, dt, spin);
    return status ? status : kugel_body_set_spin(world, body, spin);
}
