/* Playing: the recorded calls are made again on a world of the player's own, and what comes out is
 * compared with what was recorded. */
#include "base/bytes.h"
#include "record/defs.h"
#include "record/player.h"
#include "record/snapshot.h"
#include "world/world.h"

static kugel_play fail(kugel_player *player, kugel_status status, const char *what)
{
    kg_error_set(&player->error, status, what, "%s", kugel_status_text(status));
    return KUGEL_PLAY_ERROR;
}

/* A recorded call was refused. */
static kugel_play refused(kugel_player *player)
{
    player->error = *kugel_world_last_error(player->world);
    return KUGEL_PLAY_ERROR;
}

/* ---- inputs ---- */

/* Whole numbers of 32 bits are exact in doubles; what is none was not recorded by us. */
static kugel_status set_filter(kugel_world *world, kugel_body body, const double value[3])
{
    uint32_t bits[3];
    for (int k = 0; k < 3; ++k) {
        if (!(value[k] >= 0 && value[k] <= 0xffffffffu)) {
            return kg_fail(world, KUGEL_ERROR_FORMAT, "filter", "is no whole number of 32 bits");
        }
        bits[k] = (uint32_t)value[k];
    }
    return kugel_body_set_filter(world, body, bits[0], bits[1], bits[2]);
}

static kugel_status apply_value(kugel_world *world, uint8_t op, kugel_body body,
                                const double value[3])
{
    switch (op) {
    case KG_OP_SET_FILTER:
        return set_filter(world, body, value);
    case KG_OP_SET_POSITION:
        return kugel_body_set_position(world, body, value);
    case KG_OP_SET_VELOCITY:
        return kugel_body_set_velocity(world, body, value);
    case KG_OP_SET_SPIN:
        return kugel_body_set_spin(world, body, value);
    case KG_OP_FORCE:
        return kugel_body_apply_force(world, body, value);
    case KG_OP_TORQUE:
        return kugel_body_apply_torque(world, body, value);
    case KG_OP_IMPULSE:
        return kugel_body_apply_impulse(world, body, value);
    default:
        return kugel_body_apply_angular_impulse(world, body, value);
    }
}

static kugel_status create_body(kugel_world *world, const uint8_t *at)
{
    kugel_body_def def = kg_body_def_read(at + 8);
    kugel_body made;
    kugel_status status = kugel_body_create(world, &def, &made);
    if (status || made == kg_get64(at)) return status;
    return kg_fail(world, KUGEL_ERROR_FORMAT, "body", "got another handle than was recorded");
}

static void get_vector(const uint8_t *from, double value[3])
{
    for (int k = 0; k < 3; ++k) value[k] = kg_double(kg_get64(from + 8 * k));
}

/* Any op but STEP; `at` are its fields. */
static kugel_status apply(kugel_world *world, uint8_t op, const uint8_t *at)
{
    double value[3];
    switch (op) {
    case KG_OP_PLANE: {
        kugel_plane plane = kg_plane_read(at);
        return kugel_world_add_plane(world, &plane, NULL);
    }
    case KG_OP_GRAVITY:
        get_vector(at, value);
        return kugel_world_set_gravity(world, value);
    case KG_OP_BODY_CREATE:
        return create_body(world, at);
    case KG_OP_BODY_DESTROY:
        return kugel_body_destroy(world, kg_get64(at));
    default:
        get_vector(at + 8, value);
        return apply_value(world, op, kg_get64(at), value);
    }
}

/* Make the next op the cursor's, unpacking chunks on the way; KUGEL_PLAY_END when there is none. */
static kugel_play find_op(kugel_player *player)
{
    kg_op_cursor *ops = &player->ops;
    kg_chunk_view view;
    while (ops->at >= ops->size) {
        const uint8_t *chunk = player->data + ops->next;
        if (kg_chunk_read(chunk, player->whole - ops->next, &view) != KG_CHUNK_WHOLE) {
            return KUGEL_PLAY_END;
        }
        ops->next += KG_CHUNK_HEAD + view.length;
        if (view.type != KG_TYPE_TICK) continue;
        kugel_status status = kg_chunk_payload(&player->memory, &player->workspace, &view,
                                               &ops->scratch, &ops->ops, &ops->size);
        ops->at = KG_RUN_HEAD;
        if (!status) continue;
        ops->size = 0;
        return fail(player, status, "TICK");
    }
    return KUGEL_PLAY_TICK;
}

static bool is_push(uint8_t op) { return op >= KG_OP_FORCE && op <= KG_OP_ANGULAR_IMPULSE; }

/* Apply ops up to the next STEP, or to the first push. */
static kugel_play feed(kugel_player *player, bool stop_at_push)
{
    kg_op_cursor *ops = &player->ops;
    for (;;) {
        kugel_play play = find_op(player);
        if (play != KUGEL_PLAY_TICK) return play;
        uint8_t op = ops->ops[ops->at];
        if (op == KG_OP_STEP || (stop_at_push && is_push(op))) return KUGEL_PLAY_TICK;
        kugel_status status = apply(player->world, op, ops->ops + ops->at + 1);
        ops->at += 1 + kg_op_size(op);
        if (status) return refused(player);
    }
}

/* ---- steps ---- */

static kugel_play run_tick(kugel_player *player)
{
    kg_op_cursor *ops = &player->ops;
    if (player->error.status) return KUGEL_PLAY_ERROR;
    if (player->played == player->info.ticks) return KUGEL_PLAY_END;
    kugel_play play = feed(player, false);
    if (play != KUGEL_PLAY_TICK) return play;
    double dt = kg_double(kg_get64(ops->ops + ops->at + 1));
    ops->at += 1 + kg_op_size(KG_OP_STEP);
    if (kugel_world_step(player->world, dt)) return refused(player);
    player->played += 1;
    return KUGEL_PLAY_TICK;
}

static bool read_world(kugel_player *player, kugel_recorded *out)
{
    kg_state *found = &player->found;
    uint32_t n = kugel_world_body_count(player->world);
    if (!kg_state_reserve(&player->memory, found, n)) return false;
    found->count = kugel_world_read(player->world, n, found->ids, found->values[0],
                                    found->values[1], found->values[2]);
    *out = (kugel_recorded){.tick = player->played,
                            .has_state = true,
                            .count = found->count,
                            .ids = found->ids,
                            .position = found->values[0],
                            .velocity = found->values[1],
                            .spin = found->values[2]};
    return true;
}

kugel_play kugel_player_step(kugel_player *player, kugel_divergence *divergence)
{
    if (!player) return KUGEL_PLAY_ERROR;
    kugel_play play = run_tick(player);
    if (play != KUGEL_PLAY_TICK) return play;
    kugel_recorded recorded, found;
    kugel_status status = kugel_player_recorded(player, player->played, &recorded);
    if (status) return fail(player, status, "STAT");
    kugel_divergence d = {.tick = player->played, .expected_hash = recorded.hash};
    d.found_hash = kugel_world_hash(player->world);
    bool differs = d.expected_hash != d.found_hash;
    if (recorded.has_state) {
        if (!read_world(player, &found)) return fail(player, KUGEL_ERROR_OUT_OF_MEMORY, "player");
        differs = kugel_recorded_difference(&recorded, &found, &d) || differs;
    }
    if (!differs) return KUGEL_PLAY_TICK;
    if (divergence) *divergence = d;
    return KUGEL_PLAY_DIVERGED;
}

/* ---- seeking ---- */

static kugel_status restart(kugel_player *player)
{
    kugel_world *world;
    kugel_status status = kugel_world_create(&player->def, &world);
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
    for (size_t k = 0; k < player->frame_count && player->frames[k].tick <= tick; ++k) found = &player->frames[k];
    return found;
}

/* Go to a keyframe; false when it cannot be used: then the run from the start does. */
static bool restore(kugel_player *player, const kg_frame *frame)
{
    kg_chunk_view view;
    const uint8_t *data;
    size_t size;
    kg_op_cursor *ops = &player->ops;
    if (kg_chunk_read(player->data + frame->at, player->whole - frame->at, &view) != KG_CHUNK_WHOLE) return false;
    ops->at = ops->size = 0; /* the scratch is theirs */
    if (kg_chunk_payload(&player->memory, &player->workspace, &view, &ops->scratch, &data, &size)) return false;
    if (size < KG_FRAME_HEAD || kg_get64(data) != frame->tick) return false;
    if (kugel_snapshot_restore(player->world, data + KG_FRAME_HEAD, size - KG_FRAME_HEAD)) return false;
    if (kugel_world_hash(player->world) != kugel_player_hash(player, frame->tick)) return false;
    player->error = (kugel_error){0};
    player->played = frame->tick;
    ops->next = frame->next;
    return true;
}

kugel_play kugel_player_seek(kugel_player *player, uint64_t tick)
{
    if (!player) return KUGEL_PLAY_ERROR;
    bool back = tick < player->played || player->error.status;
    const kg_frame *frame = find_frame(player, tick);
    bool jumped = frame && (back || frame->tick > player->played) && restore(player, frame);
    if (!jumped && (back || (frame && frame->tick > player->played))) {
        kugel_status status = restart(player);
        if (status) return fail(player, status, "world");
    }
    if (tick == 0) {
        kugel_play play = feed(player, true);
        return play == KUGEL_PLAY_END ? KUGEL_PLAY_TICK : play;
    }
    kugel_play play = KUGEL_PLAY_TICK;
    while (play == KUGEL_PLAY_TICK && player->played < tick) play = run_tick(player);
    return play;
}
