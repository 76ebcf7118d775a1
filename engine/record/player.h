/* A player: a recording in memory, checked and indexed by player_scan.c, run by player_play.c, sent
 * to a tick by player_seek.c, which begins from a snapshot that the recording holds or
 * player_keyframe_cache.c took; read without running by player_recorded.c, written again by
 * player_rewrite.c. */
#ifndef KG_RECORD_PLAYER_H
#define KG_RECORD_PLAYER_H

#include "record/chunk_packing.h"
#include "record/recorder.h"
#include "record/state_codec.h"

/* A STAT chunk and the ticks whose states it holds. */
typedef struct kg_state_chunk {
    size_t at; /* offset in the data */
    uint64_t first;
    uint32_t count;
    bool independent;
} kg_state_chunk;

/* A keyframe: the world after `tick` steps. */
typedef struct kg_keyframe {
    uint64_t tick;
    size_t at, next; /* offsets of its chunk and of the one behind it */
} kg_keyframe;

/* A snapshot that was taken while playing, and where the ops went on. */
typedef struct kg_cached_keyframe {
    uint64_t tick;
    size_t chunk, at; /* offset of the TICK chunk, and of the next op in it */
    void *data;
    size_t size;
} kg_cached_keyframe;

/* Those snapshots. */
typedef struct kg_keyframe_cache {
    kg_cached_keyframe *items; /* in the order of ticks */
    size_t count;
    kg_column column, scratch;
    size_t byte_count, byte_limit; /* bytes of snapshots; byte_limit 0: none are taken */
    uint64_t interval; /* ticks from one to the next; doubled when the room is used up */
} kg_keyframe_cache;

/* Ops on their way through a recording's TICK chunks. */
typedef struct kg_op_cursor {
    size_t chunk, next; /* offsets of this chunk and of the one after it */
    kg_chunk_buffer scratch;
    const uint8_t *ops;
    size_t size, at;
} kg_op_cursor;

/* Where the decoding of states stands. */
typedef struct kg_state_cursor {
    kg_state_codec codec; /* its last state is that of `tick` */
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

    uint64_t *hashes; /* [info.ticks], of tick k + 1 */
    kg_column hash_column;
    kg_state_chunk *state_chunks;
    size_t state_chunk_count;
    kg_column state_chunk_column;
    size_t base;            /* offset of the BASE chunk; 0: the world begins empty */
    kg_keyframe *keyframes; /* in the order of ticks */
    size_t keyframe_count;
    kg_column keyframe_column;

    kugel_world *world;
    kugel_error error; /* of the last KUGEL_PLAY_ERROR; nothing is played after one */
    uint64_t played;   /* steps */
    kg_op_cursor ops;
    kg_keyframe_cache keyframe_cache;
    kg_state_cursor states;
    kg_state played_state; /* the played world's, for comparison */
};

/* Check the recording and build the index; the error says what is wrong with it. */
kugel_status kg_player_scan(kugel_player *player, size_t size, kugel_error *error);
/* player_seek.c: a world at the recording's beginning. The error says what is wrong with it. */
kugel_status kg_player_create_world(kugel_player *player, kugel_world **out, kugel_error *error);
/* player_play.c: note why nothing can be played; returns KUGEL_PLAY_ERROR. */
kugel_play kg_player_fail(kugel_player *player, kugel_status status, const char *what);
/* Make the next op the cursor's, unpacking chunks on the way; KUGEL_PLAY_END when there is none. */
kugel_play kg_player_next_op(kugel_player *player);
/* Apply ops up to the next STEP, or to the first push. */
kugel_play kg_player_apply_inputs(kugel_player *player, bool stop_at_force);
/* Inputs and step of the next tick; nothing is compared. */
kugel_play kg_player_play_tick(kugel_player *player);
/* player_keyframe_cache.c: take a snapshot of the played world if it is wanted and there is room.
 */
void kg_player_cache_keyframe(kugel_player *player);
/* The last one at or before a tick; NULL when there is none. */
const kg_cached_keyframe *kg_player_find_cached_keyframe(const kugel_player *player, uint64_t tick);
void kg_player_clear_keyframe_cache(kugel_player *player);
/* Fill in the recorded state of tick; has_state is false where none was kept. */
kugel_status kg_player_recorded_state(kugel_player *player, uint64_t tick, kugel_recorded *out);

#endif
