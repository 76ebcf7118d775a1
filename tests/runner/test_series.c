/* --series: sums, counts and pressures of every tick. References: Carnahan and Starling (1969) for
 * the pressure of hard spheres, the ideal gas between walls. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "
enum {
    TICK,
    TIME,
    KINETIC,
    POTENTIAL,
    TOTAL,
    PX,
    PY,
    PZ,
    WALL,
    PRESSURE,
    CONTACTS,
    ASLEEP,
    IMPACTS,
    COLUMNS
};

static support_table series_of(const char *scene)
{
    support_program run = support_kugel_run(
        scene, (const char *const[]){"-", "--quiet", "--series", "s.csv", "--every", "7", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    char *text = support_read_file("s.csv");
    static const char head[] = "tick,time,kinetic,potential,total,px,py,pz,wall_pressure,pressure,"
                               "contacts,asleep,impacts\n";
    cr_assert(text && strncmp(text, head, strlen(head)) == 0, "%s", text);
    support_table t = support_parse_csv(text);
    free(text);
    cr_assert_eq(t.columns, COLUMNS);
    for (size_t i = 0; i < t.rows * t.columns; ++i) cr_assert(isfinite(t.values[i]));
    for (size_t i = 0; i < t.rows; ++i) cr_assert_eq(support_row(&t, i)[TICK], i, "--every");
    return t;
}

static double mean_of(const support_table *t, int column, size_t from)
{
    double sum = 0;
    for (size_t i = from; i < t->rows; ++i) sum += support_row(t, i)[column];
    return sum / (double)(t->rows - from);
}

static support_table gas_series(const char *face, double fraction, double dt, int ticks)
{
    char scene[1024];
    snprintf(scene, sizeof scene,
             HEAD "\"dt\": %g, \"ticks\": %d, \"slop\": 0, \"bounce_threshold\": 0, "
                  "\"bounds\": {\"min\": [0, 0, 0], \"max\": [10, 10, 10], \"restitution\": 1, "
                  "\"friction\": 0, \"faces\": [\"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\"]}, "
                  "\"defaults\": {\"restitution\": 1, \"friction\": 0}, \"generators\": "
                  "[{\"gas\": {\"count\": 1000, \"packing_fraction\": %g, \"speed_sigma\": 1}}]}",
             dt, ticks, face, face, face, face, face, face, fraction);
    return series_of(scene);
}

/* p V = 2/3 K Z in a box of 1000 m^3. 60,000 impacts: the statistical error is about 0.5 %, the
 * equation's own 0.1 %. Tolerance: 2 %. */
Test(series, pressure_of_a_dense_gas)
{
    double f = 0.2, z = (1 + f + f * f - f * f * f) / ((1 - f) * (1 - f) * (1 - f));
    support_table t = gas_series("periodic", f, 0.01, 2000);
    double ideal = 2.0 / 3 * mean_of(&t, KINETIC, 0) / 1000, found = mean_of(&t, PRESSURE, 200);
    cr_assert_float_eq(found / ideal, z, 0.02 * z, "Z = %g, should be %g", found / ideal, z);
    cr_assert_eq(mean_of(&t, WALL, 0), 0, "there is no wall");
    const double *first = support_row(&t, 0), *last = support_row(&t, t.rows - 1);
    cr_assert_float_eq(first[PRESSURE], ideal, 1e-8 * ideal, "row 0 has no impacts");
    cr_assert_float_eq(first[TOTAL], last[TOTAL], 1e-10 * first[TOTAL], "elastic");
    for (int k = PX; k <= PZ; ++k) cr_assert_float_eq(last[k], 0, 1e-9);
    free(t.values);
}

/* Centres are in a box that is a diameter shorter: 2/3 K / ((L - d) L^2) on the area of the walls,
 * d = 0.0985 m. 40,000 impacts on walls: statistical error 0.5 %; the gas' own Z is 1.002.
 * Tolerance: 2 %. */
Test(series, pressure_of_a_dilute_gas_on_walls)
{
    double f = 0.0005, d = 2 * cbrt(f / (4 * M_PI / 3));
    support_table t = gas_series("wall", f, 0.05, 4000);
    double ideal = 2.0 / 3 * mean_of(&t, KINETIC, 0) / 1000;
    double walls = mean_of(&t, WALL, 1) / ideal, virial = mean_of(&t, PRESSURE, 1) / ideal;
    cr_assert_float_eq(walls, 10 / (10 - d), 0.02, "walls: %g", walls);
    cr_assert_float_eq(virial, 1.002, 0.02, "virial: %g", virial);
    free(t.values);
}

/* A ball of 2 kg falls by 1 m onto the lower of two walls and comes to rest there. The other faces
 * are open: neither area nor volume is defined. */
Test(series, energies_and_counts_of_a_falling_ball)
{
    support_table t = series_of(
        HEAD "\"dt\": 0.0625, \"ticks\": 64, \"gravity\": [0, 0, -8], \"bounds\": {\"min\": [0, 0, "
             "0], \"max\": [9, 9, 9], \"faces\": [\"open\", \"open\", \"open\", \"open\", "
             "\"wall\", \"wall\"]}, \"bodies\": [{\"position\": [0, 0, 1.5], \"mass\": 2, "
             "\"velocity\": [3, 0, 0], \"friction\": 0}]}");
    double impacts = 0;
    for (size_t i = 0; i < t.rows; ++i) {
        const double *row = support_row(&t, i), s = 0.0625 * (double)i;
        cr_assert(row[WALL] == 0 && row[PRESSURE] == 0 && row[TIME] == s);
        cr_assert_eq(row[TOTAL], row[KINETIC] + row[POTENTIAL]);
        cr_assert_float_eq(row[PX], 6, 1e-12);
        impacts += row[IMPACTS];
        if (s >= 0.5) continue; /* it has fallen 1 m */
        cr_assert_float_eq(row[KINETIC], 9 + 64 * s * s, 1e-10);
        cr_assert_float_eq(row[POTENTIAL], 24 - 64 * s * s, 1e-10);
        cr_assert(row[PZ] <= 0 && row[CONTACTS] == 0 && row[ASLEEP] == 0 && row[IMPACTS] == 0);
    }
    const double *last = support_row(&t, t.rows - 1);
    cr_assert(impacts == 1 && last[CONTACTS] == 1 && last[ASLEEP] == 0, "%g impacts", impacts);
    free(t.values);
}

Test(series, counts_sleepers)
{
    support_table t =
        series_of(HEAD "\"ticks\": 120, \"gravity\": [0, 0, -10], \"planes\": [{\"normal\": [0, 0, "
                       "1]}], \"bodies\": [{\"position\": [0, 0, 0.5]}, "
                       "{\"position\": [2, 0, 0.5]}]}");
    cr_assert_eq(support_row(&t, 0)[ASLEEP], 0);
    cr_assert_eq(support_row(&t, t.rows - 1)[ASLEEP], 2);
    free(t.values);
}

/* As the other files: on standard output before the summary, and never left in part. */
Test(series, is_a_file_like_the_others)
{
    support_program run = RUN("gas", "--ticks", "3", "--quiet", "--series", "-");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_eq(support_count_lines(run.out), 1 + 4 + 5, "%s", run.out);
    support_program_free(&run);
    run = RUN("gas", "--ticks", "3", "--series", "s.csv", "--record", "no/such/folder/r");
    cr_assert(support_complains(&run, 4, "--record: no/such/folder/r: No such file"));
    cr_assert_eq(support_count_files("s.csv"), 0);
    support_program_free(&run);
    run = RUN("gas", "--ticks", "3", "--series", "no/such/s.csv");
    cr_assert(support_complains(&run, 4, "--series: no/such/s.csv: No such file"));
    support_program_free(&run);
    run = RUN("gas", "--ticks", "3", "--series", "s.csv", "--csv", "s.csv");
    cr_assert(support_complains(&run, 2, "--csv: s.csv is --series as well"));
    support_program_free(&run);
}
