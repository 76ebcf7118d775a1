/* Stable sort of 64-bit keys that carry 32-bit values: a few ascending runs, one behind the other,
 * are merged; else least significant byte first, and bytes that are the same in all keys are
 * skipped. In: keys, values and scratch of the same length. Out: both sorted by key, equal keys in
 * their old order. Cost O(8 n) at most. The same on every platform. */
#ifndef KG_BASE_SORT_H
#define KG_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

void kg_sort_u64(uint64_t *keys, uint32_t *values, uint64_t *key_scratch, uint32_t *value_scratch,
                 size_t n);

/* Order-preserving map from finite doubles to unsigned integers (-0 and +0 differ: pass x + 0.0).
 */
uint64_t kg_sort_key(double x);

#endif
