/* Keeps the first `capacity` of many results, by a given order, in the caller's array.
 * In: results one by one. Out: the kept results, sorted.
 * How: when a result comes to a full array, the array becomes a heap with the last kept result on
 * top. A result that precedes the top replaces it.
 * Cost: O(log capacity) for each result; nothing is allocated. */
#ifndef KG_QUERY_BEST_RESULTS_H
#define KG_QUERY_BEST_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

/* True if result a precedes result b: a strict total order. */
typedef bool kg_best_results_before(const void *a, const void *b);

typedef struct kg_best_results {
    char *items;
    size_t item_size;     /* bytes, at most KG_BEST_RESULTS_ITEM */
    size_t capacity;      /* items that the array can hold */
    size_t count;         /* items that it holds */
    size_t offered_count; /* all results so far, the dropped ones included */
    kg_best_results_before *before;
    bool is_heap; /* items[0] is the last of the kept results */
} kg_best_results;

/* Maximum size of an item, bytes. */
enum { KG_BEST_RESULTS_ITEM = 256 };

static inline void kg_best_results_open(kg_best_results *results, void *items, size_t item_size,
                                        size_t capacity, kg_best_results_before *before)
{
    *results = (kg_best_results){items, item_size, capacity, 0, 0, before, false};
}

/* Keep the item if it is among the first `capacity` so far. */
void kg_best_results_offer(kg_best_results *results, const void *item);
/* Sort the kept items. The last call: no item may be offered after it. */
void kg_best_results_sort(kg_best_results *results);

#endif
