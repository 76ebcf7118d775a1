/* Arrays of the features that bodies rest on, one for each body, in one pool. An array is sorted by
 * the number of the feature: its order affects sums, and must not depend on when each contact
 * began. An array that is full moves to the end of the pool, with twice its capacity.
 * In: slots, features. Out: arrays. Cost: a binary search in the features of one body; to add or
 * remove, also a move of those behind it. Features added in ascending order cost O(1) each. */
#include "world/resting_features.h"

#include <string.h>

#include "geometry/sweep_linear.h"

bool kg_resting_features_clear(kg_memory *memory, kg_resting_features *all, uint32_t n)
{
    all->count = 0;
    if (n == 0) {
        all->spans = NULL;
        return true;
    }
    if (!KG_RESERVE(memory, &all->columns[0], all->spans, n, 0)) return false;
    memset(all->spans, 0, n * sizeof *all->spans);
    return true;
}

/* Index in the pool of the first feature of a span that is at least k. */
static uint32_t lower_bound(const kg_resting_features *all, const kg_resting_span *span,
                            kg_boundary k)
{
    uint32_t low = span->first, high = span->first + span->count;
    if (low < high && all->items[high - 1].boundary < k) return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (all->items[middle].boundary < k) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Double the capacity of a span that is full. */
static bool grow(kg_memory *memory, kg_resting_features *all, kg_resting_span *span)
{
    uint32_t at = all->count, capacity = span->capacity ? 2 * span->capacity : 1;
    if (span->count < span->capacity) return true;
    if (capacity > UINT32_MAX - at ||
        !KG_RESERVE(memory, &all->columns[1], all->items, (size_t)at + capacity, at))
        return false;
    if (span->count)
        memcpy(&all->items[at], &all->items[span->first], span->count * sizeof *all->items);
    span->first = at;
    span->capacity = capacity;
    all->count += capacity;
    return true;
}

bool kg_resting_features_add(kg_memory *memory, kg_resting_features *all, uint32_t slot,
                             kg_boundary k, bool moves)
{
    kg_resting_span *span = &all->spans[slot];
    if (!grow(memory, all, span)) return false;
    uint32_t at = lower_bound(all, span, k), behind = span->first + span->count - at;
    memmove(&all->items[at + 1], &all->items[at], behind * sizeof *all->items);
    all->items[at] = (kg_resting_feature){.boundary = k, .moves = moves, .gap = KG_NEVER};
    span->count += 1;
    span->moving += moves;
    return true;
}

void kg_resting_features_remove(kg_resting_features *all, uint32_t slot, kg_boundary k)
{
    kg_resting_feature *item = kg_resting_features_find(all, slot, k);
    if (!item) return;
    kg_resting_span *span = &all->spans[slot];
    uint32_t at = (uint32_t)(item - all->items);
    span->count -= 1;
    span->moving -= item->moves;
    memmove(item, item + 1, (span->first + span->count - at) * sizeof *item);
}

kg_resting_feature *kg_resting_features_search(const kg_resting_features *all, uint32_t slot,
                                               kg_boundary k)
{
    const kg_resting_span *span = &all->spans[slot];
    uint32_t at = lower_bound(all, span, k);
    bool found = at < span->first + span->count && all->items[at].boundary == k;
    return found ? &all->items[at] : NULL;
}

void kg_resting_features_free(kg_memory *memory, kg_resting_features *all)
{
    for (int k = 0; k < 2; ++k) kg_column_free(memory, &all->columns[k]);
    *all = (kg_resting_features){0};
}
