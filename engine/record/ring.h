/* The last part of a recording, in memory: the open segment, which is being written, and the
 * complete segment before it. A segment begins with a snapshot (BASE), so it can be played without
 * earlier ones. When a new segment starts, the older of the two is dropped. */
#ifndef KG_RECORD_RING_H
#define KG_RECORD_RING_H

#include "record/chunk.h"

typedef struct kg_ring {
    kg_memory *memory;
    kg_chunk_buffer head;      /* file magic and first chunks of the recording */
    kg_chunk_buffer base[2];   /* snapshot at the start of a segment; empty for an empty world */
    kg_chunk_buffer chunks[2]; /* other chunks of a segment */
    kg_chunk_buffer end;       /* closing chunk (DONE) of a dump */
    int segment;               /* index of the open segment */
    bool has_previous;         /* true: the other segment is complete; false: it is empty */
    kg_chunk_buffer *target;   /* receives the next bytes */
} kg_ring;

/* Initialise the ring; the head becomes the target. */
void kg_ring_begin(kg_ring *ring, kg_memory *memory);
/* Start a segment; its base becomes the target. */
void kg_ring_start_segment(kg_ring *ring);
/* Empty the end and make it the target. */
void kg_ring_target_end(kg_ring *ring);
/* Make the chunks of the open segment the target. */
void kg_ring_target_chunks(kg_ring *ring);
/* Append bytes to the target; false when out of memory. */
bool kg_ring_write(void *ring, const void *data, size_t size);
/* Write head, segments and end as one recording; false if `write` returned false. */
bool kg_ring_dump(const kg_ring *ring, bool (*write)(void *user, const void *data, size_t size),
                  void *user);
void kg_ring_free(kg_ring *ring);

#endif
