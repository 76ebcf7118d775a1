/* Motion without meetings: free fall, forces, damping, turning. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/support_scene.h"

/* A parabola is exact at any tick and any number of substeps: rounding only. */
Test(motion, free_fall_is_a_parabola)
{
    static const int substeps[] = {1, 4, 7};
    for (int k = 0; k < 3; ++k) {
        support_scene scene = support_scene_start();
        scene.def.gravity[0] = 1, scene.def.gravity[2] = -9.81;
        scene.def.substeps = substeps[k];
        support_scene_add(&scene, (double[3]){1, 2, 3}, (double[3]){4, 5, 6}, 0.5, 1);
        support_scene_add(&scene, (double[3]){100, 2, 3}, (double[3]){4, 5, 6}, 0.5, 1)
            ->gravity_scale = 0.5;
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 0.05, 100);
        for (uint32_t id = 0; id < 2; ++id) {
            kugel_body_state s;
            double t = 5, scale = id ? 0.5 : 1;
            support_state(world, id, &s);
            cr_assert_float_eq(s.position[2], 3 + 6 * t - 0.5 * 9.81 * scale * t * t, 1e-10);
            cr_assert_float_eq(s.position[0], (id ? 100 : 1) + 4 * t + 0.5 * scale * t * t, 1e-10);
            cr_assert_float_eq(s.velocity[2], 6 - 9.81 * scale * t, 1e-11);
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

Test(motion, a_force_lasts_one_step)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){0, 0, 0}, 0.5, 2);
    kugel_world *world = support_scene_world(&scene);
    kugel_body body = kugel_world_body(world, 0);
    kugel_body_state s;
    cr_assert_eq(kugel_body_apply_force(world, body, (double[3]){3, 0, 0}, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_force(world, body, (double[3]){1, 0, 0}, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_torque(world, body, (double[3]){0, 0, 0.6}), KUGEL_OK);
    support_run(world, 0.5, 1);
    support_state(world, 0, &s);
    cr_assert_float_eq(s.velocity[0], 1, 1e-15, "4 N on 2 kg for 0.5 s");
    cr_assert_float_eq(s.position[0], 0.25, 1e-15);
    cr_assert_float_eq(s.spin[2], 0.5 * 0.6 / (0.4 * 2 * 0.25), 1e-14);
    support_run(world, 0.5, 1);
    support_state(world, 0, &s);
    cr_assert_float_eq(s.velocity[0], 1, 1e-15, "nothing is left of it");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* exp(-c t) within the second order of a substep: (c h)^3 / 6 a substep, 4e-6 in all here. */
Test(motion, damping_decays)
{
    support_scene scene = support_scene_start();
    scene.def.linear_damping = 1, scene.def.angular_damping = 2;
    scene.def.substeps = 4;
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){1, 0, 0}, 0.5, 1)->spin[1] = 1;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1.0 / 60, 60);
    kugel_body_state s;
    support_state(world, 0, &s);
    cr_assert_float_eq(s.velocity[0], exp(-1), 4e-6);
    cr_assert_float_eq(s.spin[1], exp(-2), 8e-6);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* After T at spin w the rotation is that of a turn by w T about its axis, however far it goes in
 * a substep: to the rounding of the angle, and of 60 products. */
Test(motion, rotation_turns_with_the_spin)
{
    static const double spins[] = {1e-3, 1.57, 19.6, 240, 751, 5000, 123456},
                        ticks[] = {1 / 60., 1, 0.37};
    const double axis[3] = {1 / 3., -2 / 3., 2 / 3.};
    for (size_t t = 0; t < sizeof ticks / sizeof *ticks; ++t) {
        support_scene scene = support_scene_start();
        for (size_t k = 0; k < sizeof spins / sizeof *spins; ++k) {
            kugel_body_def *body =
                support_scene_add(&scene, (double[3]){10. * (double)k, 0, 0}, NULL, 0.5, 1);
            for (int i = 0; i < 3; ++i) body->spin[i] = spins[k] * axis[i];
        }
        kugel_world *world = support_scene_world(&scene);
        support_run(world, ticks[t], 60);
        for (uint32_t k = 0; k < sizeof spins / sizeof *spins; ++k) {
            kugel_body_state s;
            support_state(world, k, &s);
            double angle = spins[k] * 60 * ticks[t], q[4] = {0, 0, 0, cos(angle / 2)}, apart = 0,
                   opposite = 0;
            for (int i = 0; i < 3; ++i) q[i] = axis[i] * sin(angle / 2);
            for (int i = 0; i < 4; ++i) { /* q and -q are the same turn */
                apart += pow(q[i] - (double)s.rotation[i], 2);
                opposite += pow(q[i] + (double)s.rotation[i], 2);
            }
            double off = 2 * sqrt(fmin(apart, opposite)), most = 1e-14 + 4e-16 * angle;
            cr_assert(off <= most, "%g rad/s, ticks of %g s: off by %g rad of %g", spins[k],
                      ticks[t], off, angle);
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Bodies are advanced four at once where four in a row move, else one by one: turning and moving
 * must be the same. A body among others that move must end with the same bits as alone between two
 * that stand. */
static support_scene spinning(uint32_t count, bool apart, support_random *random)
{
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = -9.81, scene.def.substeps = 3;
    for (uint32_t i = 0; i < count; ++i) {
        double v[3], x[3] = {10. * i, 0, 0};
        for (int k = 0; k < 3; ++k) v[k] = support_between(random, -1, 1);
        kugel_body_def *body = support_scene_add(&scene, x, v, 0.5, 1);
        for (int k = 0; k < 3; ++k) body->spin[k] = i % 5 ? support_between(random, -30, 30) : 0;
        body->gravity_scale = i % 7 ? 1 : 0.25;
        if (!apart) continue;
        kugel_body_def *post = support_scene_add(&scene, (double[3]){x[0] + 5, 0, 0}, NULL, 0.5, 1);
        post->type = KUGEL_STATIC;
    }
    return scene;
}

Test(motion, bodies_together_and_one_by_one_move_alike)
{
    enum { COUNT = 23 };
    kugel_world *world[2];
    for (int k = 0; k < 2; ++k) {
        support_random random = support_random_start("motion/together", 5);
        support_scene scene = spinning(COUNT, k, &random);
        world[k] = support_scene_world(&scene);
        support_run(world[k], 0.02, 40);
        support_scene_free(&scene);
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        kugel_body_state s, t;
        support_state(world[0], i, &s);
        support_state(world[1], 2 * i, &t);
        cr_assert_arr_eq(s.position, t.position, sizeof s.position, "place of body %u", i);
        cr_assert_arr_eq(s.velocity, t.velocity, sizeof s.velocity, "velocity of body %u", i);
        cr_assert_arr_eq(s.rotation, t.rotation, sizeof s.rotation, "rotation of body %u", i);
        cr_assert(i % 5 == 0 || s.rotation[3] != 1, "body %u does not turn", i);
    }
    for (int k = 0; k < 2; ++k) kugel_world_destroy(world[k]);
}

/* Squares of speeds below 1e-150 m/s vanish. Such components of dynamic bodies become 0 at the end
 * of a tick, those of kinematic bodies and larger ones stay. Seven bodies: four are written side by
 * side, the others one by one. */
Test(motion, tiny_speeds_become_zero)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert(!kugel_world_create(&def, &world));
    const double tiny[3] = {9e-151, -9e-151, 0x1p-1074}, large[3] = {2e-150, -2e-150, 1};
    for (int i = 0; i < 7; ++i) {
        kugel_body_def body = kugel_body_def_default();
        body.position[0] = 3 * i;
        body.type = i % 3 == 2 ? KUGEL_KINEMATIC : KUGEL_DYNAMIC;
        memcpy(body.velocity, i % 3 == 1 ? large : tiny, sizeof tiny);
        cr_assert(!kugel_body_create(world, &body, NULL));
    }
    cr_assert(!kugel_world_step(world, 1 / 60.));
    for (uint32_t i = 0; i < 7; ++i) {
        kugel_body_state s;
        const double zero[3] = {0}, *expected = i % 3 == 0 ? zero : i % 3 == 1 ? large : tiny;
        cr_assert(!kugel_body_get(world, kugel_world_body(world, i), &s));
        for (int k = 0; k < 3; ++k)
            cr_expect_eq(s.velocity[k], expected[k], "body %u, axis %d: %g", i, k, s.velocity[k]);
    }
    kugel_world_destroy(world);
}

/* The time is the rounded sum of the ticks, however many and however unlike. A plain sum of these
 * is off by thousands of roundings. A restored world continues with the same bits. */
Test(motion, time_is_a_compensated_sum)
{
    support_random random = support_random_start("motion/time", 6);
    support_scene scene = support_scene_start();
    kugel_world *world = support_scene_world(&scene), *clone;
    long double sum = 0;
    for (int tick = 0; tick < 200000; ++tick) {
        double dt = tick % 100 ? 1 / 60. : pow(10, support_between(&random, -12, 3));
        if (kugel_world_step(world, dt)) cr_assert_fail("tick %d", tick);
        sum += dt;
    }
    double off = fabs((double)((long double)kugel_world_time(world) - sum));
    cr_assert_leq(off, 0x1p-53 * (double)sum + 200000 * 0x1p-64 * (double)sum);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    cr_assert_eq(kugel_world_hash(clone), kugel_world_hash(world));
    for (int tick = 0; tick < 100; ++tick) {
        kugel_world_step(world, 1 / 60.);
        kugel_world_step(clone, 1 / 60.);
        cr_assert_eq(kugel_world_hash(clone), kugel_world_hash(world));
    }
    kugel_world_destroy(clone);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
