/* Hashes after every tick do not depend on the number of threads or the order of task ranges.
 * Worlds are large enough to use threads; some rebuild their lists, others keep them. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/support_scene.h"

/* The host's task system: all ranges on this thread, in an order that differs from call to call. */
typedef struct shuffled {
    support_random random;
    uint64_t calls;
} shuffled;

static void run_shuffled(void *user, uint32_t count, void (*task)(void *, uint32_t), void *context)
{
    shuffled *s = user;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    cr_assert(order);
    s->calls += 1;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t k = support_below(&s->random, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t i = 0; i < count; ++i) task(context, order[i]);
    free(order);
}

enum { RUNS = 6 };
static const uint32_t threads[RUNS] = {1, 2, 3, 5, 8, 0 /* 0: the host's task system */};

/* A change of the world before a tick. */
typedef void change(kugel_world *world, int tick);

static void compare(support_scene *scene, double dt, int ticks, change *each)
{
    kugel_world *world[RUNS];
    shuffled host = {.random = support_random_start("threads", scene->count)};
    for (int k = 0; k < RUNS; ++k) {
        scene->def.tasks = threads[k] ? (kugel_tasks){.threads = threads[k]}
                                      : (kugel_tasks){run_shuffled, &host, 4};
        world[k] = support_scene_world(scene);
    }
    for (int tick = 0; tick < ticks; ++tick) {
        for (int k = 0; k < RUNS; ++k) {
            if (each) each(world[k], tick);
            support_run(world[k], dt, 1);
            cr_assert_eq(kugel_world_hash(world[k]), kugel_world_hash(world[0]),
                         "run %d differs in tick %d", k, tick);
        }
    }
    for (int k = 0; k < RUNS; ++k) kugel_world_destroy(world[k]);
    cr_assert_gt(host.calls, (uint64_t)ticks,
                 "no range was given to the host: the test has no effect");
}

Test(threads, do_not_change_a_gas)
{
    support_random random = support_random_start("threads/gas", 1);
    support_scene scene = support_scene_gas(11, 0.1, KUGEL_FACE_WALL, 5, &random);
    compare(&scene, 1 / 60., 16, NULL);
    support_scene_free(&scene);
}

/* The number of events grows from few to many, some bodies have no neighbour list, and the threads'
 * event buffers overflow. */
static void kick(kugel_world *world, int tick)
{
    if (tick != 2 && tick != 5) return;
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        kugel_body_state s;
        support_state(world, id, &s);
        for (int k = 0; k < 3; ++k) s.velocity[k] *= tick == 5 ? 0.02 : id % 1500 == 1 ? 2e4 : 200;
        cr_assert_eq(kugel_body_set_velocity(world, kugel_world_body(world, id), s.velocity),
                     KUGEL_OK);
    }
}

Test(threads, do_not_change_a_gas_with_impulses)
{
    support_random random = support_random_start("threads/kicked", 6);
    support_scene scene = support_scene_gas(11, 0.1, KUGEL_FACE_WALL, 0.05, &random);
    compare(&scene, 1 / 60., 8, kick);
    support_scene_free(&scene);
}

Test(threads, do_not_change_a_dense_periodic_gas)
{
    support_random random = support_random_start("threads/periodic", 2);
    support_scene scene = support_scene_gas(11, 0.45, KUGEL_FACE_PERIODIC, 5, &random);
    compare(&scene, 1 / 120., 6, NULL);
    support_scene_free(&scene);
}

/* Radii 1 : 10, so that cells are crowded; some bodies are static, filtered or sensors. */
Test(threads, do_not_change_unlike_bodies)
{
    support_random random = support_random_start("threads/mixed", 3);
    support_mix mix = {.count = 4500,
                       .length = 30,
                       .radius = {0.1, 0.5},
                       .mass = {0.1, 10},
                       .sigma = 4,
                       .face = KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    scene.def.gravity[2] = -9.81, scene.def.linear_damping = 0.1, scene.def.angular_damping = 0.2;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *body = &scene.bodies[i];
        if (i % 62 == 0) body->type = KUGEL_KINEMATIC;
        if (i % 62 == 31)
            body->type = KUGEL_STATIC,
            body->velocity[0] = body->velocity[1] = body->velocity[2] = 0;
        if (i % 17 == 0) body->category = 2, body->mask = 1;
        if (i % 1000 == 77) body->sensor = true;
        body->gravity_scale = i % 5 ? 1 : -0.5;
        body->friction = 0.3;
    }
    compare(&scene, 1 / 60., 10, NULL);
    support_scene_free(&scene);
}

/* Creates, moves and pushes bodies between ticks: column order and lists become invalid. */
static void stir(kugel_world *world, int tick)
{
    double up[3] = {tick % 2 ? 2.0 : -2.0, 1, 9.81};
    kugel_body_def ball = kugel_body_def_default();
    ball.position[2] = 60 + 2 * tick, ball.position[0] = ball.position[1] = 5;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_destroy(world, kugel_world_body(world, 100 + 3 * (uint32_t)tick)),
                 KUGEL_OK);
    for (uint32_t id = 1; id < 90; id += 7) {
        cr_assert_eq(kugel_body_apply_force(world, kugel_world_body(world, id), up, NULL),
                     KUGEL_OK);
        cr_assert_eq(kugel_body_apply_torque(world, kugel_world_body(world, id), up), KUGEL_OK);
    }
    if (tick % 4 == 3)
        cr_assert_eq(kugel_world_set_gravity(world, (double[3]){0.5 * tick, 0, -9.81}), KUGEL_OK);
}

static support_scene pile(uint32_t width, uint32_t height, double spacing, support_random *random)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, spacing * width, KUGEL_FACE_WALL);
    scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
    scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.5;
    scene.def.gravity[2] = -9.81;
    scene.planes[0] = (support_plane){.normal = {0.6, 0, 0.8}, .friction = 0.5};
    scene.plane_count = 1;
    for (uint32_t i = 0; i < width * width * height; ++i) {
        const uint32_t at[3] = {i % width, i / width % width, i / width / width};
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = spacing * (at[k] + 0.5) + support_between(random, -0.02, 0.02);
        if (0.6 * x[0] + 0.8 * x[2] < 0.6) x[2] += 1000; /* stays clear of the plane */
        kugel_body_def *ball = support_scene_add(&scene, x, NULL, 0.5, 1);
        ball->restitution = i % 3 * 0.2, ball->friction = 0.5,
        ball->rolling_resistance = i % 7 * 0.01, ball->tangential_restitution = i % 5 * 0.5 - 1;
        if (i % 97 == 5)
            ball->type = KUGEL_KINEMATIC, ball->velocity[2] = -0.2, ball->velocity[0] = 0.3;
    }
    return scene;
}

Test(threads, do_not_change_a_pile_on_moving_supports)
{
    support_random random = support_random_start("threads/pile", 4);
    support_scene scene = pile(17, 16, 1.0, &random);
    compare(&scene, 1 / 60., 8, stir);
    support_scene_free(&scene);
}

static uint32_t asleep;

static void count_sleepers(kugel_world *world, int tick)
{
    kugel_stats stats;
    (void)tick;
    kugel_world_stats(world, &stats);
    asleep = stats.asleep;
}

/* One layer on the floor, and a ball that rolls through it. */
Test(threads, do_not_change_sleep)
{
    support_random random = support_random_start("threads/sleep", 5);
    support_scene scene = pile(66, 1, 1.2, &random);
    scene.plane_count = 0;
    for (uint32_t i = 0; i < scene.count; ++i)
        scene.bodies[i].type = KUGEL_DYNAMIC, scene.bodies[i].position[2] = 0.5;
    for (uint32_t i = 0; i < scene.count; ++i)
        scene.bodies[i].velocity[0] = scene.bodies[i].velocity[2] = 0;
    scene.bodies[100].velocity[1] = 8;
    compare(&scene, 1 / 60., 50, count_sleepers);
    cr_assert_gt(asleep, 1000, "%u sleep: the test has no effect", asleep);
    support_scene_free(&scene);
}
