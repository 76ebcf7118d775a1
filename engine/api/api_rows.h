/* Rows of a result in the caller's array, whose row may have another size than the library's
 * (kugel/version.h). A query then writes to an array of the library. */
#ifndef KG_API_API_ROWS_H
#define KG_API_API_ROWS_H

#include "base/sized.h"
#include "world/world.h"

typedef struct kg_rows {
    void *out;       /* the caller's array */
    size_t capacity; /* its rows */
    size_t size;     /* of a row of the caller, bytes */
    size_t own;      /* of a row of the library, bytes */
    void *items;     /* set by kg_rows_open: `capacity` rows of the library */
} kg_rows;

/* Set rows->items. False when out of memory. */
bool kg_rows_open(kg_rows *rows, const kugel_world *world);
/* The items have `count` results, of which at most `capacity` are written: bring them to the
 * caller. */
void kg_rows_close(kg_rows *rows, const kugel_world *world, size_t count);

/* Row k of the caller's array. */
static inline void kg_rows_set(const kg_rows *rows, size_t k, const void *item)
{
    kg_copy_sized((char *)rows->out + k * rows->size, rows->size, item, rows->own);
}

#endif
