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

/* The slip of 1 m/s on a wall or a surface becomes -b of itself: 2/7 (1 + b) of it goes into the
 * velocity. The number is that of the defaults, of the table, of the body, of the surface. */
static const char rough[] =
    "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.1, \"ticks\": 10, \"gravity\": [0, 0, "
    "0],"
    " \"bounds\": {\"min\": [0, 0, 0], \"max\": [90, 90, 9], \"restitution\": 1, \"friction\": 9,"
    "   \"kinds\": [0, 0, 0, 0, 1, 0]},"
    " \"surfaces\": [{\"box\": {\"half\": [2, 2, 1], \"solid\": true}, \"position\": [60, 60, 1],"
    "   \"friction\": 9, \"tangential_restitution\": 0.75}],"
    " \"pairs\": [{\"kinds\": [1, 5], \"restitution\": 1, \"friction\": 9,"
    "   \"tangential_restitution\": -0.5}],"
    " \"defaults\": {\"restitution\": 1, \"friction\": 9, \"tangential_restitution\": 0.5},"
    " \"bodies\": [{\"position\": [20, 20, 1], \"velocity\": [1, 0, -2]},"
    "   {\"position\": [30, 20, 1], \"velocity\": [1, 0, -2], \"kind\": 5},"
    "   {\"position\": [40, 20, 1], \"velocity\": [1, 0, -2], \"tangential_restitution\": -1},"
    "   {\"position\": [60, 60, 3], \"velocity\": [1, 0, -2]}]}";

Test(pairs, of_a_scene_have_a_tangential_restitution)
{
    static const double b[4] = {0.5, -0.5, -1, 0.75};
    support_program run =
        support_kugel_run(rough, (const char *const[]){"-", "--csv", "t.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_table table = support_trajectory();
    for (size_t k = 0; k < 4; ++k) {
        const double *row = support_row(&table, table.rows - 4 + k);
        cr_assert_float_eq(row[6], 1 - 2 / 7. * (1 + b[k]), 1e-9, "ball %zu: %g m/s", k, row[6]);
    }
    free(table.values);
    support_program_free(&run);
}
