/* Runs one world on each rank and in one process, and compares them after each tick. */
#include "support/support_ranks_compare.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/support_golden.h"
#include "support/support_ranks.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

enum { TICKS_MAX = 200 };

/* The results of a run. */
typedef struct outcome {
    uint64_t hash[TICKS_MAX], impacts[TICKS_MAX];
    uint64_t begun[TICKS_MAX]; /* begin events that this rank reports */
    uint32_t bodies[TICKS_MAX];
    bool replicated[TICKS_MAX];
    kugel_stats stats;
    kugel_energy energy;
    kugel_status status; /* of the creation, or of the last step */
    uint32_t ticks;      /* number of steps that succeeded */
    int64_t images;      /* checksum of the images of all bodies */
} outcome;

typedef struct snapshot {
    void *bytes; /* malloc'ed; NULL: not reached */
    size_t size;
} snapshot;

typedef struct run {
    support_make_world *make;
    support_change_world *change; /* before each step; may be NULL */
    const void *scene;
    double dt;
    uint32_t ticks;
    kugel_world *worlds[SUPPORT_RANKS_MAX]; /* equal, one for each rank */
    bool shared; /* each rank creates a share of the bodies (kugel_ranks_share_creation) */
    outcome outcomes[SUPPORT_RANKS_MAX];
    kugel_ranks_counts ranks[SUPPORT_RANKS_MAX];
    /* impacts that each rank reported in all ticks; replicas count once */
    uint64_t events[SUPPORT_RANKS_MAX];
    snapshot alone, gathered; /* in the middle of the run: of one process, of the ranks */
} run;

kugel_world *support_make_scene(const void *scene, uint32_t threads)
{
    support_scene copy = *(const support_scene *)scene;
    copy.def.tasks.threads = threads;
    return support_scene_world(&copy);
}

kugel_world *support_make_golden(const void *scene, uint32_t threads)
{
    return golden_start(scene, &(kugel_tasks){.threads = threads});
}

static void note_step(const kugel_world *world, uint32_t t, outcome *out)
{
    size_t begun;
    kugel_world_begin_events(world, &begun);
    out->begun[t] = begun;
    out->impacts[t] = out->stats.impacts;
    out->bodies[t] = kugel_world_body_count(world);
    out->ticks += !out->status;
}

/* A checksum of images, which hashes leave out. */
static int64_t sum_images(const kugel_world *world)
{
    int64_t sum = 0;
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        kugel_body_state state;
        if (kugel_body_get(world, kugel_world_body(world, id), &state)) continue;
        for (int k = 0; k < 3; ++k) sum += (int64_t)state.image[k] * (3 * id + (uint32_t)k + 1);
    }
    return sum;
}

static snapshot save(kugel_world *world)
{
    size_t room = support_snapshot_room(world, true);
    snapshot made = {.bytes = malloc(room)};
    if (!made.bytes || kugel_snapshot_save(world, true, made.bytes, room, &made.size)) abort();
    return made;
}

static outcome run_alone(run *r)
{
    outcome out = {0};
    kugel_world *world = r->make(r->scene, 1);
    for (uint32_t t = 0; t < r->ticks && !out.status; ++t) {
        if (r->change) r->change(r->scene, world, t);
        out.status = kugel_world_step(world, r->dt);
        kugel_world_stats(world, &out.stats);
        kugel_world_energy(world, &out.energy);
        out.hash[t] = kugel_world_hash(world);
        note_step(world, t, &out);
        if (t == r->ticks / 2) r->alone = save(world);
    }
    out.images = sum_images(world);
    kugel_world_destroy(world);
    return out;
}

/* Gathers the world on rank 0 and saves it. Gathering must not change the following steps. */
static kugel_status gather(run *r, kugel_ranks *ranks, uint32_t rank)
{
    kugel_status status = kugel_ranks_gather(ranks);
    if (!status && rank == 0) r->gathered = save(r->worlds[0]);
    return status;
}

static kugel_status change(const run *r, kugel_ranks *ranks, uint32_t t)
{
    kugel_world *world;
    kugel_status status = r->change ? kugel_ranks_edit(ranks, &world) : KUGEL_OK;
    if (r->change && !status) r->change(r->scene, world, t);
    return status;
}

static bool is_replicated(const kugel_ranks *ranks)
{
    kugel_ranks_counts counts;
    kugel_ranks_get_counts(ranks, &counts);
    return counts.replicated;
}

/* True for every rank but 0 of a replicated world. */
static bool is_copy(const kugel_ranks *ranks, uint32_t rank)
{
    return rank > 0 && is_replicated(ranks);
}

/* Make the world of a scene again, with a share of its bodies on each rank. */
static void share_creation(const run *r, kugel_world **world, const kugel_exchange *exchange)
{
    support_scene copy = *(const support_scene *)r->scene;
    kugel_world_def def;
    kugel_world_get_def(*world, &def);
    copy.def.tasks = def.tasks;
    kugel_world_destroy(*world);
    *world = support_scene_share(&copy, exchange);
}

static void run_rank(const kugel_exchange *exchange, void *argument)
{
    run *r = argument;
    outcome *out = &r->outcomes[exchange->rank];
    kugel_ranks *ranks;
    *out = (outcome){0};
    r->events[exchange->rank] = 0;
    if (r->shared) share_creation(r, &r->worlds[exchange->rank], exchange);
    if ((out->status = kugel_ranks_create(r->worlds[exchange->rank], exchange, &ranks))) {
        kugel_world_destroy(r->worlds[exchange->rank]);
        return;
    }
    for (uint32_t t = 0; t < r->ticks && !out->status; ++t) {
        size_t count;
        if ((out->status = change(r, ranks, t))) break;
        if ((out->status = kugel_ranks_step(ranks, r->dt))) break;
        kugel_ranks_world_stats(ranks, &out->stats);
        kugel_ranks_world_energy(ranks, &out->energy);
        kugel_ranks_hash(ranks, &out->hash[t]);
        note_step(kugel_ranks_world(ranks), t, out);
        out->replicated[t] = is_replicated(ranks);
        kugel_world_impact_events(kugel_ranks_world(ranks), &count);
        r->events[exchange->rank] += is_copy(ranks, exchange->rank) ? 0 : count;
        if (t == r->ticks / 2) out->status = gather(r, ranks, exchange->rank);
    }
    out->images = is_copy(ranks, exchange->rank) ? 0 : sum_images(kugel_ranks_world(ranks));
    kugel_ranks_get_counts(ranks, &r->ranks[exchange->rank]);
    kugel_ranks_destroy(ranks);
}

/* Asserts that the results of a rank equal those of one process. */
static void compare(const run *r, const outcome *alone, const outcome *rank, const char *where)
{
    for (uint32_t t = 0; t < rank->ticks; ++t) {
        cr_assert_eq(rank->impacts[t], alone->impacts[t], "%s: tick %u: %llu impacts, not %llu",
                     where, t, (unsigned long long)rank->impacts[t],
                     (unsigned long long)alone->impacts[t]);
        cr_assert_eq(rank->hash[t], alone->hash[t], "%s: hash of tick %u", where, t);
        cr_assert(!rank->replicated[t] || rank->begun[t] == alone->begun[t],
                  "%s: tick %u: begun contacts", where, t);
    }
    cr_assert(rank->status == alone->status && rank->ticks == r->ticks, "%s: tick %u: %s", where,
              rank->ticks, kugel_status_text(rank->status));
    const kugel_stats *a = &alone->stats, *b = &rank->stats;
    cr_assert(a->impacts_total == b->impacts_total && a->tick == b->tick &&
                  memcmp(&alone->energy, &rank->energy, sizeof alone->energy) == 0 &&
                  a->budgets_exhausted == b->budgets_exhausted &&
                  a->resting_contacts == b->resting_contacts && a->asleep == b->asleep,
              "%s: %.17g and %.17g J", where, rank->energy.kinetic, alone->energy.kinetic);
}

/* Asserts that the gathered snapshot equals that of one process, byte for byte. */
static void compare_snapshots(run *r, uint32_t count)
{
    snapshot *rank = &r->gathered;
    cr_assert(rank->size == r->alone.size && memcmp(rank->bytes, r->alone.bytes, rank->size) == 0,
              "the snapshot of %u ranks differs", count);
    free(rank->bytes);
    *rank = (snapshot){0};
}

/* Runs on `count` ranks and compares. */
static void check_on(run *r, const outcome *alone, uint32_t count, uint32_t threads, uint64_t seed,
                     support_ranks_tally *all)
{
    uint64_t events = 0, bodies = 0;
    int64_t images = 0;
    for (uint32_t k = 0; k < count; ++k) r->worlds[k] = r->make(r->scene, threads);
    uint32_t total = alone->bodies[r->ticks - 1];
    r->shared = r->make == support_make_scene && (count + seed) % 2;
    support_ranks_run(count, seed, run_rank, r);
    for (uint32_t k = 0; k < count; ++k) {
        char where[64];
        snprintf(where, sizeof where, "rank %u of %u, %u threads", k, count, threads);
        compare(r, alone, &r->outcomes[k], where);
        events += r->events[k];
        bodies += r->ranks[k].replicated && k > 0 ? 0 : r->ranks[k].bodies;
        images += r->outcomes[k].images;
        all->partial |= r->ranks[k].bodies + r->ranks[k].ghosts < total;
    }
    for (uint32_t t = 1; t < r->ticks; ++t)
        all->redivided |= r->outcomes[0].replicated[t - 1] && !r->outcomes[0].replicated[t];
    cr_assert_eq(bodies, total);
    compare_snapshots(r, count);
    cr_assert(events == alone->stats.impacts_total && images == alone->images);
    all->replicated |= r->ranks[0].replicated;
    all->repetitions += r->ranks[0].repetitions;
    all->whole_steps += r->ranks[0].whole_steps;
    all->partitions += r->ranks[0].partitions;
}

support_ranks_tally support_ranks_compare(support_make_world *make, const void *scene, double dt,
                                          uint32_t ticks, uint64_t seed)
{
    return support_ranks_compare_changes(make, NULL, scene, dt, ticks, seed);
}

support_ranks_tally support_ranks_compare_changes(support_make_world *make,
                                                  support_change_world *change, const void *scene,
                                                  double dt, uint32_t ticks, uint64_t seed)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 7};
    run *r = calloc(1, sizeof *r);
    support_ranks_tally all = {0};
    cr_assert(r && ticks <= TICKS_MAX);
    *r = (run){.make = make, .change = change, .scene = scene, .dt = dt, .ticks = ticks};
    outcome alone = run_alone(r);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        check_on(r, &alone, counts[c], 1 + (uint32_t)(seed + c) % 2, seed + c, &all);
    free(r->alone.bytes);
    free(r);
    return all;
}
