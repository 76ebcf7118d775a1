/* REST: what bodies at rest cost. One ball bounces alone and beside n bodies that sleep or are
 * static; the same while a platform far away gets a target in each tick; then the bodies are
 * removed one by one. Processor time, since a step takes microseconds: the mean of many. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "report.h"
#include "times.h"

static const double dt = 1 / 60., far = 100; /* s, m */

static kugel_world *create_floor(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_plane floor = {.normal = {0, 0, 1}, .friction = 0.5};
    kugel_world *world;
    def.gravity[2] = -9.81;
    if (kugel_world_create(&def, &world) || kugel_world_add_plane(world, &floor, NULL)) abort();
    return world;
}

static kugel_body add_ball(kugel_world *world, const double x[3], double restitution,
                           bool is_static)
{
    kugel_body_def ball = kugel_body_def_default();
    kugel_body handle;
    for (int k = 0; k < 3; ++k) ball.position[k] = x[k];
    ball.restitution = restitution;
    ball.type = is_static ? KUGEL_STATIC : KUGEL_DYNAMIC;
    if (kugel_body_create(world, &ball, &handle)) abort();
    return handle;
}

/* A layer of balls on the floor, far from the origin, which sleep or are static. */
static kugel_body *add_resting(kugel_world *world, uint32_t count, bool is_static)
{
    kugel_body *bodies = malloc((count + 1) * sizeof *bodies);
    uint32_t side = (uint32_t)ceil(sqrt(count));
    if (!bodies) abort();
    for (uint32_t i = 0; i < count; ++i) {
        const double x[3] = {far + 1.1 * (i % side), 1.1 * (i / side), 0.5};
        bodies[i] = add_ball(world, x, 0, is_static);
    }
    return bodies;
}

static uint32_t add_platform(kugel_world *world)
{
    static const double corners[] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    kugel_surface_def platform = kugel_surface_def_default();
    uint32_t index;
    platform.vertices = corners, platform.vertex_count = 4;
    platform.triangles = triangles, platform.triangle_count = 2;
    platform.position[0] = -far, platform.position[2] = 2;
    if (kugel_world_add_surface(world, &platform, &index)) abort();
    return index;
}

static void run(kugel_world *world, const uint32_t *platform, uint32_t ticks)
{
    for (uint32_t k = 0; k < ticks; ++k) {
        const double target[3] = {-far, 0, 2 + 0.5 * sin(0.1 * k)};
        if (platform && kugel_world_set_surface_target(world, *platform, target, NULL, dt)) abort();
        if (kugel_world_step(world, dt)) abort();
    }
}

/* s, mean processor time of a step */
static double time_steps(kugel_world *world, const uint32_t *platform)
{
    enum { TICKS = 2000 };
    run(world, platform, 60);
    double start = thread_time();
    run(world, platform, TICKS);
    return (thread_time() - start) / TICKS;
}

static void measure(uint32_t count, bool is_static)
{
    kugel_world *world = create_floor();
    kugel_body *bodies = add_resting(world, count, is_static);
    kugel_stats stats;
    uint32_t platform;
    run(world, NULL, 120);
    kugel_world_stats(world, &stats);
    add_ball(world, (const double[]){0, 0, 5}, 1, false);
    double still = time_steps(world, NULL);
    platform = add_platform(world);
    double moving = time_steps(world, &platform), start = thread_time();
    for (uint32_t i = 0; i < count; ++i) {
        if (kugel_body_destroy(world, bodies[i])) abort();
    }
    ROW(NUMBER(count), NUMBER(is_static), NUMBER(stats.asleep), NUMBER(still), NUMBER(moving),
        NUMBER(count ? (thread_time() - start) / count : 0));
    free(bodies);
    kugel_world_destroy(world);
}

void bench_rest(const bench_options *chosen)
{
    static const column columns[] = {
        {"n", "n", "%8.0f", 1},
        {"static", "static", "%6.0f", 1},
        {"asleep", "asleep", "%8.0f", 1},
        {"step, us", "step_seconds", "%9.2f", 1e6},
        {"with a platform, us", "platform_seconds", "%9.2f", 1e6},
        {"destroy, us", "destroy_seconds", "%9.2f", 1e6},
    };
    uint32_t most = chosen->size ? chosen->size : chosen->quick ? 1000 : 100000;
    report_table("REST", "one ball beside n at rest", columns, sizeof columns / sizeof *columns);
    measure(0, false);
    for (int is_static = 0; is_static < 2; ++is_static) {
        for (uint32_t n = most < 1000 ? most : 1000; n <= most; n *= 10) measure(n, is_static);
    }
}
