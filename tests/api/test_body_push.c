/* Forces and impulses at points, kinematic targets, single values. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/support_scene.h"

/* Two equal worlds of one body. */
typedef struct pair {
    kugel_world *world[2];
    kugel_body body;
} pair;

static pair make_pair(kugel_body_type type, kugel_face face)
{
    pair p;
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, face);
    support_scene_add(&scene, (double[3]){2, 3, 4}, NULL, 0.5, 2)->type = type;
    for (int k = 0; k < 2; ++k) p.world[k] = support_scene_world(&scene);
    p.body = kugel_world_body(p.world[0], 0);
    support_scene_free(&scene);
    return p;
}

static void free_pair(pair *p)
{
    for (int k = 0; k < 2; ++k) kugel_world_destroy(p->world[k]);
}

Test(body_push, at_a_point_is_a_push_and_its_moment)
{
    static const double push[3] = {1, -2, 3}, point[3] = {2.5, 3, 4.25};
    /* (0.5, 0, 0.25) x (1, -2, 3) */
    static const double moment[3] = {0.5, -1.25, -1};
    pair p = make_pair(KUGEL_DYNAMIC, KUGEL_FACE_WALL);
    cr_assert_eq(kugel_body_apply_force(p.world[0], p.body, push, point), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_force(p.world[1], p.body, push, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_torque(p.world[1], p.body, moment), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_impulse(p.world[0], p.body, push, point), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_impulse(p.world[1], p.body, push, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_angular_impulse(p.world[1], p.body, moment), KUGEL_OK);
    for (int k = 0; k < 2; ++k) support_run(p.world[k], 1 / 60., 3);
    cr_assert_eq(kugel_world_hash(p.world[0]), kugel_world_hash(p.world[1]));
    double spin[3];
    cr_assert_eq(kugel_body_get_spin(p.world[0], p.body, spin), KUGEL_OK);
    cr_assert_neq(spin[0], 0);
    free_pair(&p);
}

Test(body_push, the_lever_is_the_shortest_one_in_a_periodic_box)
{
    pair p = make_pair(KUGEL_DYNAMIC, KUGEL_FACE_PERIODIC);
    cr_assert_eq(kugel_body_apply_impulse(p.world[0], p.body, (double[3]){0, 1, 0},
                                          (double[3]){11.75, 3, 4}),
                 KUGEL_OK);
    double spin[3];
    const double turned = -0.25 / (0.4 * 2 * 0.25);
    kugel_body_get_spin(p.world[0], p.body, spin);
    cr_assert_float_eq(spin[2], turned, 1e-12);
    cr_assert_eq(kugel_body_apply_impulse(p.world[0], p.body, (double[3]){0, 1, 0},
                                          (double[3]){11.75 + 3 * 10, 3, 4}),
                 KUGEL_OK);
    kugel_body_get_spin(p.world[0], p.body, spin);
    cr_assert_float_eq(spin[2], 2 * turned, 1e-12, "the same point, lengths away");
    free_pair(&p);
}

Test(body_push, a_refused_moment_applies_no_push)
{
    pair p = make_pair(KUGEL_DYNAMIC, KUGEL_FACE_OPEN);
    double velocity[3];
    cr_assert_eq(kugel_body_apply_impulse(p.world[0], p.body, (double[3]){1e9, 0, 0},
                                          (double[3]){0, 1e9, 0}),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(p.world[0])->argument, "point");
    kugel_body_get_velocity(p.world[0], p.body, velocity);
    cr_assert_eq(velocity[0], 0);
    free_pair(&p);
}

Test(body_push, a_kinematic_body_reaches_its_target)
{
    static const double target[3] = {7.3, 2.1, 4.9};
    pair p = make_pair(KUGEL_KINEMATIC, KUGEL_FACE_WALL);
    double x[3];
    for (int step = 0; step < 4; ++step) {
        cr_assert_eq(kugel_body_set_target(p.world[0], p.body, target, NULL, 1 / 60.), KUGEL_OK);
        cr_assert_eq(kugel_world_step(p.world[0], 1 / 60.), KUGEL_OK);
        kugel_body_get_position(p.world[0], p.body, x);
        /* rounding of the velocity, a few units in the last place of 10 m */
        for (int k = 0; k < 3; ++k) cr_assert_float_eq(x[k], target[k], 1e-14);
    }
    free_pair(&p);
    p = make_pair(KUGEL_KINEMATIC, KUGEL_FACE_PERIODIC);
    cr_assert_eq(kugel_body_set_target(p.world[0], p.body, (double[3]){9.5, 3, 4}, NULL, 0.5),
                 KUGEL_OK);
    kugel_body_get_velocity(p.world[0], p.body, x);
    cr_assert_float_eq(x[0], -5, 1e-12, "the way through the face is shorter");
    free_pair(&p);
}

Test(body_push, single_values_are_those_of_the_state)
{
    pair p = make_pair(KUGEL_DYNAMIC, KUGEL_FACE_WALL);
    kugel_body_set_spin(p.world[0], p.body, (double[3]){1, 2, 3});
    kugel_body_set_velocity(p.world[0], p.body, (double[3]){3, 1, 2});
    support_run(p.world[0], 1 / 60., 5);
    kugel_body_state s;
    double value[3];
    double q[4];
    kugel_body_get(p.world[0], p.body, &s);
    cr_assert_eq(kugel_body_get_position(p.world[0], p.body, value), KUGEL_OK);
    cr_assert(!memcmp(value, s.position, sizeof value));
    cr_assert_eq(kugel_body_get_velocity(p.world[0], p.body, value), KUGEL_OK);
    cr_assert(!memcmp(value, s.velocity, sizeof value));
    cr_assert_eq(kugel_body_get_spin(p.world[0], p.body, value), KUGEL_OK);
    cr_assert(!memcmp(value, s.spin, sizeof value));
    cr_assert_eq(kugel_body_get_rotation(p.world[0], p.body, q), KUGEL_OK);
    cr_assert(!memcmp(q, s.rotation, sizeof q) && q[3] != 1);
    free_pair(&p);
}

/* (0, 0, 2) x (0.5, 0, 0) = (0, 1, 0), by the shortest arm. */
Test(body_push, the_velocity_at_a_point_has_the_turn)
{
    pair p = make_pair(KUGEL_DYNAMIC, KUGEL_FACE_PERIODIC);
    const double v[3] = {1, 2, 3}, w[3] = {0, 0, 2};
    double at[3] = {7, 7, 7}, point[3] = {2.5, 3, 4};
    kugel_body_set_velocity(p.world[0], p.body, v), kugel_body_set_spin(p.world[0], p.body, w);
    for (int image = 0; image < 2; ++image, point[0] += 10) {
        cr_assert_eq(kugel_body_velocity_at(p.world[0], p.body, point, at), KUGEL_OK);
        cr_assert(at[0] == 1 && at[1] == 3 && at[2] == 3, "%g %g %g", at[0], at[1], at[2]);
    }
    point[1] = NAN;
    cr_assert_eq(kugel_body_velocity_at(p.world[0], p.body, point, at),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_body_velocity_at(p.world[0], p.body, v, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_body_velocity_at(p.world[0], p.body + 1, v, at), KUGEL_ERROR_STALE_HANDLE);
    free_pair(&p);
}
