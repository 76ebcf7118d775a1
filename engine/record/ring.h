/* The last part of a recording, in memory. Two segments: the one in the making, and the whole one
 * before it. Each begins with the world as it was (BASE), so the older may be forgotten when the
 * next begins. */
#ifndef KG_RECORD_RING_H
#define KG_RECORD_RING_H

#include "record/chunk.h"

typedef struct kg_ring {
    kg_memory *memory;
    kg_chunk_buffer head;      /* what every recording begins with */
    kg_chunk_buffer base[2];   /* the world at the beginning of a segment; empty: an empty world */
    kg_chunk_buffer chunks[2]; /* what follows */
    kg_chunk_buffer end;
    int segment;             /* in the making */
    bool has_previous;       /* there is another one before it */
    kg_chunk_buffer *target; /* where the next bytes go */
} kg_ring;

/* Bytes go to the head from now on. */
void kg_ring_begin(kg_ring *ring, kg_memory *memory);
/* Bytes go to the base of a new segment from now on; the first call begins the first segment. */
void kg_ring_start_segment(kg_ring *ring);
/* To the end. */
void kg_ring_target_end(kg_ring *ring);
/* To the chunks of the segment. */
void kg_ring_target_chunks(kg_ring *ring);
/* Take bytes where they go now; false when out of memory. */
bool kg_ring_write(void *ring, const void *data, size_t size);
/* Head, both segments and end as one recording; false when `write` is. */
bool kg_ring_dump(const kg_ring *ring, bool (*write)(void *user, const void *data, size_t size),
                  void *user);
void kg_ring_free(kg_ring *ring);

#endif
