/* Samples with a thousand balls and more in contact run under --check and do what their
 * descriptions say. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

/* Number of rows of one kind in e.csv. */
static size_t count_events(const char *kind)
{
    char *text = support_read_file("e.csv");
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, kind)); ++at) count += 1;
    free(text);
    return count;
}

/* Number of bodies with ids from `first` on that lie below `z` in written tick n. */
static size_t count_below(const support_table *t, size_t bodies, size_t first, size_t n, double z)
{
    size_t count = 0;
    for (size_t b = first; b < bodies; ++b) count += support_row(t, n * bodies + b)[5] < z;
    return count;
}

Test(samples, a_pile_falls_asleep)
{
    support_program run = support_run_sample("pile", 600);
    size_t sleeps = count_events(",sleep,"), wakes = count_events(",wake,");
    cr_assert_eq(sleeps - wakes, 1024, "%zu fell asleep, %zu woke", sleeps, wakes);
    support_program_free(&run);
}

/* Grains that leave at the bottom return at the top: after the start, the number in the air (one
 * second of fall) matches the flow through the outlet. */
Test(samples, the_hopper_runs_on)
{
    support_program run = support_run_sample("hopper", 60);
    support_table t = support_trajectory();
    size_t grains = 800, samples = t.rows / grains;
    for (size_t n = samples / 2; n < samples; ++n) {
        size_t air = grains - count_below(&t, grains, 0, n, 5);
        cr_assert(air > 50 && air < 150, "%zu of 800 fall in tick %zu", air, 60 * n);
    }
    free(t.values);
    support_program_free(&run);
}

/* Granular flow: the rate does not depend on the height above the neck. The first 700 of a thousand
 * grains pass at an even rate, each half second within a quarter of the mean; nearly all pass. */
Test(samples, the_hourglass_runs_evenly)
{
    support_program run = support_run_sample("hourglass", 30);
    support_table t = support_trajectory();
    enum { SAMPLES = 23 };
    size_t bodies = t.rows / SAMPLES, first = bodies - 1000, passed[SAMPLES], begin = 0, count = 0;
    for (size_t n = 0; n < SAMPLES; ++n) passed[n] = count_below(&t, bodies, first, n, -0.5);
    while (passed[begin] < 50) begin += 1;
    while (passed[begin + count] < 750) count += 1;
    cr_assert(count >= 6, "%zu half seconds", count);
    double mean = (double)(passed[begin + count] - passed[begin]) / (double)count;
    for (size_t n = begin; n < begin + count; ++n) {
        double rate = (double)(passed[n + 1] - passed[n]);
        cr_assert(fabs(rate - mean) < 0.25 * mean, "%g grains in half a second, %g in the mean",
                  rate, mean);
    }
    cr_assert(passed[SAMPLES - 1] >= 990, "%zu of 1000 passed", passed[SAMPLES - 1]);
    free(t.values);
    support_program_free(&run);
}

/* Bodies 0 ... 15 are the gate's balls and the posts. The others have moved eight metres or more in
 * the mean; the fastest reached the flat at z = -9.7. */
Test(samples, the_avalanche_runs_out)
{
    support_program run = support_run_sample("avalanche", 480);
    support_table t = support_trajectory();
    size_t bodies = t.rows / 2;
    double way = 0;
    for (size_t b = 16; b < bodies; ++b)
        way += support_row(&t, bodies + b)[3] - support_row(&t, b)[3];
    way /= (double)(bodies - 16);
    size_t out = count_below(&t, bodies, 16, 1, -9.6);
    cr_assert(way > 8, "%g m in the mean", way);
    cr_assert(out > 150, "%zu of %zu on the flat", out, bodies - 16);
    free(t.values);
    support_program_free(&run);
}

/* The drum turns by 15 rad and carries its balls up to the left; none leaves it. */
Test(samples, drum)
{
    support_program run = support_run_sample("drum", 900);
    support_table t = support_trajectory();
    double left = 0;
    for (size_t i = t.rows / 2; i < t.rows; ++i) {
        const double *row = support_row(&t, i);
        left += row[3] / (double)(t.rows / 2);
        cr_assert(hypot(row[3], row[5]) < 2 - 0.069 && fabs(row[4]) < 0.5 - 0.069, "ball %g",
                  row[2]);
    }
    cr_assert_lt(left, -0.5, "the mean of x is %g m", left);
    free(t.values);
    support_program_free(&run);
}

/* The screw moves 0.64 m/s. At the end grains are in the bin, a cylinder of radius 0.9 m, and none
 * is elsewhere than in funnel, trough or bin. */
Test(samples, screw)
{
    support_program run = support_run_sample("screw", 800);
    support_table t = support_trajectory();
    size_t in_bin = 0;
    for (size_t i = 0; i < t.rows; ++i) {
        const double *row = support_row(&t, i);
        if (row[0] == 0) continue;
        bool bin = hypot(row[3] - 3.4, row[4]) < 0.9 && row[5] < 1.2;
        bool trough = fabs(row[4]) < 0.5 && row[5] > 1 && row[3] > -3.1;
        bool funnel = hypot(row[3] + 2.4, row[4]) < 1 && row[5] > 2;
        in_bin += bin;
        cr_assert(bin || trough || funnel, "grain %g at %g %g %g", row[2], row[3], row[4], row[5]);
    }
    cr_assert_gt(in_bin, 40, "%zu grains are in the bin", in_bin);
    free(t.values);
    support_program_free(&run);
}

/* At tick 320 the moving bucket has all grains; at the end they lie on the floor to the right. */
Test(samples, bucket)
{
    support_program run = support_run_sample("bucket", 320);
    support_table t = support_trajectory();
    size_t grains = t.rows / 2;
    for (size_t i = grains; i < 2 * grains; ++i) {
        const double *row = support_row(&t, i); /* the bucket's middle is at x = 2.1, z = 1.2125 */
        cr_assert(hypot(row[3] - 2.1, row[4]) < 0.6 && fabs(row[5] - 1.2125) < 0.7,
                  "grain %g is at %g %g %g", row[2], row[3], row[4], row[5]);
    }
    free(t.values);
    support_program_free(&run);
    run = support_run_sample("bucket", 600);
    t = support_trajectory();
    for (size_t i = grains; i < 2 * grains; ++i) {
        const double *row = support_row(&t, i);
        cr_assert(row[3] > 1 && row[5] > 0.06 && row[5] < 0.4, "grain %g is at %g %g %g", row[2],
                  row[3], row[4], row[5]);
    }
    free(t.values);
    support_program_free(&run);
}
