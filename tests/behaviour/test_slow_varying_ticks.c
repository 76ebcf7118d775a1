/* Piles in ticks that vary in length fall asleep and are on average at most twice as deep as in
 * constant ticks; a pyramid stands. The box of 250 balls and the ticks are those of
 * tools/docs/limits.md. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "support/support_pile.h"
#include "support/support_ticks.h"

static const double RADIUS = 0.3, EDGE = 3;

/* Balls on a jittered lattice of 4 x 4 in layers of 0.7 m, over the floor of an open box. */
static support_scene box_of_250(uint64_t start)
{
    support_random random = {start};
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    support_scene_box(&scene, EDGE, KUGEL_FACE_WALL);
    scene.def.bounds.max[2] = 40;
    scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.5;
    for (uint32_t i = 0; i < 250; ++i) {
        double x[3] = {0.4 + 0.73 * (i % 4), 0.4 + 0.73 * (i / 4 % 4), 0.4 + 0.7 * (i / 16)};
        for (int k = 0; k < 3; ++k) x[k] += support_between(&random, -0.02, 0.02);
        kugel_body_def *ball = support_scene_add(&scene, x, NULL, RADIUS, 1);
        ball->restitution = 0.3, ball->friction = 0.5;
    }
    return scene;
}

typedef struct figures {
    double landing; /* largest overlap in the first 4 s, radii */
    double late;    /* largest overlap after 20 s, or asleep, radii */
    double asleep;  /* s, when all fell asleep; INFINITY: never */
} figures;

static double deepest(const support_scene *scene, const kugel_world *world)
{
    double deep = support_worst_overlap(scene, world);
    for (uint32_t id = 0; id < scene->count; ++id) {
        kugel_body_state s;
        support_state(world, id, &s);
        for (int face = 0; face < 5; ++face) {
            double x = s.position[face / 2];
            double gap = face & 1 ? scene->def.bounds.max[face / 2] - x : x;
            deep = fmax(deep, 1 - gap / RADIUS);
        }
    }
    return deep;
}

/* Runs for 40 s, or until 2 s after all bodies have fallen asleep. */
static figures watch_start(support_ticks kind, uint64_t start)
{
    support_scene scene = box_of_250(start);
    kugel_world *world = support_scene_world(&scene);
    support_random random = {start + 1};
    figures f = {0, 0, INFINITY};
    for (uint64_t tick = 0; kugel_world_time(world) < fmin(40, f.asleep + 2); ++tick) {
        kugel_stats stats;
        support_run(world, support_tick(kind, tick, &random), 1);
        kugel_world_stats(world, &stats);
        double deep = deepest(&scene, world);
        if (stats.time < 4) f.landing = fmax(f.landing, deep);
        if (stats.time > 20 || stats.asleep == scene.count) f.late = fmax(f.late, deep);
        if (stats.asleep < scene.count) f.asleep = INFINITY;
        else f.asleep = fmin(f.asleep, stats.time);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return f;
}

/* Means of the overlaps and the latest sleep of several starts. The depth at rest of one start
 * differs by its mean: in ticks of random length 0.06 % with a standard deviation of 0.03 %. */
static figures watch(support_ticks kind)
{
    enum { STARTS = 8 };
    uint64_t first = support_random_start("varying ticks/box", 1).state;
    figures all = {0, 0, 0};
    for (uint64_t k = 0; k < STARTS; ++k) {
        figures f = watch_start(kind, first + k);
        all.landing += f.landing / STARTS, all.late += f.late / STARTS;
        all.asleep = fmax(all.asleep, f.asleep);
    }
    fprintf(stderr, "250 balls, %s: asleep after %.3g s, %.3g %% deep landing, then %.3g %%\n",
            support_ticks_name(kind), all.asleep, 100 * all.landing, 100 * all.late);
    return all;
}

/* All fall asleep within 40 s. Overlaps while landing and at rest are at most twice those of
 * constant ticks, which may be 5e-4 r at rest. */
Test(varying_ticks, let_a_pile_sleep)
{
    static const support_ticks kinds[] = {SUPPORT_TICKS_TENTH, SUPPORT_TICKS_HALF,
                                          SUPPORT_TICKS_IN_TURN, SUPPORT_TICKS_LOG};
    figures usual = watch(SUPPORT_TICKS_CONSTANT);
    cr_expect(usual.asleep < 20, "constant ticks: asleep after %g s", usual.asleep);
    for (int k = 0; k < 4; ++k) {
        const char *name = support_ticks_name(kinds[k]);
        figures f = watch(kinds[k]);
        cr_expect(f.asleep < 40, "%s: asleep after %g s", name, f.asleep);
        cr_expect(f.late <= 2 * fmax(usual.late, 5e-4), "%s: %g r deep, %g in constant ticks", name,
                  f.late, usual.late);
        cr_expect(f.landing <= 2 * usual.landing,
                  "%s: %g r deep while landing, %g in constant ticks", name, f.landing,
                  usual.landing);
    }
}

/* Square layers of 8 x 8 to 1 x 1 touching balls on a floor; rolling resistance 0.3 holds the
 * edges. */
static support_scene pyramid(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.6};
    for (int layer = 0; layer < 8; ++layer) {
        int side = 8 - layer;
        for (int i = 0; i < side * side; ++i) {
            double x[3] = {i % side + 0.5 * layer, i / side + 0.5 * layer, 0.5 + sqrt(0.5) * layer};
            kugel_body_def *ball = support_scene_add(&scene, x, NULL, 0.5, 1);
            ball->restitution = 0, ball->friction = 0.6, ball->rolling_resistance = 0.3;
        }
    }
    return scene;
}

/* No ball moves by a tenth of a radius, and all sleep within 10 s; then 30 s without sleep. */
static void check_pyramid(support_ticks kind)
{
    for (int sleep = 1; sleep >= 0; --sleep) {
        support_scene scene = pyramid();
        scene.def.sleep = sleep;
        kugel_world *world = support_scene_world(&scene);
        support_random random = support_random_start("varying ticks/pyramid", 3);
        kugel_stats stats = {0};
        double asleep = INFINITY, deep = 0;
        for (uint64_t tick = 0; stats.time < (sleep ? 10 : 30); ++tick) {
            support_run(world, support_tick(kind, tick, &random), 1);
            kugel_world_stats(world, &stats);
            deep = fmax(deep, support_worst_overlap(&scene, world));
            if (stats.asleep == scene.count) asleep = fmin(asleep, stats.time);
        }
        double way = support_farthest(&scene, world);
        fprintf(stderr, "pyramid, %s%s: a ball went %.3g m; asleep after %.3g s; %.3g %% deep\n",
                support_ticks_name(kind), sleep ? "" : ", no sleep", way, asleep, 100 * deep);
        cr_expect(way < 0.05, "a ball went %g m", way);
        cr_expect(!sleep || asleep < 10, "asleep after %g s", asleep);
        cr_expect(deep < 0.02, "%g r deep", deep);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

Test(varying_ticks, constant_a_pyramid_stands) { check_pyramid(SUPPORT_TICKS_CONSTANT); }
Test(varying_ticks, of_10_percent_a_pyramid_stands) { check_pyramid(SUPPORT_TICKS_TENTH); }
Test(varying_ticks, of_50_percent_a_pyramid_stands) { check_pyramid(SUPPORT_TICKS_HALF); }
Test(varying_ticks, in_turn_a_pyramid_stands) { check_pyramid(SUPPORT_TICKS_IN_TURN); }
Test(varying_ticks, log_uniform_a_pyramid_stands) { check_pyramid(SUPPORT_TICKS_LOG); }

/* Ticks so short that 1 / dt is large or not a finite float. Forces of contacts must stay finite,
 * so that snapshots are valid and longer ticks succeed. */
Test(varying_ticks, the_shortest_ticks_keep_a_world_whole)
{
    for (double dt = 1e-10; dt > 1e-320; dt *= dt > 1e-50 ? 1e-4 : 1e-30) {
        support_scene scene = pyramid();
        kugel_world *world = support_scene_world(&scene), *clone;
        support_run(world, 1 / 60., 20);
        support_run(world, dt, 2);
        cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK, "dt %g: %s", dt,
                     kugel_world_last_error(world)->message);
        cr_expect_eq(kugel_world_step(clone, 1 / 60.), KUGEL_OK, "dt %g", dt);
        kugel_world_destroy(clone);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
