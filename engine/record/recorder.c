/* The recorder. Ops collect in a buffer that becomes a TICK chunk, states in one that becomes the
 * following STAT chunk. A size or tick limit flushes them, so that a killed process loses little.
 * Buffers are reused: steady recording allocates nothing. */
#include "record/recorder.h"

#include <stdio.h>

#include "base/bytes.h"
#include "record/def_encoding.h"
#include "record/chunk_packing.h"
#include "record/ring.h"
#include "record/snapshot_surfaces.h"
#include "record/state_codec.h"
#include "world/world.h"

enum {
    CHUNK_OPS = 64 * 1024,     /* bytes of ops that end a chunk */
    CHUNK_STATES = 256 * 1024, /* bytes of states, before packing, that end a chunk */
    CHUNK_TICKS = 30,          /* steps that end a chunk: the most a killed process loses */
    INDEPENDENT_TICKS = 128    /* steps between independent STAT chunks, for seeking */
};

struct kg_recorder {
    kg_memory *memory;
    bool (*write)(void *user, const void *data, size_t size);
    void *user;
    bool has_states;
    kugel_status status;       /* the first failure; nothing is written after it */
    uint64_t ticks;            /* steps recorded */
    uint64_t chunk_first_tick; /* steps before the open chunk */
    uint64_t independent_tick; /* steps before the last independent STAT chunk */
    bool independent;          /* true: the open STAT chunk is independent */
    bool any_independent;
    uint64_t keyframe_interval;                   /* steps between keyframes; 0: none */
    uint64_t last_keyframe_tick;                  /* steps before the last keyframe */
    kg_chunk_buffer ops, states, chunk, keyframe; /* `keyframe` is used for MESH chunks, too */
    uint64_t *meshes;                             /* hashes of the written ones */
    uint32_t mesh_count;
    kg_column mesh_column;
    kg_column workspace;
    kg_state_codec codec;
    uint64_t ring_ticks;         /* minimum of steps in `ring`; 0: no ring */
    uint64_t segment_first_tick; /* steps before the open segment */
    kg_ring ring;
};

/* Bytes of the fixed fields of an op after its type byte; 0 for an unknown type. */
static size_t fixed_size(uint8_t op)
{
    switch (op) {
    case KG_OP_STEP:
        return 16;
    case KG_OP_PLANE:
        return KG_PLANE_BYTES;
    case KG_OP_GRAVITY:
        return 24;
    case KG_OP_BODY_CREATE:
        return 8 + KG_BODY_DEF_BYTES;
    case KG_OP_BODY_DESTROY:
        return 8;
    case KG_OP_ADD_SURFACE:
        return 4 + KG_SURFACE_DEF_BYTES;
    case KG_OP_REMOVE_SURFACE:
        return 4;
    case KG_OP_PLACE_SURFACE:
        return 4 + 7 * 8;
    case KG_OP_MOVE_SURFACE:
        return 4 + 6 * 8;
    case KG_OP_SET_ORIENTATION:
        return 24;
    case KG_OP_PAIR_FILTER:
    case KG_OP_PAIR_FILTER_IN_USE:
        return 16;
    default:
        return op >= KG_OP_SET_POSITION && op <= KG_OP_SET_IMAGE ? 32 : 0;
    }
}

size_t kg_record_op_size(const uint8_t *op, size_t size)
{
    size_t fixed = fixed_size(*op);
    uint64_t whole = fixed;
    if (fixed > size - 1) return 0;
    if (*op == KG_OP_ADD_SURFACE) {
        kugel_surface_def def = kg_def_decode_surface(op + 1 + 4);
        whole += kg_surface_record_bytes(&def, true);
    }
    return whole > size - 1 ? 0 : (size_t)whole;
}

static void fail(kg_recorder *recorder, kugel_status status)
{
    if (!recorder->status) recorder->status = status;
}

/* ---- chunks ---- */

static void put_bytes(kg_recorder *recorder, const void *data, size_t size)
{
    bool taken = recorder->write(recorder->user, data, size);
    if (!taken) fail(recorder, recorder->ring_ticks ? KUGEL_ERROR_OUT_OF_MEMORY : KUGEL_ERROR_IO);
}

static void emit(kg_recorder *recorder, uint32_t type, uint32_t flags, bool pack,
                 const void *payload, size_t size)
{
    if (recorder->status) return;
    kg_chunk_buffer *chunk = &recorder->chunk;
    kugel_status status = kg_chunk_write(recorder->memory, &recorder->workspace, chunk, type, flags,
                                         pack, payload, size);
    if (status) fail(recorder, status);
    else put_bytes(recorder, chunk->data, chunk->size);
}

static void emit_build_info(kg_recorder *recorder)
{
#if defined(__clang__)
    static const char compiler[] = "clang " __clang_version__;
#elif defined(__GNUC__)
    static const char compiler[] = "gcc " __VERSION__;
#else
    static const char compiler[] = "unknown compiler";
#endif
    char made[16 + 64] = {0};
    snprintf(made, 16, "%s", KUGEL_VERSION_STRING);
    snprintf(made + 16, 64, "%.38s, %d-bit %s-endian", compiler, (int)sizeof(void *) * 8,
             KG_IS_BIG_ENDIAN ? "big" : "little");
    emit(recorder, KG_TYPE_MADE, 0, false, made, sizeof made);
}

static void emit_headers(kg_recorder *recorder, const kugel_world_def *world,
                         const kugel_recording_def *def)
{
    uint8_t head[16 + KG_WORLD_DEF_BYTES] = {0};
    kg_put32(head, KUGEL_RECORDING_FORMAT);
    kg_put32(head + 4, KUGEL_PHYSICS_EPOCH);
    kg_put32(head + 8, def->states);
    kg_def_encode_world(world, head + 16);
    put_bytes(recorder, KG_FILE_MAGIC, KG_FILE_HEADER);
    emit(recorder, KG_TYPE_HEAD, KG_CHUNK_CRITICAL, false, head, sizeof head);
    emit_build_info(recorder);
    if (!def->annotation_size) return;
    emit(recorder, KG_TYPE_NOTE, 0, false, def->annotation, def->annotation_size);
}

static void put_tick_range(uint8_t *at, uint64_t tick, uint64_t count)
{
    kg_put64(at, tick);
    kg_put32(at + 8, (uint32_t)count);
    kg_put32(at + 12, 0);
}

/* Empty the buffers for the next chunks and reserve their tick ranges. */
static void begin_chunks(kg_recorder *recorder)
{
    recorder->ops.size = recorder->states.size = 0;
    recorder->chunk_first_tick = recorder->ticks;
    if (!kg_chunk_buffer_extend(recorder->memory, &recorder->ops, KG_TICK_RANGE_HEADER) ||
        !kg_chunk_buffer_extend(recorder->memory, &recorder->states, KG_TICK_RANGE_HEADER))
        fail(recorder, KUGEL_ERROR_OUT_OF_MEMORY);
    recorder->independent = !recorder->any_independent ||
                            recorder->ticks - recorder->independent_tick >= INDEPENDENT_TICKS;
}

static void flush(kg_recorder *recorder)
{
    if (recorder->status) return;
    uint64_t count = recorder->ticks - recorder->chunk_first_tick;
    if (recorder->ops.size > KG_TICK_RANGE_HEADER) {
        put_tick_range(recorder->ops.data, recorder->chunk_first_tick, count);
        emit(recorder, KG_TYPE_TICK, KG_CHUNK_CRITICAL, true, recorder->ops.data,
             recorder->ops.size);
    }
    if (recorder->states.size > KG_TICK_RANGE_HEADER) {
        put_tick_range(recorder->states.data, recorder->chunk_first_tick + 1, count);
        emit(recorder, KG_TYPE_STAT, recorder->independent ? KG_CHUNK_INDEPENDENT : 0, true,
             recorder->states.data, recorder->states.size);
        if (recorder->independent) recorder->independent_tick = recorder->chunk_first_tick;
        recorder->any_independent = true;
    }
    begin_chunks(recorder);
}

static void flush_when_due(kg_recorder *recorder)
{
    if (recorder->ops.size >= CHUNK_OPS || recorder->states.size >= CHUNK_STATES ||
        recorder->ticks - recorder->chunk_first_tick >= CHUNK_TICKS)
        flush(recorder);
}

/* Room for the payload of a keyframe or mesh; NULL when out of memory. */
static uint8_t *begin_payload(kg_recorder *recorder, size_t size)
{
    recorder->keyframe.size = 0;
    uint8_t *at = kg_chunk_buffer_extend(recorder->memory, &recorder->keyframe, size);
    if (!at) fail(recorder, KUGEL_ERROR_OUT_OF_MEMORY);
    return at;
}

static bool has_mesh(const kg_recorder *recorder, uint64_t hash)
{
    for (uint32_t k = 0; k < recorder->mesh_count; ++k) {
        if (recorder->meshes[k] == hash) return true;
    }
    return false;
}

/* Emit the mesh of a surface, unless it is written already. */
static void emit_mesh(kg_recorder *recorder, const kg_surface *surface)
{
    uint32_t n = recorder->mesh_count;
    if (!surface->used || kg_surface_is_solid(surface) || recorder->status ||
        has_mesh(recorder, surface->geometry_hash))
        return;
    if (!KG_RESERVE(recorder->memory, &recorder->mesh_column, recorder->meshes, (size_t)n + 1, n)) {
        fail(recorder, KUGEL_ERROR_OUT_OF_MEMORY);
        return;
    }
    kugel_surface_def def = kg_surface_def(surface);
    uint64_t bytes = KG_MESH_HEADER + kg_def_geometry_bytes(&def);
    if (bytes > KG_PAYLOAD_LIMIT) fail(recorder, KUGEL_ERROR_LIMIT);
    uint8_t *at = recorder->status ? NULL : begin_payload(recorder, (size_t)bytes);
    if (!at) return;
    kg_put64(at, surface->geometry_hash);
    kg_put32(at + 8, def.vertex_count);
    kg_put32(at + 12, def.triangle_count);
    kg_def_encode_geometry(&def, at + KG_MESH_HEADER);
    emit(recorder, KG_TYPE_MESH, KG_CHUNK_CRITICAL, true, at, (size_t)bytes);
    recorder->meshes[recorder->mesh_count++] = surface->geometry_hash;
}

/* Emit the number of recorded steps and a snapshot, after the meshes that it names. */
static void emit_snapshot(kg_recorder *recorder, const kugel_world *world, uint32_t type,
                          uint32_t flags)
{
    for (uint32_t k = 0; k < world->surfaces.end; ++k)
        emit_mesh(recorder, &world->surfaces.items[k]);
    uint8_t *at = begin_payload(recorder, KG_KEYFRAME_HEADER + kg_snapshot_bound(world, false));
    if (!at) return;
    kg_put64(at, recorder->ticks);
    size_t size = kg_snapshot_write(world, false, at + KG_KEYFRAME_HEADER);
    emit(recorder, type, flags, true, at, KG_KEYFRAME_HEADER + size);
}

/* ---- ops ---- */

/* Append an op of `size` bytes of fields; returns their address, or NULL without an active
 * recording. */
static uint8_t *begin_sized_op(kg_recorder *recorder, kg_op op, size_t size)
{
    if (!recorder || recorder->status) return NULL;
    flush_when_due(recorder); /* limits the ops before the first step */
    if (recorder->status) return NULL;
    uint8_t *at = kg_chunk_buffer_extend(recorder->memory, &recorder->ops, 1 + size);
    if (!at) {
        fail(recorder, KUGEL_ERROR_OUT_OF_MEMORY);
        return NULL;
    }
    *at = (uint8_t)op;
    return at + 1;
}

static uint8_t *begin_op(kg_recorder *recorder, kg_op op)
{
    return begin_sized_op(recorder, op, fixed_size((uint8_t)op));
}

static void put_vector(uint8_t *to, const double value[3])
{
    for (int k = 0; k < 3; ++k) kg_put64(to + 8 * k, kg_double_to_bits(value[k]));
}

void kg_record_plane(kg_recorder *recorder, const kugel_plane *plane)
{
    uint8_t *at = begin_op(recorder, KG_OP_PLANE);
    if (at) kg_def_encode_plane(plane, at);
}

/* The mesh lies between TICK chunks. */
void kg_record_add_surface(kg_recorder *recorder, const kg_surface *surface, uint32_t index)
{
    if (!recorder || recorder->status) return;
    kugel_surface_def def = kg_surface_def(surface);
    if (!kg_surface_is_solid(surface) && !has_mesh(recorder, surface->geometry_hash)) {
        flush(recorder);
        emit_mesh(recorder, surface);
    }
    size_t size = fixed_size(KG_OP_ADD_SURFACE) + (size_t)kg_surface_record_bytes(&def, true);
    uint8_t *at = begin_sized_op(recorder, KG_OP_ADD_SURFACE, size);
    if (!at) return;
    kg_put32(at, index);
    kg_def_encode_surface(&def, at + 4);
    kg_surface_record_put_geometry(surface, true, at + 4 + KG_SURFACE_DEF_BYTES);
}

void kg_record_remove_surface(kg_recorder *recorder, uint32_t index)
{
    uint8_t *at = begin_op(recorder, KG_OP_REMOVE_SURFACE);
    if (at) kg_put32(at, index);
}

void kg_record_place_surface(kg_recorder *recorder, uint32_t index, const double position[3],
                             const double rotation[4])
{
    uint8_t *at = begin_op(recorder, KG_OP_PLACE_SURFACE);
    if (!at) return;
    kg_put32(at, index);
    put_vector(at + 4, position);
    for (int k = 0; k < 4; ++k) kg_put64(at + 28 + 8 * k, kg_double_to_bits(rotation[k]));
}

void kg_record_move_surface(kg_recorder *recorder, uint32_t index, const double velocity[3],
                            const double spin[3])
{
    uint8_t *at = begin_op(recorder, KG_OP_MOVE_SURFACE);
    if (!at) return;
    kg_put32(at, index);
    put_vector(at + 4, velocity);
    put_vector(at + 28, spin);
}

void kg_record_gravity(kg_recorder *recorder, const double gravity[3])
{
    uint8_t *at = begin_op(recorder, KG_OP_GRAVITY);
    if (at) put_vector(at, gravity);
}

void kg_record_body_create(kg_recorder *recorder, const kugel_body_def *def, kugel_body body)
{
    uint8_t *at = begin_op(recorder, KG_OP_BODY_CREATE);
    if (!at) return;
    kg_put64(at, body);
    kg_def_encode_body(def, at + 8);
}

void kg_record_body_destroy(kg_recorder *recorder, kugel_body body)
{
    uint8_t *at = begin_op(recorder, KG_OP_BODY_DESTROY);
    if (at) kg_put64(at, body);
}

void kg_record_body_value(kg_recorder *recorder, kg_op op, kugel_body body, const double value[3])
{
    uint8_t *at = begin_op(recorder, op);
    if (!at) return;
    kg_put64(at, body);
    put_vector(at + 8, value);
}

void kg_record_orientation(kg_recorder *recorder, kugel_body body, const float orientation[4])
{
    uint8_t *at = begin_op(recorder, KG_OP_SET_ORIENTATION);
    if (!at) return;
    kg_put64(at, body);
    for (int k = 0; k < 4; ++k) kg_put32(at + 8 + 4 * k, kg_float_to_bits(orientation[k]));
}

static void put_pair_filter(kg_recorder *recorder, kg_op op, const kugel_pair_filter *filter)
{
    uint8_t *at = begin_op(recorder, op);
    if (!at) return;
    kg_put64(at, filter->key);
    kg_put64(at + 8, filter->decide != NULL);
}

void kg_record_pair_filter(kg_recorder *recorder, const kugel_pair_filter *filter)
{
    put_pair_filter(recorder, KG_OP_PAIR_FILTER, filter);
}

/* A snapshot does not contain the pair filter: repeat it in the chunk that follows. */
static void repeat_pair_filter(kg_recorder *recorder, const kugel_world *world)
{
    if (world->pair_filter.decide)
        put_pair_filter(recorder, KG_OP_PAIR_FILTER_IN_USE, &world->pair_filter);
}

/* ---- creation and end ---- */

kugel_status kg_recorder_create(kugel_world *world, const kugel_recording_def *def,
                                kg_recorder **out)
{
    *out = NULL;
    kg_recorder *recorder = kg_allocate(&world->memory, sizeof *recorder);
    if (!recorder) return KUGEL_ERROR_OUT_OF_MEMORY;
    *recorder = (kg_recorder){.memory = &world->memory,
                              .write = def->write,
                              .user = def->user,
                              .has_states = def->states,
                              .keyframe_interval = def->keyframe_ticks,
                              .ring_ticks = def->ring_ticks};
    if (def->ring_ticks) {
        kg_ring_begin(&recorder->ring, &world->memory);
        recorder->write = kg_ring_write;
        recorder->user = &recorder->ring;
    }
    begin_chunks(recorder);
    if (!recorder->status) emit_headers(recorder, &world->def, def);
    bool world_is_empty = world->tick == 0 && world->bodies.id_end == 0 &&
                          world->plane_count == 0 && world->surfaces.count == 0;
    if (def->ring_ticks) kg_ring_start_segment(&recorder->ring);
    if (!world_is_empty) emit_snapshot(recorder, world, KG_TYPE_BASE, KG_CHUNK_CRITICAL);
    if (def->ring_ticks) kg_ring_target_chunks(&recorder->ring);
    repeat_pair_filter(recorder, world);
    kugel_status status = recorder->status;
    if (status) kg_recorder_destroy(recorder);
    else *out = recorder;
    return status;
}

void kg_recorder_destroy(kg_recorder *recorder)
{
    if (!recorder) return;
    kg_memory *memory = recorder->memory;
    kg_chunk_buffer_free(memory, &recorder->ops);
    kg_chunk_buffer_free(memory, &recorder->states);
    kg_chunk_buffer_free(memory, &recorder->chunk);
    kg_chunk_buffer_free(memory, &recorder->keyframe);
    kg_column_free(memory, &recorder->mesh_column);
    kg_column_free(memory, &recorder->workspace);
    kg_state_codec_free(memory, &recorder->codec);
    kg_ring_free(&recorder->ring);
    kg_free(memory, recorder, sizeof *recorder);
}

kugel_status kg_recorder_status(const kg_recorder *recorder)
{
    return recorder ? recorder->status : KUGEL_OK;
}

static void emit_done(kg_recorder *recorder)
{
    uint8_t done[8];
    kg_put64(done, recorder->ticks);
    emit(recorder, KG_TYPE_DONE, KG_CHUNK_CRITICAL, false, done, sizeof done);
}

kugel_status kg_recorder_finish(kg_recorder *recorder)
{
    flush(recorder);
    emit_done(recorder);
    return recorder->status;
}

kugel_status kg_recorder_dump(kg_recorder *recorder,
                              bool (*write)(void *user, const void *data, size_t size), void *user)
{
    if (!recorder->ring_ticks) return KUGEL_ERROR_STATE;
    flush(recorder);
    kg_ring_target_end(&recorder->ring);
    emit_done(recorder);
    kg_ring_target_chunks(&recorder->ring);
    if (recorder->status) return recorder->status;
    return kg_ring_dump(&recorder->ring, write, user) ? KUGEL_OK : KUGEL_ERROR_IO;
}

/* ---- steps ---- */

static kugel_status append_state(kg_recorder *recorder, const kugel_world *world, double dt)
{
    kg_state_codec *codec = &recorder->codec;
    kg_state *next = &codec->next;
    uint32_t n = kugel_world_body_count(world);
    kg_state_predictor predictor = {.dt = dt, .substeps = world->work.substeps};
    for (int k = 0; k < 3; ++k) predictor.gravity[k] = world->def.gravity[k];
    if (!kg_state_reserve(recorder->memory, next, n)) return KUGEL_ERROR_OUT_OF_MEMORY;
    next->count =
        kugel_world_read(world, n, next->ids, next->values[0], next->values[1], next->values[2]);
    bool first = recorder->ticks == recorder->chunk_first_tick;
    if (first && recorder->independent) codec->last.count = 0;
    return kg_state_encode(recorder->memory, &recorder->states, codec, &predictor);
}

/* Flush first: a keyframe lies between TICK chunks. */
static void emit_keyframe(kg_recorder *recorder, const kugel_world *world)
{
    flush(recorder);
    recorder->last_keyframe_tick = recorder->ticks;
    emit_snapshot(recorder, world, KG_TYPE_KEYF, 0);
    repeat_pair_filter(recorder, world);
}

/* Drop the older segment and start a new one with a snapshot. */
static void start_ring_segment(kg_recorder *recorder, const kugel_world *world)
{
    flush(recorder);
    kg_ring_start_segment(&recorder->ring);
    recorder->mesh_count = 0; /* each segment has its meshes */
    emit_snapshot(recorder, world, KG_TYPE_BASE, KG_CHUNK_CRITICAL);
    kg_ring_target_chunks(&recorder->ring);
    recorder->segment_first_tick = recorder->last_keyframe_tick = recorder->ticks;
    recorder->any_independent = false;
    begin_chunks(recorder);
    repeat_pair_filter(recorder, world);
}

void kg_record_step(kg_recorder *recorder, kugel_world *world, double dt)
{
    uint8_t *at = begin_op(recorder, KG_OP_STEP);
    if (!at) return;
    kg_put64(at, kg_double_to_bits(dt));
    kg_put64(at + 8, kugel_world_hash(world));
    kugel_status status = recorder->has_states ? append_state(recorder, world, dt) : KUGEL_OK;
    if (status) {
        fail(recorder, status);
        return;
    }
    recorder->ticks += 1;
    if (recorder->ring_ticks &&
        recorder->ticks - recorder->segment_first_tick >= recorder->ring_ticks)
        start_ring_segment(recorder, world);
    else if (recorder->keyframe_interval &&
             recorder->ticks - recorder->last_keyframe_tick >= recorder->keyframe_interval)
        emit_keyframe(recorder, world);
    else flush_when_due(recorder);
}
