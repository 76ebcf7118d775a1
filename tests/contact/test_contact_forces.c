/* Forces of contacts after ticks of any length: they are loads, not what a short tick did to
 * impulses. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

/* A box with a floor and 36 balls of 0.5 m in four layers, between walls 3 m apart. */
static kugel_world *pile(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 3, KUGEL_FACE_WALL);
    scene.def.bounds.friction = 0.5, scene.def.bounds.restitution = 0;
    scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
    scene.def.gravity[2] = -9.81, scene.def.sleep = false;
    for (int i = 0; i < 36; ++i) {
        double x[3] = {0.501 + 0.999 * (i % 3) + 1e-5 * (i * 7 % 11), 0.501 + 0.999 * (i / 3 % 3),
                       0.5 + i / 9};
        support_scene_add(&scene, x, (double[3]){0, 0, 0}, 0.5, 1)->friction = 0.5;
    }
    kugel_world *world = support_scene_world(&scene);
    support_scene_free(&scene);
    return world;
}

static double fastest(const kugel_world *world)
{
    double most = 0, v[3];
    for (uint32_t id = 0; id < 36; ++id) {
        kugel_body_get_velocity(world, kugel_world_body(world, id), v);
        most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return most;
}

/* Frames of 0.1 s in ticks of at most 1/60 s leave remainders of 2e-17 s. A settled pile has speeds
 * below 1e-3 m/s; ten times as much is allowed. Forces from impulses of the remainders threw the
 * balls at 1,770 m/s. */
Test(contact_forces, a_remainder_of_a_hosts_loop_throws_no_pile)
{
    kugel_world *world = pile();
    for (int frame = 0; frame < 300; ++frame) {
        for (double left = 0.1; left > 0;) {
            double dt = left < 1 / 60. ? left : 1 / 60.;
            support_run(world, dt, 1);
            left -= dt;
        }
        if (frame >= 20) cr_assert_lt(fastest(world), 0.01, "frame %d", frame);
    }
    kugel_world_destroy(world);
}

/* Sum of the vertical forces of the floor, N. */
static double floor_force(const kugel_world *world)
{
    kugel_resting_contact contacts[256];
    size_t count;
    double sum = 0;
    cr_assert_eq(kugel_world_contacts(world, 256, contacts, &count), KUGEL_OK);
    for (size_t k = 0; k < count; ++k) {
        if (contacts[k].target == KUGEL_TARGET_FACE)
            sum += contacts[k].force * -contacts[k].normal[2];
    }
    return sum;
}

/* The floor bears the weight. A tick of dt changes a force by at most m v / T with v the residual
 * speeds, below 1e-3 m/s, and T = 4 ms: 0.2 N for each of 9 balls, half a percent of the weight. */
Test(contact_forces, a_short_tick_leaves_the_load)
{
    kugel_world *world = pile();
    support_run(world, 1 / 60., 600);
    double weight = 36 * 9.81;
    for (double dt = 1e-30; dt < 1e-3; dt *= 10) {
        support_run(world, dt, 1);
        cr_assert_float_eq(floor_force(world), weight, 0.005 * weight, "dt %g: %g N", dt,
                           floor_force(world));
    }
    kugel_world_destroy(world);
}

/* Ticks of a twentieth of T build up the load within 50 T = 0.2 s, since a force is a mean over
 * T. */
Test(contact_forces, short_ticks_build_up_the_load)
{
    kugel_world *world = pile();
    double weight = 36 * 9.81;
    support_run(world, 2e-4, 10000);
    cr_assert_float_eq(floor_force(world), weight, 0.005 * weight, "%g N", floor_force(world));
    kugel_world_destroy(world);
}
