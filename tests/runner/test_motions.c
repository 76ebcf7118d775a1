/* Motions of surfaces and rotations of bodies in scenes. Closed forms: a lift that carries a ball,
 * doors that turn and strike, a ball that turns. Recordings and restarted runs repeat them. Other
 * motions of bodies are in test_acts.c. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "
#define THIRD "[0, 0, 0.5, 0.8660254037844386]" /* a turn by 60 degrees about z */

/* Record a scene in a.kugel, with the trajectory of its bodies in t.csv. Out: its last line. */
static void record(const char *scene, char hash[64])
{
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--check", "--quiet", "--csv", "t.csv",
                                                       "--record", "a.kugel", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_eq(run.err, "");
    strcpy(hash, support_line_from_end(run.out, 0));
    support_program_free(&run);
}

/* A recording in memory and its player. */
typedef struct film {
    char *data;
    kugel_player *player;
} film;

static film open_film(const char *name)
{
    char path[128];
    film film;
    snprintf(path, sizeof path, "%s/%s", support_folder(), name);
    FILE *file = fopen(path, "rb");
    cr_assert(file && fseek(file, 0, SEEK_END) == 0);
    size_t size = (size_t)ftell(file);
    film.data = malloc(size);
    rewind(file);
    cr_assert_eq(fread(film.data, 1, size, file), size);
    fclose(file);
    cr_assert_eq(kugel_player_open(film.data, size, NULL, NULL, 1, &film.player, NULL), KUGEL_OK);
    return film;
}

static void close_film(film *film)
{
    kugel_player_close(film->player);
    free(film->data);
}

/* A surface after `tick` steps. */
static kugel_surface_def surface_at(const film *film, uint64_t tick, uint32_t index)
{
    kugel_surface_def def;
    cr_assert_eq(kugel_player_seek(film->player, tick), KUGEL_PLAY_TICK);
    const kugel_world *world = kugel_player_world(film->player);
    cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, index), &def, NULL), KUGEL_OK);
    return def;
}

static void check_place(const kugel_surface_def *def, double x, double y, double z)
{
    const double place[3] = {x, y, z};
    for (int k = 0; k < 3; ++k)
        cr_assert_float_eq(def->position[k], place[k], 1e-13, "axis %d: %.17g", k,
                           def->position[k]);
}

static void check_angle(const kugel_surface_def *def, double angle)
{
    const double *q = def->rotation;
    cr_assert(fabs(q[0]) < 1e-14 && fabs(q[1]) < 1e-14, "it tilts: %g, %g", q[0], q[1]);
    cr_assert_float_eq(2 * atan2(q[2], q[3]), angle, 1e-13, "%.17g rad", 2 * atan2(q[2], q[3]));
}

static bool stands(const kugel_surface_def *def)
{
    for (int k = 0; k < 3; ++k)
        if (def->velocity[k] != 0 || def->spin[k] != 0) return false;
    return true;
}

/* A lift takes 2 s for 2 m, so a ball that rests on it rises by 1 m/s. The lift stops at tick 320;
 * the ball flies on, at most 1 / (2 g) = 1/16 m, and ends at rest on the lift. */
Test(motions, a_lift_carries_a_ball_and_stops)
{
    char hash[64];
    record(HEAD "\"dt\": 0.0078125, \"ticks\": 480, \"gravity\": [0, 0, -8], \"surfaces\": "
                "[{\"box\": {\"half\": [1, 1, 0.25]}, \"position\": [0, 0, -0.25], \"name\": "
                "\"lift\"}], \"bodies\": [{\"position\": [0, 0, 0.5]}], \"motions\": "
                "[{\"tick\": 64, \"surface\": \"lift\", \"position\": [0, 0, 1.75], \"ticks\": "
                "256}]}",
           hash);
    support_table t = support_trajectory();
    double highest = 0;
    for (unsigned tick = 0; tick <= 480; ++tick) {
        const double *row = support_row(&t, tick);
        double risen = tick <= 64 ? 0 : ((tick < 320 ? tick : 320) - 64) / 128.0;
        if (tick <= 320) cr_assert_float_eq(row[5], 0.5 + risen, 1e-9, "tick %u", tick);
        highest = fmax(highest, row[5]);
    }
    cr_assert_float_eq(highest, 2.5 + 1 / 16., 1e-3, "%g", highest);
    cr_assert_float_eq(support_row(&t, 480)[5], 2.5, 1e-6);
    cr_assert_eq(support_row(&t, 480)[8], 0);
    free(t.values);
    film film = open_film("a.kugel");
    kugel_surface_def lift = surface_at(&film, 64, 0);
    check_place(&lift, 0, 0, -0.25);
    lift = surface_at(&film, 192, 0);
    check_place(&lift, 0, 0, 0.75);
    lift = surface_at(&film, 480, 0);
    check_place(&lift, 0, 0, 1.75);
    cr_assert(stands(&lift));
    close_film(&film);
}

/* A door of length 2 with its hinge at the origin turns by 60 degrees in 40 ticks and back in 80. A
 * ball of radius 0.1 at (1, 1) is struck at sqrt(2 - 0.01) m from the hinge and, as it is elastic
 * and without friction, gets twice the speed of the door there. Its path in the frame of the door
 * is a parabola, so the speed is right up to the square of the turn in a substep, 0.02^2. */
Test(motions, a_door_turns_strikes_and_turns_back)
{
    char hash[64];
    record(HEAD "\"dt\": 0.0078125, \"ticks\": 200, \"bounce_threshold\": 0, \"slop\": 0, "
                "\"surfaces\": [{\"rectangle\": {\"corner\": [0, 0, -1], \"edges\": [[2, 0, 0], "
                "[0, 0, 2]]}, \"restitution\": 1, \"friction\": 0}], \"bodies\": [{\"position\": "
                "[1, 1, 0], \"radius\": 0.1, \"restitution\": 1}], \"motions\": ["
                "{\"tick\": 8, \"surface\": 0, \"rotation\": " THIRD ", \"ticks\": 40}, "
                "{\"tick\": 100, \"surface\": \"0\", \"rotation\": [0, 0, 0, 1], \"ticks\": 80}]}",
           hash);
    double third = acos(-1) / 3, speed = 2 * sqrt(1.99) * third / (40 * 0.0078125);
    support_table t = support_trajectory();
    const double *last = support_row(&t, 200);
    cr_assert_float_eq(hypot(last[6], last[7]), speed, 1e-3 * speed, "%g m/s, not %g",
                       hypot(last[6], last[7]), speed);
    free(t.values);
    film film = open_film("a.kugel");
    static const struct {
        unsigned tick;
        double thirds;
        bool stands; /* in the tick before */
    } rows[] = {{8, 0, true},       {28, 0.5, false}, {48, 1, false},
                {49, 1, true},      {100, 1, true},   {120, 0.75, false},
                {160, 0.25, false}, {180, 0, false},  {200, 0, true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        kugel_surface_def door = surface_at(&film, rows[k].tick, 0);
        check_angle(&door, rows[k].thirds * third);
        check_place(&door, 0, 0, 0);
        cr_assert_eq(stands(&door), rows[k].stands, "tick %u", rows[k].tick);
    }
    close_film(&film);
}

/* Surface 0 has a velocity and a spin that leave each other alone; at tick 8 it moves on to a
 * position while it spins, and its spin ends at a rotation. Surface 1 goes from place to place
 * without a stop; surface 2 gets a velocity before it arrives. Body 0 moves beside surface 0. */
Test(motions, that_overlap)
{
    char hash[64];
    record(HEAD "\"dt\": 0.125, \"ticks\": 32, \"surfaces\": [{\"box\": {\"half\": [1, 1, 1]}, "
                "\"velocity\": [0, 0, 1]}, {\"box\": {\"half\": [1, 1, 1]}, \"position\": [9, 0, "
                "0]}, {\"box\": {\"half\": [1, 1, 1]}, \"position\": [0, 9, 0]}], \"bodies\": "
                "[{\"position\": [0, 0, 99], \"type\": \"kinematic\"}], \"motions\": ["
                "{\"surface\": 0, \"spin\": [0, 0, 0.5]}, "
                "{\"surface\": 0, \"tick\": 8, \"position\": [2, 0, 1], \"ticks\": 16}, "
                "{\"surface\": 0, \"tick\": 16, \"rotation\": [0, 0, 0, 1], \"ticks\": 4}, "
                "{\"surface\": 1, \"position\": [9, 1, 0], \"ticks\": 8}, "
                "{\"surface\": 1, \"tick\": 8, \"position\": [9, 1, 1], \"rotation\": " THIRD
                ", \"ticks\": 8}, "
                "{\"surface\": 2, \"position\": [9, 9, 0], \"ticks\": 9}, "
                "{\"surface\": 2, \"tick\": 8, \"velocity\": [0, 0, 2]}, "
                "{\"body\": 0, \"tick\": 2, \"position\": [0, 1, 99], \"ticks\": 8}]}",
           hash);
    film film = open_film("a.kugel");
    kugel_surface_def s = surface_at(&film, 8, 0);
    check_place(&s, 0, 0, 1);
    check_angle(&s, 0.5);
    s = surface_at(&film, 16, 0);
    check_place(&s, 1, 0, 1);
    check_angle(&s, 1);
    s = surface_at(&film, 20, 0);
    check_angle(&s, 0);
    s = surface_at(&film, 32, 0);
    check_place(&s, 2, 0, 1);
    check_angle(&s, 0);
    cr_assert(stands(&s));
    s = surface_at(&film, 8, 1);
    check_place(&s, 9, 1, 0);
    s = surface_at(&film, 32, 1);
    check_place(&s, 9, 1, 1);
    check_angle(&s, acos(-1) / 3);
    cr_assert(stands(&s));
    s = surface_at(&film, 32, 2);
    check_place(&s, 8, 9, 24 * 0.125 * 2);
    close_film(&film);
    support_table t = support_trajectory();
    cr_assert_float_eq(support_row(&t, 32)[4], 1, 1e-12);
    free(t.values);
}

/* A solid cylinder has a frame of its own, along its axis; positions and rotations are those of the
 * scene all the same. One beside the origin of its shape moves but does not turn. */
Test(motions, of_solid_shapes)
{
    char hash[64];
    record(HEAD "\"ticks\": 60, \"surfaces\": [{\"cylinder\": {\"from\": [-1, 0, 0], \"to\": [1, "
                "0, 0], \"radius\": 0.1, \"solid\": true}, \"position\": [0, 5, 0]}, "
                "{\"capsule\": {\"from\": [0, 0, 0], \"to\": [2, 0, 0], \"radius\": 0.1, "
                "\"solid\": true}, \"rotation\": " THIRD "}], \"bodies\": [], \"motions\": ["
                "{\"surface\": 0, \"rotation\": [0, 0, 0.7071067811865476, 0.7071067811865476], "
                "\"position\": [1, 2, 3], \"ticks\": 50}, "
                "{\"surface\": 1, \"position\": [0, 0, 4], \"ticks\": 50}]}",
           hash);
    film film = open_film("a.kugel");
    for (unsigned tick = 0; tick <= 60; tick += 60) {
        kugel_surface_def s = surface_at(&film, tick, 0);
        double along_x = tick ? 0 : 1; /* the z axis of the frame in the world */
        double *q = s.rotation;
        cr_assert_float_eq(2 * (q[0] * q[2] + q[3] * q[1]), along_x, 1e-14);
        cr_assert_float_eq(2 * (q[1] * q[2] - q[3] * q[0]), 1 - along_x, 1e-14);
        if (tick) check_place(&s, 1, 2, 3);
        s = surface_at(&film, tick, 1);
        check_place(&s, 0.5, sqrt(0.75), tick ? 4 : 0); /* the middle, 60 degrees from the x axis */
    }
    close_film(&film);
}

/* Angle about the z axis of body 0 after `tick` steps, rad. Out: its spin about z, rad/s. */
static double angle_at(const film *film, uint64_t tick, double *spin)
{
    kugel_body_state state;
    cr_assert_eq(kugel_player_seek(film->player, tick), KUGEL_PLAY_TICK);
    const kugel_world *world = kugel_player_world(film->player);
    cr_assert_eq(kugel_body_get(world, kugel_world_body(world, 0), &state), KUGEL_OK);
    const double *q = state.rotation;
    cr_assert(q[0] == 0 && q[1] == 0, "it tilts: %g, %g", q[0], q[1]);
    *spin = state.spin[2];
    return 2 * atan2(q[2], q[3]);
}

/* A kinematic ball turns by 60 degrees in 40 ticks while it rises, back the short way although its
 * quaternion has the other sign, and then by the spin that replaces a third turn. */
Test(motions, a_body_turns_and_turns_back)
{
    char hash[64];
    record(HEAD "\"dt\": 0.0078125, \"ticks\": 200, \"bodies\": [{\"position\": [0, 0, 0], "
                "\"type\": \"kinematic\"}], \"motions\": ["
                "{\"tick\": 8, \"body\": 0, \"rotation\": " THIRD ", \"ticks\": 40}, "
                "{\"tick\": 8, \"body\": 0, \"position\": [0, 0, 2], \"ticks\": 80}, "
                "{\"tick\": 100, \"body\": 0, \"rotation\": [0, 0, 0, -1], \"ticks\": 40}, "
                "{\"tick\": 160, \"body\": 0, \"rotation\": " THIRD ", \"ticks\": 40}, "
                "{\"tick\": 180, \"body\": 0, \"spin\": [0, 0, 2]}]}",
           hash);
    double third = acos(-1) / 3, rate = third / (40 * 0.0078125), spin;
    film film = open_film("a.kugel");
    static const struct {
        unsigned tick;
        double thirds, rate; /* of the tick before */
    } rows[] = {{8, 0, 0},      {28, 0.5, 1}, {48, 1, 1},  {49, 1, 0},     {100, 1, 0},
                {120, 0.5, -1}, {140, 0, -1}, {141, 0, 0}, {170, 0.25, 1}, {180, 0.5, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        double angle = angle_at(&film, rows[k].tick, &spin);
        cr_assert_float_eq(angle, rows[k].thirds * third, 1e-5, "tick %u: %g", rows[k].tick, angle);
        cr_assert_float_eq(spin, rows[k].rate * rate, 1e-5, "tick %u: %g", rows[k].tick, spin);
    }
    cr_assert_float_eq(angle_at(&film, 200, &spin), third / 2 + 20 * 0.0078125 * 2, 1e-5);
    cr_assert_eq(spin, 2);
    close_film(&film);
    support_table t = support_trajectory();
    cr_assert_float_eq(support_row(&t, 48)[5], 1, 1e-12);
    cr_assert_float_eq(support_row(&t, 200)[5], 2, 1e-12);
    free(t.values);
}

static const char machine[] = HEAD
    "\"ticks\": 150, \"gravity\": [0, 0, -10], \"defaults\": {\"radius\": 0.1, \"restitution\": "
    "0.4}, \"surfaces\": [{\"box\": {\"half\": [1, 1, 0.1]}, \"position\": [0, 0, -0.1], "
    "\"name\": \"lift\"}, {\"rectangle\": {\"corner\": [0, 0, -1], \"edges\": [[1, 0, 0], [0, 0, "
    "2]]}, \"position\": [-0.9, -0.9, 1], \"name\": \"door\"}], \"bodies\": [{\"position\": [0, 0, "
    "2.5], \"type\": \"kinematic\"}], \"generators\": [{\"lattice\": "
    "{\"origin\": [-0.6, -0.6, 0.3], \"spacing\": [0.3, 0.3, 0.3], \"count\": [5, 5, 3], "
    "\"jitter\": 0.03}}], \"motions\": [{\"tick\": 30, \"surface\": \"lift\", \"position\": [0, "
    "0, 0.9], \"ticks\": 40}, {\"tick\": 50, \"surface\": \"door\", \"rotation\": " THIRD
    ", \"ticks\": 30}, {\"tick\": 90, \"surface\": \"door\", \"rotation\": [0, 0, 0, 1], "
    "\"ticks\": 20}, {\"tick\": 100, \"surface\": \"lift\", \"spin\": [0, 0, 2]}, {\"tick\": 30, "
    "\"body\": 0, \"position\": [0.3, 0, 2], \"rotation\": " THIRD ", \"ticks\": 50}, {\"tick\": "
    "90, \"body\": 0, \"rotation\": [1, 0, 0, 0], \"ticks\": 50}]}";

/* Before, in, at the end of and after the motions; twice, from the recording of a restarted run. */
Test(motions, recorded_and_restarted)
{
    char hash[64], argument[32];
    record(machine, hash);
    support_program run = support_run_program("tools/replay/kugel-replay",
                                              (const char *const[]){"verify", "a.kugel", NULL});
    cr_assert_eq(run.code, 0, "%s%s", run.out, run.err);
    support_program_free(&run);
    static const unsigned ticks[] = {0, 1, 30, 31, 50, 60, 70, 75, 80, 91, 100, 110, 149};
    for (size_t k = 0; k < sizeof ticks / sizeof *ticks; ++k) {
        snprintf(argument, sizeof argument, "a.kugel@%u", ticks[k]);
        run = RUN("--restart", argument, "--quiet", "--check", "--threads", "2", "--record",
                  "b.kugel");
        cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "from %u: %s", ticks[k], run.err);
        support_program_free(&run);
        run = RUN("--restart", "b.kugel@0", "--quiet");
        cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "twice from %u", ticks[k]);
        support_program_free(&run);
    }
    support_write_file("machine.json", machine);
    run = RUN("machine.json", "--quiet", "--ticks", "60", "--checkpoint", "c@60");
    support_program_free(&run);
    run = RUN("machine.json", "--quiet", "--restart", "c");
    cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "checkpoint: %s", run.err);
    support_program_free(&run);
}

/* A scene beside the restart may lack the surfaces of the world: an index names them. */
Test(motions, of_surfaces_that_only_the_recording_has)
{
    char hash[64];
    record(machine, hash);
    support_program run = support_kugel_run(
        HEAD "\"ticks\": 30, \"bodies\": [], \"motions\": [{\"surface\": 1, \"tick\": 22, "
             "\"position\": [1, 2, 3], \"rotation\": " THIRD ", \"ticks\": 7}]}",
        (const char *const[]){"-", "--restart", "a.kugel@20", "--quiet", "--record", "b.kugel",
                              NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    film film = open_film("b.kugel");
    kugel_surface_def door = surface_at(&film, 10, 1);
    check_place(&door, 1, 2, 3);
    check_angle(&door, acos(-1) / 3);
    cr_assert(stands(&door));
    close_film(&film);
}

/* Found when the world exists, before the first step. */
Test(motions, refused_by_the_world)
{
    static const struct {
        char motion[80], said[80];
    } rows[] = {
        {"\"surface\": 1, \"spin\": [0, 0, 1]", "-: motions[0].surface: surface 1 does not exist"},
        {"\"surface\": 4294967295, \"velocity\": [0, 0, 1]",
         "-: motions[0].surface: surface 4294967295 does not exist"},
        {"\"surface\": 0, \"position\": [0, 0, 1e15]", "-: motions[0]"}};
    char scene[1024];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        snprintf(scene, sizeof scene,
                 HEAD "\"dt\": 0.001, \"surfaces\": [{\"disc\": {\"radius\": 1}}], \"bodies\": [], "
                      "\"motions\": [{%s}]}",
                 rows[k].motion);
        support_program run = support_kugel_run(scene, (const char *const[]){"-", "--quiet", NULL});
        cr_assert(support_complains(&run, 2, rows[k].said), "%s", rows[k].motion);
        support_program_free(&run);
    }
}

/* Restart a.kugel at these ticks, up to 0; all runs end with the same hash. */
static void check_restarts(const char *hash, const unsigned *ticks)
{
    char argument[32];
    do {
        snprintf(argument, sizeof argument, "a.kugel@%u", *ticks);
        support_program run = RUN("--restart", argument, "--quiet", "--check");
        cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "from %u: %s", *ticks, run.err);
        support_program_free(&run);
    } while (*ticks++);
    support_program run = support_run_program("tools/replay/kugel-replay",
                                              (const char *const[]){"verify", "a.kugel", NULL});
    cr_assert_eq(run.code, 0, "%s%s", run.out, run.err);
    support_program_free(&run);
}

/* The floor of a periodic channel runs along x, its roof the other way, and both turn back. A ball
 * on each, at rest at first, has no angular momentum about the line on which it rolls: it reaches
 * 2/7 of the velocity of its plane, either way. An oblique plane has the axes of the world too: a
 * ball that gravity does not press on it is not dragged. */
Test(motions, shear_a_channel_and_turn_back)
{
    char hash[64];
    record(HEAD "\"dt\": 0.0078125, \"ticks\": 384, \"gravity\": [0, 0, -10], \"bounds\": "
                "{\"min\": [0, 0, -9], \"max\": [4, 4, 9], \"faces\": [\"periodic\", "
                "\"periodic\", \"periodic\", \"periodic\", \"open\", \"open\"]}, \"planes\": ["
                "{\"normal\": [0, 0, 1], \"name\": \"floor\", \"tangent_velocity\": [0.7, 0, 0]}, "
                "{\"normal\": [0, 0, -1], \"offset\": -3, \"name\": \"roof\"}], \"bodies\": ["
                "{\"position\": [2, 1, 0.5]}, {\"position\": [2, 3, 2.5], \"gravity_scale\": -1}], "
                "\"motions\": [{\"plane\": \"roof\", \"tangent_velocity\": [-0.7, 0.35, 0]}, "
                "{\"tick\": 128, \"plane\": \"floor\", \"tangent_velocity\": [-0.7, 0, 0]}, "
                "{\"tick\": 128, \"plane\": \"roof\", \"tangent_velocity\": [0.7, -0.35, 0]}, "
                "{\"tick\": 256, \"plane\": 0, \"tangent_velocity\": [0, 0, 0]}]}",
           hash);
    support_table t = support_trajectory();
    static const struct {
        unsigned tick;
        double floor, roof; /* 2/7 of their velocities along x */
    } rows[] = {{128, 0.2, -0.2}, {256, -0.2, 0.2}, {384, 0, 0.2}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        for (unsigned ball = 0; ball < 2; ++ball) {
            const double *row = support_row(&t, 2 * rows[k].tick + ball);
            double x = ball ? rows[k].roof : rows[k].floor, y = ball ? -0.5 * x : 0;
            cr_assert_float_eq(row[6], x, 1e-4, "tick %u: %g", rows[k].tick, row[6]);
            cr_assert_float_eq(row[7], y, 1e-4, "tick %u: %g", rows[k].tick, row[7]);
        }
    }
    free(t.values);
    check_restarts(hash, (const unsigned[]){300, 256, 129, 60, 0});
}

/* A plane begins to move at tick 8 with 2 m/s and meets the ball, elastic and at rest, after 0.8 s:
 * the ball flies on with 4 m/s. The plane goes back, to another place while it turns by 60 degrees,
 * and stops. Events name it. */
Test(motions, shake_a_plane)
{
    char hash[64];
    record(HEAD "\"dt\": 0.125, \"ticks\": 40, \"bounce_threshold\": 0, \"slop\": 0, \"planes\": ["
                "{\"normal\": [0, 0, 1], \"offset\": -50, \"velocity\": [0, 0, 0.5], \"spin\": "
                "[0, 0, 1]}, {\"normal\": [1, 0, 0], \"name\": \"wall\", \"friction\": 0}], "
                "\"bodies\": [{\"position\": [2.1, 0, 0], \"restitution\": 1}], \"motions\": ["
                "{\"tick\": 8, \"plane\": \"wall\", \"velocity\": [2, 0, 0]}, "
                "{\"tick\": 16, \"plane\": 1, \"velocity\": [-2, 0, 0]}, "
                "{\"tick\": 24, \"plane\": \"wall\", \"position\": [-3, 0, 0], \"rotation\": " THIRD
                ", \"ticks\": 8}]}",
           hash);
    support_table t = support_trajectory();
    cr_assert_float_eq(support_row(&t, 13)[3], 2.1, 1e-12);
    cr_assert_float_eq(support_row(&t, 32)[3], 2.1 + 2.2 * 4, 1e-12);
    free(t.values);
    film film = open_film("a.kugel");
    static const struct {
        unsigned tick;
        double x, angle;
    } rows[] = {{8, 0, 0}, {16, 2, 0}, {24, 0, 0}, {28, -1.5, 0.5}, {32, -3, 1}, {40, -3, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        double normal[3], offset, angle = rows[k].angle * acos(-1) / 3;
        kugel_surface_def wall = surface_at(&film, rows[k].tick, 1);
        check_place(&wall, rows[k].x, 0, 0);
        cr_assert(kugel_surface_def_get_plane(&wall, normal, &offset));
        cr_assert_float_eq(atan2(normal[1], normal[0]), angle, 1e-13, "tick %u", rows[k].tick);
        cr_assert_float_eq(normal[2], 0, 1e-14);
        if (rows[k].tick == 40) cr_assert(stands(&wall));
    }
    kugel_surface_def low = surface_at(&film, 40, 0);
    check_place(&low, 0, 0, -47.5);
    cr_assert_eq(low.spin[2], 1);
    close_film(&film);
    check_restarts(hash, (const unsigned[]){35, 28, 20, 9, 0});
    support_program run = RUN("--restart", "a.kugel@9", "--quiet", "--events", "e.csv");
    support_program_free(&run);
    char *events = support_read_file("e.csv");
    cr_assert(strstr(events, ",impact,0,plane:wall,"), "%s", events);
    free(events);
}
