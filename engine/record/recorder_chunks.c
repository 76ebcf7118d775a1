/* Writes the chunks of a recording (recorder_chunks.h). In: ops, states, snapshots, meshes. Out:
 * calls of the recorder's `write`. */
#include "record/recorder_chunks.h"

#include <stdio.h>

#include "base/bytes.h"
#include "record/chunk_packing.h"
#include "record/def_encoding.h"
#include "record/snapshot_surfaces.h"

enum {
    /* limits: an open chunk that reaches one of them is written */
    CHUNK_OPS = 64 * 1024,     /* bytes of ops */
    CHUNK_STATES = 256 * 1024, /* bytes of states, before packing */
    CHUNK_TICKS = 30,          /* steps; a process that is killed loses at most these */
    INDEPENDENT_TICKS = 128    /* minimum of steps between independent STAT chunks, for seeking */
};

void kg_recorder_fail(kg_recorder *recorder, kugel_status status)
{
    if (!recorder->status) recorder->status = status;
}

static void put_bytes(kg_recorder *recorder, const void *data, size_t size)
{
    bool taken = recorder->write(recorder->user, data, size);
    if (!taken)
        kg_recorder_fail(recorder, recorder->write == kg_ring_write ? KUGEL_ERROR_OUT_OF_MEMORY
                                                                    : KUGEL_ERROR_IO);
}

void kg_recorder_emit(kg_recorder *recorder, uint32_t type, uint32_t flags, bool pack,
                      const void *payload, size_t size)
{
    if (recorder->status) return;
    kg_chunk_buffer *chunk = &recorder->chunk;
    kugel_status status = kg_chunk_make(recorder->memory, &recorder->workspace, chunk, type, flags,
                                        pack, payload, size);
    if (status) kg_recorder_fail(recorder, status);
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
    kg_recorder_emit(recorder, KG_TYPE_MADE, 0, false, made, sizeof made);
}

void kg_recorder_emit_headers(kg_recorder *recorder, const kugel_world_def *world,
                              const kugel_recording_def *def)
{
    uint8_t head[16 + KG_WORLD_DEF_BYTES] = {0};
    kg_put32(head, KUGEL_RECORDING_FORMAT);
    kg_put32(head + 4, KUGEL_PHYSICS_EPOCH);
    kg_put32(head + 8, def->states);
    kg_def_encode(kg_world_def_members, world, head + 16);
    put_bytes(recorder, KG_FILE_MAGIC, KG_FILE_HEADER);
    kg_recorder_emit(recorder, KG_TYPE_HEAD, KG_CHUNK_CRITICAL, false, head, sizeof head);
    emit_build_info(recorder);
    if (!def->annotation_size) return;
    kg_recorder_emit(recorder, KG_TYPE_NOTE, 0, false, def->annotation, def->annotation_size);
}

static void put_tick_range(uint8_t *at, uint64_t tick, uint64_t count)
{
    kg_put64(at, tick);
    kg_put32(at + 8, (uint32_t)count);
    kg_put32(at + 12, 0);
}

void kg_recorder_begin_chunks(kg_recorder *recorder)
{
    recorder->ops.size = recorder->states.size = 0;
    recorder->chunk_first_tick = recorder->ticks;
    if (!kg_chunk_buffer_extend(recorder->memory, &recorder->ops, KG_TICK_RANGE_HEADER) ||
        !kg_chunk_buffer_extend(recorder->memory, &recorder->states, KG_TICK_RANGE_HEADER))
        kg_recorder_fail(recorder, KUGEL_ERROR_OUT_OF_MEMORY);
    recorder->independent = !recorder->any_independent ||
                            recorder->ticks - recorder->independent_tick >= INDEPENDENT_TICKS;
}

void kg_recorder_flush(kg_recorder *recorder)
{
    if (recorder->status) return;
    uint64_t count = recorder->ticks - recorder->chunk_first_tick;
    if (recorder->ops.size > KG_TICK_RANGE_HEADER) {
        put_tick_range(recorder->ops.data, recorder->chunk_first_tick, count);
        kg_recorder_emit(recorder, KG_TYPE_TICK, KG_CHUNK_CRITICAL, true, recorder->ops.data,
                         recorder->ops.size);
    }
    if (recorder->states.size > KG_TICK_RANGE_HEADER) {
        put_tick_range(recorder->states.data, recorder->chunk_first_tick + 1, count);
        kg_recorder_emit(recorder, KG_TYPE_STAT, recorder->independent ? KG_CHUNK_INDEPENDENT : 0,
                         true, recorder->states.data, recorder->states.size);
        if (recorder->independent) recorder->independent_tick = recorder->chunk_first_tick;
        recorder->any_independent = true;
    }
    kg_recorder_begin_chunks(recorder);
}

void kg_recorder_flush_when_due(kg_recorder *recorder)
{
    if (recorder->ops.size >= CHUNK_OPS || recorder->states.size >= CHUNK_STATES ||
        recorder->ticks - recorder->chunk_first_tick >= CHUNK_TICKS)
        kg_recorder_flush(recorder);
}

/* Space for the payload of a BASE, KEYF or MESH chunk; NULL when out of memory. */
static uint8_t *begin_payload(kg_recorder *recorder, size_t size)
{
    recorder->payload.size = 0;
    uint8_t *at = kg_chunk_buffer_extend(recorder->memory, &recorder->payload, size);
    if (!at) kg_recorder_fail(recorder, KUGEL_ERROR_OUT_OF_MEMORY);
    return at;
}

static bool has_mesh(const kg_recorder *recorder, uint64_t hash)
{
    for (uint32_t k = 0; k < recorder->mesh_count; ++k) {
        if (recorder->meshes[k] == hash) return true;
    }
    return false;
}

void kg_recorder_emit_mesh(kg_recorder *recorder, const kg_surface *surface)
{
    uint32_t n = recorder->mesh_count;
    if (!surface->used || kg_surface_is_solid(surface) || recorder->status ||
        has_mesh(recorder, surface->geometry_hash))
        return;
    kg_recorder_flush(recorder); /* a MESH chunk lies between TICK chunks */
    if (!KG_RESERVE(recorder->memory, &recorder->mesh_column, recorder->meshes, (size_t)n + 1, n)) {
        kg_recorder_fail(recorder, KUGEL_ERROR_OUT_OF_MEMORY);
        return;
    }
    kugel_surface_def def = kg_surface_def(surface);
    uint64_t bytes = KG_MESH_HEADER + kg_def_mesh_bytes(&def);
    if (bytes > KG_PAYLOAD_LIMIT) kg_recorder_fail(recorder, KUGEL_ERROR_LIMIT);
    uint8_t *at = recorder->status ? NULL : begin_payload(recorder, (size_t)bytes);
    if (!at) return;
    kg_put64(at, surface->geometry_hash);
    kg_put32(at + 8, def.vertex_count);
    kg_put32(at + 12, def.triangle_count);
    kg_def_encode_mesh(&def, at + KG_MESH_HEADER);
    kg_recorder_emit(recorder, KG_TYPE_MESH, KG_CHUNK_CRITICAL, true, at, (size_t)bytes);
    recorder->meshes[recorder->mesh_count++] = surface->geometry_hash;
}

void kg_recorder_emit_snapshot(kg_recorder *recorder, kugel_world *world, uint32_t type,
                               uint32_t flags)
{
    for (uint32_t k = 0; k < world->surfaces.end; ++k)
        kg_recorder_emit_mesh(recorder, &world->surfaces.items[k]);
    uint8_t *at =
        recorder->status
            ? NULL
            : begin_payload(recorder, KG_KEYFRAME_HEADER + kg_snapshot_bound(world, false));
    if (!at) return;
    kg_put64(at, recorder->ticks);
    size_t size = kg_snapshot_write(world, false, at + KG_KEYFRAME_HEADER);
    kg_recorder_emit(recorder, type, flags, true, at, KG_KEYFRAME_HEADER + size);
}

void kg_recorder_call(kg_recorder *recorder, const kg_call *call)
{
    if (!kg_recorder_is_active(recorder)) return;
    kg_recorder_flush_when_due(recorder); /* many calls may precede a step */
    if (recorder->status) return;
    uint8_t *at =
        kg_chunk_buffer_extend(recorder->memory, &recorder->ops, kg_call_size((uint8_t)call->op));
    if (at) kg_call_encode(call, at);
    else kg_recorder_fail(recorder, KUGEL_ERROR_OUT_OF_MEMORY);
}

void kg_recorder_add_surface(kg_recorder *recorder, const kg_surface *surface, kugel_surface handle)
{
    if (!kg_recorder_is_active(recorder)) return;
    kg_recorder_emit_mesh(recorder, surface);
    kg_recorder_call(recorder, &(kg_call){.op = KG_OP_SURFACE_CREATE,
                                          .surface = handle,
                                          .surface_def = kg_surface_def(surface),
                                          .hash = surface->geometry_hash});
}

void kg_recorder_repeat_pair_filter(kg_recorder *recorder, const kugel_world *world)
{
    const kugel_pair_filter *filter = &world->pair_filter;
    if (filter->decide)
        kg_recorder_call(
            recorder,
            &(kg_call){.op = KG_OP_PAIR_FILTER_IN_USE, .key = filter->key, .has_filter = true});
}
