/* Keeps the first `capacity` results of many in the caller's array. A full array becomes a heap
 * with the last result on top; a final sort works in place. In: items one by one. Out: the least
 * `capacity` items in order. Cost: O(log capacity) an item, no allocation. */
#ifndef KG_QUERY_BEST_RESULTS_H
#define KG_QUERY_BEST_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef bool kg_best_results_before(const void *a, const void *b);

typedef struct kg_best_results {
    char *items;
    size_t item_size; /* bytes */
    size_t capacity, count, offered_count;
    kg_best_results_before *before; /* a strict total order */
    bool is_heap;
} kg_best_results;

/* Items are at most KG_BEST_RESULTS_ITEM bytes. */
enum { KG_BEST_RESULTS_ITEM = 256 };

static inline void kg_best_results_open(kg_best_results *results, void *items, size_t item_size,
                                        size_t capacity, kg_best_results_before *before)
{
    *results = (kg_best_results){items, item_size, capacity, 0, 0, before, false};
}

void kg_best_results_offer(kg_best_results *results, const void *item);
void kg_best_results_sort(kg_best_results *results);

#endif
