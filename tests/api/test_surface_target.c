/* Targets of surfaces: the motion that leads to a pose in one step or in several. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "support/support_random.h"
#include "support/support_scene.h"

static const double upright[4] = {0, 0, 0, 1}, origin[3] = {0, 0, 0};

/* A world with a capsule, surface 0. */
static kugel_world *make(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def capsule = kugel_surface_def_default();
    kugel_world *world;
    capsule.shape = KUGEL_SURFACE_CAPSULE;
    capsule.size[0] = capsule.size[1] = 0.5;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &capsule, NULL), KUGEL_OK);
    return world;
}

static kugel_surface_def get(const kugel_world *world)
{
    kugel_surface_def def;
    cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, 0), &def, NULL), KUGEL_OK);
    return def;
}

static void place(kugel_world *world, const double position[3], const double rotation[4])
{
    cr_assert_eq(kugel_surface_set_pose(world, kugel_world_surface(world, 0), position, rotation),
                 KUGEL_OK);
}

static void set_target(kugel_world *world, const double *position, const double *rotation,
                       double dt)
{
    cr_assert_eq(
        kugel_surface_set_target(world, kugel_world_surface(world, 0), position, rotation, dt),
        KUGEL_OK, "%s", kugel_world_last_error(world)->message);
}

static void random_rotation(support_random *random, double q[4])
{
    double length = 0;
    for (int k = 0; k < 4; ++k) q[k] = support_between(random, -1, 1), length += q[k] * q[k];
    for (int k = 0; k < 4; ++k) q[k] /= sqrt(length);
}

/* rad; q and -q are one rotation. |p - q| is half of a small angle. */
static double angle_between(const double p[4], const double q[4])
{
    double minus = 0, plus = 0;
    for (int k = 0; k < 4; ++k) {
        minus += (p[k] - q[k]) * (p[k] - q[k]);
        plus += (p[k] + q[k]) * (p[k] + q[k]);
    }
    return 4 * asin(fmin(sqrt(fmin(minus, plus)) / 2, 1));
}

/* The errors divided by those that surface.h states; the larger one. */
static double error_ratio(const kugel_surface_def *now, const double start[3],
                          const double position[3], const double rotation[4])
{
    double ratio = angle_between(now->rotation, rotation) / 1e-14;
    for (int k = 0; k < 3; ++k)
        ratio = fmax(ratio, fabs(now->position[k] - position[k]) /
                                (1e-15 * fmax(fabs(start[k]), fabs(position[k]))));
    return ratio;
}

Test(surface_target, is_reached)
{
    support_random random = support_random_start("surface target", 1);
    kugel_world *world = make();
    for (int n = 0; n < 4000; ++n) {
        double start[3], from[4], position[3], to[4], dt = support_between(&random, 1e-3, 1);
        int steps = n % 2 ? 1 : 20;
        for (int k = 0; k < 3; ++k) {
            start[k] = support_between(&random, -9, 9);
            position[k] = support_between(&random, -9, 9);
        }
        random_rotation(&random, from);
        random_rotation(&random, to);
        place(world, start, from);
        set_target(world, position, to, dt * steps);
        support_run(world, dt, steps);
        kugel_surface_def now = get(world);
        double ratio = error_ratio(&now, start, position, to);
        cr_assert_lt(ratio, steps, "%d steps: %g times the error of one", steps, ratio);
    }
    kugel_world_destroy(world);
}

/* Turns of all sizes about many axes. */
Test(surface_target, the_spin_is_the_shorter_turn)
{
    kugel_world *world = make();
    for (int n = 0; n <= 400; ++n) {
        double axis[3] = {sin(n), cos(3 * n), sin(7 * n + 1)}, from[4] = {0.5, -0.5, 0.1, 0.7};
        double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        double angle = n < 200 ? pow(10, -n / 20.) : M_PI * (n - 200) / 200.001;
        double turn[4], to[4];
        for (int k = 0; k < 3; ++k) turn[k] = sin(angle / 2) * (axis[k] /= length);
        turn[3] = cos(angle / 2);
        place(world, origin, from);
        kg_rotation_product(to, turn, from);
        for (int k = 0; k < 4; ++k) to[k] *= n % 2 ? 1 : -1; /* the same rotation */
        set_target(world, NULL, to, 1);
        kugel_surface_def now = get(world);
        for (int k = 0; k < 3; ++k)
            cr_assert_float_eq(now.spin[k], angle * axis[k], 1e-15 + 2e-15 * angle, "%g rad: %.17g",
                               angle, now.spin[k]);
    }
    kugel_world_destroy(world);
}

Test(surface_target, parts_that_are_null_stay)
{
    const double velocity[3] = {1, 2, 3}, spin[3] = {0.25, 0, -0.5}, there[3] = {2, 0, -4},
                 half_turn[4] = {0, 0, 1, 0};
    kugel_world *world = make();
    cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, 0), velocity, spin),
                 KUGEL_OK);
    set_target(world, there, NULL, 0.5);
    kugel_surface_def now = get(world);
    cr_assert(memcmp(now.velocity, (double[3]){4, 0, -8}, sizeof velocity) == 0);
    cr_assert(memcmp(now.spin, spin, sizeof spin) == 0);
    cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, 0), velocity, spin),
                 KUGEL_OK);
    set_target(world, NULL, half_turn, 0.5);
    now = get(world);
    cr_assert(memcmp(now.velocity, velocity, sizeof velocity) == 0);
    cr_assert_float_eq(fabs(now.spin[2]), 2 * M_PI, 1e-14);
    kugel_world_destroy(world);
}

Test(surface_target, the_present_pose_stops_the_surface)
{
    support_random random = support_random_start("present pose", 1);
    kugel_world *world = make();
    for (int n = 0; n < 100; ++n) {
        double position[3], rotation[4];
        for (int k = 0; k < 3; ++k) position[k] = support_between(&random, -9, 9);
        random_rotation(&random, rotation);
        place(world, position, rotation);
        cr_assert_eq(
            kugel_surface_set_motion(world, kugel_world_surface(world, 0), position, position),
            KUGEL_OK);
        support_run(world, 0.125, 1);
        kugel_surface_def now = get(world);
        set_target(world, now.position, now.rotation, 1e-6);
        now = get(world);
        for (int k = 0; k < 3; ++k) cr_assert(now.velocity[k] == 0 && now.spin[k] == 0);
    }
    kugel_world_destroy(world);
}

/* A surface with a target pushes a ball on its way, as one with a motion does. */
Test(surface_target, pushes_bodies)
{
    kugel_world *worlds[2] = {make(), make()};
    kugel_body_def ball = kugel_body_def_default();
    ball.position[0] = 1.5;
    for (int w = 0; w < 2; ++w) cr_assert_eq(kugel_body_create(worlds[w], &ball, NULL), KUGEL_OK);
    set_target(worlds[0], (double[3]){2, 0, 0}, upright, 0.5);
    cr_assert_eq(kugel_surface_set_motion(worlds[1], kugel_world_surface(worlds[1], 0),
                                          (double[3]){4, 0, 0}, origin),
                 KUGEL_OK);
    kugel_body_state state;
    for (int w = 0; w < 2; ++w) support_run(worlds[w], 0.5, 1);
    support_state(worlds[0], 0, &state);
    cr_assert_gt(state.velocity[0], 1);
    cr_assert_eq(kugel_world_hash(worlds[0]), kugel_world_hash(worlds[1]));
    for (int w = 0; w < 2; ++w) kugel_world_destroy(worlds[w]);
}

static void check_refused(kugel_world *world, kugel_status status, const char *argument)
{
    cr_assert_eq(status, KUGEL_ERROR_INVALID_ARGUMENT, "%s", argument);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, argument);
}

Test(surface_target, bad_arguments_are_refused)
{
    const double bad[3] = {0, NAN, 0}, far[3] = {2e15, 0, 0}, long_turn[4] = {0, 0, 0, 1.1},
                 nan_turn[4] = {0, NAN, 0, 1}, half_turn[4] = {1, 0, 0, 0}, there[3] = {1, 0, 0};
    kugel_world *world = make();
    cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, 0), there, there),
                 KUGEL_OK);
    uint64_t before = kugel_world_hash(world);
#define TARGET kugel_surface_set_target
    kugel_surface one = kugel_world_surface(world, 0), next = one + 1; /* of the next index */
    cr_assert_eq(TARGET(world, next, there, upright, 1), KUGEL_ERROR_STALE_HANDLE);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "surface");
    check_refused(world, TARGET(world, one, NULL, NULL, 1), "position");
    check_refused(world, TARGET(world, one, bad, upright, 1), "position");
    check_refused(world, TARGET(world, one, far, NULL, 1), "position");
    check_refused(world, TARGET(world, one, there, long_turn, 1), "rotation");
    check_refused(world, TARGET(world, one, NULL, nan_turn, 1), "rotation");
    const double times[] = {0, -1, NAN, INFINITY, 2e15, 1e-300}; /* the last one: the speeds */
    for (size_t k = 0; k < sizeof times / sizeof *times; ++k) {
        check_refused(world, TARGET(world, one, there, NULL, times[k]), "dt");
        check_refused(world, TARGET(world, one, NULL, half_turn, times[k]), "dt");
    }
    cr_assert(strstr(kugel_world_last_error(world)->message, "too short"));
    cr_assert_eq(TARGET(NULL, 0, there, upright, 1), KUGEL_ERROR_INVALID_ARGUMENT);
#undef TARGET
    cr_assert_eq(kugel_world_hash(world), before);
    kugel_world_destroy(world);
}
