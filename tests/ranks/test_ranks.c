/* Worlds over ranks have the hashes, counters and energies of one process, at every tick, for any
 * number of ranks and threads and any order of messages. Comparisons are exact: no tolerance. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/support_golden.h"
#include "support/support_ranks.h"
#include "support/support_scene.h"

enum { TICKS_MAX = 160 };

/* What a run of a scene gives. */
typedef struct outcome {
    uint64_t hash[TICKS_MAX], impacts[TICKS_MAX], begun[TICKS_MAX];
    kugel_stats stats;
    kugel_status status; /* of the creation, or of the last step */
    uint32_t ticks;      /* that succeeded */
    int64_t images;      /* sum of the bodies' crossings of periodic faces, times numbers by id */
} outcome;

typedef struct snapshot {
    void *bytes; /* malloc'ed; NULL: not reached */
    size_t size;
} snapshot;

typedef kugel_world *make_world(const void *scene, uint32_t threads);

typedef struct run {
    make_world *make;
    const void *scene;
    double dt;
    uint32_t ticks;
    kugel_world *worlds[SUPPORT_RANKS_MAX]; /* equal, one for each rank */
    outcome outcomes[SUPPORT_RANKS_MAX];
    kugel_ranks_counts ranks[SUPPORT_RANKS_MAX];
    uint64_t events[SUPPORT_RANKS_MAX]; /* impacts that ranks reported, all ticks */
    snapshot alone, gathered;           /* of the state in the middle of the run */
} run;

static kugel_world *make_scene(const void *scene, uint32_t threads)
{
    support_scene copy = *(const support_scene *)scene;
    copy.def.tasks.threads = threads;
    return support_scene_world(&copy);
}

static kugel_world *make_golden(const void *scene, uint32_t threads)
{
    return golden_start(scene, &(kugel_tasks){.threads = threads});
}

static void note_step(const kugel_world *world, uint32_t t, outcome *out)
{
    size_t begun;
    kugel_world_begins(world, &begun);
    out->begun[t] = begun;
    out->impacts[t] = out->stats.impacts;
    out->ticks += !out->status;
}

/* Hashes leave images out. */
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
    size_t room = kugel_snapshot_bound(world);
    snapshot made = {.bytes = malloc(room)};
    if (!made.bytes || kugel_snapshot_save(world, made.bytes, room, &made.size)) abort();
    return made;
}

static outcome run_alone(run *r)
{
    outcome out = {0};
    kugel_world *world = r->make(r->scene, 1);
    for (uint32_t t = 0; t < r->ticks && !out.status; ++t) {
        out.status = kugel_world_step(world, r->dt);
        kugel_world_stats(world, &out.stats);
        out.hash[t] = kugel_world_hash(world);
        note_step(world, t, &out);
        if (t == r->ticks / 2) r->alone = save(world);
    }
    out.images = sum_images(world);
    kugel_world_destroy(world);
    return out;
}

/* A gathered world changes nothing: the steps after it are those of the others. */
static kugel_status gather(run *r, kugel_ranks *ranks, uint32_t rank)
{
    kugel_status status = kugel_ranks_gather(ranks);
    if (!status && rank == 0) r->gathered = save(r->worlds[0]);
    return status;
}

static void run_rank(const kugel_exchange *exchange, void *argument)
{
    run *r = argument;
    outcome *out = &r->outcomes[exchange->rank];
    kugel_ranks *ranks;
    *out = (outcome){0};
    r->events[exchange->rank] = 0;
    if ((out->status = kugel_ranks_create(r->worlds[exchange->rank], exchange, &ranks))) {
        kugel_world_destroy(r->worlds[exchange->rank]);
        return;
    }
    for (uint32_t t = 0; t < r->ticks && !out->status; ++t) {
        size_t count;
        if ((out->status = kugel_ranks_step(ranks, r->dt))) break;
        kugel_ranks_world_stats(ranks, &out->stats);
        kugel_ranks_hash(ranks, &out->hash[t]);
        note_step(kugel_ranks_world(ranks), t, out);
        kugel_world_impacts(kugel_ranks_world(ranks), &count);
        r->events[exchange->rank] += count;
        if (t == r->ticks / 2) out->status = gather(r, ranks, exchange->rank);
    }
    out->images = sum_images(kugel_ranks_world(ranks));
    kugel_ranks_get_counts(ranks, &r->ranks[exchange->rank]);
    kugel_ranks_destroy(ranks);
}

/* A rank has what one process has, until a resting contact begins. */
static void compare(const run *r, const outcome *alone, const outcome *rank, const char *where)
{
    for (uint32_t t = 0; t < rank->ticks; ++t) {
        cr_assert_eq(rank->impacts[t], alone->impacts[t], "%s: tick %u: %llu impacts, not %llu",
                     where, t, (unsigned long long)rank->impacts[t],
                     (unsigned long long)alone->impacts[t]);
        cr_assert_eq(rank->hash[t], alone->hash[t], "%s: hash of tick %u", where, t);
        cr_assert_eq(alone->begun[t], 0, "%s: a contact in tick %u", where, t);
    }
    if (rank->status == KUGEL_ERROR_STATE) {
        cr_assert(alone->begun[rank->ticks] > 0, "%s: no contact in tick %u", where, rank->ticks);
        return;
    }
    cr_assert(rank->status == alone->status && rank->ticks == r->ticks, "%s: tick %u: %s", where,
              rank->ticks, kugel_status_text(rank->status));
    const kugel_stats *a = &alone->stats, *b = &rank->stats;
    cr_assert(a->impacts_total == b->impacts_total && a->kinetic_energy == b->kinetic_energy &&
                  a->potential_energy == b->potential_energy &&
                  memcmp(a->momentum, b->momentum, sizeof a->momentum) == 0 && a->tick == b->tick &&
                  a->budgets_exhausted == b->budgets_exhausted,
              "%s: %.17g and %.17g J", where, b->kinetic_energy, a->kinetic_energy);
}

/* What the ranks of all runs of a scene did. */
typedef struct tally {
    uint64_t repetitions, whole_steps, partitions, refused;
    bool partial; /* some rank had fewer than all bodies with its ghosts */
} tally;

/* The gathered snapshot has the bytes of one process. */
static void compare_snapshots(run *r, uint32_t count)
{
    snapshot *rank = &r->gathered;
    if (!rank->bytes) cr_assert_lt(r->outcomes[0].ticks, r->ticks / 2 + 1, "no snapshot");
    else
        cr_assert(rank->size == r->alone.size &&
                      memcmp(rank->bytes, r->alone.bytes, rank->size) == 0,
                  "the snapshot of %u ranks differs", count);
    free(rank->bytes);
    *rank = (snapshot){0};
}

/* Run on some number of ranks and compare. */
static void check_on(run *r, const outcome *alone, uint32_t count, uint32_t threads, uint64_t seed,
                     tally *all)
{
    uint64_t events = 0, bodies = 0;
    int64_t images = 0;
    for (uint32_t k = 0; k < count; ++k) r->worlds[k] = r->make(r->scene, threads);
    uint32_t total = kugel_world_body_count(r->worlds[0]);
    support_ranks_run(count, seed, run_rank, r);
    for (uint32_t k = 0; k < count; ++k) {
        char where[64];
        snprintf(where, sizeof where, "rank %u of %u, %u threads", k, count, threads);
        compare(r, alone, &r->outcomes[k], where);
        events += r->events[k], bodies += r->ranks[k].bodies;
        images += r->outcomes[k].images;
        all->partial |= r->ranks[k].bodies + r->ranks[k].ghosts < total;
    }
    cr_assert_eq(bodies, total);
    compare_snapshots(r, count);
    all->refused += r->outcomes[0].status != KUGEL_OK;
    if (!r->outcomes[0].status)
        cr_assert(events == alone->stats.impacts_total && images == alone->images);
    all->repetitions += r->ranks[0].repetitions;
    all->whole_steps += r->ranks[0].whole_steps;
    all->partitions += r->ranks[0].partitions;
}

/* Run on 1, 2, 3, 4 and 7 ranks with one and two threads. */
static tally check(make_world *make, const void *scene, double dt, uint32_t ticks, uint64_t seed)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 7};
    run *r = calloc(1, sizeof *r);
    tally all = {0};
    cr_assert(r && ticks <= TICKS_MAX);
    *r = (run){.make = make, .scene = scene, .dt = dt, .ticks = ticks};
    outcome alone = run_alone(r);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        check_on(r, &alone, counts[c], 1 + (uint32_t)(seed + c) % 2, seed + c, &all);
    free(r->alone.bytes);
    free(r);
    return all;
}

Test(ranks, gas_between_walls)
{
    support_random random = support_random_start("ranks, walls", 1);
    support_scene scene = support_scene_gas(6, 0.2, KUGEL_FACE_WALL, 5, &random);
    cr_assert(check(make_scene, &scene, 0.01, 40, 1).partial);
    cr_assert(check(make_scene, &scene, 0.01, 10, 2).partial, "with the other numbers of threads");
    support_scene_free(&scene);
}

Test(ranks, periodic_gas)
{
    support_random random = support_random_start("ranks, periodic", 2);
    support_scene scene = support_scene_gas(6, 0.3, KUGEL_FACE_PERIODIC, 5, &random);
    cr_assert(check(make_scene, &scene, 0.01, 40, 2).partial);
    support_scene_free(&scene);
}

/* Ticks of several impacts a body: what happens outside the first ghosts reaches own bodies. */
Test(ranks, long_ticks_are_repeated)
{
    support_random random = support_random_start("ranks, long ticks", 3);
    support_scene scene = support_scene_tower(KUGEL_FACE_PERIODIC, &random);
    tally all = check(make_scene, &scene, 0.25, 6, 3);
    cr_assert(all.partial && all.repetitions > 0);
    support_scene_free(&scene);
}

/* Lossy bodies of many radii with friction, spins, static and moving obstacles, under gravity. */
Test(ranks, mixture_that_falls)
{
    support_random random = support_random_start("ranks, mixture", 4);
    const support_mix mix = {900, 40, {0.2, 0.9}, {0.5, 3}, 6, KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    scene.def.gravity[2] = -3, scene.def.substeps = 0;
    scene.def.linear_damping = 0.01;
    scene.def.bounds.faces[0] = scene.def.bounds.faces[1] = KUGEL_FACE_PERIODIC;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *body = &scene.bodies[i];
        body->restitution = 0.95, body->friction = 0.2;
        support_direction(&random, 2, body->spin);
        body->gravity_scale = i % 5 ? 1 : 0.5;
        if (i % 40 == 7) body->type = KUGEL_STATIC;
        if (i % 40 == 9) body->type = KUGEL_KINEMATIC;
        if (body->type != KUGEL_STATIC) continue;
        memset(body->velocity, 0, sizeof body->velocity);
        memset(body->spin, 0, sizeof body->spin);
    }
    cr_assert(check(make_scene, &scene, 1 / 60.0, 40, 4).partial);
    support_scene_free(&scene);
}

/* A cloud in open space that flies away together: the partition follows it. */
Test(ranks, partition_follows_bodies)
{
    support_random random = support_random_start("ranks, cloud", 5);
    support_scene scene = support_scene_gas(6, 0.1, KUGEL_FACE_OPEN, 1, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].velocity[0] += 20;
    tally all = check(make_scene, &scene, 0.02, 60, 5);
    cr_assert(all.partitions > 5 && all.partial);
    support_scene_free(&scene);
}

/* A chain of touching balls transmits an impact at once, through the domains of all ranks. */
Test(ranks, chains_need_all_bodies)
{
    support_scene scene = support_scene_start();
    for (int i = 0; i < 40; ++i)
        support_scene_add(&scene, (double[3]){i, 0, 0}, (double[3]){0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){-3, 0, 0}, (double[3]){2, 0, 0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){90, 0, 0}, (double[3]){-1, 0, 0}, 0.5, 1);
    cr_assert(check(make_scene, &scene, 0.1, 40, 6).whole_steps > 0);
    support_scene_free(&scene);
}

/* Light bodies are struck away at up to twice the largest speed: the tick is repeated. */
Test(ranks, faster_than_the_bound)
{
    support_random random = support_random_start("ranks, fast", 7);
    support_scene scene = support_scene_tower(KUGEL_FACE_WALL, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].mass = i % 3 ? 1e-3 : 1;
    tally all = check(make_scene, &scene, 0.1, 8, 7);
    cr_assert(all.repetitions > 0 && all.partial);
    support_scene_free(&scene);
}

Test(ranks, golden_scenes)
{
    for (int s = 0; s < GOLDEN_SCENES; ++s) {
        const golden_scene *scene = &golden_scenes[s];
        if (golden_def(scene).bounce_threshold != 0 || scene->input) continue;
        tally all = check(make_golden, scene, scene->dt, scene->ticks, (uint64_t)s);
        cr_assert_eq(all.refused, 0, "%s", scene->name);
    }
}

static kugel_face any_face(support_random *random)
{
    return support_below(random, 2) ? KUGEL_FACE_WALL : KUGEL_FACE_OPEN;
}

static double one_of(support_random *random, double a, double b, double c)
{
    uint32_t k = support_below(random, 3);
    return k == 0 ? a : k == 1 ? b : c;
}

static void change_world(support_random *random, support_scene *scene)
{
    kugel_world_def *def = &scene->def;
    for (int axis = 0; axis < 3; ++axis) {
        kugel_face *faces = &def->bounds.faces[2 * axis];
        faces[0] = any_face(random), faces[1] = any_face(random);
        if (support_below(random, 3) == 0) faces[0] = faces[1] = KUGEL_FACE_PERIODIC;
    }
    def->bounds.restitution = one_of(random, 1, 0.9, 0.5);
    if (support_below(random, 2)) support_direction(random, 10, def->gravity);
    def->substeps = (int32_t)support_below(random, 4);
    def->linear_damping = one_of(random, 0, 0, 0.3);
    def->angular_damping = one_of(random, 0, 0, 0.3);
    def->impact_budget = (int32_t)one_of(random, 256, 256, 8);
}

static void change_bodies(support_random *random, support_scene *scene)
{
    double restitution = one_of(random, 1, 0.95, 0.6), friction = one_of(random, 0, 0.3, 1);
    bool obstacles = support_below(random, 2), groups = support_below(random, 4) == 0;
    for (uint32_t i = 0; i < scene->count; ++i) {
        kugel_body_def *body = &scene->bodies[i];
        body->restitution = support_below(random, 5) ? restitution : 1;
        body->friction = friction;
        body->group = groups ? support_below(random, 3) : 0;
        if (friction > 0) support_direction(random, 5, body->spin);
        if (obstacles && support_below(random, 20) == 0) body->type = KUGEL_KINEMATIC;
        if (!obstacles || support_below(random, 20)) continue;
        body->type = KUGEL_STATIC;
        memset(body->velocity, 0, sizeof body->velocity);
        memset(body->spin, 0, sizeof body->spin);
    }
}

/* Gases of any kind in boxes of any kind. */
static void check_random_world(uint64_t seed, tally *all)
{
    support_random random = support_random_start("ranks, random", seed);
    double small = support_between(&random, 0.1, 0.5),
           packing = support_between(&random, 0.01, 0.1),
           large = support_below(&random, 2) ? small : support_between(&random, small, 1);
    uint32_t count = 20 + support_below(&random, 1500);
    double length = pow(count * 4.19 * large * large * large / packing, 1 / 3.0);
    const support_mix mix = {count, length, {small, large}, {0.5, 2}, 5, KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    change_world(&random, &scene);
    change_bodies(&random, &scene);
    tally of_scene = check(make_scene, &scene, support_between(&random, 0.002, 0.05), 20, seed);
    all->partial |= of_scene.partial;
    all->repetitions += of_scene.repetitions;
    all->refused += of_scene.refused;
    support_scene_free(&scene);
}

Test(ranks, random_worlds)
{
    tally all = {0};
    const char *more = getenv("KUGEL_SEEDS"); /* how many, for a long search */
    uint64_t seeds = more ? strtoull(more, NULL, 10) : 12;
    for (uint64_t seed = 1; seed <= seeds; ++seed) check_random_world(seed, &all);
    cr_assert(all.partial && all.repetitions > 0);
}
