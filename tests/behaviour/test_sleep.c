/* Sleep: which bodies fall asleep and when, what wakes them, and that sleep changes nothing
 * else. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_scene.h"
#include "support/support_states.h"

static support_scene on_a_floor(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    return scene;
}

/* One island: a stack of `count` balls at x. */
static void add_stack(support_scene *scene, double x, int count)
{
    for (int k = 0; k < count; ++k) {
        kugel_body_def *ball = support_scene_add(scene, (double[3]){x, 0, 0.5 + k}, NULL, 0.5, 1);
        ball->restitution = 0, ball->friction = 0.5;
    }
}

static bool asleep(const kugel_world *world, uint32_t id)
{
    kugel_body_state s;
    support_state(world, id, &s);
    return s.asleep;
}

static uint64_t count_asleep(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return stats.asleep;
}

/* Three stacks of three: bodies 0 ... 2 at x = 0, 3 ... 5 at x = 5, 6 ... 8 at x = 10. */
static kugel_world *three_stacks(support_scene *scene)
{
    *scene = on_a_floor();
    for (int k = 0; k < 3; ++k) add_stack(scene, 5 * k, 3);
    kugel_world *world = support_scene_world(scene);
    support_run(world, 1 / 60., 60);
    cr_assert_eq(count_asleep(world), 9, "%u of 9 asleep after a second at rest",
                 (unsigned)count_asleep(world));
    return world;
}

/* The three bodies of the middle stack are awake, and the last step reported each of them once; six
 * others sleep. */
static void expect_middle_awake(const kugel_world *world)
{
    size_t count;
    const kugel_rest *wakes = kugel_world_wake_events(world, &count);
    for (uint32_t id = 0; id < 9; ++id)
        cr_assert_eq(asleep(world, id), id < 3 || id > 5, "body %u", id);
    cr_assert_eq(count, 3, "%zu wakes", count);
    for (uint32_t k = 0; k < 3; ++k) cr_assert_eq(kugel_body_id(wakes[k].body), 3 + k);
}

Test(sleep, an_island_sleeps_as_a_whole_and_is_reported)
{
    support_scene scene = on_a_floor();
    add_stack(&scene, 0, 4);
    kugel_world *world = support_scene_world(&scene);
    size_t count = 0;
    for (int tick = 0; tick < 120 && !count; ++tick) {
        support_run(world, 1 / 60., 1);
        const kugel_rest *sleeps = kugel_world_sleep_events(world, &count);
        for (size_t k = 0; k < count; ++k) {
            cr_assert_eq(kugel_body_id(sleeps[k].body), k);
            cr_assert_eq(sleeps[k].time, 1 / 60.);
        }
    }
    cr_assert_eq(count, 4);
    cr_assert_eq(count_asleep(world), 4);
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    cr_assert_eq(sums.kinetic, 0);
    support_run(world, 1 / 60., 1);
    kugel_world_sleep_events(world, &count);
    cr_assert_eq(count, 0, "reported again");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(sleep, a_world_without_sleep)
{
    support_scene scene = on_a_floor();
    scene.def.sleep = false;
    add_stack(&scene, 0, 4);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 300);
    cr_assert_eq(count_asleep(world), 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball of 0.5 m at rest on a rough slope that descends towards +x by `degrees`. */
static support_scene on_a_slope(double degrees)
{
    double a = degrees * acos(-1) / 180;
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] =
        (support_plane){.normal = {sin(a), 0, cos(a)}, .friction = 0.5};
    support_scene_add(&scene, (double[3]){0.5 * sin(a), 0, 0.5 * cos(a)}, NULL, 0.5, 1)->friction =
        0.5;
    return scene;
}

/* Slow motion is not rest. From rest, with 5/7 g sin a, a ball is slower than a fifth of the
 * threshold for 8 s. Launched uphill, it is as slow for 0.8 s around its turning point. */
Test(sleep, a_slowly_rolling_ball_stays_awake)
{
    static const struct {
        double degrees, uphill;
    } rows[] = {{0.1, 0}, {0.5, 0}, {1, 0}, {0.5, 0.5}, {2, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        double a = rows[k].degrees * acos(-1) / 180, v = rows[k].uphill,
               gains = 5 / 7. * 9.81 * sin(a);
        support_scene scene = on_a_slope(rows[k].degrees);
        scene.bodies[0].velocity[0] = -v * cos(a), scene.bodies[0].velocity[2] = v * sin(a),
        scene.bodies[0].spin[1] = -2 * v;
        kugel_world *world = support_scene_world(&scene);
        int ticks = (int)(60 * (2 * v / gains + 10));
        support_run(world, 1 / 60., (uint32_t)ticks);
        kugel_body_state s;
        support_state(world, 0, &s);
        double speed = s.velocity[0] * cos(a) - s.velocity[2] * sin(a),
               wanted = gains * ticks / 60 - v;
        cr_assert(!s.asleep && fabs(speed - wanted) < 1e-3 * wanted, "%g degrees: %g m/s, not %g",
                  rows[k].degrees, speed, wanted);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A ball starts 0.01 radians off the top and is slower than a fifth of the threshold for two
 * seconds. */
Test(sleep, a_ball_on_a_ball_topples)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    kugel_body_def *post = support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 1, 1);
    post->type = KUGEL_STATIC, post->friction = 1;
    support_scene_add(&scene, (double[3]){1.5 * sin(0.01), 0, 1.5 * cos(0.01)}, NULL, 0.5, 1)
        ->friction = 1;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 300);
    kugel_body_state s;
    support_state(world, 1, &s);
    cr_assert(s.position[2] < 0, "still at %g m", s.position[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A sleeping world keeps every bit but the time. */
Test(sleep, a_sleeping_world_does_not_change)
{
    support_scene scene;
    kugel_world *world = three_stacks(&scene);
    kugel_body_state before[9], now;
    for (uint32_t id = 0; id < 9; ++id) support_state(world, id, &before[id]);
    support_run(world, 1 / 60., 100);
    for (uint32_t id = 0; id < 9; ++id) {
        support_state(world, id, &now);
        for (int k = 0; k < 3; ++k) cr_assert_eq(now.position[k], before[id].position[k]);
    }
    cr_assert_eq(kugel_world_tick(world), 160);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(sleep, an_impulse_a_force_or_a_velocity_wakes_the_island)
{
    for (int how = 0; how < 5; ++how) {
        support_scene scene;
        kugel_world *world = three_stacks(&scene);
        kugel_body top = kugel_world_body(world, 5);
        const double push[3] = {0.1, 0, 0};
        if (how == 0) kugel_body_apply_impulse(world, top, push, NULL);
        else if (how == 1) kugel_body_apply_force(world, top, push, NULL);
        else if (how == 2) kugel_body_set_velocity(world, top, push);
        else if (how == 3) kugel_body_apply_torque(world, top, push);
        else kugel_body_set_spin(world, top, push);
        support_run(world, 1 / 60., 1);
        expect_middle_awake(world);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

Test(sleep, an_impact_wakes_the_island)
{
    support_scene scene;
    kugel_world *world = three_stacks(&scene);
    kugel_body_def bullet = kugel_body_def_default();
    bullet.position[0] = 5, bullet.position[2] = 3.3, bullet.velocity[2] = -20, bullet.radius = 0.1;
    cr_assert_eq(kugel_body_create(world, &bullet, NULL), KUGEL_OK);
    support_run(world, 1 / 60., 1);
    expect_middle_awake(world);
    kugel_body_state low;
    support_state(world, 3, &low);
    cr_assert(low.position[2] > 0.49, "pressed into the floor to %g m", low.position[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(sleep, a_destroyed_or_moved_neighbour_wakes_the_island)
{
    for (int how = 0; how < 2; ++how) {
        support_scene scene;
        kugel_world *world = three_stacks(&scene);
        kugel_body low = kugel_world_body(world, 3);
        if (how == 0) kugel_body_destroy(world, low);
        else kugel_body_set_position(world, low, (double[3]){5, 20, 0.5});
        support_run(world, 1 / 60., 30);
        kugel_body_state s;
        support_state(world, 4, &s);
        cr_assert(!s.asleep && s.position[2] < 1.4, "body 4 hangs at %g m", s.position[2]);
        cr_assert(asleep(world, 0) && asleep(world, 8));
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Balls on a kinematic plate sleep while it is at rest, and move with it when it moves. */
Test(sleep, a_moving_support_wakes_its_bodies)
{
    support_scene scene = on_a_floor();
    kugel_body_def *plate = support_scene_add(&scene, (double[3]){0, 0, -50}, NULL, 51, 1);
    plate->type = KUGEL_KINEMATIC, plate->friction = 0.5, plate->restitution = 0;
    scene.plane_count = 0;
    add_stack(&scene, 0, 1);
    scene.bodies[1].position[2] = 1.5;
    add_stack(&scene, 200, 1); /* free fall: no island, never asleep */
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 90);
    cr_assert(asleep(world, 1) && !asleep(world, 2));
    cr_assert_eq(kugel_body_set_velocity(world, kugel_world_body(world, 0), (double[3]){0, 0, 0.2}),
                 KUGEL_OK);
    support_run(world, 1 / 60., 120);
    kugel_body_state ball;
    support_state(world, 1, &ball);
    cr_assert(!ball.asleep && fabs(ball.position[2] - (1.5 + 0.2 * 2)) < 0.01, "rode to %g m",
              ball.position[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Puts a body without velocity into the lowest ball of the middle stack: creates it there, moves it
 * there, or enables the pair by a filter. */
static kugel_status put_inside(kugel_world *world, int how, kugel_body_type type)
{
    kugel_body_def post = kugel_body_def_default();
    kugel_body body;
    post.type = type, post.radius = 0.3;
    post.position[0] = 5, post.position[1] = how == 1 ? 20 : 0.7, post.position[2] = 0.5;
    if (how == 2) post.mask = 0;
    kugel_status status = kugel_body_create(world, &post, &body);
    if (how == 0 || status) return status;
    status = kugel_world_step(world, 1 / 60.);
    if (status) return status;
    cr_assert(asleep(world, 3), "what it does not touch or meet sleeps on");
    return how == 1 ? kugel_body_set_position(world, body, (double[3]){5, 0.7, 0.5})
                    : kugel_body_set_filter(world, body, 1, 1, 0);
}

Test(sleep, a_body_placed_into_sleeping_bodies_wakes_them)
{
    for (int how = 0; how < 6; ++how) {
        support_scene scene;
        kugel_world *world = three_stacks(&scene);
        cr_assert_eq(put_inside(world, how / 2, how % 2 ? KUGEL_STATIC : KUGEL_KINEMATIC),
                     KUGEL_OK);
        support_run(world, 1 / 60., 1);
        expect_middle_awake(world);
        support_run(world, 1 / 60., 60);
        kugel_body_state s;
        support_state(world, 3, &s);
        double apart = hypot(hypot(s.position[0] - 5, s.position[1] - 0.7), s.position[2] - 0.5);
        cr_assert_geq(apart, 0.79, "they lie in one another, %g m apart", apart);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Expects no overlap of bodies and no body below the floor, m. */
static void expect_parted(kugel_world *world, double floor, const char *what)
{
    kugel_body_state s[32];
    uint32_t n = support_read_states(world, 32, s);
    for (uint32_t i = 0; i < n; ++i) {
        double low = s[i].position[2] - s[i].radius - floor;
        cr_assert(s[i].asleep, "%s: body %u does not sleep", what, i);
        cr_assert_geq(low, -0.05 * s[i].radius, "%s: body %u sleeps %g m below the floor", what, i,
                      -low);
        for (uint32_t j = 0; j < i; ++j) {
            double x = s[i].position[0] - s[j].position[0], y = s[i].position[1] - s[j].position[1];
            double gap =
                hypot(hypot(x, y), s[i].position[2] - s[j].position[2]) - s[i].radius - s[j].radius;
            cr_assert_geq(gap, -0.05 * s[i].radius,
                          "%s: bodies %u and %u sleep %g m in one another", what, j, i, -gap);
        }
    }
}

/* Bodies that the position correction separates, from each other or from a floor, have no velocity
 * and yet do not sleep. */
Test(sleep, overlapping_bodies_stay_awake)
{
    for (int how = 0; how < 3; ++how) {
        const char *const what[3] = {"few substeps", "a raised floor", "a heap in one place"};
        support_scene scene = on_a_floor();
        scene.def.substeps = how == 0 ? 1 : 4;
        int count = how == 2 ? 20 : 2;
        double radius = how == 1 ? 0.1 : 0.5, apart[3] = {0.6, 1, 0.05};
        for (int k = 0; k < count; ++k) {
            kugel_body_def *ball = support_scene_add(
                &scene, (double[3]){k * apart[how], 0.05 * (k % 3), radius}, NULL, radius, 1);
            ball->restitution = 0, ball->friction = 0.5;
        }
        kugel_world *world = support_scene_world(&scene);
        if (how == 1) {
            support_run(world, 1 / 60., 60);
            support_add_plane(
                world, &(support_plane){.normal = {0, 0, 1}, .offset = 0.5, .friction = 0.5}, NULL);
        }
        support_run(world, 1 / 60., 1200);
        expect_parted(world, how == 1 ? 0.5 : 0, what[how]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Gravity that changes wakes all that it pulls; its present value, and a plane or a surface that
 * touches nothing, wake none. What touches a stack wakes that stack. */
Test(sleep, changes_wake_what_they_touch)
{
    static const double middle[3] = {5, 0.7, 0.5}, aside[3] = {5, 2, 0.5}, up[3] = {0, 0, 9.81};
    static const uint32_t woken[] = {9, 0, 0, 9, 0, 3, 3, 3};
    for (int how = 0; how < (int)(sizeof woken / sizeof *woken); ++how) {
        support_scene scene;
        kugel_world *world = three_stacks(&scene);
        kugel_world_def def;
        kugel_surface_def ball = kugel_surface_def_default();
        kugel_surface surface = KUGEL_NULL_SURFACE;
        ball.shape = KUGEL_SURFACE_ELLIPSOID;
        ball.size[0] = ball.size[1] = ball.size[2] = 0.4;
        memcpy(ball.position, how == 5 ? middle : aside, sizeof ball.position);
        if (how > 3) cr_assert_eq(kugel_surface_create(world, &ball, &surface), KUGEL_OK);
        cr_assert_eq(kugel_world_get_def(world, &def), KUGEL_OK);
        if (how == 0) kugel_world_set_gravity(world, up);
        if (how == 1) kugel_world_set_gravity(world, def.gravity);
        support_plane plane = {.normal = {0, 0, -1}, .offset = how == 2 ? -30 : -2};
        if (how == 2 || how == 3) support_add_plane(world, &plane, NULL);
        if (how == 6) kugel_surface_set_pose(world, surface, middle, ball.rotation);
        if (how == 7) /* it reaches the stack within the tick */
            kugel_surface_set_target(world, surface, middle, NULL, 1 / 60.);
        support_run(world, 1 / 60., 1);
        cr_assert_eq(9 - count_asleep(world), woken[how], "change %d: %u", how,
                     9 - (unsigned)count_asleep(world));
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Bodies that float freely never sleep: a slow cluster keeps its momentum. */
Test(sleep, floating_clusters_stay_awake)
{
    support_scene scene = {.def = kugel_world_def_default()};
    for (int k = 0; k < 3; ++k) {
        kugel_body_def *ball = support_scene_add(&scene, (double[3]){k, 0, 0},
                                                 (double[3]){0.01 - 0.001 * k, 0, 0}, 0.5, 1);
        ball->restitution = 0;
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 600);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.asleep, 0);
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    cr_assert_float_eq(sums.momentum[0], 0.027, 1e-9);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A pile of 343 falls asleep, wakes when a ball hits it from above, and falls asleep again. One and
 * three threads give the same bits. */
Test(sleep, piles_sleep_and_wake_alike_on_any_number_of_threads)
{
    uint64_t hash[2];
    for (int run = 0; run < 2; ++run) {
        support_random random = support_random_start("sleep/pile", 3);
        support_scene scene = on_a_floor();
        scene.def.tasks.threads = run ? 3 : 1;
        support_scene_box(&scene, 7.7, KUGEL_FACE_WALL);
        scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
        scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.5;
        for (int i = 0; i < 343; ++i) {
            double x[3] = {i % 7, i / 7 % 7, i / 49};
            for (int k = 0; k < 3; ++k)
                x[k] = 0.55 + 1.1 * x[k] + support_between(&random, -0.04, 0.04);
            kugel_body_def *ball = support_scene_add(&scene, x, NULL, 0.5, 1);
            ball->restitution = 0, ball->friction = 0.5;
        }
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 1 / 60., 900);
        cr_assert_eq(count_asleep(world), 343, "%u asleep", (unsigned)count_asleep(world));
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = ball.position[1] = 3.8, ball.position[2] = 12;
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        support_run(world, 1 / 60., 80);
        /* balls without contacts to other balls are islands of their own */
        cr_assert(count_asleep(world) < 20, "%u still asleep", (unsigned)count_asleep(world));
        support_run(world, 1 / 60., 900);
        cr_assert_eq(count_asleep(world), 344, "%u asleep again", (unsigned)count_asleep(world));
        hash[run] = kugel_world_hash(world);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert_eq(hash[0], hash[1]);
}

/* A ball put to rest on a plane falls asleep after the time that kugel_world_def.sleep says: not
 * sooner, and later by the eight ticks between searches and by what whole 4000ths of the time a
 * tick leave out. */
Test(sleep, after_the_time_that_is_said)
{
    static const double radii[] = {0.01, 0.05, 0.3, 1}, ticks[] = {1 / 30., 1 / 60., 1 / 240.};
    for (int k = 0; k < 12; ++k) {
        double r = radii[k % 4], dt = ticks[k / 4], said = sqrt(4.905 * r / 9.81), time = 0;
        kugel_world_def def = kugel_world_def_default();
        support_plane plane = {.normal = {0, 0, 1}};
        kugel_body_def ball = kugel_body_def_default();
        kugel_world *world;
        kugel_stats stats = {0};
        def.gravity[2] = -9.81;
        ball.radius = ball.position[2] = r;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        for (; !stats.asleep; kugel_world_stats(world, &stats)) {
            cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
            time = kugel_world_time(world);
            cr_assert(time < 10);
        }
        double parts = dt / said * 4000, whole = parts < 1 ? 1 : floor(fmin(parts, 4000)),
               most = 4000 / whole * dt + 9 * dt;
        cr_assert(time > fmin(said, 4000 * dt) * (1 - 1e-9) && time < most * (1 + 1e-9),
                  "radius %g, tick %g: asleep after %g s, said %g to %g", r, dt, time, said, most);
        kugel_world_destroy(world);
    }
}

/* One ball of a stack that is not allowed to sleep keeps its stack awake, but a call puts it to
 * sleep. A ball that is allowed to again falls asleep with its stack. */
Test(sleep, a_body_that_cannot_sleep_keeps_its_stack_awake)
{
    support_scene scene;
    kugel_world *world = three_stacks(&scene);
    kugel_body body = kugel_world_body(world, 4);
    cr_assert_eq(kugel_body_set_can_sleep(world, body, false), KUGEL_OK);
    support_run(world, 1 / 60., 1);
    expect_middle_awake(world);
    support_run(world, 1 / 60., 300);
    cr_assert_eq(count_asleep(world), 6);
    cr_assert_eq(kugel_body_sleep(world, body), KUGEL_OK);
    support_run(world, 1 / 60., 60);
    cr_assert_eq(count_asleep(world), 9);
    cr_assert_eq(kugel_body_wake(world, body), KUGEL_OK);
    support_run(world, 1 / 60., 120);
    cr_assert_eq(count_asleep(world), 6);
    cr_assert_eq(kugel_body_set_can_sleep(world, body, true), KUGEL_OK);
    support_run(world, 1 / 60., 60);
    cr_assert_eq(count_asleep(world), 9);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
