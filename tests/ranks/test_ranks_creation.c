/* Ranks that create a share of the bodies each (kugel_ranks_share_creation). That such worlds have
 * the results of one process is tested by test_ranks.c and test_replicas.c, which share half of
 * their worlds. Here: what is refused, memory, and recordings. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_memory.h"
#include "support/support_ranks.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"

enum { RANKS = 3, TICKS = 4 };

/* How the ranks create a world, and what they get. */
typedef struct creation {
    support_scene scene;
    bool swapped;  /* ranks 0 and 1 create each other's share */
    bool unshared; /* rank 1 creates all bodies */
    int another;   /* rank 1 creates this body, of whatever rank, faster, from 1; 0: none */
    bool named;    /* each rank gives the bodies other user data */
    bool recorded; /* by rank 0, from before the bodies */
    int fails_at;  /* allocation of rank 1 in kugel_ranks_create, from 0; below 0: none fails */
    bool failed;
    kugel_status status[RANKS]; /* of kugel_ranks_create */
    uint64_t memory[RANKS];     /* before it, bytes */
    uint64_t hash[RANKS];
    support_file recording;
} creation;

static void fill(kugel_world *world, const support_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; ++i)
        if (kugel_body_create(world, &scene->bodies[i], NULL)) abort();
}

static kugel_world *empty_world(creation *c, uint32_t me, support_memory *memory)
{
    kugel_recording_def recording = kugel_recording_def_default();
    kugel_world_def def = c->scene.def;
    kugel_world *world;
    recording.write = support_file_write, recording.user = &c->recording;
    def.allocator = support_allocator(memory);
    if (kugel_world_create(&def, &world)) abort();
    if (c->recorded && me == 0 && kugel_world_recording_start(world, &recording)) abort();
    return world;
}

static void run_rank(const kugel_exchange *exchange, void *argument)
{
    creation *c = argument;
    uint32_t me = exchange->rank;
    kugel_exchange mine = *exchange;
    kugel_stats stats;
    kugel_ranks *ranks;
    support_memory memory = {0};
    kugel_world *world = empty_world(c, me, &memory);
    if (c->swapped && me < 2) mine.rank = 1 - me;
    if (!(c->unshared && me == 1) && kugel_ranks_share_creation(world, &mine)) abort();
    for (uint32_t i = 0; i < c->scene.count; ++i) {
        kugel_body_def body = c->scene.bodies[i];
        if (me == 1 && (int)i == c->another - 1) body.velocity[0] = nextafter(body.velocity[0], 9);
        if (c->named) body.user_data = me;
        if (kugel_body_create(world, &body, NULL)) abort();
    }
    kugel_world_stats(world, &stats);
    c->memory[me] = stats.memory;
    if (me == 1) support_memory_arm(&memory, c->fails_at);
    c->status[me] = kugel_ranks_create(world, exchange, &ranks);
    support_memory_arm(&memory, -1);
    if (me == 1) c->failed = memory.failures;
    if (c->status[me] == KUGEL_ERROR_OUT_OF_MEMORY && kugel_ranks_create(world, exchange, &ranks))
        abort();
    if (!ranks) {
        kugel_world_destroy(world);
        return;
    }
    for (int t = 0; t < TICKS; ++t)
        if (kugel_ranks_step(ranks, 0.02)) abort();
    kugel_ranks_hash(ranks, &c->hash[me]);
    if (c->recorded && me == 0 && kugel_world_recording_stop(world)) abort();
    kugel_ranks_destroy(ranks);
}

static void run(creation *c) { support_ranks_run(RANKS, 1, run_rank, c); }

/* The hash of one process; *memory: before its first step, bytes. */
static uint64_t run_alone(creation *c, uint64_t *memory)
{
    kugel_stats stats;
    support_memory counted = {0};
    kugel_world *world = empty_world(c, 0, &counted);
    fill(world, &c->scene);
    kugel_world_stats(world, &stats);
    *memory = stats.memory;
    support_run(world, 0.02, TICKS);
    uint64_t hash = kugel_world_hash(world);
    if (c->recorded) cr_assert(!kugel_world_recording_stop(world));
    kugel_world_destroy(world);
    return hash;
}

static creation of_scene(support_scene scene) { return (creation){.scene = scene, .fails_at = -1}; }

static support_scene gas_of(uint32_t cells)
{
    support_random random = support_random_start("creation", cells);
    return support_scene_gas(cells, 0.2, KUGEL_FACE_PERIODIC, 5, &random);
}

/* Balls on a floor: a world that is not divided. */
static support_scene pile(void)
{
    support_scene scene = support_scene_start();
    scene.def = kugel_world_def_default();
    for (int k = 0; k < 3; ++k) scene.def.bounds.max[k] = 50;
    scene.def.bounds.faces[4] = KUGEL_FACE_WALL;
    scene.def.gravity[2] = -9.81;
    for (int i = 0; i < 3000; ++i) {
        const double at[3] = {1 + i % 40, 1 + i / 40 % 40, 0.4999 + 0.999 * (i / 1600)}, v[3] = {0};
        support_scene_add(&scene, at, v, 0.5, 1);
    }
    return scene;
}

/* Each rank has 8 bytes of each body, and the columns of its share: of 4,000 bodies 1,024 each, and
 * the rest on rank 0. Columns grow by a quarter. */
Test(ranks_creation, needs_memory_for_a_share)
{
    creation c = of_scene(gas_of(10));
    uint64_t whole, hash = run_alone(&c, &whole);
    run(&c);
    for (int k = 0; k < RANKS; ++k) {
        cr_assert(!c.status[k] && c.hash[k] == hash, "rank %d", k);
        cr_assert_lt(c.memory[k], 0.6 * (double)whole, "rank %d: %g times", k,
                     (double)c.memory[k] / (double)whole);
    }
    support_scene_free(&c.scene);
}

Test(ranks_creation, is_recorded_as_in_one_process)
{
    support_scene scenes[] = {gas_of(9), pile()};
    for (int s = 0; s < 2; ++s) {
        creation alone = of_scene(scenes[s]), ranks = of_scene(scenes[s]);
        uint64_t memory;
        alone.recorded = ranks.recorded = true;
        uint64_t hash = run_alone(&alone, &memory);
        run(&ranks);
        cr_assert_eq(ranks.hash[0], hash);
        cr_assert(ranks.recording.size == alone.recording.size &&
                      memcmp(ranks.recording.data, alone.recording.data, alone.recording.size) == 0,
                  "scene %d: %zu and %zu bytes", s, ranks.recording.size, alone.recording.size);
        support_file_free(&ranks.recording);
        support_file_free(&alone.recording);
        support_scene_free(&scenes[s]);
    }
}

Test(ranks_creation, out_of_memory_on_one_rank)
{
    support_scene scenes[] = {gas_of(9), pile()};
    for (int s = 0; s < 2; ++s) {
        creation c = of_scene(scenes[s]);
        uint64_t memory, hash = run_alone(&c, &memory);
        int failures = 0;
        do {
            c.fails_at = failures;
            failures += SUPPORT_SANITIZED ? 3 : 1;
            run(&c);
            for (int k = 0; k < RANKS; ++k) {
                cr_assert(c.status[k] == c.status[0] &&
                          (!c.status[k] || c.status[k] == KUGEL_ERROR_OUT_OF_MEMORY));
                cr_assert_eq(c.hash[k], hash, "scene %d, rank %d, allocation %d", s, k, failures);
            }
        } while (c.failed);
        cr_assert_geq(failures, 5, "allocations of the creation");
        support_scene_free(&scenes[s]);
    }
}

/* Shares that are not those of the ranks: a body would be on no rank, or on two. */
Test(ranks_creation, other_shares_are_refused)
{
    for (int wrong = 0; wrong < 2; ++wrong) {
        creation c = of_scene(gas_of(9));
        c.swapped = wrong == 0, c.unshared = wrong == 1;
        run(&c);
        for (int k = 0; k < RANKS; ++k)
            cr_assert_eq(c.status[k], KUGEL_ERROR_INVALID_ARGUMENT, "wrong %d, rank %d", wrong, k);
        support_scene_free(&c.scene);
    }
}

/* 2,744 bodies, in turn on the three ranks. User data may differ. */
Test(ranks_creation, other_bodies_are_refused)
{
    for (int body = 0; body <= 2700; body += 900) {
        creation c = of_scene(gas_of(14));
        c.another = body, c.named = true;
        run(&c);
        for (int k = 0; k < RANKS; ++k)
            cr_assert_eq(c.status[k], body ? KUGEL_ERROR_INVALID_ARGUMENT : KUGEL_OK, "body %d",
                         body);
        support_scene_free(&c.scene);
    }
}

static kugel_status no_reduction(void *context, kugel_reduction operation, uint64_t *values,
                                 size_t count)
{
    (void)context, (void)operation, (void)values, (void)count;
    return KUGEL_OK;
}

static kugel_status no_numbers(void *context, const uint64_t *sent, uint64_t *received)
{
    (void)context, (void)sent, (void)received;
    return KUGEL_OK;
}

static kugel_status no_words(void *context, const uint64_t *sent, const uint64_t *sent_words,
                             uint64_t *received, const uint64_t *received_words)
{
    (void)context, (void)sent, (void)sent_words, (void)received, (void)received_words;
    return KUGEL_OK;
}

/* Between kugel_ranks_share_creation and kugel_ranks_create a world can only be prepared. */
Test(ranks_creation, calls_are_refused_meanwhile)
{
    kugel_exchange exchange = {1, 2, NULL, no_reduction, no_numbers, no_words};
    support_scene scene = support_scene_start();
    kugel_world *world = support_scene_world(&scene), *clone;
    kugel_body_def def = kugel_body_def_default();
    kugel_body body;
    const support_plane plane = {.normal = {0, 0, 1}, .offset = -5};
    kugel_surface_def surface = kugel_surface_def_default();
    surface.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) surface.size[k] = 1;
    cr_assert_eq(kugel_ranks_share_creation(NULL, &exchange), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ranks_share_creation(world, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    exchange.rank = 2;
    cr_assert_eq(kugel_ranks_share_creation(world, &exchange), KUGEL_ERROR_INVALID_ARGUMENT);
    exchange.rank = 1;
    cr_assert_eq(kugel_ranks_share_creation(world, &exchange), KUGEL_OK);
    cr_assert_eq(kugel_ranks_share_creation(world, &exchange), KUGEL_ERROR_STATE);
    cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    cr_assert_eq(kugel_surface_destroy(world, kugel_world_surface(world, 0)), KUGEL_ERROR_STATE);
    cr_assert_eq(kugel_world_set_gravity(world, (double[3]){0, 0, -1}), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &def, &body), KUGEL_OK);
    cr_assert(kugel_body_id(body) == 0 && kugel_world_body_count(world) == 0,
              "the first bodies are those of rank 0");
    cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_ERROR_STATE);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "world");
    cr_assert_eq(kugel_body_destroy(world, body), KUGEL_ERROR_STATE);
    cr_assert_eq(kugel_body_set_velocity(world, body, plane.normal), KUGEL_ERROR_STATE);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_ERROR_STATE);
    kugel_world_destroy(world);

    support_scene_add(&scene, plane.normal, plane.normal, 0.5, 1);
    world = support_scene_world(&scene);
    cr_assert_eq(kugel_ranks_share_creation(world, &exchange), KUGEL_ERROR_STATE, "has a body");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
