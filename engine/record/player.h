/* A player: a recording in memory, checked and indexed by scan.c, run by play.c, read without running
 * by recorded.c. */
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

/* Ops on their way through a recording's TICK chunks. */
typedef struct kg_op_cursor {
    size_t next; /* offset of the chunk after this one */
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
    kg_frame *frames; /* in the order of ticks */
    size_t frame_count;
    kg_column frame_column;

    kugel_world *world;
    kugel_error error; /* of the last KUGEL_PLAY_ERROR; nothing is played after one */
    uint64_t played;   /* steps */
    kg_op_cursor ops;
    kg_state_cursor states;
    kg_state found; /* the played world's, for comparison */
};

/* Check the recording and build the index; the error says what is wrong with it. */
kugel_status kg_player_scan(kugel_player *player, size_t size, kugel_error *error);
/* Fill in the recorded state of tick; has_state is false where none was kept. */
kugel_status kg_player_state(kugel_player *player, uint64_t tick, kugel_recorded *out);

#endif
