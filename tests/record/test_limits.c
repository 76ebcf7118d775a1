/* Limits: small files that ask for much memory are refused before it is allocated, with an error
 * that names what asks for how much and which limit to raise. Limits hold exactly, and a refused
 * call leaves state and memory as they were. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/calls.h"
#include "record/snapshot.h"
#include "record/support_recording.h"
#include "support/support_snapshot.h"

enum { MANY = 10000000, FEW = 1000, ONE_MIB = 1 << 20 };

static kugel_world *make(const kugel_limits *limits, support_memory *memory)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    if (limits) def.limits = *limits;
    if (memory) def.allocator = support_allocator(memory);
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    return world;
}

static kugel_world *with_equal_bodies(uint32_t count)
{
    kugel_world *world = make(NULL, NULL);
    kugel_body_def ball = kugel_body_def_default();
    for (uint32_t k = 0; k < count; ++k)
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    return world;
}

/* Change the number of bodies of a snapshot whose columns have one value each. */
static void claim(uint8_t *snapshot, size_t size, uint32_t bodies)
{
    kg_put32(snapshot + 64, bodies);
    kg_put32(snapshot + 68, bodies);
    kg_put64(snapshot + KG_SNAPSHOT_CHECKSUM, kg_snapshot_checksum(snapshot, size));
}

/* A snapshot of equal bodies: its size does not depend on their number. */
static support_bytes equal_bodies(uint32_t count)
{
    kugel_world *world = with_equal_bodies(2);
    support_bytes bytes = support_snapshot_of(world);
    kugel_world_destroy(world);
    claim(bytes.data, bytes.size, count);
    return bytes;
}

static void check_error(const kugel_error *error, const char *argument, const char *text)
{
    cr_assert_eq(error->status, KUGEL_ERROR_LIMIT, "%s: %s", error->argument, error->message);
    cr_assert_str_eq(error->argument, argument);
    cr_assert_not_null(strstr(error->message, text), "%s", error->message);
}

/* Snapshots. */

Test(limits, a_small_snapshot_of_many_bodies_is_refused)
{
    support_memory memory = {0};
    kugel_world *world = make(NULL, &memory);
    support_bytes bytes = equal_bodies(MANY);
    kugel_snapshot_info info;
    cr_assert_lt(bytes.size, 550);
    int64_t before = memory.bytes;
    uint64_t hash = kugel_world_hash(world);
    memory.most = before;
    cr_assert_eq(kugel_snapshot_check(bytes.data, bytes.size, &info, NULL), KUGEL_OK);
    cr_assert_eq(info.bodies, MANY);
    cr_assert_eq(kugel_snapshot_restore(world, bytes.data, bytes.size), KUGEL_ERROR_LIMIT);
    check_error(kugel_world_last_error(world), "snapshot", "limits.bytes allows 268");
    cr_assert_eq(memory.most, before);
    cr_assert_eq(memory.bytes, before);
    cr_assert_eq(kugel_world_hash(world), hash);
    free(bytes.data);
    kugel_world_destroy(world);
    cr_assert_eq(memory.bytes, 0);
}

/* The least limit is the memory of the restored world, and a world that has it needs no more. */
Test(limits, bytes_of_a_restored_world)
{
    support_bytes bytes = equal_bodies(FEW);
    kugel_world *world = make(NULL, NULL);
    kugel_stats stats;
    cr_assert_eq(kugel_snapshot_restore(world, bytes.data, bytes.size), KUGEL_OK);
    kugel_world_stats(world, &stats);
    kugel_world_destroy(world);
    kugel_limits limits = {.bytes = stats.memory};
    world = make(&limits, NULL);
    for (int round = 0; round < 2; ++round)
        cr_assert_eq(kugel_snapshot_restore(world, bytes.data, bytes.size), KUGEL_OK, "%s",
                     kugel_world_last_error(world)->message);
    cr_assert_eq(kugel_world_body_count(world), FEW);
    kugel_world_destroy(world);
    limits.bytes -= 1;
    world = make(&limits, NULL);
    cr_assert_eq(kugel_snapshot_restore(world, bytes.data, bytes.size), KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_world_body_count(world), 0);
    free(bytes.data);
    kugel_world_destroy(world);
}

Test(limits, bodies_of_a_world)
{
    kugel_limits limits = {.bodies = FEW};
    kugel_world *world = make(&limits, NULL), *clone;
    kugel_body_def ball = kugel_body_def_default();
    kugel_world_def def;
    support_bytes bytes = equal_bodies(FEW + 1);
    cr_assert_eq(kugel_snapshot_restore(world, bytes.data, bytes.size), KUGEL_ERROR_LIMIT);
    check_error(kugel_world_last_error(world), "snapshot",
                "has 1001 bodies; limits.bodies is 1000");
    claim(bytes.data, bytes.size, FEW);
    cr_assert_eq(kugel_snapshot_restore(world, bytes.data, bytes.size), KUGEL_OK);
    cr_assert_eq(kugel_world_get_def(world, &def), KUGEL_OK);
    cr_assert_eq(def.limits.bodies, FEW);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    kugel_world *const both[2] = {world, clone};
    for (int k = 0; k < 2; ++k) {
        cr_assert_eq(kugel_body_create(both[k], &ball, NULL), KUGEL_ERROR_LIMIT);
        check_error(kugel_world_last_error(both[k]), "body", "the 1000 of limits.bodies");
        cr_assert_eq(kugel_body_destroy(both[k], kugel_world_body(both[k], 0)), KUGEL_OK);
        cr_assert_eq(kugel_body_create(both[k], &ball, NULL), KUGEL_OK);
        kugel_world_destroy(both[k]);
    }
    free(bytes.data);
}

/* Ids without a body need memory for themselves only: a world that held many bodies once. */
Test(limits, ids_without_bodies)
{
    kugel_world *world = with_equal_bodies(FEW), *other = make(NULL, NULL);
    kugel_stats stats;
    for (uint32_t id = 0; id + 1 < FEW; ++id)
        cr_assert_eq(kugel_body_destroy(world, kugel_world_body(world, id)), KUGEL_OK);
    support_bytes bytes = support_snapshot_of(world);
    kugel_world_stats(other, &stats);
    size_t empty = stats.memory;
    cr_assert_eq(kugel_snapshot_restore(other, bytes.data, bytes.size), KUGEL_OK);
    kugel_world_stats(other, &stats);
    cr_assert_lt(stats.memory - empty, 20 * FEW);
    cr_assert_eq(kugel_world_hash(other), kugel_world_hash(world));
    free(bytes.data);
    kugel_world_destroy(world);
    kugel_world_destroy(other);
}

static void add_pyramid(kugel_world *world)
{
    static const double vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = 4;
    def.triangles = triangles, def.triangle_count = 4;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
}

/* Each surface that names a mesh has one of its own. */
Test(limits, named_meshes)
{
    kugel_world *many = make(NULL, NULL);
    for (int k = 0; k < FEW; ++k) add_pyramid(many);
    size_t room = support_snapshot_room(many, false), size;
    void *data = malloc(room);
    cr_assert_eq(kugel_snapshot_save(many, false, data, room, &size), KUGEL_OK);
    support_memory memory = {0};
    kugel_limits limits = {.bytes = ONE_MIB};
    kugel_world *world = make(&limits, &memory);
    add_pyramid(world);
    int64_t before = memory.bytes;
    cr_assert_eq(kugel_snapshot_restore(world, data, size), KUGEL_ERROR_LIMIT);
    check_error(kugel_world_last_error(world), "snapshot", "limits.bytes allows 1048576");
    cr_assert_eq(memory.bytes, before);
    cr_assert_leq(memory.most, ONE_MIB);
    kugel_world_destroy(world);
    world = make(NULL, NULL);
    add_pyramid(world);
    cr_assert_eq(kugel_snapshot_restore(world, data, size), KUGEL_OK);
    kugel_world_destroy(world);
    kugel_world_destroy(many);
    free(data);
}

/* Steps keep the limit, too: they fail and change nothing. */
Test(limits, bytes_of_steps)
{
    kugel_world *world = with_equal_bodies(2);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    kugel_limits limits = {.bytes = stats.memory};
    kugel_world_destroy(world);
    support_bytes bytes = equal_bodies(2);
    world = make(&limits, NULL);
    cr_assert_eq(kugel_snapshot_restore(world, bytes.data, bytes.size), KUGEL_OK);
    uint64_t hash = kugel_world_hash(world);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_ERROR_LIMIT);
    check_error(kugel_world_last_error(world), "step", "limits.bytes allows ");
    cr_assert_eq(kugel_world_hash(world), hash);
    free(bytes.data);
    kugel_world_destroy(world);
}

Test(limits, an_empty_world)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.limits.bytes = 100;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_ERROR_LIMIT);
    cr_assert_null(world);
    def.limits.bytes = ONE_MIB;
    def.body_capacity = FEW * FEW;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_ERROR_LIMIT);
}

static bool is_refused_for(kugel_status status, const char *text, uint64_t limit)
{
    unsigned long long needed, used, allowed;
    if (!status) return false;
    cr_assert_eq(status, KUGEL_ERROR_LIMIT, "%d bytes: %s: %s", (int)limit,
                 kugel_status_text(status), text);
    cr_assert_not_null(strstr(text, "needs "), "%s", text);
    cr_assert_eq(sscanf(strstr(text, "needs "),
                        "needs %llu bytes besides the %llu in use; limits.bytes allows %llu",
                        &needed, &used, &allowed),
                 3, "%s", text);
    cr_assert(needed + used > allowed && allowed == limit, "%s", text);
    return true;
}

static void keep_text(void *user, kugel_status status, const char *text)
{
    (void)status;
    snprintf(user, 256, "%s", text);
}

/* Whatever call meets the limit, the error is the limit's, and what it needs is more than that. */
Test(limits, bytes_at_any_place)
{
    int refused = 0, done = 0;
    for (uint64_t limit = 1000; limit < ONE_MIB; limit += limit < 50000 ? 1009 : 7919) {
        char text[256] = "";
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default();
        kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
        kugel_world *world;
        def.limits.bytes = limit, def.gravity[2] = -9.81, def.log = (kugel_log){keep_text, text};
        kugel_status status = kugel_world_create(&def, &world);
        if (!status) status = kugel_surface_create(world, &floor, NULL);
        for (int i = 0; i < 100 && !status; ++i) {
            ball.position[0] = i % 10 * 0.97, ball.position[1] = i / 10 * 0.97;
            ball.position[2] = 0.5 + i % 3 * 0.3;
            status = kugel_body_create(world, &ball, NULL);
        }
        for (int tick = 0; tick < 5 && !status; ++tick) status = kugel_world_step(world, 0.01);
        is_refused_for(status, text, limit) ? ++refused : ++done;
        kugel_world_destroy(world);
    }
    cr_expect(refused > 50 && done > 10, "%d, %d", refused, done);
}

/* Recordings. */

static kugel_status open(const support_file *file, const kugel_limits *limits,
                         support_memory *memory, kugel_player **player, kugel_error *error)
{
    kugel_allocator allocator = support_allocator(memory);
    return kugel_player_open(file->data, file->size, limits, &allocator, 1, player, error);
}

/* A recording of a tick of two equal bodies, which are in its BASE chunk. */
static support_file record_pair(void)
{
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, false);
    kugel_world *world = with_equal_bodies(2);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    return file;
}

/* The recording with another number of bodies in its BASE chunk. */
static support_file with_base(const support_file *file, uint32_t bodies)
{
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(file, KG_TYPE_BASE, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    claim(payload + KG_KEYFRAME_HEADER, size - KG_KEYFRAME_HEADER, bodies);
    support_file changed = support_replace_chunk(file, at, payload, size);
    free(payload);
    return changed;
}

Test(limits, a_small_recording_of_many_bodies_is_refused)
{
    support_file file = record_pair(), many = with_base(&file, MANY), few = with_base(&file, FEW);
    support_memory memory = {0};
    kugel_player *player;
    kugel_error error;
    cr_assert_lt(many.size, 1200);
    cr_assert_eq(open(&many, NULL, &memory, &player, &error), KUGEL_ERROR_LIMIT);
    check_error(&error, "BASE", "limits.bytes allows 268");
    cr_assert_lt(memory.most, ONE_MIB);
    kugel_limits limits = {.bodies = FEW - 1};
    cr_assert_eq(open(&few, &limits, &memory, &player, &error), KUGEL_ERROR_LIMIT);
    check_error(&error, "BASE", "has 1000 bodies; limits.bodies is 999");
    limits.bodies = FEW;
    cr_assert_eq(open(&few, &limits, &memory, &player, &error), KUGEL_OK);
    kugel_player_close(player);
    cr_assert_eq(memory.bytes, 0);
    support_file_free(&file);
    support_file_free(&many);
    support_file_free(&few);
}

/* Bodies that recorded calls create. */
Test(limits, recorded_calls)
{
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, false);
    kugel_world *world = make(NULL, NULL);
    kugel_body_def ball = kugel_body_def_default();
    kugel_player *player;
    support_memory memory = {0};
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    for (int k = 0; k < FEW; ++k) {
        ball.position[0] = 2 * k;
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    }
    for (int k = 0; k < FEW; ++k) add_pyramid(world);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    kugel_limits limits = {.bodies = FEW - 1};
    cr_assert_eq(open(&file, &limits, &memory, &player, NULL), KUGEL_OK);
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_ERROR);
    check_error(kugel_player_error(player), "body", "the 999 of limits.bodies");
    kugel_player_close(player);
    limits = (kugel_limits){.bytes = ONE_MIB, .bodies = FEW};
    cr_assert_eq(open(&file, &limits, &memory, &player, NULL), KUGEL_OK);
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_ERROR);
    check_error(kugel_player_error(player), "surface", "limits.bytes allows 1048576");
    kugel_player_close(player);
    cr_assert_leq(memory.most, 2 * ONE_MIB);
    limits.bytes = 0;
    cr_assert_eq(open(&file, &limits, &memory, &player, NULL), KUGEL_OK);
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
    kugel_player_close(player);
    cr_assert_eq(memory.bytes, 0);
    support_file_free(&file);
}

/* Append a chunk of a type whose payload is a zstd frame of 2^30 zeros: blocks of 2^17 equal bytes,
 * each in four bytes. */
static void append_zeros(support_file *file, uint32_t type)
{
    enum { BLOCKS = 1 << 13, HEADER = 13, LENGTH = HEADER + 4 * BLOCKS };
    uint8_t *chunk = calloc(1, KG_CHUNK_HEADER + LENGTH), *at = chunk + KG_CHUNK_HEADER;
    kg_put32(at, 0xfd2fb528u);
    at[4] = 0xe0; /* one segment, whose size follows in 8 bytes */
    kg_put64(at + 5, (uint64_t)1 << 30);
    at += HEADER;
    for (uint32_t k = 0; k < BLOCKS; ++k, at += 4)
        kg_put32(at, (k + 1 == BLOCKS) | 1 << 1 | 1 << 20); /* last, kind, size; a zero */
    kg_chunk_write_header(chunk, type, KG_CHUNK_ZSTD | KG_CHUNK_INDEPENDENT, LENGTH);
    support_file_write(file, chunk, KG_CHUNK_HEADER + LENGTH);
    free(chunk);
}

Test(limits, a_small_chunk_of_many_bytes_is_not_unpacked)
{
    static const uint32_t types[] = {KG_TYPE_MESH, KG_TYPE_TICK, KG_TYPE_BASE};
    static const char *const names[] = {"MESH", "TICK", "BASE"};
    support_file file = record_pair();
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_BASE, 0, &at, &view));
    if (!(view.flags & KG_CHUNK_ZSTD)) cr_skip_test("built without zstd");
    for (int k = 0; k < 3; ++k) {
        support_memory memory = {0};
        kugel_player *player;
        kugel_error error;
        file.size = at;
        append_zeros(&file, types[k]);
        cr_assert_eq(open(&file, NULL, &memory, &player, &error), KUGEL_ERROR_LIMIT);
        check_error(&error, names[k], "needs 10737418");
        cr_assert_lt(memory.most, ONE_MIB);
        cr_assert_eq(memory.bytes, 0);
    }
    support_file_free(&file);
}

/* States are unpacked when they are needed. */
Test(limits, states)
{
    support_file file = support_record(3, true, 1, 4, NULL);
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_STAT, 0, &at, &view));
    if (!(view.flags & KG_CHUNK_ZSTD)) cr_skip_test("built without zstd");
    support_memory memory = {0};
    kugel_player *player;
    kugel_recorded recorded;
    file.size = at;
    append_zeros(&file, KG_TYPE_STAT);
    cr_assert_eq(open(&file, NULL, &memory, &player, NULL), KUGEL_OK);
    cr_assert_eq(kugel_player_recorded(player, 1, &recorded), KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_ERROR);
    check_error(kugel_player_error(player), "STAT", "needs 1073741");
    cr_assert_lt(memory.most, ONE_MIB);
    kugel_player_close(player);
    support_file_free(&file);
}

/* The least limit with which a recording plays is found by halving; above it all plays, below it
 * nothing is taken beyond it. */
static bool plays(const support_file *file, uint64_t bytes, support_memory *memory)
{
    kugel_player *player;
    kugel_limits limits = {.bytes = bytes};
    kugel_error error;
    kugel_status status = open(file, &limits, memory, &player, &error);
    kugel_play play = KUGEL_PLAY_ERROR;
    if (!status) {
        while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) {}
        error = *kugel_player_error(player);
    }
    cr_assert(play == KUGEL_PLAY_END || play == KUGEL_PLAY_ERROR);
    if (play == KUGEL_PLAY_ERROR)
        cr_assert_eq(error.status, KUGEL_ERROR_LIMIT, "%s: %s", error.argument, error.message);
    kugel_player_close(player);
    cr_assert_eq(memory->bytes, 0);
    return play == KUGEL_PLAY_END;
}

Test(limits, bytes_of_a_player)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    uint64_t low = 1, high = 1 << 24;
    while (low < high) {
        support_memory memory = {0};
        uint64_t middle = low + (high - low) / 2;
        if (plays(&file, middle, &memory)) high = middle;
        else low = middle + 1;
        cr_assert_leq(memory.most, (int64_t)(2 * middle) + ONE_MIB); /* and indexes of contacts */
    }
    cr_assert_gt(low, 10000);
    cr_assert_lt(low, 1 << 24);
    support_file_free(&file);
}
