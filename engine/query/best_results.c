/* A bounded binary heap in the caller's array (best_results.h). The final sort works in place:
 * heapsort, or insertion sort for few items. */
#include "query/best_results.h"

#include <string.h>

static char *item_at(const kg_best_results *results, size_t k)
{
    return results->items + k * results->item_size;
}

/* Put `item` at index k of the heap's first n items, or below it: items that it precedes move up
 * until the heap order holds. */
static void sift_down(kg_best_results *results, size_t k, size_t n, const void *item)
{
    for (;;) {
        size_t child = 2 * k + 1;
        if (child >= n) break;
        if (child + 1 < n && results->before(item_at(results, child), item_at(results, child + 1)))
            ++child;
        if (!results->before(item, item_at(results, child))) break;
        memcpy(item_at(results, k), item_at(results, child), results->item_size);
        k = child;
    }
    memcpy(item_at(results, k), item, results->item_size);
}

static void make_heap(kg_best_results *results)
{
    char item[KG_BEST_RESULTS_ITEM];
    for (size_t k = results->count / 2; k-- > 0;) {
        memcpy(item, item_at(results, k), results->item_size);
        sift_down(results, k, results->count, item);
    }
    results->is_heap = true;
}

void kg_best_results_offer(kg_best_results *results, const void *item)
{
    results->offered_count += 1;
    if (results->count < results->capacity) {
        memcpy(item_at(results, results->count++), item, results->item_size);
        return;
    }
    if (!results->is_heap) make_heap(results);
    if (results->capacity && results->before(item, results->items))
        sift_down(results, 0, results->count, item);
}

static void insertion_sort(kg_best_results *results)
{
    char item[KG_BEST_RESULTS_ITEM];
    for (size_t i = 1; i < results->count; ++i) {
        if (!results->before(item_at(results, i), item_at(results, i - 1))) continue;
        size_t k = i;
        memcpy(item, item_at(results, i), results->item_size);
        for (; k > 0 && results->before(item, item_at(results, k - 1)); --k)
            memcpy(item_at(results, k), item_at(results, k - 1), results->item_size);
        memcpy(item_at(results, k), item, results->item_size);
    }
}

void kg_best_results_sort(kg_best_results *results)
{
    enum { FEW = 32 };
    char last[KG_BEST_RESULTS_ITEM];
    if (results->count <= FEW) {
        insertion_sort(results);
        return;
    }
    if (!results->is_heap) make_heap(results);
    for (size_t n = results->count; n > 1; --n) {
        memcpy(last, item_at(results, n - 1), results->item_size);
        memcpy(item_at(results, n - 1), results->items, results->item_size);
        sift_down(results, 0, n - 1, last);
    }
}
