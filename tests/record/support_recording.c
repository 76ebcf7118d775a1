/* Writers and readers of recordings in memory; a world that makes every recorded call. */
#include "record/support_recording.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/chunk_packing.h"
#include "support/support_plane.h"

bool support_file_write(void *user, const void *data, size_t size)
{
    support_file *file = user;
    file->writes += 1;
    if (file->fail_at && file->writes >= file->fail_at) return false;
    if (file->size + size > file->room) {
        file->room = 2 * (file->size + size);
        file->data = realloc(file->data, file->room);
        cr_assert_not_null(file->data);
    }
    if (size) memcpy(file->data + file->size, data, size);
    file->size += size;
    return true;
}

void support_file_free(support_file *file)
{
    free(file->data);
    *file = (support_file){0};
}

kugel_recording_def support_recording_def(support_file *file, bool states)
{
    kugel_recording_def def = kugel_recording_def_default();
    def.write = support_file_write;
    def.user = file;
    def.states = states;
    def.annotation = "a note";
    def.annotation_size = 6;
    return def;
}

kugel_world_def support_drive_def(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    def.substeps = 2;
    def.linear_damping = 0.01;
    def.angular_damping = 0.02;
    for (int axis = 0; axis < 3; ++axis) {
        def.bounds.min[axis] = -6;
        def.bounds.max[axis] = 6;
    }
    for (int face = 0; face < 4; ++face) def.bounds.faces[face] = KUGEL_FACE_WALL;
    def.bounds.restitution = 0.5;
    return def;
}

static kugel_body handle(const kugel_world *world, uint32_t id)
{
    kugel_body body = kugel_world_body(world, id);
    cr_assert_neq(body, KUGEL_NULL_BODY, "no body %u", id);
    return body;
}

static void ok(kugel_status status)
{
    cr_assert_eq(status, KUGEL_OK, "%s", kugel_status_text(status));
}

/* Make a call and repeat it after out of memory: a failed call changes nothing. */
#define DO(call)                                                                                   \
    do {                                                                                           \
        kugel_status status_ = (call);                                                             \
        ok(status_ == KUGEL_ERROR_OUT_OF_MEMORY ? (call) : status_);                               \
    } while (0)

void support_drive_fill(kugel_world *world)
{
    support_plane floor = {{0, 0, 1}, 0, 0.3, 0.4};
    DO(support_add_plane(world, &floor, NULL));
    for (int i = 0; i < 9; ++i) {
        kugel_body_def def = kugel_body_def_default();
        def.type = i == 7 ? KUGEL_STATIC : i == 8 ? KUGEL_KINEMATIC : KUGEL_DYNAMIC;
        def.radius = 0.4 + 0.05 * i;
        def.mass = 1 + 0.3 * i;
        def.restitution = 0.1 * i;
        def.friction = 0.2 + 0.05 * i;
        def.rolling_resistance = i == 2 ? 0.05 : 0;
        def.gravity_scale = i == 3 ? 0.5 : 1;
        def.position[0] = 1.1 * (i % 3) - 1;
        def.position[1] = 1.3 * (i / 3) - 1;
        def.position[2] = 1 + 0.7 * i;
        if (i == 6) def.rotation[3] = 0, def.rotation[0] = 1;
        if (i != 7) def.velocity[0] = 0.3 * i, def.spin[1] = -0.0;
        DO(kugel_body_create(world, &def, NULL));
    }
}

void support_drive_calls(kugel_world *world, uint64_t tick, double push)
{
    kugel_body_def def = kugel_body_def_default();
    support_plane wall = {{-1, 0, 0}, -5, 1, 0};
    double side[3] = {3, -2, 1}, low[3] = {2.5, 2.5, 4}, pushed[3] = {0, 0, push};
    switch (tick) {
    case 3:
        DO(kugel_body_apply_force(world, handle(world, 0), (double[3]){40, 0, 9}, NULL));
        break;
    case 5:
        DO(kugel_body_apply_torque(world, handle(world, 1), side));
        break;
    case 7:
        DO(kugel_body_apply_angular_impulse(world, handle(world, 2), side));
        break;
    case 9:
        DO(kugel_body_set_position(world, handle(world, 3), low));
        break;
    case 11:
        DO(kugel_body_set_velocity(world, handle(world, 4), side));
        break;
    case 13:
        DO(kugel_body_set_spin(world, handle(world, 5), side));
        break;
    case 15:
        DO(kugel_body_destroy(world, handle(world, 1)));
        break;
    case 20:
        def.position[2] = 7;
        DO(kugel_body_create(world, &def, NULL)); /* takes the free id 1 */
        break;
    case 25:
        DO(kugel_world_set_gravity(world, (double[3]){1, 0, -5}));
        break;
    case 30:
        DO(support_add_plane(world, &wall, NULL));
        break;
    case 40:
        DO(kugel_body_apply_impulse(world, handle(world, 1), pushed, NULL));
        break;
    default:
        break;
    }
}

support_file support_record(uint64_t ticks, bool states, uint32_t threads, double push,
                            uint64_t *hashes)
{
    support_file file = {0};
    kugel_world_def def = support_drive_def();
    kugel_recording_def recording = support_recording_def(&file, states);
    kugel_world *world;
    def.tasks.threads = threads;
    ok(kugel_world_create(&def, &world));
    ok(kugel_world_recording_start(world, &recording));
    support_drive_fill(world);
    for (uint64_t tick = 0; tick < ticks; ++tick) {
        support_drive_calls(world, tick, push);
        ok(kugel_world_step(world, 1 / 60.));
        if (hashes) hashes[tick] = kugel_world_hash(world);
    }
    ok(kugel_world_recording_stop(world));
    kugel_world_destroy(world);
    return file;
}

kugel_player *support_open_player(const support_file *file)
{
    kugel_player *player;
    kugel_error error;
    kugel_status status = kugel_player_open(file->data, file->size, NULL, NULL, 1, &player, &error);
    cr_assert_eq(status, KUGEL_OK, "%s: %s", error.argument, error.message);
    return player;
}

long support_play(const void *data, size_t size, uint32_t threads)
{
    kugel_player *player;
    if (kugel_player_open(data, size, NULL, NULL, threads, &player, NULL)) return -1;
    long ticks = 0;
    kugel_play play;
    while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) ++ticks;
    kugel_player_close(player);
    return play == KUGEL_PLAY_END ? ticks : -1;
}

bool support_find_chunk(const support_file *file, uint32_t type, uint32_t n, size_t *at,
                        kg_chunk_view *view)
{
    *at = KG_FILE_HEADER;
    while (kg_chunk_read(file->data + *at, file->size - *at, view) == KG_CHUNK_VALID) {
        if (view->type == type && n-- == 0) return true;
        *at += KG_CHUNK_HEADER + view->length;
    }
    return false;
}

support_file support_remove_bytes(const support_file *file, size_t from, size_t to)
{
    support_file copy = {0};
    support_file_write(&copy, file->data, from);
    support_file_write(&copy, file->data + to, file->size - to);
    return copy;
}

support_file support_insert_chunk(const support_file *file, size_t at, uint32_t type,
                                  uint32_t flags, const void *payload, size_t size)
{
    support_file copy = {0};
    uint8_t *chunk = malloc(KG_CHUNK_HEADER + size);
    cr_assert_not_null(chunk);
    if (size) memcpy(chunk + KG_CHUNK_HEADER, payload, size);
    kg_chunk_write_header(chunk, type, flags, size);
    support_file_write(&copy, file->data, at);
    support_file_write(&copy, chunk, KG_CHUNK_HEADER + size);
    support_file_write(&copy, file->data + at, file->size - at);
    free(chunk);
    return copy;
}

support_file support_replace_chunk(const support_file *file, size_t at, const void *payload,
                                   size_t size)
{
    kg_chunk_view view;
    cr_assert_eq(kg_chunk_read(file->data + at, file->size - at, &view), KG_CHUNK_VALID);
    uint32_t flags = view.flags & ~(uint32_t)KG_CHUNK_ZSTD;
    support_file cut = support_remove_bytes(file, at, at + KG_CHUNK_HEADER + view.length);
    support_file copy = support_insert_chunk(&cut, at, view.type, flags, payload, size);
    support_file_free(&cut);
    return copy;
}

uint8_t *support_unpack(const kg_chunk_view *view, size_t *size)
{
    kg_memory memory;
    kg_column workspace = {0};
    kg_chunk_buffer scratch = {0};
    const uint8_t *data;
    kg_memory_init(&memory, &(kugel_allocator){0});
    ok(kg_chunk_payload(&memory, &workspace, view, &scratch, &data, size));
    uint8_t *copy = malloc(*size + 1);
    cr_assert_not_null(copy);
    memcpy(copy, data, *size);
    kg_chunk_buffer_free(&memory, &scratch);
    kg_column_free(&memory, &workspace);
    return copy;
}
