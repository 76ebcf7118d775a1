/* Beams and impulses of a scene: event rows against closed forms. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

/* A beam row and its exit row. Positions have 17 digits, other fields 9: tolerances 1e-12 and
 * 1e-8. */
typedef struct beam_rows {
    unsigned rows;
    unsigned long long tick;
    unsigned a;
    char b[64];
    double time, p[3], n[3], distance, exit_p[3], exit_n[3], exit_distance;
} beam_rows;

/* Runs one tick of a scene with this beam. */
static beam_rows shoot(const char *keys, const char *beam)
{
    char scene[2048];
    beam_rows r = {0};
    snprintf(scene, sizeof scene,
             "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.25, \"ticks\": 3, %s, "
             "\"beams\": [%s]}",
             keys, beam);
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--events", "e.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("e.csv");
    for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        double impulse;
        if (strstr(line, ",beam,") && strstr(line, ",beam,") < strchr(line, '\n')) {
            cr_assert_eq(sscanf(line, "%llu,%lf,beam,%u,%63[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                                &r.tick, &r.time, &r.a, r.b, &r.p[0], &r.p[1], &r.p[2], &r.n[0],
                                &r.n[1], &r.n[2], &r.distance, &impulse),
                         12, "%s", line);
            cr_assert_eq(impulse, 0);
            r.rows += 1;
        } else if (strstr(line, ",beam-exit,") &&
                   strstr(line, ",beam-exit,") < strchr(line, '\n')) {
            char b[64];
            cr_assert_eq(sscanf(line,
                                "%*u,%*f,beam-exit,%*u,%63[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", b,
                                &r.exit_p[0], &r.exit_p[1], &r.exit_p[2], &r.exit_n[0],
                                &r.exit_n[1], &r.exit_n[2], &r.exit_distance, &impulse),
                         9, "%s", line);
            cr_assert_str_eq(b, r.b, "another target on the way out");
            r.rows += 1;
        }
    }
    free(text);
    support_program_free(&run);
    return r;
}

static void is(const char *what, const double got[3], double x, double y, double z)
{
    const double want[3] = {x, y, z};
    for (int k = 0; k < 3; ++k) {
        cr_assert(fabs(got[k] - want[k]) < 1e-8, "%s: (%.17g, %.17g, %.17g), not (%g, %g, %g)",
                  what, got[0], got[1], got[2], x, y, z);
    }
}

#define STILL "\"type\": \"static\""
#define BALL "\"bodies\": [{\"position\": [3, 0.3, 0], " STILL "}]"

/* A ball of radius 0.5 with its centre 0.3 off the line: the half-chord is 0.4. */
Test(beams, sphere)
{
    beam_rows r = shoot(BALL, "{\"tick\": 2, \"origin\": [0, 0, 0], \"direction\": [5, 0, 0]}");
    cr_assert(r.rows == 2 && r.tick == 2 && r.time == 0.5 && r.a == 0);
    cr_assert_str_eq(r.b, "0");
    is("entry", r.p, 2.6, 0, 0);
    is("normal", r.n, -0.8, -0.6, 0);
    is("exit", r.exit_p, 3.4, 0, 0);
    is("exit normal", r.exit_n, 0.8, -0.6, 0);
    cr_assert_float_eq(r.distance, 2.6, 1e-8);
    cr_assert_float_eq(r.exit_distance, 3.4, 1e-8);
}

Test(beams, distance_is_in_metres_whatever_the_length_of_the_direction)
{
    static const char *const directions[] = {"[1e-200, 0, 0]", "[0.001, 0, 0]", "[1e15, 0, 0]"};
    for (int k = 0; k < 3; ++k) {
        char beam[128];
        snprintf(beam, sizeof beam, "{\"origin\": [0, 0, 0], \"direction\": %s}", directions[k]);
        beam_rows r = shoot(BALL, beam);
        cr_assert(r.rows == 2 && r.tick == 0, "%s: %u rows", directions[k], r.rows);
        cr_assert_float_eq(r.distance, 2.6, 1e-8);
    }
}

Test(beams, length_ends_the_beam)
{
    cr_assert_eq(
        shoot(BALL, "{\"origin\": [0, 0, 0], \"direction\": [1, 0, 0], \"length\": 2.5999}").rows,
        0);
    beam_rows r =
        shoot(BALL, "{\"origin\": [0, 0, 0], \"direction\": [1, 0, 0], \"length\": 2.6001}");
    cr_assert_eq(r.rows, 2, "the way out is reported though the beam ends inside");
    cr_assert_float_eq(r.exit_distance, 3.4, 1e-8);
}

Test(beams, a_miss_writes_no_row)
{
    cr_assert_eq(shoot(BALL, "{\"origin\": [0, 0, 0], \"direction\": [-1, 0, 0]}").rows, 0,
                 "behind");
    cr_assert_eq(shoot(BALL, "{\"origin\": [0, 0, 0], \"direction\": [0, 1, 0]}").rows, 0,
                 "beside");
}

Test(beams, a_start_inside_is_reported_at_the_origin)
{
    beam_rows r = shoot(BALL, "{\"origin\": [3.1, 0.3, 0], \"direction\": [1, 0, 0]}");
    cr_assert_eq(r.rows, 2);
    is("entry", r.p, 3.1, 0.3, 0);
    is("normal", r.n, 1, 0, 0);
    cr_assert_eq(r.distance, 0);
    is("exit", r.exit_p, 3.5, 0.3, 0);
    cr_assert_float_eq(r.exit_distance, 0.4, 1e-8);
}

Test(beams, the_nearest_object)
{
    /* from left to right: the ball at 2.6, an ellipsoid at 4, a plane at 6 */
#define AROUND                                                                                     \
    BALL                                                                                           \
        ", \"planes\": [{\"normal\": [-1, 0, 0], \"offset\": -6}], \"ellipsoids\": [{\"center\": " \
        "[5, 0, 0], \"semi_axes\": [1, 2, 3], \"name\": \"shield\"}]"
    beam_rows r = shoot(AROUND, "{\"origin\": [0, 0, 0], \"direction\": [1, 0, 0]}");
    cr_assert_str_eq(r.b, "0");
    r = shoot(AROUND, "{\"origin\": [3.45, 0, 0], \"direction\": [1, 0, 0]}");
    cr_assert_str_eq(r.b, "ellipsoid:shield");
    is("entry", r.p, 4, 0, 0);
    is("exit", r.exit_p, 6, 0, 0);
    r = shoot(AROUND, "{\"origin\": [0, 0, 9], \"direction\": [1, 0, 0]}");
    cr_assert_str_eq(r.b, "plane:0");
    is("entry", r.p, 6, 0, 9);
    is("normal", r.n, -1, 0, 0);
    is("exit", r.exit_p, 6, 0, 9);
    cr_assert(r.rows == 2 && r.exit_distance == r.distance);
}

/* Semi-axes 3, 2, 1 rotated by 90 degrees about z: along x it is 2 wide. The second one has no
 * name. */
Test(beams, rotated_and_unnamed_ellipsoids)
{
#define TURNED                                                                                     \
    BALL ", \"ellipsoids\": [{\"center\": [90, 0, 0], \"semi_axes\": [1, 1, 1], \"name\": "        \
         "\"far\"}, "                                                                              \
         "{\"center\": [-9, 1, 0], \"semi_axes\": [3, 2, 1], \"rotation\": [0, 0, "                \
         "0.70710678118654752, 0.70710678118654752]}]"
    beam_rows r = shoot(TURNED, "{\"origin\": [-20, 1, 0], \"direction\": [1, 0, 0]}");
    cr_assert_str_eq(r.b, "ellipsoid:1");
    is("entry", r.p, -11, 1, 0);
    is("exit", r.exit_p, -7, 1, 0);
    /* Off the axes the normal is the gradient, not the direction from the centre: at y - 1 = 1.8
     * the half-chord is 2 sqrt(1 - 0.36) = 1.6 and the gradient (-1.6 / 4, 1.8 / 9) = (-0.4,
     * 0.2). */
    r = shoot(TURNED, "{\"origin\": [-20, 2.8, 0], \"direction\": [1, 0, 0]}");
    is("entry", r.p, -10.6, 2.8, 0);
    is("normal", r.n, -0.4 / sqrt(0.2), 0.2 / sqrt(0.2), 0);
}

/* A beam acts on state k, before the next step: a ball at 4 m/s is at k then. */
Test(beams, act_on_the_state_of_their_tick)
{
    for (int tick = 0; tick <= 3; ++tick) {
        char beam[128];
        snprintf(beam, sizeof beam,
                 "{\"tick\": %d, \"origin\": [-10, 0, 0], \"direction\": [1, 0, 0]}", tick);
        beam_rows r =
            shoot("\"bodies\": [{\"position\": [0, 0, 0], \"velocity\": [4, 0, 0]}]", beam);
        cr_assert(r.rows == 2 && r.tick == (unsigned)tick, "tick %d", tick);
        cr_assert_float_eq(r.time, 0.25 * tick, 1e-15);
        is("entry", r.p, tick - 0.5, 0, 0);
    }
    beam_rows none = shoot(BALL, "{\"tick\": 4, \"origin\": [0, 0, 0], \"direction\": [1, 0, 0]}");
    cr_assert_eq(none.rows, 0, "the run ends at tick 3");
}

#define PERIODIC                                                                                   \
    "\"bounds\": {\"min\": [0, 0, 0], \"max\": [10, 10, 10], \"faces\": [\"periodic\", "           \
    "\"periodic\", \"open\", \"open\", \"open\", \"open\"]}, "

/* Across a periodic face points continue along the straight line. */
Test(beams, continue_across_periodic_faces)
{
    beam_rows r = shoot(PERIODIC "\"bodies\": [{\"position\": [2, 5, 5], " STILL "}]",
                        "{\"origin\": [4, 5, 5], \"direction\": [1, 0, 0]}");
    cr_assert_eq(r.rows, 2);
    is("entry", r.p, 11.5, 5, 5);
    cr_assert_float_eq(r.distance, 7.5, 1e-8);
    r = shoot(PERIODIC "\"bodies\": [{\"position\": [9.8, 5, 5], " STILL "}]",
              "{\"origin\": [4, 5, 5], \"direction\": [-1, 0, 0]}");
    is("the half that stands out of x-max, seen from x-min", r.p, 0.3, 5, 5);
    r = shoot(PERIODIC "\"bodies\": [{\"position\": [2, 9, 5], " STILL "}]",
              "{\"origin\": [4, 5, 5], \"direction\": [1, 0, 0], \"length\": 900000}");
    cr_assert_eq(r.rows, 0, "it ends, though nothing is ever hit");
    /* a slope of 0.04: after three boxes it is 1.12 higher, at the height of the ball */
    r = shoot(PERIODIC "\"bodies\": [{\"position\": [2, 6.12, 5], \"radius\": 0.1, " STILL "}]",
              "{\"origin\": [4, 5, 5], \"direction\": [1, 0.04, 0]}");
    cr_assert_eq(r.rows, 2);
    cr_assert(fabs(r.p[0] - 31.9) < 0.01 && fabs(r.p[1] - 6.12) < 0.01, "(%g, %g)", r.p[0], r.p[1]);
}

/* A slope of 0.0001: 1000 boxes are 10 km, and 1 m in height. */
Test(beams, end_after_a_thousand_boxes)
{
    for (int far = 0; far < 2; ++far) {
        char keys[512];
        snprintf(keys, sizeof keys,
                 PERIODIC "\"bodies\": [{\"position\": [2, %g, 5], \"radius\": 0.1, " STILL "}]",
                 far ? 6.2 : 5.9);
        beam_rows r = shoot(keys, "{\"origin\": [4, 5, 5], \"direction\": [1, 0.0001, 0]}");
        cr_assert_eq(r.rows, far ? 0 : 2);
    }
}

/* 2 N s on 4 kg at tick 2: no effect before, 0.5 m/s afterwards; two impulses at one tick add
 * up. */
Test(impulses, act_before_the_next_step)
{
    static const char scene[] =
        "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.25, \"ticks\": 4, \"bodies\": "
        "[{\"position\": [0, 0, 0], \"mass\": 4}], \"impulses\": [{\"tick\": 3, \"body\": 0, "
        "\"impulse\": [0, 1, 0]}, "
        "{\"tick\": 2, \"body\": 0, \"impulse\": [2, 0, 0]}, {\"tick\": 3, \"body\": 0, "
        "\"impulse\": [0, 3, 0]}]}";
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--csv", "t.csv", "--check", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("t.csv");
    support_table t = support_parse_csv(text);
    static const double x[5] = {0, 0, 0, 0.125, 0.25}, y[5] = {0, 0, 0, 0, 0.25};
    for (size_t k = 0; k < 5; ++k) {
        cr_assert_eq(support_row(&t, k)[3], x[k], "x after %zu steps", k);
        cr_assert_eq(support_row(&t, k)[4], y[k], "y after %zu steps", k);
    }
    free(t.values);
    free(text);
    support_program_free(&run);
}

#define SCREEN                                                                                     \
    "\"surfaces\": [{\"disc\": {\"center\": [2, 0, 0], \"normal\": [-1, 0, 0], \"radius\": 1}, "

/* A surface has no inside: the way out is the way in. */
Test(beams, surface)
{
    beam_rows r = shoot(SCREEN "\"name\": \"screen\"}], " BALL,
                        "{\"origin\": [0, 0.1, 0], \"direction\": [1, 0, 0]}");
    cr_assert_eq(r.rows, 2);
    cr_assert_str_eq(r.b, "surface:screen");
    is("entry", r.p, 2, 0.1, 0);
    is("normal", r.n, -1, 0, 0);
    is("exit", r.exit_p, 2, 0.1, 0);
    cr_assert(fabs(r.distance - 2) < 1e-8 && r.exit_distance == r.distance);
}

/* From behind, a one-sided surface is passed; so is one beyond the beam's end, or behind a ball. */
Test(beams, surfaces_that_are_not_met)
{
    const char *back = "{\"origin\": [5, 0.1, 0], \"direction\": [-1, 0, 0]}";
    cr_assert_str_eq(
        shoot(SCREEN "\"sides\": 1}], \"bodies\": [{\"position\": [0, 0, 0]}]", back).b, "0");
    cr_assert_str_eq(
        shoot(SCREEN "\"sides\": 2}], \"bodies\": [{\"position\": [0, 0, 0]}]", back).b,
        "surface:0");
    cr_assert_str_eq(
        shoot(SCREEN "\"sides\": 2}], \"bodies\": [{\"position\": [4, 0, 0]}]", back).b, "0");
    cr_assert_eq(shoot(SCREEN "\"sides\": 2}], \"bodies\": [{\"position\": [0, 0, 0]}]",
                       "{\"origin\": [0, 5, 0], \"direction\": [0, 1, 0]}")
                     .rows,
                 0);
    cr_assert_eq(shoot(SCREEN "\"sides\": 2}], \"bodies\": [{\"position\": [0, 0, 9]}]",
                       "{\"origin\": [0, 0, 0], \"direction\": [1, 0, 0], \"length\": 1.9}")
                     .rows,
                 0);
}

/* Beyond a periodic face the beam meets the surface of the next image, on the straight line. */
Test(beams, a_surface_across_periodic_faces)
{
    beam_rows r =
        shoot("\"bounds\": {\"min\": [0, -5, -5], \"max\": [10, 5, 5], \"faces\": "
              "[\"periodic\", \"periodic\", \"open\", \"open\", \"open\", \"open\"]}, " SCREEN
              "\"sides\": 2}], \"bodies\": [{\"position\": [5, 4, 0]}]",
              "{\"origin\": [3, 0.1, 0], \"direction\": [1, 0, 0]}");
    cr_assert_str_eq(r.b, "surface:0");
    is("entry", r.p, 12, 0.1, 0);
    cr_assert(fabs(r.distance - 9) < 1e-8);
}
