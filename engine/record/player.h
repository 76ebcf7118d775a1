/* A player: a recording in memory, checked and indexed by scan.c, run by play.c, sent to a tick by seek.c,
 * which begins from a snapshot that the recording holds or remember.c took; read without running by
 * recorded.c, written again by rewrite.c. */
#ifndef KG_RECORD_PLAYER_H
#define KG_RECORD_PLAYER_H

#include "record/packing.h"
#include "record/recorder.h"
#include "record/states.h"

/* A STAT chunk and the ticks whose states it holds. */
typedef struct kg_run {
    size_t at; /* offset in the data */
    uint64_t first;
    uint32_t count;
    bool key;
} kg_run;

/* A keyframe: the world after `tick` steps. */
typedef struct kg_frame {
    uint64_t tick;
    size_t at, next; /* offsets of its chunk and of the one behind it */
} kg_frame;

/* A snapshot that was taken while playing, and where the ops went on. */
typedef struct kg_memo {
    uint64_t tick;
    size_t chunk, at; /* offset of the TICK chunk, and of the next op in it */
    void *data;
    size_t size;
} kg_memo;

/* Those snapshots. */
typedef struct kg_memos {
    kg_memo *items; /* in the order of ticks */
    size_t count;
    kg_column column, scratch;
    size_t used, most; /* bytes of snapshots; most 0: none are taken */
    uint64_t every;    /* ticks from one to the next; doubled when the room is used up */
} kg_memos;

/* Ops on their way through a recording's TICK chunks. */
typedef struct kg_op_cursor {
    size_t chunk, next; /* offsets of this chunk and of the one after it */
    kg_buffer scratch;
    const uint8_t *ops;
    size_t size, at;
} kg_op_cursor;

/* Where the decoding of states stands. */
typedef struct kg_state_cursor {
    kg_track track; /* its last state is that of `tick` */
    uint64_t tick;  /* 0: none */
    size_t run;
    kg_buffer scratch;
    const uint8_t *data;
    size_t size, at;
} kg_state_cursor;

struct kugel_player {
    kg_memory memory;
    kg_column workspace;
    const uint8_t *data;
    size_t whole; /* bytes of whole chunks */
    kugel_recording_info info;
    kugel_world_def def;

    uint64_t *hashes; /* [info.ticks], of tick k + 1 */
    kg_column hash_column;
    kg_run *runs;
    size_t run_count;
    kg_column run_column;
    size_t base; /* offset of the BASE chunk; 0: the world begins empty */
    kg_frame *frames; /* in the order of ticks */
    size_t frame_count;
    kg_column frame_column;

    kugel_world *world;
    kugel_error error; /* of the last KUGEL_PLAY_ERROR; nothing is played after one */
    uint64_t played;   /* steps */
    kg_op_cursor ops;
    kg_memos memos;
    kg_state_cursor states;
    kg_state found; /* the played world's, for comparison */
};

/* Check the recording and build the index; the error says what is wrong with it. */
kugel_status kg_player_scan(kugel_player *player, size_t size, kugel_error *error);
/* seek.c: a world at the recording's beginning. The error says what is wrong with it. */
kugel_status kg_player_begin(kugel_player *player, kugel_world **out, kugel_error *error);
/* play.c: note why nothing can be played; returns KUGEL_PLAY_ERROR. */
kugel_play kg_player_fail(kugel_player *player, kugel_status status, const char *what);
/* Make the next op the cursor's, unpacking chunks on the way; KUGEL_PLAY_END when there is none. */
kugel_play kg_player_find_op(kugel_player *player);
/* Apply ops up to the next STEP, or to the first push. */
kugel_play kg_player_feed(kugel_player *player, bool stop_at_push);
/* Inputs and step of the next tick; nothing is compared. */
kugel_play kg_player_run_tick(kugel_player *player);
/* remember.c: take a snapshot of the played world if it is wanted and there is room. */
void kg_player_remember_tick(kugel_player *player);
/* The last one at or before a tick; NULL when there is none. */
const kg_memo *kg_player_find_memo(const kugel_player *player, uint64_t tick);
void kg_player_forget(kugel_player *player);
/* Fill in the recorded state of tick; has_state is false where none was kept. */
kugel_status kg_player_state(kugel_player *player, uint64_t tick, kugel_recorded *out);

#endif
