/* Memory: every block of a world comes from the world's allocator, and its bytes are counted.
 * In: sizes in bytes. Out: blocks; NULL when out of memory, with nothing changed.
 * A column is a growable array aligned to 64 bytes; growing moves the items. A column table
 * describes the columns of an owner, so that one call reserves all and sets the owner's
 * pointers. */
#ifndef KG_BASE_MEMORY_H
#define KG_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kugel/world.h"

typedef struct kg_memory {
    kugel_allocator hooks; /* all functions are set */
    size_t used;           /* bytes in use */
    size_t limit;          /* maximum of `used`, bytes; 0: none */
    size_t refused; /* bytes of the last request of this call that exceeded the limit; 0: none */
    size_t refused_beside; /* bytes in use then */
    bool is_tight; /* columns grow by a 32nd instead of a quarter: item counts hardly change */
} kg_memory;

/* Hooks without functions are replaced by malloc and free. */
void kg_memory_init(kg_memory *memory, const kugel_allocator *hooks);

/* Set the limit to `bytes` or, if that is 0, to what input of `size` bytes may add by default. */
void kg_memory_limit(kg_memory *memory, uint64_t bytes, size_t size);
/* True if `bytes` more are within the limit; else they become `refused`. */
bool kg_memory_has_room(kg_memory *memory, uint64_t bytes);

void *kg_allocate(kg_memory *memory, size_t size);
/* kg_allocate with all bytes 0. */
void *kg_allocate_zeroed(kg_memory *memory, size_t size);
void kg_free(kg_memory *memory, void *block, size_t size);

/* A growable array of items of one size. A zero-initialised column is empty. */
typedef struct kg_column {
    void *data;      /* aligned to 64 bytes */
    void *block;     /* the allocator's block that contains the data */
    size_t size;     /* bytes of the block */
    size_t capacity; /* items */
} kg_column;

/* The part of kg_column_reserve that grows the column. */
bool kg_column_grow(kg_memory *memory, kg_column *column, size_t item, size_t capacity,
                    size_t keep);
/* Reserve at least `capacity` items of `item` bytes, and keep the first `keep` items. A column that
 * grows does so by at least a quarter, or a 32nd if `is_tight`. False when out of memory, with the
 * column as it was. */
static inline bool kg_column_reserve(kg_memory *memory, kg_column *column, size_t item,
                                     size_t capacity, size_t keep)
{
    return capacity <= column->capacity || kg_column_grow(memory, column, item, capacity, keep);
}
/* As kg_column_reserve, but a column that grows gets exactly `capacity` items. */
bool kg_column_reserve_exact(kg_memory *memory, kg_column *column, size_t item, size_t capacity,
                             size_t keep);
/* Reserve at least `capacity` items without keeping any. A column that grows is freed first, so
 * that the old and the new block are never held at once. False when out of memory, with an empty
 * column. */
bool kg_column_renew(kg_memory *memory, kg_column *column, size_t item, size_t capacity);
/* kg_column_renew for the items of the pointer `array`, which is set to the data, or to NULL when
 * out of memory. */
#define KG_RENEW(memory, column, array, capacity)                                                  \
    (kg_column_renew(memory, column, sizeof *(array), capacity) ? ((array) = (column)->data, true) \
                                                                : ((array) = NULL, false))
/* kg_column_reserve for the items of the pointer `array`, which is set to the data. */
#define KG_RESERVE(memory, column, array, capacity, keep)                                          \
    (kg_column_reserve(memory, column, sizeof *(array), capacity, keep) &&                         \
     ((array) = (column)->data, true))
void kg_column_free(kg_memory *memory, kg_column *column);

/* A row of a column table. */
typedef struct kg_column_row {
    uint32_t item;    /* bytes of an item */
    uint32_t pointer; /* offset of the column's pointer in its owner, bytes */
} kg_column_row;
#define KG_COLUMN_ROW(owner, member)                                                               \
    {                                                                                              \
        sizeof *((owner *)0)->member, offsetof(owner, member)                                      \
    }

/* Reserve n items in each of columns[0 ... count - 1], described by rows[0 ... count - 1], and set
 * the owner's pointers. Contents are lost. False when out of memory. */
bool kg_columns_reserve(kg_memory *memory, kg_column *columns, const kg_column_row *rows, int count,
                        void *owner, size_t n);
void kg_columns_free(kg_memory *memory, kg_column *columns, int count);

#endif
