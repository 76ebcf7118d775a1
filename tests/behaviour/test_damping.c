/* Linear and angular damping compared with closed forms, for any ticks and substeps. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "support/support_scene.h"
#include "support/support_setters.h"

static const double damping[] = {0.1, 1, 10, 30, 100};

/* A ball in empty space with damping c and gravity g along -z, thrown with velocity v. */
static kugel_world *falling(double c, double g, const double v[3], int substeps)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -g, scene.def.linear_damping = c, scene.def.substeps = substeps;
    support_scene_add(&scene, (double[3]){0, 0, 0}, v, 0.5, 2);
    kugel_world *world = support_scene_world(&scene);
    support_scene_free(&scene);
    return world;
}

/* v = g / c. After 40 / c seconds exp(-c t) is 4e-18. */
Test(damping, terminal_velocity_is_gravity_over_damping)
{
    for (int k = 0; k < 5; ++k) {
        double c = damping[k], dt = 1 / 60.;
        kugel_world *world = falling(c, 9.81, NULL, 4);
        support_run(world, dt, (uint32_t)(40 / c / dt) + 1);
        kugel_body_state s;
        support_state(world, 0, &s);
        double off = -s.velocity[2] * c / 9.81 - 1;
        fprintf(stderr, "damping %g 1/s: terminal velocity off by %.3g\n", c, off);
        cr_expect(fabs(off) < 1e-9, "damping %g 1/s: %.3g %% off", c, 100 * off);
        kugel_world_destroy(world);
    }
}

/* dv/dt = -g - c v: v = (v0 + g / c) exp(-c t) - g / c, for each number of substeps and
 * each tick. */
Test(damping, velocity_follows_the_closed_form)
{
    static const double ticks[] = {1 / 240., 1 / 60., 0.1, 1}, v0[3] = {3, 0, 20};
    static const int substeps[] = {1, 2, 4, 7, 32};
    double worst = 0;
    for (int k = 0; k < 5; ++k)
        for (int t = 0; t < 4; ++t)
            for (int n = 0; n < 5; ++n) {
                double c = damping[k], g = 9.81;
                kugel_world *world = falling(c, g, v0, substeps[n]);
                kugel_body_state s;
                for (int tick = 1; tick <= 20; ++tick) {
                    double decay = exp(-c * tick * ticks[t]);
                    support_run(world, ticks[t], 1);
                    support_state(world, 0, &s);
                    double off = fabs(s.velocity[2] - ((v0[2] + g / c) * decay - g / c));
                    off = fmax(off, fabs(s.velocity[0] - v0[0] * decay));
                    worst = fmax(worst, off / 20);
                }
                kugel_world_destroy(world);
            }
    cr_assert(worst < 1e-9, "off by %g of the first speed", worst);
}

/* The path of this throw: x = v0 (1 - exp(-c t)) / c, and z alike. A step that damps the velocity
 * at the start of a substep of length h and keeps its acceleration constant has a path that differs
 * by a share c h / 2 (1 + c h), with h <= 1/240 s. */
Test(damping, position_follows_the_closed_form)
{
    static const double v0[3] = {3, 0, 20};
    for (int k = 0; k < 5; ++k) {
        double c = damping[k], g = 9.81, t = 1, h = 1 / 240.;
        kugel_world *world = falling(c, g, v0, 4);
        kugel_body_state s;
        support_run(world, 1 / 60., 60);
        support_state(world, 0, &s);
        double x = v0[0] * -expm1(-c * t) / c, z = (v0[2] + g / c) * -expm1(-c * t) / c - g * t / c;
        double off = fmax(fabs(s.position[0] - x), fabs(s.position[2] - z));
        double bound = c * h / 2 * (1 + c * h) * fmax(x, fabs(z)) + 1e-9;
        fprintf(stderr, "damping %g 1/s: %.3g m off, bound %.3g m\n", c, off, bound);
        cr_expect(off < bound, "damping %g 1/s: %g m off, at most %g", c, off, bound);
        kugel_world_destroy(world);
    }
}

/* Constant force f and torque: the terminal values are f / (m c) and torque / (I c). */
Test(damping, forces_and_torques_reach_their_terminal_values)
{
    for (int k = 1; k < 5; ++k) {
        double c = damping[k];
        support_scene scene = {.def = kugel_world_def_default()};
        scene.def.linear_damping = scene.def.angular_damping = c;
        support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.5, 2);
        kugel_world *world = support_scene_world(&scene);
        for (int tick = 0; tick < 60 * 40 / c + 1; ++tick) {
            kugel_body_apply_force(world, kugel_world_body(world, 0), (double[3]){6, 0, 0}, NULL);
            kugel_body_apply_torque(world, kugel_world_body(world, 0), (double[3]){0, 0.4, 0});
            support_run(world, 1 / 60., 1);
        }
        kugel_body_state s;
        support_state(world, 0, &s);
        double v = s.velocity[0] * 2 * c / 6 - 1, w = s.spin[1] * 0.4 * 2 * 0.25 * c / 0.4 - 1;
        fprintf(stderr, "damping %g 1/s: speed off by %.3g, spin off by %.3g\n", c, v, w);
        cr_expect(fabs(v) < 1e-9 && fabs(w) < 1e-9, "damping %g 1/s: speed %g, spin %g", c, v, w);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Damping of a body has the bits of the same damping of the world, and a body beside it has those
 * of a world without damping; both kinds are added. */
Test(damping, a_body_has_its_own)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    for (int k = 0; k < 2; ++k) {
        support_scene_add(&scene, (double[3]){3. * k, 0, 0}, (double[3]){0, 2, 1}, 0.5, 1);
        scene.bodies[k].spin[1] = 3;
    }
    kugel_world *none = support_scene_world(&scene);
    scene.def.linear_damping = 0.75, scene.def.angular_damping = 1.5;
    kugel_world *all = support_scene_world(&scene);
    scene.def.linear_damping = 0.5, scene.def.angular_damping = 0;
    scene.bodies[0].linear_damping = 0.25, scene.bodies[0].angular_damping = 1.5;
    kugel_world *sum = support_scene_world(&scene);
    scene.def.linear_damping = 0;
    kugel_world *own = support_scene_world(&scene);
    kugel_body first = kugel_world_body(own, 0);
    cr_assert_eq(support_set_linear_damping(own, first, 0.75), KUGEL_OK);
    cr_assert_eq(support_set_angular_damping(own, first, -1), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world *worlds[4] = {none, all, sum, own};
    kugel_body_state s[4][2];
    for (int w = 0; w < 4; ++w) {
        support_run(worlds[w], 1 / 60., 40);
        for (uint32_t id = 0; id < 2; ++id) support_state(worlds[w], id, &s[w][id]);
        kugel_world_destroy(worlds[w]);
    }
    for (int k = 0; k < 3; ++k) {
        cr_assert_eq(s[3][0].position[k], s[1][0].position[k]);
        cr_assert_eq(s[3][0].spin[k], s[1][0].spin[k]);
        cr_assert_eq(s[3][1].position[k], s[0][1].position[k]);
        cr_assert_eq(s[2][0].velocity[k], s[1][0].velocity[k]);
        cr_assert_eq(s[2][0].spin[k], s[1][0].spin[k]);
    }
    cr_assert_float_eq(s[3][0].spin[1], 3 * exp(-1.5 * 40 / 60), 1e-12);
    support_scene_free(&scene);
}
