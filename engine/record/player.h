/* A player: a recording in memory. player_scan.c checks and indexes it, player_play.c runs it,
 * player_seek.c moves to a tick from a keyframe of the recording or of player_keyframe_cache.c,
 * player_meshes.c finds the meshes that calls and keyframes name,
 * player_recorded.c reads hashes and states without running, player_rewrite.c writes it again. */
#ifndef KG_RECORD_PLAYER_H
#define KG_RECORD_PLAYER_H

#include "record/chunk_packing.h"
#include "record/recorder.h"
#include "record/snapshot.h"
#include "record/state_codec.h"

/* A STAT chunk and its range of ticks. */
typedef struct kg_state_chunk {
    size_t at; /* offset in the data */
    uint64_t first;
    uint32_t count;
    bool independent;
} kg_state_chunk;

/* A keyframe: the world after `tick` steps. */
typedef struct kg_keyframe {
    uint64_t tick;
    size_t at, next; /* offsets of its chunk and of the next chunk */
} kg_keyframe;

/* A MESH chunk, and the hash of its geometry. */
typedef struct kg_recorded_mesh {
    uint64_t hash;
    size_t at; /* offset in the data */
} kg_recorded_mesh;

/* A snapshot without meshes of a played tick, and the position of the next op. */
typedef struct kg_cached_keyframe {
    uint64_t tick;
    size_t chunk, at; /* offset of the TICK chunk, and of the next op in it */
    void *data;
    size_t size;
    kugel_pair_filter filter; /* in use; a snapshot does not contain it */
} kg_cached_keyframe;

typedef struct kg_keyframe_cache {
    kg_cached_keyframe *items; /* ascending ticks */
    size_t count;
    kg_column column, scratch;
    size_t byte_count, byte_limit; /* bytes of snapshots; byte_limit 0: no cache */
    uint64_t interval;             /* ticks; doubled when byte_limit is reached */
} kg_keyframe_cache;

/* Position in the ops of the TICK chunks. */
typedef struct kg_op_cursor {
    size_t chunk, next; /* offsets of this and the next chunk */
    kg_chunk_buffer scratch;
    const uint8_t *ops;
    size_t size, at;
} kg_op_cursor;

/* Position in the states of the STAT chunks. */
typedef struct kg_state_cursor {
    kg_state_codec codec; /* codec.last is the state after `tick` */
    uint64_t tick;        /* 0: none */
    size_t chunk_index;
    kg_chunk_buffer scratch;
    const uint8_t *data;
    size_t size, at;
} kg_state_cursor;

struct kugel_player {
    kg_memory memory;
    kg_column workspace;
    const uint8_t *data;
    size_t valid_size; /* bytes of whole chunks */
    kugel_recording_info info;
    kugel_world_def def;

    uint64_t *hashes; /* [info.ticks]; hashes[k]: state hash after tick k + 1 */
    kg_column hash_column;
    kg_state_chunk *state_chunks;
    size_t state_chunk_count;
    kg_column state_chunk_column;
    size_t base;            /* offset of the BASE chunk; 0: the world begins empty */
    kg_keyframe *keyframes; /* ascending ticks */
    size_t keyframe_count;
    kg_column keyframe_column;

    kg_recorded_mesh *meshes;
    size_t mesh_count;
    kg_column mesh_column;
    kg_chunk_buffer mesh_scratch;

    kugel_pair_filter filter; /* the host's callback; its key is unused */
    kugel_world *world;
    kugel_error error; /* of the last KUGEL_PLAY_ERROR; playback stops after it */
    uint64_t played;   /* steps */
    kg_op_cursor ops;
    kg_keyframe_cache keyframe_cache;
    kg_state_cursor states;
    kg_state played_state; /* the played world's state */
};

/* Check the recording and build the index. The error describes the first defect. */
kugel_status kg_player_scan(kugel_player *player, size_t size, kugel_error *error);
/* Create a world in the recording's initial state. */
kugel_status kg_player_create_world(kugel_player *player, kugel_world **out, kugel_error *error);
/* The payload of a chunk, in the recording or in `scratch`. */
kugel_status kg_player_unpack(kugel_player *player, const kg_chunk_view *view,
                              kg_chunk_buffer *scratch, const uint8_t **data, size_t *size);
/* The same for the chunk at offset `at` of the recording. */
kugel_status kg_player_unpack_at(kugel_player *player, size_t at, kg_chunk_buffer *scratch,
                                 const uint8_t **data, size_t *size);
/* Index the MESH chunk at offset `at` with this payload. */
kugel_status kg_player_add_mesh(kugel_player *player, size_t at, const uint8_t *payload,
                                size_t size);
/* The recorded meshes, for restoring snapshots. */
kg_mesh_source kg_player_mesh_source(kugel_player *player);
/* Set the player's error; returns KUGEL_PLAY_ERROR. */
kugel_play kg_player_fail(kugel_player *player, kugel_status status, const char *what);
/* Move the cursor to the next op, unpacking chunks as needed; KUGEL_PLAY_END at the end. */
kugel_play kg_player_find_op(kugel_player *player);
/* Apply ops up to the next STEP or, if stop_at_force, the first force, torque or impulse. */
kugel_play kg_player_apply_inputs(kugel_player *player, bool stop_at_force);
/* Apply inputs and step of the next tick without comparison. */
kugel_play kg_player_play_tick(kugel_player *player);
/* Replace the played world's pair filter; unlike a call it wakes no body and ends no contact. */
void kg_player_put_filter(kugel_player *player, kugel_pair_filter filter);
/* Cache a snapshot of the played world if its tick is due and the limit allows. */
void kg_player_cache_keyframe(kugel_player *player);
/* The last cached keyframe at or before a tick, or NULL. */
const kg_cached_keyframe *kg_player_find_cached_keyframe(const kugel_player *player, uint64_t tick);
void kg_player_clear_keyframe_cache(kugel_player *player);
/* Set the state of `out`, whose arrays are those of `state`. */
void kg_player_show_state(const kg_state *state, kugel_recorded *out);

#endif
