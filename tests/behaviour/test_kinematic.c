/* Kinematic bodies have infinite mass: impacts do not change their velocity. Default settings. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

/* A kinematic body keeps its velocity through walls, planes, static and kinematic bodies. No impact
 * event is reported. */
static void check_passes(bool bounce)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 10, KUGEL_FACE_WALL);
    if (bounce) scene.def.bounce_threshold = 0, scene.def.slop = 0;
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] =
        (support_plane){.normal = {0.6, 0, 0.8}, .offset = 3, .restitution = 1};
    support_scene_add(&scene, (double[3]){5, 5, 5}, (double[3]){-2, 0, 0}, 0.5, 1)->type =
        KUGEL_KINEMATIC;
    support_scene_add(&scene, (double[3]){3, 5, 5}, (double[3]){0.1, 0, 0}, 0.5, 1)->type =
        KUGEL_KINEMATIC;
    support_scene_add(&scene, (double[3]){1.2, 5, 5}, NULL, 0.5, 1)->type = KUGEL_STATIC;
    support_scene_add(&scene, (double[3]){9.8, 5, 5}, NULL, 0.5, 1)->type =
        KUGEL_STATIC; /* half in the wall */
    kugel_world *world = support_scene_world(&scene);
    for (int tick = 1; tick <= 145; ++tick) {
        support_run(world, 1 / 60., 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        cr_assert_eq(count, 0, "tick %d: kind %d, body %u with %u, impulse %g", tick,
                     (int)(count ? impacts[0].target : 0), count ? kugel_body_id(impacts[0].a) : 0,
                     count ? impacts[0].index : 0, count ? impacts[0].impulse : 0);
        kugel_body_state s;
        support_state(world, 0, &s);
        cr_assert_float_eq(s.position[0], 5 - 2 * tick / 60., 1e-12, "tick %d: at %.17g", tick,
                           s.position[0]);
        cr_assert(s.velocity[0] == -2 && s.velocity[2] == 0);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.resting_contacts, 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(kinematic, passes_immovable_bodies) { check_passes(false); }
Test(kinematic, passes_immovable_bodies_without_a_threshold) { check_passes(true); }

/* A racket at speed V hits a ball at rest, which leaves at (1 + e) V. The racket keeps its
 * velocity. */
Test(kinematic, a_racket_keeps_its_velocity)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_add(&scene, (double[3]){-3, 0, 0}, (double[3]){7, 0, 0}, 1, 1)->type =
        KUGEL_KINEMATIC;
    support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.5, 1);
    scene.bodies[0].restitution = 0, scene.bodies[1].restitution = 0.8;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 60);
    kugel_body_state racket, ball;
    support_state(world, 0, &racket);
    support_state(world, 1, &ball);
    cr_assert_float_eq(ball.velocity[0], 1.8 * 7, 1e-12, "the ball flies at %.17g",
                       ball.velocity[0]);
    cr_assert_float_eq(racket.position[0], 4, 1e-12);
    double met = 1.5 / 7; /* time to cross the gap of 1.5 m */
    cr_assert_float_eq(ball.position[0], 12.6 * (1 - met), 1e-10, "the ball is at %.17g",
                       ball.position[0]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A spinning roller with friction accelerates a ball tangentially, by mu (1 + e) vn or 2/7 of the
 * slip, whichever is smaller. */
Test(kinematic, a_spinning_roller_accelerates_a_ball)
{
    support_scene scene = {.def = kugel_world_def_default()};
    kugel_body_def *roller = support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 1, 1);
    roller->type = KUGEL_KINEMATIC, roller->friction = 1, roller->restitution = 0;
    roller->spin[1] = 3; /* its top moves at +3 m/s along x */
    kugel_body_def *ball =
        support_scene_add(&scene, (double[3]){0, 0, 2}, (double[3]){0, 0, -4}, 0.5, 1);
    ball->friction = 1, ball->restitution = 0.5;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 30);
    kugel_body_state s;
    support_state(world, 1, &s);
    cr_assert_float_eq(s.velocity[0], 3 * 2 / 7., 1e-12, "dragged to %.17g", s.velocity[0]);
    cr_assert_float_eq(s.velocity[2], 2, 1e-12);
    cr_assert_float_eq(s.spin[1], -2.5 * (3 * 2 / 7.) / 0.5, 1e-11, "spins at %.17g", s.spin[1]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A pile in a box on large balls, which are of this type and at rest. */
static support_scene heap(support_random *random, kugel_body_type type)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 4, KUGEL_FACE_WALL);
    scene.def.gravity[2] = -9.81;
    for (uint32_t k = 0; k < 44; ++k) {
        double place[3];
        bool fixed = k < 4;
        for (int axis = 0; axis < 3; ++axis) place[axis] = support_between(random, 0.5, 3.5);
        if (fixed) place[2] = 0.5;
        kugel_body_def *body = support_scene_add(&scene, place, NULL, fixed ? 0.5 : 0.2, 1);
        body->restitution = support_between(random, 0, 0.8);
        body->friction = support_between(random, 0, 1);
        if (fixed) body->type = type;
    }
    return scene;
}

/* Some bodies overlap at the start and wedge, so that the warm start is limited. */
Test(kinematic, at_rest_acts_as_a_static_body)
{
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        kugel_world *worlds[2];
        for (int i = 0; i < 2; ++i) {
            support_random random = support_random_start("kinematic", seed);
            support_scene scene = heap(&random, i ? KUGEL_KINEMATIC : KUGEL_STATIC);
            worlds[i] = support_scene_world(&scene);
            support_run(worlds[i], 1 / 60., 90);
            support_scene_free(&scene);
        }
        for (uint32_t id = 0; id < 44; ++id) {
            kugel_body_state a, b;
            support_state(worlds[0], id, &a), support_state(worlds[1], id, &b);
            for (int k = 0; k < 3; ++k)
                cr_assert(a.position[k] == b.position[k] && a.velocity[k] == b.velocity[k],
                          "body %u: %.17g and %.17g m", id, a.position[k], b.position[k]);
        }
        kugel_world_destroy(worlds[0]), kugel_world_destroy(worlds[1]);
    }
}
