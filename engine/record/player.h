/* A player: a recording in memory and the world that runs its calls. player_scan.c checks and
 * indexes the recording. player_play.c runs the calls. player_seek.c moves to a tick, from a
 * keyframe of the recording or of player_keyframe_cache.c. player_meshes.c finds the meshes that
 * calls and keyframes name. player_recorded.c reads recorded hashes and states. player_rewrite.c
 * writes the recording without compression. */
#ifndef KG_RECORD_PLAYER_H
#define KG_RECORD_PLAYER_H

#include "record/chunk_packing.h"
#include "record/recorder.h"
#include "record/snapshot.h"
#include "record/state_codec.h"
#include "world/guard.h"

/* A STAT chunk and its range of ticks. */
typedef struct kg_state_chunk {
    size_t at; /* offset in the recording */
    uint64_t first;
    uint32_t count;
    bool independent;
} kg_state_chunk;

/* A KEYF chunk: the world after `tick` steps. */
typedef struct kg_keyframe {
    uint64_t tick;
    size_t at, next; /* offsets of its chunk and of the next chunk */
} kg_keyframe;

/* A MESH chunk, and the hash of its geometry. */
typedef struct kg_recorded_mesh {
    uint64_t hash;
    size_t at; /* offset in the recording */
} kg_recorded_mesh;

/* The world after a played tick: a snapshot without meshes, and the position of the next op. */
typedef struct kg_cached_keyframe {
    uint64_t tick;
    size_t chunk, at; /* offset of the TICK chunk, and of the next op in it */
    void *data;
    size_t size;
    kugel_pair_filter filter; /* the world's pair filter, which a snapshot does not contain */
} kg_cached_keyframe;

typedef struct kg_keyframe_cache {
    kg_cached_keyframe *items; /* ascending ticks */
    size_t count;
    kg_column column, scratch;
    size_t byte_count, byte_limit; /* bytes of all snapshots; byte_limit 0: no cache */
    uint64_t interval;             /* ticks between snapshots; doubled when byte_limit is reached */
} kg_keyframe_cache;

/* Position in the ops of the TICK chunks. */
typedef struct kg_op_cursor {
    size_t chunk, next; /* offsets of the TICK chunk and of the chunk after it */
    kg_chunk_buffer scratch;
    const uint8_t *ops; /* payload of the chunk */
    size_t size, at;    /* of the payload; offset of the next op in it */
} kg_op_cursor;

/* Position in the states of the STAT chunks. */
typedef struct kg_state_cursor {
    kg_state_codec codec; /* codec.last is the state after `tick` */
    uint64_t tick;        /* 0: none */
    size_t chunk_index;   /* in state_chunks */
    kg_chunk_buffer scratch;
    const uint8_t *data; /* payload of the chunk */
    size_t size, at;     /* of the payload; offset of the next state in it */
} kg_state_cursor;

struct kugel_player {
    kg_memory memory;
    kg_column workspace; /* of zstd */
    const uint8_t *data; /* the recording */
    size_t valid_size;   /* its bytes up to the end of the last whole chunk */
    kugel_recording_info info;
    kugel_limits limits; /* of the played world and of `memory`; bytes is not 0 */
    kugel_world_def def;

    uint64_t *hashes; /* [info.ticks]; hashes[k]: state hash after tick k + 1 */
    kg_column hash_column;
    kg_state_chunk *state_chunks;
    size_t state_chunk_count;
    kg_column state_chunk_column;
    size_t base;            /* offset of the BASE chunk; 0: the world begins empty */
    size_t mark;            /* offset of the MARK chunk; 0: none */
    kg_keyframe *keyframes; /* ascending ticks */
    size_t keyframe_count;
    kg_column keyframe_column;

    kg_recorded_mesh *meshes;
    size_t mesh_count;
    kg_column mesh_column;
    kg_chunk_buffer mesh_scratch;

    kugel_pair_filter filter; /* the host's callback; `key` is unused */
    kugel_world *world;
    kugel_error error; /* of the last KUGEL_PLAY_ERROR; playback stops after it */
    uint64_t played;   /* recorded steps up to the present state of `world` */
    kg_op_cursor ops;
    kg_keyframe_cache keyframe_cache;
    kg_state_cursor states;
    kg_state played_state; /* the played world's state */
};

/* KUGEL_ERROR_INVALID_ARGUMENT for NULL; KUGEL_ERROR_STATE while a callback of the player or of its
 * world runs. */
static inline kugel_status kg_player_refuse(const kugel_player *player)
{
    return kg_refuse_change(player ? player->world : NULL);
}
/* Check a recording of `size` bytes and build the index. The error describes the first defect. */
kugel_status kg_player_scan(kugel_player *player, size_t size, kugel_error *error);
/* Create a world in the recording's initial state. */
kugel_status kg_player_create_world(kugel_player *player, kugel_world **out, kugel_error *error);
/* Set *data and *size to the payload of a chunk: bytes of the recording, or of `scratch` if the
 * chunk is packed. */
kugel_status kg_player_unpack(kugel_player *player, const kg_chunk_view *view,
                              kg_chunk_buffer *scratch, const uint8_t **data, size_t *size);
/* As kg_player_unpack, for the chunk at offset `at` of the recording. */
kugel_status kg_player_unpack_at(kugel_player *player, size_t at, kg_chunk_buffer *scratch,
                                 const uint8_t **data, size_t *size);
/* Add a MESH chunk at offset `at`, whose payload is unpacked, to the index. KUGEL_ERROR_FORMAT if
 * the payload has another size than its counts require. */
kugel_status kg_player_add_mesh(kugel_player *player, size_t at, const uint8_t *payload,
                                size_t size);
/* The recorded meshes, for restoring snapshots. */
kg_mesh_source kg_player_mesh_source(kugel_player *player);
/* Set the player's error, to the limit of the player's memory if it was reached; returns
 * KUGEL_PLAY_ERROR. */
kugel_play kg_player_fail(kugel_player *player, kugel_status status, const char *what);
/* Make ops.at the offset of an op: if the payload has no op left, unpack the next TICK chunk.
 * KUGEL_PLAY_TICK if there is an op, KUGEL_PLAY_END at the end of the recording, KUGEL_PLAY_ERROR
 * if the chunk cannot be unpacked. */
kugel_play kg_player_find_op(kugel_player *player);
/* Apply the ops that make tick 0: those before the mark or, without a mark, before the first step,
 * force, torque or impulse. */
kugel_play kg_player_make_start(kugel_player *player);
/* Apply the inputs of the next tick and step the world, without comparing hash or state. */
kugel_play kg_player_play_tick(kugel_player *player);
/* Replace the played world's pair filter. Unlike kugel_world_set_pair_filter, this wakes no body
 * and ends no contact. */
void kg_player_put_filter(kugel_player *player, kugel_pair_filter filter);
/* Cache a snapshot of the played world if `interval` divides the tick and byte_limit allows. */
void kg_player_cache_keyframe(kugel_player *player);
/* The last cached keyframe at or before a tick, or NULL. */
const kg_cached_keyframe *kg_player_find_cached_keyframe(const kugel_player *player, uint64_t tick);
void kg_player_clear_keyframe_cache(kugel_player *player);
/* kugel_player_recorded, with KUGEL_ERROR_OUT_OF_MEMORY also where the limit was reached. */
kugel_status kg_player_recorded(kugel_player *player, uint64_t tick, kugel_recorded *recorded);
/* kugel_recorded_difference of complete structs. */
bool kg_recorded_difference(const kugel_recorded *expected, const kugel_recorded *found,
                            kugel_divergence *out);
/* Let the arrays of `out` point to those of `state`. */
void kg_player_show_state(const kg_state *state, kugel_recorded *out);

#endif
