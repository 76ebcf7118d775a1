/* Properties of bodies that calls change between steps: their effect on the motion agrees with that
 * of a body created with the new value, or with a closed form. Sleep by call. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"
#include "support/support_setters.h"

/* A ball on a rough plane, or above it. */
static kugel_world *place(double height, kugel_body *body)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_plane floor = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    support_add_plane(world, &floor, NULL);
    kugel_body_def ball = kugel_body_def_default();
    ball.position[2] = height;
    cr_assert_eq(kugel_body_create(world, &ball, body), KUGEL_OK);
    return world;
}

static kugel_body_state state_of(const kugel_world *world, kugel_body body)
{
    kugel_body_state state;
    cr_assert_eq(kugel_body_get(world, body, &state), KUGEL_OK);
    return state;
}

Test(body_set, mass_and_radius_set_the_inertia)
{
    kugel_body body;
    kugel_world *world = place(9, &body);
    cr_assert_eq(kugel_body_set_mass(world, body, 4), KUGEL_OK);
    cr_assert_eq(kugel_body_set_radius(world, body, 0.25), KUGEL_OK);
    kugel_body_apply_impulse(world, body, (double[3]){2, 0, 0}, NULL);
    kugel_body_apply_angular_impulse(world, body, (double[3]){0, 1, 0});
    kugel_body_state s = state_of(world, body);
    cr_assert(s.mass == 4 && s.radius == 0.25);
    cr_assert_eq(s.velocity[0], 0.5);
    cr_assert_float_eq(s.spin[1], 1 / (0.4 * 4 * 0.25 * 0.25), 1e-12);
    kugel_world_destroy(world);
}

Test(body_set, a_resting_body_settles_with_its_new_radius)
{
    kugel_body body;
    kugel_world *world = place(0.5, &body);
    support_run(world, 1 / 60., 120);
    cr_assert(state_of(world, body).asleep);
    cr_assert_eq(kugel_body_set_radius(world, body, 0.25), KUGEL_OK);
    cr_assert(!state_of(world, body).asleep && !state_of(world, body).contacts);
    support_run(world, 1 / 60., 120);
    /* the slop is 1 % of the radius */
    cr_assert_float_eq(state_of(world, body).position[2], 0.25, 0.01 * 0.25);
    cr_assert_eq(state_of(world, body).contacts, 1);
    cr_assert_eq(kugel_body_set_radius(world, body, 0.75), KUGEL_OK);
    support_run(world, 1 / 60., 240);
    cr_assert_float_eq(state_of(world, body).position[2], 0.75, 0.02 * 0.75);
    kugel_world_destroy(world);
}

Test(body_set, restitution_keeps_the_energy_of_a_bounce)
{
    kugel_body body;
    kugel_world *world = place(2.5, &body);
    kugel_energy before, after;
    cr_assert_eq(support_set_restitution(world, body, 1), KUGEL_OK);
    kugel_world_energy(world, &before);
    support_run(world, 1 / 60., 200);
    kugel_world_energy(world, &after);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_gt(stats.impacts_total, 1);
    double start = before.kinetic + before.potential;
    cr_assert_float_eq(after.kinetic + after.potential, start, 1e-9 * start);
    cr_assert_eq(support_set_restitution(world, body, 0), KUGEL_OK);
    support_run(world, 1 / 60., 200);
    cr_assert_float_eq(state_of(world, body).position[2], 0.5, 0.01, "it no longer bounces");
    kugel_world_destroy(world);
}

Test(body_set, friction_spins_a_sliding_ball)
{
    kugel_body body;
    kugel_world *world = place(0.5, &body);
    cr_assert_eq(support_set_friction(world, body, 0), KUGEL_OK);
    kugel_body_set_velocity(world, body, (double[3]){7, 0, 0});
    support_run(world, 1 / 60., 60);
    cr_assert_eq(state_of(world, body).spin[1], 0);
    cr_assert_float_eq(state_of(world, body).velocity[0], 7, 1e-9);
    cr_assert_eq(support_set_friction(world, body, 0.5), KUGEL_OK);
    support_run(world, 1 / 60., 120);
    /* a solid sphere that slid at 7 m/s rolls at 5/7 of it */
    cr_assert_float_eq(state_of(world, body).velocity[0], 5, 0.01);
    cr_assert_float_eq(state_of(world, body).spin[1] * 0.5, 5, 0.01);
    cr_assert_eq(support_set_rolling_resistance(world, body, 0.1), KUGEL_OK);
    support_run(world, 1 / 60., 30);
    cr_assert_lt(state_of(world, body).velocity[0], 4.9, "rolling resistance slows it");
    kugel_world_destroy(world);
}

Test(body_set, gravity_scale_and_type_decide_the_fall)
{
    kugel_body body;
    kugel_world *world = place(50, &body);
    cr_assert_eq(kugel_body_set_gravity_scale(world, body, 0), KUGEL_OK);
    support_run(world, 1 / 64., 64);
    cr_assert_eq(state_of(world, body).position[2], 50);
    cr_assert_eq(kugel_body_set_gravity_scale(world, body, 2), KUGEL_OK);
    support_run(world, 1 / 64., 64);
    cr_assert_float_eq(state_of(world, body).position[2], 40, 1e-9);
    cr_assert_eq(kugel_body_set_type(world, body, KUGEL_KINEMATIC, 0), KUGEL_OK);
    kugel_body_state s = state_of(world, body);
    cr_assert(s.type == KUGEL_KINEMATIC && s.mass == 0 && s.velocity[2] < -19);
    support_run(world, 1 / 64., 64);
    cr_assert_float_eq(state_of(world, body).position[2], 20, 1e-9, "it keeps its velocity");
    cr_assert_eq(kugel_body_set_type(world, body, KUGEL_STATIC, 0), KUGEL_OK);
    support_run(world, 1 / 64., 64);
    cr_assert_float_eq(state_of(world, body).position[2], 20, 1e-9, "it stops");
    cr_assert_eq(kugel_body_set_type(world, body, KUGEL_DYNAMIC, 3), KUGEL_OK);
    support_run(world, 1 / 64., 64);
    cr_assert_float_eq(state_of(world, body).position[2], 10, 1e-9, "it falls at 2 g");
    cr_assert_eq(state_of(world, body).mass, 3);
    kugel_world_destroy(world);
}

/* Three balls one on another. */
static kugel_world *make_column(kugel_body column[3])
{
    kugel_world *world = place(0.5, &column[0]);
    kugel_body_def ball = kugel_body_def_default();
    for (int k = 1; k < 3; ++k) {
        ball.position[2] = 0.5 + k;
        cr_assert_eq(kugel_body_create(world, &ball, &column[k]), KUGEL_OK);
    }
    support_run(world, 1 / 60., 3);
    cr_assert_eq(state_of(world, column[1]).contacts, 2, "they touch");
    return world;
}

Test(body_set, sleep_and_wake_reach_all_bodies_in_contact)
{
    kugel_body column[3];
    kugel_world *world = make_column(column);
    size_t count;
    for (int k = 0; k < 3; ++k) kugel_body_set_velocity(world, column[k], (double[3]){0, 1, 0});
    cr_assert_eq(kugel_body_sleep(world, column[2]), KUGEL_OK);
    for (int k = 0; k < 3; ++k) {
        kugel_body_state s = state_of(world, column[k]);
        cr_assert(s.asleep && s.velocity[1] == 0, "body %d sleeps", k);
    }
    support_run(world, 1 / 60., 10);
    cr_assert_eq(state_of(world, column[0]).position[1], 0);
    cr_assert_eq(kugel_body_wake(world, column[0]), KUGEL_OK);
    cr_assert_not(state_of(world, column[2]).asleep);
    support_run(world, 1 / 60., 1);
    kugel_world_wake_events(world, &count);
    cr_assert_eq(count, 3);
    kugel_world_destroy(world);
}

/* What says nothing about which bodies are near keeps the neighbour lists. */
Test(body_set, masses_and_materials_keep_the_neighbour_lists)
{
    typedef kugel_status set(kugel_world *, kugel_body, double);
    static set *const setters[] = {kugel_body_set_mass,
                                   support_set_friction,
                                   support_set_restitution,
                                   support_set_rolling_resistance,
                                   support_set_tangential_restitution,
                                   kugel_body_set_gravity_scale,
                                   kugel_body_set_radius};
    enum { KEEP = sizeof setters / sizeof *setters - 1 };
    for (int k = 0; k <= KEEP; ++k) {
        kugel_body column[3];
        kugel_stats before, after;
        kugel_world *world = make_column(column);
        kugel_world_stats(world, &before);
        cr_assert_eq(setters[k](world, column[1], 0.49), KUGEL_OK);
        support_run(world, 1 / 60., 1);
        kugel_world_stats(world, &after);
        cr_expect_eq(after.list_rebuilds - before.list_rebuilds, k == KEEP, "setter %d", k);
        kugel_world_destroy(world);
    }
}

Test(body_set, a_change_wakes_the_island)
{
    typedef kugel_status set(kugel_world *, kugel_body, double);
    static set *const setters[6] = {
        kugel_body_set_mass,  kugel_body_set_radius,          support_set_restitution,
        support_set_friction, support_set_rolling_resistance, kugel_body_set_gravity_scale};
    for (int k = 0; k < 6; ++k) {
        kugel_body column[3];
        kugel_world *world = make_column(column);
        cr_assert_eq(kugel_body_sleep(world, column[0]), KUGEL_OK);
        cr_assert_eq(setters[k](world, column[2], 0.25), KUGEL_OK);
        cr_assert_not(state_of(world, column[0]).asleep, "setter %d wakes", k);
        kugel_world_destroy(world);
    }
}

/* A host that writes the push of each body, mostly 0, in each tick wakes nothing. */
Test(body_set, a_push_of_zero_wakes_nothing)
{
    typedef kugel_status call(kugel_world *, kugel_body, const double *);
    call *const calls[] = {kugel_body_set_velocity, kugel_body_set_spin,
                           support_apply_force,     kugel_body_apply_torque,
                           support_apply_impulse,   kugel_body_apply_angular_impulse};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) {
        kugel_body column[3];
        kugel_world *world = make_column(column);
        cr_assert_eq(kugel_body_sleep(world, column[0]), KUGEL_OK);
        const double zero[3] = {0, -0.0, 0}, place[3] = {1, 2, 3}, little[3] = {1e-3, 0, 0};
        cr_assert_eq(calls[k](world, column[0], zero), KUGEL_OK);
        cr_assert_eq(kugel_body_apply_force(world, column[0], zero, place), KUGEL_OK);
        cr_assert_eq(kugel_body_apply_impulse(world, column[0], zero, place), KUGEL_OK);
        cr_expect(state_of(world, column[0]).asleep, "call %zu", k);
        cr_assert_eq(calls[k](world, column[0], little), KUGEL_OK);
        cr_expect(!state_of(world, column[0]).asleep, "call %zu", k);
        kugel_world_destroy(world);
    }
}

Test(body_set, a_moving_support_wakes_a_body_put_to_sleep)
{
    kugel_body lift, rider;
    kugel_world *world = place(0.5, &lift);
    kugel_body_def ball = kugel_body_def_default();
    ball.position[2] = 1.5;
    kugel_body_set_type(world, lift, KUGEL_KINEMATIC, 0);
    kugel_body_create(world, &ball, &rider);
    support_run(world, 1 / 60., 5);
    cr_assert_eq(kugel_body_sleep(world, rider), KUGEL_OK);
    kugel_body_set_velocity(world, lift, (double[3]){0, 0, 1});
    support_run(world, 1 / 60., 1);
    cr_assert_not(state_of(world, rider).asleep);
    kugel_world_destroy(world);
}

static void check_no_minus_zero(const kugel_world *world, kugel_body body)
{
    kugel_body_state s = state_of(world, body);
    for (int k = 0; k < 3; ++k)
        cr_assert(!signbit(s.position[k]) && !signbit(s.velocity[k]) && !signbit(s.spin[k]));
}

/* Equal states have equal bits: a restored world has no -0. */
Test(body_set, minus_zero_becomes_zero)
{
    const double zero[3] = {-0.0, -0.0, -0.0};
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_body body;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (int k = 0; k < 3; ++k) ball.position[k] = ball.velocity[k] = ball.spin[k] = -0.0;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    check_no_minus_zero(world, body);
    cr_assert_eq(kugel_body_set_position(world, body, zero), KUGEL_OK);
    cr_assert_eq(kugel_body_set_velocity(world, body, zero), KUGEL_OK);
    cr_assert_eq(kugel_body_set_spin(world, body, zero), KUGEL_OK);
    check_no_minus_zero(world, body);
    kugel_world_destroy(world);
}

/* 3 / (4 pi) kg/m^3 and a radius of 2 m are 8 kg. The mass stays when the radius changes. */
Test(body_set, a_density_makes_the_mass)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_body body;
    kugel_body_state s;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    ball.radius = 2, ball.density = 3 / (4 * acos(-1)), ball.mass = -1;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    cr_assert_eq(kugel_body_set_radius(world, body, 1), KUGEL_OK);
    cr_assert_eq(kugel_body_get(world, body, &s), KUGEL_OK);
    cr_assert_float_eq(s.mass, 8, 1e-14);
    ball.density = -1;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "def.density");
    ball.density = 1e-40;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "def.mass");
    kugel_world_destroy(world);
}
