/* Allocator hooks: steps in a steady state allocate nothing, every failed allocation returns out of
 * memory and changes nothing, nothing leaks, and memory per body stays within its limit. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "impact/subdomain_data.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"

/* An allocator that counts calls. Each block stores its size, which free must pass. */
typedef struct hook {
    uint64_t calls;             /* allocate and reallocate */
    uint64_t fail_at, fail_end; /* calls number fail_at ... fail_end - 1 (from 1) fail */
    uint64_t blocks, bytes;     /* allocated at present */
    uint64_t failures, wrong_sizes;
} hook;

enum { HEADER = 64 };

static bool fails(hook *h)
{
    h->calls += 1;
    if (h->calls < h->fail_at || h->calls >= h->fail_end) return false;
    h->failures += 1;
    return true;
}

static void *hook_allocate(void *user, size_t size)
{
    hook *h = user;
    if (fails(h)) return NULL;
    char *block = malloc(size + HEADER);
    memcpy(block, &size, sizeof size);
    memset(block + HEADER, 0xa5, size); /* new memory is not zero */
    h->blocks += 1, h->bytes += size;
    return block + HEADER;
}

static void hook_free(void *user, void *block, size_t size)
{
    hook *h = user;
    if (!block) return;
    char *start = (char *)block - HEADER;
    size_t real;
    memcpy(&real, start, sizeof real);
    h->wrong_sizes += real != size;
    h->blocks -= 1, h->bytes -= real;
    memset(start, 0x5a, real + HEADER); /* freed memory is overwritten */
    free(start);
}

static void *hook_reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    void *moved = hook_allocate(user, new_size);
    if (!moved) return NULL;
    memcpy(moved, block, old_size < new_size ? old_size : new_size);
    hook_free(user, block, old_size);
    return moved;
}

static void set_hook(support_scene *scene, hook *h)
{
    scene->def.allocator = (kugel_allocator){hook_allocate, hook_reallocate, hook_free, h};
}

static support_scene pile(uint32_t width, uint32_t height, support_random *random)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 1.05 * width, KUGEL_FACE_WALL);
    scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
    scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.5;
    scene.def.gravity[2] = -9.81;
    for (uint32_t i = 0; i < width * width * height; ++i) {
        uint32_t at[3] = {i % width, i / width % width, i / width / width};
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = 0.525 + 1.05 * at[k] + support_between(random, -0.02, 0.02);
        kugel_body_def *def = support_scene_add(&scene, x, NULL, 0.5, 1);
        def->restitution = 0, def->friction = 0.5;
    }
    return scene;
}

/* Runs `warm` ticks, then asserts that none of the next `steady` ticks allocates. The warm-up must
 * include the rarest extremes (many impacts in a tick, long neighbour lists). Arrays grow by half,
 * so that the extremes soon fit. A pile makes contacts until it has settled, 5 s after the drop. */
static void check_steady(support_scene *scene, uint32_t warm, uint32_t steady)
{
    hook h = {0};
    set_hook(scene, &h);
    kugel_world *world = support_scene_world(scene);
    support_run(world, 1 / 60., warm);
    uint64_t calls = h.calls;
    for (uint32_t tick = 0; tick < steady; ++tick) {
        support_run(world, 1 / 60., 1);
        cr_assert_eq(h.calls, calls, "an allocation in tick %u", warm + tick);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.memory, h.bytes, "stats.memory is %zu, the hooks gave %zu", stats.memory,
                 (size_t)h.bytes);
    kugel_world_destroy(world);
    cr_assert_eq(h.blocks, 0, "%u blocks leaked", (unsigned)h.blocks);
    cr_assert_eq(h.wrong_sizes, 0);
}

Test(allocation, steady_steps_of_a_gas_allocate_nothing)
{
    support_random random = support_random_start("allocation/gas", 800);
    support_scene scene = support_scene_gas(8, 0.2, KUGEL_FACE_PERIODIC, 5, &random);
    scene.count = 2000;
    check_steady(&scene, 200, 300);
    support_scene_free(&scene);
}

/* The warm-up includes ticks with many ghosts, for which subdomains reserve memory. */
Test(allocation, steady_steps_of_a_gas_with_subdomains_allocate_nothing)
{
    support_random random = support_random_start("allocation/zones", 810);
    support_scene scene = support_scene_tower(KUGEL_FACE_WALL, &random);
    scene.def.tasks.threads = 2;
    check_steady(&scene, 200, 100);
    support_scene_free(&scene);
}

/* Sleep is off, because the first sleep events would need memory for their list. */
Test(allocation, steady_steps_of_a_pile_allocate_nothing)
{
    support_random random = support_random_start("allocation/pile", 801);
    support_scene scene = pile(8, 8, &random);
    scene.count = 500;
    scene.def.sleep = false;
    check_steady(&scene, 400, 200);
    support_scene_free(&scene);
}

enum { TICKS = 12 };

/* A run in which a call that fails for lack of memory is repeated. */
typedef struct repeated_run {
    hook h;
    kugel_world *world;
    uint64_t hash[TICKS];
    uint32_t refusals;
} repeated_run;

/* The counters that describe the state, without those that describe work: a failed step may have
 * reserved memory and made lists. */
static kugel_stats state_counters(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    stats.memory = 0;
    stats.list_rebuilds = stats.list_refreshes = stats.neighbor_pairs = 0;
    return stats;
}

typedef struct before {
    uint64_t hash;
    kugel_stats stats;
    size_t impacts;
    kugel_impact last;
} before;

static before observe(const kugel_world *world)
{
    before b;
    memset(&b, 0, sizeof b);
    b.hash = kugel_world_hash(world);
    b.stats = state_counters(world);
    const kugel_impact *impacts = kugel_world_impact_events(world, &b.impacts);
    if (b.impacts) b.last = impacts[b.impacts - 1];
    return b;
}

static void check_refused(repeated_run *d, const before *was, kugel_status status, const char *what)
{
    before is = observe(d->world);
    cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY, "%s without memory: %s", what,
                 kugel_status_text(status));
    cr_assert_eq(is.hash, was->hash, "%s without memory changed the state (call %u)", what,
                 (unsigned)d->h.calls);
    cr_assert(!memcmp(&is.stats, &was->stats, sizeof is.stats),
              "%s without memory changed the counters", what);
    cr_assert(is.impacts == was->impacts && !memcmp(&is.last, &was->last, sizeof is.last),
              "%s without memory changed the events", what);
    d->refusals += 1;
    d->h.fail_end = 0; /* memory is available again */
}

static void add_bodies(repeated_run *d, const support_scene *scene, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; ++i) {
        before was = observe(d->world);
        kugel_status status = kugel_body_create(d->world, &scene->bodies[i], NULL);
        if (!status) continue;
        check_refused(d, &was, status, "adding a body");
        cr_assert_eq(kugel_body_create(d->world, &scene->bodies[i], NULL), KUGEL_OK);
    }
}

/* Destroying a body needs memory for the end events of its contacts. */
static void destroy_bodies(repeated_run *d, uint32_t end)
{
    for (uint32_t id = 0; id < end; id += 7) {
        kugel_body body = kugel_world_body(d->world, id);
        before was = observe(d->world);
        kugel_status status = kugel_body_destroy(d->world, body);
        if (!status) continue;
        check_refused(d, &was, status, "destroying a body");
        cr_assert_eq(kugel_body_destroy(d->world, body), KUGEL_OK);
    }
}

static void steps(repeated_run *d, uint32_t from, uint32_t to)
{
    for (uint32_t tick = from; tick < to; ++tick) {
        before was = observe(d->world);
        kugel_status status = kugel_world_step(d->world, 1 / 60.);
        if (status) {
            check_refused(d, &was, status, "a step");
            cr_assert_eq(kugel_world_step(d->world, 1 / 60.), KUGEL_OK);
        }
        d->hash[tick] = kugel_world_hash(d->world);
    }
}

/* Creates a world, adds bodies, steps, adds bodies, destroys some, steps. */
static void play(repeated_run *d, support_scene *scene)
{
    set_hook(scene, &d->h);
    kugel_status status = kugel_world_create(&scene->def, &d->world);
    if (status) {
        cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY, "create without memory: %s",
                     kugel_status_text(status));
        cr_assert_null(d->world);
        cr_assert_eq(d->h.blocks, 0, "a failed create keeps %u blocks", (unsigned)d->h.blocks);
        d->refusals += 1;
        d->h.fail_end = 0;
        cr_assert_eq(kugel_world_create(&scene->def, &d->world), KUGEL_OK);
    }
    uint32_t half = scene->count / 2;
    add_bodies(d, scene, 0, half);
    steps(d, 0, TICKS / 2);
    add_bodies(d, scene, half, scene->count);
    destroy_bodies(d, half);
    steps(d, TICKS / 2, TICKS);
    kugel_world_destroy(d->world);
    cr_assert_eq(d->h.blocks, 0, "%u blocks leaked", (unsigned)d->h.blocks);
    cr_assert_eq(d->h.wrong_sizes, 0);
}

/* Lets each allocation of the run fail: first alone, then together with all following ones of the
 * call. */
static void check_failures(support_scene *scene)
{
    repeated_run whole = {0};
    play(&whole, scene);
    cr_assert(whole.h.calls > 20, "only %u allocations", (unsigned)whole.h.calls);
    for (uint64_t at = 1; at <= whole.h.calls; at += SUPPORT_SANITIZED ? 4 : 1) {
        for (int all = 0; all < 2; ++all) {
            repeated_run d = {.h = {.fail_at = at, .fail_end = all ? UINT64_MAX : at + 1}};
            play(&d, scene);
            cr_assert_eq(d.refusals, 1, "allocation %u failed and %u calls said so", (unsigned)at,
                         d.refusals);
            cr_assert(!memcmp(d.hash, whole.hash, sizeof d.hash),
                      "after a failure of allocation %u the run is another", (unsigned)at);
        }
    }
}

Test(allocation, each_failure_of_a_gas_is_survived)
{
    support_random random = support_random_start("allocation/failures", 802);
    support_scene scene = support_scene_gas(3, 0.25, KUGEL_FACE_PERIODIC, 8, &random);
    check_failures(&scene);
    support_scene_free(&scene);
}

Test(allocation, each_failure_of_a_pile_is_survived)
{
    support_random random = support_random_start("allocation/failures", 803);
    support_scene scene = pile(4, 6, &random);
    scene.def.body_capacity = 16;
    scene.bodies[90].velocity[0] = 3e4; /* a body without a neighbour list */
    scene.bodies[40].gravity_scale = 0.5;
    check_failures(&scene);
    support_scene_free(&scene);
}

Test(allocation, each_failure_with_threads_is_survived)
{
    support_random random = support_random_start("allocation/failures", 804);
    support_scene scene = support_scene_gas(2, 0.2, KUGEL_FACE_WALL, 5, &random);
    scene.def.tasks.threads = 3;
    check_failures(&scene);
    support_scene_free(&scene);
}

/* Lets each allocation of the first steps on threads fail. @return the number of windows that
 * subdomains of a gas ran. */
static uint64_t check_step_failures(support_scene *scene)
{
    enum { STEPS = 4 };
    uint64_t hash[STEPS], made = 0, windows = 0;
    scene->def.tasks.threads = 3;
    for (uint64_t at = 0, last = 1; at <= last; at += at && SUPPORT_SANITIZED ? 3 : 1) {
        repeated_run d = {0};
        set_hook(scene, &d.h);
        d.world = support_scene_world(scene);
        made = d.h.calls;
        d.h.fail_at = at ? made + at : 0, d.h.fail_end = at ? UINT64_MAX : 0;
        steps(&d, 0, STEPS);
        if (at == 0) memcpy(hash, d.hash, sizeof hash), last = d.h.calls - made;
        cr_assert_eq(d.refusals, at > 0, "allocation %u", (unsigned)at);
        cr_assert(!memcmp(hash, d.hash, sizeof hash),
                  "after a failure of allocation %u the run is another", (unsigned)at);
        if (d.world->impact->subdomains) windows += d.world->impact->subdomains->windows;
        kugel_world_destroy(d.world);
        cr_assert_eq(d.h.blocks, 0);
    }
    return windows;
}

/* The first steps of a pile, which build its lists; the pile is large enough for threads. */
Test(allocation, each_failure_of_a_step_on_threads_is_survived)
{
    support_random random = support_random_start("allocation/failures", 807);
    support_scene scene = pile(17, 15, &random);
    check_step_failures(&scene);
    support_scene_free(&scene);
}

Test(allocation, each_failure_of_a_step_with_subdomains_is_survived)
{
    support_random random = support_random_start("allocation/failures", 809);
    support_scene scene = support_scene_tower(KUGEL_FACE_WALL, &random);
    uint64_t windows = check_step_failures(&scene);
    cr_assert_geq(windows, 30, "%g windows in subdomains: the test covers little", (double)windows);
    support_scene_free(&scene);
}

/* A ball comes to bodies at rest, most of which are aside, within a step: it wakes those that sleep
 * and lets their lists and contacts be made anew. Allocation `at` of those that follow its creation
 * fails, or with `all` each from then on; 0: none. Only setting bodies aside needs none: without
 * memory they stay where they are. @return the number of allocations. */
static uint64_t meet_without_memory(support_scene *scene, const kugel_body_def *ball, uint64_t at,
                                    bool all, uint64_t hash[TICKS])
{
    repeated_run d = {0};
    set_hook(scene, &d.h);
    d.world = support_scene_world(scene);
    support_run(d.world, 1 / 60., 200);
    uint32_t aside = d.world->aside.count;
    cr_assert_gt(aside, scene->count / 2, "few bodies are aside");
    cr_assert_eq(kugel_body_create(d.world, ball, NULL), KUGEL_OK);
    uint64_t made = d.h.calls;
    if (at) d.h.fail_at = made + at, d.h.fail_end = all ? UINT64_MAX : made + at + 1;
    steps(&d, 0, 1);
    bool met = d.world->aside.count < aside;
    steps(&d, 1, TICKS);
    bool unneeded = d.world->aside.refused;
    cr_assert(d.refusals == (at > 0) || (unneeded && d.refusals == 0),
              "allocation %u failed and %u steps said so", (unsigned)at, d.refusals);
    cr_assert(met, "the ball meets nothing");
    uint64_t needed = d.h.calls - made;
    if (!at) memcpy(hash, d.hash, sizeof d.hash);
    cr_assert(!memcmp(hash, d.hash, sizeof d.hash),
              "after a failure of allocation %u the run is another", (unsigned)at);
    kugel_world_destroy(d.world);
    cr_assert_eq(d.h.blocks, 0);
    return needed;
}

static void check_meeting(support_scene *scene, const kugel_body_def *ball)
{
    uint64_t hash[TICKS], count = meet_without_memory(scene, ball, 0, false, hash);
    for (uint64_t at = 1; at <= count; ++at) {
        meet_without_memory(scene, ball, at, false, hash);
        meet_without_memory(scene, ball, at, true, hash);
    }
    support_scene_free(scene);
}

static kugel_body_def ball_downward(double x, double y, double z, double speed)
{
    kugel_body_def ball = kugel_body_def_default();
    ball.radius = 0.4, ball.position[0] = x, ball.position[1] = y, ball.position[2] = z;
    ball.velocity[2] = -speed;
    return ball;
}

Test(allocation, each_failure_of_a_step_that_wakes_is_survived)
{
    support_random random = support_random_start("allocation/failures", 808);
    support_scene scene = pile(4, 2, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].rolling_resistance = 0.1;
    kugel_body_def ball = ball_downward(2.1, 2.1, 3, 60);
    check_meeting(&scene, &ball);
}

/* The first lists of the world are made in a step that finds it needs what is aside. */
Test(allocation, each_failure_of_a_step_that_meets_static_bodies_is_survived)
{
    support_scene scene = {.def = kugel_world_def_default()};
    for (uint32_t i = 0; i < 20; ++i) {
        double x[3] = {1.1 * i, 0, 0};
        support_scene_add(&scene, x, NULL, 0.5, 1)->type = KUGEL_STATIC;
    }
    kugel_body_def ball = ball_downward(5, 0, 4, 600);
    check_meeting(&scene, &ball);
}

static double bytes_per_body(const support_scene *scene, uint32_t ticks)
{
    kugel_world *world = support_scene_world(scene);
    kugel_stats stats;
    double most = 0;
    for (uint32_t tick = 0; tick < ticks; ++tick) {
        support_run(world, 1 / 60., 1);
        kugel_world_stats(world, &stats);
        if (stats.memory > most) most = (double)stats.memory;
    }
    kugel_world_destroy(world);
    return most / scene->count;
}

Test(allocation, memory_a_body_in_a_gas_of_10000)
{
    support_random random = support_random_start("allocation/bytes", 805);
    support_scene scene = support_scene_gas(14, 0.1, KUGEL_FACE_PERIODIC, 5, &random);
    scene.count = 10000;
    double bytes = bytes_per_body(&scene, 60);
    /* 24 of them are images and crossings, 64 the rotation and its working copy, 8 the steps in
     * which it moved and was placed, 1 a flag of the contact stage */
    cr_assert(bytes <= 467, "%g bytes a body", bytes);
    support_scene_free(&scene);
}

/* A body needs as much memory as in a gas. Each resting contact adds 40 bytes, 40 for the working
 * copy, 96 for the solver's row, 40 for its begin event, and spare capacity. */
Test(allocation, memory_a_body_and_contact_in_a_pile_of_10000)
{
    support_random random = support_random_start("allocation/bytes", 806);
    support_scene scene = pile(28, 13, &random);
    scene.count = 10000;
    kugel_world *world = support_scene_world(&scene);
    kugel_stats stats;
    support_run(world, 1 / 60., 60);
    kugel_world_stats(world, &stats);
    double contacts = (double)stats.resting_contacts / scene.count,
           bytes = (double)stats.memory / scene.count;
    cr_assert(contacts > 1, "only %g contacts a body", contacts);
    cr_assert(bytes <= 500 + 240 * contacts, "%g bytes a body with %g contacts each", bytes,
              contacts);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
