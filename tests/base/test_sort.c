/* Sorting: stable, total, the same as the obvious way. */
#include <criterion/criterion.h>

#include "base/sort.h"
#include "support/support_random.h"

/* What insertion sort makes of one more key, number n; equal keys stay in their order. */
static void insert(uint64_t *expected, uint32_t *order, uint32_t n, uint64_t key)
{
    uint32_t at = n;
    for (; at > 0 && expected[at - 1] > key; --at)
        expected[at] = expected[at - 1], order[at] = order[at - 1];
    expected[at] = key, order[at] = n;
}

Test(sort, equals_insertion_sort_and_is_stable)
{
    support_random random = support_random_start("sort", 1);
    enum { MOST = 300 };
    uint64_t keys[MOST], scratch[MOST], expected[MOST];
    uint32_t values[MOST], value_scratch[MOST], order[MOST];
    for (int round = 0; round < 200; ++round) {
        uint32_t n = support_below(&random, MOST), kinds = 1 + support_below(&random, 50);
        for (uint32_t i = 0; i < n; ++i) {
            keys[i] = (uint64_t)support_below(&random, kinds) << (8 * (round % 7));
            values[i] = i;
            insert(expected, order, i, keys[i]);
        }
        kg_sort_u64(keys, values, scratch, value_scratch, n);
        for (uint32_t i = 0; i < n; ++i) {
            cr_assert(keys[i] == expected[i] && values[i] == order[i], "round %d, place %u", round,
                      i);
        }
    }
}

/* Ascending runs one after the other, as threads give them. */
Test(sort, runs_equal_insertion_sort_and_are_stable)
{
    support_random random = support_random_start("sort/runs", 2);
    enum { MOST = 20 * 40 };
    uint64_t keys[MOST], scratch[MOST], expected[MOST];
    uint32_t values[MOST], value_scratch[MOST], order[MOST];
    for (int round = 0; round < 400; ++round) {
        uint32_t runs = 1 + support_below(&random, 20), steps = 1 + support_below(&random, 6),
                 n = 0;
        for (uint32_t r = 0; r < runs; ++r) {
            uint64_t key = support_below(&random, 60);
            for (uint32_t left = support_below(&random, 40); left > 0; --left, ++n) {
                keys[n] = key += (uint64_t)support_below(&random, steps) << (round % 3 ? 0 : 40);
                values[n] = n;
                insert(expected, order, n, keys[n]);
            }
        }
        kg_sort_u64(keys, values, scratch, value_scratch, n);
        for (uint32_t i = 0; i < n; ++i) {
            cr_assert(keys[i] == expected[i] && values[i] == order[i],
                      "round %d, %u runs, place %u", round, runs, i);
        }
    }
}

Test(sort, keys_of_doubles_keep_their_order)
{
    static const double ascending[] = {
        -1e300, -2, -1, -1e-300, 0, 1e-300, 0.5, 1, 1.0000000000000002, 1e300};
    for (int i = 1; i < 10; ++i)
        cr_assert_lt(kg_sort_key(ascending[i - 1]), kg_sort_key(ascending[i]), "%g", ascending[i]);
}

typedef struct item {
    uint32_t high, low, place;
    uint8_t rest[5];
} item;

static uint64_t part_of(const void *p, int part)
{
    const item *i = p;
    return part == 0 ? i->low : i->high;
}

/* By the last part, then the first, then the place before. */
static bool in_order(const item *p, const item *q)
{
    if (p->high != q->high) return p->high < q->high;
    return p->low != q->low ? p->low < q->low : p->place < q->place;
}

Test(sort, items_are_ordered_by_all_parts_and_stable)
{
    support_random random = support_random_start("sort/items", 3);
    enum { MOST = 200 };
    kg_memory memory;
    kg_scratch scratch = {0};
    kg_memory_init(&memory, &(kugel_allocator){0});
    for (int round = 0; round < 200; ++round) {
        item items[MOST];
        uint32_t n = support_below(&random, MOST), kinds = 1 + support_below(&random, 20);
        for (uint32_t i = 0; i < n; ++i)
            items[i] = (item){support_below(&random, kinds), support_below(&random, kinds), i, {0}};
        cr_assert(kg_sort_items(&memory, &scratch, items, sizeof *items, n, 2, part_of));
        for (uint32_t i = 1; i < n; ++i)
            cr_assert(in_order(&items[i - 1], &items[i]), "round %d, place %u", round, i);
    }
    kg_scratch_free(&memory, &scratch);
    cr_assert_eq(memory.used, 0);
}
