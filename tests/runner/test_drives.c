/* Drives of a scene: temperatures of thermostats; a piston under pressure against the equation of
 * state; a lid on a bed of grains; the same bits after a restart and in a replay. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "
#define GAS "\"preset\": \"reduced_gas\", "
#define PERIODIC "\"periodic\", \"periodic\", \"periodic\", \"periodic\", "
/* 504 balls below a piston that is at z = 42 at first, 8 m by 8 m. */
#define PISTON                                                                                     \
    HEAD GAS                                                                                       \
        "\"dt\": 0.1, \"bounds\": {\"min\": [0, 0, 0], \"max\": [8, 8, 90], \"restitution\": 1, "  \
        "\"friction\": 0, \"faces\": [" PERIODIC "\"wall\", \"open\"]}, "                          \
        "\"planes\": [{\"normal\": [0, 0, -1], \"offset\": -42, \"restitution\": 1, "              \
        "\"friction\": "                                                                           \
        "0}], \"generators\": [{\"lattice\": {\"origin\": [0.7, 0.7, 0.7], \"count\": [6, 6, "     \
        "14], "                                                                                    \
        "\"spacing\": [1.3, 1.3, 1.3]}}], \"thermostat\": {\"kind\": \"andersen\", "               \
        "\"temperature\": "                                                                        \
        "1, \"rate\": 0.1}, \"servo\": {\"plane\": 0, \"pressure\": 0.29061, \"area\": 64, "       \
        "\"mass\": "                                                                               \
        "50, \"drag\": 1}}"

static void run(const char *scene, const char *const *arguments)
{
    support_program p = support_kugel_run(scene, arguments);
    cr_assert_eq(p.code, 0, "%s", p.err);
    support_program_free(&p);
}
#define RUN_SCENE(scene, ...) run(scene, (const char *const[]){"-", "--quiet", __VA_ARGS__, NULL})

/* The kinetic energy after the last tick, from the summary of a run. */
static double last_energy(const char *scene)
{
    support_program p =
        support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
    cr_assert_eq(p.code, 0, "%s", p.err);
    double first, last;
    cr_assert_eq(sscanf(strstr(p.out, "energy "), "energy %lf %lf", &first, &last), 2);
    support_program_free(&p);
    return last;
}

#define BOX_OF_GAS                                                                                 \
    HEAD GAS "\"ticks\": 41, \"dt\": 0.05, \"bounds\": {\"min\": [0, 0, 0], \"max\": [9, 9, 9], "  \
             "\"faces\": [" PERIODIC "\"periodic\", \"periodic\"]}, \"generators\": [{\"gas\": "   \
             "{\"count\": 400, \"speed_sigma\": 2}}], "

/* Two balls of radius 0.5 that grow by 1 % a tick approach at 1 m/s and meet in the fifth tick,
 * which begins with radii of 0.5 * 1.01^4. The surfaces part as they approached, at 1 + G m/s. */
Test(drives, growing_balls_gain_energy)
{
    double G = 0.2 * pow(1.01, 4);
    cr_expect_float_eq(last_energy(HEAD GAS "\"ticks\": 20, \"dt\": 0.05, \"growth\": 0.2, "
                                            "\"bodies\": [{\"position\": [0, 0, 0]}, "
                                            "{\"position\": [1.3, 0, 0], "
                                            "\"velocity\": [-1, 0, 0]}]}"),
                       0.5 * (G * G + (1 + G) * (1 + G)), 1e-14);
}

/* An elastic gas keeps the energy that a thermostat gave it: 3/2 (n - 1) k_B T. The last due tick
 * is 20, as the next one, 40, has another temperature from a later item. */
Test(drives, a_thermostat_rescales)
{
    cr_expect_float_eq(last_energy(BOX_OF_GAS "\"thermostat\": {\"temperature\": 0.5}}"),
                       1.5 * 399 * 0.5, 1e-9 * 300);
    cr_expect_float_eq(last_energy(BOX_OF_GAS
                                   "\"thermostat\": [{\"temperature\": 3, \"every\": 20}, "
                                   "{\"temperature\": 0.25, \"tick\": 40, \"ticks\": 1}]}"),
                       1.5 * 399 * 0.25, 1e-9 * 150);
}

/* The gas of variance 4 takes the temperature of the bath: after 2 mean times between collisions
 * with it the excess is 3 exp(-2 * 2.05 s / s) = 0.05; the energy of 400 bodies fluctuates by
 * sqrt(2 / 1200) = 0.04. */
Test(drives, andersens_bath_gives_its_temperature)
{
    double energy = last_energy(
        BOX_OF_GAS "\"thermostat\": {\"kind\": \"andersen\", \"temperature\": 1, \"rate\": 2}}");
    cr_expect_float_eq(energy / 600, 1.03, 0.15, "%g", energy / 600);
}

/* Far from floor and piston the gas has the density at which Carnahan and Starling's Z n k_B T is
 * the pressure on the piston: n = 0.6 / pi, packing 0.1. The density of single samples varies by
 * 4 % with a period of about 50 s, so its mean over 500 s by 1 %; 2.5 % are allowed. */
Test(drives, a_piston_finds_the_volume_of_its_pressure)
{
    RUN_SCENE(PISTON, "--ticks", "6000", "--every", "50", "--csv", "t.csv", "--check");
    support_table t = support_trajectory();
    double inside = 0, samples = 0;
    for (size_t i = 0; i < t.rows; ++i) {
        const double *row = support_row(&t, i);
        if (row[0] < 1000) continue;
        samples += row[2] == 0;
        inside += row[5] > 10 && row[5] < 30;
    }
    double density = inside / samples / (20 * 64);
    cr_expect_float_eq(density / (0.6 / M_PI), 1, 0.025, "%g", density);
    free(t.values);
}

/* Grains of weight 112 * 9.81 N under a lid that 800 N press: both come to rest, and floor and
 * walls bear both. What is left is creep: the tolerance is 0.2 %. */
Test(drives, the_floor_bears_a_lid)
{
    static const char scene[] = HEAD
        "\"gravity\": [0, 0, -9.81], \"ticks\": 900, \"accumulate\": 60, \"bounds\": {\"min\": "
        "[0, 0, 0], \"max\": [4, 4, 20], \"friction\": 0.3}, \"planes\": [{\"normal\": [0, 0, "
        "-1], \"offset\": -9}], \"generators\": [{\"lattice\": {\"origin\": [0.6, 0.6, 0.6], "
        "\"spacing\": [1.05, 1.05, 1.05], \"count\": [4, 4, 7], \"jitter\": 0.02}}], "
        "\"servo\": {\"plane\": 0, \"force\": 800, \"mass\": 80, \"drag\": 4000, \"speed\": "
        "1}}";
    RUN_SCENE(scene, "--forces", "f.csv");
    char *text = support_read_file("f.csv");
    double down = 0, lid = 0, force[3];
    for (char *at = strstr(text, "900,15"); at; at = strchr(at + 1, '\n')) {
        char name[32];
        if (sscanf(at, "%*[\n]%*d,%*f,%31[^,],%lf,%lf,%lf", name, force, force + 1, force + 2) <
                4 &&
            sscanf(at, "%*d,%*f,%31[^,],%lf,%lf,%lf", name, force, force + 1, force + 2) < 4)
            continue;
        if (strcmp(name, "plane:0") == 0) lid = force[2];
        else down += force[2];
    }
    cr_expect_float_eq(lid, 800, 2, "the lid bears %g", lid);
    cr_expect_float_eq(-down, 800 + 112 * 9.81, 4, "floor and walls bear %g", down);
    free(text);
}

static uint64_t hash_of(const char *const *arguments)
{
    support_program p = support_kugel_run(NULL, arguments);
    cr_assert_eq(p.code, 0, "%s", p.err);
    uint64_t hash = strtoull(strstr(p.out, "hash 0x") + 5, NULL, 16);
    support_program_free(&p);
    return hash;
}
#define HASH(...) hash_of((const char *const[]){"s.json", "--quiet", __VA_ARGS__, NULL})

Test(drives, go_on_from_a_checkpoint_and_replay)
{
    support_write_file("s.json", PISTON);
    uint64_t hash = HASH("--ticks", "300", "--checkpoint", "c.kugel@200", "--record", "r.kugel");
    cr_expect_eq(HASH("--ticks", "300", "--threads", "3"), hash);
    cr_expect_eq(HASH("--ticks", "300", "--restart", "c.kugel"), hash);
    support_program p = support_run_program("tools/replay/kugel-replay",
                                            (const char *const[]){"verify", "r.kugel", NULL});
    cr_expect_eq(p.code, 0, "%s", p.err);
    support_program_free(&p);
    p = RUN("s.json", "--restart", "r.kugel@200");
    cr_expect(support_complains(&p, 2, "a recording has no forces on servos"));
    support_program_free(&p);
}

static uint64_t recorded_hash(const char *file)
{
    support_program p =
        support_run_program("tools/replay/kugel-replay", (const char *const[]){"info", file, NULL});
    const char *at = strstr(p.out, "last hash 0x");
    cr_assert(p.code == 0 && at, "%s", p.err);
    uint64_t hash = strtoull(at + 10, NULL, 16);
    support_program_free(&p);
    return hash;
}

#define MANY_ACTS                                                                                  \
    ", \"gravity\": [0, 0, -1], \"gravity_schedule\": [{\"tick\": 20, \"gravity\": [0, 1, -1]}], " \
    "\"motions\": [{\"tick\": 12, \"surface\": \"s\", \"position\": [4, 4, 60], \"ticks\": 8}], "  \
    "\"surfaces\": [{\"box\": {\"half\": [1, 1, 1]}, \"position\": [4, 4, 61], \"name\": "         \
    "\"s\"}], "                                                                                    \
    "\"drains\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"every\": 5}], \"emitters\": "         \
    "[{\"min\": [1, 1, 70], \"max\": [7, 7, 80], \"every\": 4}], \"impulses\": [{\"tick\": 20, "   \
    "\"body\": 300, \"impulse\": [0, 0, 1]}], \"forces\": [{\"body\": 301, \"force\": [0, 2, "     \
    "0]}]}"

/* Also of runs that end where acts are due, and after a restart: what is due after the last tick
 * has not acted. */
Test(drives, the_printed_hash_is_the_last_recorded_one)
{
    static const char *const ends[] = {"1", "12", "20", "21"};
    char scene[4096];
    for (int acts = 0; acts < 2; ++acts) {
        snprintf(scene, sizeof scene, "%.*s%s", (int)strlen(PISTON) - acts, PISTON,
                 acts ? MANY_ACTS : "");
        support_write_file("s.json", scene);
        uint64_t all = HASH("--ticks", "30");
        for (int k = 0; k < 4; ++k) {
            char checkpoint[16];
            snprintf(checkpoint, sizeof checkpoint, "c.kugel@%s", ends[k]);
            uint64_t hash =
                HASH("--ticks", ends[k], "--record", "r.kugel", "--checkpoint", checkpoint);
            cr_expect_eq(recorded_hash("r.kugel"), hash, "acts %d, %s ticks", acts, ends[k]);
            hash = HASH("--ticks", "30", "--restart", "c.kugel", "--record", "r.kugel");
            cr_expect_eq(hash, all, "acts %d, from tick %s", acts, ends[k]);
            cr_expect_eq(recorded_hash("r.kugel"), hash, "acts %d, from tick %s", acts, ends[k]);
        }
    }
}

/* The velocity that a servo leaves across its direction. Without drag, bodies and gravity v grows
 * by force dt / mass in each step but the last: after n steps the surface is at
 * force dt^2 n (n - 1) / 2 mass. */
static void check_path(const char *servos, const char *velocity, double x, double z)
{
    char scene[1024];
    snprintf(
        scene, sizeof scene,
        HEAD
        "\"ticks\": 60, \"bodies\": [{\"position\": [9, 9, 9]}], \"surfaces\": "
        "[{\"box\": {\"half\": [1, 1, 1]}, \"name\": \"s\", \"velocity\": %s}], \"servo\": [%s]}",
        velocity, servos);
    RUN_SCENE(scene, "--record", "r.kugel");
    char place[256];
    snprintf(place, sizeof place, "%s/r.kugel", support_folder());
    size_t size;
    FILE *file = fopen(place, "rb");
    cr_assert(file);
    static char data[1 << 20];
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    kugel_player *player;
    kugel_error error;
    cr_assert_eq(kugel_player_open(data, size, NULL, NULL, 1, &player, &error), KUGEL_OK, "%s",
                 error.message);
    cr_assert_eq(kugel_player_seek(player, 60), KUGEL_OK);
    kugel_surface_def def;
    const kugel_world *world = kugel_player_world(player);
    cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, 0), &def, NULL), KUGEL_OK);
    cr_expect_float_eq(def.position[0], x, 1e-12, "x %.17g", def.position[0]);
    cr_expect_float_eq(def.position[2], z, 1e-12, "z %.17g", def.position[2]);
    kugel_player_close(player);
}

Test(drives, servos_of_one_surface_leave_each_other_alone)
{
    static const char along_x[] =
        "{\"surface\": \"s\", \"direction\": [1, 0, 0], \"force\": 1, \"mass\": 1}";
    static const char along_z[] =
        "{\"surface\": \"s\", \"direction\": [0, 0, 1], \"force\": 1, \"mass\": 1}";
    char both[256];
    double path = 0.5 * 59 * 60 / (60. * 60);
    snprintf(both, sizeof both, "%s, %s", along_z, along_x);
    check_path(along_z, "[0, 0, 0]", 0, path);
    check_path(both, "[0, 0, 0]", path, path);
    check_path(along_z, "[1, 0, 0]", 1, path);
}

/* Rows need all of their ticks: a run that goes on from tick 20 has none of ticks 15 ... 30. */
Test(drives, rows_after_the_last_tick_are_reported)
{
    static const struct {
        const char *accumulate, *restart, *note;
    } runs[] = {
        {"30", NULL, ""},     {"31", NULL, "at tick 31\n"},     {"10", "c.kugel", ""},
        {"6", "c.kugel", ""}, {"8", "c.kugel", "at tick 32\n"}, {"15", "c.kugel", "at tick 45\n"}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k) {
        char scene[512];
        snprintf(
            scene, sizeof scene,
            HEAD
            "\"gravity\": [0, 0, -9.81], \"ticks\": 30, \"accumulate\": %s, \"bounds\": "
            "{\"min\": [0, 0, 0], \"max\": [4, 4, 20]}, \"bodies\": [{\"position\": [2, 2, 1]}]}",
            runs[k].accumulate);
        support_write_file("s.json", scene);
        support_program p =
            runs[k].restart
                ? RUN("s.json", "--quiet", "--forces", "f.csv", "--restart", runs[k].restart)
                : RUN("s.json", "--quiet", "--forces", "f.csv", "--checkpoint", "c.kugel@20");
        cr_assert_eq(p.code, 0, "%s", p.err);
        char *rows = support_read_file("f.csv");
        cr_expect_eq(support_count_lines(rows) == 1, runs[k].note[0] != 0, "%zu: %s", k, rows);
        cr_expect(runs[k].note[0] ? strstr(p.err, "s.json: note: accumulate: the first row of "
                                                  "--forces is due after the last tick, 30: ") &&
                                        strstr(p.err, runs[k].note)
                                  : !p.err[0],
                  "%zu: %s", k, p.err);
        free(rows);
        support_program_free(&p);
    }
}

/* A row of a run that began between two rows would lack ticks: it is left out. */
Test(drives, a_run_that_goes_on_between_rows_writes_whole_ones)
{
    static const char scene[] =
        HEAD "\"gravity\": [0, 0, -9.81], \"ticks\": 80, \"accumulate\": 10, \"bounds\": {\"min\": "
             "[0, 0, 0], \"max\": [4, 4, 20]}, \"bodies\": [{\"position\": [2, 2, 1]}]}";
    RUN_SCENE(scene, "--forces", "f.csv", "--checkpoint", "c.kugel@46");
    char *all = support_read_file("f.csv");
    support_program p = support_kugel_run(
        scene, (const char *const[]){"-", "--restart", "c.kugel", "--forces", "g.csv", NULL});
    cr_assert_eq(p.code, 0, "%s", p.err);
    char *rest = support_read_file("g.csv"), *rows = strchr(rest, '\n') + 1;
    cr_assert_eq(strncmp(rows, "60,", 3), 0, "%.40s", rows);
    cr_expect_str_eq(rows, strstr(all, "\n60,") + 1);
    free(all), free(rest);
    support_program_free(&p);
}

/* A servo finds its plane by name: 2 m/s^2 along the normal, down. The lid has moved by
 * n (n - 1) / 64 m after n ticks, so it meets the ball, at rest 0.75 m below, in the eighth, where
 * it has 7 / 4 m/s. The elastic ball gets twice as much. */
Test(drives, a_servo_names_its_plane)
{
    RUN_SCENE(HEAD
              "\"dt\": 0.125, \"ticks\": 9, \"bounce_threshold\": 0, \"slop\": 0, \"planes\": ["
              "{\"normal\": [1, 0, 0]}, {\"normal\": [0, 0, -1], \"offset\": -9, \"name\": "
              "\"lid\"}], \"bodies\": [{\"position\": [5, 0, 7.75], \"restitution\": 1}], "
              "\"servo\": {\"plane\": \"lid\", \"force\": 6, \"mass\": 3}}",
              "--csv", "t.csv", "--events", "e.csv");
    char *events = support_read_file("e.csv");
    cr_assert(strstr(events, ",impact,0,plane:lid,"), "%s", events);
    free(events);
    support_table t = support_trajectory();
    double down = support_row(&t, 9)[8];
    cr_assert_float_eq(down, -3.5, 1e-12, "%g", down);
    free(t.values);
}
