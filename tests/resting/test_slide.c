/* Positions and times of bodies that slide or roll along boundaries agree with closed forms. The
 * solver rounds speeds by 6e-8 in each of 480 substeps, 3e-5 in all. Semi-implicit steps would be
 * off by a h t / 2, millimetres and centimetres here. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

static const double g = 9.81, radius = 0.5, tick = 1.0 / 60;

/* A ball on a plane through the origin that descends towards +x by `angle`. */
static support_scene start(double angle, double friction, double speed)
{
    support_scene scene = support_scene_start();
    const kugel_world_def def = kugel_world_def_default();
    const double n[3] = {sin(angle), 0, cos(angle)};
    scene.def.substeps = def.substeps, scene.def.slop = def.slop,
    scene.def.bounce_threshold = def.bounce_threshold;
    scene.def.gravity[2] = -g;
    scene.planes[scene.plane_count++] =
        (support_plane){.normal = {n[0], n[1], n[2]}, .friction = friction};
    kugel_body_def *ball =
        support_scene_add(&scene, (double[3]){radius * n[0], 0, radius * n[2]},
                          (double[3]){speed * n[2], 0, -speed * n[0]}, radius, 2);
    ball->restitution = 0, ball->friction = friction;
    return scene;
}

/* Distance along the slope after two seconds, m, and the speed. */
static double way_of(const support_scene *scene, double angle, double *speed,
                     kugel_body_state *state)
{
    kugel_world *world = support_scene_world(scene);
    support_run(world, tick, 120);
    support_state(world, 0, state);
    kugel_world_destroy(world);
    double x = state->position[0] - radius * sin(angle),
           z = state->position[2] - radius * cos(angle);
    *speed = state->velocity[0] * cos(angle) - state->velocity[2] * sin(angle);
    cr_assert_lt(fabs(x * sin(angle) + z * cos(angle)), 1e-5, "%g rad: off the plane", angle);
    return x * cos(angle) - z * sin(angle);
}

/* Acceleration g sin(angle) without friction, 5/7 of that when the ball rolls. The frictionless
 * ball also starts upwards. */
Test(slide, constant_acceleration_on_a_slope)
{
    support_random random = support_random_start("slide/slope", 401);
    for (int k = 0; k < 40; ++k) {
        double angle = support_between(&random, 0.02, 0.6), friction = support_below(&random, 2),
               speed, t = 120 * tick;
        double first = friction > 0 ? 0 : support_between(&random, -4, 4),
               a = g * sin(angle) * (friction > 0 ? 5.0 / 7 : 1);
        support_scene scene = start(angle, friction, first);
        kugel_body_state state;
        double way = way_of(&scene, angle, &speed, &state),
               turned = 2 * atan2(fabs(state.rotation[1]), fabs(state.rotation[3]));
        cr_assert_lt(fabs(way - (first * t + a * t * t / 2)), 2e-4, "%g rad, friction %g: way %.9g",
                     angle, friction, way);
        cr_assert_lt(fabs(speed - (first + a * t)), 1e-4, "%g rad, friction %g: speed %.9g", angle,
                     friction, speed);
        /* a rolling ball turns by its distance */
        double exact = fabs(remainder(a * t * t / 2 / radius, 2 * M_PI));
        if (friction > 0)
            cr_assert_lt(fabs(turned - exact), 1e-3, "%g rad: turned by %.9g, not %.9g", angle,
                         turned, exact);
        support_scene_free(&scene);
    }
}

/* A ball that starts with v rolls from 2 v / (7 mu g) on, at 5/7 v. Friction counts as constant
 * through the substep in which rolling begins. */
Test(slide, friction_makes_a_sliding_ball_roll)
{
    for (double friction = 0.1; friction < 0.7; friction += 0.1) {
        double v = 5, rolls = 2 * v / (7 * friction * g), t = 120 * tick, speed;
        support_scene scene = start(0, friction, v);
        kugel_body_state state;
        double way = way_of(&scene, 0, &speed, &state),
               exact = v * rolls - friction * g * rolls * rolls / 2 + 5.0 / 7 * v * (t - rolls);
        cr_assert_lt(fabs(way - exact), 2e-4, "friction %g: way %.9g, not %.9g", friction, way,
                     exact);
        cr_assert_lt(fabs(speed - 5.0 / 7 * v), 1e-4, "friction %g: speed %.9g", friction, speed);
        support_scene_free(&scene);
    }
}

/* In a substep of half a second a ball comes to rest after many bounces, and a kinematic ball kicks
 * it up: z = r + u s - g s^2 / 2 at time s after the kick. */
Test(slide, a_kick_after_coming_to_rest_within_a_substep)
{
    support_scene scene = support_scene_start();
    const double r = 0.1, kick = 0.05, speed = 3, from = 0.75, dt = 0.5;
    scene.def.gravity[2] = -g;
    scene.def.slop = 0.01, scene.def.bounce_threshold = 0.01;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}};
    support_scene_add(&scene, (double[3]){0, 0, r + 1e-4}, NULL, r, 1)->restitution = 0.8;
    kugel_body_def *mover =
        support_scene_add(&scene, (double[3]){-from, 0, kick}, (double[3]){speed, 0, 0}, kick, 1);
    mover->type = KUGEL_KINEMATIC, mover->restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, dt, 1);
    kugel_body_state state;
    support_state(world, 0, &state);
    double reach = r + kick, up = r - kick, side = sqrt(reach * reach - up * up),
           left = dt - (from - side) / speed;
    double u = 1.8 * speed * side / reach * up / reach, exact = r + u * left - g * left * left / 2;
    cr_assert_lt(fabs(state.position[2] - exact), 1e-5, "z = %.9g m, not %.9g", state.position[2],
                 exact);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball bounces down a slope, rests, slides and meets a wall in substeps of up to half a second.
 * The energy never grows. */
Test(slide, energy_never_grows_in_long_ticks)
{
    static const double ticks[] = {0.25, 0.5, 1, 2};
    support_random random = support_random_start("slide/wall", 402);
    for (int k = 0; k < 200; ++k) {
        double angle = support_between(&random, 0.2, 1), dt = ticks[k % 4], r = 0.1,
               friction = 0.3 * support_below(&random, 2);
        support_scene scene = start(angle, friction, 0);
        double height = r + pow(10, support_between(&random, -2, 0)),
               distance = r + height * sin(angle) + pow(10, support_between(&random, -1, 0.7));
        scene.def.bounce_threshold = support_below(&random, 2) ? 0.5 : 0.01;
        scene.planes[0].restitution = support_between(&random, 0.2, 0.95);
        scene.planes[scene.plane_count++] =
            (support_plane){.normal = {-1, 0, 0},
                            .offset = -distance,
                            .restitution = support_between(&random, 0.3, 1),
                            .friction = friction};
        scene.bodies[0].radius = r, scene.bodies[0].mass = 1;
        scene.bodies[0].position[0] = height * sin(angle),
        scene.bodies[0].position[2] = height * cos(angle);
        kugel_world *world = support_scene_world(&scene);
        kugel_energy sums;
        kugel_world_energy(world, &sums);
        double before = sums.kinetic + sums.potential;
        for (int t = 0; t < 4 / dt; ++t) {
            support_run(world, dt, 1);
            kugel_world_energy(world, &sums);
            double now = sums.kinetic + sums.potential;
            /* pressed in by 1 % of r between slope and wall, and lifted out again */
            cr_assert_leq(now, before + 0.01 * r * g, "scene %d, tick %d: %.9g J, then %.9g", k, t,
                          before, now);
            before = now < before ? now : before;
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A wall without restitution takes the spin of a rolling ball, whose friction lifts it off the
 * floor at 2/7 of its speed. It flies for the rest of the substep too. */
Test(slide, friction_of_a_wall_lifts_a_rolling_ball)
{
    for (int32_t substeps = 1; substeps <= 4; ++substeps) {
        double speed = 5, up = 2.0 / 7 * speed;
        support_scene scene = start(0, 0.5, speed);
        scene.def.substeps = substeps;
        scene.planes[scene.plane_count++] =
            (support_plane){.normal = {-1, 0, 0}, .offset = -1.6275, .friction = 1};
        scene.bodies[0].friction = 1, scene.bodies[0].spin[1] = speed / radius;
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 0.05, 6);
        kugel_body_state s;
        support_state(world, 0, &s);
        double top = s.position[2] - radius + s.velocity[2] * s.velocity[2] / (2 * g),
               exact = up * up / (2 * g);
        cr_assert(s.position[2] > radius + 0.01, "still on the floor: z = %g m", s.position[2]);
        cr_assert_lt(fabs(top - exact), 1e-5, "%d substeps: rises by %.9g m, not %.9g", substeps,
                     top, exact);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A ball that rolls into the foot of a frictionless slope keeps its velocity along the slope and
 * decelerates from this moment on: u t - g sin(angle) t^2 / 2. Below the bounce threshold the
 * solver stops it within the substep. */
Test(slide, a_ball_slides_from_the_floor_up_a_slope)
{
    support_random random = support_random_start("slide/foot", 403);
    for (int k = 0; k < 40; ++k) {
        double angle = support_between(&random, 0.3, 1.2),
               speed = support_between(&random, 0.55, 3) / sin(angle),
               foot = radius * tan(angle / 2);
        support_scene scene = start(0, 0, speed);
        scene.def.substeps = 1 + (int32_t)support_below(&random, 4);
        double way = speed * support_between(&random, 0.3, 1.7) * tick,
               dt = tick * support_between(&random, 2, 3), left = dt - way / speed;
        /* through (way + foot, 0, 0), rising towards +x */
        scene.planes[scene.plane_count++] = (support_plane){.normal = {-sin(angle), 0, cos(angle)},
                                                            .offset = -(way + foot) * sin(angle)};
        kugel_world *world = support_scene_world(&scene);
        support_run(world, dt, 1);
        kugel_body_state s;
        support_state(world, 0, &s);
        double u = speed * cos(angle), a = g * sin(angle), up = u * left - a * left * left / 2,
               z = s.position[2] - radius;
        if (u > a * left)
            cr_assert_lt(fabs(z - up * sin(angle)), 1e-6,
                         "%g rad, %g m/s, %d substeps: at z = %.9g m, not %.9g", angle, speed,
                         scene.def.substeps, z, up * sin(angle));
        cr_assert_leq(s.velocity[0] * s.velocity[0] + s.velocity[2] * s.velocity[2] + 2 * g * z,
                      u * u * (1 + 1e-5) + 1e-7, "%g rad, %g m/s: gains energy", angle, speed);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A ball that rests in a corner is pushed off the wall and pulled back while its contact lasts: as
 * long as the gap is open, the wall exerts no force. Speculative contacts that held would change
 * the velocity at the start of each substep, which is off by a h t / 2, 1e-4 m here. */
Test(slide, open_contact_within_the_slop_exerts_no_force)
{
    const double a = 0.5, push = 0.05;
    support_scene scene = start(0, 0, 0);
    scene.def.gravity[0] = -a;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {1, 0, 0}, .offset = -radius};
    kugel_world *world = support_scene_world(&scene);
    kugel_body ball = kugel_world_body(world, 0);
    kugel_body_state state;
    kugel_stats stats;
    support_run(world, tick, 10);
    support_state(world, 0, &state);
    double from = state.position[0];
    cr_assert_eq(kugel_body_set_velocity(world, ball, (double[3]){push, 0, 0}), KUGEL_OK);
    for (int k = 1; k <= 11; ++k) {
        support_run(world, tick, 1);
        support_state(world, 0, &state);
        kugel_world_stats(world, &stats);
        double t = k * tick, way = push * t - a * t * t / 2;
        cr_assert_eq(stats.resting_contacts, 2, "tick %d: the contact ended", k);
        cr_assert_lt(fabs(state.position[0] - from - way), 1e-6, "tick %d: %.9g m, exactly %.9g", k,
                     state.position[0] - from, way);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
