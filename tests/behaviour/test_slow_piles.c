/* Large piles: depth of overlaps, no escapes, and no jam while pouring. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_pile.h"

/* Asserts limits for a pile of 10,000 balls at default settings. The scene PILE of
 * tools/docs/benchmark.md has the values of other engines. */
static void check_bars(double restitution, double deepest)
{
    support_random random = support_random_start("piles/bars", 21);
    support_scene scene = support_pile(22, 21, restitution, &random);
    support_pile_figures f = support_pile_watch(&scene, 2);
    cr_expect(f.worst <= deepest, "overlap of %g radii in tick %u", f.worst, f.worst_tick);
    cr_expect(f.mean <= 0.001 && f.most <= 0.01, "overlaps of %g, at most %g radii", f.mean,
              f.most);
    cr_expect(f.energy <= 0.01, "%g J a ball", f.energy);
    cr_expect(f.awake == 0, "%u of %u awake", f.awake, scene.count);
    support_scene_free(&scene);
}

/* The deepest overlap differs between starts. Mean and standard deviation are 1.36 and 0.17 % of
 * the radius at restitution 0, 1.51 and 0.16 % at 0.5, 1.23 and 0.06 % at 0.9 (12 starts each). */
Test(piles, of_10000) { check_bars(0, 0.02); }
Test(piles, of_10000_that_bounce_a_little) { check_bars(0.5, 0.02); }
Test(piles, of_10000_that_bounce) { check_bars(0.9, 0.02); }

/* The mean of 16 falls of 3,024 balls at restitution 0.5 is 1.27 %; a standard deviation of 0.15 %
 * leaves it an error of 0.04 %. */
Test(piles, mean_depth_of_falls)
{
    enum { STARTS = 16, LANDED = 120 };
    support_random random = support_random_start("piles/falls", 1);
    double sum = 0;
    for (int k = 0; k < STARTS; ++k) {
        support_scene scene = support_pile(12, 21, 0.5, &random);
        kugel_world *world = support_scene_world(&scene);
        double worst = 0;
        for (uint32_t tick = 0; tick < LANDED; tick += 2) {
            support_run(world, 1 / 60., 2);
            double deep = support_all_overlaps(&scene, world).worst;
            worst = fmax(worst, fmax(deep, support_pile_in_walls(&scene, world)));
        }
        sum += worst;
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    fprintf(stderr, "mean of the deepest overlaps: %.2f %%\n", 100 * sum / STARTS);
    cr_assert_leq(sum / STARTS, 0.014);
}

static int ascending(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Median path of the balls in `ticks` ticks of 1/60 s, in radii. */
static double median_path(const support_scene *scene, kugel_world *world, uint32_t ticks)
{
    size_t n = scene->count;
    double *before = calloc(3 * n, sizeof *before), *now = calloc(3 * n, sizeof *now),
           *path = calloc(n, sizeof *path);
    cr_assert(before && now && path);
    kugel_world_read_arrays(world, scene->count, &(kugel_body_arrays){.position = before});
    support_run(world, 1 / 60., ticks);
    kugel_world_read_arrays(world, scene->count, &(kugel_body_arrays){.position = now});
    for (size_t i = 0; i < n; ++i) {
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = now[3 * i + k] - before[3 * i + k];
        path[i] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / scene->bodies[i].radius;
    }
    qsort(path, n, sizeof *path, ascending);
    double median = path[n / 2];
    free(before);
    free(now);
    free(path);
    return median;
}

/* Friction holds a settled pile. Single balls still fall into gaps, and rarely the pile moves for
 * their sake, so medians count. In 300 ticks the median ball moves by 4e-5 to 6e-4 radii in eleven
 * of twelve starts; where torsional friction bears loads without a warm start, by 1.6e-3 to 6e-3 in
 * all of them: the pile creeps. */
Test(piles, do_not_creep)
{
    enum { STARTS = 5 };
    support_random random = support_random_start("piles/creep", 3);
    double paths[STARTS];
    for (int k = 0; k < STARTS; ++k) {
        support_scene scene = support_pile(10, 10, 0.5, &random);
        scene.def.sleep = false;
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 1 / 60., 600);
        paths[k] = median_path(&scene, world, 300);
        fprintf(stderr, "median path: %.2g radii\n", paths[k]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    qsort(paths, STARTS, sizeof *paths, ascending);
    cr_assert_leq(paths[STARTS / 2], 1e-3);
}

/* Ten layers land within a second. No body leaves through floor or walls, and sampled overlaps stay
 * below 3 % of r. */
Test(piles, of_100000_that_land)
{
    support_random random = support_random_start("piles/landing", 23);
    support_scene scene = support_pile(100, 10, 0.5, &random);
    kugel_world *world = support_scene_world(&scene);
    for (uint32_t tick = 0; tick < 90; tick += 3) {
        support_run(world, 1 / 60., 3);
        double deepest = support_pile_in_walls(&scene, world);
        cr_assert(deepest < 0.03, "tick %u: a ball is in a wall by %g radii", tick + 3, deepest);
    }
    cr_assert_eq(kugel_world_body_count(world), scene.count);
    support_overlaps now = support_all_overlaps(&scene, world);
    cr_assert(now.mean <= 0.003 && now.worst <= 0.03, "overlaps of %g, at most %g radii", now.mean,
              now.worst);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

enum { POURED_TICKS = 1000, A_TICK = 20, POURED = POURED_TICKS * A_TICK };

/* Four planes at 45 degrees with a square outlet of 2 x `OUTLET` m at z = 0. */
static const double OUTLET = 8, STEEP = 0.7071067811865476, TOP = 20;

static support_scene hopper(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    for (int k = 0; k < 4; ++k) {
        support_plane *plane = &scene.planes[scene.plane_count++];
        *plane =
            (support_plane){.normal = {0, 0, STEEP}, .offset = -OUTLET * STEEP, .friction = 0.3};
        plane->normal[k / 2] = k % 2 ? STEEP : -STEEP;
    }
    return scene;
}

/* Adds a ball at one of 400 positions. Each position is used every 20th tick, so that at 5 m/s the
 * previous ball has left. */
static void pour_one(kugel_world *world, uint32_t number, support_random *random)
{
    kugel_body_def ball = kugel_body_def_default();
    ball.friction = 0.3;
    ball.position[0] = 1.2 * (number % 20 - 9.5) + support_between(random, -0.05, 0.05);
    ball.position[1] = 1.2 * (number / 20 % 20 - 9.5) + support_between(random, -0.05, 0.05);
    ball.position[2] = TOP;
    ball.velocity[2] = -5;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
}

/* Removes the bodies below the outlet. @return how many. No body may overlap a plane by a tenth of
 * a radius, or exceed 1.25 times the speed of the fall from the top to the outlet, 20.7 m/s: balls
 * may be squeezed out between others. */
static uint32_t drain(kugel_world *world)
{
    uint32_t count = 0;
    double fastest = 1.25 * sqrt(5 * 5 + 2 * 9.81 * (TOP + 0.5));
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        kugel_body_state s;
        if (kugel_body_get(world, kugel_world_body(world, id), &s)) continue; /* a free id */
        double aside = fmax(fabs(s.position[0]), fabs(s.position[1])), v2 = 0;
        for (int k = 0; k < 3; ++k) v2 += s.velocity[k] * s.velocity[k];
        cr_assert((OUTLET + s.position[2] - aside) * STEEP > 0.45,
                  "a ball at %g, %g, %g m is outside", s.position[0], s.position[1], s.position[2]);
        cr_assert(v2 < fastest * fastest, "a ball flies at %g m/s", sqrt(v2));
        if (s.position[2] > 0) continue;
        kugel_body_destroy(world, s.body);
        count += 1;
    }
    return count;
}

Test(piles, balls_poured_into_a_hopper_flow_out)
{
    support_random random = support_random_start("piles/hopper", 22);
    support_scene scene = hopper();
    kugel_world *world = support_scene_world(&scene);
    uint32_t drained = 0;
    for (uint32_t tick = 0; tick < POURED_TICKS + 600 && drained < POURED; ++tick) {
        for (uint32_t k = 0; k < A_TICK && tick < POURED_TICKS; ++k)
            pour_one(world, tick * A_TICK + k, &random);
        support_run(world, 1 / 60., 1);
        drained += drain(world);
    }
    cr_assert_eq(drained, POURED, "%u of %u came out", drained, POURED);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
