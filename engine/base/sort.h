/* Stable sort of 64-bit keys with 32-bit values by radix, byte by byte, without the bytes that are
 * equal in all keys. Cost: at most eight passes; one if the keys are sorted. */
#ifndef KG_BASE_SORT_H
#define KG_BASE_SORT_H

#include "base/scratch.h"

/* Sort keys[n] and values[n]; both scratch arrays have n items. */
void kg_sort_u64(uint64_t *keys, uint32_t *values, uint64_t *key_scratch, uint32_t *value_scratch,
                 size_t n);

/* The arrays of a sort, in scratch memory. */
typedef struct kg_sort_arrays {
    uint64_t *keys, *key_scratch;
    uint32_t *values, *value_scratch;
} kg_sort_arrays;
/* Take arrays of n items; false when out of memory. */
bool kg_sort_take(kg_memory *memory, kg_scratch *scratch, size_t n, kg_sort_arrays *arrays);

static inline void kg_sort(const kg_sort_arrays *a, size_t n)
{
    kg_sort_u64(a->keys, a->values, a->key_scratch, a->value_scratch, n);
}

/* Part of an item's key. */
typedef uint64_t kg_sort_part(const void *item, int part);
/* Stable sort of n items of `size` bytes by a key of several parts. The last part is the most
 * significant. False when out of memory, with the items as they were. */
bool kg_sort_items(kg_memory *memory, kg_scratch *scratch, void *items, size_t size, size_t n,
                   int parts, kg_sort_part *key);

/* Order-preserving map from finite doubles to integers. -0 comes before +0: pass x + 0.0 where both
 * must be equal. */
uint64_t kg_sort_key(double x);
/* The inverse of kg_sort_key. */
double kg_sort_key_value(uint64_t key);

#endif
