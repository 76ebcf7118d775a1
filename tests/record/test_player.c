/* Playing: differences are found and named, seeking repeats the run, recorded states are read in any
 * order, and nothing that a recording can hold makes a player fail without an error. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/recorder.h"
#include "record/support_recording.h"
#include "support/support_random.h"

static kugel_player *open_player(const support_file *file)
{
    kugel_player *player;
    kugel_error error;
    kugel_status status = kugel_player_open(file->data, file->size, NULL, 1, &player, &error);
    cr_assert_eq(status, KUGEL_OK, "%s: %s", error.argument, error.message);
    return player;
}

/* Step to the first difference. */
static kugel_divergence first_divergence(const support_file *file)
{
    kugel_divergence d = {0};
    kugel_player *player = open_player(file);
    kugel_play play;
    while ((play = kugel_player_step(player, &d)) == KUGEL_PLAY_TICK) {}
    cr_assert_eq(play, KUGEL_PLAY_DIVERGED, "%d: %s", play, kugel_player_error(player)->message);
    kugel_player_close(player);
    return d;
}

Test(player, info_says_what_was_recorded)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    kugel_player *player = open_player(&file);
    kugel_recording_info info;
    kugel_player_info(player, &info);
    cr_assert_eq(info.format, 1);
    cr_assert_eq(info.physics_epoch, KUGEL_PHYSICS_EPOCH);
    cr_assert_str_eq(info.library, KUGEL_VERSION_STRING);
    cr_assert_neq(info.build[0], 0);
    cr_assert_eq(info.ticks, SUPPORT_TICKS);
    cr_assert_eq(info.bytes, file.size);
    cr_assert_eq(info.lost, 0);
    cr_assert(info.closed && info.states && !info.damaged);
    cr_assert_eq(info.annotation_size, 6);
    cr_assert_eq(memcmp(info.annotation, "a note", 6), 0);
    kugel_player_close(player);
    support_file_free(&file);
}

/* A world without a body, a recording without a step, one without states or annotation. */
Test(player, empty_recordings_play)
{
    for (int steps = 0; steps < 2; ++steps) {
        support_file file = {0};
        kugel_world_def def = kugel_world_def_default();
        kugel_recording_def recording = support_recording_def(&file, steps);
        recording.annotation_size = 0;
        kugel_world *world;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
        for (int k = 0; k < steps; ++k) kugel_world_step(world, 0.5);
        cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
        kugel_world_destroy(world);
        cr_assert_eq(support_play(file.data, file.size, 1), steps);
        support_file_free(&file);
    }
}

/* What was set before a stop without a step is in the recording as well. */
Test(player, tick_zero_is_the_filled_world)
{
    support_file file = support_record(0, true, 1, 4, NULL);
    kugel_player *player = open_player(&file);
    cr_assert_eq(kugel_player_seek(player, 0), KUGEL_PLAY_TICK);
    cr_assert_eq(kugel_world_body_count(kugel_player_world(player)), 9);
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_END);
    kugel_player_close(player);
    support_file_free(&file);
}

/* A push before the first step acts on tick 0: it is not yet seen there, and felt in tick 1. */
Test(player, tick_zero_is_before_the_first_push)
{
    support_file file = {0};
    kugel_world_def def = kugel_world_def_default();
    kugel_recording_def recording = support_recording_def(&file, true);
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    kugel_body body;
    kugel_body_state state;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    cr_assert_eq(kugel_body_set_velocity(world, body, (double[3]){0, 3, 0}), KUGEL_OK);
    cr_assert_eq(kugel_body_apply_impulse(world, body, (double[3]){2, 0, 0}), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 1), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    kugel_player *player = open_player(&file);
    for (int round = 0; round < 2; ++round) {
        cr_assert_eq(kugel_player_seek(player, 0), KUGEL_PLAY_TICK);
        cr_assert_eq(kugel_body_get(kugel_player_world(player), body, &state), KUGEL_OK);
        cr_assert(state.velocity[0] == 0 && state.velocity[1] == 3);
        cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
        cr_assert_eq(kugel_body_get(kugel_player_world(player), body, &state), KUGEL_OK);
        cr_assert_eq(state.velocity[0], 2);
    }
    kugel_player_close(player);
    support_file_free(&file);
}

/* ---- differences ---- */

/* Change one number of one recorded state (its checks made right): tick, body, field and both values
 * are named. The value changes by one unit of its last place. */
Test(player, a_changed_state_is_named)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_STAT, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    /* 9 bodies: a state is 37 bytes of head and 9 * 9 * 8 of planes, the first with 4 * 9 of ids */
    size_t state = 37 + 9 * 9 * 8, third = KG_RUN_HEAD + 2 * state + 4 * 9;
    cr_assert_eq(payload[third + 4], 1, "the ids are the same");
    size_t position_y = third + 37 + (3 + 1) * 9 * 8; /* after the velocities and position x */
    payload[position_y + 5] ^= 2; /* lowest plane, body 5: the residual by one */
    support_file bad = support_replace_chunk(&file, at, payload, size);
    kugel_divergence d = first_divergence(&bad);
    cr_assert_eq(d.tick, 3);
    cr_assert_eq(d.expected_hash, d.found_hash, "only the state was changed");
    cr_assert(d.located);
    cr_assert_eq(d.body, 5);
    cr_assert_str_eq(d.field, "position.y");
    uint64_t ulps = d.expected_bits > d.found_bits ? d.expected_bits - d.found_bits
                                                   : d.found_bits - d.expected_bits;
    cr_assert_eq(ulps, 1);
    cr_assert_eq(kg_bits(d.expected), d.expected_bits);
    cr_assert_eq(kg_bits(d.found), d.found_bits);
    free(payload);
    support_file_free(&bad);
    support_file_free(&file);
}

/* Offset of the n-th op of a type in a TICK payload; its fields follow the byte there. */
static size_t find_op(const uint8_t *payload, size_t size, uint8_t type, int n)
{
    for (size_t at = KG_RUN_HEAD; at < size; at += 1 + kg_op_size(payload[at])) {
        if (payload[at] == type && n-- == 0) return at;
    }
    cr_assert_fail("no op %d", type);
    return 0;
}

/* Replace 8 bytes of an op's fields in the first TICK chunk. */
static support_file change_op(const support_file *file, uint8_t type, int n, size_t field,
                              uint64_t value)
{
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(file, KG_TYPE_TICK, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    kg_put64(payload + find_op(payload, size, type, n) + 1 + field, value);
    support_file bad = support_replace_chunk(file, at, payload, size);
    free(payload);
    return bad;
}

Test(player, a_changed_input_is_found_where_it_acts)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    /* the force of tick 3 on body 0: felt in step 4 */
    support_file bad = change_op(&file, KG_OP_FORCE, 0, 8, kg_bits(40.001));
    kugel_divergence d = first_divergence(&bad);
    cr_assert_eq(d.tick, 4);
    cr_assert_neq(d.expected_hash, d.found_hash);
    cr_assert(d.located);
    cr_assert_eq(d.body, 0);
    cr_assert_str_eq(d.field, "position.x");
    cr_assert_lt(d.expected, d.found);
    support_file_free(&bad);
    support_file_free(&file);
}

Test(player, a_changed_hash_is_found)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    support_file bad = change_op(&file, KG_OP_STEP, 6, 8, 12345);
    kugel_divergence d = first_divergence(&bad);
    cr_assert_eq(d.tick, 7);
    cr_assert_eq(d.expected_hash, 12345);
    cr_assert(!d.located, "all recorded fields agree");
    support_file_free(&bad);
    support_file_free(&file);
}

/* After a difference the run may go on; the next ticks are compared as well. */
Test(player, plays_on_after_a_difference)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    support_file bad = change_op(&file, KG_OP_STEP, 6, 8, 12345);
    kugel_player *player = open_player(&bad);
    for (int tick = 1; tick <= 20; ++tick) {
        kugel_play play = kugel_player_step(player, NULL);
        cr_assert_eq(play, tick == 7 ? KUGEL_PLAY_DIVERGED : KUGEL_PLAY_TICK, "tick %d", tick);
    }
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_END);
    kugel_player_close(player);
    support_file_free(&bad);
    support_file_free(&file);
}

/* Calls that the world refuses end the play with the world's own error; a seek starts it again. */
Test(player, refused_calls_are_errors)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    const struct {
        uint8_t op;
        int n;
        size_t field;
        uint64_t value;
        kugel_status status;
        const char *argument;
        uint64_t tick; /* reached before it */
    } rows[] = {
        {KG_OP_FORCE, 0, 8, 0x7ff8000000000000u, KUGEL_ERROR_INVALID_ARGUMENT, "force", 3},
        {KG_OP_FORCE, 0, 0, 77, KUGEL_ERROR_STALE_HANDLE, "body", 3},
        {KG_OP_STEP, 4, 0, 0, KUGEL_ERROR_INVALID_ARGUMENT, "dt", 4},
        {KG_OP_BODY_CREATE, 2, 0, 9, KUGEL_ERROR_FORMAT, "body", 0},
        {KG_OP_PLANE, 0, 0, 0x7ff8000000000000u, KUGEL_ERROR_INVALID_ARGUMENT, "plane.normal", 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        support_file bad = change_op(&file, rows[k].op, rows[k].n, rows[k].field, rows[k].value);
        kugel_player *player = open_player(&bad);
        kugel_play play;
        while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) {}
        cr_assert_eq(play, KUGEL_PLAY_ERROR, "row %zu", k);
        cr_assert_eq(kugel_player_error(player)->status, rows[k].status, "row %zu", k);
        cr_assert_not_null(strstr(kugel_player_error(player)->argument, rows[k].argument),
                           "row %zu: %s", k, kugel_player_error(player)->argument);
        cr_assert_eq(kugel_world_tick(kugel_player_world(player)), rows[k].tick, "row %zu", k);
        cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_ERROR, "it stays");
        cr_assert_eq(kugel_player_seek(player, rows[k].tick),
                     rows[k].tick ? KUGEL_PLAY_TICK : play);
        kugel_player_close(player);
        support_file_free(&bad);
    }
    support_file_free(&file);
}

/* ---- going to and fro ---- */

Test(player, seek_repeats_the_run)
{
    uint64_t hashes[SUPPORT_TICKS];
    support_random random = support_random_start("seek_repeats_the_run", 7201);
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, hashes);
    kugel_player *player = open_player(&file);
    for (int round = 0; round < 60; ++round) {
        uint64_t tick = support_below(&random, SUPPORT_TICKS + 1);
        cr_assert_eq(kugel_player_seek(player, tick), KUGEL_PLAY_TICK);
        const kugel_world *world = kugel_player_world(player);
        cr_assert_eq(kugel_world_tick(world), tick);
        if (tick) cr_assert_eq(kugel_world_hash(world), hashes[tick - 1], "tick %d", (int)tick);
        else cr_assert_eq(kugel_world_body_count(world), 9);
        if (tick < SUPPORT_TICKS) cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
    }
    cr_assert_eq(kugel_player_seek(player, SUPPORT_TICKS + 1), KUGEL_PLAY_END);
    cr_assert_eq(kugel_world_tick(kugel_player_world(player)), SUPPORT_TICKS);
    kugel_player_close(player);
    support_file_free(&file);
}

/* Equal numbers: a keyframe makes +0 of -0. */
static bool same_numbers(const double *a, const double *b, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        if (a[k] != b[k]) return false;
    }
    return true;
}

/* The state that was recorded is the state that a run has, in whatever order it is asked for, over
 * several key chunks. */
Test(player, recorded_states_are_read_in_any_order)
{
    enum { TICKS = 600 };
    support_random random = support_random_start("recorded_states_in_any_order", 7202);
    support_file file = support_record(TICKS, true, 1, 4, NULL);
    kugel_player *player = open_player(&file), *reader = open_player(&file);
    size_t at;
    kg_chunk_view view;
    int keys = 0;
    for (uint32_t n = 0; support_find_chunk(&file, KG_TYPE_STAT, n, &at, &view); ++n) {
        keys += (view.flags & KG_CHUNK_KEY) != 0;
    }
    cr_assert_eq(keys, 4, "ticks 1, 151, 301, 451: %d", keys);
    for (int round = 0; round < 300; ++round) {
        uint64_t tick = round < 100 ? (uint64_t)round + 1 : 1 + support_below(&random, TICKS);
        kugel_recorded r;
        cr_assert_eq(kugel_player_recorded(reader, tick, &r), KUGEL_OK, "tick %d", (int)tick);
        cr_assert(r.has_state);
        cr_assert_eq(r.tick, tick);
        cr_assert_eq(r.hash, kugel_player_hash(reader, tick));
        if (round >= 100 && round % 10) continue; /* runs are slow, reading is not */
        cr_assert_eq(kugel_player_seek(player, tick), KUGEL_PLAY_TICK);
        const kugel_world *world = kugel_player_world(player);
        cr_assert_eq(r.count, kugel_world_body_count(world));
        uint32_t ids[16];
        double x[48], v[48], w[48];
        kugel_world_read(world, 16, ids, x, v, w);
        cr_assert_eq(memcmp(ids, r.ids, r.count * sizeof *ids), 0);
        cr_assert(same_numbers(x, r.position, r.count * 3), "tick %d", (int)tick);
        cr_assert(same_numbers(v, r.velocity, r.count * 3), "tick %d", (int)tick);
        cr_assert(same_numbers(w, r.spin, r.count * 3), "tick %d", (int)tick);
    }
    kugel_recorded r;
    cr_assert_eq(kugel_player_recorded(reader, 0, &r), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_player_recorded(reader, TICKS + 1, &r), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_player_close(player);
    kugel_player_close(reader);
    support_file_free(&file);
}

Test(player, differences_of_states)
{
    double zero[6] = {0}, one[6] = {0, 0, 0, 0, 1, 0}, minus[6] = {-0.0, -0.0, 0, 0, 0, -0.0};
    uint32_t ids[2] = {3, 8}, other[2] = {3, 9};
    kugel_recorded a = {0, 0, true, 2, ids, zero, zero, zero}, b = a;
    kugel_divergence d = {0};
    cr_assert(!kugel_recorded_difference(&a, &b, &d));
    b.velocity = minus;
    cr_assert(!kugel_recorded_difference(&a, &b, &d), "-0 is +0");
    b.spin = one;
    cr_assert(kugel_recorded_difference(&a, &b, &d));
    cr_assert_eq(d.body, 8);
    cr_assert_str_eq(d.field, "spin.y");
    cr_assert_eq(d.found, 1);
    cr_assert_eq(d.found_bits, 0x3ff0000000000000u);
    b.ids = other;
    cr_assert(kugel_recorded_difference(&a, &b, &d));
    cr_assert_eq(d.body, 8);
    cr_assert_str_eq(d.field, "body");
    cr_assert(d.expected == 1 && d.found == 0);
    b.count = 1;
    cr_assert(kugel_recorded_difference(&b, &a, &d));
    cr_assert_eq(d.body, 8);
    cr_assert(d.expected == 0 && d.found == 1);
    b.has_state = false;
    cr_assert(!kugel_recorded_difference(&b, &a, NULL));
}

/* ---- bad arguments and memory ---- */

Test(player, bad_arguments_are_refused)
{
    support_file file = support_record(2, false, 1, 4, NULL);
    kugel_player *player;
    kugel_error error;
    kugel_allocator half = {.free = NULL, .allocate = support_allocator(NULL).allocate};
    const kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
    cr_assert_eq(kugel_player_open(NULL, 9, NULL, 1, &player, &error), bad);
    cr_assert_str_eq(error.argument, "data");
    cr_assert_null(player);
    cr_assert_eq(kugel_player_open(file.data, file.size, NULL, 0, &player, &error), bad);
    cr_assert_str_eq(error.argument, "threads");
    cr_assert_eq(kugel_player_open(file.data, file.size, NULL, 257, &player, NULL), bad);
    cr_assert_eq(kugel_player_open(file.data, file.size, NULL, 1, NULL, &error), bad);
    cr_assert_eq(kugel_player_open(file.data, file.size, &half, 1, &player, &error), bad);
    cr_assert_str_eq(error.argument, "allocator");
    kugel_player_close(NULL);
    cr_assert_null(kugel_player_world(NULL));
    cr_assert_eq(kugel_player_step(NULL, NULL), KUGEL_PLAY_ERROR);
    cr_assert_eq(kugel_player_seek(NULL, 0), KUGEL_PLAY_ERROR);
    cr_assert_eq(kugel_player_hash(NULL, 1), 0);
    cr_assert_eq(kugel_player_recorded(NULL, 1, NULL), bad);
    support_file_free(&file);
}

/* The n-th allocation and all after it fail, for every n: an error, and nothing leaks. */
Test(player, failing_memory_is_an_error)
{
    uint64_t allocations = 1;
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    for (uint64_t n = 1; n <= allocations + 1; ++n) {
        support_memory memory = {.fail_at = n, .fail_on = true};
        kugel_allocator allocator = support_allocator(&memory);
        kugel_player *player;
        kugel_error error;
        kugel_status status =
            kugel_player_open(file.data, file.size, &allocator, 1, &player, &error);
        kugel_play play = KUGEL_PLAY_TICK;
        if (status) {
            cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY, "allocation %d: %s", (int)n,
                         error.message);
            cr_assert_eq(error.status, status);
        }
        while (!status && (play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) {}
        if (play == KUGEL_PLAY_ERROR) {
            cr_assert_eq(kugel_player_error(player)->status, KUGEL_ERROR_OUT_OF_MEMORY);
        } else if (!status) {
            cr_assert_eq(play, KUGEL_PLAY_END, "allocation %d", (int)n);
            allocations = 0; /* it went through */
        }
        if (!status) kugel_player_close(player);
        cr_assert_eq(memory.bytes, 0, "allocation %d: leak", (int)n);
        if (allocations) allocations = n + 1;
        cr_assert_lt(n, 10000);
    }
    support_file_free(&file);
}

/* Any way over keyframes gives the run; a keyframe that is not a snapshot of this world is passed over. */
Test(player, seek_starts_from_keyframes)
{
    enum { TICKS = 75, EVERY = 10 };
    uint64_t hashes[TICKS];
    support_random random = support_random_start("seek_starts_from_keyframes", 7203);
    support_file file = {0};
    kugel_world_def def = support_drive_def();
    kugel_recording_def recording = support_recording_def(&file, false);
    recording.keyframe_ticks = EVERY;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    support_drive_fill(world);
    for (uint64_t tick = 0; tick < TICKS; ++tick) {
        support_drive_calls(world, tick, 4);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        hashes[tick] = kugel_world_hash(world);
    }
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_KEYF, 2, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    payload[size / 2] ^= 1;
    support_file files[2] = {file, support_replace_chunk(&file, at, payload, size)};
    free(payload);
    for (int f = 0; f < 2; ++f) {
        kugel_player *player = open_player(&files[f]);
        kugel_recording_info info;
        kugel_player_info(player, &info);
        cr_assert_eq(info.keyframes, TICKS / EVERY);
        for (int round = 0; round < 100; ++round) {
            uint64_t tick = 1 + support_below(&random, TICKS);
            cr_assert_eq(kugel_player_seek(player, tick), KUGEL_PLAY_TICK);
            cr_assert_eq(kugel_world_hash(kugel_player_world(player)), hashes[tick - 1], "tick %d", (int)tick);
            if (round % 3 == 0 && tick < TICKS) cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
        }
        kugel_player_close(player);
        cr_assert_eq(support_play(files[f].data, files[f].size, 1), TICKS);
        support_file_free(&files[f]);
    }
}
