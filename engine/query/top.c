#include "query/top.h"

#include <string.h>

static char *at(const kg_top *top, size_t k) { return top->items + k * top->item; }

/* Let the item sink from place k of the first n, the last on top. */
static void sink(kg_top *top, size_t k, size_t n, const void *item)
{
    for (;;) {
        size_t child = 2 * k + 1;
        if (child >= n) break;
        if (child + 1 < n && top->before(at(top, child), at(top, child + 1))) ++child;
        if (!top->before(item, at(top, child))) break;
        memcpy(at(top, k), at(top, child), top->item);
        k = child;
    }
    memcpy(at(top, k), item, top->item);
}

static void make_heap(kg_top *top)
{
    char item[KG_TOP_ITEM];
    for (size_t k = top->kept / 2; k-- > 0;) {
        memcpy(item, at(top, k), top->item);
        sink(top, k, top->kept, item);
    }
    top->heap = true;
}

void kg_top_offer(kg_top *top, const void *item)
{
    top->all += 1;
    if (top->kept < top->capacity) {
        memcpy(at(top, top->kept++), item, top->item);
        return;
    }
    if (!top->heap) make_heap(top);
    if (top->capacity && top->before(item, top->items)) sink(top, 0, top->kept, item);
}

static void insertion_sort(kg_top *top)
{
    char item[KG_TOP_ITEM];
    for (size_t i = 1; i < top->kept; ++i) {
        if (!top->before(at(top, i), at(top, i - 1))) continue;
        size_t k = i;
        memcpy(item, at(top, i), top->item);
        for (; k > 0 && top->before(item, at(top, k - 1)); --k) memcpy(at(top, k), at(top, k - 1), top->item);
        memcpy(at(top, k), item, top->item);
    }
}

void kg_top_sort(kg_top *top)
{
    enum { FEW = 32 };
    char last[KG_TOP_ITEM];
    if (top->kept <= FEW) {
        insertion_sort(top);
        return;
    }
    if (!top->heap) make_heap(top);
    for (size_t n = top->kept; n > 1; --n) {
        memcpy(last, at(top, n - 1), top->item);
        memcpy(at(top, n - 1), top->items, top->item);
        sink(top, 0, n - 1, last);
    }
}
