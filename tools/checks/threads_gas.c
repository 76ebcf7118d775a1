/* Gases that use threads, without a test framework, for the thread sanitizer. A data race, or a
 * hash that differs from that of one thread, gives a nonzero exit code. */
#include <kugel/kugel.h>
#include <stdio.h>
#include <stdlib.h>

enum { TICKS = 6 };

/* Balls along each axis. The second gas has enough cell layers for a subdomain on each thread. */
static const int sides[2][3] = {{17, 17, 17}, {12, 12, 48}};

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

/* In the first gas one ball in four is more than twice as large, which is too many for cell lists;
 * some are sensors. */
static kugel_world *make(int threads, bool periodic, int which)
{
    const int *side = sides[which];
    const double spacing = 1.9;
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.bounce_threshold = def.slop = 0;
    def.substeps = 1;
    def.tasks.threads = (uint32_t)threads;
    for (int face = 0; face < 6; ++face)
        def.bounds.faces[face] = periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL;
    for (int axis = 0; axis < 3; ++axis) def.bounds.max[axis] = spacing * side[axis];
    def.bounds.restitution = 1;
    if (kugel_world_create(&def, &world)) fail("create", threads);
    state = 1;
    for (int i = 0; i < side[0] * side[1] * side[2]; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = i % 4 == 1 && which == 0 ? 1.05 : 0.5, ball.friction = 0,
        ball.restitution = 1;
        ball.sensor = i % 500 == 7 && which == 0;
        const int at[3] = {i % side[0], i / side[0] % side[1], i / side[0] / side[1]};
        for (int axis = 0; axis < 3; ++axis) {
            ball.position[axis] = spacing * (at[axis] + 0.5);
            ball.velocity[axis] = uniform(60);
        }
        if (kugel_body_create(world, &ball, NULL)) fail("body", threads);
    }
    return world;
}

static uint64_t run(int threads, bool periodic, int which)
{
    kugel_world *world = make(threads, periodic, which);
    for (int tick = 0; tick < TICKS; ++tick) {
        if (kugel_world_step(world, 1 / 60.)) fail("step", threads);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    if ((stats.list_rebuilds < 2 && which == 0) || stats.impacts_total < 1000)
        fail("too little happens", threads);
    uint64_t hash = kugel_world_hash(world);
    kugel_world_destroy(world);
    return hash;
}

int main(void)
{
    for (int k = 0; k < 4; ++k) {
        int periodic = k & 1, which = k / 2,
            count = sides[which][0] * sides[which][1] * sides[which][2];
        uint64_t alone = run(1, periodic, which);
        for (int threads = 2; threads <= 5; threads += 3) {
            if (run(threads, periodic, which) != alone) fail("another hash", threads);
        }
        printf("a gas of %d has the hash %016llx with 1, 2 and 5 threads\n", count,
               (unsigned long long)alone);
    }
    return 0;
}
