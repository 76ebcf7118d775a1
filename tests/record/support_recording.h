/* Recordings in memory, a world that uses every recorded call, and helpers that read a recording's
 * chunks and write them with changed content. */
#ifndef SUPPORT_RECORDING_H
#define SUPPORT_RECORDING_H

#include <kugel/kugel.h>

#include "support/support_memory.h"

#include "record/chunk.h"

/* Receives a recording. */
typedef struct support_file {
    uint8_t *data;
    size_t size, room;
    uint32_t writes;
    uint32_t fail_at; /* the write that fails, from 1; 0: none */
} support_file;

bool support_file_write(void *user, const void *data, size_t size);
void support_file_free(support_file *file);
kugel_recording_def support_recording_def(support_file *file, bool states);

/* A box with a floor and nine bodies of all types, and calls of every kind between the ticks:
 * creation, destruction, a reused id, setters, forces, torques, both impulses, gravity, a second
 * plane. */
enum { SUPPORT_TICKS = 75 };
kugel_world_def support_drive_def(void);
/* Fill the world; then before each step (tick: steps done) make that tick's calls. `push` is the
 * impulse of tick 40, N s. A call that runs out of memory is made once more; failures are failed
 * tests. */
void support_drive_fill(kugel_world *world);
void support_drive_calls(kugel_world *world, uint64_t tick, double push);

/* Record `ticks` ticks of it. hashes[k]: after k + 1 steps; may be NULL. */
support_file support_record(uint64_t ticks, bool states, uint32_t threads, double push,
                            uint64_t *hashes);

/* Open a player with one thread; must succeed. */
kugel_player *support_open_player(const support_file *file);
/* Play to the end; returns the number of equal ticks, -1 on a difference or error. */
long support_play(const void *data, size_t size, uint32_t threads);

/* The n-th chunk of a type, from 0; *at is its offset. false: there is none. */
bool support_find_chunk(const support_file *file, uint32_t type, uint32_t n, size_t *at,
                        kg_chunk_view *view);
/* A copy with another unpacked payload of the chunk at `at` and valid checksums. */
support_file support_replace_chunk(const support_file *file, size_t at, const void *payload,
                                   size_t size);
/* A copy with a chunk of this type put in at `at`. */
support_file support_insert_chunk(const support_file *file, size_t at, uint32_t type,
                                  uint32_t flags, const void *payload, size_t size);
/* A copy without the bytes [from, to). */
support_file support_remove_bytes(const support_file *file, size_t from, size_t to);
/* A chunk's unpacked payload, malloc'ed. */
uint8_t *support_unpack(const kg_chunk_view *view, size_t *size);

#endif
