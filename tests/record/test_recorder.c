/* Recording: which calls are recorded, when they reach the file, and how a recording ends when the
 * file or the memory fails. The recorded world stays bit-identical. */
#include <criterion/criterion.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_memory.h"
#include "support/support_scene.h"

/* Every call is recorded: the player makes the same hashes and states from the file alone. */
Test(recorder, every_call_is_played_back)
{
    uint64_t hashes[SUPPORT_TICKS];
    for (int states = 0; states < 2; ++states) {
        support_file file = support_record(SUPPORT_TICKS, states, 1, 4, hashes);
        kugel_player *player;
        cr_assert_eq(kugel_player_open(file.data, file.size, NULL, NULL, 1, &player, NULL),
                     KUGEL_OK);
        for (int tick = 0; tick < SUPPORT_TICKS; ++tick) {
            kugel_divergence d = {0};
            kugel_play play = kugel_player_step(player, &d);
            cr_assert_eq(play, KUGEL_PLAY_TICK, "tick %d: %d, field %s", tick, play, d.field);
            cr_assert_eq(kugel_player_hash(player, (uint64_t)tick + 1), hashes[tick]);
            cr_assert_eq(kugel_world_hash(kugel_player_world(player)), hashes[tick]);
        }
        cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_END);
        kugel_player_close(player);
        support_file_free(&file);
    }
}

/* The calls matter: leaving one out of the run changes the hashes from its tick on. A test of the
 * test above: hashes that never changed would pass it. */
Test(recorder, a_different_push_is_another_run)
{
    uint64_t a[SUPPORT_TICKS], b[SUPPORT_TICKS];
    support_file one = support_record(SUPPORT_TICKS, false, 1, 4, a);
    support_file two = support_record(SUPPORT_TICKS, false, 1, 4.0000000001, b);
    for (int k = 0; k < SUPPORT_TICKS; ++k) cr_assert_eq(a[k] == b[k], k < 40, "tick %d", k + 1);
    support_file_free(&one);
    support_file_free(&two);
}

/* The same calls give the same bytes, whatever the threads. */
Test(recorder, bytes_do_not_depend_on_threads)
{
    support_file one = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    support_file three = support_record(SUPPORT_TICKS, true, 3, 4, NULL);
    cr_assert_eq(one.size, three.size);
    cr_assert_eq(memcmp(one.data, three.data, one.size), 0);
    support_file_free(&one);
    support_file_free(&three);
}

/* A world as it was made, and a recording of it. */
typedef struct fixture {
    kugel_world *world;
    support_file file;
    support_memory memory;
} fixture;

static void start(fixture *f, bool states)
{
    kugel_world_def def = support_drive_def();
    kugel_recording_def recording = support_recording_def(&f->file, states);
    def.allocator = support_allocator(&f->memory);
    cr_assert_eq(kugel_world_create(&def, &f->world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(f->world, &recording), KUGEL_OK);
}

/* A killed process loses at most 30 ticks: that is what the header says. */
Test(recorder, thirty_ticks_reach_the_file)
{
    fixture f = {0};
    start(&f, true);
    support_drive_fill(f.world);
    for (int tick = 1; tick <= 100; ++tick) {
        cr_assert_eq(kugel_world_step(f.world, 0.01), KUGEL_OK);
        long played = support_play(f.file.data, f.file.size, 1);
        cr_assert(played >= 0 && played > tick - 30, "%ld of %d ticks", played, tick);
    }
    kugel_world_destroy(f.world); /* no closing chunk */
    cr_assert_eq(f.memory.bytes, 0);
    cr_assert_eq(support_play(f.file.data, f.file.size, 1), 90);
    support_file_free(&f.file);
}

/* Many bodies before the first step do not pile up in memory: they leave in chunks. */
Test(recorder, bodies_before_the_first_step_are_written_in_chunks)
{
    fixture f = {0};
    start(&f, true);
    kugel_body_def def = kugel_body_def_default();
    def.radius = 0.01;
    for (int i = 0; i < 3000; ++i) {
        def.position[0] = -5 + 0.1 * (i % 100);
        def.position[1] = -5 + 0.1 * (i / 100 % 100);
        cr_assert_eq(kugel_body_create(f.world, &def, NULL), KUGEL_OK);
    }
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&f.file, KG_TYPE_TICK, 5, &at, &view), "3000 bodies, 480 kB");
    cr_assert_eq(kugel_world_step(f.world, 0.01), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(f.world), KUGEL_OK);
    kugel_world_destroy(f.world);
    cr_assert_eq(support_play(f.file.data, f.file.size, 1), 1);
    support_file_free(&f.file);
}

/* A step takes no memory for its recording once the buffers have their size: a recorded world
 * allocates as often as one that is not recorded. */
Test(recorder, no_allocation_in_a_steady_step)
{
    uint64_t counts[2];
    for (int recorded = 0; recorded < 2; ++recorded) {
        fixture f = {0};
        start(&f, true);
        if (!recorded) cr_assert_eq(kugel_world_recording_stop(f.world), KUGEL_OK);
        support_drive_fill(f.world);
        for (int tick = 0; tick < 100; ++tick) kugel_world_step(f.world, 0.01);
        uint64_t before = f.memory.allocations;
        for (int tick = 0; tick < 400; ++tick) kugel_world_step(f.world, 0.01);
        counts[recorded] = f.memory.allocations - before;
        kugel_world_destroy(f.world);
        support_file_free(&f.file);
    }
    cr_assert_eq(counts[1], counts[0], "%llu allocations with, %llu without a recorder",
                 (unsigned long long)counts[1], (unsigned long long)counts[0]);
}

/* A start that lacks memory at any allocation has written nothing, so the next start with the same
 * file makes a recording. A start of which the first write failed has no recording either. */
Test(recorder, a_refused_start_writes_nothing)
{
    kugel_world_def def = support_drive_def();
    support_memory memory = {0};
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, true);
    kugel_world *world;
    def.allocator = support_allocator(&memory);
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_drive_fill(world);
    support_run(world, 1 / 60., 20);
    int refused = 0;
    kugel_status status;
    do {
        support_memory_arm(&memory, refused);
        status = kugel_world_recording_start(world, &recording);
        support_memory_arm(&memory, -1);
        if (!status) break;
        cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY, "allocation %d", refused);
        cr_assert_eq(file.size, 0, "allocation %d", refused);
        refused += 1;
    } while (refused < 1000);
    cr_assert(!status && refused > 5, "%d refused", refused);
    support_run(world, 1 / 60., 20);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    cr_assert_eq(support_play(file.data, file.size, 1), 20);
    kugel_world_destroy(world);
    support_file_free(&file);
}

/* The callback fails at its n-th call, for every n: steps succeed with the same hashes, the status
 * says so from then on and at the end, and what was written is a readable recording. */
Test(recorder, a_failing_file_ends_the_recording_only)
{
    uint64_t hashes[SUPPORT_TICKS];
    support_file whole = support_record(SUPPORT_TICKS, true, 1, 4, hashes);
    cr_assert_gt(whole.writes, 5);
    for (uint32_t fail_at = 1; fail_at <= whole.writes; ++fail_at) {
        fixture f = {0};
        kugel_world_def def = support_drive_def();
        kugel_recording_def recording = support_recording_def(&f.file, true);
        f.file.fail_at = fail_at;
        cr_assert_eq(kugel_world_create(&def, &f.world), KUGEL_OK);
        kugel_status status = kugel_world_recording_start(f.world, &recording);
        bool started = fail_at > 1; /* magic, HEAD, MADE, NOTE in one call */
        cr_assert_eq(status, started ? KUGEL_OK : KUGEL_ERROR_IO, "write %u", fail_at);
        support_drive_fill(f.world);
        for (uint64_t tick = 0; tick < SUPPORT_TICKS; ++tick) {
            support_drive_calls(f.world, tick, 4);
            cr_assert_eq(kugel_world_step(f.world, 1 / 60.), KUGEL_OK);
            cr_assert_eq(kugel_world_hash(f.world), hashes[tick]);
            bool failed = started && f.file.writes >= fail_at;
            status = kugel_world_recording_status(f.world);
            cr_assert_eq(status, failed ? KUGEL_ERROR_IO : KUGEL_OK, "write %u", fail_at);
        }
        status = kugel_world_recording_stop(f.world);
        cr_assert_eq(status, started ? KUGEL_ERROR_IO : KUGEL_ERROR_STATE, "write %u", fail_at);
        if (started) cr_assert_eq(f.file.writes, fail_at, "written to after it failed");
        kugel_world_destroy(f.world);
        if (started) cr_assert_geq(support_play(f.file.data, f.file.size, 1), 0);
        support_file_free(&f.file);
    }
    support_file_free(&whole);
}

/* The n-th allocation fails, for every n: world's and recorder's alike. The run goes on to the same
 * hash; a recording that says OK is whole, another one is readable; nothing leaks. */
Test(recorder, failing_memory_ends_the_recording_only)
{
    uint64_t hashes[SUPPORT_TICKS], allocations = 1;
    int broken = 0;
    support_file whole = support_record(SUPPORT_TICKS, true, 1, 4, hashes);
    for (uint64_t n = 1; n <= allocations; ++n) {
        fixture f = {.memory = {.fail_at = n}};
        kugel_world_def def = support_drive_def();
        def.allocator = support_allocator(&f.memory);
        kugel_recording_def recording = support_recording_def(&f.file, true);
        if (kugel_world_create(&def, &f.world)) {
            cr_assert_eq(kugel_world_create(&def, &f.world), KUGEL_OK);
        }
        if (kugel_world_recording_start(f.world, &recording)) {
            f.file.size = 0;
            cr_assert_eq(kugel_world_recording_start(f.world, &recording), KUGEL_OK);
        }
        support_drive_fill(f.world);
        for (uint64_t tick = 0; tick < SUPPORT_TICKS; ++tick) {
            support_drive_calls(f.world, tick, 4);
            if (kugel_world_step(f.world, 1 / 60.)) {
                cr_assert_eq(kugel_world_step(f.world, 1 / 60.), KUGEL_OK);
            }
            cr_assert_eq(kugel_world_hash(f.world), hashes[tick], "allocation %d", (int)n);
        }
        kugel_status status = kugel_world_recording_stop(f.world);
        kugel_world_destroy(f.world);
        cr_assert_eq(f.memory.bytes, 0, "allocation %d: leak", (int)n);
        long played = support_play(f.file.data, f.file.size, 1);
        cr_assert_geq(played, 0, "allocation %d", (int)n);
        if (status) {
            ++broken;
            cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY);
        } else {
            cr_assert_eq(f.file.size, whole.size);
            cr_assert_eq(memcmp(f.file.data, whole.data, whole.size), 0);
        }
        allocations = f.memory.allocations;
        support_file_free(&f.file);
    }
    cr_assert_gt(broken, 5, "the recorder takes memory too");
    support_file_free(&whole);
}

Test(recorder, bad_starts_are_refused)
{
    support_file file = {0};
    kugel_world_def def = support_drive_def();
    kugel_recording_def good = support_recording_def(&file, true), bad = good;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(NULL, &good), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_recording_start(world, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "def");
    bad.cookie = 0;
    cr_assert_eq(kugel_world_recording_start(world, &bad), KUGEL_ERROR_UNINITIALIZED_DEF);
    bad = good;
    bad.write = NULL;
    cr_assert_eq(kugel_world_recording_start(world, &bad), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "def.write");
    bad = good;
    bad.annotation = NULL;
    cr_assert_eq(kugel_world_recording_start(world, &bad), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "def.annotation");
    bad = good;
    bad.annotation_size = KG_PAYLOAD_LIMIT + 1;
    cr_assert_eq(kugel_world_recording_start(world, &bad), KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_ERROR_STATE);
    cr_assert_eq(kugel_world_recording_status(world), KUGEL_OK);
    cr_assert_eq(file.size, 0, "nothing was written");
    cr_assert_eq(kugel_world_recording_start(world, &good), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &good), KUGEL_ERROR_STATE, "twice");
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_ERROR_STATE, "twice");
    cr_assert_eq(kugel_world_recording_stop(NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_recording_status(NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
    support_file_free(&file);
}

static kugel_world *logged_world; /* used by the log hook */

static void answer(void *user, kugel_status status, const char *text)
{
    (void)text;
    if (!status)
        cr_assert_eq(kugel_body_apply_impulse(logged_world, kugel_world_body(logged_world, 0),
                                              (double[3]){0, 0, ++*(int *)user}, NULL),
                     KUGEL_OK);
}

/* A host that answers a message of a step with a call: the call is played behind the step. */
Test(recorder, calls_of_the_log_are_played_where_they_were_made)
{
    int answers = 0;
    support_file file = {0};
    kugel_recording_def def = support_recording_def(&file, true);
    kugel_world_def world_def = kugel_world_def_default();
    world_def.impact_budget = 1, world_def.bounce_threshold = 0, world_def.gravity[2] = -9.81;
    world_def.log.write = answer, world_def.log.user = &answers;
    cr_assert_eq(kugel_world_create(&world_def, &logged_world), KUGEL_OK);
    support_add_plane(logged_world, &(support_plane){.normal = {0, 0, 1}, .restitution = 0.5},
                      NULL);
    kugel_body_def ball = kugel_body_def_default();
    for (int i = 0; i < 3; ++i) {
        ball.position[2] = 0.6 + 1.01 * i, ball.restitution = 0.5;
        kugel_body_create(logged_world, &ball, NULL);
    }
    cr_assert_eq(kugel_world_recording_start(logged_world, &def), KUGEL_OK);
    for (int tick = 0; tick < 100; ++tick)
        cr_assert_eq(kugel_world_step(logged_world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(logged_world), KUGEL_OK);
    cr_assert_gt(answers, 0, "no budget was used up");
    cr_assert_eq(support_play(file.data, file.size, 1), 100);
    kugel_world_destroy(logged_world);
    support_file_free(&file);
}

/* A body of a group that is made among sleepers of that group wakes none of them, and wakes others:
 * when it is played, too. */
Test(recorder, groups_hold_from_the_creation_on)
{
    for (uint32_t group = 1; group < 3; ++group) {
        support_file file = {0};
        kugel_recording_def def = support_recording_def(&file, true);
        kugel_world_def world_def = kugel_world_def_default();
        world_def.gravity[2] = -9.81;
        kugel_world *world;
        cr_assert_eq(kugel_world_create(&world_def, &world), KUGEL_OK);
        cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
        support_add_plane(world, &(support_plane){.normal = {0, 0, 1}}, NULL);
        kugel_body_def ball = kugel_body_def_default();
        ball.position[2] = 0.5, ball.group = 1;
        kugel_body_create(world, &ball, NULL);
        kugel_body_state s = {0};
        int ticks = 0;
        for (; !s.asleep && ticks < 100; ++ticks) {
            cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
            kugel_body_get(world, kugel_world_body(world, 0), &s);
        }
        cr_assert(s.asleep);
        ball.type = KUGEL_STATIC, ball.position[0] = 0.3, ball.group = group;
        kugel_body_create(world, &ball, NULL);
        kugel_body_get(world, kugel_world_body(world, 0), &s);
        cr_assert_eq(s.asleep, group == 1);
        for (int k = 0; k < 10; ++k) cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
        cr_assert_eq(support_play(file.data, file.size, 1), ticks + 10, "group %u", group);
        kugel_world_destroy(world);
        support_file_free(&file);
    }
}

/* Refused calls leave no trace in the recording. */
Test(recorder, refused_calls_are_not_recorded)
{
    size_t sizes[2];
    for (int bad = 0; bad < 2; ++bad) {
        fixture f = {0};
        start(&f, true);
        support_drive_fill(f.world);
        kugel_body body = kugel_world_body(f.world, 0);
        double nan[3] = {0, __builtin_nan(""), 0};
        if (bad) {
            cr_assert_neq(kugel_body_apply_force(f.world, body, nan, NULL), KUGEL_OK);
            cr_assert_neq(kugel_body_set_velocity(f.world, body + 99, (double[3]){0}), KUGEL_OK);
            cr_assert_neq(kugel_world_set_gravity(f.world, nan), KUGEL_OK);
            cr_assert_neq(kugel_world_step(f.world, -1), KUGEL_OK);
            kugel_body_def def = kugel_body_def_default();
            def.radius = -1;
            cr_assert_neq(kugel_body_create(f.world, &def, NULL), KUGEL_OK);
        }
        cr_assert_eq(kugel_world_step(f.world, 0.01), KUGEL_OK);
        cr_assert_eq(kugel_world_recording_stop(f.world), KUGEL_OK);
        kugel_world_destroy(f.world);
        sizes[bad] = f.file.size;
        cr_assert_eq(support_play(f.file.data, f.file.size, 1), 1);
        support_file_free(&f.file);
    }
    cr_assert_eq(sizes[0], sizes[1]);
}
