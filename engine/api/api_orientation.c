/* Public functions that turn bodies: at once, or by the spin that reaches an orientation in a step.
 * Functions of libm other than sqrt are not used, so that all targets give the same bits. */
#include "api/api_body.h"
#include "base/vec.h"
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

/* The unit quaternion r with r from = to and r[3] >= 0. */
static void rotation_between(const double from[4], const double to[4], double r[4])
{
    double cross[3], length2;
    kg_cross3(cross, from, to);
    for (int k = 0; k < 3; ++k) r[k] = from[3] * to[k] - to[3] * from[k] + cross[k];
    r[3] = from[3] * to[3] + kg_dot3(from, to);
    length2 = kg_dot3(r, r) + r[3] * r[3];
    double scale = (r[3] < 0 ? -1 : 1) / __builtin_sqrt(length2);
    for (int k = 0; k < 4; ++k) r[k] *= scale;
}

/* Half of the rotation r, whose r[3] >= 0. */
static void halve_rotation(double r[4])
{
    double length2 = kg_dot3(r, r), w = r[3] + 1, scale = 1 / __builtin_sqrt(length2 + w * w);
    for (int k = 0; k < 3; ++k) r[k] *= scale;
    r[3] = w * scale;
}

/* arcsin x / x for |x| <= sin(pi / 16), with an error of at most 6e-11 (Taylor series). */
static double arcsine_ratio(double x)
{
    double y = x * x;
    return 1 +
           y * (1 / 6. + y * (3 / 40. + y * (15 / 336. + y * (105 / 3456. + y * (945 / 42240.)))));
}

/* Rotation vector of r, rad. Three halvings of the rotation leave a quaternion with a vector part
 * of at most sin(pi / 16). */
static void rotation_vector(double r[4], double vector[3])
{
    enum { HALVINGS = 3 };
    for (int k = 0; k < HALVINGS; ++k) halve_rotation(r);
    double ratio = 2 * (1 << HALVINGS) * arcsine_ratio(kg_length3(r));
    for (int k = 0; k < 3; ++k) vector[k] = ratio * r[k];
}

kugel_status kugel_body_set_target_orientation(kugel_world *world, kugel_body body,
                                               const float *orientation, double dt)
{
    uint32_t i;
    kugel_status status = find_and_check(world, body, orientation, &i);
    if (!status) status = kg_api_check_target(world, i, dt);
    if (status) return status;
    double from[4], to[4], rotation[4], spin[3];
    for (int k = 0; k < 4; ++k)
        from[k] = (double)world->bodies.q[k][i], to[k] = (double)orientation[k];
    rotation_between(from, to, rotation);
    rotation_vector(rotation, spin);
    for (int k = 0; k < 3; ++k) spin[k] = spin[k] / dt + 0.0;
    status = kg_api_check_target_speed(world, spin);
    return status ? status : kugel_body_set_spin(world, body, spin);
}
