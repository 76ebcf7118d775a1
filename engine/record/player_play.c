/* Playback: repeats the recorded calls on the player's world and compares hashes and states. */
#include "base/bytes.h"
#include "grid/neighbours.h"
#include "kugel/body.h"
#include "record/player.h"
#include "world/body_arrays.h"
#include "world/validate.h"

kugel_play kg_player_fail(kugel_player *player, kugel_status status, const char *what)
{
    if (status == KUGEL_ERROR_OUT_OF_MEMORY)
        kg_error_no_memory(&player->error, &player->memory, what, kugel_status_text(status));
    else kg_error_set(&player->error, status, what, "%s", kugel_status_text(status));
    return KUGEL_PLAY_ERROR;
}

static kugel_play fail_with_world_error(kugel_player *player)
{
    player->error = *kugel_world_last_error(player->world);
    return KUGEL_PLAY_ERROR;
}

static kugel_status replay_STEP(kugel_player *player, double dt, uint64_t hash)
{
    (void)hash; /* kugel_player_step compares it */
    return kugel_world_step(player->world, dt);
}

static kugel_status replay_BODY_CREATE(kugel_player *player, kugel_body body, kugel_body_def *def)
{
    kugel_body made;
    def->cookie = KG_BODY_DEF_COOKIE;
    kugel_status status = kugel_body_create(player->world, def, &made);
    if (status || made == body) return status;
    return kg_error_report(player->world, KUGEL_ERROR_FORMAT, "body",
                           "has another handle than the recorded one");
}

/* Allocate the arrays of a mesh. */
static kugel_status find_mesh(kugel_player *player, uint64_t hash, kugel_surface_def *def)
{
    kugel_world *world = player->world;
    kg_mesh_source meshes = kg_player_mesh_source(player);
    const uint8_t *mesh;
    if (!def->vertex_count || !def->triangle_count)
        return kg_error_report(world, KUGEL_ERROR_FORMAT, "surface", "has no triangles");
    kugel_status status = meshes.find(meshes.user, hash, def, &mesh, &world->error);
    if (status) return status;
    if (!kg_def_decode_mesh(&world->memory, def, mesh))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "surface",
                               "no memory for %u triangles", def->triangle_count);
    return KUGEL_OK;
}

static kugel_status replay_SURFACE_CREATE(kugel_player *player, kugel_surface surface,
                                          kugel_surface_def *def, uint64_t hash)
{
    kugel_world *world = player->world;
    kugel_surface made = surface;
    bool is_mesh = def->shape == KUGEL_SURFACE_MESH;
    def->cookie = KG_SURFACE_DEF_COOKIE;
    def->code = &kg_surface_code_all;
    kugel_status status = is_mesh ? find_mesh(player, hash, def) : KUGEL_OK;
    if (status) return status;
    status = kugel_surface_create(world, def, &made);
    if (is_mesh) kg_def_free_mesh(&world->memory, def);
    if (status || made == surface) return status;
    return kg_error_report(world, KUGEL_ERROR_FORMAT, "surface",
                           "has another handle than the recorded one");
}

void kg_player_put_filter(kugel_player *player, kugel_pair_filter filter)
{
    player->world->pair_filter = filter;
    kg_neighbours_invalidate(player->world);
}

/* Set *filter to the player's callback with a recorded key. */
static kugel_status recorded_filter(kugel_player *player, uint64_t key, bool has_filter,
                                    kugel_pair_filter *filter)
{
    *filter = (kugel_pair_filter){0};
    if (!has_filter) return KUGEL_OK;
    *filter = player->filter;
    filter->key = key;
    if (filter->decide) return KUGEL_OK;
    return kg_error_report(player->world, KUGEL_ERROR_STATE, "pair_filter",
                           "the recorded world has one: kugel_player_set_pair_filter gives it "
                           "to the player");
}

static kugel_status replay_SURFACE_MATERIAL(kugel_player *player, kugel_surface surface,
                                            const double material[3], double tangential_restitution)
{
    return kugel_surface_set_material(player->world, surface, material[0], material[1], material[2],
                                      tangential_restitution);
}

static kugel_status replay_SET_MATERIAL(kugel_player *player, kugel_body body,
                                        const double material[3], double tangential_restitution)
{
    return kugel_body_set_material(player->world, body, material[0], material[1], material[2],
                                   tangential_restitution);
}

static kugel_status replay_SET_DAMPING(kugel_player *player, kugel_body body,
                                       const double damping[3])
{
    return kugel_body_set_damping(player->world, body, damping[0], damping[1]);
}

static kugel_status replay_SET_KIND(kugel_player *player, kugel_body body, const uint32_t kinds[2])
{
    return kugel_body_set_kind(player->world, body, kinds[0]);
}

static kugel_status replay_SURFACE_KIND(kugel_player *player, kugel_surface surface,
                                        const uint32_t kinds[2])
{
    return kugel_surface_set_kind(player->world, surface, kinds[0]);
}

static kugel_status replay_PAIR_MATERIAL(kugel_player *player, const uint32_t kinds[2],
                                         const double material[3], double tangential_restitution,
                                         bool given)
{
    const kugel_pair_material numbers = {material[0], material[1], material[2],
                                         tangential_restitution};
    return kugel_world_set_pair_material(player->world, kinds[0], kinds[1], given ? &numbers : NULL,
                                         sizeof numbers);
}

static kugel_status replay_DRAW_VELOCITIES(kugel_player *player, const double numbers[3],
                                           uint64_t seed)
{
    return kugel_world_draw_velocities(player->world, numbers[0], numbers[1], seed);
}

static kugel_status replay_FORCE(kugel_player *player, kugel_body body, const double force[3])
{
    return kugel_body_apply_force(player->world, body, force, NULL);
}

static kugel_status replay_IMPULSE(kugel_player *player, kugel_body body, const double impulse[3])
{
    return kugel_body_apply_impulse(player->world, body, impulse, NULL);
}

static kugel_status replay_PAIR_FILTER(kugel_player *player, uint64_t key, bool has_filter)
{
    kugel_pair_filter filter;
    kugel_status status = recorded_filter(player, key, has_filter, &filter);
    return status ? status : kugel_world_set_pair_filter(player->world, &filter, sizeof filter);
}

static kugel_status replay_PAIR_FILTER_IN_USE(kugel_player *player, uint64_t key, bool has_filter)
{
    kugel_pair_filter filter;
    kugel_status status = recorded_filter(player, key, has_filter, &filter);
    if (!status) kg_player_put_filter(player, filter);
    return status;
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
    kugel_status status = kg_player_refuse(player);
    if (status) return status;
    player->filter = (kugel_pair_filter){.decide = decide, .user = user};
    kugel_player_cache_keyframes(player, player->keyframe_cache.byte_limit); /* clears the cache */
    bool in_use = player->world->pair_filter.decide;
    kg_player_put_filter(player, with_present_callback(player, player->world->pair_filter));
    if (in_use && !decide) kg_player_fail(player, KUGEL_ERROR_STATE, "pair_filter");
    return KUGEL_OK;
}

/* The arguments of the rows of KG_CALLS. */
#define BODY , call->body
#define BODY_DEF , &call->body_def
#define CATEGORY , call->category
#define FLAG , call->flag
#define GROUP , call->group
#define HASH , call->hash
#define HAS_FILTER , call->has_filter
#define IMAGE , call->image
#define KEY , call->key
#define KINDS , call->kinds
#define MASK , call->mask
#define NUMBER , call->number
#define ROTATION , call->rotation
#define SPIN , call->spin
#define SURFACE , call->surface
#define SURFACE_DEF , &call->surface_def
#define TYPE , call->type
#define VECTOR , call->vector

#define CALL(number, name, kind, function, arguments)                                              \
    case number:                                                                                   \
        return function(player->world arguments);
#define SPECIAL(number, name, kind, function, arguments)                                           \
    case number:                                                                                   \
        return replay_##name(player arguments);

/* Make a recorded call. */
static kugel_status replay(kugel_player *player, kg_call *call)
{
    switch (call->op) {
        KG_CALLS(CALL, SPECIAL)
    default:
        return KUGEL_ERROR_FORMAT; /* not reached: the scan refuses other numbers */
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

/* Decode the next call, whose chunk the scan has checked. Returns its bytes. */
static size_t next_call(const kg_op_cursor *ops, kg_call *call)
{
    return kg_call_decode(ops->ops + ops->at, ops->size - ops->at, call);
}

/* Repeat the calls up to the next step, but only those in the chunks before the offset `end`. With
 * stop_at_push, also stop before a force, torque or impulse. */
static kugel_play apply_inputs(kugel_player *player, size_t end, bool stop_at_push)
{
    kg_op_cursor *ops = &player->ops;
    kg_call call;
    for (;;) {
        kugel_play play = find_op_before(player, end);
        if (play != KUGEL_PLAY_TICK) return play;
        size_t size = next_call(ops, &call);
        kg_call_kind kind = kg_call_kind_of(call.op);
        if (kind == KG_CALL_STEP || (stop_at_push && kind == KG_CALL_PUSH)) return KUGEL_PLAY_TICK;
        ops->at += size;
        if (replay(player, &call)) return fail_with_world_error(player);
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
    kg_call step;
    ops->at += next_call(ops, &step);
    if (replay(player, &step)) return fail_with_world_error(player);
    player->played += 1;
    kg_player_cache_keyframe(player);
    return KUGEL_PLAY_TICK;
}

static bool read_world(kugel_player *player, kugel_recorded *out)
{
    kg_state *found = &player->played_state;
    uint32_t n = kugel_world_body_count(player->world);
    if (!kg_state_reserve(&player->memory, found, n)) return false;
    const kugel_body_arrays to = {.ids = found->ids,
                                  .position = found->values[0],
                                  .velocity = found->values[1],
                                  .spin = found->values[2]};
    found->count = kg_bodies_read(&player->world->bodies, n, &to);
    *out = (kugel_recorded){.tick = player->played};
    kg_player_show_state(found, out);
    return true;
}

kugel_play kugel_player_step(kugel_player *player, kugel_divergence *divergence)
{
    if (kg_player_refuse(player)) return KUGEL_PLAY_ERROR;
    kugel_play play = kg_player_play_tick(player);
    if (play != KUGEL_PLAY_TICK) return play;
    kugel_recorded recorded, found;
    kugel_status status = kg_player_recorded(player, player->played, &recorded);
    if (status) return kg_player_fail(player, status, "STAT");
    kugel_divergence d = {.tick = player->played, .expected_hash = recorded.hash};
    d.found_hash = kugel_world_hash(player->world);
    bool differs = d.expected_hash != d.found_hash;
    if (recorded.has_state) {
        if (!read_world(player, &found))
            return kg_player_fail(player, KUGEL_ERROR_OUT_OF_MEMORY, "player");
        differs = kg_recorded_difference(&recorded, &found, &d) || differs;
    }
    if (!differs) return KUGEL_PLAY_TICK;
    if (divergence) *divergence = d;
    return KUGEL_PLAY_DIVERGED;
}
