/* Recordings of worlds with surfaces: calls between the steps are played to the same hashes, seeks
 * from keyframes give the same worlds, and damage and missing memory end in an error. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/chunk_packing.h"
#include "record/def_encoding.h"
#include "record/recorder.h"
#include "record/support_recording.h"
#include "record/support_surfaces.h"
#include "world/world.h"

enum { BODIES = 10, TICKS = 100 };

typedef struct recorded_world {
    support_file file;
    uint64_t hashes[TICKS + 1];
} recorded_world;

/* Recorded from the empty world, or `late`: when the terrain and the bodies are there. */
static void record(recorded_world *out, bool late, uint32_t keyframe_ticks, support_memory *memory)
{
    kugel_world_def settings = support_surfaces_settings();
    *out = (recorded_world){0};
    kugel_recording_def def = support_recording_def(&out->file, true);
    kugel_world *world;
    if (memory) settings.allocator = support_allocator(memory);
    def.keyframe_ticks = keyframe_ticks;
    cr_assert_eq(kugel_world_create(&settings, &world), KUGEL_OK);
    if (late) support_surfaces_fill(world, BODIES);
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
    if (!late) support_surfaces_fill(world, BODIES);
    for (uint64_t t = 0; t < TICKS; ++t) {
        support_surfaces_calls(world, t);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        out->hashes[t + 1] = kugel_world_hash(world);
    }
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
}

Test(surface_recordings, are_played_to_the_same_hashes)
{
    for (int late = 0; late < 2; ++late) {
        recorded_world r;
        record(&r, late, 512, NULL);
        cr_assert_eq(support_play(r.file.data, r.file.size, 1), TICKS);
        cr_assert_eq(support_play(r.file.data, r.file.size, 2), TICKS);
        kugel_player *player = support_open_player(&r.file);
        for (uint64_t t = 1; t <= TICKS; ++t)
            cr_assert_eq(kugel_player_hash(player, t), r.hashes[t]);
        kugel_player_close(player);
        support_file_free(&r.file);
    }
}

/* A world that has nothing but a surface is not empty: the recording begins with its snapshot. */
Test(surface_recordings, a_surface_alone_needs_a_base)
{
    support_file file = {0};
    kugel_world_def settings = support_surfaces_settings();
    kugel_recording_def def = support_recording_def(&file, true);
    kugel_surface_def stone = support_tetrahedron();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&settings, &world), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &stone, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
    ball.position[2] = 2;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    for (int t = 0; t < 40; ++t) cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    cr_assert_eq(support_play(file.data, file.size, 1), 40);
    kugel_world_destroy(world);
    support_file_free(&file);
}

/* To ticks in any order, from keyframes of the recording and from cached ones. */
Test(surface_recordings, seeks_give_the_recorded_worlds)
{
    for (int cache = 0; cache < 2; ++cache) {
        recorded_world r;
        support_random random = {7};
        record(&r, false, 16, NULL);
        kugel_player *player = support_open_player(&r.file);
        kugel_recording_info info;
        kugel_player_info(player, &info);
        cr_assert_geq(info.keyframes, 5);
        if (cache) kugel_player_cache_keyframes(player, 1 << 20);
        for (int k = 0; k < 60; ++k) {
            uint64_t tick = 1 + support_below(&random, TICKS);
            cr_assert_eq(kugel_player_seek(player, tick), KUGEL_PLAY_TICK, "%s",
                         kugel_player_error(player)->message);
            cr_assert_eq(kugel_world_hash(kugel_player_world(player)), r.hashes[tick], "tick %d",
                         (int)tick);
            if (tick < TICKS) cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
        }
        kugel_player_close(player);
        support_file_free(&r.file);
    }
}

static bool append(void *user, const void *data, size_t size)
{
    return support_file_write(user, data, size);
}

/* Without compression and states: the ops of surfaces have the same size there. */
Test(surface_recordings, are_rewritten)
{
    recorded_world r;
    support_file plain = {0};
    record(&r, true, 16, NULL);
    kugel_player *player = support_open_player(&r.file);
    cr_assert_eq(kugel_player_rewrite(player, append, &plain), KUGEL_OK);
    kugel_player_close(player);
    cr_assert_eq(support_play(plain.data, plain.size, 1), TICKS);
    support_file_free(&plain);
    support_file_free(&r.file);
}

/* The flight recorder's segments have the meshes that their snapshots and calls name. */
Test(surface_recordings, ring_dumps_stand_alone)
{
    kugel_world_def settings = support_surfaces_settings();
    kugel_recording_def def = kugel_recording_def_default();
    kugel_world *world = support_surfaces_world(BODIES, &settings);
    def.ring_ticks = 13;
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
    for (uint64_t t = 0; t < TICKS; ++t) {
        support_surfaces_calls(world, t);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        if (t % 10 != 9) continue;
        support_file dump = {0};
        cr_assert_eq(kugel_world_recording_dump(world, support_file_write, &dump), KUGEL_OK);
        cr_assert_geq(support_play(dump.data, dump.size, 1), (long)(t < 13 ? t : 13));
        support_file_free(&dump);
    }
    kugel_world_destroy(world);
}

/* A large surface has a chunk of its own; what comes before and after it is not lost. */
Test(surface_recordings, large_surfaces)
{
    enum { N = 150 };
    static double vertices[3 * N * N];
    static uint32_t triangles[6 * (N - 1) * (N - 1)];
    uint32_t *t = triangles;
    kugel_surface_def ground = kugel_surface_def_default();
    for (uint32_t i = 0; i < N * N; ++i) {
        vertices[3 * i] = i % N, vertices[3 * i + 1] = i / N;
        vertices[3 * i + 2] = (i * 2654435761u >> 16) % 64 / 256.;
    }
    for (uint32_t i = 0; i < (N - 1) * (N - 1); ++i, t += 6) {
        uint32_t at = i / (N - 1) * N + i % (N - 1);
        t[0] = t[3] = at, t[1] = at + 1, t[2] = t[4] = at + N + 1, t[5] = at + N;
    }
    ground.vertices = vertices, ground.vertex_count = N * N;
    ground.triangles = triangles, ground.triangle_count = 2 * (N - 1) * (N - 1);
    support_file file = {0};
    kugel_world_def settings = kugel_world_def_default();
    kugel_recording_def def = support_recording_def(&file, false);
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    settings.gravity[2] = -9.81;
    cr_assert_eq(kugel_world_create(&settings, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
    ball.position[0] = ball.position[1] = 70, ball.position[2] = 2;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &ground, NULL), KUGEL_OK);
    for (int k = 0; k < 60; ++k) cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 0, &at, &view) && view.length < 500);
    cr_assert(support_find_chunk(&file, KG_TYPE_MESH, 0, &at, &view) && view.length > 100000);
    cr_assert_eq(support_play(file.data, file.size, 1), 60);
    support_file_free(&file);
}

/* What needs more than a chunk can hold ends the recording, not the world: the size comes from the
 * counts, so no such arrays are made. */
Test(surface_recordings, a_surface_beyond_the_limit_ends_the_recording)
{
    support_file file = {0};
    kugel_world_def settings = support_surfaces_settings();
    kugel_recording_def def = support_recording_def(&file, false);
    kugel_world *world = support_surfaces_world(0, &settings);
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
    kg_surface huge = {.used = true, .mesh.vertex_count = 1 << 26};
    kg_record_add_surface(world->recorder, &huge, 1);
    cr_assert_eq(kugel_world_recording_status(world), KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_ERROR_LIMIT);
    kugel_world_destroy(world);
    support_file_free(&file);
}

/* Change one byte after another of the first chunk of a type. */
static void change_bytes(const recorded_world *r, uint32_t type, size_t from, uint32_t *opened,
                         uint32_t *differing)
{
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&r->file, type, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    for (size_t k = from; k < size; k += k < 200 ? 1 : 37) {
        payload[k] ^= (uint8_t)(1 << k % 8);
        support_file bad = support_replace_chunk(&r->file, at, payload, size);
        payload[k] ^= (uint8_t)(1 << k % 8);
        kugel_player *player;
        if (!kugel_player_open(bad.data, bad.size, NULL, NULL, 1, &player, NULL)) {
            kugel_play play = KUGEL_PLAY_TICK;
            for (int t = 0; t < 3 && play == KUGEL_PLAY_TICK; ++t)
                play = kugel_player_step(player, NULL);
            if (play == KUGEL_PLAY_ERROR)
                cr_assert_neq(kugel_player_error(player)->message[0], 0, "byte %zu", k);
            *opened += 1, *differing += play != KUGEL_PLAY_TICK;
            kugel_player_close(player);
        }
        support_file_free(&bad);
    }
    free(payload);
}

/* A payload with one byte changed and valid checksums: refused, or played. */
Test(surface_recordings, changed_ops_do_no_harm)
{
    recorded_world r;
    record(&r, false, 0, NULL);
    uint32_t opened = 0, differing = 0;
    change_bytes(&r, KG_TYPE_TICK, KG_TICK_RANGE_HEADER, &opened, &differing);
    cr_assert(opened > 100 && differing > 100, "%u opened, %u differ", opened, differing);
    opened = differing = 0;
    change_bytes(&r, KG_TYPE_MESH, 0, &opened, &differing);
    cr_assert(opened > 100 && differing > 100, "%u opened, %u differ", opened, differing);
    support_file_free(&r.file);
}

/* Each allocation of recording and playing fails once: the world goes on, the recording or the
 * player has the error, and nothing leaks. */
Test(surface_recordings, out_of_memory_is_an_error)
{
    recorded_world r;
    record(&r, false, 16, NULL);
    bool done = false;
    for (uint64_t fail = 1; !done; fail += 1 + fail / 16) {
        support_memory memory = {.fail_at = fail};
        kugel_allocator allocator = support_allocator(&memory);
        kugel_player *player;
        kugel_status status =
            kugel_player_open(r.file.data, r.file.size, NULL, &allocator, 1, &player, NULL);
        if (status) cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY);
        kugel_play play = KUGEL_PLAY_ERROR;
        while (!status && (play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) {}
        done = play == KUGEL_PLAY_END;
        cr_assert(done || play == KUGEL_PLAY_ERROR);
        if (!status) kugel_player_close(player);
        cr_assert_eq(memory.bytes, 0);
    }
    support_file_free(&r.file);
}

static uint64_t run(support_memory *memory, uint64_t fail_at, kugel_status *recording)
{
    support_file file = {0};
    kugel_world_def settings = support_surfaces_settings();
    kugel_recording_def def = support_recording_def(&file, true);
    kugel_world *world;
    settings.allocator = support_allocator(memory);
    cr_assert_eq(kugel_world_create(&settings, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
    kugel_surface_def stone = support_tetrahedron();
    memory->fail_at = fail_at ? memory->allocations + fail_at : 0;
    kugel_status status = kugel_surface_create(world, &stone, NULL);
    memory->fail_at = 0;
    if (status) {
        cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY);
        cr_assert_eq(kugel_world_surface_end(world), 0);
        cr_assert_eq(kugel_surface_create(world, &stone, NULL), KUGEL_OK);
    }
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    uint64_t hash = kugel_world_hash(world);
    *recording = kugel_world_recording_stop(world);
    if (!*recording) cr_assert_eq(support_play(file.data, file.size, 1), 1);
    kugel_world_destroy(world);
    cr_assert_eq(memory->bytes, 0);
    support_file_free(&file);
    return hash;
}

Test(surface_recordings, out_of_memory_in_the_call_records_nothing_or_ends_the_recording)
{
    support_memory memory = {0};
    kugel_status recording;
    uint64_t hash = run(&memory, 0, &recording);
    cr_assert_eq(recording, KUGEL_OK);
    for (uint64_t fail = 1; fail < 60; ++fail) {
        memory = (support_memory){0};
        cr_assert_eq(run(&memory, fail, &recording), hash, "allocation %d", (int)fail);
        cr_assert(!recording || recording == KUGEL_ERROR_OUT_OF_MEMORY);
    }
}
