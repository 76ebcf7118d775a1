/* See ring.h. Buffers are used again: in a steady run nothing is allocated. */
#include "record/ring.h"

#include <string.h>

void kg_ring_begin(kg_ring *ring, kg_memory *memory)
{
    ring->memory = memory;
    ring->to = &ring->head;
}

void kg_ring_turn(kg_ring *ring)
{
    if (ring->to != &ring->head) {
        ring->part ^= 1;
        ring->turned = true;
    }
    ring->base[ring->part].size = ring->chunks[ring->part].size = 0;
    ring->to = &ring->base[ring->part];
}

void kg_ring_end(kg_ring *ring)
{
    ring->end.size = 0;
    ring->to = &ring->end;
}

void kg_ring_go_on(kg_ring *ring) { ring->to = &ring->chunks[ring->part]; }

bool kg_ring_write(void *user, const void *data, size_t size)
{
    kg_ring *ring = user;
    uint8_t *at = kg_buffer_extend(ring->memory, ring->to, size);
    if (at) memcpy(at, data, size);
    return at;
}

bool kg_ring_dump(const kg_ring *ring, bool (*write)(void *user, const void *data, size_t size), void *user)
{
    int first = ring->turned ? !ring->part : ring->part;
    const kg_buffer *parts[5] = {&ring->head, &ring->base[first], &ring->chunks[first],
                                 ring->turned ? &ring->chunks[ring->part] : NULL, &ring->end};
    for (int k = 0; k < 5; ++k) {
        if (parts[k] && parts[k]->size && !write(user, parts[k]->data, parts[k]->size)) return false;
    }
    return true;
}

void kg_ring_free(kg_ring *ring)
{
    if (!ring->memory) return;
    kg_buffer_free(ring->memory, &ring->head);
    kg_buffer_free(ring->memory, &ring->end);
    for (int k = 0; k < 2; ++k) {
        kg_buffer_free(ring->memory, &ring->base[k]);
        kg_buffer_free(ring->memory, &ring->chunks[k]);
    }
}
