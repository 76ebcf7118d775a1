/* The pair filter: it agrees bit for bit with groups and with materials that say the same, on any
 * number of threads; it is recorded, and a player with the same callback plays the same bits. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

enum { GROUPS = 3 };

static uint32_t group_of(kugel_body body) { return 1 + kugel_body_id(body) % GROUPS; }

/* Key 0: bodies of one group do not interact. Key 1: all do, with the surface of `user`. */
static bool decide(void *user, uint64_t key, kugel_pair *pair)
{
    const kugel_pair *surface = user;
    cr_assert_lt(kugel_body_id(pair->a), kugel_body_id(pair->b));
    if (key == 0) return group_of(pair->a) != group_of(pair->b);
    pair->restitution = surface->restitution;
    pair->friction = surface->friction;
    pair->rolling_resistance = surface->rolling_resistance;
    pair->tangential_restitution = surface->tangential_restitution;
    return true;
}

/* Bodies that fall into a box and pile up, or a gas without gravity. */
static support_scene crowd(uint32_t count, bool falls)
{
    support_random random = support_random_start("pairs", 1);
    support_mix mix = {.count = count,
                       .length = 1.7 * cbrt(count),
                       .radius = {0.4, 0.5},
                       .mass = {1, 2},
                       .sigma = 2,
                       .face = KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    if (falls) {
        scene.def.gravity[2] = -10, scene.def.bounce_threshold = 0.5, scene.def.slop = 0.01;
        scene.def.substeps = 4, scene.def.bounds.friction = 0.5;
        scene.def.bounds.restitution = 0.2;
    }
    return scene;
}

static kugel_world *make(const support_scene *scene, uint32_t threads,
                         const kugel_pair_filter *filter)
{
    support_scene copy = *scene;
    copy.def.tasks.threads = threads;
    kugel_world *world = support_scene_world(&copy);
    if (filter) cr_assert_eq(kugel_world_set_pair_filter(world, filter), KUGEL_OK);
    return world;
}

/* Steps both worlds; their hashes are equal at each tick. */
static void check_same(kugel_world *one, kugel_world *other, int ticks, const char *what)
{
    for (int tick = 0; tick < ticks; ++tick) {
        support_run(one, 1 / 60., 1);
        support_run(other, 1 / 60., 1);
        cr_assert_eq(kugel_world_hash(one), kugel_world_hash(other), "%s: tick %d", what, tick);
    }
    kugel_world_destroy(one);
    kugel_world_destroy(other);
}

Test(pairs, excluded_pairs_are_those_of_equal_groups)
{
    for (int falls = 0; falls < 2; ++falls) {
        support_scene plain = crowd(400, falls), grouped = crowd(400, falls);
        for (uint32_t i = 0; i < grouped.count; ++i) grouped.bodies[i].group = group_of(i);
        const kugel_pair_filter filter = {.decide = decide};
        check_same(make(&plain, 1, &filter), make(&grouped, 1, NULL), 90, falls ? "pile" : "gas");
        support_scene_free(&plain), support_scene_free(&grouped);
    }
}

/* Every contact is one of bodies: they fall on a large static ball. */
static support_scene crowd_on_a_ball(void)
{
    support_scene scene = crowd(300, true);
    for (int k = 0; k < 6; ++k) scene.def.bounds.faces[k] = KUGEL_FACE_OPEN;
    kugel_body_def *ground = support_scene_add(&scene, (double[3]){6, 6, -1e3}, NULL, 1e3, 1);
    ground->type = KUGEL_STATIC;
    return scene;
}

Test(pairs, a_changed_surface_is_that_of_equal_materials)
{
    kugel_pair surface = {.restitution = 0.4,
                          .friction = 0.3,
                          .rolling_resistance = 0.01,
                          .tangential_restitution = 0.7};
    support_scene plain = crowd_on_a_ball(), made = crowd_on_a_ball();
    for (uint32_t i = 0; i < made.count; ++i) {
        plain.bodies[i].restitution = 0.8, plain.bodies[i].friction = 0.1;
        made.bodies[i].restitution = surface.restitution;
        made.bodies[i].friction = surface.friction;
        made.bodies[i].rolling_resistance = surface.rolling_resistance;
        made.bodies[i].tangential_restitution = surface.tangential_restitution;
    }
    const kugel_pair_filter filter = {.decide = decide, .user = &surface, .key = 1};
    kugel_world *world = make(&plain, 1, &filter);
    kugel_stats stats;
    support_run(world, 1 / 60., 150);
    kugel_world_stats(world, &stats);
    cr_assert(stats.impacts_total > 100 && stats.resting_contacts > 100);
    kugel_world_destroy(world);
    check_same(make(&plain, 1, &filter), make(&made, 1, NULL), 150, "pile");
    support_scene_free(&plain), support_scene_free(&made);
}

Test(pairs, threads_change_no_bit)
{
    for (int falls = 0; falls < 2; ++falls) {
        support_scene scene = crowd(6000, falls);
        const kugel_pair_filter filter = {.decide = decide};
        check_same(make(&scene, 1, &filter), make(&scene, 4, &filter), 12, falls ? "pile" : "gas");
        support_scene_free(&scene);
    }
}

/* A tower of elastic bodies is large enough for subdomains, which are used without a filter. */
Test(pairs, subdomains_report_no_excluded_impact)
{
    support_random random = support_random_start("pairs/tower", 1);
    support_scene scene = support_scene_tower(KUGEL_FACE_PERIODIC, &random);
    const kugel_pair_filter filter = {.decide = decide};
    kugel_world *world = make(&scene, 4, &filter), *other = make(&scene, 1, &filter);
    size_t impacts = 0, count;
    for (int tick = 0; tick < 10; ++tick) {
        support_run(world, 1 / 60., 1);
        const kugel_impact *list = kugel_world_impact_events(world, &count);
        for (size_t k = 0; k < count; ++k)
            cr_assert(!list[k].b || group_of(list[k].a) != group_of(list[k].b));
        impacts += count;
    }
    cr_assert_gt(impacts, 500);
    support_run(other, 1 / 60., 10);
    cr_assert_eq(kugel_world_hash(world), kugel_world_hash(other));
    kugel_world_destroy(world), kugel_world_destroy(other);
    support_scene_free(&scene);
}

static bool odd_numbers(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key;
    pair->restitution = NAN, pair->friction = -1, pair->rolling_resistance = INFINITY;
    pair->tangential_restitution = -2;
    return true;
}

Test(pairs, numbers_out_of_range_are_limited)
{
    kugel_pair limits = {
        .restitution = 0.6, .friction = 0, .rolling_resistance = 1e6, .tangential_restitution = -1};
    support_scene scene = crowd(60, true);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].restitution = 0.6;
    const kugel_pair_filter odd = {.decide = odd_numbers},
                            even = {.decide = decide, .user = &limits, .key = 1};
    check_same(make(&scene, 1, &odd), make(&scene, 1, &even), 60, "limits");
    support_scene_free(&scene);
}

/* Balls 1 to 3 sleep on static ball 0, which is in the group of ball 3. */
Test(pairs, setting_the_filter_wakes_and_ends_contacts)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    kugel_world *world;
    kugel_body ball[4];
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_body_def body = kugel_body_def_default();
    body.type = KUGEL_STATIC, body.radius = 1e4;
    kugel_body_create(world, &body, &ball[0]);
    body.type = KUGEL_DYNAMIC, body.radius = 0.5, body.position[2] = 1e4 + 0.5;
    for (int k = 1; k < 4; ++k) {
        body.position[0] = 2 * k;
        kugel_body_create(world, &body, &ball[k]);
    }
    support_run(world, 1 / 60., 90);
    kugel_body_state s;
    for (int k = 1; k < 4; ++k) {
        kugel_body_get(world, ball[k], &s);
        cr_assert(s.asleep && s.contacts == 1);
    }
    const kugel_pair_filter filter = {.decide = decide};
    cr_assert_eq(kugel_world_set_pair_filter(world, &filter), KUGEL_OK);
    for (int k = 1; k < 4; ++k) {
        kugel_body_get(world, ball[k], &s);
        cr_assert(!s.asleep && s.contacts == (k < 3));
    }
    size_t count;
    support_run(world, 1 / 60., 1);
    const kugel_touch *end = kugel_world_end_events(world, &count);
    cr_assert(count == 1 && end->time == 0 && end->a == ball[0] && end->b == ball[3]);
    support_run(world, 1 / 60., 59);
    for (int k = 1; k < 4; ++k) {
        kugel_body_get(world, ball[k], &s);
        /* 5 m of free fall in a second, or at most the slop */
        cr_assert_float_eq(s.position[2], 1e4 + (k < 3 ? 0.5 : -4.5), 0.01, "ball %d", k);
    }
    cr_assert_eq(kugel_world_set_pair_filter(world, NULL), KUGEL_OK);
    kugel_pair_filter now;
    cr_assert_eq(kugel_world_get_pair_filter(world, &now), KUGEL_OK);
    cr_assert(!now.decide && !now.user && !now.key);
    kugel_world_destroy(world);
}

Test(pairs, null_arguments_are_refused)
{
    kugel_pair_filter filter = {.decide = decide};
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_set_pair_filter(NULL, &filter), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_get_pair_filter(NULL, &filter), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_get_pair_filter(world, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_player_set_pair_filter(NULL, decide, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
}

static kugel_pair slippery = {.restitution = 0.9};

/* Groups from tick 10, another surface from tick 30, no filter from tick 50. */
static void change(kugel_world *world, int tick)
{
    kugel_pair_filter filter = {.decide = decide, .user = &slippery, .key = tick >= 30};
    kugel_status status = KUGEL_OK;
    if (tick == 10 || tick == 30) status = kugel_world_set_pair_filter(world, &filter);
    if (tick == 50) status = kugel_world_set_pair_filter(world, NULL);
    cr_assert_eq(status, KUGEL_OK);
}

enum { TICKS = 70 };

/* `from`: the tick at which the recording starts. */
static support_file record(int from, uint32_t ring_ticks, uint64_t hashes[TICKS])
{
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, true);
    recording.keyframe_ticks = 8, recording.ring_ticks = ring_ticks;
    support_scene scene = crowd(100, true);
    kugel_world *world = make(&scene, 1, NULL);
    for (int tick = 0; tick < TICKS; ++tick) {
        if (tick == from) cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
        change(world, tick);
        support_run(world, 1 / 60., 1);
        hashes[tick] = kugel_world_hash(world);
    }
    if (ring_ticks)
        cr_assert_eq(kugel_world_recording_dump(world, support_file_write, &file), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return file;
}

static kugel_player *open_player(const support_file *file, uint32_t threads, kugel_pair *surface)
{
    kugel_player *player;
    cr_assert_eq(kugel_player_open(file->data, file->size, NULL, NULL, threads, &player, NULL),
                 KUGEL_OK);
    cr_assert_eq(kugel_player_set_pair_filter(player, decide, surface), KUGEL_OK);
    return player;
}

static int play(kugel_player *player)
{
    int ticks = 0;
    while (kugel_player_step(player, NULL) == KUGEL_PLAY_TICK) ticks += 1;
    return ticks;
}

Test(pairs, a_recording_is_played_to_the_same_bits)
{
    static const struct {
        int from;
        uint32_t ring;
    } rows[] = {{0, 0}, {20, 0}, {40, 0}, {60, 0}, {0, 12}, {0, 24}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        uint64_t hashes[TICKS];
        support_file file = record(rows[r].from, rows[r].ring, hashes);
        for (uint32_t threads = 1; threads < 4; threads += 2) {
            kugel_player *player = open_player(&file, threads, &slippery);
            kugel_recording_info info;
            kugel_player_info(player, &info);
            int ticks = play(player), first = TICKS - (int)info.ticks;
            cr_assert_eq(ticks, (int)info.ticks, "row %zu: %d of %d", r, ticks, (int)info.ticks);
            for (int pass = 0; pass < 2; ++pass) { /* the second one from cached keyframes */
                for (int tick = ticks; tick > 0; tick -= 3) {
                    cr_assert_eq(kugel_player_seek(player, (uint64_t)tick), KUGEL_PLAY_TICK);
                    cr_assert_eq(kugel_world_hash(kugel_player_world(player)),
                                 hashes[first + tick - 1], "row %zu: seek to %d", r, tick);
                }
                kugel_player_cache_keyframes(player, 1 << 20);
                kugel_player_seek(player, 0);
                while (kugel_player_step(player, NULL) == KUGEL_PLAY_TICK) continue;
            }
            kugel_player_close(player);
        }
        support_file_free(&file);
    }
}

Test(pairs, a_player_without_the_callback_says_so)
{
    uint64_t hashes[TICKS];
    support_file file = record(0, 0, hashes);
    kugel_player *player = support_open_player(&file);
    cr_assert_eq(play(player), 10);
    const kugel_error *error = kugel_player_error(player);
    cr_assert_eq(error->status, KUGEL_ERROR_STATE);
    cr_assert_str_eq(error->argument, "pair_filter");
    cr_assert_eq(kugel_player_set_pair_filter(player, decide, &slippery), KUGEL_OK);
    cr_assert_eq(kugel_player_seek(player, 10), KUGEL_PLAY_TICK);
    cr_assert_eq(play(player), TICKS - 10);
    kugel_player_close(player);
    support_file_free(&file);
}

static bool count_calls(void *user, uint64_t key, kugel_pair *pair)
{
    __atomic_fetch_add((uint64_t *)user, 1, __ATOMIC_RELAXED);
    return decide(&slippery, key, pair);
}

/* The world of the player and cached keyframes use the present callback, too. */
Test(pairs, a_replaced_callback_is_not_called)
{
    uint64_t hashes[TICKS], first = 0, second = 0;
    support_file file = record(0, 0, hashes);
    kugel_player *player = support_open_player(&file);
    cr_assert_eq(kugel_player_set_pair_filter(player, count_calls, &first), KUGEL_OK);
    kugel_player_cache_keyframes(player, 1 << 20);
    cr_assert_eq(kugel_player_seek(player, 45), KUGEL_PLAY_TICK);
    cr_assert_gt(first, 0);
    cr_assert_eq(kugel_player_set_pair_filter(player, count_calls, &second), KUGEL_OK);
    first = 0;
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
    cr_assert_gt(second, 0);
    for (uint64_t tick = 47; tick > 40; --tick)
        cr_assert_eq(kugel_player_seek(player, tick), KUGEL_PLAY_TICK);
    cr_assert_eq(kugel_player_seek(player, 47), KUGEL_PLAY_TICK);
    cr_assert_eq(first, 0);
    cr_assert_eq(kugel_world_hash(kugel_player_world(player)), hashes[46]);
    /* without one the world that used it stops, until there is one again */
    cr_assert_eq(kugel_player_set_pair_filter(player, NULL, NULL), KUGEL_OK);
    second = 0;
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_ERROR);
    cr_assert_eq(kugel_player_error(player)->status, KUGEL_ERROR_STATE);
    cr_assert_eq(kugel_player_seek(player, 30), KUGEL_PLAY_ERROR);
    cr_assert_eq(second, 0);
    cr_assert_eq(kugel_player_set_pair_filter(player, count_calls, &first), KUGEL_OK);
    cr_assert_eq(kugel_player_seek(player, 48), KUGEL_PLAY_TICK);
    cr_assert_eq(kugel_world_hash(kugel_player_world(player)), hashes[47]);
    kugel_player_close(player);
    support_file_free(&file);
}

Test(pairs, another_callback_is_a_difference)
{
    kugel_pair sticky = {.friction = 2};
    uint64_t hashes[TICKS];
    support_file file = record(0, 0, hashes);
    kugel_player *player = open_player(&file, 1, &sticky);
    int ticks = play(player); /* the surface is used from tick 30 on */
    cr_assert(ticks >= 30 && ticks < TICKS, "%d ticks agree", ticks);
    kugel_player_close(player);
    support_file_free(&file);
}

static kugel_status change_filter(void *user, kugel_world *world, uint64_t tick)
{
    kugel_pair_filter filter = {.decide = decide, .user = &slippery, .key = tick % 2};
    (void)user;
    return tick % 16 == 5 ? kugel_world_set_pair_filter(world, &filter) : KUGEL_OK;
}

Test(pairs, clones_and_sync_tests_keep_it)
{
    support_scene scene = crowd(100, true);
    const kugel_pair_filter filter = {.decide = decide};
    kugel_world *world = make(&scene, 1, &filter), *clone;
    support_run(world, 1 / 60., 20);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    kugel_sync_def sync = kugel_sync_def_default();
    kugel_sync_report report;
    sync.input = change_filter;
    cr_assert_eq(kugel_sync_test(clone, &sync, &report), KUGEL_OK);
    cr_assert(report.same, "tick %d differs", (int)report.divergence.tick);
    kugel_world_destroy(clone);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    check_same(world, clone, 30, "clone");
    support_scene_free(&scene);
}

/* Calls of a filter that breaks its rule: each is refused, and the world goes on as if not made.
 * test_callbacks.c has all functions. */
static void use_world(kugel_world *world, kugel_body body)
{
    static const double v[3] = {1, 2, 3};
    const kugel_body_def def = kugel_body_def_default();
    kugel_body made;
    const kugel_status refused[] = {
        kugel_body_create(world, &def, &made),    kugel_body_destroy(world, body),
        kugel_body_set_position(world, body, v),  kugel_body_apply_impulse(world, body, v, NULL),
        kugel_world_set_pair_filter(world, NULL), kugel_world_step(world, 1),
        kugel_world_set_gravity(world, v),        kugel_world_prepare_queries(world),
    };
    for (size_t k = 0; k < sizeof refused / sizeof *refused; ++k)
        cr_assert_eq(refused[k], KUGEL_ERROR_STATE, "call %zu: %d", k, (int)refused[k]);
    kugel_world_destroy(world);
}

typedef struct rule_breaker {
    kugel_world *world;
    uint32_t calls;
} rule_breaker;

static bool break_rule(void *user, uint64_t key, kugel_pair *pair)
{
    rule_breaker *breaker = user;
    if (key && breaker->calls++ < 50) use_world(breaker->world, pair->a);
    return true;
}

Test(pairs, a_filter_cannot_use_the_world)
{
    support_scene scene = crowd(100, true);
    rule_breaker breaker = {NULL, 0};
    kugel_pair_filter filter = {.decide = break_rule, .user = &breaker, .key = 0};
    for (uint32_t k = 0; k < scene.count; ++k) scene.bodies[k].restitution = 0;
    kugel_world *obeys = make(&scene, 1, &filter), *breaks = make(&scene, 1, &filter);
    support_run(obeys, 1 / 60., 90), support_run(breaks, 1 / 60., 90);
    cr_assert_eq(kugel_world_set_pair_filter(obeys, &filter), KUGEL_OK);
    filter.key = 1, breaker.world = breaks;
    cr_assert_eq(kugel_world_set_pair_filter(breaks, &filter), KUGEL_OK);
    cr_assert_gt(breaker.calls, 0, "resting contacts are tested at once");
    breaker.calls = 0;
    check_same(obeys, breaks, 5, "after calls");
    cr_assert_gt(breaker.calls, 0);
    support_scene_free(&scene);
}

typedef struct failing_rule {
    bool fails;
    uint32_t after, calls;
} failing_rule;

/* Groups, as key 0 of decide. A rule that fails lets all pairs interact, and reports it from call
 * number `after` on. */
static bool fail(void *user, uint64_t key, kugel_pair *pair)
{
    failing_rule *rule = user;
    uint32_t call = __atomic_fetch_add(&rule->calls, 1, __ATOMIC_RELAXED);
    pair->failed = rule->fails && call >= rule->after;
    return rule->fails || decide(NULL, key, pair);
}

/* Allocates the snapshot. */
static support_file save(kugel_world *world)
{
    size_t size, capacity = support_snapshot_room(world, true);
    support_file file = {.data = malloc(capacity)};
    cr_assert_eq(kugel_snapshot_save(world, true, file.data, capacity, &size), KUGEL_OK);
    file.size = size;
    return file;
}

static void check_unchanged(kugel_world *world, support_file *before, const char *what)
{
    support_file now = save(world);
    cr_assert(now.size == before->size && !memcmp(now.data, before->data, now.size), "%s", what);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "pair_filter");
    support_file_free(&now);
}

/* Steps that fail leave the world as it was, and it goes on as if the filter had not failed. */
Test(pairs, a_filter_that_fails_ends_the_call)
{
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        support_scene scene = crowd(threads == 1 ? 100 : 6000, true);
        failing_rule failing = {0}, sound = {0};
        kugel_pair_filter filter = {.decide = fail, .user = &failing};
        kugel_world *world = make(&scene, threads, &filter);
        filter.user = &sound;
        kugel_world *other = make(&scene, 1, &filter);
        int ticks = threads == 1 ? 60 : 6;
        for (int tick = 0; tick < ticks; ++tick) {
            support_file before = save(world);
            failing = (failing_rule){.fails = true, .after = 20};
            kugel_status status = kugel_world_step(world, 1 / 60.);
            cr_assert_eq(status, failing.calls > 20 ? KUGEL_ERROR_STATE : KUGEL_OK, "%d", tick);
            if (status) check_unchanged(world, &before, "after a step");
            else kugel_snapshot_restore(world, before.data, before.size);
            failing.fails = false;
            support_run(world, 1 / 60., 1), support_run(other, 1 / 60., 1);
            cr_assert_eq(kugel_world_hash(world), kugel_world_hash(other), "tick %d", tick);
            support_file_free(&before);
        }
        kugel_world_destroy(world), kugel_world_destroy(other);
        support_scene_free(&scene);
    }
}

Test(pairs, a_filter_that_fails_is_not_set)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_body_def ball = kugel_body_def_default();
    ball.type = KUGEL_STATIC;
    kugel_body_create(world, &ball, NULL);
    ball.type = KUGEL_DYNAMIC, ball.position[2] = 1;
    kugel_body_create(world, &ball, NULL);
    support_run(world, 1 / 60., 20);
    failing_rule failing = {.fails = true};
    const kugel_pair_filter filter = {.decide = fail, .user = &failing};
    support_file before = save(world);
    cr_assert_eq(kugel_world_set_pair_filter(world, &filter), KUGEL_ERROR_STATE);
    cr_assert_gt(failing.calls, 0, "resting contacts are tested at once");
    check_unchanged(world, &before, "after the call");
    kugel_pair_filter now;
    cr_assert_eq(kugel_world_get_pair_filter(world, &now), KUGEL_OK);
    cr_assert(!now.decide);
    failing = (failing_rule){.fails = true, .after = 1};
    cr_assert_eq(kugel_world_set_pair_filter(world, &filter), KUGEL_OK);
    cr_assert_eq(failing.calls, 1, "asked %u times for one contact", failing.calls);
    kugel_world_destroy(world);
    support_file_free(&before);
}

/* A step that another error ends may have called the filter, and the filter may have failed. The
 * next change of the filter, or the next step, succeeds. */
Test(pairs, a_failure_in_a_refused_step_is_forgotten)
{
    for (int steps = 0; steps < 2; ++steps) {
        support_scene scene = crowd(100, true);
        scene.def.step_event_limit = 1;
        failing_rule failing = {.fails = true};
        const kugel_pair_filter filter = {.decide = fail, .user = &failing};
        kugel_world *world = make(&scene, 1, &filter);
        kugel_status status = KUGEL_OK;
        for (int tick = 0; tick < 60 && !status; ++tick) status = kugel_world_step(world, 1 / 60.);
        cr_assert_eq(status, KUGEL_ERROR_LIMIT);
        cr_assert_gt(failing.calls, 0);
        failing.fails = false;
        for (uint32_t id = 1; id < scene.count && steps; ++id) /* so that the limit suffices */
            cr_assert_eq(kugel_body_destroy(world, kugel_world_body(world, id)), KUGEL_OK);
        if (steps) cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        else cr_assert_eq(kugel_world_set_pair_filter(world, NULL), KUGEL_OK);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
