/* Seeking in both directions repeats the run, with and without keyframes; recorded states are read
 * in any order. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_random.h"

Test(player_seek, seek_repeats_the_run)
{
    uint64_t hashes[SUPPORT_TICKS];
    support_random random = support_random_start("seek_repeats_the_run", 7201);
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, hashes);
    kugel_player *player = support_open_player(&file);
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

/* Recorded states equal those of a run, in any order of reading, over several independent chunks of
 * states. */
Test(player_seek, recorded_states_are_read_in_any_order)
{
    enum { TICKS = 600 };
    support_random random = support_random_start("recorded_states_in_any_order", 7202);
    support_file file = support_record(TICKS, true, 1, 4, NULL);
    kugel_player *player = support_open_player(&file), *reader = support_open_player(&file);
    size_t at;
    kg_chunk_view view;
    int keys = 0;
    for (uint32_t n = 0; support_find_chunk(&file, KG_TYPE_STAT, n, &at, &view); ++n) {
        keys += (view.flags & KG_CHUNK_INDEPENDENT) != 0;
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
        kugel_world_read_arrays(
            world, 16, &(kugel_body_arrays){.ids = ids, .position = x, .velocity = v, .spin = w});
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

/* Tick 0 is the state at the mark, without the calls that follow, which the first tick repeats. */
Test(player_seek, the_mark_is_tick_0)
{
    support_file file = {0}, plain = {0};
    kugel_world_def def = support_drive_def();
    kugel_recording_def recording = support_recording_def(&file, true);
    kugel_body_def body = kugel_body_def_default();
    kugel_world *world;
    body.position[2] = 7;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_mark(world), KUGEL_ERROR_STATE, "not recording");
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    support_drive_fill(world);
    uint64_t start = kugel_world_hash(world);
    cr_assert_eq(kugel_world_recording_mark(world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_mark(world), KUGEL_ERROR_STATE, "twice");
    cr_assert_eq(kugel_body_create(world, &body, NULL), KUGEL_OK);
    for (int tick = 0; tick < 3; ++tick) cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_mark(world), KUGEL_ERROR_STATE, "after steps");
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    kugel_player *player = support_open_player(&file);
    cr_assert_eq(kugel_player_rewrite(player, support_file_write, &plain), KUGEL_OK);
    kugel_player_close(player);
    for (int k = 0; k < 2; ++k) {
        player = support_open_player(k ? &plain : &file);
        for (int round = 0; round < 3; ++round) {
            cr_assert_eq(kugel_player_seek(player, 0), KUGEL_PLAY_TICK);
            cr_assert_eq(kugel_world_hash(kugel_player_world(player)), start);
            while (round < 2 && kugel_player_step(player, NULL) == KUGEL_PLAY_TICK) {}
        }
        cr_assert_eq(kugel_player_seek(player, 3), KUGEL_PLAY_TICK);
        cr_assert_eq(kugel_world_body_count(kugel_player_world(player)), 10);
        cr_assert_eq(kugel_world_hash(kugel_player_world(player)), kugel_player_hash(player, 3));
        kugel_player_close(player);
    }
    support_file_free(&file);
    support_file_free(&plain);
}

/* Any way over keyframes gives the run; a keyframe that is not a snapshot of this world is passed
 * over. */
Test(player_seek, seek_starts_from_keyframes)
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
        kugel_player *player = support_open_player(&files[f]);
        kugel_recording_info info;
        kugel_player_info(player, &info);
        cr_assert_eq(info.keyframes, TICKS / EVERY);
        for (int round = 0; round < 100; ++round) {
            uint64_t tick = 1 + support_below(&random, TICKS);
            cr_assert_eq(kugel_player_seek(player, tick), KUGEL_PLAY_TICK);
            cr_assert_eq(kugel_world_hash(kugel_player_world(player)), hashes[tick - 1], "tick %d",
                         (int)tick);
            if (round % 3 == 0 && tick < TICKS)
                cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
        }
        kugel_player_close(player);
        cr_assert_eq(support_play(files[f].data, files[f].size, 1), TICKS);
        support_file_free(&files[f]);
    }
}
