/* A pile that uses threads, without a test framework, for the thread sanitizer. A data race, or a
 * hash that differs from that of one thread, gives a nonzero exit code. */
#include <kugel/kugel.h>
#include <stdio.h>
#include <stdlib.h>

#include "contact/contact.h"

enum { SIDE = 20, TICKS = 8 };
static const double SPACING = 0.991;

static void fail(const char *what, int threads)
{
    fprintf(stderr, "%s: %d threads\n", what, threads);
    exit(1);
}

/* Overlapping balls in a box begin to rest at once; some are static or kinematic, one is fast. A
 * few more land in each tick, so that the contact order changes in few places. */
static kugel_world *make(int threads)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    def.tasks.threads = (uint32_t)threads;
    for (int face = 0; face < 5; ++face) def.bounds.faces[face] = KUGEL_FACE_WALL;
    def.bounds.max[0] = def.bounds.max[1] = SPACING * SIDE, def.bounds.max[2] = 2 * SIDE;
    def.bounds.friction = 0.5;
    if (kugel_world_create(&def, &world)) fail("create", threads);
    for (int i = 0; i < SIDE * SIDE * (SIDE + 1); ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = 0.5, ball.friction = 0.5, ball.rolling_resistance = i % 3 * 0.05,
        ball.restitution = 0;
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int axis = 0; axis < 3; ++axis) ball.position[axis] = SPACING * (at[axis] + 0.5);
        ball.velocity[0] = i == SIDE * SIDE ? 300 : 0;
        if (at[2] == SIDE) ball.position[2] += 0.015 * (i % 10), ball.velocity[2] = -1;
        if (i % 500 == 7)
            ball.position[2] -= 0.02,
                ball.velocity[2] =
                    -0.2; /* deep, and sinking: few enough for the usual number of sweeps */
        if (i % 97 == 5 && at[2] < SIDE) ball.type = i % 2 ? KUGEL_STATIC : KUGEL_KINEMATIC;
        if (ball.type == KUGEL_KINEMATIC) ball.velocity[2] = -0.1;
        if (kugel_body_create(world, &ball, NULL)) fail("body", threads);
    }
    return world;
}

int main(void)
{
    static const int threads[] = {1, 2, 5};
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        int kept = 0;
        kugel_world *world = make(threads[k]);
        for (int tick = 0; tick < TICKS; ++tick) {
            /* lists are made again, and resting pairs are marked in them */
            if (tick == TICKS / 2) kg_neighbours_invalidate(world);
            if (kugel_world_step(world, 1 / 60.)) fail("step", threads[k]);
            kept += world->contact->order_reused && world->contact->begun_count;
        }
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        if (stats.resting_contacts < 20000) fail("too few contacts to wake a thread", threads[k]);
        if (kept < 3) fail("too few ticks keep the order of contacts while some begin", threads[k]);
        hash[k] = kugel_world_hash(world);
        if (hash[k] != hash[0]) fail("another hash", threads[k]);
        kugel_world_destroy(world);
    }
    printf("a pile of %d and %d has the hash %016llx with 1, 2 and 5 threads\n", SIDE * SIDE * SIDE,
           SIDE * SIDE, (unsigned long long)hash[0]);
    return 0;
}
