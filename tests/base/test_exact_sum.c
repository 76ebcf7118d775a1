/* Exact sums have the same bits in any order, and those of a sum in higher precision. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "base/exact_sum.h"
#include "support/support_random.h"

enum { NUMBERS = 1000 };

static double sum_of(const double *x, int count, double size)
{
    kg_exact_sum sum = kg_exact_sum_begin(size);
    for (int k = 0; k < count; ++k) kg_exact_sum_add(&sum, x[k]);
    return kg_exact_sum_value(&sum);
}

static void shuffle(double *x, support_random *random)
{
    for (uint32_t k = NUMBERS; k > 1; --k) {
        uint32_t at = support_below(random, k);
        double last = x[k - 1];
        x[k - 1] = x[at], x[at] = last;
    }
}

/* Tolerance: 2^-79 of the size is lost for each number, the result is rounded once, and the sum
 * that it is compared with once for each number. */
Test(exact_sum, any_order)
{
    support_random random = support_random_start("exact sum, order", 1);
    int plain_sums_differ = 0;
    for (int run = 0; run < 50; ++run) {
        double x[NUMBERS], plain = 0, again = 0;
        long double exact = 0;
        double unit = ldexp(1, (int)support_below(&random, 200) - 150);
        for (int k = 0; k < NUMBERS; ++k) {
            x[k] =
                unit * support_between(&random, 0, 1) * ldexp(1, -(int)support_below(&random, 40));
            plain += x[k];
            exact += (long double)x[k];
        }
        double size = plain * support_between(&random, 0.02, 4), sum = sum_of(x, NUMBERS, size);
        long double allowed =
            (0x1.01p-53L + NUMBERS * LDBL_EPSILON) * exact + NUMBERS * 0x1p-79L * (long double)size;
        cr_assert_leq(fabsl((long double)sum - exact), allowed, "run %d", run);
        shuffle(x, &random);
        for (int k = 0; k < NUMBERS; ++k) again += x[k];
        plain_sums_differ += plain != again;
        cr_assert_eq(sum_of(x, NUMBERS, size), sum, "run %d", run);
    }
    cr_assert_gt(plain_sums_differ, 10, "numbers whose order matters");
}

Test(exact_sum, large_sums_are_large)
{
    const double size = 3, over[] = {1e9, 1e300, 700};
    for (int k = 0; k < 3; ++k) {
        cr_assert_geq(sum_of(&over[k], 1, size), k < 2 ? 256 * 2. : 700);
        const double twice[] = {over[k], over[k]}, split[] = {over[k], 1, over[k]};
        cr_assert_geq(sum_of(twice, 2, size), 256 * 2.);
        cr_assert_geq(sum_of(split, 3, size), 256 * 2.);
    }
    cr_assert_eq(sum_of(&size, 0, size), 0);
    cr_assert_eq(sum_of(&size, 1, size), size);
}
