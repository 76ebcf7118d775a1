/* Seeking: brings the played world to a tick. The steps begin at the last known state at or before
 * the tick: the world's present state, a cached keyframe, a keyframe of the recording, or the
 * start. */
#include "base/bytes.h"
#include "record/player.h"
#include "record/snapshot.h"
#include "world/world.h"

/* Restore the snapshot of the KEYF or BASE chunk at offset `at`. An error unless the chunk stores
 * `steps`, the number of recorded steps before it. */
static kugel_status restore(kugel_player *player, size_t at, uint64_t steps, kugel_world *world,
                            kugel_error *error)
{
    const uint8_t *data;
    size_t size;
    kg_op_cursor *ops = &player->ops;
    ops->at = ops->size = 0; /* the snapshot is unpacked over the cursor's ops */
    kugel_status status = kg_player_unpack_at(player, at, &ops->scratch, &data, &size);
    if (!status && (size < KG_KEYFRAME_HEADER || kg_get64(data) != steps))
        status = KUGEL_ERROR_FORMAT;
    if (status == KUGEL_ERROR_OUT_OF_MEMORY)
        return kg_error_no_memory(error, &player->memory, "snapshot", kugel_status_text(status));
    if (status) return kg_error_set(error, status, "snapshot", "%s", kugel_status_text(status));
    kg_mesh_source meshes = kg_player_mesh_source(player);
    return kg_snapshot_restore(world, data + KG_KEYFRAME_HEADER, size - KG_KEYFRAME_HEADER, &meshes,
                               error);
}

kugel_status kg_player_create_world(kugel_player *player, kugel_world **out, kugel_error *error)
{
    kugel_world *world;
    kugel_error why;
    *out = NULL;
    kugel_status status = kugel_world_create(&player->def, &world);
    if (status) return kg_error_set(error, status, "world", "%s", kugel_status_text(status));
    if (player->base) status = restore(player, player->base, player->info.origin, world, &why);
    if (status) {
        kg_error_set(error, status, "BASE", "%s", why.message);
        kugel_world_destroy(world);
        return status;
    }
    *out = world;
    return KUGEL_OK;
}

static kugel_status restart(kugel_player *player)
{
    kugel_world *world;
    kugel_status status = kg_player_create_world(player, &world, &player->error);
    if (status) return status;
    kugel_world_destroy(player->world);
    player->world = world;
    player->error = (kugel_error){0};
    player->played = 0;
    player->ops.next = KG_FILE_HEADER;
    player->ops.at = player->ops.size = 0;
    return KUGEL_OK;
}

/* The last keyframe at or before a tick, or NULL. */
static const kg_keyframe *find_keyframe(const kugel_player *player, uint64_t tick)
{
    const kg_keyframe *found = NULL;
    for (size_t k = 0; k < player->keyframe_count && player->keyframes[k].tick <= tick; ++k)
        found = &player->keyframes[k];
    return found;
}

/* Restore a keyframe of the recording. False if it is damaged, or if the hash of the restored state
 * differs from the recorded one. */
static bool restore_keyframe(kugel_player *player, const kg_keyframe *keyframe)
{
    kugel_error error;
    if (restore(player, keyframe->at, player->info.origin + keyframe->tick, player->world, &error))
        return false;
    if (kugel_world_hash(player->world) != kugel_player_hash(player, keyframe->tick)) return false;
    kg_player_put_filter(player, (kugel_pair_filter){0}); /* an op after the keyframe sets one */
    player->error = (kugel_error){0};
    player->played = keyframe->tick;
    player->ops.next = keyframe->next;
    return true;
}

/* Restore a cached keyframe; false on an error. Its hash is not compared: the state may come from a
 * run that differs from the recorded one. */
static bool restore_cached(kugel_player *player, const kg_cached_keyframe *cached)
{
    kg_op_cursor *ops = &player->ops;
    kg_mesh_source meshes = kg_player_mesh_source(player);
    kugel_error error;
    if (kg_snapshot_restore(player->world, cached->data, cached->size, &meshes, &error))
        return false;
    player->error = (kugel_error){0};
    kg_player_put_filter(player, cached->filter);
    ops->next = cached->chunk;
    ops->at = ops->size = 0;
    if (kg_player_find_op(player) != KUGEL_PLAY_TICK) return false;
    ops->at = cached->at;
    player->played = cached->tick;
    return true;
}

/* Where a seek starts, and the tick there: at `cached`, at `keyframe`, at the world's present state
 * if from_current is true, or else at the start of the recording. If both pointers are set, the
 * seek starts at `cached`, or at `keyframe` if `cached` cannot be restored. */
typedef struct seek_start {
    const kg_keyframe *keyframe;
    const kg_cached_keyframe *cached;
    bool from_current;
    uint64_t tick;
} seek_start;

static seek_start find_seek_start(const kugel_player *player, uint64_t tick)
{
    seek_start start = {find_keyframe(player, tick), kg_player_find_cached_keyframe(player, tick),
                        false, 0};
    start.from_current = player->played <= tick && !player->error.status;
    if (start.from_current) start.tick = player->played;
    if (start.keyframe && start.keyframe->tick > start.tick) start.tick = start.keyframe->tick;
    else start.keyframe = NULL;
    if (start.cached && start.cached->tick > start.tick) start.tick = start.cached->tick;
    else start.cached = NULL;
    start.from_current = start.from_current && !start.keyframe && !start.cached;
    return start;
}

static kugel_status restore_nearest(kugel_player *player, uint64_t tick)
{
    seek_start start = find_seek_start(player, tick);
    if (start.from_current || (start.cached && restore_cached(player, start.cached)))
        return KUGEL_OK;
    if (start.keyframe && restore_keyframe(player, start.keyframe)) return KUGEL_OK;
    return restart(player);
}

uint64_t kugel_player_seek_from(const kugel_player *player, uint64_t tick)
{
    return player ? find_seek_start(player, tick).tick : 0;
}

kugel_play kugel_player_seek(kugel_player *player, uint64_t tick)
{
    if (kg_player_refuse(player)) return KUGEL_PLAY_ERROR;
    if (restore_nearest(player, tick)) return KUGEL_PLAY_ERROR;
    if (tick == 0) {
        kugel_play play = kg_player_make_start(player);
        return play == KUGEL_PLAY_END ? KUGEL_PLAY_TICK : play;
    }
    kugel_play play = KUGEL_PLAY_TICK;
    while (play == KUGEL_PLAY_TICK && player->played < tick) play = kg_player_play_tick(player);
    return play;
}
