/* Gases so large that the step uses threads, without a test framework, for the thread sanitizer: a report of a race,
 * or another hash than that of one thread, ends it with another exit code than 0. */
#include <kugel/kugel.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 17, TICKS = 6 };

static void fail(const char *what, int threads)
{
    fprintf(stderr, "%s: %d threads\n", what, threads);
    exit(1);
}

static uint32_t state;
static double uniform(double most)
{
    state = state * 1664525u + 1013904223u;
    return most * ((state >> 8) * 0x1p-24 - 0.5);
}

/* Some balls are far larger, so that cells are crowded, and some are sensors. */
static kugel_world *make(int threads, bool periodic)
{
    const double spacing = 1.9;
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.bounce_threshold = def.slop = 0;
    def.substeps = 1;
    def.tasks.threads = (uint32_t)threads;
    for (int face = 0; face < 6; ++face) def.bounds.faces[face] = periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL;
    for (int axis = 0; axis < 3; ++axis) def.bounds.max[axis] = spacing * SIDE;
    def.bounds.restitution = 1;
    if (kugel_world_create(&def, &world)) fail("create", threads);
    state = 1;
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = i % 999 == 555 ? 0.9 : 0.5, ball.friction = 0, ball.restitution = 1;
        ball.sensor = i % 500 == 7;
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int axis = 0; axis < 3; ++axis) {
            ball.position[axis] = spacing * (at[axis] + 0.5);
            ball.velocity[axis] = uniform(60);
        }
        if (kugel_body_create(world, &ball, NULL)) fail("body", threads);
    }
    return world;
}

static uint64_t run(int threads, bool periodic)
{
    kugel_world *world = make(threads, periodic);
    for (int tick = 0; tick < TICKS; ++tick) {
        if (kugel_world_step(world, 1 / 60.)) fail("step", threads);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    if (stats.rebuilds < 2 || stats.impacts_total < 1000) fail("too little happens", threads);
    uint64_t hash = kugel_world_hash(world);
    kugel_world_destroy(world);
    return hash;
}

int main(void)
{
    for (int periodic = 0; periodic < 2; ++periodic) {
        uint64_t alone = run(1, periodic);
        for (int threads = 2; threads <= 5; threads += 3) {
            if (run(threads, periodic) != alone) fail("another hash", threads);
        }
        printf("a gas of %d has the hash %016llx with 1, 2 and 5 threads\n", SIDE * SIDE * SIDE, (unsigned long long)alone);
    }
    return 0;
}
