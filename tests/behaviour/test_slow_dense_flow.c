/* Dense inelastic flow: balls fall into a funnel, a gas whose approaches are all below the bounce
 * threshold, grains of a millimetre. Impacts stay few, and no budget is used up. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_scene.h"

static const double STEEP = 0.7071067811865476;

/* 12 x 12 x 12 balls of r = 0.1 m in a spacing of 0.22 m over four planes at 45 degrees that meet
 * in the origin. */
static support_scene funnel(double speed)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    for (int k = 0; k < 4; ++k) {
        support_plane *plane = &scene.planes[scene.plane_count++];
        *plane = (support_plane){.normal = {0, 0, STEEP}, .friction = 0.5};
        plane->normal[k / 2] = k % 2 ? STEEP : -STEEP;
    }
    for (uint32_t i = 0; i < 12 * 12 * 12; ++i) {
        double x[3] = {0.22 * (i % 12 - 5.5), 0.22 * (i / 12 % 12 - 5.5), 1.5 + 0.22 * (i / 144)};
        kugel_body_def *ball = support_scene_add(&scene, x, (double[3]){0, 0, -speed}, 0.1, 1);
        ball->restitution = 0.3, ball->friction = 0.5;
    }
    return scene;
}

/* Largest overlap of a ball with a plane, radii. */
static double in_planes(const support_scene *scene, const kugel_world *world)
{
    double *x = malloc(3 * (size_t)scene->count * sizeof *x), worst = 0;
    kugel_world_read_arrays(world, scene->count, &(kugel_body_arrays){.position = x});
    for (uint32_t i = 0; i < scene->count; ++i) {
        for (uint32_t p = 0; p < scene->plane_count; ++p) {
            const double *n = scene->planes[p].normal;
            double gap = n[0] * x[3 * i] + n[1] * x[3 * i + 1] + n[2] * x[3 * i + 2] -
                         scene->planes[p].offset;
            worst = fmax(worst, 1 - gap / scene->bodies[i].radius);
        }
    }
    free(x);
    return worst;
}

typedef struct figures {
    double impacts; /* a body in the worst tick */
    double deep;    /* largest overlap, radii */
    kugel_stats stats;
} figures;

static figures flow(const support_scene *scene, double dt, uint32_t ticks, const char *what)
{
    figures f = {0};
    kugel_world *world = support_scene_world(scene);
    uint32_t worst = 0, deepest = 0;
    for (uint32_t tick = 0; tick < ticks; ++tick) {
        support_run(world, dt, 1);
        kugel_world_stats(world, &f.stats);
        double impacts = (double)f.stats.impacts / scene->count;
        double deep = fmax(support_worst_overlap(scene, world), in_planes(scene, world));
        if (impacts > f.impacts) f.impacts = impacts, worst = tick;
        if (deep > f.deep) f.deep = deep, deepest = tick;
    }
    fprintf(stderr,
            "%s: %.3g impacts a body in tick %u, %llu exhausted budgets, %.3g %% deep in tick %u, "
            "%llu asleep\n",
            what, f.impacts, worst, (unsigned long long)f.stats.budgets_exhausted, 100 * f.deep,
            deepest, (unsigned long long)f.stats.asleep);
    kugel_world_destroy(world);
    return f;
}

/* Asserts at most `impacts` a body in each tick, as a mean over bodies, and no exhausted budget.
 * @return the largest overlap, radii. */
static double check_funnel(double speed, double impacts, uint32_t ticks)
{
    support_scene scene = funnel(speed);
    if (speed > 30) scene.def.bounce_threshold = 0.5; /* the default, 0.22 m/s here: 51 impacts */
    char what[32];
    snprintf(what, sizeof what, "funnel at %g m/s", speed);
    figures f = flow(&scene, 1 / 60., ticks, what);
    cr_expect(f.impacts <= impacts, "%g impacts a body", f.impacts);
    cr_expect_eq(f.stats.budgets_exhausted, 0, "%llu exhausted budgets",
                 (unsigned long long)f.stats.budgets_exhausted);
    support_scene_free(&scene);
    return f.deep;
}

/* The mean over starts whose speeds differ by up to 6 %: the overlap of single starts varies. */
static double check_funnels(double speed, int starts, double impacts, uint32_t ticks)
{
    double deep = 0;
    for (int k = 0; k < starts; ++k)
        deep += check_funnel(speed * (0.94 + 0.12 * k / (starts - 1)), impacts, ticks) / starts;
    return deep;
}

/* Of 40 starts the overlap is up to 5 % of the radius, with a mean of 2.4 % and a standard
 * deviation of 0.9 %. So the mean of 16 is below 3 %. */
Test(dense_flow, into_a_funnel_at_10_metres_a_second)
{
    double deep = check_funnels(10, 16, 40, 40);
    cr_expect_leq(deep, 0.03, "%g r deep", deep);
}

/* Of 40 starts: up to 3.6 %, mean 1.9 %, standard deviation 0.5 %. */
Test(dense_flow, into_a_funnel_at_20_metres_a_second)
{
    double deep = check_funnels(20, 16, 40, 40);
    cr_expect_leq(deep, 0.023, "%g r deep", deep);
}

/* A ball crosses seven radii in a tick and hits many others. Of 32 starts: up to 3.1 %, mean 2.3 %,
 * standard deviation 0.4 %. */
Test(dense_flow, into_a_funnel_at_40_metres_a_second)
{
    double deep = check_funnels(40, 8, 50, 15);
    cr_expect_leq(deep, 0.028, "%g r deep", deep);
}

/* All approaches of this gas are below the bounce threshold. It comes to rest in clusters, and each
 * tick ends. */
Test(dense_flow, of_a_gas_that_never_bounces)
{
    support_random random = support_random_start("dense flow/gas", 5);
    support_scene scene = support_scene_gas(6, 0.2, KUGEL_FACE_WALL, 5, &random);
    scene.def.bounce_threshold = 100000, scene.def.slop = 0.01, scene.def.substeps = 4;
    figures f = flow(&scene, 1 / 60., 300, "gas that never bounces");
    cr_expect(f.impacts <= 40, "%g impacts a body", f.impacts);
    cr_expect_eq(f.stats.budgets_exhausted, 0);
    support_scene_free(&scene);
}

/* 10 x 10 x 10 grains of r = 1 mm fall 1 cm and land in a box: deeper overlaps are a limit of the
 * landing (limits.md); none passes through another or through a wall. */
Test(dense_flow, of_grains_of_a_millimetre)
{
    support_random random = support_random_start("dense flow/grains", 6);
    support_scene scene = {.def = kugel_world_def_default()};
    double r = 1e-3;
    scene.def.gravity[2] = -9.81;
    support_scene_box(&scene, 22 * r, KUGEL_FACE_WALL);
    scene.def.bounds.max[2] = 0.1;
    scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.5;
    for (uint32_t i = 0; i < 1000; ++i) {
        uint32_t at[3] = {i % 10, i / 10 % 10, i / 100};
        double x[3] = {1.1 * r, 1.1 * r, 0.01};
        for (int k = 0; k < 3; ++k)
            x[k] += r * (2.2 * at[k] + support_between(&random, -0.08, 0.08));
        kugel_body_def *ball = support_scene_add(&scene, x, NULL, r, 1e-5);
        ball->restitution = 0.3, ball->friction = 0.5;
    }
    figures f = flow(&scene, 1 / 60., 300, "1,000 grains of 1 mm");
    cr_expect(f.impacts <= 40, "%g impacts a body", f.impacts);
    cr_expect_eq(f.stats.budgets_exhausted, 0);
    cr_expect(f.deep <= 0.06, "%g r deep", f.deep);
    support_scene_free(&scene);
}
