/* READ: what a host reads after each step. A falling pile, so that all bodies are awake and columns
 * are sorted in space, not by id. */
#include <kugel/kugel.h>
#include <stdlib.h>

#include "bench.h"
#include "report.h"
#include "times.h"

enum { ROUNDS = 21, WARM_UP = 20 };

/* Memory for all calls. */
typedef struct buffers {
    uint32_t count;
    kugel_move *moves;
    kugel_body_state *states;
    double *position, *radius, *rotation;
    bool *asleep;
} buffers;

/* Reads all bodies; returns how many there were. */
typedef uint32_t read_call(const kugel_world *world, const buffers *b);

static uint32_t read_moves(const kugel_world *world, const buffers *b)
{
    return kugel_world_moves(world, b->count, b->moves);
}

static uint32_t read_arrays(const kugel_world *world, const buffers *b)
{
    kugel_body_arrays arrays = {
        .position = b->position, .rotation = b->rotation, .radius = b->radius, .asleep = b->asleep};
    return kugel_world_read_arrays(world, b->count, &arrays);
}

static uint32_t read_one_by_one(const kugel_world *world, const buffers *b)
{
    for (uint32_t id = 0; id < b->count; ++id) {
        if (kugel_body_get(world, kugel_world_body(world, id), &b->states[id])) abort();
    }
    return b->count;
}

static const struct {
    const char *name;
    read_call *call;
} calls[] = {
    {"kugel_world_moves", read_moves},
    {"kugel_world_read_arrays", read_arrays},
    {"kugel_body_get", read_one_by_one},
};
enum { CALLS = sizeof calls / sizeof *calls };

static buffers make_buffers(uint32_t n)
{
    buffers b = {.count = n,
                 .moves = calloc(n, sizeof *b.moves),
                 .states = calloc(n, sizeof *b.states),
                 .position = calloc(n, 3 * sizeof *b.position),
                 .radius = calloc(n, sizeof *b.radius),
                 .rotation = calloc(n, 4 * sizeof *b.rotation),
                 .asleep = calloc(n, sizeof *b.asleep)};
    if (!b.moves || !b.states || !b.position || !b.radius || !b.rotation || !b.asleep) abort();
    return b;
}

static void free_buffers(buffers *b)
{
    free(b->moves), free(b->states), free(b->position);
    free(b->radius), free(b->rotation), free(b->asleep);
}

void bench_reads(const bench_options *chosen)
{
    static const column columns[] = {
        {"n", "n", "%8.0f", 1},
        {"call", "call", "%-23s", 1},
        {"ms", "seconds", "%8.3f", 1e3},
        {"least", "seconds_least", "%8.3f", 1e3},
        {"spread", "seconds_spread", "%5.1f%%", 100},
        {"ns a body", "seconds_a_body", "%6.1f", 1e9},
    };
    scene s = scene_pile(chosen->size ? chosen->size : chosen->quick ? 10000 : 100000);
    void *world = peer_kugel.open(&s);
    buffers b = make_buffers(s.count);
    double seconds[CALLS][ROUNDS];
    for (int k = 0; k < WARM_UP; ++k) peer_kugel.step(world, s.dt);
    for (int round = 0; round < ROUNDS; ++round) {
        peer_kugel.step(world, s.dt);
        for (int c = 0; c < CALLS; ++c) {
            double start = now();
            if (calls[c].call(world, &b) != s.count) abort();
            seconds[c][round] = now() - start;
        }
    }
    report_table("READ",
                 "a falling pile, after each step: moved bodies; positions, rotations, radii "
                 "and sleep as arrays; all states one by one",
                 columns, sizeof columns / sizeof *columns);
    for (int c = 0; c < CALLS; ++c) {
        times t = times_of(seconds[c], ROUNDS);
        ROW(NUMBER(s.count), TEXT(calls[c].name), NUMBER(t.median), NUMBER(t.least),
            NUMBER(t.spread), NUMBER(t.median / s.count));
    }
    free_buffers(&b);
    peer_kugel.close(world);
    scene_free(&s);
}
