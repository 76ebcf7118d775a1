/* Creates and ends recordings, and records steps with their states and keyframes (recorder.h). */
#include "record/recorder.h"

#include "base/bytes.h"
#include "record/recorder_chunks.h"
#include "record/state_hash.h"
#include "world/body_arrays.h"

/* Write the first chunks, which the ring has collected, in one call of the host's `write`. So a
 * start that is refused has written nothing. All later chunks go to `write`. */
static void start_writing(kg_recorder *recorder, const kugel_recording_def *def)
{
    kg_chunk_buffer *head = &recorder->ring.head;
    recorder->write = def->write;
    recorder->user = def->user;
    if (!recorder->status && !def->write(def->user, head->data, head->size))
        kg_recorder_fail(recorder, KUGEL_ERROR_IO);
    kg_ring_free(&recorder->ring);
    recorder->ring = (kg_ring){0};
}

static void record_step(kg_recorder *recorder, kugel_world *world, double dt)
{
    if (!recorder->status) kg_recorder_step(recorder, world, dt, kg_state_hash(world));
}

static const kg_recorder_functions functions = {kg_recorder_call, kg_recorder_add_surface,
                                                record_step, kg_recorder_destroy};

kugel_status kg_recorder_create(kugel_world *world, const kugel_recording_def *def,
                                kg_recorder **out)
{
    *out = NULL;
    kg_recorder *recorder = kg_allocate(&world->memory, sizeof *recorder);
    if (!recorder) return KUGEL_ERROR_OUT_OF_MEMORY;
    *recorder = (kg_recorder){.functions = &functions,
                              .memory = &world->memory,
                              .write = kg_ring_write,
                              .user = &recorder->ring,
                              .has_states = def->states,
                              .keyframe_interval = def->keyframe_ticks,
                              .ring_ticks = def->ring_ticks};
    kg_ring_begin(&recorder->ring, &world->memory);
    kg_recorder_begin_chunks(recorder);
    if (!recorder->status) kg_recorder_emit_headers(recorder, &world->def, def);
    bool world_is_empty = world->tick == 0 && world->bodies.id_end == 0 &&
                          world->surfaces.indices.end == 0 && !world->pairs.count;
    if (def->ring_ticks) kg_ring_start_segment(&recorder->ring);
    if (!world_is_empty)
        kg_recorder_emit_snapshot(recorder, world, KG_TYPE_BASE, KG_CHUNK_CRITICAL);
    if (def->ring_ticks) kg_ring_target_chunks(&recorder->ring);
    kg_recorder_repeat_pair_filter(recorder, world);
    if (!def->ring_ticks) start_writing(recorder, def);
    kugel_status status = recorder->status;
    if (status) kg_recorder_destroy(recorder);
    else *out = recorder;
    return status;
}

void kg_recorder_destroy(kg_recorder *recorder)
{
    kg_memory *memory = recorder->memory;
    kg_chunk_buffer_free(memory, &recorder->ops);
    kg_chunk_buffer_free(memory, &recorder->states);
    kg_chunk_buffer_free(memory, &recorder->chunk);
    kg_chunk_buffer_free(memory, &recorder->payload);
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

/* Write a MARK chunk. The ops so far are written first, because a mark lies between TICK chunks. */
static void emit_mark(kg_recorder *recorder)
{
    kg_recorder_flush(recorder);
    kg_recorder_emit(recorder, KG_TYPE_MARK, 0, false, NULL, 0);
}

bool kg_recorder_mark(kg_recorder *recorder)
{
    if (recorder->ticks || recorder->marked) return false;
    emit_mark(recorder);
    recorder->marked = true;
    return true;
}

static void emit_done(kg_recorder *recorder)
{
    uint8_t done[8];
    kg_put64(done, recorder->ticks);
    kg_recorder_emit(recorder, KG_TYPE_DONE, KG_CHUNK_CRITICAL, false, done, sizeof done);
}

kugel_status kg_recorder_finish(kg_recorder *recorder)
{
    kg_recorder_flush(recorder);
    emit_done(recorder);
    return recorder->status;
}

kugel_status kg_recorder_dump(kg_recorder *recorder,
                              bool (*write)(void *user, const void *data, size_t size), void *user)
{
    if (!recorder->ring_ticks) return KUGEL_ERROR_STATE;
    kg_recorder_flush(recorder);
    kg_ring_target_end(&recorder->ring);
    emit_done(recorder);
    kg_ring_target_chunks(&recorder->ring);
    if (recorder->status) return recorder->status;
    return kg_ring_dump(&recorder->ring, write, user) ? KUGEL_OK : KUGEL_ERROR_IO;
}

static kugel_status append_state(kg_recorder *recorder, const kugel_world *world, double dt)
{
    kg_state_codec *codec = &recorder->codec;
    kg_state *next = &codec->next;
    uint32_t n = world->bodies.count;
    kg_state_predictor predictor = {.dt = dt, .substeps = world->work.substeps};
    kg_copy3(predictor.gravity, world->def.gravity);
    if (!kg_state_reserve(recorder->memory, next, n)) return KUGEL_ERROR_OUT_OF_MEMORY;
    const kugel_body_arrays to = {.ids = next->ids,
                                  .position = next->values[0],
                                  .velocity = next->values[1],
                                  .spin = next->values[2]};
    next->count = kg_bodies_read(&world->bodies, n, &to);
    bool first = recorder->ticks == recorder->chunk_first_tick;
    if (first && recorder->independent) codec->last.count = 0;
    return kg_state_encode(recorder->memory, &recorder->states, codec, &predictor);
}

/* Write a keyframe. The open chunks are written first, because a keyframe lies between TICK
 * chunks. */
static void emit_keyframe(kg_recorder *recorder, kugel_world *world)
{
    kg_recorder_flush(recorder);
    recorder->last_keyframe_tick = recorder->ticks;
    kg_recorder_emit_snapshot(recorder, world, KG_TYPE_KEYF, 0);
    kg_recorder_repeat_pair_filter(recorder, world);
}

/* Drop the older segment of the ring and start a new one with a snapshot. */
static void start_ring_segment(kg_recorder *recorder, kugel_world *world)
{
    kg_recorder_flush(recorder);
    kg_ring_start_segment(&recorder->ring);
    recorder->mesh_count = 0; /* each segment contains its meshes */
    kg_recorder_emit_snapshot(recorder, world, KG_TYPE_BASE, KG_CHUNK_CRITICAL);
    kg_ring_target_chunks(&recorder->ring);
    recorder->segment_first_tick = recorder->last_keyframe_tick = recorder->ticks;
    recorder->any_independent = false;
    kg_recorder_begin_chunks(recorder);
    kg_recorder_repeat_pair_filter(recorder, world);
    emit_mark(recorder);
}

/* True if the next ring segment starts after `ticks` steps. */
static bool segment_is_due(const kg_recorder *recorder, uint64_t ticks)
{
    return recorder->ring_ticks && ticks - recorder->segment_first_tick >= recorder->ring_ticks;
}

/* True if a keyframe follows after `ticks` steps. */
static bool keyframe_is_due(const kg_recorder *recorder, uint64_t ticks)
{
    return recorder->keyframe_interval &&
           ticks - recorder->last_keyframe_tick >= recorder->keyframe_interval;
}

bool kg_recorder_is_active(const kg_recorder *recorder) { return recorder && !recorder->status; }

bool kg_recorder_step_reads_bodies(const kg_recorder *recorder)
{
    if (!kg_recorder_is_active(recorder)) return false;
    uint64_t next = recorder->ticks + 1;
    return recorder->has_states || segment_is_due(recorder, next) ||
           keyframe_is_due(recorder, next);
}

void kg_recorder_step(kg_recorder *recorder, kugel_world *world, double dt, uint64_t hash)
{
    kg_recorder_call(recorder, &(kg_call){.op = KG_OP_STEP, .number = dt, .hash = hash});
    if (!kg_recorder_is_active(recorder)) return;
    kugel_status status = recorder->has_states ? append_state(recorder, world, dt) : KUGEL_OK;
    if (status) {
        kg_recorder_fail(recorder, status);
        return;
    }
    recorder->ticks += 1;
    if (segment_is_due(recorder, recorder->ticks)) start_ring_segment(recorder, world);
    else if (keyframe_is_due(recorder, recorder->ticks)) emit_keyframe(recorder, world);
    else kg_recorder_flush_when_due(recorder);
}
