/* Rotations that calls set: at once, or as the target of a kinematic body's spin. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/support_scene.h"

static kugel_world *make(kugel_body_type type, kugel_body *body)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_body_def ball = kugel_body_def_default();
    ball.type = type;
    cr_assert_eq(kugel_body_create(world, &ball, body), KUGEL_OK);
    return world;
}

static void random_rotation(support_random *random, double q[4])
{
    double x[4], length = 0;
    for (int k = 0; k < 4; ++k) x[k] = support_between(random, -1, 1), length += x[k] * x[k];
    for (int k = 0; k < 4; ++k) q[k] = x[k] / sqrt(length);
}

/* rad; q and -q are one rotation. |p - q| is half of a small angle. */
static double angle_between(const double p[4], const double q[4])
{
    double minus = 0, plus = 0;
    for (int k = 0; k < 4; ++k) {
        minus += pow(p[k] - q[k], 2);
        plus += pow(p[k] + q[k], 2);
    }
    return 4 * asin(fmin(sqrt(fmin(minus, plus)) / 2, 1));
}

Test(rotation, is_set_at_once_for_all_types)
{
    const double q[4] = {0.6, 0, -0.8, 0};
    for (int type = 0; type < 3; ++type) {
        kugel_body body;
        kugel_world *world = make((kugel_body_type)type, &body);
        uint64_t before = kugel_world_hash(world);
        double now[4];
        cr_assert_eq(kugel_body_set_rotation(world, body, q), KUGEL_OK);
        cr_assert_eq(kugel_body_get_rotation(world, body, now), KUGEL_OK);
        cr_assert(memcmp(now, q, sizeof now) == 0);
        cr_assert_neq(kugel_world_hash(world), before, "it is hashed");
        support_run(world, 1 / 60., 1);
        kugel_body_get_rotation(world, body, now);
        cr_assert_lt(angle_between(q, now), 1e-15, "without spin it stays");
        kugel_world_destroy(world);
    }
}

/* A product of quaternions rounds by a few 2^-53 for each of the 4 substeps, and arcsine by some
 * more. */
Test(rotation, a_target_is_reached_after_one_step)
{
    support_random random = support_random_start("rotation", 1);
    kugel_body body;
    kugel_world *world = make(KUGEL_KINEMATIC, &body);
    double most = 0;
    for (int n = 0; n < 2000; ++n) {
        double start[4], target[4], now[4];
        double dt = support_between(&random, 1e-3, 1), spin[3], turn = 0;
        random_rotation(&random, start);
        random_rotation(&random, target);
        kugel_body_set_rotation(world, body, start);
        cr_assert_eq(kugel_body_set_target(world, body, NULL, target, dt), KUGEL_OK);
        kugel_body_get_spin(world, body, spin);
        for (int k = 0; k < 3; ++k) turn += spin[k] * spin[k];
        cr_assert_float_eq(sqrt(turn) * dt, angle_between(start, target), 1e-14, "the shorter way");
        support_run(world, dt, 1);
        kugel_body_get_rotation(world, body, now);
        most = fmax(most, angle_between(now, target));
    }
    cr_assert_lt(most, 1e-14, "%g rad", most);
    kugel_world_destroy(world);
}

Test(rotation, special_targets)
{
    static const struct {
        double target[4];
        double spin[3]; /* for dt = 1 s */
    } rows[] = {
        {{0, 0, 0, 1}, {0, 0, 0}},
        {{0, 0, 0, -1}, {0, 0, 0}},
        {{1, 0, 0, 0}, {M_PI, 0, 0}},
        {{0, 0, M_SQRT1_2, M_SQRT1_2}, {0, 0, M_PI / 2}},
        {{0, 0, M_SQRT1_2, -M_SQRT1_2}, {0, 0, -M_PI / 2}},
        {{0, 1e-6, 0, 1}, {0, 2e-6, 0}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        kugel_body body;
        double spin[3];
        kugel_world *world = make(KUGEL_KINEMATIC, &body);
        cr_assert_eq(kugel_body_set_target(world, body, NULL, rows[r].target, 1), KUGEL_OK);
        kugel_body_get_spin(world, body, spin);
        for (int k = 0; k < 3; ++k)
            cr_assert_float_eq(spin[k], rows[r].spin[k], 1e-15, "row %zu: %.17g", r, spin[k]);
        kugel_world_destroy(world);
    }
}

Test(rotation, bad_arguments_are_refused)
{
    const double fine[4] = {0, 0, 0, 1}, turned[4] = {1, 0, 0, 0}, zero[4] = {0, 0, 0, 0},
                 nan[4] = {NAN, 0, 0, 1};
    kugel_body body, dynamic;
    kugel_world *world = make(KUGEL_KINEMATIC, &body);
    kugel_body_def ball = kugel_body_def_default();
    kugel_body_create(world, &ball, &dynamic);
    uint64_t before = kugel_world_hash(world);
    const double *bad[3] = {zero, nan, NULL};
    for (int k = 0; k < 3; ++k) {
        cr_assert_eq(kugel_body_set_rotation(world, body, bad[k]), KUGEL_ERROR_INVALID_ARGUMENT);
        cr_assert_str_eq(kugel_world_last_error(world)->argument, "rotation");
        cr_assert_eq(kugel_body_set_target(world, body, NULL, bad[k], 1),
                     KUGEL_ERROR_INVALID_ARGUMENT);
        cr_assert_str_eq(kugel_world_last_error(world)->argument, bad[k] ? "rotation" : "position");
    }
    cr_assert_eq(kugel_body_set_target(world, dynamic, NULL, fine, 1),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "body");
    const double times[4] = {0, -1, NAN, 1e-300}; /* the last one: the spin */
    for (int k = 0; k < 4; ++k) {
        cr_assert_eq(kugel_body_set_target(world, body, NULL, turned, times[k]),
                     KUGEL_ERROR_INVALID_ARGUMENT);
        cr_assert_str_eq(kugel_world_last_error(world)->argument, "dt");
    }
    cr_assert_eq(kugel_world_hash(world), before);
    cr_assert_eq(kugel_body_set_rotation(world, body + 7, fine), KUGEL_ERROR_STALE_HANDLE);
    cr_assert_eq(kugel_body_set_rotation(NULL, body, fine), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_body_set_target(NULL, body, NULL, fine, 1), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
}

/* Rotations of bodies, surfaces and volumes are unit within the same 1e-5. */
Test(rotation, all_quaternions_have_one_tolerance)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (int k = -1; k <= 1; k += 2) {
        for (int valid = 0; valid < 2; ++valid) {
            const double q[4] = {0, 0, 0, 1 + k * (valid ? 0.99e-5 : 1.01e-5)}, origin[3] = {0},
                         axes[3] = {1, 2, 3};
            kugel_status expected = valid ? KUGEL_OK : KUGEL_ERROR_INVALID_ARGUMENT;
            kugel_body_def body = kugel_body_def_default();
            kugel_surface_def surface = kugel_surface_def_default();
            size_t count;
            surface.shape = KUGEL_SURFACE_ELLIPSOID;
            memcpy(body.rotation, q, sizeof q), memcpy(surface.rotation, q, sizeof q);
            memcpy(surface.size, axes, sizeof axes);
            cr_expect_eq(kugel_body_create(world, &body, NULL), expected);
            cr_expect_eq(kugel_surface_create(world, &surface, NULL), expected);
            cr_expect_eq(
                kugel_world_overlap_ellipsoid(world, origin, axes, q, NULL, 0, NULL, &count),
                expected);
        }
    }
    kugel_world_destroy(world);
}

/* One call for both; what is NULL keeps its motion. */
Test(rotation, a_target_has_a_place_and_a_rotation)
{
    const double place[3] = {1, 2, 3}, turned[4] = {0, 0, sqrt(0.5), sqrt(0.5)}, still[3] = {0};
    double x[3], q[4], w[3];
    kugel_body body;
    kugel_world *world = make(KUGEL_KINEMATIC, &body);
    cr_assert_eq(kugel_body_set_target(world, body, place, turned, 0.5), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 0.5), KUGEL_OK);
    kugel_body_get_position(world, body, x), kugel_body_get_rotation(world, body, q);
    for (int k = 0; k < 3; ++k) cr_assert(fabs(x[k] - place[k]) < 1e-14);
    for (int k = 0; k < 4; ++k) cr_assert(fabs(fabs(q[k]) - turned[k]) < 1e-13);
    cr_assert_eq(kugel_body_set_target(world, body, place, NULL, 0.5), KUGEL_OK);
    kugel_body_get_velocity(world, body, x), kugel_body_get_spin(world, body, w);
    for (int k = 0; k < 3; ++k) cr_assert(fabs(x[k] - still[k]) < 1e-13);
    cr_assert(w[2] > 3, "the spin stays");
    kugel_world_destroy(world);
}
