/* A recorder and the chunks that it writes. Ops are collected in a buffer that becomes a TICK
 * chunk, states in a buffer that becomes the STAT chunk after it. Both are written when one of them
 * reaches a limit of size or ticks, so that a killed process loses little. Buffers are reused:
 * steady recording allocates nothing. */
#ifndef KG_RECORD_RECORDER_CHUNKS_H
#define KG_RECORD_RECORDER_CHUNKS_H

#include "record/recorder.h"
#include "record/ring.h"
#include "record/state_codec.h"
#include "world/world.h"

struct kg_recorder {
    const kg_recorder_functions *functions; /* first: kg_recorder_functions_of */
    kg_memory *memory;
    bool (*write)(void *user, const void *data, size_t size);
    void *user;
    bool has_states;
    bool marked;                 /* true: kugel_world_recording_mark was called */
    kugel_status status;         /* the first failure; nothing is written after it */
    uint64_t ticks;              /* steps recorded so far */
    uint64_t chunk_first_tick;   /* steps before the open chunk */
    uint64_t independent_tick;   /* steps before the last independent STAT chunk */
    bool independent;            /* true: the open STAT chunk is independent */
    bool any_independent;        /* true: the recording or segment has an independent STAT chunk */
    uint64_t keyframe_interval;  /* steps between keyframes; 0: none */
    uint64_t last_keyframe_tick; /* steps before the last keyframe */
    kg_chunk_buffer ops, states; /* payloads of the open TICK and STAT chunks */
    kg_chunk_buffer chunk;       /* the chunk that is being written */
    kg_chunk_buffer payload;     /* of a BASE, KEYF or MESH chunk */
    uint64_t *meshes;            /* hashes of the meshes in the recording or segment */
    uint32_t mesh_count;
    kg_column mesh_column;
    kg_column workspace; /* of zstd */
    kg_state_codec codec;
    uint64_t ring_ticks;         /* steps of a complete ring segment; 0: no ring */
    uint64_t segment_first_tick; /* steps before the open segment */
    kg_ring ring;
};

/* kg_recorder_functions (recorder.h) */
void kg_recorder_call(kg_recorder *recorder, const kg_call *call);
void kg_recorder_add_surface(kg_recorder *recorder, const kg_surface *surface,
                             kugel_surface handle);

/* Set the status of the recording, unless it has failed before. */
void kg_recorder_fail(kg_recorder *recorder, kugel_status status);
/* Write a chunk, unless the recording has failed. */
void kg_recorder_emit(kg_recorder *recorder, uint32_t type, uint32_t flags, bool pack,
                      const void *payload, size_t size);
/* Write the file's magic bytes and first chunks: HEAD, MADE and, with an annotation, NOTE. */
void kg_recorder_emit_headers(kg_recorder *recorder, const kugel_world_def *world,
                              const kugel_recording_def *def);
/* Write the mesh of a surface; does nothing for a solid shape or a mesh in `meshes`. */
void kg_recorder_emit_mesh(kg_recorder *recorder, const kg_surface *surface);
/* Write a BASE or KEYF chunk: the number of recorded steps and a snapshot without meshes. The
 * meshes that the recording lacks are written before it. */
void kg_recorder_emit_snapshot(kg_recorder *recorder, kugel_world *world, uint32_t type,
                               uint32_t flags);
/* Begin the next TICK and STAT chunks: only the space of the tick ranges is in their buffers. */
void kg_recorder_begin_chunks(kg_recorder *recorder);
/* Write the open TICK and STAT chunks unless they are empty, and begin the next ones. */
void kg_recorder_flush(kg_recorder *recorder);
/* Flush if an open chunk has reached a limit of size or ticks. */
void kg_recorder_flush_when_due(kg_recorder *recorder);

/* Record the pair filter in use, if there is one. Called at the start of a recording and after each
 * snapshot, which does not contain the filter. */
void kg_recorder_repeat_pair_filter(kg_recorder *recorder, const kugel_world *world);

#endif
