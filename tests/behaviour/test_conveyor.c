/* Surfaces with a tangent velocity, as conveyor belts: friction drags bodies to it by closed forms,
 * nothing presses them, and they stay awake. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "kugel/kugel.h"
#include "support/support_setters.h"

static const double g = 9.81, mu = 0.3, dt = 1 / 240.;

/* A belt of 200 m x 4 m, turned by `tilt` rad about y, with its velocity along its x axis; a ball
 * of 0.5 m over its middle. */
static kugel_world *belt_world(const double belt[3], double tilt, double height, double restitution,
                               kugel_body *ball)
{
    static const double vertices[] = {-100, -2, 0, 100, -2, 0, 100, 2, 0, -100, 2, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def surface = kugel_surface_def_default();
    kugel_body_def body = kugel_body_def_default();
    kugel_world *world;
    def.gravity[2] = -g;
    surface.vertices = vertices, surface.vertex_count = 4;
    surface.triangles = triangles, surface.triangle_count = 2;
    surface.rotation[1] = sin(tilt / 2), surface.rotation[3] = cos(tilt / 2);
    surface.friction = mu, body.friction = mu; /* mix: mu */
    surface.restitution = body.restitution = restitution;
    for (int k = 0; k < 3; ++k) surface.tangent_velocity[k] = belt[k];
    body.position[0] = height * sin(tilt), body.position[2] = height * cos(tilt);
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &body, ball), KUGEL_OK);
    return world;
}

static kugel_body_state state_of(const kugel_world *world, kugel_body body)
{
    kugel_body_state state;
    cr_assert_eq(kugel_body_get(world, body, &state), KUGEL_OK);
    return state;
}

/* A ball put on the belt slides with mu g until it rolls on it: then v = 2 b / 7 and the surface
 * speed by spin is the rest of b. */
Test(conveyor, drags_a_ball_until_it_rolls)
{
    kugel_body ball;
    const double b = 5, rolls_at = 2 * b / (7 * mu * g);
    kugel_world *world = belt_world((const double[]){b, 0, 0}, 0, 0.5, 0, &ball);
    while (kugel_world_time(world) < 2 * rolls_at) {
        cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
        double t = kugel_world_time(world), v = state_of(world, ball).velocity[0];
        /* the step in which the sliding ends may mix both */
        if (t < rolls_at - dt) cr_assert(fabs(v - mu * g * t) < 1e-4 * b, "%g s: %g m/s", t, v);
        if (t > rolls_at + dt) cr_assert(fabs(v - 2 * b / 7) < 1e-4 * b, "%g s: %g m/s", t, v);
    }
    kugel_body_state s = state_of(world, ball);
    cr_assert(fabs(s.spin[1] * 0.5 - (s.velocity[0] - b)) < 1e-4 * b, "spin %g", s.spin[1]);
    cr_assert(fabs(s.position[2] - 0.5) < 1e-4 && fabs(s.velocity[1]) < 1e-6);
    kugel_world_destroy(world);
}

/* The velocity is in the frame of the surface: on a slope of angle a less than atan(7 mu / 2) a
 * ball that rolls on the belt has the acceleration 5/7 g sin a down, whatever the belt's velocity
 * is. */
Test(conveyor, turns_with_its_surface)
{
    kugel_body ball;
    const double b = -3, tilt = 0.1;
    kugel_world *world = belt_world((const double[]){b, 0, 0}, tilt, 0.5, 0, &ball);
    double along[3] = {cos(tilt), 0, -sin(tilt)}, v[2] = {0, 0};
    for (int tick = 0; tick < 480; ++tick) {
        cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
        kugel_body_state s = state_of(world, ball);
        if (tick == 239 || tick == 479)
            v[tick == 479] = s.velocity[0] * along[0] + s.velocity[2] * along[2];
    }
    double expected = 5 / 7. * g * sin(tilt);
    cr_assert(fabs(v[1] - v[0] - expected) < 1e-3 * expected, "%g, not %g", v[1] - v[0], expected);
    kugel_world_destroy(world);
}

/* The part of the velocity along the normal presses nothing. */
Test(conveyor, does_not_press)
{
    kugel_body ball;
    kugel_world *world = belt_world((const double[]){0, 0, 7}, 0, 0.5, 0, &ball);
    for (int tick = 0; tick < 240; ++tick) {
        cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
        kugel_body_state s = state_of(world, ball);
        for (int k = 0; k < 3; ++k) cr_assert(fabs(s.velocity[k]) < 1e-5, "%g", s.velocity[k]);
    }
    kugel_world_destroy(world);
}

/* A ball that bounces on the belt gets mu (1 + e) v along it, or 2 b / 7 if that is less. */
Test(conveyor, kicks_a_ball_that_bounces)
{
    for (int k = 0; k < 2; ++k) {
        kugel_body ball;
        const double b = k ? 1 : 30, e = 0.5, height = 1.5, v = sqrt(2 * g * (height - 0.5));
        kugel_world *world = belt_world((const double[]){0, b, 0}, 0, height, e, &ball);
        size_t count = 0;
        while (!count) {
            cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
            (void)kugel_world_impact_events(world, &count);
        }
        double expected = fmin(mu * (1 + e) * v, 2 * b / 7),
               got = state_of(world, ball).velocity[1];
        cr_assert(fabs(got - expected) < 1e-6 * b, "belt %g: %g, not %g", b, got, expected);
        kugel_world_destroy(world);
    }
}

/* Bodies on a belt do not sleep; they wake when it starts and fall asleep after it has stopped. A
 * restored world continues with the same bits, and a call with the present velocity wakes none. */
Test(conveyor, wakes_and_is_saved)
{
    kugel_body ball;
    const double still[3] = {0, 0, 0}, belt[3] = {0.5, 0, 0};
    kugel_world *world = belt_world(still, 0, 0.5, 0, &ball), *clone;
    for (int tick = 0; tick < 480; ++tick) kugel_world_step(world, dt);
    cr_assert(state_of(world, ball).asleep);
    cr_assert_eq(kugel_surface_set_tangent_velocity(world, kugel_world_surface(world, 0), still),
                 KUGEL_OK);
    cr_assert(state_of(world, ball).asleep);
    cr_assert_eq(kugel_surface_set_tangent_velocity(world, kugel_world_surface(world, 0), belt),
                 KUGEL_OK);
    for (int tick = 0; tick < 480; ++tick) {
        if (tick % 100 == 50) {
            cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
            kugel_world_step(clone, dt), kugel_world_step(world, dt);
            cr_assert_eq(kugel_world_hash(world), kugel_world_hash(clone));
            kugel_world_destroy(clone);
        }
        kugel_world_step(world, dt);
        cr_assert(!state_of(world, ball).asleep);
    }
    cr_assert(fabs(state_of(world, ball).velocity[0] - belt[0] * 2 / 7) < 1e-5);
    cr_assert_eq(kugel_surface_set_tangent_velocity(world, kugel_world_surface(world, 0), still),
                 KUGEL_OK);
    cr_assert_eq(kugel_surface_set_material(world, kugel_world_surface(world, 0), 0, mu, 0.5, 0),
                 KUGEL_OK);
    cr_assert_eq(support_set_rolling_resistance(world, ball, 0.5), KUGEL_OK);
    for (int tick = 0; tick < 1200; ++tick) kugel_world_step(world, dt);
    cr_assert(state_of(world, ball).asleep);
    kugel_world_destroy(world);
}

/* A material that is set holds from the next step on: a ball that slid without friction is braked
 * by mu g. */
Test(conveyor, materials_of_surfaces_can_be_set)
{
    kugel_body ball;
    kugel_world *world = belt_world((const double[]){0, 0, 0}, 0, 0.5, 0, &ball);
    cr_assert_eq(kugel_surface_set_material(world, kugel_world_surface(world, 0), 0, 0, 0, 0),
                 KUGEL_OK);
    cr_assert_eq(kugel_body_set_velocity(world, ball, (const double[]){4, 0, 0}), KUGEL_OK);
    for (int tick = 0; tick < 100; ++tick) kugel_world_step(world, dt);
    cr_assert(fabs(state_of(world, ball).velocity[0] - 4) < 1e-6);
    cr_assert_eq(kugel_surface_set_material(world, kugel_world_surface(world, 0), 0, mu, 0, 0),
                 KUGEL_OK);
    for (int tick = 0; tick < 24; ++tick) kugel_world_step(world, dt);
    double v = state_of(world, ball).velocity[0];
    cr_assert(fabs(v - (4 - mu * g * 0.1)) < 1e-4, "%g", v);
    cr_assert_eq(kugel_surface_set_material(world, kugel_world_surface(world, 0), 2, mu, 0, 0),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_surface_set_material(world, kugel_world_surface(world, 7), 0, mu, 0, 0),
                 KUGEL_ERROR_STALE_HANDLE);
    kugel_world_destroy(world);
}
