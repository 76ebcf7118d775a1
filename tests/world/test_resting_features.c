/* For engine/world/resting_features.c: against a set of flags. */
#include <criterion/criterion.h>

#include "support/support_random.h"
#include "world/resting_features.h"

enum { BODIES = 3, FEATURES = 200 };

static void check(const kg_resting_features *all, bool on[BODIES][FEATURES])
{
    for (uint32_t slot = 0; slot < BODIES; ++slot) {
        uint32_t expected = 0, next = 0;
        kg_boundary k;
        kg_resting_iterator at = kg_resting_iterator_begin(0, all, slot);
        for (uint32_t f = 0; f < FEATURES; ++f) {
            expected += on[slot][f];
            kg_resting_feature *item =
                kg_resting_features_find(all, slot, KG_BOUNDARY_FEATURES + f);
            cr_assert_eq(item != NULL, on[slot][f]);
            if (item) cr_assert_eq(item->boundary, KG_BOUNDARY_FEATURES + f);
        }
        cr_assert_eq(kg_resting_features_count(all, slot), expected);
        for (; kg_resting_iterator_next(&at, &k); ++next) {
            while (expected && !on[slot][next]) ++next;
            cr_assert_eq(k, KG_BOUNDARY_FEATURES + next, "ascending");
        }
    }
}

Test(resting_features, arrays_hold_what_was_added_and_not_removed)
{
    support_random random = support_random_start("resting_features", 1);
    kg_memory memory;
    kg_resting_features all = {0};
    bool on[BODIES][FEATURES] = {{0}};
    kg_memory_init(&memory, &(kugel_allocator){0});
    cr_assert(kg_resting_features_clear(&memory, &all, BODIES));
    for (int n = 0; n < 20000; ++n) {
        uint32_t slot = support_below(&random, BODIES), f = support_below(&random, FEATURES);
        kg_boundary k = KG_BOUNDARY_FEATURES + f;
        if (!on[slot][f] && support_below(&random, 4) <= slot) {
            cr_assert(kg_resting_features_add(&memory, &all, slot, k, false));
            on[slot][f] = true;
        } else {
            kg_resting_features_remove(&all, slot, k);
            on[slot][f] = false;
        }
        if (n % 97 == 0) check(&all, on);
    }
    check(&all, on);
    /* capacities double: with those left behind, below four times the features of a body */
    cr_assert_lt(all.count, 4 * BODIES * FEATURES);
    kg_resting_features_free(&memory, &all);
}
