/* The first few of many results, in the caller's array: when it is full it becomes a heap with the last
 * of them on top; sorted in place at the end. No memory of its own. In: items one by one. Out: the least `capacity` in order.
 * Cost: O(log capacity) an item. */
#ifndef KG_QUERY_TOP_H
#define KG_QUERY_TOP_H

#include <stdbool.h>
#include <stddef.h>

typedef bool kg_before(const void *a, const void *b);

typedef struct kg_top {
    char *items;
    size_t item, capacity, kept, all; /* bytes of one; room; in the array; offered */
    kg_before *before;                /* a strict total order */
    bool heap;
} kg_top;

/* Items are at most KG_TOP_ITEM bytes. */
enum { KG_TOP_ITEM = 256 };

void kg_top_offer(kg_top *top, const void *item);
void kg_top_sort(kg_top *top);

#endif
