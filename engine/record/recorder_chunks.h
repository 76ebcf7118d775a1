/* The state of a recording and its chunks. Ops collect in a buffer that becomes a TICK chunk,
 * states in one that becomes the following STAT chunk. A size or tick limit flushes them, so that a
 * killed process loses little. Buffers are reused: steady recording allocates nothing. */
#ifndef KG_RECORD_RECORDER_CHUNKS_H
#define KG_RECORD_RECORDER_CHUNKS_H

#include "record/recorder.h"
#include "record/ring.h"
#include "record/state_codec.h"
#include "world/world.h"

enum { KG_STEP_BYTES = 16 }; /* of the fields of KG_OP_STEP */

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
    uint64_t keyframe_interval;  /* steps between keyframes; 0: none */
    uint64_t last_keyframe_tick; /* steps before the last keyframe */
    kg_chunk_buffer ops, states, chunk, payload;
    uint64_t *meshes; /* hashes of the written ones */
    uint32_t mesh_count;
    kg_column mesh_column;
    kg_column workspace;
    kg_state_codec codec;
    uint64_t ring_ticks;         /* minimum of steps in `ring`; 0: no ring */
    uint64_t segment_first_tick; /* steps before the open segment */
    kg_ring ring;
};

/* Keep the first failure. */
void kg_recorder_fail(kg_recorder *recorder, kugel_status status);
/* Write a chunk, unless the recording has failed. */
void kg_recorder_emit(kg_recorder *recorder, uint32_t type, uint32_t flags, bool pack,
                      const void *payload, size_t size);
/* Write the file's first chunks: formats, settings of the world, the build, the annotation. */
void kg_recorder_emit_headers(kg_recorder *recorder, const kugel_world_def *world,
                              const kugel_recording_def *def);
/* Write the mesh of a surface, unless it is written already. */
void kg_recorder_emit_mesh(kg_recorder *recorder, const kg_surface *surface);
/* Write the number of recorded steps and a snapshot, after the meshes that it names. */
void kg_recorder_emit_snapshot(kg_recorder *recorder, const kugel_world *world, uint32_t type,
                               uint32_t flags);
/* Empty the buffers for the next chunks and reserve their tick ranges. */
void kg_recorder_begin_chunks(kg_recorder *recorder);
/* Write the open chunks, if they hold anything, and begin the next. */
void kg_recorder_flush(kg_recorder *recorder);
void kg_recorder_flush_when_due(kg_recorder *recorder);

/* Append an op of `size` bytes of fields; returns their address, or NULL without an active
 * recording. */
uint8_t *kg_recorder_begin_op(kg_recorder *recorder, kg_op op, size_t size);
/* A snapshot does not contain the pair filter: repeat it in the chunk that follows. */
void kg_recorder_repeat_pair_filter(kg_recorder *recorder, const kugel_world *world);

#endif
