/* Memory: every block of a world comes from its allocator, and is counted.
 * In: sizes in bytes. Out: blocks, or NULL when out of memory, with nothing changed.
 * A column is a growable array aligned to 64 bytes; growing moves it. A column table names the
 * columns of an owner, so that one call reserves them and sets the owner's pointers. */
#ifndef KG_BASE_MEMORY_H
#define KG_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kugel/world.h"

typedef struct kg_memory {
    kugel_allocator hooks; /* all set */
    size_t used;           /* bytes */
    bool is_tight;         /* columns grow by little, for numbers of items that hardly change */
} kg_memory;

/* Hooks that are NULL become those of malloc. */
void kg_memory_init(kg_memory *memory, const kugel_allocator *hooks);

void *kg_allocate(kg_memory *memory, size_t size);
void kg_free(kg_memory *memory, void *block, size_t size);

/* An array of items of one size; zero-initialised is empty. */
typedef struct kg_column {
    void *data;      /* aligned to 64 bytes */
    void *block;     /* from the allocator */
    size_t size;     /* of the block, bytes */
    size_t capacity; /* items */
} kg_column;

/* kg_column_reserve beyond the present capacity. */
bool kg_column_grow(kg_memory *memory, kg_column *column, size_t item, size_t capacity,
                    size_t keep);
/* Reserve `capacity` items of `item` bytes and keep the first `keep`. Grows by a quarter at least,
 * by a 32nd where memory is tight. False when out of memory, with the column as it was. */
static inline bool kg_column_reserve(kg_memory *memory, kg_column *column, size_t item,
                                     size_t capacity, size_t keep)
{
    return capacity <= column->capacity || kg_column_grow(memory, column, item, capacity, keep);
}
/* The same with room for exactly `capacity` items. */
bool kg_column_reserve_exact(kg_memory *memory, kg_column *column, size_t item, size_t capacity,
                             size_t keep);
/* kg_column_reserve for new contents: the old ones are freed first, so that both are never held at
 * once. False when out of memory: the column is empty then. */
bool kg_column_renew(kg_memory *memory, kg_column *column, size_t item, size_t capacity);
/* kg_column_renew for the items of `array`, which is set, to NULL when out of memory. */
#define KG_RENEW(memory, column, array, capacity)                                                  \
    (kg_column_renew(memory, column, sizeof *(array), capacity) ? ((array) = (column)->data, true) \
                                                                : ((array) = NULL, false))
/* kg_column_reserve for the items of `array`, which is set. */
#define KG_RESERVE(memory, column, array, capacity, keep)                                          \
    (kg_column_reserve(memory, column, sizeof *(array), capacity, keep) &&                         \
     ((array) = (column)->data, true))
void kg_column_free(kg_memory *memory, kg_column *column);

/* A row of a column table: size of an item, bytes, and offset of the pointer in the owner. */
typedef struct kg_column_row {
    uint32_t item, pointer;
} kg_column_row;
#define KG_COLUMN_ROW(owner, member)                                                               \
    {                                                                                              \
        sizeof *((owner *)0)->member, offsetof(owner, member)                                      \
    }

/* Reserve n items in columns [0, count), which the rows describe, and set the owner's pointers. The
 * contents are lost. Returns false when out of memory. */
bool kg_columns_reserve(kg_memory *memory, kg_column *columns, const kg_column_row *rows, int count,
                        void *owner, size_t n);
void kg_columns_free(kg_memory *memory, kg_column *columns, int count);

#endif
