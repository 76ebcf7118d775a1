/* Disabled bodies take part in nothing, and are like new ones when they are enabled. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/support_scene.h"

static support_scene on_a_floor(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    return scene;
}

/* Three balls, one on another. */
static kugel_world *stack(bool can_sleep, support_scene *scene)
{
    *scene = on_a_floor();
    for (int k = 0; k < 3; ++k) {
        kugel_body_def *ball = support_scene_add(scene, (double[3]){0, 0, 0.5 + k}, NULL, 0.5, 1);
        ball->restitution = 0, ball->friction = 0.5, ball->can_sleep = can_sleep;
    }
    return support_scene_world(scene);
}

/* The middle ball of a stack, awake or asleep: its two contacts end, the ball above wakes and falls
 * through its place on the lowest one. */
Test(disabled, a_disabled_body_supports_nothing)
{
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        support_scene scene;
        kugel_world *world = stack(sleeps, &scene);
        support_run(world, 1 / 60., 90);
        kugel_body middle = kugel_world_body(world, 1);
        kugel_body_state s;
        support_state(world, 2, &s);
        cr_assert_eq(s.asleep, sleeps);
        cr_assert_eq(kugel_body_set_enabled(world, middle, false), KUGEL_OK);
        support_state(world, 1, &s);
        cr_assert(!s.enabled && s.contacts == 0 && s.asleep);
        size_t ends;
        support_run(world, 1 / 60., 1);
        (void)kugel_world_end_events(world, &ends);
        cr_assert_eq(ends, 2);
        support_run(world, 1 / 60., 120);
        support_state(world, 2, &s);
        cr_assert_float_eq(s.position[2], 1.5, 0.01);
        support_state(world, 1, &s);
        cr_assert(fabs(s.position[2] - 1.5) < 0.01 && s.velocity[2] == 0);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Disabled in flight it hangs in the air, and enabled it falls from rest: z0 - g t^2 / 2. */
Test(disabled, an_enabled_body_falls_from_rest)
{
    support_scene scene = on_a_floor();
    support_scene_add(&scene, (double[3]){0, 0, 50}, (double[3]){3, 0, 0}, 0.5, 1)->can_sleep =
        false;
    kugel_world *world = support_scene_world(&scene);
    kugel_body body = kugel_world_body(world, 0);
    kugel_body_state s, then;
    support_run(world, 1 / 60., 30);
    support_state(world, 0, &s);
    cr_assert_eq(kugel_body_set_enabled(world, body, false), KUGEL_OK);
    cr_assert_eq(kugel_body_set_enabled(world, body, false), KUGEL_OK);
    uint64_t hash = kugel_world_hash(world);
    support_run(world, 1 / 60., 30);
    cr_assert_neq(kugel_world_hash(world), hash, "time is hashed");
    support_state(world, 0, &then);
    cr_assert(memcmp(then.position, s.position, sizeof s.position) == 0 && then.velocity[0] == 0);
    cr_assert_eq(kugel_world_moves(world, 0, NULL), 0);
    cr_assert_eq(kugel_body_set_enabled(world, body, true), KUGEL_OK);
    support_run(world, 1 / 60., 60);
    support_state(world, 0, &then);
    cr_assert(then.enabled && !then.asleep);
    cr_assert_float_eq(then.position[2], s.position[2] - 0.5 * 9.81, 1e-9);
    cr_assert_eq(then.position[0], s.position[0]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Balls that move among disabled ones of each type have the bits that they have alone. */
Test(disabled, others_evolve_as_without_it)
{
    enum { BALLS = 40, TICKS = 200 };
    kugel_body_state s, t;
    support_random random = support_random_start("disabled", 3);
    support_scene scene = on_a_floor();
    support_scene_box(&scene, 4, KUGEL_FACE_WALL);
    for (int k = 0; k < BALLS; ++k) {
        double x[3], v[3];
        for (int i = 0; i < 3; ++i)
            x[i] = 0.5 + (k >> 2 * i & 3), v[i] = support_between(&random, -3, 3);
        support_scene_add(&scene, x, v, 0.3, 1)->restitution = 0.5;
    }
    kugel_world *alone = support_scene_world(&scene), *among = support_scene_world(&scene);
    for (int k = 0; k < 12; ++k) {
        kugel_body_def ghost = kugel_body_def_default();
        for (int i = 0; i < 3; ++i) ghost.position[i] = support_between(&random, 1, 3);
        ghost.radius = 0.3, ghost.type = (kugel_body_type)(k % 3), ghost.enabled = k % 2;
        ghost.sensor = k > 8;
        kugel_body body;
        cr_assert_eq(kugel_body_create(among, &ghost, &body), KUGEL_OK);
        cr_assert_eq(kugel_body_set_enabled(among, body, false), KUGEL_OK);
    }
    for (int tick = 0; tick < TICKS; ++tick) {
        support_run(alone, 1 / 60., 1), support_run(among, 1 / 60., 1);
        size_t events;
        (void)kugel_world_sensor_events(among, &events);
        cr_assert_eq(events, 0);
        for (uint32_t id = 0; id < BALLS; ++id) {
            support_state(alone, id, &s), support_state(among, id, &t);
            cr_assert(memcmp(&s, &t, sizeof s) == 0, "tick %d, body %u", tick, id);
        }
    }
    kugel_energy sums, of_alone;
    kugel_world_energy(among, &sums), kugel_world_energy(alone, &of_alone);
    cr_assert_eq(sums.potential, of_alone.potential);
    kugel_world_destroy(alone), kugel_world_destroy(among);
    support_scene_free(&scene);
}

/* Queries and explosions skip it, sensors report its exit and entry, and it cannot be pushed. */
Test(disabled, nothing_finds_it)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default(), sensor = ball;
    kugel_world *world;
    kugel_body body, around;
    uint32_t pushed;
    size_t count;
    kugel_explosion_def blast = kugel_explosion_def_default();
    sensor.sensor = true, sensor.type = KUGEL_STATIC, sensor.radius = 3, blast.impulse = 1;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &sensor, &around), KUGEL_OK);
    const double force[3] = {1, 0, 0}, zero[3] = {0}, place[3] = {0, 0, 0};
    for (int on = 1; on >= 0; --on) {
        if (!on) cr_assert_eq(kugel_body_set_enabled(world, body, false), KUGEL_OK);
        support_run(world, 0.01, 1);
        const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
        cr_assert(count == 1 && e->entered == on && e->body == body);
        cr_assert_eq(kugel_world_overlap_sphere(world, place, 0, NULL, 0, NULL, &count), KUGEL_OK);
        cr_assert_eq((int)count, on);
        cr_assert_eq(kugel_world_explode(world, &blast, &pushed), KUGEL_OK);
        cr_assert_eq((int)pushed, on);
        kugel_status wanted = on ? KUGEL_OK : KUGEL_ERROR_STATE;
        cr_assert_eq(kugel_body_apply_force(world, body, force, NULL), wanted);
        cr_assert_eq(kugel_body_apply_impulse(world, body, force, force), wanted);
        cr_assert_eq(kugel_body_set_velocity(world, body, force), wanted);
        cr_assert_eq(kugel_body_set_velocity(world, body, zero), KUGEL_OK);
        cr_assert_eq(kugel_body_wake(world, body), KUGEL_OK);
    }
    cr_assert_eq(kugel_body_set_type(world, body, KUGEL_KINEMATIC, 1), KUGEL_OK);
    cr_assert_eq(kugel_body_set_velocity(world, body, force), KUGEL_ERROR_STATE);
    cr_assert_eq(kugel_body_set_type(world, body, KUGEL_DYNAMIC, 1), KUGEL_OK);
    cr_assert_eq(kugel_world_set_gravity(world, force), KUGEL_OK);
    support_run(world, 0.01, 10);
    kugel_body_state s;
    cr_assert_eq(kugel_body_get(world, body, &s), KUGEL_OK);
    cr_assert(s.position[0] == 0 && s.asleep && !s.enabled);
    ball.enabled = false, ball.velocity[1] = 1;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
}
