/* Balls of any size slide and roll alike down a slope, from grains of a nanometre to mountains. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <math.h>

#include "support/support_plane.h"

typedef struct slope {
    double tilt, friction, rolling_resistance;
} slope;

static const double g = 9.81;

/* A floor with gravity along x replaces the slope. Ticks shrink with the radius. */
static kugel_body_state run_down(const slope *s, double radius, double mass, double *time)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_body_state state;
    kugel_world *world;
    kugel_body body;
    double tick = 0.05 * sqrt(radius / g);
    def.gravity[0] = g * sin(s->tilt), def.gravity[2] = -g * cos(s->tilt);
    def.bounce_threshold = 0.1 * sqrt(g * radius);
    def.sleep = false;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(support_add_plane(
                     world, &(support_plane){.normal = {0, 0, 1}, .friction = s->friction}, NULL),
                 KUGEL_OK);
    ball.position[2] = ball.radius = radius, ball.mass = mass;
    ball.friction = s->friction, ball.rolling_resistance = s->rolling_resistance;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    for (int k = 0; k < 100; ++k) {
        cr_assert_eq(kugel_world_step(world, tick), KUGEL_OK, "radius %g, tick %d: %s", radius, k,
                     kugel_world_last_error(world)->message);
    }
    kugel_body_get(world, body, &state);
    *time = kugel_world_time(world);
    kugel_world_destroy(world);
    return state;
}

static void expect_down(const slope *s, double radius, double mass, double along, double turning)
{
    double time;
    kugel_body_state state = run_down(s, radius, mass, &time);
    cr_assert_float_eq(state.velocity[0] / (along * time), 1, 1e-4, "radius %g: %g of the speed",
                       radius, state.velocity[0] / (along * time));
    cr_assert_float_eq(state.spin[1] * radius / (turning * time), 1, 1e-4,
                       "radius %g: %g of the spin", radius,
                       state.spin[1] * radius / (turning * time));
}

static double mass_of(double radius) { return 4.19 * 2500 * radius * radius * radius; }

/* Squared impulses underflow floats for balls below 1e-19 kg; the friction limit still holds. */
Test(scales, a_ball_slides_alike_at_any_size)
{
    const slope s = {1, 0.2, 0};
    double along = g * (sin(s.tilt) - s.friction * cos(s.tilt)),
           turning = 2.5 * s.friction * g * cos(s.tilt);
    for (double radius = 1e-9; radius < 1e5; radius *= 10)
        expect_down(&s, radius, fmin(mass_of(radius), 1e15), along, turning);
    expect_down(&s, 1, 1e-30, along, turning);
    expect_down(&s, 1, 1e15, along, turning);
}

/* Moments of inertia of grains of 1 um underflow floats; the limit of rolling resistance still
 * holds. */
Test(scales, a_ball_rolls_alike_at_any_size)
{
    const slope s = {0.5, 0.6, 0.05};
    double along = 5. / 7 * g * (sin(s.tilt) - s.rolling_resistance * cos(s.tilt));
    for (double radius = 1e-9; radius < 1e5; radius *= 10)
        expect_down(&s, radius, fmin(mass_of(radius), 1e15), along, along);
    expect_down(&s, 1, 1e-30, along, along);
    expect_down(&s, 1, 1e15, along, along);
}

/* Impulses out of the range of floats have no effect, but never become infinite or undefined. */
Test(scales, the_smallest_and_the_largest_bodies_stay_in_the_world)
{
    const slope s = {0.3, 0.5, 0.05};
    const double radius[] = {1e-12, 1e-10, 1e12}, mass[] = {1e-30, 1e-30, 1e15};
    for (int k = 0; k < 3; ++k) {
        double time;
        kugel_body_state state = run_down(&s, radius[k], mass[k], &time);
        cr_assert_float_eq(state.position[2], radius[k], 1e-3 * radius[k], "radius %g", radius[k]);
        for (int i = 0; i < 3; ++i)
            cr_assert(isfinite(state.velocity[i]) && isfinite(state.spin[i]), "radius %g",
                      radius[k]);
    }
}
