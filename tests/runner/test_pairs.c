/* "pairs" of a scene, and the kinds of bodies, generators, emitters, walls, planes and surfaces:
 * balls rebound with the restitution of their pair. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "runner/support_program.h"

/* Without gravity four balls of 1 m/s along x meet a wall, a plane, a solid shape and a heavy ball,
 * each with a restitution of its own; an emitter makes one more. */
static const char scene[] =
    "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.1, \"ticks\": 40,"
    " \"bounds\": {\"min\": [0, 0, 0], \"max\": [20, 90, 9], \"restitution\": 0.9,"
    "   \"faces\": [\"wall\", \"open\", \"open\", \"open\", \"open\", \"open\"],"
    "   \"kinds\": [1, 0, 0, 0, 0, 0]},"
    " \"planes\": [{\"normal\": [-1, 0, 0], \"offset\": -20, \"kind\": 2}],"
    " \"surfaces\": [{\"capsule\": {\"from\": [10, 20, -1], \"to\": [10, 20, 1], \"radius\": 2,"
    "   \"solid\": true}, \"kind\": 3}],"
    " \"pairs\": [{\"kinds\": [5, 1], \"restitution\": 0.25}, {\"kinds\": [2, 6], "
    "   \"restitution\": 0.5}, {\"kinds\": [5, 3], \"restitution\": 0.75, \"friction\": 0},"
    "   {\"kinds\": [7, 7], \"restitution\": 0.125, \"rolling_resistance\": 0.1},"
    "   {\"kinds\": [8, 2], \"restitution\": 0.375}],"
    " \"defaults\": {\"kind\": 5, \"restitution\": 0.3},"
    " \"bodies\": [{\"position\": [2, 10, 0], \"velocity\": [-1, 0, 0]},"
    "   {\"position\": [18, 10, 0], \"velocity\": [1, 0, 0], \"kind\": 6},"
    "   {\"position\": [6, 20, 0], \"velocity\": [1, 0, 0]},"
    "   {\"position\": [8, 30, 0], \"velocity\": [1, 0, 0], \"kind\": 7}],"
    " \"generators\": [{\"lattice\": {\"origin\": [10, 30, 0], \"spacing\": [1, 1, 1],"
    "   \"count\": [1, 1, 1], \"kind\": 7, \"mass\": 1e15}}],"
    " \"emitters\": [{\"position\": [18, 40, 0], \"velocity\": [1, 0, 0], \"ticks\": 1,"
    "   \"kind\": 8}]}";

Test(pairs, of_a_scene_hold_for_all_kinds_of_things)
{
    static const double speeds[6] = {0.25, -0.5, -0.75, -0.125, 0, -0.375};
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--csv", "t.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_table table = support_trajectory();
    cr_assert_gt(table.rows, 6);
    for (size_t k = 0; k < 6; ++k) {
        const double *row = support_row(&table, table.rows - 6 + k);
        cr_assert_eq(row[2], (double)k);
        cr_assert_float_eq(row[6], speeds[k], 1e-9, "ball %zu: %g m/s, not %g", k, row[6],
                           speeds[k]);
    }
    free(table.values);
    support_program_free(&run);
}
