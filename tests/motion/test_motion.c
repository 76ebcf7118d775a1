/* Motion without meetings: free fall, forces, damping, turning. */
#include <criterion/criterion.h>
#include <math.h>

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
        support_scene_add(&scene, (double[3]){100, 2, 3}, (double[3]){4, 5, 6}, 0.5, 1)->gravity_scale = 0.5;
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
    cr_assert_eq(kugel_body_apply_force(world, body, (double[3]){3, 0, 0}), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_force(world, body, (double[3]){1, 0, 0}), KUGEL_OK);
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

/* One turn in 240 substeps of first order: each is off by (w h)^3 / 24, float rounding adds 1e-5. */
Test(motion, orientation_turns_with_the_spin)
{
    support_scene scene = support_scene_start();
    scene.def.substeps = 4;
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){0, 0, 0}, 0.5, 1)->spin[2] = 3.14159265358979 / 2;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1.0 / 60, 60);
    kugel_body_state s;
    support_state(world, 0, &s);
    cr_assert_float_eq(s.orientation[2], sin(3.14159265358979 / 4), 1e-4);
    cr_assert_float_eq(s.orientation[3], cos(3.14159265358979 / 4), 1e-4);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
