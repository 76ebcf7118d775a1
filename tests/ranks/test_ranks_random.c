/* Random worlds of every kind over changing numbers of ranks: bodies of all types, sensors,
 * filters, surfaces and user data, with random calls between steps. Allocations fail at random, and
 * the call is repeated; snapshots go on with another number of ranks. Hashes, energies, events,
 * queries and states are those of one process. Comparisons are exact. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_memory.h"
#include "support/support_ranks.h"
#include "support/support_snapshot.h"
#include "support/support_view.h"
#include "support/support_worlds.h"

enum { RANKS_MAX = 7, TICKS_MAX = 40, BODIES_MAX = 2000 };

/* What follows from the seed. */
typedef struct plan {
    uint64_t seed;
    support_any_world any;
    bool filtered, surface; /* true: a pair filter or a surface from the start on */
    bool calm;              /* true: no calls between steps */
    uint32_t ticks;
} plan;

/* The numbers of stats that do not depend on caches. */
typedef struct numbers {
    uint64_t tick, impacts, resting_contacts, asleep;
    double time;
    kugel_energy energy;
} numbers;

typedef struct tick_result {
    uint64_t hash, view;
    numbers stats;
    bool viewed; /* true: `view` is set */
    kugel_status status;
} tick_result;

typedef struct run {
    const plan *plan;
    bool failing; /* true: allocations fail at random */
    kugel_world *worlds[RANKS_MAX];
    support_memory memory[RANKS_MAX];
    uint32_t from, to; /* ticks */
    tick_result results[RANKS_MAX][TICKS_MAX];
    bool unequal[RANKS_MAX];   /* the ranks got different statuses */
    bool disturbed[RANKS_MAX]; /* a failed step changed the hash */
    uint64_t failures;
    void *snapshot; /* malloc'ed by rank 0 */
    size_t size;
    uint64_t user_data[BODIES_MAX]; /* [id], which a snapshot lacks */
} run;

static bool one_in(support_random *random, uint32_t n) { return support_below(random, n) == 0; }

static support_random random_of(const plan *plan, uint64_t tick, uint64_t what)
{
    support_random random = {(plan->seed + tick * 1000003 + what * 7919) * 0x9e3779b97f4a7c15u};
    support_uniform(&random);
    return random;
}

static uint64_t view_seed(const plan *plan, uint32_t tick)
{
    return random_of(plan, tick, 1).state;
}

static bool admit_most(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user;
    if (key % 3 == 0) pair->restitution = 0.5;
    return key % 5 != 0;
}

static const kugel_pair_filter filter = {.decide = admit_most};

static numbers numbers_of(const kugel_stats *s, const kugel_energy *energy)
{
    return (numbers){s->tick, s->impacts, s->resting_contacts, s->asleep, s->time, *energy};
}

/* A call that is repeated if its allocations fail on this rank. */
#define REPEATED(memory, call)                                                                     \
    if ((call) == KUGEL_ERROR_OUT_OF_MEMORY) {                                                     \
        support_memory_arm(memory, -1);                                                            \
        if ((call) == KUGEL_ERROR_OUT_OF_MEMORY) abort();                                          \
    }

static void create_body(const plan *plan, kugel_world *world, support_memory *memory,
                        support_random *random)
{
    kugel_body_def def = plan->any.scene.bodies[support_below(random, plan->any.scene.count)];
    const kugel_bounds *bounds = &plan->any.scene.def.bounds;
    size_t near = 0;
    for (int k = 0; k < 3; ++k) {
        double low = bounds->min[k] < bounds->max[k] ? bounds->min[k] + def.radius : -2,
               high = bounds->min[k] < bounds->max[k] ? bounds->max[k] - def.radius : 4;
        def.position[k] = support_between(random, low, high);
    }
    def.user_data = support_below(random, 1000);
    REPEATED(memory,
             kugel_world_overlap_sphere(world, def.position, def.radius, NULL, 0, NULL, &near));
    if (!near) REPEATED(memory, kugel_body_create(world, &def, NULL));
}

static void change_surface(kugel_world *world, support_memory *memory, support_random *random)
{
    kugel_surface_def shape = kugel_surface_def_default();
    shape.shape = one_in(random, 2) ? KUGEL_SURFACE_ELLIPSOID : KUGEL_SURFACE_CAPSULE;
    for (int k = 0; k < 3; ++k) shape.size[k] = 0.3 + 0.1 * k, shape.position[k] = -1;
    if (one_in(random, 2)) shape.spin[2] = 1;
    if (kugel_world_surface_end(world) > 0 && one_in(random, 2)) {
        REPEATED(memory, kugel_surface_destroy(world, kugel_world_surface(world, 0)));
    } else if (kugel_world_surface_end(world) < 3) {
        REPEATED(memory, kugel_surface_create(world, &shape, NULL));
    }
}

static void change(const plan *plan, kugel_world *world, support_memory *memory, uint32_t tick)
{
    support_random random = random_of(plan, tick, 2);
    for (uint32_t n = support_below(&random, 4); n > 0; --n) {
        uint32_t id = support_below(&random, kugel_world_id_end(world));
        kugel_body body = kugel_world_body(world, id);
        double by[3];
        support_direction(&random, support_between(&random, 0.1, 3), by);
        switch (support_below(&random, 10)) {
        case 0:
            create_body(plan, world, memory, &random);
            break;
        case 1:
            REPEATED(memory, kugel_body_destroy(world, body));
            break;
        case 2:
            REPEATED(memory, kugel_body_set_target(world, body, by, NULL, 0.05));
            break;
        case 3:
            REPEATED(memory, kugel_body_set_user_data(world, body, tick + 1));
            break;
        case 4:
            REPEATED(memory, kugel_body_set_image(world, body, (int32_t[3]){1, -2, (int32_t)tick}));
            break;
        case 5:
            if (!plan->any.scene.plane_count) change_surface(world, memory, &random);
            break;
        case 6:
            REPEATED(memory, kugel_world_set_gravity(world, by));
            break;
        case 7:
            REPEATED(memory, kugel_body_apply_impulse(world, body, by, (double[3]){0, 0, 1}));
            break;
        case 8:
            REPEATED(memory, kugel_body_set_velocity(world, body, by));
            break;
        default:
            support_memory_arm(memory, -1); /* its statuses are lost */
            support_any_world_calls(world, plan->seed, tick);
        }
    }
}

static kugel_world *make(const plan *plan, support_memory *memory, uint32_t threads)
{
    support_scene copy = plan->any.scene;
    copy.def.tasks.threads = threads;
    if (memory) copy.def.allocator = support_allocator(memory);
    kugel_world *world = support_scene_world(&copy);
    support_random random = random_of(plan, 0, 3);
    for (uint32_t id = 0; id < kugel_world_id_end(world); id += 2)
        kugel_body_set_user_data(world, kugel_world_body(world, id), id + 1);
    if (plan->surface) change_surface(world, memory, &random);
    if (plan->filtered) cr_assert(!kugel_world_set_pair_filter(world, &filter));
    return world;
}

static bool changes_at(const plan *plan, uint32_t tick)
{
    support_random random = random_of(plan, tick, 4);
    return !plan->calm && one_in(&random, 2);
}

static double length_of(const plan *plan, uint32_t tick)
{
    return support_any_world_dt(&plan->any, plan->seed, tick);
}

static void run_alone(const plan *plan, tick_result *results)
{
    support_memory memory = {0};
    kugel_world *world = make(plan, &memory, 1);
    for (uint32_t t = 0; t < plan->ticks; ++t) {
        kugel_stats stats;
        kugel_energy energy;
        if (changes_at(plan, t)) change(plan, world, &memory, t);
        results[t].status = kugel_world_step(world, length_of(plan, t));
        kugel_world_stats(world, &stats);
        kugel_world_energy(world, &energy);
        results[t].hash = kugel_world_hash(world);
        results[t].stats = numbers_of(&stats, &energy);
        results[t].view = support_view(world, view_seed(plan, t));
    }
    kugel_world_destroy(world);
}

/* A rank in a run. */
typedef struct member {
    run *run;
    const kugel_exchange *exchange;
    kugel_ranks *ranks;
    support_random random; /* equal on all ranks */
    uint32_t me;
} member;

/* Let an allocation of one rank fail. */
static void arm(member *m)
{
    uint32_t rank = support_below(&m->random, m->exchange->count),
             few = one_in(&m->random, 2) ? 4 : 40, others = support_below(&m->random, few);
    bool on = one_in(&m->random, 3), now = one_in(&m->random, 2);
    if (!m->run->failing || !now || rank != m->me) return;
    m->run->memory[m->me].fail_on = on;
    support_memory_arm(&m->run->memory[m->me], (int)others);
}

/* Disarm, and compare the statuses of the ranks. */
static kugel_status disarm(member *m, kugel_status status)
{
    uint64_t most = status, least = status;
    support_memory_arm(&m->run->memory[m->me], -1);
    m->exchange->reduce(m->exchange->context, KUGEL_REDUCE_MAX, &most, 1);
    m->exchange->reduce(m->exchange->context, KUGEL_REDUCE_MIN, &least, 1);
    m->run->unequal[m->me] |= most != least;
    return (kugel_status)most;
}

/* A collective call, repeated if allocations failed. */
#define COLLECTIVE(m, status, call)                                                                \
    do {                                                                                           \
        arm(m);                                                                                    \
        status = disarm(m, call);                                                                  \
        if (status == KUGEL_ERROR_OUT_OF_MEMORY) status = disarm(m, call);                         \
    } while (0)

static kugel_status edit(member *m, uint32_t t)
{
    const plan *plan = m->run->plan;
    kugel_world *world;
    kugel_status status;
    bool in_vain = one_in(&m->random, 4);
    if (!changes_at(plan, t) && !in_vain) return KUGEL_OK;
    COLLECTIVE(m, status, kugel_ranks_edit(m->ranks, &world));
    if (status || !changes_at(plan, t)) return status;
    arm(m);
    change(plan, world, &m->run->memory[m->me], t);
    support_memory_arm(&m->run->memory[m->me], -1);
    return KUGEL_OK;
}

/* Step; if allocations fail, the world must be as it was. */
static kugel_status step(member *m, uint32_t t)
{
    uint64_t before, after;
    double dt = length_of(m->run->plan, t);
    bool hashed = one_in(&m->random, 2); /* which ends changes; else the step ends them */
    kugel_status status = hashed ? kugel_ranks_hash(m->ranks, &before) : KUGEL_OK;
    if (status) return status;
    arm(m);
    status = disarm(m, kugel_ranks_step(m->ranks, dt));
    if (status != KUGEL_ERROR_OUT_OF_MEMORY) return status;
    if (hashed && (kugel_ranks_hash(m->ranks, &after) || after != before))
        m->run->disturbed[m->me] = true;
    return disarm(m, kugel_ranks_step(m->ranks, dt));
}

static kugel_status look(member *m, uint32_t t)
{
    tick_result *result = &m->run->results[m->me][t];
    kugel_stats stats;
    kugel_energy energy;
    kugel_status status;
    COLLECTIVE(m, status, kugel_ranks_world_stats(m->ranks, &stats));
    if (!status) COLLECTIVE(m, status, kugel_ranks_world_energy(m->ranks, &energy));
    if (!status) result->stats = numbers_of(&stats, &energy);
    if (!status) COLLECTIVE(m, status, kugel_ranks_hash(m->ranks, &result->hash));
    if (status || one_in(&m->random, 2)) return status;
    COLLECTIVE(m, status, kugel_ranks_gather(m->ranks));
    if (!status) COLLECTIVE(m, status, kugel_ranks_gather_impacts(m->ranks));
    result->viewed = !status && m->me == 0;
    if (result->viewed) result->view = support_view(m->run->worlds[0], view_seed(m->run->plan, t));
    return status;
}

static void save(run *r, kugel_world *world)
{
    size_t room = support_snapshot_room(world, true);
    r->snapshot = malloc(room);
    if (!r->snapshot || kugel_snapshot_save(world, true, r->snapshot, room, &r->size)) abort();
    if (kugel_world_id_end(world) > BODIES_MAX) abort();
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id)
        kugel_body_get_user_data(world, kugel_world_body(world, id), &r->user_data[id]);
}

static void run_rank(const kugel_exchange *exchange, void *argument)
{
    run *r = argument;
    member m = {r, exchange, NULL, random_of(r->plan, r->from, 5), exchange->rank};
    kugel_status status;
    COLLECTIVE(&m, status, kugel_ranks_create(r->worlds[m.me], exchange, &m.ranks));
    if (status) abort();
    for (uint32_t t = r->from; t < r->to; ++t) {
        tick_result *result = &r->results[m.me][t];
        status = edit(&m, t);
        if (!status) result->status = step(&m, t);
        if (!status) status = look(&m, t);
        if (status) result->status = status;
    }
    if (kugel_ranks_gather(m.ranks)) abort();
    if (m.me == 0) save(r, r->worlds[0]);
    kugel_ranks_destroy(m.ranks);
}

/* The world of the last snapshot. */
static kugel_world *restore(run *r, uint32_t rank, uint32_t threads)
{
    kugel_world_def def = r->plan->any.scene.def;
    kugel_world *world;
    def.tasks.threads = threads;
    def.allocator = support_allocator(&r->memory[rank]);
    cr_assert(!kugel_world_create(&def, &world));
    /* before the snapshot, since a new filter wakes all bodies */
    if (r->plan->filtered) cr_assert(!kugel_world_set_pair_filter(world, &filter));
    cr_assert(!kugel_snapshot_restore(world, r->snapshot, r->size));
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id)
        kugel_body_set_user_data(world, kugel_world_body(world, id), r->user_data[id]);
    return world;
}

static void check_results(const run *r, const tick_result *alone, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        cr_assert(!r->unequal[k] && !r->disturbed[k], "seed %llu, rank %u of %u: %d %d",
                  (unsigned long long)r->plan->seed, k, count, r->unequal[k], r->disturbed[k]);
        for (uint32_t t = r->from; t < r->to; ++t) {
            const tick_result *mine = &r->results[k][t];
            cr_assert(mine->status == alone[t].status && mine->hash == alone[t].hash &&
                          memcmp(&mine->stats, &alone[t].stats, sizeof mine->stats) == 0,
                      "seed %llu, rank %u of %u, tick %u: %s", (unsigned long long)r->plan->seed, k,
                      count, t, kugel_status_text(mine->status));
            cr_assert(!mine->viewed || mine->view == alone[t].view,
                      "seed %llu, %u ranks, tick %u: events, queries or states",
                      (unsigned long long)r->plan->seed, count, t);
        }
    }
}

/* Run the plan over some ranks, then over some others from a snapshot, and so on. */
static uint64_t check_plan(const plan *plan, bool failing)
{
    run *r = calloc(1, sizeof *r);
    tick_result alone[TICKS_MAX] = {0};
    support_random random = random_of(plan, 0, 6);
    cr_assert(r && plan->ticks <= TICKS_MAX);
    *r = (run){.plan = plan, .failing = failing};
    run_alone(plan, alone);
    while (r->to < plan->ticks) {
        uint32_t count = 1 + support_below(&random, RANKS_MAX),
                 threads = 1 + support_below(&random, 2);
        r->from = r->to;
        r->to += 4 + support_below(&random, 12);
        if (r->to > plan->ticks) r->to = plan->ticks;
        for (uint32_t k = 0; k < count; ++k) {
            r->memory[k] = (support_memory){0};
            r->worlds[k] = r->from ? restore(r, k, threads) : make(plan, &r->memory[k], threads);
        }
        free(r->snapshot);
        support_ranks_run(count, plan->seed + r->from, run_rank, r);
        check_results(r, alone, count);
        for (uint32_t k = 0; k < count; ++k) {
            r->failures += r->memory[k].failures;
            cr_assert_eq(r->memory[k].bytes, 0, "seed %llu: leak", (unsigned long long)plan->seed);
        }
    }
    uint64_t failures = r->failures;
    free(r->snapshot);
    free(r);
    return failures;
}

static uint64_t seeds(uint64_t few)
{
    const char *more = getenv("KUGEL_SEEDS"); /* how many, for a long search */
    return more ? strtoull(more, NULL, 10) : few;
}

static uint64_t check_any(uint64_t seed, bool failing)
{
    plan plan = {.seed = seed, .any = support_any_world_make(seed)};
    support_random random = random_of(&plan, 0, 7);
    plan.filtered = one_in(&random, 4);
    plan.surface = one_in(&random, 4);
    plan.ticks = plan.any.ticks < TICKS_MAX ? plan.any.ticks : TICKS_MAX;
    uint64_t failures = check_plan(&plan, failing);
    support_scene_free(&plan.any.scene);
    return failures;
}

/* A gas, between walls or in a periodic box in which all bodies drift through the faces. */
static uint64_t check_gas(uint64_t seed, bool failing)
{
    plan plan = {.seed = seed, .any = {.dt = 0.02, .varies = seed % 2}, .ticks = 30};
    support_random random = random_of(&plan, 0, 8);
    bool periodic = one_in(&random, 2);
    plan.any.scene =
        support_scene_gas(3 + support_below(&random, 4), support_between(&random, 0.02, 0.2),
                          periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL, 5, &random);
    double drift[3] = {0};
    if (periodic) support_direction(&random, support_between(&random, 0, 60), drift);
    for (uint32_t i = 0; i < plan.any.scene.count; ++i)
        for (int k = 0; k < 3; ++k) plan.any.scene.bodies[i].velocity[k] += drift[k];
    plan.calm = one_in(&random, 2);
    uint64_t failures = check_plan(&plan, failing);
    support_scene_free(&plan.any.scene);
    return failures;
}

Test(ranks_random, worlds)
{
    for (uint64_t seed = 1, end = seeds(12); seed <= end; ++seed) check_any(seed, false);
}

Test(ranks_random, gases)
{
    for (uint64_t seed = 1, end = seeds(6); seed <= end; ++seed) check_gas(seed, false);
}

Test(ranks_random, worlds_out_of_memory)
{
    uint64_t failures = 0;
    for (uint64_t seed = 1, end = seeds(12); seed <= end; ++seed) failures += check_any(seed, true);
    cr_assert_gt(failures, 10);
}

Test(ranks_random, gases_out_of_memory)
{
    uint64_t failures = 0;
    for (uint64_t seed = 1, end = seeds(6); seed <= end; ++seed) failures += check_gas(seed, true);
    cr_assert_gt(failures, 10);
}
