/* What a scene does during the run: forces, gravity, motions, emitters, drains. Closed forms where
 * there are some; recordings and restarted runs repeat all of it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acts.h"
#include "runner/support_program.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "
enum { TICK, TIME, ID, X, Y, Z, VX, VY, VZ, WX, WY, WZ };

/* The trajectory of a scene. */
static support_table run_scene(const char *scene)
{
    support_program run = support_kugel_run(
        scene, (const char *const[]){"-", "--check", "--csv", "t.csv", "--quiet", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    return support_trajectory();
}

/* The row of a body, which must exist. */
static const double *row_of(const support_table *t, unsigned tick, unsigned body)
{
    for (size_t i = 0; i < t->rows; ++i) {
        const double *row = support_row(t, i);
        if (row[TICK] == tick && row[ID] == body) return row;
    }
    cr_assert_fail("no body %u at tick %u", body, tick);
    return NULL;
}

static unsigned count_of(const support_table *t, unsigned tick)
{
    unsigned count = 0;
    for (size_t i = 0; i < t->rows; ++i) count += support_row(t, i)[TICK] == tick;
    return count;
}

/* Ticks 4 ... 7 push with 6 N on 2 kg: each adds 6 / 2 * 0.125 m/s. A torque of 1 N m on
 * 0.4 m r^2 = 0.2 kg m^2 acts in ticks 4, 6 and 8. The rows have nine digits. */
Test(acts, forces)
{
    support_table t = run_scene(
        HEAD "\"dt\": 0.125, \"ticks\": 12, \"bodies\": [{\"position\": [0, 0, 0], \"mass\": 2}], "
             "\"forces\": [{\"body\": 0, \"tick\": 4, \"ticks\": 4, \"force\": [6, 0, 0]}, "
             "{\"body\": 0, \"tick\": 4, \"ticks\": 5, \"every\": 2, \"torque\": [0, 0, 1]}]}");
    for (unsigned tick = 0; tick <= 12; ++tick) {
        const double *row = row_of(&t, tick, 0);
        double pushes = tick < 4 ? 0 : tick > 8 ? 4 : tick - 4;
        double turns = tick <= 4 ? 0 : tick <= 6 ? 1 : tick <= 8 ? 2 : 3;
        cr_assert_float_eq(row[VX], 0.375 * pushes, 1e-8, "tick %u: %g", tick, row[VX]);
        cr_assert_float_eq(row[WZ], 0.125 / 0.2 * turns, 1e-8, "tick %u: %g", tick, row[WZ]);
    }
    free(t.values);
}

Test(acts, gravity)
{
    support_table t = run_scene(
        HEAD "\"dt\": 0.125, \"ticks\": 8, \"gravity\": [0, 0, -8], \"bodies\": [{\"position\": "
             "[0, 0, 0]}], \"gravity_schedule\": [{\"tick\": 6, \"gravity\": [0, 0, 0]}, "
             "{\"tick\": 2, \"gravity\": [8, 0, 0]}]}");
    cr_assert_float_eq(row_of(&t, 2, 0)[VZ], -2, 1e-12);
    cr_assert_float_eq(row_of(&t, 6, 0)[VX], 4, 1e-12);
    cr_assert_float_eq(row_of(&t, 8, 0)[VX], 4, 1e-12);
    cr_assert_float_eq(row_of(&t, 8, 0)[VZ], -2, 1e-12);
    free(t.values);
}

/* Body 0 is at its place after 8 ticks and stays; body 1 goes from place to place without a stop;
 * body 2 gets velocity and spin. */
Test(acts, motions)
{
    support_table t = run_scene(
        HEAD "\"dt\": 0.125, \"ticks\": 24, \"defaults\": {\"type\": \"kinematic\"}, \"bodies\": "
             "[{\"position\": [0, 0, 0]}, {\"position\": [0, 5, 0]}, {\"position\": [0, 9, 0]}], "
             "\"motions\": [{\"body\": 0, \"tick\": 4, \"ticks\": 8, \"position\": [2, 0, 1]}, "
             "{\"body\": 1, \"ticks\": 8, \"position\": [1, 5, 0]}, "
             "{\"body\": 1, \"tick\": 8, \"position\": [1, 5, 1]}, "
             "{\"body\": 2, \"tick\": 2, \"velocity\": [0, 0, 1], \"spin\": [0, 3, 0]}]}");
    cr_assert_float_eq(row_of(&t, 8, 0)[X], 1, 1e-12);
    for (unsigned tick = 12; tick <= 24; tick += 6) {
        const double *row = row_of(&t, tick, 0);
        cr_assert_float_eq(row[X], 2, 1e-12);
        cr_assert_float_eq(row[Z], 1, 1e-12);
        cr_assert(tick == 12 || row[VX] == 0, "it moves on at %g m/s", row[VX]);
    }
    cr_assert_float_eq(row_of(&t, 8, 1)[X], 1, 1e-12);
    cr_assert_float_eq(row_of(&t, 9, 1)[Z], 1, 1e-12);
    cr_assert_float_eq(row_of(&t, 24, 1)[Z], 1, 1e-12);
    cr_assert(row_of(&t, 2, 2)[VZ] == 0 && row_of(&t, 3, 2)[VZ] == 1);
    cr_assert_float_eq(row_of(&t, 10, 2)[Z], 1, 1e-12);
    cr_assert_eq(row_of(&t, 24, 2)[WY], 3);
    free(t.values);
}

/* A motion that begins during another one of the body replaces it: the end of the first one does
 * not stop the body. Body 2 turns on its way, body 3 has two motions from one tick on. */
Test(acts, motions_that_overlap)
{
    support_table t = run_scene(
        HEAD "\"dt\": 0.125, \"ticks\": 24, \"defaults\": {\"type\": \"kinematic\"}, \"bodies\": "
             "[{\"position\": [0, 0, 0]}, {\"position\": [0, 5, 0]}, {\"position\": [0, 9, 0]}, "
             "{\"position\": [0, 13, 0]}], "
             "\"motions\": [{\"body\": 0, \"tick\": 4, \"position\": [9, 0, 0], \"ticks\": 16}, "
             "{\"body\": 0, \"position\": [1, 0, 0], \"ticks\": 8}, "
             "{\"body\": 1, \"position\": [1, 5, 0], \"ticks\": 8}, "
             "{\"body\": 1, \"tick\": 4, \"velocity\": [2, 0, 0]}, "
             "{\"body\": 2, \"position\": [1, 9, 0], \"ticks\": 8}, "
             "{\"body\": 2, \"tick\": 4, \"spin\": [0, 0, 1]}, "
             "{\"body\": 3, \"position\": [1, 13, 0], \"ticks\": 8}, "
             "{\"body\": 3, \"position\": [2, 13, 0], \"ticks\": 16}]}");
    cr_assert_float_eq(row_of(&t, 4, 0)[X], 0.5, 1e-12);
    cr_assert_float_eq(row_of(&t, 12, 0)[X], 4.75, 1e-12);
    cr_assert_float_eq(row_of(&t, 24, 0)[X], 9, 1e-12);
    cr_assert_float_eq(row_of(&t, 24, 1)[X], 0.5 + 20 * 0.125 * 2, 1e-12);
    cr_assert_float_eq(row_of(&t, 24, 2)[X], 1, 1e-12);
    cr_assert_eq(row_of(&t, 24, 2)[WZ], 1);
    cr_assert_float_eq(row_of(&t, 24, 3)[X], 2, 1e-12);
    free(t.values);
}

/* Two bodies every third tick from tick 1 to 10: at 1, 4, 7, 10. They appear in the rows of the
 * next tick, near their box. */
Test(acts, emitters)
{
    static const char scene[] =
        HEAD "\"dt\": 0.01, \"ticks\": 20, \"bodies\": [], \"emitters\": [{\"tick\": 1, "
             "\"ticks\": 10, \"every\": 3, \"count\": 2, \"min\": [0, 0, 0], \"max\": [4, 4, 4], "
             "\"velocity\": [0, 0, -1], \"spread\": 0.5, \"radius\": {\"uniform\": [0.1, 0.2]}, "
             "\"density\": 10, \"seed\": %d}]}";
    char text[1024];
    double first[2] = {0};
    for (int seed = 0; seed < 2; ++seed) {
        snprintf(text, sizeof text, scene, seed);
        support_table t = run_scene(text);
        static const unsigned counts[] = {0, 0, 2, 2, 2, 4, 4, 4, 6, 6, 6, 8};
        for (unsigned tick = 0; tick <= 20; ++tick)
            cr_assert_eq(count_of(&t, tick), tick < 12 ? counts[tick] : 8, "tick %u", tick);
        for (unsigned body = 0; body < 8; ++body) {
            const double *row = row_of(&t, 2 + body / 2 * 3, body);
            for (int k = X; k <= Z; ++k) cr_assert(row[k] > -0.02 && row[k] < 4.02);
            cr_assert(fabs(row[VX]) <= 0.5 && fabs(row[VY]) <= 0.5 && fabs(row[VZ] + 1) <= 0.5);
        }
        first[seed] = row_of(&t, 2, 0)[X];
        free(t.values);
    }
    cr_assert_neq(first[0], first[1], "the seed has no effect");
}

/* Sizes and speeds that the world refuses are found before the run, not at tick 50. */
Test(acts, emitters_of_values_out_of_range)
{
    static const struct {
        char grains[96], said[80];
    } rows[] = {{"\"radius\": 0.6",
                 "emitters[0].radius: 0.6 is not below a quarter of the periodic length"},
                {"\"radius\": {\"uniform\": [0.1, 0.51]}", "emitters[0].radius: 0.51 is not below"},
                {"\"radius\": {\"choices\": [[0.1, 1e9], [0.7, 1], [0.2, 1]]}", "0.7 is not below"},
                {"\"radius\": 0.1, \"density\": 1e-29", "emitters[0].mass: must be in [1e-30,"},
                {"\"radius\": 0.1, \"velocity\": [0, -1e15, 0], \"spread\": 1",
                 "emitters[0].velocity: component 1 must be finite and within +-1e+15"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD "\"ticks\": 60, \"bounds\": {\"min\": [0, 0, 0], \"max\": [2, 2, 2], "
                      "\"faces\": [\"periodic\", \"periodic\", \"wall\", \"wall\", \"open\", "
                      "\"wall\"]}, \"emitters\": [{\"min\": [1, 1, -1], \"max\": [9, 2, 0], "
                      "\"tick\": 50, %s}]}",
                 rows[k].grains);
        support_program run =
            support_kugel_run(text, (const char *const[]){"-", "--series", "s.csv", NULL});
        cr_assert(support_complains(&run, 2, rows[k].said), "%s", rows[k].grains);
        cr_assert_null(strstr(run.err, "tick"), "%s", run.err);
        support_program_free(&run);
    }
}

/* A box that reaches beyond periodic faces makes bodies inside them. */
Test(acts, emitters_beyond_periodic_faces)
{
    support_program run = support_kugel_run(
        HEAD "\"ticks\": 30, \"bounds\": {\"min\": [0, 0, 0], \"max\": [9, 9, 9], \"faces\": "
             "[\"periodic\", \"periodic\", \"periodic\", \"periodic\", \"wall\", \"wall\"]}, "
             "\"emitters\": [{\"min\": [-50, 1, 1], \"max\": [1, 99, 8]}]}",
        (const char *const[]){"-", "--check", "--quiet", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
}

/* A box with room for few spheres: --check finds no overlap, and a note counts the others. */
Test(acts, emitters_find_free_places)
{
    support_program run = support_kugel_run(
        HEAD "\"ticks\": 30, \"bounds\": {\"min\": [0, 0, 0], \"max\": [3, 3, 3]}, "
             "\"planes\": [{\"normal\": [0.6, 0, 0.8], \"offset\": 1}], \"emitters\": "
             "[{\"count\": 3, \"min\": [0, 0, 0], \"max\": [3, 3, 3]}]}",
        (const char *const[]){"-", "--check", "--quiet", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert(strstr(run.err, "kugel-run: -: note: emitters[0]: "), "%s", run.err);
    unsigned bodies, left;
    cr_assert_eq(sscanf(run.out, "bodies %u", &bodies), 1);
    cr_assert_eq(sscanf(strstr(run.err, "emitters[0]: ") + 13, "%u", &left), 1);
    cr_assert(bodies > 3 && bodies + left == 90, "%u and %u", bodies, left);
    support_program_free(&run);
}

/* The search ends after 1000 bodies in a row without a place; the note counts all that were left
 * out, also those of the next tick. */
Test(acts, emitters_give_up_in_a_full_box)
{
    support_program run = support_kugel_run(
        HEAD "\"ticks\": 2, \"bounds\": {\"min\": [0, 0, 0], \"max\": [3, 3, 3]}, \"emitters\": "
             "[{\"count\": 10000000, \"min\": [0, 0, 0], \"max\": [3, 3, 3]}]}",
        (const char *const[]){"-", "--quiet", "--timing", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    unsigned bodies, left;
    cr_assert_eq(sscanf(run.out, "bodies %u", &bodies), 1);
    cr_assert_eq(sscanf(strstr(run.err, "emitters[0]: ") + 13, "%u", &left), 1);
    cr_assert(bodies > 3 && bodies + left == 20000000, "%u and %u", bodies, left);
    support_program_free(&run);
}

/* Nor where a surface is: a solid one, or the triangles of a mesh. The plane of the mesh leaves the
 * box free beside it. */
Test(acts, emitters_keep_off_surfaces)
{
    support_program run = support_kugel_run(
        HEAD
        "\"ticks\": 1, \"surfaces\": [{\"ellipsoid\": {\"semi_axes\": [1, 1, 1]}}, "
        "{\"box\": {\"half\": [1, 1, 0.05]}, \"position\": [5, 0, 0]}], "
        "\"defaults\": {\"radius\": 0.1}, \"emitters\": "
        "[{\"ticks\": 1, \"count\": 3, \"min\": [-0.5, -0.5, -0.5], \"max\": [0.5, 0.5, 0.5]}, "
        "{\"ticks\": 1, \"count\": 2, \"min\": [4.5, 0, -0.1], \"max\": [5.5, 0, 0.1]}, "
        "{\"ticks\": 1, \"count\": 1, \"min\": [5, 0, 0.2], \"max\": [5, 0, 0.3]}]}",
        (const char *const[]){"-", "--quiet", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_eq(support_line_from_end(run.out, 4), "bodies 1");
    cr_assert(strstr(run.err, "emitters[0]: 3 bodies found no free place"), "%s", run.err);
    cr_assert(strstr(run.err, "emitters[1]: 2 bodies found no free place"), "%s", run.err);
    support_program_free(&run);
}

/* Bodies fall into a box and behind a plane; static ones stay. */
Test(acts, drains)
{
    support_table t = run_scene(
        HEAD "\"dt\": 0.125, \"ticks\": 16, \"bodies\": [{\"position\": [0, 0, 2], \"velocity\": "
             "[0, 0, -1]}, {\"position\": [0, 0, -0.5], \"type\": \"static\", \"mask\": 0}, "
             "{\"position\": [9, 0, 0], \"velocity\": [-1, 0, 0]}, {\"position\": [3, 3, 3]}], "
             "\"drains\": [{\"min\": [-1, -1, -1], \"max\": [1, 1, 1]}, "
             "{\"tick\": 10, \"plane\": {\"normal\": [1, 0, 0], \"offset\": 8.5}, \"ticks\": 1}]}");
    cr_assert_eq(count_of(&t, 8), 4); /* body 0 is at z = 1 */
    cr_assert_eq(count_of(&t, 9), 3);
    cr_assert_eq(count_of(&t, 10), 3);
    cr_assert_eq(count_of(&t, 11), 1); /* the plane takes 2 and 3 */
    row_of(&t, 16, 1);
    free(t.values);
}

static const char machine[] = HEAD
    "\"ticks\": 150, \"gravity\": [0, 0, -10], \"bounds\": {\"min\": [-2, -2, 0], \"max\": [2, "
    "2, 8]}, \"defaults\": {\"radius\": 0.1, \"restitution\": 0.4}, \"bodies\": "
    "[{\"position\": [0, 0, 1], \"type\": \"kinematic\", \"radius\": 0.5}], "
    "\"emitters\": [{\"every\": 5, \"count\": 3, \"min\": [-0.5, -0.5, 5], \"max\": [0.5, 0.5, "
    "6], \"velocity\": [0, 0, -2], \"spread\": 0.3, \"radius\": {\"uniform\": [0.08, 0.15]}}], "
    "\"drains\": [{\"tick\": 60, \"every\": 3, \"min\": [-2, -2, 0], \"max\": [0, 0, 0.5]}], "
    "\"motions\": [{\"tick\": 30, \"body\": 0, \"position\": [1, 0, 2], \"ticks\": 40}], "
    "\"forces\": [{\"tick\": 20, \"ticks\": 20, \"body\": 3, \"force\": [0, 0, 30]}], "
    "\"gravity_schedule\": [{\"tick\": 100, \"gravity\": [2, 0, -10]}], "
    "\"impulses\": [{\"tick\": 40, \"body\": 5, \"impulse\": [1, 0, 0]}]}";

/* Recordings repeat all calls, and a run goes on from any tick to the same hash and rows. */
Test(acts, recorded_and_restarted)
{
    char hash[64], argument[32];
    support_program run =
        support_kugel_run(machine, (const char *const[]){"-", "--check", "--quiet", "--record",
                                                         "a.kugel", "--events", "a.e", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    strcpy(hash, support_line_from_end(run.out, 0));
    support_program_free(&run);
    run = support_run_program("tools/replay/kugel-replay",
                              (const char *const[]){"verify", "a.kugel", NULL});
    cr_assert_eq(run.code, 0, "%s%s", run.out, run.err);
    support_program_free(&run);
    static const unsigned ticks[] = {0, 1, 5, 29, 30, 50, 60, 70, 100, 149};
    for (size_t k = 0; k < sizeof ticks / sizeof *ticks; ++k) {
        snprintf(argument, sizeof argument, "a.kugel@%u", ticks[k]);
        run = RUN("--restart", argument, "--quiet", "--threads", "2", "--record", "b.kugel");
        cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "from %u: %s", ticks[k], run.err);
        support_program_free(&run);
        run = RUN("--restart", "b.kugel@0", "--quiet");
        cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "twice from %u", ticks[k]);
        support_program_free(&run);
    }
}

/* More bodies than at the start are drawn; events of drained bodies stay in order. */
Test(acts, a_growing_world_is_drawn)
{
    support_program run =
        support_kugel_run(machine, (const char *const[]){"-", "--live", "on", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
}

/* A drain takes body 0 at tick 3: what was due for it then and later is left out with one note, and
 * the run goes on; also from a recorded tick and with the hash of a run without these acts. */
Test(acts, acts_on_drained_bodies_are_left_out)
{
    static const char scene[] =
        HEAD "\"ticks\": 9, \"bodies\": [{\"position\": [0, 0, 0]}, {\"position\": [5, 0, 0]}], "
             "\"drains\": [{\"tick\": 3, \"plane\": {\"normal\": [1, 0, 0], \"offset\": 1}}], "
             "\"forces\": [{\"body\": 0, \"force\": [0, 0, 1]}, {\"body\": 1, \"force\": "
             "[0, 1, 0]}], \"impulses\": [{\"tick\": 2, "
             "\"body\": 0, \"impulse\": [0, 0, 1]}%s]}";
    static const char more[] =
        ", {\"tick\": 4, \"body\": 0, \"impulse\": [0, 0, 1]}], \"motions\": "
        "[{\"tick\": 5, \"body\": 0, \"velocity\": [0, 0, 1]}";
    char hash[2][64], text[1024];
    for (int k = 0; k < 2; ++k) {
        snprintf(text, sizeof text, scene, k ? "" : more);
        support_program run =
            support_kugel_run(text, (const char *const[]){"-", "--check", "--quiet", "--record",
                                                          k ? "b.kugel" : "a.kugel", NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        snprintf(text, sizeof text,
                 "kugel-run: -: note: impulses, forces and motions of removed bodies were left "
                 "out %d times, first: forces[0], body 0, tick 3\n",
                 k ? 6 : 8);
        cr_assert_str_eq(run.err, text);
        strcpy(hash[k], support_line_from_end(run.out, 0));
        support_program_free(&run);
    }
    cr_assert_str_eq(hash[0], hash[1]);
    support_program run = RUN("--restart", "b.kugel@4", "--quiet");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_eq(support_line_from_end(run.out, 0), hash[0]);
    cr_assert(strstr(run.err, "removed bodies were left out 5 times"), "%s", run.err);
    support_program_free(&run);
    run = RUN("--restart", "b.kugel@8", "--quiet");
    cr_assert(strstr(run.err, "removed bodies were left out 1 time, first"), "%s", run.err);
    support_program_free(&run);
}

/* Acts are due while forces push, and once more when they end; a force on a drained body is not due
 * until a body has its id again, as body 0 at tick 9. */
Test(acts, due_while_forces_push)
{
    static const char text[] =
        HEAD "\"ticks\": 20, \"bodies\": [{\"position\": [0, 0, 0]}, {\"position\": [9, 0, 0]}], "
             "\"forces\": [{\"body\": 0, \"tick\": 1, \"force\": [0, 0, 1]}, {\"body\": 1, "
             "\"tick\": 5, \"ticks\": 2, \"force\": [0, 1, 0]}], \"drains\": [{\"tick\": 3, "
             "\"ticks\": 1, "
             "\"plane\": {\"normal\": [1, 0, 0], \"offset\": 1}}], \"emitters\": [{\"tick\": 9, "
             "\"ticks\": 1, \"min\": [20, 0, 0], \"max\": [30, 9, 9], \"count\": 1, \"radius\": "
             "0.5}]}";
    static const char due[] = "011101110111"; /* by tick */
    scene scene = {0};
    complaint complaint;
    kugel_world *world;
    cr_assert(scene_parse(&scene, text, sizeof text - 1, "-", &complaint), "%s", complaint.text);
    cr_assert(!kugel_world_create(&scene.world, &world));
    for (int k = 0; k < 2; ++k) cr_assert(!kugel_body_create(world, &scene.bodies[k], NULL));
    acts acts = acts_make("-", &scene);
    cr_assert(!acts_begin(&acts, world));
    for (uint64_t tick = 0; tick < sizeof due - 1; ++tick) {
        cr_assert_eq(acts_are_due(&acts, tick), due[tick] == '1', "tick %d", (int)tick);
        cr_assert(!acts_run(&acts, tick));
        cr_assert(!kugel_world_step(world, scene.dt));
    }
    acts_end(&acts);
    kugel_world_destroy(world);
    scene_free(&scene);
}

/* A run of 5 ticks has acts of ticks 0 ... 4, and beams up to tick 5. */
Test(acts, acts_after_the_last_tick_are_reported)
{
    static const char *const scenes[] = {
        "\"impulses\": [{\"tick\": 4, \"body\": 0, \"impulse\": [1, 0, 0]}], "
        "\"beams\": [{\"tick\": 5, \"origin\": [0, 0, 0], \"direction\": [1, 0, 0]}]",
        "\"impulses\": [{\"tick\": 5, \"body\": 0, \"impulse\": [1, 0, 0]}]",
        "\"beams\": [{\"tick\": 6, \"origin\": [0, 0, 0], \"direction\": [1, 0, 0]}], "
        "\"forces\": [{\"tick\": 9, \"body\": 0, \"force\": [1, 0, 0]}]",
        "\"gravity_schedule\": [{\"tick\": 7, \"gravity\": [1, 0, 0]}], \"drains\": "
        "[{\"tick\": 4, \"plane\": {\"normal\": [0, 0, 1], \"offset\": -9}}]",
        "\"planes\": [{\"normal\": [0, 0, 1], \"offset\": -9}], \"servo\": "
        "{\"plane\": 0, \"force\": 1, \"mass\": 1, \"tick\": 5}"};
    static const char *const notes[] = {
        "", "note: 1 of its acts is due after the last tick, 5, first: impulses[0], tick 5\n",
        "note: 2 of its acts are due after the last tick, 5, first: forces[0], tick 9\n",
        "note: 1 of its acts is due after the last tick, 5, first: gravity_schedule[0], tick 7\n",
        "note: 1 of its acts is due after the last tick, 5, first: servo[0], tick 5\n"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 HEAD "\"ticks\": 5, \"bodies\": [{\"position\": [0, 0, 0]}], %s}", scenes[k]);
        support_program run = support_kugel_run(scene, (const char *const[]){"-", "--quiet", NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        cr_assert(notes[k][0] ? strstr(run.err, notes[k]) != NULL : !run.err[0], "%zu: %s", k,
                  run.err);
        support_program_free(&run);
    }
}

/* An id that no body ever has, and one that no body has yet. */
Test(acts, missing_bodies)
{
    static const char drained[] =
        HEAD "\"bodies\": [{\"position\": [0, 0, 0]}], \"drains\": [{\"tick\": 3, \"plane\": "
             "{\"normal\": [1, 0, 0], \"offset\": 1}}], \"forces\": [{\"tick\": 5, \"body\": 1, "
             "\"force\": [0, 0, 1]}]}";
    support_program run = support_kugel_run(drained, (const char *const[]){"-", "--quiet", NULL});
    cr_assert(support_complains(&run, 2, "-: forces[0].body: body 1 does not exist"));
    support_program_free(&run);
    run = support_kugel_run(
        HEAD "\"bodies\": [], \"emitters\": [{\"tick\": 3, \"min\": [0, 0, 0], \"max\": [9, 9, 9]}"
             "], \"impulses\": [{\"tick\": 4, \"body\": 1, \"impulse\": [0, 0, 1]}, {\"tick\": 4, "
             "\"body\": 3, \"impulse\": [0, 0, 1]}]}",
        (const char *const[]){"-", "--quiet", NULL});
    cr_assert(support_complains(&run, 2, "-: impulses[1].body: body 3 does not exist at tick 4"));
    support_program_free(&run);
}
