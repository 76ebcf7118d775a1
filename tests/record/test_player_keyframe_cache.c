/* Cached keyframes change no bit of a seek's result and stay within the byte limit. A recording
 * rewritten without packing plays like the original. */
#include <criterion/criterion.h>
#include <string.h>

#include "record/player.h"
#include "record/support_recording.h"
#include "support/support_memory.h"
#include "support/support_plane.h"
#include "support/support_random.h"
#include "support/support_states.h"

static kugel_player *open_player(const support_file *file)
{
    kugel_player *player;
    kugel_error error;
    kugel_status status = kugel_player_open(file->data, file->size, NULL, NULL, 1, &player, &error);
    cr_assert_eq(status, KUGEL_OK, "%s: %s", error.argument, error.message);
    return player;
}

static void check_seek(kugel_player *player, uint64_t tick)
{
    cr_assert_eq(kugel_player_seek(player, tick), KUGEL_PLAY_TICK);
    cr_assert_eq(kugel_world_tick(kugel_player_world(player)), tick);
    if (tick == 0) return;
    cr_assert_eq(kugel_world_hash(kugel_player_world(player)), kugel_player_hash(player, tick),
                 "tick %llu", (unsigned long long)tick);
}

/* To and fro over calls of every kind between the ticks, with room for all ticks, for a few, for
 * none. */
Test(keyframe_cache, seeks_end_where_they_did)
{
    const size_t rooms[] = {1 << 20, 8000, 1};
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    for (int k = 0; k < 3; ++k) {
        kugel_player *player = open_player(&file);
        support_random random = support_random_start("seeks", 7);
        kugel_player_cache_keyframes(player, rooms[k]);
        for (int n = 0; n < 200; ++n) {
            uint64_t tick = support_below(&random, SUPPORT_TICKS + 1),
                     from = kugel_player_seek_from(player, tick);
            cr_assert(from <= tick &&
                      (k > 0 || from == tick || player->keyframe_cache.count < SUPPORT_TICKS));
            check_seek(player, tick);
            cr_assert_leq(player->keyframe_cache.byte_count, rooms[k]);
        }
        cr_assert_eq(player->keyframe_cache.interval > 1, k == 1);
        cr_assert_eq(player->keyframe_cache.count > 0, k < 2);
        /* comparing goes on from there, with every input that was between */
        check_seek(player, 20);
        for (int n = 0; n < 30; ++n) cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
        kugel_player_close(player);
    }
    support_file_free(&file);
}

/* With room for all, going back runs nothing: the way to a tick before is one snapshot. */
Test(keyframe_cache, every_tick_is_kept_in_order)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    kugel_player *player = open_player(&file);
    kugel_player_cache_keyframes(player, 1 << 20);
    check_seek(player, SUPPORT_TICKS);
    check_seek(player, 3);
    check_seek(player, SUPPORT_TICKS);
    cr_assert_eq(player->keyframe_cache.count, SUPPORT_TICKS);
    for (uint64_t t = 1; t <= SUPPORT_TICKS; ++t)
        cr_assert_eq(player->keyframe_cache.items[t - 1].tick, t);
    kugel_player_cache_keyframes(player, 0);
    cr_assert_eq(player->keyframe_cache.count, 0);
    check_seek(player, 9);
    cr_assert_eq(player->keyframe_cache.count, 0);
    cr_assert_eq(kugel_player_seek_from(player, 5), 0);
    cr_assert_eq(kugel_player_seek_from(player, 20), 9);
    kugel_player_close(player);
    kugel_player_cache_keyframes(NULL, 1);
    cr_assert_eq(kugel_player_seek_from(NULL, 1), 0);
    support_file_free(&file);
}

/* Memory runs out at any point while keyframes are cached: seeks reach the same states, or return
 * an error. */
Test(keyframe_cache, memory_may_run_out)
{
    support_file file = support_record(30, true, 1, 4, NULL);
    for (uint64_t fail = 1; fail < 400; ++fail) {
        support_memory memory = {.fail_at = fail};
        kugel_allocator hooks = support_allocator(&memory);
        kugel_player *player;
        if (kugel_player_open(file.data, file.size, NULL, &hooks, 1, &player, NULL) != KUGEL_OK)
            continue;
        kugel_player_cache_keyframes(player, 1 << 20);
        if (kugel_player_seek(player, 30) == KUGEL_PLAY_TICK) check_seek(player, 12);
        kugel_player_close(player);
        cr_assert_eq(memory.bytes, 0);
    }
    support_file_free(&file);
}

Test(rewrite, plays_the_same_and_is_not_packed)
{
    uint64_t hashes[SUPPORT_TICKS];
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, hashes), plain = {0};
    kugel_player *player = open_player(&file);
    cr_assert_eq(kugel_player_rewrite(player, support_file_write, &plain), KUGEL_OK);
    kugel_player_close(player);
    size_t at;
    kg_chunk_view chunk;
    const uint32_t types[] = {KG_TYPE_HEAD, KG_TYPE_NOTE, KG_TYPE_TICK, KG_TYPE_DONE};
    for (int k = 0; k < 4; ++k) {
        cr_assert(support_find_chunk(&plain, types[k], 0, &at, &chunk));
        cr_assert(!(chunk.flags & KG_CHUNK_ZSTD));
    }
    cr_assert(!support_find_chunk(&plain, KG_TYPE_STAT, 0, &at, &chunk));
    player = open_player(&plain);
    kugel_recording_info info;
    kugel_player_info(player, &info);
    cr_assert(info.closed && !info.states && !info.damaged && info.ticks == SUPPORT_TICKS);
    cr_assert_eq(memcmp(info.annotation, "a note", 6), 0);
    for (uint64_t t = 1; t <= SUPPORT_TICKS; ++t)
        cr_assert_eq(kugel_player_hash(player, t), hashes[t - 1]);
    kugel_player_close(player);
    cr_assert_eq(support_play(plain.data, plain.size, 1), SUPPORT_TICKS);
    support_file_free(&plain);
    support_file_free(&file);
}

Test(rewrite, a_cut_recording_and_failing_writes)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL), plain = {0};
    file.size -= file.size / 3;
    kugel_player *player = open_player(&file);
    kugel_recording_info info, again;
    kugel_player_info(player, &info);
    cr_assert_eq(kugel_player_rewrite(player, support_file_write, &plain), KUGEL_OK);
    kugel_player *copy = open_player(&plain);
    kugel_player_info(copy, &again);
    cr_assert(again.ticks == info.ticks && again.ticks > 0 && !again.closed && again.lost == 0);
    kugel_player_close(copy);
    for (uint32_t fail = 1; fail < 4; ++fail) {
        support_file bad = {.fail_at = fail};
        cr_assert_eq(kugel_player_rewrite(player, support_file_write, &bad), KUGEL_ERROR_IO);
        support_file_free(&bad);
    }
    int refused = 0; /* for lack of memory, which leaves nothing written */
    for (kugel_status status = KUGEL_ERROR_OUT_OF_MEMORY; status; ++refused) {
        support_memory memory = {0};
        support_file none = {0};
        kugel_allocator allocator = support_allocator(&memory);
        kugel_player *poor;
        cr_assert_eq(kugel_player_open(file.data, file.size, NULL, &allocator, 1, &poor, NULL),
                     KUGEL_OK);
        support_memory_arm(&memory, refused);
        status = kugel_player_rewrite(poor, support_file_write, &none);
        support_memory_arm(&memory, -1);
        cr_assert((none.size == 0) == (status != KUGEL_OK), "allocation %d", refused);
        kugel_player_close(poor);
        support_file_free(&none);
    }
    cr_assert_gt(refused, 2);
    cr_assert_eq(kugel_player_rewrite(player, NULL, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_player_rewrite(NULL, support_file_write, &plain),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_player_close(player);
    support_file_free(&plain);
    support_file_free(&file);
}

/* Getters of the world that a viewer uses. */

Test(getters, what_was_set_is_read)
{
    kugel_world_def def = support_drive_def(), got;
    kugel_world *world;
    kugel_surface plane;
    kugel_surface_def read;
    const double gravity[3] = {1, 2, 3};
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(
        support_add_plane(
            world, &(support_plane){.normal = {0, 0, 1}, .offset = -4, .friction = 0.25}, &plane),
        KUGEL_OK);
    kugel_world_set_gravity(world, gravity);
    cr_assert_eq(kugel_world_get_def(world, &got), KUGEL_OK);
    cr_assert_eq(memcmp(got.gravity, gravity, sizeof gravity), 0);
    cr_assert_eq(memcmp(&got.bounds, &def.bounds, sizeof def.bounds), 0);
    cr_assert_eq(kugel_world_def_check(&got, NULL), KUGEL_OK, "it makes another world");
    cr_assert_eq(kugel_surface_get(world, plane, &read, NULL), KUGEL_OK);
    double normal[3], offset;
    cr_assert(kugel_surface_def_get_plane(&read, normal, &offset));
    cr_assert(normal[2] == 1 && offset == -4 && read.friction == 0.25);
    cr_assert_eq(kugel_world_get_def(NULL, &got), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_get_def(world, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
}

/* All bodies at once are each of them by itself, with ids that are free among them and contacts. */
Test(getters, states_are_those_of_each_body)
{
    support_file file = support_record(SUPPORT_TICKS, false, 1, 4, NULL);
    kugel_player *player = open_player(&file);
    kugel_body_state states[16], one;
    uint32_t contacts = 0;
    for (uint64_t tick = 0; tick <= SUPPORT_TICKS; tick += 5) {
        check_seek(player, tick);
        const kugel_world *world = kugel_player_world(player);
        uint32_t n = support_read_states(world, 16, states);
        cr_assert_eq(n, kugel_world_body_count(world));
        for (uint32_t i = 0; i < n; ++i) {
            memset(&one, 0, sizeof one);
            cr_assert_eq(kugel_body_get(world, states[i].body, &one), KUGEL_OK);
            cr_assert(i == 0 || kugel_body_id(states[i].body) > kugel_body_id(states[i - 1].body));
            cr_assert_eq(states[i].contacts, one.contacts);
            cr_assert_eq(memcmp(states[i].position, one.position, sizeof one.position), 0);
            cr_assert_eq(memcmp(states[i].rotation, one.rotation, sizeof one.rotation), 0);
            cr_assert(states[i].radius == one.radius && states[i].mask == one.mask &&
                      states[i].asleep == one.asleep);
            contacts += one.contacts;
        }
    }
    cr_assert_gt(contacts, 0, "the scene has no contact");
    kugel_player_close(player);
    support_file_free(&file);
}
