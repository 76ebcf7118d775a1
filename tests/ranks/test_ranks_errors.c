/* What ranks refuse, and failures of one rank: all ranks return the same status, and the world is
 * as it was. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_memory.h"
#include "support/support_ranks.h"
#include "support/support_scene.h"

enum { RANKS = 3, TICKS = 3 };

typedef struct creation {
    kugel_world *worlds[RANKS];
    kugel_status status[RANKS];
} creation;

static void create_and_destroy(const kugel_exchange *exchange, void *argument)
{
    creation *c = argument;
    kugel_ranks *ranks;
    c->status[exchange->rank] = kugel_ranks_create(c->worlds[exchange->rank], exchange, &ranks);
    kugel_ranks_destroy(ranks);
}

static support_scene two_balls(void)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){1, 0, 0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){9, 0, 0}, (double[3]){0, 0, 0}, 0.5, 1);
    return scene;
}

static bool discard(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return true;
}

Test(ranks_errors, recordings_of_other_ranks_are_refused)
{
    kugel_recording_def recording = kugel_recording_def_default();
    support_scene scene = two_balls();
    creation c;
    recording.write = discard;
    for (uint32_t k = 0; k < RANKS; ++k) {
        c.worlds[k] = support_scene_world(&scene);
        if (k == 1) cr_assert(!kugel_world_recording_start(c.worlds[k], &recording));
    }
    support_ranks_run(RANKS, 1, create_and_destroy, &c);
    cr_assert_str_eq(kugel_world_last_error(c.worlds[1])->argument, "recording");
    for (uint32_t k = 0; k < RANKS; ++k) {
        cr_assert_eq(c.status[k], KUGEL_ERROR_STATE);
        kugel_world_destroy(c.worlds[k]);
    }
    support_scene_free(&scene);
}

static bool admit_all(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key, (void)pair;
    return true;
}

/* A world that differs in one point from that of 0. */
static kugel_world *make_unequal(int what)
{
    support_scene scene = two_balls();
    if (what == 1) scene.bodies[1].position[0] = 8;
    if (what == 2) scene.bodies[1].radius = 0.4;
    if (what == 5) scene.def.slop = 0.02;
    if (what == 6) scene.def.bounds.restitution = 0.7;
    kugel_world *world = support_scene_world(&scene);
    const kugel_pair_filter filter = {.decide = admit_all, .key = what == 3};
    if (what == 3 || what == 4) cr_assert(!kugel_world_set_pair_filter(world, &filter));
    support_scene_free(&scene);
    return world;
}

Test(ranks_errors, unequal_worlds_are_refused)
{
    static const int pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {4, 0}, {3, 4}, {0, 5}, {0, 6}};
    creation c;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; ++p) {
        for (uint32_t k = 0; k < RANKS; ++k) c.worlds[k] = make_unequal(pairs[p][k == 2]);
        support_ranks_run(RANKS, 2, create_and_destroy, &c);
        for (uint32_t k = 0; k < RANKS; ++k) {
            cr_assert_eq(c.status[k], KUGEL_ERROR_INVALID_ARGUMENT, "pair %zu", p);
            kugel_world_destroy(c.worlds[k]);
        }
    }
}

/* Steps of ranks, with another dt on the last one. */
typedef struct steps {
    support_scene scene;
    kugel_status status[RANKS];
    uint64_t hash[RANKS];
} steps;

static void step_apart(const kugel_exchange *exchange, void *argument)
{
    steps *s = argument;
    uint32_t me = exchange->rank;
    uint64_t before;
    kugel_ranks *ranks;
    if (kugel_ranks_create(support_scene_world(&s->scene), exchange, &ranks)) abort();
    kugel_ranks_hash(ranks, &before);
    s->status[me] = kugel_ranks_step(ranks, me == RANKS - 1 ? 0.02 : nextafter(0.02, 1));
    if (strcmp(kugel_world_last_error(kugel_ranks_world(ranks))->argument, "dt") != 0) abort();
    kugel_ranks_hash(ranks, &s->hash[me]);
    if (s->hash[me] != before || kugel_ranks_step(ranks, 0.02)) abort();
    kugel_ranks_destroy(ranks);
}

Test(ranks_errors, another_dt_is_refused)
{
    for (int replicated = 0; replicated < 2; ++replicated) {
        steps s = {.scene = two_balls()};
        s.scene.def.bounce_threshold = replicated ? 0.5 : 0;
        support_ranks_run(RANKS, 1, step_apart, &s);
        for (uint32_t k = 0; k < RANKS; ++k) {
            cr_assert_eq(s.status[k], KUGEL_ERROR_INVALID_ARGUMENT);
            cr_assert_eq(s.hash[k], s.hash[0]);
        }
        support_scene_free(&s.scene);
    }
}

Test(ranks_errors, bad_arguments_are_refused)
{
    support_scene scene = two_balls();
    kugel_world *made = support_scene_world(&scene), *world = made;
    kugel_ranks *ranks;
    kugel_stats stats;
    uint64_t hash;
    kugel_exchange empty = {.count = 1};
    cr_assert_eq(kugel_ranks_create(NULL, &empty, &ranks), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ranks_create(world, &empty, &ranks), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ranks_create(world, NULL, &ranks), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_null(ranks);
    cr_assert_eq(kugel_ranks_step(NULL, 1), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ranks_gather(NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ranks_gather_impacts(NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ranks_edit(NULL, &world), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_null(world);
    world = made;
    cr_assert_eq(kugel_ranks_hash(NULL, &hash), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ranks_world_stats(NULL, &stats), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_null(kugel_ranks_world(NULL));
    kugel_ranks_destroy(NULL);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

typedef struct failing_run {
    const support_scene *scene;
    kugel_world *worlds[RANKS];
    support_memory memory[RANKS];
    uint32_t failing; /* the rank whose allocations fail */
    /* failing allocation; failing call of all exchanges */
    int in_create, in_step, in_gather, calls;
    bool recorded;
    kugel_status status[RANKS];
    uint64_t before[RANKS], after[RANKS], end[RANKS];
} failing_run;

/* All that moves bodies or impacts between steps. */
static kugel_status gather_and_edit(kugel_ranks *ranks)
{
    kugel_world *world;
    uint64_t hash;
    kugel_status status = kugel_ranks_gather(ranks);
    if (!status) status = kugel_ranks_gather_impacts(ranks);
    if (!status) status = kugel_ranks_edit(ranks, &world);
    return status ? status : kugel_ranks_hash(ranks, &hash); /* divides it again */
}

/* A world with a pair filter is replicated: nothing of a failed attempt at a divided tick may
 * matter to it. */
static void replicate(kugel_ranks *ranks)
{
    kugel_world *world;
    if (kugel_ranks_edit(ranks, &world) ||
        kugel_world_set_pair_filter(world, &(kugel_pair_filter){.decide = admit_all}))
        abort();
}

/* The final hash, with the number of impacts. */
static uint64_t result_of(uint64_t hash, const kugel_stats *stats)
{
    return hash + stats->impacts_total;
}

static void run_out_of_memory(const kugel_exchange *exchange, void *argument)
{
    failing_run *run = argument;
    uint32_t me = exchange->rank;
    support_memory *mine = &run->memory[me];
    kugel_status gathered = KUGEL_OK;
    kugel_ranks *ranks;
    kugel_stats stats;
    int tick = 0;
    if (me == run->failing) support_memory_arm(mine, run->in_create);
    kugel_status *status = &run->status[me];
    *status = kugel_ranks_create(run->worlds[me], exchange, &ranks);
    support_memory_arm(mine, -1);
    if (*status) *status = kugel_ranks_create(run->worlds[me], exchange, &ranks);
    if (run->in_gather >= 0) {
        kugel_ranks_step(ranks, 0.02);
        if (me == run->failing) support_memory_arm(mine, run->in_gather);
        gathered = gather_and_edit(ranks);
        support_memory_arm(mine, -1);
        tick = 1;
    }
    kugel_ranks_hash(ranks, &run->before[me]);
    if (me == run->failing) support_memory_arm(mine, run->in_step);
    *status = kugel_ranks_step(ranks, 0.02);
    support_memory_arm(mine, -1);
    kugel_ranks_hash(ranks, &run->after[me]);
    if (*status && !run->recorded) replicate(ranks);
    for (tick += !*status; tick < TICKS; ++tick) kugel_ranks_step(ranks, 0.02);
    if (!*status) *status = gathered;
    kugel_ranks_world_stats(ranks, &stats);
    kugel_ranks_hash(ranks, &run->end[me]);
    run->end[me] = result_of(run->end[me], &stats);
    kugel_ranks_destroy(ranks);
}

static uint64_t result_of_one(const support_scene *scene)
{
    kugel_world *world = support_scene_world(scene);
    for (int t = 0; t < TICKS; ++t) cr_assert(!kugel_world_step(world, 0.02));
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    uint64_t result = result_of(kugel_world_hash(world), &stats);
    kugel_world_destroy(world);
    return result;
}

/* One run with a failing allocation; true if it failed. */
static bool fails_at(const support_scene *scene, failing_run run, uint64_t expected)
{
    kugel_recording_def recording = kugel_recording_def_default();
    recording.write = discard;
    run.scene = scene;
    for (uint32_t k = 0; k < RANKS; ++k) {
        support_scene copy = *scene;
        copy.def.allocator = support_allocator(&run.memory[k]);
        run.worlds[k] = support_scene_world(&copy);
    }
    if (run.recorded) cr_assert(!kugel_world_recording_start(run.worlds[0], &recording));
    support_ranks_run(RANKS, (uint64_t)run.in_step, run_out_of_memory, &run);
    for (uint32_t k = 0; k < RANKS; ++k) {
        cr_assert_eq(run.status[k], run.status[0]);
        cr_assert(!run.status[k] || run.status[k] == KUGEL_ERROR_OUT_OF_MEMORY);
        if (run.status[k] && run.in_gather < 0)
            cr_assert_eq(run.after[k], run.before[k], "allocation %d", run.in_step);
        cr_assert_eq(run.end[k], expected, "allocations %d, %d, %d", run.in_create, run.in_step,
                     run.in_gather);
    }
    return run.memory[run.failing].failures;
}

static failing_run fail_in(uint32_t rank, int create, int step, int gather)
{
    return (failing_run){
        .failing = rank, .in_create = create, .in_step = step, .in_gather = gather};
}

/* A dense lattice on the ground, which all ranks hold. */
static support_scene small_pile(void)
{
    support_scene scene = support_scene_start();
    scene.def = kugel_world_def_default();
    for (int k = 0; k < 3; ++k) scene.def.bounds.max[k] = 20;
    scene.def.bounds.faces[4] = KUGEL_FACE_WALL;
    scene.def.gravity[2] = -9.81;
    for (int i = 0; i < 64; ++i) {
        const double at[3] = {i % 4, i / 4 % 4, 0.4999 + 0.999 * (i / 16)}, v[3] = {0};
        kugel_body_def *body = support_scene_add(&scene, at, v, 0.5, 1);
        body->restitution = 0;
        body->friction = 0.5, body->rolling_resistance = i % 2 ? 0.1 : 0;
    }
    return scene;
}

/* Two balls that begin to rest on each other: the world is divided before, and then on all ranks.
 */
static support_scene resting_balls(void)
{
    support_scene scene = two_balls();
    scene.bodies[1].position[0] = 1.01;
    scene.bodies[0].restitution = scene.bodies[1].restitution = 0;
    return scene;
}

Test(ranks_errors, out_of_memory_on_one_replica)
{
    support_scene scenes[] = {small_pile(), resting_balls()};
    for (int s = 0; s < 2; ++s) {
        uint64_t expected = result_of_one(&scenes[s]);
        for (uint32_t rank = 0; rank < 2; ++rank) {
            int k = 0;
            while (fails_at(&scenes[s], fail_in(rank, k, -1, -1), expected)) ++k;
            cr_assert_geq(k, 2, "allocations of the creation");
            for (k = 0; fails_at(&scenes[s], fail_in(rank, -1, k, -1), expected);) ++k;
            cr_assert_geq(k, 20, "allocations of the step");
        }
        support_scene_free(&scenes[s]);
    }
}

Test(ranks_errors, out_of_memory_on_one_rank)
{
    support_random random = support_random_start("ranks, memory", 1);
    support_scene scene = support_scene_gas(4, 0.2, KUGEL_FACE_PERIODIC, 5, &random);
    uint64_t expected = result_of_one(&scene);
    int k = 0;
    while (fails_at(&scene, fail_in(1, k, -1, -1), expected)) ++k;
    cr_assert_geq(k, 3, "allocations of the creation");
    for (k = 0; fails_at(&scene, fail_in(1, -1, k, -1), expected);) ++k;
    cr_assert_geq(k, 20, "allocations of the step");
    for (uint32_t rank = 0; rank < 2; ++rank) {
        for (k = 0; fails_at(&scene, fail_in(rank, -1, -1, k), expected);) ++k;
        cr_assert_geq(k, 4, "allocations of rank %u when bodies are gathered", rank);
        failing_run recorded = fail_in(rank, -1, 0, -1);
        recorded.recorded = true;
        while (fails_at(&scene, recorded, expected)) ++recorded.in_step;
        cr_assert_geq(recorded.in_step, 20, "allocations of rank %u in a recorded step", rank);
    }
    support_scene_free(&scene);
}

/* Ticks, each of them first with a pair filter that fails on one rank. */
typedef struct filtered_run {
    kugel_world *worlds[RANKS];
    uint64_t end[RANKS];
    uint32_t failures[RANKS]; /* steps that failed in a world with contacts */
    bool changed[RANKS];      /* a failed step changed the world of the rank */
} filtered_run;

static bool admit_or_fail(void *user, uint64_t key, kugel_pair *pair)
{
    (void)key;
    pair->failed = *(const bool *)user;
    return true;
}

static void run_failing_filter(const kugel_exchange *exchange, void *argument)
{
    filtered_run *run = argument;
    uint32_t me = exchange->rank;
    uint64_t before, after;
    bool fails = false;
    kugel_ranks *ranks;
    kugel_world *world;
    kugel_pair_filter filter = {.decide = admit_or_fail, .user = &fails};
    if (kugel_ranks_create(run->worlds[me], exchange, &ranks) || kugel_ranks_edit(ranks, &world) ||
        kugel_world_set_pair_filter(world, &filter))
        abort();
    for (int tick = 0; tick < TICKS; ++tick) {
        kugel_ranks_hash(ranks, &before);
        fails = me == 1;
        kugel_status status = kugel_ranks_step(ranks, 0.02);
        fails = false;
        kugel_ranks_hash(ranks, &after);
        run->failures[me] += status == KUGEL_ERROR_STATE && tick;
        run->changed[me] |= status && after != before;
        if (status) kugel_ranks_step(ranks, 0.02);
    }
    kugel_ranks_hash(ranks, &run->end[me]);
    kugel_ranks_destroy(ranks);
}

/* The other ranks finish the tick before the statuses are exchanged. Afterwards their worlds, with
 * the forces of contacts, are as before the tick. */
Test(ranks_errors, a_pair_filter_fails_on_one_replica)
{
    support_scene scene = small_pile();
    filtered_run run = {.end = {0}};
    for (uint32_t k = 0; k < RANKS; ++k) run.worlds[k] = support_scene_world(&scene);
    support_ranks_run(RANKS, 1, run_failing_filter, &run);
    kugel_world *one = support_scene_world(&scene);
    cr_assert(!kugel_world_set_pair_filter(one, &(kugel_pair_filter){.decide = admit_all}));
    for (int t = 0; t < TICKS; ++t) cr_assert(!kugel_world_step(one, 0.02));
    for (uint32_t k = 0; k < RANKS; ++k) {
        cr_assert_eq(run.failures[k], TICKS - 1, "%u steps failed on rank %u", run.failures[k], k);
        cr_assert(!run.changed[k], "a failed step changed the world of rank %u", k);
        cr_assert_eq(run.end[k], kugel_world_hash(one), "rank %u", k);
    }
    kugel_world_destroy(one);
    support_scene_free(&scene);
}

/* An exchange whose calls fail on all ranks from one on. */
typedef struct failing_exchange {
    const kugel_exchange *inner;
    int left;
} failing_exchange;

static kugel_status reduce(void *context, kugel_reduction operation, uint64_t *values, size_t count)
{
    failing_exchange *e = context;
    return e->left-- > 0 ? e->inner->reduce(e->inner->context, operation, values, count)
                         : KUGEL_ERROR_IO;
}

static kugel_status numbers(void *context, const uint64_t *sent, uint64_t *received)
{
    failing_exchange *e = context;
    return e->left-- > 0 ? e->inner->numbers(e->inner->context, sent, received) : KUGEL_ERROR_IO;
}

static kugel_status words(void *context, const uint64_t *sent, const uint64_t *sent_words,
                          uint64_t *received, const uint64_t *received_words)
{
    failing_exchange *e = context;
    return e->left-- > 0
               ? e->inner->words(e->inner->context, sent, sent_words, received, received_words)
               : KUGEL_ERROR_IO;
}

static void run_without_contact(const kugel_exchange *exchange, void *argument)
{
    failing_run *run = argument;
    uint32_t me = exchange->rank;
    failing_exchange failing = {exchange, run->calls};
    const kugel_exchange mine = {me, exchange->count, &failing, reduce, numbers, words};
    kugel_ranks *ranks;
    run->status[me] = kugel_ranks_create(run->worlds[me], &mine, &ranks);
    if (run->status[me]) {
        kugel_world_destroy(run->worlds[me]);
        return;
    }
    for (int t = 0; t < TICKS && !run->status[me]; ++t)
        run->status[me] = kugel_ranks_step(ranks, 0.02);
    if (!run->status[me]) run->status[me] = gather_and_edit(ranks);
    kugel_ranks_destroy(ranks);
}

static void break_exchanges(const support_scene *scene)
{
    bool done = false;
    int calls = 0;
    for (; !done; ++calls) {
        failing_run run = {.scene = scene, .calls = calls};
        for (uint32_t k = 0; k < RANKS; ++k) run.worlds[k] = support_scene_world(scene);
        support_ranks_run(RANKS, (uint64_t)calls, run_without_contact, &run);
        done = run.status[0] == KUGEL_OK;
        for (uint32_t k = 0; k < RANKS; ++k)
            cr_assert_eq(run.status[k], done ? KUGEL_OK : KUGEL_ERROR_IO, "call %d", calls);
    }
    cr_assert_geq(calls, 9);
}

Test(ranks_errors, broken_exchange)
{
    support_random random = support_random_start("ranks, exchange", 2);
    support_scene scenes[] = {support_scene_gas(3, 0.2, KUGEL_FACE_WALL, 5, &random), small_pile(),
                              resting_balls()};
    for (int s = 0; s < 3; ++s) {
        break_exchanges(&scenes[s]);
        support_scene_free(&scenes[s]);
    }
}
