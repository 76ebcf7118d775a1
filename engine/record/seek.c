/* Seeking: the played world is brought to a tick by running it from the nearest state that is at hand:
 * where it stands, a snapshot taken while playing, a keyframe of the recording, the start. */
#include "base/bytes.h"
#include "record/player.h"
#include "record/snapshot.h"
#include "world/world.h"

/* What a KEYF or BASE chunk holds: the number of steps, and the world into which its snapshot goes. */
static kugel_status restore(kugel_player *player, size_t at, uint64_t steps, kugel_world *world)
{
    kg_chunk_view view;
    const uint8_t *data;
    size_t size;
    kg_op_cursor *ops = &player->ops;
    if (kg_chunk_read(player->data + at, player->whole - at, &view) != KG_CHUNK_WHOLE) return KUGEL_ERROR_FORMAT;
    ops->at = ops->size = 0; /* the scratch is theirs */
    kugel_status status = kg_chunk_payload(&player->memory, &player->workspace, &view, &ops->scratch, &data, &size);
    if (status) return status;
    if (size < KG_FRAME_HEAD || kg_get64(data) != steps) return KUGEL_ERROR_FORMAT;
    return kugel_snapshot_restore(world, data + KG_FRAME_HEAD, size - KG_FRAME_HEAD);
}

kugel_status kg_player_begin(kugel_player *player, kugel_world **out, kugel_error *error)
{
    kugel_world *world;
    *out = NULL;
    kugel_status status = kugel_world_create(&player->def, &world);
    if (status) return kg_error_set(error, status, "world", "%s", kugel_status_text(status));
    if (player->base) status = restore(player, player->base, player->info.origin, world);
    if (status) {
        const kugel_error *why = kugel_world_last_error(world);
        kg_error_set(error, status, "BASE", "%s", why->status ? why->message : kugel_status_text(status));
        kugel_world_destroy(world);
        return status;
    }
    *out = world;
    return KUGEL_OK;
}

static kugel_status restart(kugel_player *player)
{
    kugel_world *world;
    kugel_status status = kg_player_begin(player, &world, NULL);
    if (status) return status;
    kugel_world_destroy(player->world);
    player->world = world;
    player->error = (kugel_error){0};
    player->played = 0;
    player->ops.next = KG_FILE_HEAD;
    player->ops.at = player->ops.size = 0;
    return KUGEL_OK;
}

/* The last keyframe at or before a tick; NULL when there is none. */
static const kg_frame *find_frame(const kugel_player *player, uint64_t tick)
{
    const kg_frame *found = NULL;
    for (size_t k = 0; k < player->frame_count && player->frames[k].tick <= tick; ++k) {
        found = &player->frames[k];
    }
    return found;
}

/* Go to a keyframe; false when it cannot be used: then the run from the start does. */
static bool restore_frame(kugel_player *player, const kg_frame *frame)
{
    if (restore(player, frame->at, player->info.origin + frame->tick, player->world)) return false;
    if (kugel_world_hash(player->world) != kugel_player_hash(player, frame->tick)) return false;
    player->error = (kugel_error){0};
    player->played = frame->tick;
    player->ops.next = frame->next;
    return true;
}

/* The same to a snapshot of our own; it may hold a run that differs from the recorded one. */
static bool restore_memo(kugel_player *player, const kg_memo *memo)
{
    kg_op_cursor *ops = &player->ops;
    if (kugel_snapshot_restore(player->world, memo->data, memo->size)) return false;
    player->error = (kugel_error){0};
    ops->next = memo->chunk;
    ops->at = ops->size = 0;
    if (kg_player_find_op(player) != KUGEL_PLAY_TICK) return false;
    ops->at = memo->at;
    player->played = memo->tick;
    return true;
}

/* What a seek begins from; both NULL: where the world stands (stay), or the start. */
typedef struct way {
    const kg_frame *frame;
    const kg_memo *memo;
    bool stay;
    uint64_t from;
} way;

static way find_way(const kugel_player *player, uint64_t tick)
{
    way w = {find_frame(player, tick), kg_player_find_memo(player, tick), false, 0};
    w.stay = player->played <= tick && !player->error.status;
    if (w.stay) w.from = player->played;
    if (w.frame && w.frame->tick > w.from) w.from = w.frame->tick;
    else w.frame = NULL;
    if (w.memo && w.memo->tick > w.from) w.from = w.memo->tick;
    else w.memo = NULL;
    w.stay = w.stay && !w.frame && !w.memo;
    return w;
}

static kugel_status approach(kugel_player *player, uint64_t tick)
{
    way w = find_way(player, tick);
    if (w.stay || (w.memo && restore_memo(player, w.memo))) return KUGEL_OK;
    if (w.frame && restore_frame(player, w.frame)) return KUGEL_OK;
    return restart(player);
}

uint64_t kugel_player_seek_from(const kugel_player *player, uint64_t tick)
{
    return player ? find_way(player, tick).from : 0;
}

kugel_play kugel_player_seek(kugel_player *player, uint64_t tick)
{
    if (!player) return KUGEL_PLAY_ERROR;
    kugel_status status = approach(player, tick);
    if (status) return kg_player_fail(player, status, "world");
    if (tick == 0) {
        kugel_play play = kg_player_feed(player, true);
        return play == KUGEL_PLAY_END ? KUGEL_PLAY_TICK : play;
    }
    kugel_play play = KUGEL_PLAY_TICK;
    while (play == KUGEL_PLAY_TICK && player->played < tick) play = kg_player_run_tick(player);
    return play;
}
