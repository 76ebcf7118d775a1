/* Changes of worlds over ranks: after the same calls on all ranks, hashes, counters and energies
 * of one process at every tick; what the ranks change differently is refused. Comparisons are
 * exact. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/support_golden.h"
#include "support/support_ranks.h"
#include "support/support_ranks_compare.h"
#include "support/support_scene.h"
#include "support/support_setters.h"

static void change_golden(const void *scene, kugel_world *world, uint32_t tick)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)tick;
    pthread_mutex_lock(&lock);
    golden_input(scene, world);
    pthread_mutex_unlock(&lock);
}

/* Bodies are made and removed, forces, impulses and gravity change; all of these are replicated. */
Test(ranks_edit, golden_scenes)
{
    for (int s = 0; s < GOLDEN_SCENES; ++s) {
        const golden_scene *scene = &golden_scenes[s];
        if (!scene->input) continue;
        support_ranks_compare_changes(support_make_golden, change_golden, scene, scene->dt,
                                      scene->ticks, (uint64_t)s);
    }
}

static void make_body(const support_scene *scene, kugel_world *world, support_random *random)
{
    kugel_body_def def = scene->bodies[0];
    size_t near;
    for (int k = 0; k < 3; ++k)
        def.position[k] = support_between(random, 0.5, scene->def.bounds.max[k] - 0.5);
    def.friction = support_between(random, 0, 1); /* a material of its own */
    def.radius = support_between(random, 0.1, 0.5);
    kugel_world_overlap_sphere(world, def.position, def.radius, NULL, 0, NULL, &near);
    if (!near) kugel_body_create(world, &def, NULL);
}

/* One call of any kind, to a body that may not exist. */
static void change_any(kugel_world *world, support_random *random)
{
    kugel_body body = kugel_world_body(world, support_below(random, kugel_world_id_end(world)));
    double vector[3];
    support_direction(random, 4, vector);
    switch (support_below(random, 7)) {
    case 0:
        kugel_body_destroy(world, body);
        break;
    case 1:
        kugel_body_set_velocity(world, body, vector);
        break;
    case 2:
        kugel_body_apply_impulse(world, body, vector, NULL);
        break;
    case 3:
        kugel_world_set_gravity(world, vector);
        break;
    case 4:
        kugel_body_set_mass(world, body, support_between(random, 0.5, 2));
        break;
    case 5:
        kugel_body_set_user_data(world, body, 7);
        break;
    default:
        kugel_body_set_spin(world, body, vector);
    }
}

/* A surface comes and goes, and a force acts for some ticks: meanwhile the gas is replicated. */
static void replicate_sometimes(kugel_world *world, uint32_t tick)
{
    kugel_surface_def shape = kugel_surface_def_default();
    shape.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) shape.size[k] = 0.4, shape.position[k] = -9;
    if (tick == 5) kugel_surface_create(world, &shape, NULL);
    if (tick == 8) kugel_surface_destroy(world, kugel_world_surface(world, 0));
    for (uint32_t id = 0; id < 9 && tick >= 12 && tick < 14; ++id)
        kugel_body_apply_force(world, kugel_world_body(world, id), (double[3]){9, 0, 1}, NULL);
}

static void change_gas(const void *of, kugel_world *world, uint32_t tick)
{
    support_random random = {tick};
    if (tick % 4 == 3) return; /* no change, but the world is divided again */
    make_body(of, world, &random);
    for (int k = 0; k < 5; ++k) change_any(world, &random);
    replicate_sometimes(world, tick);
}

Test(ranks_edit, gases)
{
    static const kugel_face faces[] = {KUGEL_FACE_WALL, KUGEL_FACE_PERIODIC};
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        support_random random = support_random_start("ranks, edit", seed);
        support_scene scene = support_scene_gas(7, 0.04, faces[seed - 1], 5, &random);
        support_ranks_tally all =
            support_ranks_compare_changes(support_make_scene, change_gas, &scene, 0.01, 24, seed);
        cr_assert(all.partial && all.redivided);
        support_scene_free(&scene);
    }
}

/* Kinds from MATERIAL on leave another table of materials. */
enum { RANKS = 3, MATERIAL = 4, KINDS = 6 };

typedef struct odd_run {
    kugel_world *worlds[RANKS];
    int kind; /* of the call that one rank makes in another way */
    kugel_status step[RANKS], hash[RANKS], again[RANKS];
    char argument[RANKS][24];
    uint64_t end[RANKS];
} odd_run;

static void change_odd(kugel_world *world, int kind, double value)
{
    kugel_body body = kugel_world_body(world, 1);
    const double vector[3] = {value, 0, 0};
    if (kind == 0) kugel_body_set_velocity(world, body, vector);
    if (kind == 1) kugel_world_set_gravity(world, vector);
    if (kind == 2) kugel_body_set_mass(world, body, value);
    if (kind == 3) kugel_body_apply_force(world, body, vector, NULL);
    if (kind == 4) kugel_body_set_filter(world, body, 1, (uint32_t)value, 0);
    if (kind == 5) support_set_friction(world, body, value / 4);
}

static void run_odd(const kugel_exchange *exchange, void *argument)
{
    odd_run *run = argument;
    uint32_t me = exchange->rank;
    uint64_t hash;
    kugel_ranks *ranks;
    kugel_world *world;
    if (kugel_ranks_create(run->worlds[me], exchange, &ranks)) abort();
    if (kugel_ranks_edit(ranks, &world) || world != run->worlds[me]) abort();
    change_odd(world, run->kind, me == 1 ? 1 : 2);
    run->step[me] = kugel_ranks_step(ranks, 0.01);
    memcpy(run->argument[me], kugel_world_last_error(world)->argument, sizeof run->argument[me]);
    run->argument[me][sizeof run->argument[me] - 1] = 0;
    run->hash[me] = kugel_ranks_hash(ranks, &hash);
    if (kugel_ranks_edit(ranks, &world)) abort();
    if (run->kind == 3) change_odd(world, 3, me == 1 ? 1 : 0); /* forces add up */
    else change_odd(world, run->kind, 2);
    run->again[me] = kugel_ranks_step(ranks, 0.01);
    kugel_ranks_hash(ranks, &run->end[me]);
    kugel_ranks_destroy(ranks);
}

/* All ranks refuse the step; after calls that make the worlds equal it succeeds, unless the tables
 * of materials differ. */
Test(ranks_edit, unequal_changes_are_refused)
{
    support_random random = support_random_start("ranks, unequal", 1);
    support_scene scene = support_scene_gas(3, 0.1, KUGEL_FACE_WALL, 5, &random);
    for (int kind = 0; kind < KINDS; ++kind) {
        odd_run run = {.kind = kind};
        for (int k = 0; k < RANKS; ++k) run.worlds[k] = support_scene_world(&scene);
        support_ranks_run(RANKS, 1, run_odd, &run);
        kugel_world *alone = support_scene_world(&scene);
        change_odd(alone, kind, 2);
        cr_assert(!kugel_world_step(alone, 0.01));
        for (int k = 0; k < RANKS; ++k) {
            cr_assert_eq(run.step[k], KUGEL_ERROR_INVALID_ARGUMENT, "kind %d", kind);
            cr_assert_eq(run.hash[k], KUGEL_ERROR_INVALID_ARGUMENT, "kind %d", kind);
            cr_assert_str_eq(run.argument[k], "world");
            cr_assert_eq(run.again[k], kind < MATERIAL ? KUGEL_OK : KUGEL_ERROR_INVALID_ARGUMENT);
            cr_assert(run.again[k] || run.end[k] == kugel_world_hash(alone), "kind %d", kind);
        }
        kugel_world_destroy(alone);
    }
    support_scene_free(&scene);
}

typedef struct query_run {
    kugel_world *worlds[RANKS];
    size_t bodies[RANKS]; /* that a query finds after the division */
} query_run;

static size_t count_bodies(const kugel_world *world)
{
    kugel_filter filter = kugel_filter_default();
    size_t all = 0;
    kugel_world_overlap_sphere(world, (double[3]){0, 0, 0}, 100, &filter, 0, NULL, &all);
    return all;
}

static void run_queries(const kugel_exchange *exchange, void *argument)
{
    query_run *run = argument;
    uint32_t me = exchange->rank;
    kugel_body_def def = kugel_body_def_default();
    uint64_t hash;
    kugel_ranks *ranks;
    kugel_world *world;
    if (!count_bodies(run->worlds[me])) abort();
    if (kugel_ranks_create(run->worlds[me], exchange, &ranks)) abort();
    count_bodies(kugel_ranks_world(ranks));
    if (kugel_ranks_edit(ranks, &world) || !count_bodies(world)) abort();
    for (int k = 0; k < 3; ++k) def.position[k] = -2;
    def.radius = 0.1;
    if (kugel_body_create(world, &def, NULL)) abort();
    if (kugel_ranks_hash(ranks, &hash)) abort();
    run->bodies[me] = count_bodies(kugel_ranks_world(ranks));
    kugel_ranks_destroy(ranks);
}

/* Queries index the bodies before the world is divided: afterwards each rank finds its own. */
Test(ranks_edit, queries_before_a_division)
{
    support_random random = support_random_start("ranks, queries", 1);
    support_scene scene = support_scene_gas(3, 0.1, KUGEL_FACE_OPEN, 5, &random);
    query_run run = {0};
    size_t all = 0;
    for (int k = 0; k < RANKS; ++k) run.worlds[k] = support_scene_world(&scene);
    support_ranks_run(RANKS, 1, run_queries, &run);
    for (int k = 0; k < RANKS; ++k) all += run.bodies[k];
    cr_assert_eq(all, (size_t)scene.count + 1);
    support_scene_free(&scene);
}

typedef struct recorded_run {
    kugel_world *worlds[RANKS];
    kugel_status step[RANKS], again[RANKS];
    char argument[RANKS][64];
} recorded_run;

static bool discard(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return true;
}

static void run_recorded(const kugel_exchange *exchange, void *argument)
{
    recorded_run *run = argument;
    uint32_t me = exchange->rank;
    kugel_recording_def recording = kugel_recording_def_default();
    kugel_ranks *ranks;
    kugel_world *world;
    recording.write = discard;
    if (kugel_ranks_create(run->worlds[me], exchange, &ranks)) abort();
    if (kugel_ranks_edit(ranks, &world) || kugel_world_recording_start(world, &recording)) abort();
    run->step[me] = kugel_ranks_step(ranks, 0.01);
    snprintf(run->argument[me], sizeof run->argument[me], "%s",
             kugel_world_last_error(world)->argument);
    if (kugel_ranks_edit(ranks, &world)) abort();
    if (me > 0 && kugel_world_recording_stop(world)) abort();
    run->again[me] = kugel_ranks_step(ranks, 0.01);
    if (me == 0 && kugel_world_recording_stop(world)) abort();
    kugel_ranks_destroy(ranks);
}

/* A recording that begins in an edit on all ranks is refused on all, until those of the other ranks
 * have stopped. */
Test(ranks_edit, recordings_of_other_ranks_are_refused)
{
    support_random random = support_random_start("ranks, recordings", 1);
    support_scene scene = support_scene_gas(3, 0.1, KUGEL_FACE_WALL, 5, &random);
    recorded_run run = {0};
    for (int k = 0; k < RANKS; ++k) run.worlds[k] = support_scene_world(&scene);
    support_ranks_run(RANKS, 1, run_recorded, &run);
    for (int k = 0; k < RANKS; ++k) {
        cr_assert_eq(run.step[k], KUGEL_ERROR_STATE);
        cr_assert_str_eq(run.argument[k], "recording");
        cr_assert_eq(run.again[k], KUGEL_OK);
    }
    support_scene_free(&scene);
}

typedef struct ends_run {
    kugel_world *worlds[RANKS];
    size_t ends[RANKS];
} ends_run;

static void run_ends(const kugel_exchange *exchange, void *argument)
{
    ends_run *run = argument;
    uint32_t me = exchange->rank;
    kugel_ranks *ranks;
    kugel_ranks_counts counts;
    kugel_world *world;
    if (kugel_ranks_create(run->worlds[me], exchange, &ranks)) abort();
    for (int t = 0; t < 4; ++t)
        if (kugel_ranks_step(ranks, 0.02)) abort();
    kugel_ranks_get_counts(ranks, &counts);
    if (!counts.replicated || kugel_ranks_edit(ranks, &world)) abort();
    if (kugel_body_destroy(world, kugel_world_body(world, 1))) abort();
    if (kugel_ranks_step(ranks, 0.02)) abort();
    kugel_ranks_get_counts(ranks, &counts);
    if (counts.replicated) abort();
    kugel_world_end_events(kugel_ranks_world(ranks), &run->ends[me]);
    kugel_ranks_destroy(ranks);
}

/* A resting contact ends with one of its bodies, and the world becomes a gas: one rank has the
 * event. */
Test(ranks_edit, a_contact_ends_once)
{
    support_scene scene = support_scene_start();
    ends_run run = {0};
    size_t all = 0;
    for (int k = 0; k < 2; ++k) {
        const double at[3] = {1.01 * k, 0, 0}, velocity[3] = {1 - k, 0, 0};
        support_scene_add(&scene, at, velocity, 0.5, 1)->restitution = 0;
    }
    for (int k = 0; k < RANKS; ++k) run.worlds[k] = support_scene_world(&scene);
    support_ranks_run(RANKS, 1, run_ends, &run);
    for (int k = 0; k < RANKS; ++k) all += run.ends[k];
    cr_assert_eq(all, 1);
    support_scene_free(&scene);
}

typedef struct memory_run {
    kugel_world *worlds[RANKS];
    bool divided; /* before the filter is set */
    uint64_t memory[RANKS];
} memory_run;

static bool admit_all(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key, (void)pair;
    return true;
}

static void run_replicated(const kugel_exchange *exchange, void *argument)
{
    memory_run *run = argument;
    uint32_t me = exchange->rank;
    const kugel_pair_filter filter = {.decide = admit_all};
    kugel_ranks *ranks;
    kugel_ranks_counts counts;
    kugel_stats stats;
    kugel_world *world = run->worlds[me];
    if (!run->divided && kugel_world_set_pair_filter(world, &filter)) abort();
    if (kugel_ranks_create(world, exchange, &ranks)) abort();
    if (run->divided && kugel_ranks_edit(ranks, &world)) abort();
    if (run->divided && kugel_world_set_pair_filter(world, &filter)) abort();
    if (kugel_ranks_world_stats(ranks, &stats)) abort();
    kugel_ranks_get_counts(ranks, &counts);
    if (!counts.replicated) abort();
    run->memory[me] = stats.memory;
    kugel_ranks_destroy(ranks);
}

/* A gas that becomes a replicated world keeps no buffers of all bodies. */
Test(ranks_edit, replicas_keep_no_buffers)
{
    support_random random = support_random_start("ranks, memory", 1);
    support_scene scene = support_scene_gas(20, 0.1, KUGEL_FACE_WALL, 5, &random);
    memory_run runs[2] = {{.divided = false}, {.divided = true}};
    for (int r = 0; r < 2; ++r) {
        for (int k = 0; k < RANKS; ++k) runs[r].worlds[k] = support_scene_world(&scene);
        support_ranks_run(RANKS, 1, run_replicated, &runs[r]);
    }
    cr_assert_lt(runs[1].memory[0], 1.1 * (double)runs[0].memory[0], "%g times",
                 (double)runs[1].memory[0] / (double)runs[0].memory[0]);
    support_scene_free(&scene);
}

static void run_gas(const kugel_exchange *exchange, void *argument)
{
    memory_run *run = argument;
    kugel_ranks *ranks;
    kugel_stats stats;
    if (kugel_ranks_create(run->worlds[exchange->rank], exchange, &ranks)) abort();
    for (int k = 0; k < 2; ++k) {
        if (kugel_ranks_step(ranks, 0.01)) abort();
    }
    if (kugel_ranks_world_stats(ranks, &stats)) abort();
    run->memory[exchange->rank] = stats.memory;
    kugel_ranks_destroy(ranks);
}

/* A rank of a periodic gas has cells only where it has bodies or ghosts. Ghosts and tables by id
 * make three ranks as large as 1.5 processes here; cells of the whole box would make them 1.8. */
Test(ranks_edit, ranks_keep_no_cells_of_others)
{
    support_random random = support_random_start("ranks, cells", 1);
    support_scene scene = support_scene_tower(KUGEL_FACE_PERIODIC, &random);
    memory_run run = {.divided = true};
    kugel_stats alone;
    kugel_world *world = support_scene_world(&scene);
    for (int k = 0; k < 2; ++k) cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
    kugel_world_stats(world, &alone);
    for (int k = 0; k < RANKS; ++k) run.worlds[k] = support_scene_world(&scene);
    support_ranks_run(RANKS, 1, run_gas, &run);
    cr_assert_lt((double)run.memory[0], 1.65 * (double)alone.memory, "%g times",
                 (double)run.memory[0] / (double)alone.memory);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

static void run_edits(const kugel_exchange *exchange, void *argument)
{
    memory_run *run = argument;
    uint32_t me = exchange->rank;
    const kugel_pair_filter filter = {.decide = admit_all};
    kugel_ranks *ranks;
    kugel_stats before, after;
    kugel_world *world = run->worlds[me];
    if (kugel_world_set_pair_filter(world, &filter)) abort();
    if (kugel_ranks_create(world, exchange, &ranks)) abort();
    if (kugel_ranks_step(ranks, 0.01)) abort();
    if (kugel_ranks_world_stats(ranks, &before)) abort();
    if (kugel_ranks_edit(ranks, &world)) abort();
    if (kugel_ranks_world_stats(ranks, &after)) abort();
    if (before.memory != after.memory) abort();
    kugel_ranks_destroy(ranks);
}

/* A replicated world keeps its work area when it is changed, as a world of one process does. */
Test(ranks_edit, replicas_keep_their_work_area)
{
    support_random random = support_random_start("ranks, work area", 1);
    support_scene scene = support_scene_gas(7, 0.04, KUGEL_FACE_WALL, 5, &random);
    memory_run run = {.divided = false};
    for (int k = 0; k < RANKS; ++k) run.worlds[k] = support_scene_world(&scene);
    support_ranks_run(RANKS, 1, run_edits, &run);
    support_scene_free(&scene);
}
