/* Checks and indexes a recording in one pass, up to the first truncated or damaged chunk. In: any
 * bytes. Out: the player's index. An undamaged chunk with inconsistent content is an error: the
 * recording cannot be opened. */
#include <string.h>

#include "base/bytes.h"
#include "record/def_encoding.h"
#include "record/player.h"
#include "world/world.h"

typedef struct scanner {
    kugel_player *player;
    kg_chunk_buffer scratch;
    kugel_error *error;
    bool any_tick_chunk;    /* true after the first TICK chunk */
    bool tick_needs_states; /* true: no STAT chunk has followed the last TICK chunk yet */
    uint64_t tick_first;    /* first tick of the last TICK chunk */
    uint32_t tick_count;    /* number of its ticks */
} scanner;

static kugel_status format_error(scanner *s, const char *what, const char *why)
{
    return kg_error_set(s->error, KUGEL_ERROR_FORMAT, what, "%s", why);
}

static kugel_status no_memory(scanner *s, const char *what)
{
    return kg_error_no_memory(s->error, &s->player->memory, what, "no memory to read it");
}

static kugel_status read_head(scanner *s, const kg_chunk_view *view)
{
    if (view->type != KG_TYPE_HEAD)
        return format_error(s, "recording", "does not begin with a HEAD chunk");
    if (view->length < 16) return format_error(s, "HEAD", "is too short");
    const uint8_t *head = view->payload;
    kugel_recording_info *info = &s->player->info;
    info->format = kg_get32(head);
    info->physics_epoch = kg_get32(head + 4);
    info->states = kg_get32(head + 8);
    if (info->format != KUGEL_RECORDING_FORMAT) {
        return kg_error_set(s->error, KUGEL_ERROR_FORMAT, "HEAD",
                            "format %u is not known, only %d is", info->format,
                            KUGEL_RECORDING_FORMAT);
    }
    if (view->length < 16 + KG_WORLD_DEF_BYTES) return format_error(s, "HEAD", "is too short");
    s->player->def = kg_def_decode_world(head + 16);
    return KUGEL_OK;
}

static void read_made(scanner *s, const kg_chunk_view *view)
{
    kugel_recording_info *info = &s->player->info;
    if (view->length < sizeof info->library + sizeof info->build) return;
    memcpy(info->library, view->payload, sizeof info->library - 1);
    memcpy(info->build, view->payload + sizeof info->library, sizeof info->build - 1);
}

static bool push_hash(kugel_player *player, uint64_t hash)
{
    size_t n = (size_t)player->info.ticks;
    if (!KG_RESERVE(&player->memory, &player->hash_column, player->hashes, n + 1, n)) return false;
    player->hashes[n] = hash;
    player->info.ticks += 1;
    return true;
}

static kugel_status read_ops(scanner *s, const uint8_t *ops, size_t size)
{
    kg_call call;
    for (size_t at = 0, need; at < size; at += need) {
        need = kg_call_decode(ops + at, size - at, &call);
        if (need == 0) return format_error(s, "TICK", "holds an unknown or cut call");
        if (call.has_filter) s->player->info.pair_filter = true;
        if (call.op == KG_OP_STEP && !push_hash(s->player, call.hash)) return no_memory(s, "TICK");
    }
    return KUGEL_OK;
}

/* Unpack the payload of a chunk; an error if it is shorter than `min_size` bytes. `what`: the type
 * of the chunk, for the error. */
static kugel_status read_payload(scanner *s, const kg_chunk_view *view, const char *what,
                                 size_t min_size, const uint8_t **data, size_t *size)
{
    kugel_status status = kg_player_unpack(s->player, view, &s->scratch, data, size);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY) return no_memory(s, what);
    if (status)
        return format_error(s, what,
                            "cannot be unpacked; if this build has no zstd, `kugel-replay rewrite "
                            "FILE -o OUT` writes a recording that it can read");
    return *size < min_size ? format_error(s, what, "is too short") : KUGEL_OK;
}

static kugel_status read_mesh(scanner *s, const kg_chunk_view *view, size_t at)
{
    const uint8_t *data;
    size_t size;
    kugel_status status = read_payload(s, view, "MESH", KG_MESH_HEADER, &data, &size);
    if (status) return status;
    status = kg_player_add_mesh(s->player, at, data, size);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY) return no_memory(s, "MESH");
    return status ? format_error(s, "MESH", "holds other triangles than it counts") : KUGEL_OK;
}

static kugel_status read_tick(scanner *s, const kg_chunk_view *view)
{
    kugel_player *player = s->player;
    const uint8_t *data;
    size_t size;
    kugel_status status = read_payload(s, view, "TICK", KG_TICK_RANGE_HEADER, &data, &size);
    if (status) return status;
    uint64_t first = player->info.ticks;
    s->any_tick_chunk = true;
    if (kg_get64(data) != player->info.origin + first)
        return format_error(s, "TICK", "is not the next one: a chunk is missing");
    status = read_ops(s, data + KG_TICK_RANGE_HEADER, size - KG_TICK_RANGE_HEADER);
    if (status) return status;
    uint64_t count = player->info.ticks - first;
    if (count != kg_get32(data + 8))
        return format_error(s, "TICK", "holds another number of steps");
    s->tick_needs_states = true;
    s->tick_first = first + 1;
    s->tick_count = (uint32_t)count;
    return KUGEL_OK;
}

static kugel_status read_stat(scanner *s, const kg_chunk_view *view, size_t at)
{
    kugel_player *player = s->player;
    bool independent = view->flags & KG_CHUNK_INDEPENDENT;
    if (!s->tick_needs_states || s->tick_count == 0)
        return format_error(s, "STAT", "does not follow a TICK chunk");
    s->tick_needs_states = false;
    size_t n = player->state_chunk_count;
    const kg_state_chunk *last = n ? &player->state_chunks[n - 1] : NULL;
    /* skip states that build on a missing STAT chunk: playback needs only hashes */
    if (!independent && (!last || last->first + last->count != s->tick_first)) return KUGEL_OK;
    if (!KG_RESERVE(&player->memory, &player->state_chunk_column, player->state_chunks, n + 1, n))
        return no_memory(s, "STAT");
    player->state_chunks[n] = (kg_state_chunk){at, s->tick_first, s->tick_count, independent};
    player->state_chunk_count += 1;
    return KUGEL_OK;
}

/* Add a KEYF chunk to the index. Its snapshot is checked when a seek restores it. */
static kugel_status read_keyframe(scanner *s, const kg_chunk_view *view, size_t at)
{
    kugel_player *player = s->player;
    size_t n = player->keyframe_count;
    if (n && player->keyframes[n - 1].tick >= player->info.ticks)
        return format_error(s, "KEYF", "comes twice");
    if (!KG_RESERVE(&player->memory, &player->keyframe_column, player->keyframes, n + 1, n))
        return no_memory(s, "KEYF");
    player->keyframes[n] =
        (kg_keyframe){player->info.ticks, at, at + KG_CHUNK_HEADER + view->length};
    player->keyframe_count += 1;
    player->info.keyframes += 1;
    return KUGEL_OK;
}

static kugel_status read_base(scanner *s, const kg_chunk_view *view, size_t at)
{
    kugel_player *player = s->player;
    const uint8_t *data;
    size_t size;
    if (player->base || s->any_tick_chunk)
        return format_error(s, "BASE", "does not come before the first TICK chunk");
    kugel_status status = read_payload(s, view, "BASE", KG_KEYFRAME_HEADER, &data, &size);
    if (status) return status;
    player->base = at;
    player->info.origin = kg_get64(data);
    if (player->info.origin >> 62) return format_error(s, "BASE", "counts more steps than can be");
    return KUGEL_OK;
}

static kugel_status read_done(scanner *s, const kg_chunk_view *view)
{
    if (view->length < 8) return format_error(s, "DONE", "is too short");
    if (kg_get64(view->payload) != s->player->info.origin + s->player->info.ticks)
        return format_error(s, "DONE", "counts other steps than there are: a chunk is missing");
    s->player->info.closed = true;
    return KUGEL_OK;
}

static kugel_status read_chunk(scanner *s, const kg_chunk_view *view, size_t at)
{
    kugel_recording_info *info = &s->player->info;
    if (at == KG_FILE_HEADER) return read_head(s, view);
    switch (view->type) {
    case KG_TYPE_HEAD:
        return format_error(s, "HEAD", "comes twice");
    case KG_TYPE_MADE:
        read_made(s, view);
        return KUGEL_OK;
    case KG_TYPE_MESH:
        return read_mesh(s, view, at);
    case KG_TYPE_BASE:
        return read_base(s, view, at);
    case KG_TYPE_MARK:
        if (!info->ticks && !s->player->mark) s->player->mark = at;
        return KUGEL_OK;
    case KG_TYPE_TICK:
        return read_tick(s, view);
    case KG_TYPE_STAT:
        return read_stat(s, view, at);
    case KG_TYPE_KEYF:
        return read_keyframe(s, view, at);
    case KG_TYPE_DONE:
        return read_done(s, view);
    case KG_TYPE_NOTE:
        if (info->annotation) return KUGEL_OK;
        info->annotation = (const char *)view->payload;
        info->annotation_size = view->length;
        return KUGEL_OK;
    default:
        if (!(view->flags & KG_CHUNK_CRITICAL)) return KUGEL_OK;
        return kg_error_set(s->error, KUGEL_ERROR_FORMAT, "recording",
                            "needs chunk type %#x, which this version does not know", view->type);
    }
}

static kugel_status scan(scanner *s, size_t size)
{
    kugel_player *player = s->player;
    size_t at = KG_FILE_HEADER;
    kg_chunk_view view;
    kg_chunk_status state;
    if (size < KG_FILE_HEADER || memcmp(player->data, KG_FILE_MAGIC, KG_FILE_HEADER) != 0)
        return format_error(s, "recording", "does not begin as a recording does");
    while ((state = kg_chunk_read(player->data + at, size - at, &view)) == KG_CHUNK_VALID) {
        if (player->info.closed) break;
        kugel_status status = read_chunk(s, &view, at);
        if (status) return status;
        at += KG_CHUNK_HEADER + view.length;
    }
    if (at == KG_FILE_HEADER) return format_error(s, "HEAD", "is cut or damaged");
    player->valid_size = at;
    player->info.bytes = at;
    player->info.lost = size - at;
    /* bytes after the closing chunk are damage */
    player->info.damaged = state == KG_CHUNK_DAMAGED || (player->info.closed && size > at);
    return KUGEL_OK;
}

kugel_status kg_player_scan(kugel_player *player, size_t size, kugel_error *error)
{
    scanner s = {.player = player, .error = error};
    kugel_status status = scan(&s, size);
    kg_chunk_buffer_free(&player->memory, &s.scratch);
    return status;
}
