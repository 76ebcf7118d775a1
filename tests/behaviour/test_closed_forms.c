/* Motions compared with closed forms: chains of impacts, spinning balls, rolling down triangles, a
 * gas compressed by a piston, a gas with reversed velocities. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_mesh.h"
#include "support/support_scene.h"

static const double g = 9.81;

/* A row of balls, each with half the mass of the previous one. The first ball hits the row at 1
 * m/s. An elastic impact gives the next ball 2 m / (m + m / 2) = 4/3 of the speed and leaves 1/3.
 * Final speeds grow along the row, so that no two balls meet again. */
Test(closed_forms, a_chain_of_falling_masses_amplifies_speed)
{
    enum { COUNT = 12 };
    support_scene scene = support_scene_start();
    for (int k = 0; k < COUNT; ++k)
        support_scene_add(&scene, (double[3]){1.01 * k, 0, 0}, (double[3]){k == 0, 0, 0}, 0.5,
                          ldexp(1, -k));
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 60);
    double speed = 1;
    for (uint32_t k = 0; k < COUNT; ++k) {
        kugel_body_state s;
        support_state(world, k, &s);
        double exact = k + 1 < COUNT ? speed / 3 : speed;
        cr_assert_float_eq(s.velocity[0], exact, 1e-14 * exact, "ball %u: %.17g, not %.17g", k,
                           s.velocity[0], exact);
        speed *= 4 / 3.;
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball spins about the normal of a floor. Torsional friction acts over a patch of radius 0.01 r
 * with an arm of 2/3 of that, so the spin falls by 2/3 0.01 r mu m g / (0.4 m r^2) = mu g / (60 r)
 * a second. The tolerance covers the solver's floats in up to 1,500 substeps. */
Test(closed_forms, the_spin_of_a_top_falls_linearly)
{
    for (int k = 0; k < 4; ++k) {
        double friction = 0.25 * (k + 1), radius = 0.5 / (k + 1),
               rate = friction * g / (60 * radius);
        kugel_world_def def = kugel_world_def_default();
        support_plane floor = {.normal = {0, 0, 1}, .friction = friction};
        kugel_body_def top = kugel_body_def_default();
        kugel_body_state s;
        kugel_world *world;
        def.gravity[2] = -g, def.sleep = false;
        top.position[2] = top.radius = radius, top.friction = friction, top.spin[2] = 2;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(support_add_plane(world, &floor, NULL), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &top, NULL), KUGEL_OK);
        for (int tick = 1; tick <= 360; ++tick) {
            double exact = fmax(2 - rate * tick / 60, 0);
            support_run(world, 1 / 60., 1);
            support_state(world, 0, &s);
            cr_assert_float_eq(s.spin[2], exact, 0.002 * 2, "friction %g, tick %d: %g, not %g",
                               friction, tick, s.spin[2], exact);
        }
        cr_assert(fabs(s.position[0]) < 1e-9 && fabs(s.velocity[0]) < 1e-9, "it wanders");
        kugel_world_destroy(world);
    }
}

/* A ball rolls down a tilted floor of triangles with a = 5/7 g (sin a - c cos a). The ball or the
 * floor has the rolling resistance. */
Test(closed_forms, rolling_resistance_on_a_slope_of_triangles)
{
    support_random random = support_random_start("closed_forms/slope", 1);
    support_mesh floor = support_mesh_floor(40, 60, 0, &random);
    for (int k = 0; k < 6; ++k) {
        double angle = 0.2 + 0.1 * (k / 2), c = 0.05 * (k / 2), t = 2, r = 0.25;
        double way = 5 / 7. * g * (sin(angle) - c * cos(angle)) * t * t / 2;
        support_scene scene = support_scene_start();
        scene.def = kugel_world_def_default();
        scene.def.gravity[2] = -g;
        const double n[3] = {sin(angle), 0, cos(angle)};
        kugel_body_def *ball =
            support_scene_add(&scene, (double[3]){r * n[0], 0, r * n[2]}, NULL, r, 3);
        ball->restitution = 0, ball->friction = 0.8;
        kugel_surface_def def = support_mesh_def(&floor);
        kugel_body_state s;
        def.friction = 0.8;
        *(k % 2 ? &def.rolling_resistance : &ball->rolling_resistance) = c;
        kugel_world *world = support_scene_world(&scene);
        def.rotation[1] = sin(angle / 2), def.rotation[3] = cos(angle / 2);
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
        support_run(world, 1 / 60., 120);
        support_state(world, 0, &s);
        double x = s.position[0] * cos(angle) - s.position[2] * sin(angle);
        cr_assert_float_eq(x, way, 2e-3 * way, "%g rad, c = %g: %.9g m, not %.9g", angle, c, x,
                           way);
        cr_assert_float_eq(s.spin[1] * r, s.velocity[0] / cos(angle), 1e-4 * 10);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    support_mesh_free(&floor);
}

/* A slow piston halves the height of a gas. The energy of the gas grows by the work of the piston,
 * the sum of its impulses times its speed, up to rounding. Impacts share the energy among the axes,
 * so it follows the adiabat (V0 / V)^(2/3), where V is the volume in which centres can be. */
Test(closed_forms, a_piston_compresses_a_gas_along_the_adiabat)
{
    support_random random = support_random_start("closed_forms/piston", 2);
    const support_mix mix = {.count = 300,
                             .length = 30,
                             .radius = {0.5, 0.5},
                             .mass = {1, 1},
                             .sigma = 5,
                             .face = KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def piston = kugel_surface_def_default();
    const double speed = 0.1, height = mix.length, way = height / 2;
    piston.shape = KUGEL_SURFACE_PLANE;
    piston.position[2] = height;
    piston.rotation[0] = 1, piston.rotation[3] = 0; /* its front is below */
    piston.velocity[2] = -speed;
    piston.restitution = 1, piston.friction = 0;
    cr_assert_eq(kugel_surface_create(world, &piston, NULL), KUGEL_OK);
    double first = support_kinetic_energy(world), work = 0, dt = 0.25;
    for (uint32_t tick = 0; tick < (uint32_t)(way / speed / dt); ++tick) {
        size_t count;
        support_run(world, dt, 1);
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t i = 0; i < count; ++i)
            if (impacts[i].target == KUGEL_TARGET_SURFACE) work += impacts[i].impulse * speed;
    }
    double last = support_kinetic_energy(world),
           adiabat = pow((height - 1) / (height - way - 1), 2 / 3.);
    cr_assert_float_eq(last - first, work, 1e-9 * work, "energy grew by %.12g J, work is %.12g J",
                       last - first, work);
    cr_assert_float_eq(last / first, adiabat, 0.06 * adiabat, "%g times the energy, not %g",
                       last / first, adiabat);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* An elastic gas returns to its start if its velocities are reversed. An impact enlarges errors
 * about tenfold: rounding of 1e-16 stays below 1e-7 after about three impacts a body. */
Test(closed_forms, a_gas_goes_back_when_its_velocities_are_turned)
{
    support_random random = support_random_start("closed_forms/reversal", 3);
    const support_mix mix = {.count = 200,
                             .length = 14,
                             .radius = {0.3, 0.6},
                             .mass = {0.5, 2},
                             .sigma = 3,
                             .face = KUGEL_FACE_PERIODIC};
    support_scene scene = support_scene_mixed(&mix, &random);
    kugel_world *world = support_scene_world(&scene);
    kugel_stats stats;
    support_run(world, 1 / 60., 120);
    kugel_world_stats(world, &stats);
    cr_assert_gt(stats.impacts_total, 200, "%u impacts", (unsigned)stats.impacts_total);
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_state s;
        support_state(world, i, &s);
        const double turned[3] = {-s.velocity[0], -s.velocity[1], -s.velocity[2]};
        cr_assert_eq(kugel_body_set_velocity(world, s.body, turned), KUGEL_OK);
    }
    support_run(world, 1 / 60., 120);
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_state s;
        support_state(world, i, &s);
        for (int k = 0; k < 3; ++k) {
            double off = remainder(s.position[k] - scene.bodies[i].position[k], mix.length);
            cr_assert_lt(fabs(off), 1e-7, "body %u is %g m off", i, off);
            cr_assert_float_eq(s.velocity[k], -scene.bodies[i].velocity[k], 1e-6);
        }
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
