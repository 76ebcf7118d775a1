/* The ring of two segments (ring.h). In: bytes of chunks, starts of segments. Out: a recording of
 * the complete segment, then the open one without its base. Before there is a complete segment: the
 * open one with its base. Buffers are reused: steady recording allocates nothing. */
#include "record/ring.h"

#include <string.h>

void kg_ring_begin(kg_ring *ring, kg_memory *memory)
{
    ring->memory = memory;
    ring->target = &ring->head;
}

void kg_ring_start_segment(kg_ring *ring)
{
    if (ring->target != &ring->head) {
        ring->segment ^= 1;
        ring->has_previous = true;
    }
    ring->base[ring->segment].size = ring->chunks[ring->segment].size = 0;
    ring->target = &ring->base[ring->segment];
}

void kg_ring_target_end(kg_ring *ring)
{
    ring->end.size = 0;
    ring->target = &ring->end;
}

void kg_ring_target_chunks(kg_ring *ring) { ring->target = &ring->chunks[ring->segment]; }

bool kg_ring_write(void *user, const void *data, size_t size)
{
    kg_ring *ring = user;
    uint8_t *at = kg_chunk_buffer_extend(ring->memory, ring->target, size);
    if (at) memcpy(at, data, size);
    return at;
}

bool kg_ring_dump(const kg_ring *ring, bool (*write)(void *user, const void *data, size_t size),
                  void *user)
{
    int first = ring->has_previous ? !ring->segment : ring->segment;
    const kg_chunk_buffer *parts[5] = {&ring->head, &ring->base[first], &ring->chunks[first],
                                       ring->has_previous ? &ring->chunks[ring->segment] : NULL,
                                       &ring->end};
    for (int k = 0; k < 5; ++k) {
        if (parts[k] && parts[k]->size && !write(user, parts[k]->data, parts[k]->size))
            return false;
    }
    return true;
}

void kg_ring_free(kg_ring *ring)
{
    if (!ring->memory) return;
    kg_chunk_buffer_free(ring->memory, &ring->head);
    kg_chunk_buffer_free(ring->memory, &ring->end);
    for (int k = 0; k < 2; ++k) {
        kg_chunk_buffer_free(ring->memory, &ring->base[k]);
        kg_chunk_buffer_free(ring->memory, &ring->chunks[k]);
    }
}
