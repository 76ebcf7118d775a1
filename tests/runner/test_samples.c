/* The samples run under --check, equal their files, and do what their descriptions say. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

Test(samples, each_runs_twenty_ticks_under_check)
{
    support_program list = RUN("--list");
    int count = 0;
    for (char *save, *line = strtok_r(list.out, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char name[64];
        cr_assert_eq(sscanf(line, "%63s", name), 1);
        cr_assert(strlen(line) > 20 && strlen(line) <= 100, "no description, or a long one: %s",
                  line);
        support_program run = RUN(name, "--ticks", "20", "--check");
        cr_assert_eq(run.code, 0, "%s: %s", name, run.err);
        unsigned long long bodies = 0;
        sscanf(support_line_from_end(run.out, 4), "bodies %llu", &bodies);
        cr_assert(bodies > 0, "%s has no bodies", name);
        support_program_free(&run);
        count += 1;
    }
    cr_assert(count >= 19, "only %d samples", count);
    support_program_free(&list);
}

/* The program contains the source files: same scene, same run. */
Test(samples, are_the_files)
{
    static const char *const names[] = {"cradle", "shields", "falling-lattice"};
    for (int k = 0; k < 3; ++k) {
        char path[512];
        snprintf(path, sizeof path, "%s/samples/scenes/%s.json", getenv("KUGEL_SOURCE"), names[k]);
        support_program inside = RUN(names[k], "--ticks", "10"), file = RUN(path, "--ticks", "10");
        cr_assert(inside.code == 0 && file.code == 0, "%s%s", inside.err, file.err);
        cr_assert_str_eq(inside.out, file.out);
        support_program_free(&inside);
        support_program_free(&file);
    }
}

static unsigned long long impacts(const support_program *run)
{
    unsigned long long n = 0;
    cr_assert_eq(sscanf(support_line_from_end(run->out, 2), "impacts %llu", &n), 1);
    return n;
}

Test(samples, counting_pi_counts)
{
    support_program run = support_run_sample("counting-pi", 1);
    cr_assert_eq(impacts(&run), 3141);
    support_program_free(&run);
}

/* After the first impacts the last two balls move at 3 m/s and the others are at rest, exactly. */
Test(samples, cradle_two_in_two_out)
{
    support_program run = support_run_sample("cradle", 1);
    support_table t = support_trajectory();
    bool seen = false;
    for (size_t i = 0; i + 7 <= t.rows && !seen; i += 7) {
        seen = support_row(&t, i + 6)[6] == 3 && support_row(&t, i + 5)[6] == 3;
        for (size_t b = 0; seen && b < 5; ++b) cr_assert_eq(support_row(&t, i + b)[6], 0);
    }
    cr_assert(seen, "no two balls ever go out");
    free(t.values);
    support_program_free(&run);
}

/* A light ball on one 1000 times heavier, dropped from h, leaves at (3M - m) / (M + m) of the
 * impact speed and rises to that squared times its fall. */
Test(samples, stacked_balls_fly)
{
    support_program run = support_run_sample("stacked-balls", 1);
    support_table t = support_trajectory();
    double highest = 0, fall = 5 - 0.5, start = 5.7;
    for (size_t i = 1; i < t.rows; i += 2) highest = fmax(highest, support_row(&t, i)[5]);
    double gain = (3 * 1000.0 - 1) / (1000 + 1);
    double expected = start - fall + gain * gain * fall;
    cr_assert(fabs(highest - expected) < 0.01, "rose to %.4f m, not %.4f m", highest, expected);
    free(t.values);
    support_program_free(&run);
}

/* Every bullet hits: none keeps its speed. */
Test(samples, bullets_all_hit)
{
    support_program run = support_run_sample("bullets", 1);
    support_table t = support_trajectory();
    size_t bodies = 0, bullets = 0;
    while (support_row(&t, bodies)[0] == 0) bodies += 1;
    const double *end = support_row(&t, t.rows - bodies);
    for (size_t b = 0; b < bodies; ++b) {
        const double *first = support_row(&t, b), *last = end + b * t.columns;
        if (fabs(first[6]) < 499) continue;
        bullets += 1;
        cr_assert(fabs(last[6]) < 499, "bullet %zu passed through: %g m/s", b, last[6]);
    }
    cr_assert(bullets >= 20, "%zu bullets", bullets);
    free(t.values);
    support_program_free(&run);
}

/* Stands until it is hit, within a tenth of a radius; at the end it is lower by a third or more. */
Test(samples, cannonballs_stand_and_fall)
{
    support_program run = support_run_sample("cannonballs", 1);
    support_table t = support_trajectory();
    double start = support_row(&t, 119)[5], before = support_row(&t, 120 * 121 + 119)[5],
           highest = 0;
    cr_assert(fabs(before - start) < 0.05, "the top went from %g to %g m", start, before);
    for (size_t b = 0; b < 121; ++b) highest = fmax(highest, support_row(&t, t.rows - 121 + b)[5]);
    cr_assert(highest < 2 / 3. * start, "still %g m high", highest);
    free(t.values);
    support_program_free(&run);
}

/* All pins are down: heads of standing pins are at 0.26 m. */
Test(samples, bowling_is_a_strike)
{
    support_program run = support_run_sample("bowling", 300);
    support_table t = support_trajectory();
    for (size_t pin = 0; pin < 10; ++pin) {
        double standing = support_row(&t, 3 * pin + 3)[5],
               now = support_row(&t, 31 + 3 * pin + 3)[5];
        cr_assert(fabs(standing - 0.26) < 1e-9 && now < 0.2, "pin %zu stands: %g m", pin, now);
    }
    free(t.values);
    support_program_free(&run);
}

Test(samples, shields_are_hit)
{
    support_program run = support_run_sample("shields", 1);
    char *text = support_read_file("e.csv");
    cr_assert(strstr(text, ",ellipsoid:port,") && strstr(text, ",ellipsoid:starboard,"),
              "a shield that is never hit");
    free(text);
    support_program_free(&run);
}

/* T falls as exp(-(1 - e^2) s / 3), s impacts per sphere. 2000 spheres: a few percent. */
Test(samples, cooling_follows_haff)
{
    support_program run = RUN("cooling", "--quiet");
    double before, after;
    cr_assert_eq(sscanf(support_line_from_end(run.out, 1), "energy %lf %lf", &before, &after), 2);
    double s = 2.0 * (double)impacts(&run) / 2000, expected = exp(-(1 - 0.81) * s / 3);
    cr_assert(s > 10, "only %g impacts a sphere", s);
    cr_assert(fabs(after / before / expected - 1) < 0.1, "%g of the heat is left, Haff: %g",
              after / before, expected);
    support_program_free(&run);
}

/* Equipartition: masses are 8 to 1, the heavy spheres are at rest at first. Means over the second
 * half of the run; 300 heavy spheres fluctuate by a few percent. */
Test(samples, binary_gas_shares_its_energy)
{
    support_program run = support_run_sample("binary-gas", 30);
    support_table t = support_trajectory();
    double square[2] = {0};
    for (size_t i = t.rows / 2; i < t.rows; ++i) {
        const double *row = support_row(&t, i), *v = row + 6;
        square[row[2] < 300 ? 0 : 1] += v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    }
    double heavy = 8 * square[0] / 300, light = square[1] / 1200;
    cr_assert(fabs(heavy / light - 1) < 0.1, "%g of the light spheres' energy", heavy / light);
    free(t.values);
    support_program_free(&run);
}

/* At the end nearly all is at rest in a bed, and nothing sank through the floor (--check). */
Test(samples, boulders_settle)
{
    support_program run = support_run_sample("boulders", 300);
    support_table t = support_trajectory();
    size_t resting = 0, all = t.rows / 2;
    for (size_t i = all; i < t.rows; ++i) {
        const double *v = support_row(&t, i) + 6;
        resting += v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < 0.01;
    }
    cr_assert(10 * resting > 9 * all, "%zu of %zu rest", resting, all);
    free(t.values);
    support_program_free(&run);
}

/* The moving plate drags the gas: at the end the mean velocity increases from layer to layer. */
Test(samples, shear_grows_a_profile)
{
    support_program run = RUN("shear", "--csv", "t.csv", "--every", "1200", "--check");
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_table t = support_trajectory();
    double sum[3] = {0}, count[3] = {0};
    for (size_t i = t.rows / 2; i < t.rows; ++i) {
        const double *row = support_row(&t, i);
        if (row[2] < 128) continue; /* skip the plates */
        int layer = row[5] < 3.5 ? 0 : row[5] < 6.5 ? 1 : 2;
        sum[layer] += row[6];
        count[layer] += 1;
    }
    for (int k = 0; k < 3; ++k) cr_assert(count[k] > 20, "layer %d is empty", k);
    double low = sum[0] / count[0], middle = sum[1] / count[1], high = sum[2] / count[2];
    cr_assert(low + 0.5 < middle && middle + 0.5 < high, "%g, %g, %g m/s", low, middle, high);
    free(t.values);
    support_program_free(&run);
}

/* kugel-replay verifies the recording of a sample tick by tick. */
Test(samples, recordings_verify)
{
    static const char *const names[] = {"billiard-break", "shear", "falling-lattice"};
    for (int k = 0; k < 3; ++k) {
        char command[512];
        support_program run = RUN(names[k], "--ticks", "40", "--record", "r.kugel");
        cr_assert_eq(run.code, 0, "%s", run.err);
        snprintf(command, sizeof command,
                 "'%s/tools/replay/kugel-replay' verify '%s/r.kugel' >/dev/null",
                 getenv("KUGEL_BUILD"), support_folder());
        cr_assert_eq(system(command), 0, "%s does not replay", names[k]);
        support_program_free(&run);
    }
}

/* All marbles pass the loop: the basket of radius 0.9 m stands behind it. */
Test(samples, marble_run)
{
    support_program run = support_run_sample("marble-run", 480);
    support_table t = support_trajectory();
    cr_assert_eq(t.rows, 12);
    for (size_t i = 6; i < t.rows; ++i) {
        const double *row = support_row(&t, i);
        cr_assert(hypot(row[3] - 4.2, row[4] - 0.34) < 0.8 && fabs(row[5] + 0.75) < 0.01,
                  "marble %g at %g %g %g", row[2], row[3], row[4], row[5]);
    }
    free(t.values);
    support_program_free(&run);
}

/* All marbles end in the pit, a cylinder of radius 0.9 m and height 1.3 m, but for its polygon. */
Test(samples, well)
{
    support_program run = support_run_sample("well", 1500);
    support_table t = support_trajectory();
    cr_assert_eq(t.rows, 48);
    for (size_t i = 24; i < t.rows; ++i) {
        const double *row = support_row(&t, i);
        cr_assert(hypot(row[3], row[4]) < 0.9 - 0.119 && row[5] < -1, "marble %g at %g %g %g",
                  row[2], row[3], row[4], row[5]);
    }
    free(t.values);
    support_program_free(&run);
}
