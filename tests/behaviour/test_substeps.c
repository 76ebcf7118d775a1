/* A settled pile takes fewer substeps, and changes of their number have no effect on forces and
 * energy. Hard spheres take one. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/contact.h"
#include "support/support_pile.h"
#include "support/support_snapshot.h"

/* 343 balls between frictionless walls, without sleep, and a ball for the test to move, so high (m)
 * above the floor. */
static support_scene still_life(support_random *random, double height)
{
    support_scene scene = support_pile(7, 7, 0, random);
    scene.def.bounds.friction = 0;
    scene.def.sleep = false;
    for (uint32_t i = 0; i < scene.count; ++i)
        scene.bodies[i].rolling_resistance = 0.1; /* no ball rolls late */
    kugel_body_def *mover = support_scene_add(&scene, (double[3]){3, 3, height}, NULL, 0.5, 1);
    mover->type = KUGEL_KINEMATIC;
    return scene;
}

/* Stop the ball, and give it an acceleration of its own or the usual one. */
static void drive(kugel_world *world, bool own)
{
    kugel_body mover = kugel_world_body(world, 343);
    cr_assert_eq(kugel_body_set_velocity(world, mover, (double[3]){0, 0, 0}), KUGEL_OK);
    cr_assert_eq(kugel_body_set_gravity_scale(world, mover, own ? 0 : 1), KUGEL_OK);
}

/* Force on the floor, N. */
static double floor_force(const kugel_world *world)
{
    double sum = 0;
    for (uint32_t k = 0; k < world->contacts.count; ++k)
        sum +=
            world->contacts.items[k].with == 4 ? (double)world->contacts.items[k].normal_force : 0;
    return sum;
}

static int taken_by(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return (int)stats.substeps;
}

/* A ball with an acceleration of its own forces the nominal number of substeps, so the number
 * changes from tick to tick while the pile stays the same. A warm start with impulses of the other
 * substep length would lift the pile by three times its weight, or drop it: 40 J in a tick. A ball
 * that falls at 2 m/s gains 0.3 J in a tick. 1 %: as for any pile at rest (test_slow_settled.c). */
Test(substeps, a_change_of_their_number_changes_no_force)
{
    support_random random = support_random_start("substeps/change", 5);
    support_scene scene = still_life(&random, 30);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 500);
    double weight = 9.81 * 343;
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    double energy = sums.kinetic;
    cr_assert_eq(kugel_body_set_type(world, kugel_world_body(world, 343), KUGEL_DYNAMIC, 1),
                 KUGEL_OK);
    for (uint32_t tick = 0; tick < 120; ++tick) {
        bool driven = tick / 3 % 2;
        drive(world, driven);
        support_run(world, 1 / 60., 1);
        cr_assert(driven ? taken_by(world) == 4 : taken_by(world) <= 2, "%d of them in tick %u",
                  taken_by(world), tick); /* 2: a ball rolls fast */
        kugel_world_energy(world, &sums);
        cr_assert_lt(fabs(sums.kinetic - energy), 1, "%g J after %g J in tick %u", sums.kinetic,
                     energy, tick);
        energy = sums.kinetic;
        double force = floor_force(world);
        cr_assert(fabs(force / weight - 1) < 0.01, "%g N carry %g N in tick %u", force, weight,
                  tick);
    }
    support_overlaps now = support_all_overlaps(&scene, world);
    cr_assert(now.mean <= 0.001 && now.worst <= 0.01, "overlaps of %g, at most %g radii", now.mean,
              now.worst);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Few fast balls: two substeps; many: all. Never more than the load or the def requires. */
Test(substeps, number_follows_the_load)
{
    support_random random = support_random_start("substeps/load", 6);
    support_scene scene = still_life(&random, 1000);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 10);
    cr_assert_eq(taken_by(world), 4, "gravity");
    support_run(world, 1 / 60., 490);
    cr_assert_eq(taken_by(world), 1);
    cr_assert_eq(kugel_body_set_velocity(world, kugel_world_body(world, 342), (double[3]){0, 0, 1}),
                 KUGEL_OK);
    support_run(world, 1 / 60., 1);
    cr_assert_eq(taken_by(world), 2, "one is fast");
    for (uint32_t id = 280; id < 342; ++id)
        cr_assert_eq(
            kugel_body_set_velocity(world, kugel_world_body(world, id), (double[3]){0, 0, 1}),
            KUGEL_OK);
    support_run(world, 1 / 60., 1);
    cr_assert_eq(taken_by(world), 4, "many are");
    support_run(world, 1 / 60., 400);
    support_run(world, 1 / 30., 1);
    cr_assert_eq(taken_by(world), 2, "four times the fall in 1/30 s as in 1/60 s");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Two distant balls, hard spheres of a gas apart from what the test changes. */
typedef struct thin_gas {
    kugel_world_def def;
    kugel_body_def ball;
    double force[3]; /* N, on the first one */
} thin_gas;

static int32_t substeps_of(const thin_gas *gas)
{
    kugel_world *world;
    kugel_body body;
    kugel_body_def ball = gas->ball;
    cr_assert_eq(kugel_world_create(&gas->def, &world), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    ball.position[0] = 50;
    ball.type = KUGEL_DYNAMIC;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    support_run(world, 1 / 60., 2);
    if (gas->ball.type == KUGEL_DYNAMIC)
        cr_assert_eq(kugel_body_apply_force(world, body, gas->force, NULL), KUGEL_OK);
    support_run(world, 1 / 60., 1);
    int32_t substeps = taken_by(world);
    kugel_world_destroy(world);
    return substeps;
}

/* Elastic bodies in straight motion take one substep. If any property makes the result depend on
 * the substep length, all substeps are taken. */
Test(substeps, elastic_bodies_take_one)
{
    thin_gas gas = {kugel_world_def_default(), kugel_body_def_default(), {0, 0, 0}}, other;
    gas.def.bounce_threshold = 0;
    gas.def.substeps = 4;
    gas.ball.restitution = 1;
    gas.ball.friction = 0;
    gas.ball.velocity[1] = 1;
    cr_expect_eq(substeps_of(&gas), 1, "elastic impacts only");
    other = gas, other.def.gravity[1] = 1;
    cr_expect_eq(substeps_of(&other), 4, "gravity");
    other = gas, other.force[0] = 1;
    cr_expect_eq(substeps_of(&other), 4, "a force");
    other = gas, other.def.linear_damping = 0.1;
    cr_expect_eq(substeps_of(&other), 4, "linear damping");
    other = gas, other.def.angular_damping = 0.1;
    cr_expect_eq(substeps_of(&other), 4, "angular damping");
    other = gas, other.def.bounce_threshold = 0.5;
    cr_expect_eq(substeps_of(&other), 4, "threshold");
    other = gas, other.ball.restitution = 0.9;
    cr_expect_eq(substeps_of(&other), 4, "inelastic");
    other = gas, other.ball.friction = 0.1;
    cr_expect_eq(substeps_of(&other), 4, "friction");
    other = gas, other.ball.type = KUGEL_KINEMATIC;
    cr_expect_eq(substeps_of(&other), 4, "a moving kinematic body");
    other.ball.velocity[1] = 0;
    cr_expect_eq(substeps_of(&other), 1, "a kinematic body at rest");
    other = gas, other.ball.sensor = true, other.ball.restitution = 0, other.force[0] = 1;
    cr_expect_eq(substeps_of(&other), 1, "sensors do not push");
}

/* A counter counts the ticks in which the default number of substeps reached its maximum. It stays
 * 0 if the def has a number. */
Test(substeps, ticks_at_the_bound_are_counted)
{
    thin_gas gas = {kugel_world_def_default(), kugel_body_def_default(), {0, 0, 0}};
    for (int given = 0; given < 2; ++given) {
        kugel_world *world;
        kugel_stats stats;
        gas.def.gravity[2] = -9.81;
        gas.def.substeps = given ? 1000 : 0;
        gas.ball.radius = 1e-3;
        cr_assert_eq(kugel_world_create(&gas.def, &world), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &gas.ball, NULL), KUGEL_OK);
        support_run(world, 0.18, 2);
        cr_assert(given || (taken_by(world) > 900 && taken_by(world) < 1000));
        support_run(world, 0.2, 3);
        kugel_world_stats(world, &stats);
        cr_assert_eq(stats.substeps, 1000);
        cr_assert_eq(stats.substeps_limited, given ? 0 : 3);
        kugel_world_destroy(world);
    }
}

/* A sensor that rests on a wall does not raise the number of substeps. */
Test(substeps, a_resting_sensor_does_not_raise_their_number)
{
    kugel_world_def def = kugel_world_def_default();
    def.bounce_threshold = 0;
    for (int k = 0; k < 3; ++k)
        def.bounds.min[k] = 0, def.bounds.max[k] = 10,
        def.bounds.faces[2 * k] = def.bounds.faces[2 * k + 1] = KUGEL_FACE_WALL;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_body_def ball = kugel_body_def_default();
    for (int k = 0; k < 3; ++k) ball.position[k] = 1;
    ball.velocity[0] = -60;
    ball.sensor = true;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    for (int k = 0; k < 3; ++k) ball.position[k] = 5;
    ball.sensor = false, ball.restitution = 1, ball.friction = 0;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    for (int tick = 0; tick < 5; ++tick) {
        support_run(world, 1 / 60., 1);
        cr_assert_eq(taken_by(world), 1, "tick %d", tick);
    }
    cr_assert_eq(world->contacts.count, 1, "the sensor does not rest: the test has no effect");
    kugel_world_destroy(world);
}

/* The same impacts bit for bit, for any nominal number of substeps. */
Test(substeps, a_gas_is_independent_of_their_number)
{
    enum { CELLS = 4, COUNT = 4 * CELLS * CELLS * CELLS };
    static double place[2][3 * COUNT];
    for (int k = 0; k < 2; ++k) {
        support_random random = support_random_start("substeps/gas", 10);
        support_scene scene = support_scene_gas(CELLS, 0.3, KUGEL_FACE_PERIODIC, 1, &random);
        scene.def.substeps = k ? 7 : 1;
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 1 / 60., 60);
        cr_assert_gt(world->impacts_total, COUNT);
        cr_assert_eq(
            kugel_world_read_arrays(world, COUNT, &(kugel_body_arrays){.position = place[k]}),
            COUNT);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert_eq(memcmp(place[0], place[1], sizeof place[0]), 0);
}

/* A heavy ball does not change the number of substeps. The overlap around it stays below 0.5 % of
 * the radius, five times the overlap without it. */
Test(substeps, a_heavy_ball_in_a_settled_pile)
{
    support_random random = support_random_start("substeps/unlike", 9);
    support_scene scene = still_life(&random, 1000);
    scene.bodies[171].mass *= 3000; /* in the middle, with others above and below */
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 500);
    cr_assert_lt(taken_by(world), 4);
    double deep = support_worst_overlap(&scene, world);
    cr_assert_lt(deep, 0.005, "%g radii", deep);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A body that wakes in a tick changes the solver's groups, also before the first measurement, after
 * a call that wakes it. A sleeping ball on a distant stand is woken while the settled pile is
 * awake. The force on the floor is that of a world in which it sleeps on. */
Test(substeps, a_body_that_wakes_elsewhere_changes_no_force)
{
    support_random random = support_random_start("substeps/wake", 8);
    support_scene scene = still_life(&random, 1000);
    scene.def.sleep = true;
    scene.bodies[343].type = KUGEL_STATIC;
    support_scene_add(&scene, (double[3]){3, 3, 1001}, NULL, 0.5, 1)->restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    kugel_body ball = kugel_world_body(world, 344);
    kugel_world *unwoken = NULL;
    uint32_t woken = 0;
    for (uint32_t tick = 0; tick < 600; ++tick) {
        kugel_body_state state, other;
        cr_assert_eq(kugel_body_get(world, ball, &state), KUGEL_OK);
        support_state(world, 0, &other);
        bool wakes = state.asleep && !other.asleep && taken_by(world) == 1;
        if (wakes) cr_assert_eq(kugel_world_clone(world, &unwoken), KUGEL_OK);
        if (wakes)
            cr_assert_eq(kugel_body_apply_impulse(world, ball, (double[3]){0, 0, 1e-9}, NULL),
                         KUGEL_OK);
        support_run(world, 1 / 60., 1);
        if (wakes) support_run(unwoken, 1 / 60., 1);
        double force = floor_force(world), usual = wakes ? floor_force(unwoken) : force;
        cr_assert(fabs(force - usual) <= 0.01 * usual, "%g N instead of %g N in tick %u", force,
                  usual, tick);
        woken += wakes;
        if (wakes) kugel_world_destroy(unwoken);
    }
    cr_assert_gt(woken, 0, "the pile fell asleep, or the ball did not");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The settled state is part of the canonical state: a restored world continues with the same bits
 * before, during and after. */
Test(substeps, a_snapshot_continues_with_the_same_bits)
{
    support_random random = support_random_start("substeps/snapshot", 7);
    support_scene scene = still_life(&random, 1000);
    kugel_world *world = support_scene_world(&scene), *other = support_scene_world(&scene);
    uint32_t seen[5] = {0};
    for (uint32_t tick = 0; tick < 400; ++tick) {
        if (tick % 7 == 0) {
            size_t size = support_snapshot_room(world, true), used = 0;
            void *data = malloc(size);
            cr_assert(data);
            cr_assert_eq(kugel_snapshot_save(world, true, data, size, &used), KUGEL_OK);
            cr_assert_eq(kugel_snapshot_restore(other, data, used), KUGEL_OK);
            free(data);
        }
        support_run(world, 1 / 60., 1);
        support_run(other, 1 / 60., 1);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(other), "tick %u", tick);
        seen[taken_by(world)] += 1;
    }
    cr_assert(seen[1] > 50 && seen[2] > 0 && seen[4] > 50, "%u, %u, %u ticks of 1, 2, 4", seen[1],
              seen[2], seen[4]);
    kugel_world_destroy(world), kugel_world_destroy(other);
    support_scene_free(&scene);
}

/* A kinematic ball far from the pile, and a platform, decide nothing for it; one that presses on it
 * does. */
Test(substeps, movers_count_where_they_touch)
{
    support_random random = support_random_start("substeps/movers", 8);
    support_scene scene = still_life(&random, 1000);
    kugel_world *world = support_scene_world(&scene);
    kugel_body mover = kugel_world_body(world, 343);
    support_run(world, 1 / 60., 500);
    cr_assert_eq(kugel_body_set_velocity(world, mover, (double[3]){0, 0, 0.001}), KUGEL_OK);
    support_run(world, 1 / 60., 1);
    cr_assert_leq(taken_by(world), 2, "far away");
    kugel_body_state top, other;
    support_state(world, 0, &top);
    for (uint32_t id = 1; id < 343; ++id) {
        support_state(world, id, &other);
        if (other.position[2] > top.position[2]) top = other;
    }
    double above[3] = {top.position[0], top.position[1], top.position[2] + top.radius + 0.5};
    cr_assert_eq(kugel_body_set_position(world, mover, above), KUGEL_OK);
    cr_assert_eq(kugel_body_set_velocity(world, mover, (double[3]){0, 0, -0.01}), KUGEL_OK);
    support_run(world, 1 / 60., 2);
    cr_assert_eq(taken_by(world), 4, "in contact");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A surface that turns fast asks for short substeps where it may hit a body, not where a filter
 * lets the body through. */
Test(substeps, turning_surfaces_count_where_they_hit)
{
    for (int hits = 0; hits < 2; ++hits) {
        support_scene scene = support_scene_start();
        support_scene_add(&scene, (double[3]){0, 0, 1.6}, NULL, 0.5, 1)->mask = hits ? 1 : 2;
        scene.def.substeps = 8;
        kugel_world *world = support_scene_world(&scene);
        kugel_surface_def solid = kugel_surface_def_default();
        solid.shape = KUGEL_SURFACE_ELLIPSOID;
        for (int k = 0; k < 3; ++k) solid.size[k] = 1;
        solid.spin[2] = 50;
        cr_assert_eq(kugel_surface_create(world, &solid, NULL), KUGEL_OK);
        support_run(world, 1 / 60., 1);
        cr_assert_eq(taken_by(world), hits ? 17 : 8, "%d", hits);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
