/* The only door to memory: every block of a world goes through its own allocator and is counted.
 * In: sizes in bytes. Out: blocks, or NULL when out of memory with nothing changed.
 * Columns (kg_column_*) are blocks aligned to 64 bytes that grow by moving. */
#ifndef KG_BASE_MEMORY_H
#define KG_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kugel/world.h"

typedef struct kg_memory {
    kugel_allocator hooks; /* all set */
    size_t used;           /* bytes held */
} kg_memory;

/* Fill in malloc's hooks where all are NULL. */
void kg_memory_init(kg_memory *memory, const kugel_allocator *hooks);

void *kg_allocate(kg_memory *memory, size_t size);
void *kg_reallocate(kg_memory *memory, void *block, size_t old_size, size_t new_size);
void kg_free(kg_memory *memory, void *block, size_t size);

/* A growable 64-byte-aligned array of items of one size; zero-initialised is empty. */
typedef struct kg_column {
    void *data;      /* aligned to 64 bytes */
    void *block;     /* as the allocator gave it */
    size_t size;     /* of the block, bytes */
    size_t capacity; /* items */
} kg_column;

/* Make room for `capacity` items of `item` bytes, keeping the first `keep`; grows by a quarter at
 * least. false when out of memory, with the column as it was. */
bool kg_column_reserve(kg_memory *memory, kg_column *column, size_t item, size_t capacity,
                       size_t keep);
/* The same without slack. */
bool kg_column_reserve_exact(kg_memory *memory, kg_column *column, size_t item, size_t capacity,
                             size_t keep);
void kg_column_free(kg_memory *memory, kg_column *column);

#endif
