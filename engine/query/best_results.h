/* The first few of many results, in the caller's array: when it is full it becomes a heap with the
 * last of them on top; sorted in place at the end. No memory of its own. In: items one by one. Out:
 * the least `capacity` in order. Cost: O(log capacity) an item. */
#ifndef KG_QUERY_BEST_RESULTS_H
#define KG_QUERY_BEST_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef bool kg_best_results_before(const void *a, const void *b);

typedef struct kg_best_results {
    char *items;
    size_t item_size, capacity, count,
        offered_count;              /* bytes of one; room; in the array; offered */
    kg_best_results_before *before; /* a strict total order */
    bool is_heap;
} kg_best_results;

/* Items are at most KG_BEST_RESULTS_ITEM bytes. */
enum { KG_BEST_RESULTS_ITEM = 256 };

void kg_best_results_offer(kg_best_results *results, const void *item);
void kg_best_results_sort(kg_best_results *results);

#endif
