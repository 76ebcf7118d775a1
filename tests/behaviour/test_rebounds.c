/* Slow impacts where nothing pulls the bodies together: a pair leaves with its restitution at any
 * speed. Worlds have the default settings, without gravity or on a floor that carries it.
 * Tolerances are rounding. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

static const double dt = 1 / 60.;

static support_scene everyday(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    return scene;
}

static double log_between(support_random *random, double low, double high)
{
    return exp(support_between(random, log(low), log(high)));
}

/* A ball and a wall, or two equal balls head-on. After the impact both have moved off with e v. */
static void rebounds(support_random *random, bool wall)
{
    double r = log_between(random, 1e-3, 10), v = r * log_between(random, 1e-4, 10),
           e = support_below(random, 2) ? 1 : support_between(random, 0.05, 1);
    support_scene scene = everyday();
    if (wall) {
        scene.def.bounds.faces[0] = KUGEL_FACE_WALL;
        scene.def.bounds.max[0] = 100 * r;
    }
    /* the impact is in the middle of the run */
    double away = wall ? r + 3.5 * dt * v : -r - 3.5 * dt * v, side = wall ? 1 : -1;
    support_scene_add(&scene, (double[3]){away}, (double[3]){-side * v}, r, 1)->restitution = e;
    if (!wall)
        support_scene_add(&scene, (double[3]){-away}, (double[3]){-v}, r, 1)->restitution = e;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, dt, 7);
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_state s;
        support_state(world, i, &s);
        double out = (i ? 1 : side) * e * v;
        cr_assert_float_eq(s.velocity[0], out, 1e-12 * v,
                           "radius %g, restitution %g, %s: ball %u leaves %g m/s with %.17g", r, e,
                           wall ? "wall" : "pair", i, v, s.velocity[0]);
        cr_assert_eq(s.contacts, 0);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(rebounds, a_ball_leaves_a_wall_at_any_speed)
{
    support_random random = support_random_start("rebounds/wall", 1);
    for (int k = 0; k < 500; ++k) rebounds(&random, true);
}

Test(rebounds, two_balls_part_at_any_speed)
{
    support_random random = support_random_start("rebounds/pair", 2);
    for (int k = 0; k < 500; ++k) rebounds(&random, false);
}

/* A gas in reduced units (diameter, mass and kT are 1) at the defaults keeps its energy: rounding
 * of some 1e-16 an impact, for 20,000 impacts. No pair rests. */
Test(rebounds, a_gas_in_reduced_units_keeps_its_energy)
{
    support_random random = support_random_start("rebounds/gas", 3);
    support_scene scene = support_scene_gas(5, 0.2, KUGEL_FACE_PERIODIC, 1, &random);
    kugel_bounds bounds = scene.def.bounds;
    scene.def = kugel_world_def_default();
    scene.def.bounds = bounds;
    kugel_world *world = support_scene_world(&scene);
    double energy = support_kinetic_energy(world);
    for (int tick = 0; tick < 600; ++tick) {
        size_t count;
        support_run(world, dt, 1);
        kugel_world_begin_events(world, &count);
        cr_assert_eq(count, 0, "%zu rests begin in tick %d", count, tick);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_gt(stats.impacts_total, 10000);
    cr_assert_float_eq(support_kinetic_energy(world), energy, 1e-12 * energy);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Two balls that roll on a floor meet slowly: the floor carries their weight, and they leave with
 * their restitution. Spins do not matter, since the balls are smooth and the floor is. */
Test(rebounds, balls_on_a_floor_part_at_any_speed)
{
    support_random random = support_random_start("rebounds/floor", 4);
    for (int k = 0; k < 200; ++k) {
        double v = log_between(&random, 1e-3, 0.5), e = support_between(&random, 0.05, 1);
        support_scene scene = everyday();
        scene.def.gravity[2] = -9.81;
        scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}};
        for (int side = -1; side <= 1; side += 2) {
            kugel_body_def *def =
                support_scene_add(&scene, (double[3]){side * (0.5 + 3.5 * dt * v), 0, 0.5},
                                  (double[3]){-side * v}, 0.5, 1);
            def->restitution = e, def->friction = 0;
        }
        kugel_world *world = support_scene_world(&scene);
        support_run(world, dt, 7);
        kugel_body_state s;
        support_state(world, 1, &s);
        cr_assert_float_eq(s.velocity[0], e * v, 1e-6 * v, "%g m/s, restitution %g: leaves with %g",
                           v, e, s.velocity[0]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Inelastic collapse: three lossy balls in a line, the outer ones on their way to the middle one.
 * Infinitely many impacts would happen in finite time. Crowded impacts end them: the balls then
 * rest on each other, and time goes on. Momentum stays 0 up to rounding. */
Test(rebounds, a_collapse_ends_in_rest)
{
    support_scene scene = everyday();
    for (int k = -1; k <= 1; ++k)
        support_scene_add(&scene, (double[3]){1.1 * k}, (double[3]){-k}, 0.5, 1)->restitution =
            0.05;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, dt, 120);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_lt(stats.impacts_total, 100);
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    cr_assert_lt(fabs(sums.momentum[0]), 1e-6);
    cr_assert_lt(sums.kinetic, 1e-2);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
