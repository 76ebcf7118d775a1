/* Playback: repeats the recorded calls on the player's world and compares hashes and states. */
#include "base/bytes.h"
#include "grid/neighbours.h"
#include "kugel/body.h"
#include "record/def_encoding.h"
#include "record/player.h"
#include "world/world.h"

kugel_play kg_player_fail(kugel_player *player, kugel_status status, const char *what)
{
    kg_error_set(&player->error, status, what, "%s", kugel_status_text(status));
    return KUGEL_PLAY_ERROR;
}

static kugel_play fail_with_world_error(kugel_player *player)
{
    player->error = *kugel_world_last_error(player->world);
    return KUGEL_PLAY_ERROR;
}

/* A recording stores the three 32-bit integers as doubles, which is exact. */
static kugel_status set_filter(kugel_world *world, kugel_body body, const double *value)
{
    uint32_t bits[3];
    for (int k = 0; k < 3; ++k) {
        if (!(value[k] >= 0 && value[k] <= 0xffffffffu))
            return kg_error_report(world, KUGEL_ERROR_FORMAT, "filter", "is not a 32-bit integer");
        bits[k] = (uint32_t)value[k];
    }
    return kugel_body_set_filter(world, body, bits[0], bits[1], bits[2]);
}

/* A recording stores the type as a double. */
static kugel_status set_type(kugel_world *world, kugel_body body, const double *value)
{
    if (!(value[0] >= 0 && value[0] <= KUGEL_KINEMATIC))
        return kg_error_report(world, KUGEL_ERROR_FORMAT, "type", "is no type of body");
    return kugel_body_set_type(world, body, (kugel_body_type)value[0], value[1]);
}

/* A recording stores the three 32-bit integers as doubles, which is exact. */
static kugel_status set_image(kugel_world *world, kugel_body body, const double *value)
{
    int32_t image[3];
    for (int k = 0; k < 3; ++k) {
        if (!(value[k] >= INT32_MIN && value[k] <= INT32_MAX))
            return kg_error_report(world, KUGEL_ERROR_FORMAT, "image", "is not a 32-bit integer");
        image[k] = (int32_t)value[k];
    }
    return kugel_body_set_image(world, body, image);
}

/* Make a call that has a single number. */
static kugel_status apply_number(kugel_world *world, uint8_t op, kugel_body body, double value)
{
    static kugel_status (*const calls[])(kugel_world *, kugel_body, double) = {
        [KG_OP_SET_MASS] = kugel_body_set_mass,
        [KG_OP_SET_RADIUS] = kugel_body_set_radius,
        [KG_OP_SET_RESTITUTION] = kugel_body_set_restitution,
        [KG_OP_SET_FRICTION] = kugel_body_set_friction,
        [KG_OP_SET_ROLLING_RESISTANCE] = kugel_body_set_rolling_resistance,
        [KG_OP_SET_GRAVITY_SCALE] = kugel_body_set_gravity_scale,
    };
    return calls[op](world, body, value);
}

static kugel_status apply_value(kugel_world *world, uint8_t op, kugel_body body,
                                const double value[3])
{
    static kugel_status (*const calls[])(kugel_world *, kugel_body, const double *) = {
        [KG_OP_SET_POSITION] = kugel_body_set_position,
        [KG_OP_SET_VELOCITY] = kugel_body_set_velocity,
        [KG_OP_SET_SPIN] = kugel_body_set_spin,
        [KG_OP_FORCE] = kugel_body_apply_force,
        [KG_OP_TORQUE] = kugel_body_apply_torque,
        [KG_OP_IMPULSE] = kugel_body_apply_impulse,
        [KG_OP_ANGULAR_IMPULSE] = kugel_body_apply_angular_impulse,
        [KG_OP_SET_FILTER] = set_filter,
        [KG_OP_SET_TYPE] = set_type,
        [KG_OP_SET_IMAGE] = set_image,
    };
    if (op >= KG_OP_SET_MASS && op <= KG_OP_SET_GRAVITY_SCALE)
        return apply_number(world, op, body, value[0]);
    if (op == KG_OP_WAKE) return kugel_body_wake(world, body);
    if (op == KG_OP_SLEEP) return kugel_body_sleep(world, body);
    if (op >= sizeof calls / sizeof *calls || !calls[op])
        return kg_error_report(world, KUGEL_ERROR_FORMAT, "recording", "has an unknown call, %u",
                               (unsigned)op);
    return calls[op](world, body, value);
}

static kugel_status create_body(kugel_world *world, const uint8_t *at)
{
    kugel_body_def def = kg_def_decode_body(at + 8);
    kugel_body made;
    kugel_status status = kugel_body_create(world, &def, &made);
    if (status || made == kg_get64(at)) return status;
    return kg_error_report(world, KUGEL_ERROR_FORMAT, "body",
                           "has another handle than the recorded one");
}

static void get_vector(const uint8_t *from, double value[3])
{
    for (int k = 0; k < 3; ++k) value[k] = kg_double_from_bits(kg_get64(from + 8 * k));
}

/* In: *geometry points to the op, which contains the geometry of a solid shape or the hash of a
 * mesh. Out: *geometry points to the geometry. */
static kugel_status find_geometry(kugel_player *player, const kugel_surface_def *def,
                                  const uint8_t **geometry)
{
    kg_mesh_source meshes = kg_player_mesh_source(player);
    if (def->shape != KUGEL_SURFACE_MESH) return KUGEL_OK;
    return meshes.find(meshes.user, kg_get64(*geometry), def, geometry);
}

static kugel_status add_surface(kugel_player *player, const uint8_t *at)
{
    kugel_world *world = player->world;
    kugel_surface_def def = kg_def_decode_surface(at + 4);
    uint32_t index = kg_get32(at), made = index;
    const uint8_t *geometry = at + 4 + KG_SURFACE_DEF_BYTES;
    if (!def.vertex_count || !def.triangle_count)
        return kg_error_report(world, KUGEL_ERROR_FORMAT, "surface", "has no triangles");
    kugel_status status = find_geometry(player, &def, &geometry);
    if (status && status != KUGEL_ERROR_OUT_OF_MEMORY)
        return kg_error_report(world, KUGEL_ERROR_FORMAT, "surface", "%u: its mesh is missing",
                               index);
    if (status || !kg_def_decode_geometry(&world->memory, &def, geometry))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "surface",
                               "no memory for %u triangles", def.triangle_count);
    status = kugel_world_add_surface(world, &def, &made);
    kg_def_free_geometry(&world->memory, &def);
    if (status || made == index) return status;
    return kg_error_report(world, KUGEL_ERROR_FORMAT, "surface",
                           "has another index than the recorded one");
}

static kugel_status move_surface(kugel_world *world, const uint8_t *at)
{
    double velocity[3], spin[3];
    get_vector(at + 4, velocity);
    get_vector(at + 28, spin);
    return kugel_world_set_surface_motion(world, kg_get32(at), velocity, spin);
}

static kugel_status place_surface(kugel_world *world, const uint8_t *at)
{
    double place[7]; /* position, rotation */
    for (int k = 0; k < 7; ++k) place[k] = kg_double_from_bits(kg_get64(at + 4 + 8 * k));
    return kugel_world_place_surface(world, kg_get32(at), place, place + 3);
}

static kugel_status set_orientation(kugel_world *world, const uint8_t *at)
{
    double q[4];
    for (int k = 0; k < 4; ++k) q[k] = kg_double_from_bits(kg_get64(at + 8 + 8 * k));
    return kugel_body_set_orientation(world, kg_get64(at), q);
}

void kg_player_put_filter(kugel_player *player, kugel_pair_filter filter)
{
    player->world->pair_filter = filter;
    kg_neighbours_invalidate(player->world);
}

static kugel_status set_pair_filter(kugel_player *player, uint8_t op, const uint8_t *at)
{
    kugel_pair_filter filter = player->filter;
    filter.key = kg_get64(at);
    if (!kg_get64(at + 8)) filter = (kugel_pair_filter){0};
    else if (!filter.decide)
        return kg_error_report(player->world, KUGEL_ERROR_STATE, "pair_filter",
                               "the recorded world has one: kugel_player_set_pair_filter gives it "
                               "to the player");
    if (op == KG_OP_PAIR_FILTER) return kugel_world_set_pair_filter(player->world, &filter);
    kg_player_put_filter(player, filter);
    return KUGEL_OK;
}

/* A pair filter of the played world, with its callback replaced by the player's present one. No
 * filter if either has no callback. */
static kugel_pair_filter with_present_callback(const kugel_player *player, kugel_pair_filter filter)
{
    if (!filter.decide || !player->filter.decide) return (kugel_pair_filter){0};
    filter.decide = player->filter.decide;
    filter.user = player->filter.user;
    return filter;
}

kugel_status
kugel_player_set_pair_filter(kugel_player *player,
                             bool (*decide)(void *user, uint64_t key, kugel_pair *pair), void *user)
{
    if (!player) return KUGEL_ERROR_INVALID_ARGUMENT;
    player->filter = (kugel_pair_filter){.decide = decide, .user = user};
    kugel_player_cache_keyframes(player, player->keyframe_cache.byte_limit); /* clears the cache */
    bool in_use = player->world->pair_filter.decide;
    kg_player_put_filter(player, with_present_callback(player, player->world->pair_filter));
    if (in_use && !decide) kg_player_fail(player, KUGEL_ERROR_STATE, "pair_filter");
    return KUGEL_OK;
}

/* Apply an op other than KG_OP_STEP; `at`: address of its fields. */
static kugel_status apply(kugel_player *player, uint8_t op, const uint8_t *at)
{
    kugel_world *world = player->world;
    double value[3];
    switch (op) {
    case KG_OP_ADD_SURFACE:
        return add_surface(player, at);
    case KG_OP_REMOVE_SURFACE:
        return kugel_world_remove_surface(world, kg_get32(at));
    case KG_OP_PLACE_SURFACE:
        return place_surface(world, at);
    case KG_OP_MOVE_SURFACE:
        return move_surface(world, at);
    case KG_OP_PLANE: {
        kugel_plane plane = kg_def_decode_plane(at);
        return kugel_world_add_plane(world, &plane, NULL);
    }
    case KG_OP_GRAVITY:
        get_vector(at, value);
        return kugel_world_set_gravity(world, value);
    case KG_OP_BODY_CREATE:
        return create_body(world, at);
    case KG_OP_BODY_DESTROY:
        return kugel_body_destroy(world, kg_get64(at));
    case KG_OP_SET_ORIENTATION:
        return set_orientation(world, at);
    case KG_OP_PAIR_FILTER:
    case KG_OP_PAIR_FILTER_IN_USE:
        return set_pair_filter(player, op, at);
    default:
        get_vector(at + 8, value);
        return apply_value(world, op, kg_get64(at), value);
    }
}

/* As kg_player_find_op, but only in the chunks before the offset `end`. */
static kugel_play find_op_before(kugel_player *player, size_t end)
{
    kg_op_cursor *ops = &player->ops;
    kg_chunk_view view;
    while (ops->at >= ops->size) {
        if (ops->next >= end) return KUGEL_PLAY_END;
        const uint8_t *chunk = player->data + ops->next;
        if (kg_chunk_read(chunk, player->valid_size - ops->next, &view) != KG_CHUNK_VALID)
            return KUGEL_PLAY_END;
        ops->chunk = ops->next;
        ops->next += KG_CHUNK_HEADER + view.length;
        if (view.type != KG_TYPE_TICK) continue;
        kugel_status status = kg_player_unpack(player, &view, &ops->scratch, &ops->ops, &ops->size);
        ops->at = KG_TICK_RANGE_HEADER;
        if (!status) continue;
        ops->size = 0;
        return kg_player_fail(player, status, "TICK");
    }
    return KUGEL_PLAY_TICK;
}

kugel_play kg_player_find_op(kugel_player *player)
{
    return find_op_before(player, player->valid_size);
}

static bool is_force_or_impulse(uint8_t op)
{
    return op >= KG_OP_FORCE && op <= KG_OP_ANGULAR_IMPULSE;
}

/* Apply the ops up to the next step, but only those in the chunks before the offset `end`. With
 * stop_at_force, also stop before a force, torque or impulse. */
static kugel_play apply_inputs(kugel_player *player, size_t end, bool stop_at_force)
{
    kg_op_cursor *ops = &player->ops;
    for (;;) {
        kugel_play play = find_op_before(player, end);
        if (play != KUGEL_PLAY_TICK) return play;
        uint8_t op = ops->ops[ops->at];
        if (op == KG_OP_STEP || (stop_at_force && is_force_or_impulse(op))) return KUGEL_PLAY_TICK;
        size_t size = kg_record_op_size(ops->ops + ops->at, ops->size - ops->at);
        kugel_status status = apply(player, op, ops->ops + ops->at + 1);
        ops->at += 1 + size;
        if (status) return fail_with_world_error(player);
    }
}

kugel_play kg_player_make_start(kugel_player *player)
{
    return apply_inputs(player, player->mark ? player->mark : player->valid_size, !player->mark);
}

kugel_play kg_player_play_tick(kugel_player *player)
{
    kg_op_cursor *ops = &player->ops;
    if (player->error.status) return KUGEL_PLAY_ERROR;
    if (player->played == player->info.ticks) return KUGEL_PLAY_END;
    kugel_play play = apply_inputs(player, player->valid_size, false);
    if (play != KUGEL_PLAY_TICK) return play;
    double dt = kg_double_from_bits(kg_get64(ops->ops + ops->at + 1));
    ops->at += 1 + kg_record_op_size(ops->ops + ops->at, ops->size - ops->at);
    if (kugel_world_step(player->world, dt)) return fail_with_world_error(player);
    player->played += 1;
    kg_player_cache_keyframe(player);
    return KUGEL_PLAY_TICK;
}

static bool read_world(kugel_player *player, kugel_recorded *out)
{
    kg_state *found = &player->played_state;
    uint32_t n = kugel_world_body_count(player->world);
    if (!kg_state_reserve(&player->memory, found, n)) return false;
    found->count = kugel_world_read(player->world, n, found->ids, found->values[0],
                                    found->values[1], found->values[2]);
    *out = (kugel_recorded){.tick = player->played};
    kg_player_show_state(found, out);
    return true;
}

kugel_play kugel_player_step(kugel_player *player, kugel_divergence *divergence)
{
    if (!player) return KUGEL_PLAY_ERROR;
    kugel_play play = kg_player_play_tick(player);
    if (play != KUGEL_PLAY_TICK) return play;
    kugel_recorded recorded, found;
    kugel_status status = kugel_player_recorded(player, player->played, &recorded);
    if (status) return kg_player_fail(player, status, "STAT");
    kugel_divergence d = {.tick = player->played, .expected_hash = recorded.hash};
    d.found_hash = kugel_world_hash(player->world);
    bool differs = d.expected_hash != d.found_hash;
    if (recorded.has_state) {
        if (!read_world(player, &found))
            return kg_player_fail(player, KUGEL_ERROR_OUT_OF_MEMORY, "player");
        differs = kugel_recorded_difference(&recorded, &found, &d) || differs;
    }
    if (!differs) return KUGEL_PLAY_TICK;
    if (divergence) *divergence = d;
    return KUGEL_PLAY_DIVERGED;
}
