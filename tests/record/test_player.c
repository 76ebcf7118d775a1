/* Playback: properties of a recording, the world before the first tick, and the errors of bad
 * arguments and failed allocations. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"

Test(player, info_says_what_was_recorded)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    kugel_player *player = support_open_player(&file);
    kugel_recording_info info;
    kugel_player_info(player, &info);
    cr_assert_eq(info.format, KUGEL_RECORDING_FORMAT);
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
    kugel_player *player = support_open_player(&file);
    cr_assert_eq(kugel_player_seek(player, 0), KUGEL_PLAY_TICK);
    cr_assert_eq(kugel_world_body_count(kugel_player_world(player)), 9);
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_END);
    kugel_player_close(player);
    support_file_free(&file);
}

/* A push before the first step acts in tick 1: the state of tick 0 does not include it. */
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
    cr_assert_eq(kugel_body_apply_impulse(world, body, (double[3]){2, 0, 0}, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 1), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    kugel_player *player = support_open_player(&file);
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

Test(player, bad_arguments_are_refused)
{
    support_file file = support_record(2, false, 1, 4, NULL);
    kugel_player *player;
    kugel_error error;
    kugel_allocator half = {.free = NULL, .allocate = support_allocator(NULL).allocate};
    const kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
    cr_assert_eq(kugel_player_open(NULL, 9, NULL, NULL, 1, &player, &error), bad);
    cr_assert_str_eq(error.argument, "data");
    cr_assert_null(player);
    cr_assert_eq(kugel_player_open(file.data, file.size, NULL, NULL, 0, &player, &error), bad);
    cr_assert_str_eq(error.argument, "threads");
    cr_assert_eq(kugel_player_open(file.data, file.size, NULL, NULL, 257, &player, NULL), bad);
    cr_assert_eq(kugel_player_open(file.data, file.size, NULL, NULL, 1, NULL, &error), bad);
    cr_assert_eq(kugel_player_open(file.data, file.size, NULL, &half, 1, &player, &error), bad);
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
            kugel_player_open(file.data, file.size, NULL, &allocator, 1, &player, &error);
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
