/* Linked lists of the features that bodies rest on. A list is sorted by the number of the feature:
 * its order affects sums, and must not depend on when each contact began.
 * In: slots, features. Out: lists. Cost: linear in the features of one body. */
#include "world/resting_features.h"

#include "geometry/sweep_linear.h"

bool kg_resting_features_clear(kg_memory *memory, kg_resting_features *all, uint32_t n)
{
    all->count = 0;
    all->free = KG_NONE;
    if (n == 0) {
        all->first = NULL;
        return true;
    }
    if (!KG_RESERVE(memory, &all->columns[0], all->first, n, 0)) return false;
    for (uint32_t i = 0; i < n; ++i) all->first[i] = KG_NONE;
    return true;
}

bool kg_resting_features_add(kg_memory *memory, kg_resting_features *all, uint32_t slot,
                             kg_boundary k, bool moves)
{
    uint32_t at = all->free;
    if (at != KG_NONE) {
        all->free = all->items[at].next;
    } else {
        at = all->count;
        if (!KG_RESERVE(memory, &all->columns[1], all->items, (size_t)at + 1, at)) return false;
        all->count += 1;
    }
    uint32_t *link = &all->first[slot];
    while (*link != KG_NONE && all->items[*link].boundary < k) link = &all->items[*link].next;
    all->items[at] =
        (kg_resting_feature){.boundary = k, .next = *link, .moves = moves, .gap = KG_NEVER};
    *link = at;
    return true;
}

void kg_resting_features_remove(kg_resting_features *all, uint32_t slot, kg_boundary k)
{
    uint32_t *link = &all->first[slot];
    while (*link != KG_NONE && all->items[*link].boundary != k) link = &all->items[*link].next;
    uint32_t at = *link;
    if (at == KG_NONE) return;
    *link = all->items[at].next;
    all->items[at].next = all->free;
    all->free = at;
}

kg_resting_feature *kg_resting_features_find(const kg_resting_features *all, uint32_t slot,
                                             kg_boundary k)
{
    uint32_t at = kg_resting_features_first(all, slot);
    while (at != KG_NONE && all->items[at].boundary != k) at = all->items[at].next;
    return at != KG_NONE ? &all->items[at] : NULL;
}

void kg_resting_features_free(kg_memory *memory, kg_resting_features *all)
{
    for (int k = 0; k < 2; ++k) kg_column_free(memory, &all->columns[k]);
    *all = (kg_resting_features){0};
}
