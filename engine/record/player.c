/* Opens and closes players, and reads their properties and the payloads of their chunks. */
#include "base/sized.h"
#include "record/player.h"

#include "world/guard.h"

static kugel_status make_world(kugel_player *player, uint32_t threads, kugel_error *error)
{
    kugel_world_def *def = &player->def;
    kugel_error why;
    def->allocator = player->memory.hooks;
    def->limits = player->limits;
    def->tasks.threads = threads;
    kugel_status status = kugel_world_def_check(def, &why);
    if (status) return kg_error_set(error, KUGEL_ERROR_FORMAT, why.argument, "%s", why.message);
    return kg_player_create_world(player, &player->world, error);
}

kugel_status kugel_player_open(const void *data, size_t size, const kugel_limits *limits,
                               const kugel_allocator *allocator, uint32_t threads,
                               kugel_player **player, kugel_error *error)
{
    const kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
    if (error) *error = (kugel_error){0};
    if (!player) return kg_error_set(error, bad, "player", "is NULL");
    *player = NULL;
    if (!data) return kg_error_set(error, bad, "data", "is NULL");
    if (threads < 1 || threads > 256) return kg_error_set(error, bad, "threads", "not 1 ... 256");
    kugel_allocator hooks = allocator ? *allocator : (kugel_allocator){0};
    int set = (hooks.allocate != NULL) + (hooks.reallocate != NULL) + (hooks.free != NULL);
    if (set % 3) return kg_error_set(error, bad, "allocator", "give all three functions or none");
    kg_memory memory;
    kugel_limits given = limits ? *limits : (kugel_limits){0};
    kg_memory_init(&memory, &hooks);
    kg_memory_limit(&memory, given.bytes, size);
    given.bytes = memory.limit;
    kugel_player *made = kg_allocate(&memory, sizeof *made);
    if (!made) return kg_error_no_memory(error, &memory, "player", "no memory");
    *made = (kugel_player){
        .memory = memory, .data = data, .limits = given, .ops = {.next = KG_FILE_HEADER}};
    kugel_status status = kg_player_scan(made, size, error);
    if (!status) status = make_world(made, threads, error);
    if (status) kugel_player_close(made);
    else *player = made;
    return status;
}

void kugel_player_close(kugel_player *player)
{
    if (!player || (player->world && !kg_may_destroy(player->world))) return;
    kg_memory *memory = &player->memory;
    kugel_world_destroy(player->world);
    kg_player_clear_keyframe_cache(player);
    kg_chunk_buffer_free(memory, &player->ops.scratch);
    kg_chunk_buffer_free(memory, &player->states.scratch);
    kg_chunk_buffer_free(memory, &player->mesh_scratch);
    kg_state_codec_free(memory, &player->states.codec);
    kg_state_free(memory, &player->played_state);
    kg_column_free(memory, &player->hash_column);
    kg_column_free(memory, &player->state_chunk_column);
    kg_column_free(memory, &player->keyframe_column);
    kg_column_free(memory, &player->mesh_column);
    kg_column_free(memory, &player->workspace);
    kg_memory memory_copy = *memory;
    kg_free(&memory_copy, player, sizeof *player);
}

void kugel_player_info(const kugel_player *player, kugel_recording_info *info, size_t size)
{
    static const kugel_recording_info none;
    if (info) kg_copy_sized(info, size, player ? &player->info : &none, sizeof none);
}

kugel_status kg_player_unpack(kugel_player *player, const kg_chunk_view *view,
                              kg_chunk_buffer *scratch, const uint8_t **data, size_t *size)
{
    return kg_chunk_payload(&player->memory, &player->workspace, view, scratch, data, size);
}

kugel_status kg_player_unpack_at(kugel_player *player, size_t at, kg_chunk_buffer *scratch,
                                 const uint8_t **data, size_t *size)
{
    kg_chunk_view view;
    if (kg_chunk_read(player->data + at, player->valid_size - at, &view) != KG_CHUNK_VALID)
        return KUGEL_ERROR_FORMAT;
    return kg_player_unpack(player, &view, scratch, data, size);
}

const kugel_world *kugel_player_world(const kugel_player *player)
{
    return player ? player->world : NULL;
}

const kugel_error *kugel_player_error(const kugel_player *player)
{
    static const kugel_error none = {0};
    return player ? &player->error : &none;
}
