/* REST: what bodies at rest cost. One ball bounces alone and beside n bodies that sleep or are
 * static; the same with a query, a hash, a list of moves in each tick, and while a platform far
 * away gets a target in each tick; then bodies get a friction and all are removed one by one.
 * AWAKE: what many awake bodies cost beside sleepers, and beside the platform.
 * Processor time, since a step takes microseconds: the mean of many. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "report.h"
#include "times.h"

static const double dt = 1 / 60., far = 100; /* s, m */

/* A floor; with `walls` also walls, m apart, and no sleep. */
static kugel_world *create_floor(double walls)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    kugel_world *world;
    def.gravity[2] = -9.81;
    def.sleep = walls == 0;
    for (int k = 0; k < 2 && walls > 0; ++k) {
        def.bounds.faces[2 * k] = def.bounds.faces[2 * k + 1] = KUGEL_FACE_WALL;
        def.bounds.max[k] = walls;
    }
    if (kugel_world_create(&def, &world) || kugel_surface_create(world, &floor, NULL)) abort();
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

static kugel_surface add_platform(kugel_world *world)
{
    static const double corners[] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    kugel_surface_def platform = kugel_surface_def_default();
    kugel_surface surface;
    platform.vertices = corners, platform.vertex_count = 4;
    platform.triangles = triangles, platform.triangle_count = 2;
    platform.position[0] = -far, platform.position[2] = 2;
    if (kugel_surface_create(world, &platform, &surface)) abort();
    return surface;
}

/* What else happens in a tick. */
typedef enum each_tick { NOTHING, QUERY, HASH, MOVES, PLATFORM } each_tick;

static void run(kugel_world *world, each_tick what, kugel_surface platform, uint32_t ticks)
{
    for (uint32_t k = 0; k < ticks; ++k) {
        const double target[3] = {-far, 0, 2 + 0.5 * sin(0.1 * k)};
        kugel_found found[4];
        kugel_move moves[4];
        size_t count;
        if (what == PLATFORM && kugel_surface_set_target(world, platform, target, NULL, dt))
            abort();
        if (kugel_world_step(world, dt)) abort();
        if (what == QUERY && kugel_world_overlap_sphere(world, target, 1, NULL, 4, found, &count))
            abort();
        if (what == HASH) (void)kugel_world_hash(world);
        if (what == MOVES) (void)kugel_world_moves(world, 4, moves);
    }
}

/* s, mean processor time of a step */
static double time_steps(kugel_world *world, each_tick what, kugel_surface platform, uint32_t ticks)
{
    run(world, what, platform, 60);
    double start = thread_time();
    run(world, what, platform, ticks);
    return (thread_time() - start) / ticks;
}

/* s, mean processor time to set the material of a body, of up to a thousand */
static double time_setters(kugel_world *world, const kugel_body *bodies, uint32_t count)
{
    uint32_t n = count < 1000 ? count : 1000;
    double start = thread_time();
    for (uint32_t i = 0; i < n; ++i) {
        if (kugel_body_set_material(world, bodies[(size_t)i * count / n], 0, 0.4, 0, 0)) abort();
    }
    return n ? (thread_time() - start) / n : 0;
}

static void measure(uint32_t count, bool is_static)
{
    enum { TICKS = 2000 };
    kugel_world *world = create_floor(0);
    kugel_body *bodies = add_resting(world, count, is_static);
    kugel_stats stats;
    double seconds[PLATFORM + 1];
    run(world, NOTHING, 0, 120);
    kugel_world_stats(world, &stats);
    add_ball(world, (const double[]){0, 0, 5}, 1, false);
    for (each_tick what = NOTHING; what < PLATFORM; ++what)
        seconds[what] = time_steps(world, what, 0, TICKS);
    kugel_surface platform = add_platform(world);
    seconds[PLATFORM] = time_steps(world, PLATFORM, platform, TICKS);
    double set = time_setters(world, bodies, count), start = thread_time();
    for (uint32_t i = 0; i < count; ++i) {
        if (kugel_body_destroy(world, bodies[i])) abort();
    }
    ROW(NUMBER(count), NUMBER(is_static), NUMBER(stats.asleep), NUMBER(seconds[NOTHING]),
        NUMBER(seconds[QUERY]), NUMBER(seconds[HASH]), NUMBER(seconds[MOVES]),
        NUMBER(seconds[PLATFORM]), NUMBER(set),
        NUMBER(count ? (thread_time() - start) / count : 0));
    free(bodies);
    kugel_world_destroy(world);
}

/* 1,000 balls that bounce on the floor one by one, or a pile of 3,000 that does not sleep. */
static void measure_awake(bool pile, uint32_t asleep, bool with_platform)
{
    enum { TICKS = 300 };
    kugel_world *world = create_floor(pile ? 11 : 0);
    kugel_surface platform = with_platform ? add_platform(world) : 0, n = pile ? 3000 : 1000;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t layer = i / (pile ? 100 : n), at = i % (pile ? 100 : n), side = pile ? 10 : 32;
        double gap = pile ? 1.05 : 2;
        const double x[3] = {0.6 + gap * (at % side), 0.6 + gap * (at / side),
                             0.6 + 1.05 * layer + (pile ? 1e-3 : 1e-2) * (i % 97)};
        add_ball(world, x, pile ? 0 : 1, false);
    }
    free(add_resting(world, asleep, false));
    run(world, with_platform ? PLATFORM : NOTHING, platform, 2 * TICKS);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    ROW(NUMBER(n), NUMBER(pile), NUMBER(stats.asleep), NUMBER(with_platform),
        NUMBER(time_steps(world, with_platform ? PLATFORM : NOTHING, platform, TICKS)));
    kugel_world_destroy(world);
}

void bench_rest(const bench_options *chosen)
{
    static const column columns[] = {
        {"n", "n", "%8.0f", 1},
        {"static", "static", "%6.0f", 1},
        {"asleep", "asleep", "%8.0f", 1},
        {"step, us", "step_seconds", "%9.2f", 1e6},
        {"and a query, us", "query_seconds", "%9.2f", 1e6},
        {"a hash, us", "hash_seconds", "%9.2f", 1e6},
        {"moves, us", "moves_seconds", "%9.2f", 1e6},
        {"a platform, us", "platform_seconds", "%9.2f", 1e6},
        {"set, us", "set_seconds", "%9.2f", 1e6},
        {"destroy, us", "destroy_seconds", "%9.2f", 1e6},
    };
    uint32_t most = chosen->size ? chosen->size : chosen->quick ? 1000 : 100000;
    report_table("REST", "one ball beside n at rest", columns, sizeof columns / sizeof *columns);
    measure(0, false);
    for (int is_static = 0; is_static < 2; ++is_static) {
        for (uint32_t n = most < 1000 ? most : 1000; n <= most; n *= 10) measure(n, is_static);
    }
}

void bench_awake(const bench_options *chosen)
{
    static const column columns[] = {
        {"awake", "awake", "%6.0f", 1},
        {"pile", "pile", "%4.0f", 1},
        {"asleep", "asleep", "%8.0f", 1},
        {"platform", "platform", "%8.0f", 1},
        {"step, us", "step_seconds", "%9.1f", 1e6},
    };
    uint32_t most = chosen->size ? chosen->size : chosen->quick ? 1000 : 100000;
    report_table("AWAKE", "many awake beside n at rest, and a pile beside a platform", columns,
                 sizeof columns / sizeof *columns);
    measure_awake(false, 0, false), measure_awake(false, most, false);
    measure_awake(true, 0, false), measure_awake(true, 0, true);
}
