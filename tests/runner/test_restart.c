/* --restart: a run goes on from a recording or a checkpoint as if it had not been interrupted. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "
/* Ten balls in a box fall asleep; one is pushed at tick 100 and another at 250. A beam at 150. */
static const char scene[] = HEAD
    "\"ticks\": 400, \"gravity\": [0, 0, -10], \"bounds\": {\"min\": [-1, -1, 0], \"max\": [1, "
    "1, 9], \"faces\": [\"wall\", \"wall\", \"periodic\", \"periodic\", \"wall\", \"open\"]}, "
    "\"defaults\": {\"radius\": 0.2, \"restitution\": 0.3}, \"planes\": [{\"normal\": [0.6, 0, "
    "0.8], \"offset\": 0.1}], \"generators\": [{\"lattice\": {\"origin\": [0.3, 0, 1], "
    "\"spacing\": [1, 1, 0.5], \"count\": [1, 1, 10], \"jitter\": 0.02}}], "
    "\"impulses\": [{\"tick\": 100, \"body\": 0, \"impulse\": [0, 3, 3]}, "
    "{\"tick\": 250, \"body\": 7, \"impulse\": [0, 0, 8]}], "
    "\"beams\": [{\"tick\": 150, \"origin\": [0, 0, 9], \"direction\": [0, 0, -1]}]}";

static void run_ok(const char *input, const char *const *arguments, char hash[64])
{
    support_program run = support_kugel_run(input, arguments);
    cr_assert_eq(run.code, 0, "%s", run.err);
    strcpy(hash, support_line_from_end(run.out, 0));
    cr_assert_eq(strncmp(hash, "hash 0x", 7), 0);
    support_program_free(&run);
}

/* The rows of `file` from the first one of this tick on. */
static const char *rows_from(const char *text, unsigned tick)
{
    for (const char *row = strchr(text, '\n') + 1; *row; row = strchr(row, '\n') + 1) {
        if (strtoul(row, NULL, 10) >= tick) return row;
    }
    return text + strlen(text);
}

static void check_same_rows(const char *whole, const char *part, unsigned tick)
{
    char *a = support_read_file(whole), *b = support_read_file(part);
    cr_assert(a && b);
    cr_assert_str_eq(rows_from(a, tick), strchr(b, '\n') + 1, "%s and %s from tick %u", whole, part,
                     tick);
    free(a), free(b);
}

/* The end hash and all rows are those of the whole run; before, at and after each input. */
Test(restart, goes_on_to_the_same_hashes)
{
    char whole[64], part[64], argument[32];
    run_ok(scene,
           (const char *const[]){"-", "--record", "a.kugel", "--csv", "a.csv", "--events", "a.e",
                                 "--series", "a.s", NULL},
           whole);
    static const unsigned ticks[] = {0, 1, 99, 100, 101, 250, 399, 400};
    for (size_t k = 0; k < sizeof ticks / sizeof *ticks; ++k) {
        snprintf(argument, sizeof argument, "a.kugel@%u", ticks[k]);
        run_ok(NULL,
               (const char *const[]){"--restart", argument, "--csv", "b.csv", "--events", "b.e",
                                     "--series", "b.s", "--record", "b.kugel", "--check", NULL},
               part);
        cr_assert_str_eq(part, whole, "from tick %u", ticks[k]);
        check_same_rows("a.csv", "b.csv", ticks[k]);
        check_same_rows("a.e", "b.e", ticks[k] + 1);
        check_same_rows("a.s", "b.s", ticks[k] ? ticks[k] + 1 : 0);
    }
    run_ok(NULL,
           (const char *const[]){"--restart", "a.kugel@120", "--record", "b.kugel", "--threads",
                                 "2", "--no-states", NULL},
           part);
    cr_assert_str_eq(part, whole);
    /* tick 0 of a restarted run's recording is that at which it began */
    run_ok(NULL, (const char *const[]){"--restart", "b.kugel@30", "--csv", "c.csv", NULL}, part);
    cr_assert_str_eq(part, whole);
    check_same_rows("a.csv", "c.csv", 150);
}

/* A ball rolls over a hill, where a contact ends as another one with the surface begins. Beams
 * meet a plane whose normal is rounded when it is normalised. */
static const char hill[] =
    HEAD "\"ticks\": 200, \"gravity\": [0, 0, -9.81], "
         "\"surfaces\": [{\"heightfield\": {\"origin\": [0, -1, 0], \"spacing\": [1, 2], "
         "\"size\": [6, 2], \"heights\": [0, 0, 0.1, 0.1, 0, 0, 0, 0, 0.1, 0.1, 0, 0]}}], "
         "\"bodies\": [{\"position\": [0.3, 0, 0.5], \"velocity\": [1.9, 0, 0]}], "
         "\"planes\": [{\"normal\": [0.3122561451052745, 0.599531798602127, 0.7369245024484478], "
         "\"offset\": -9}], \"beams\": ["
         "{\"tick\": 190, \"origin\": [9, 1, 2], \"direction\": [0.3, 0.1, -0.7]}, "
         "{\"tick\": 191, \"origin\": [9, 5, 3], \"direction\": [0.1, -0.3, -0.7]}, "
         "{\"tick\": 192, \"origin\": [8, 7, 4], \"direction\": [-0.1, -0.7, -0.2]}, "
         "{\"tick\": 193, \"origin\": [9, 3, 2], \"direction\": [-0.2, 0.3, -0.9]}]}";

Test(restart, contacts_with_facets_and_beams_have_the_same_rows)
{
    char whole[64], part[64], argument[32];
    run_ok(hill, (const char *const[]){"-", "--record", "a.kugel", "--events", "a.e", NULL}, whole);
    for (unsigned tick = 20; tick < 200; tick += 24) {
        snprintf(argument, sizeof argument, "a.kugel@%u", tick);
        run_ok(NULL, (const char *const[]){"--restart", argument, "--events", "b.e", NULL}, part);
        cr_assert_str_eq(part, whole, "from tick %u", tick);
        check_same_rows("a.e", "b.e", tick + 1);
    }
}

/* The hash of each tick is that of the uninterrupted run. */
Test(restart, every_tick_has_the_recorded_hash)
{
    char hash[64], *data[2];
    size_t size[2];
    kugel_player *players[2];
    run_ok(NULL,
           (const char *const[]){"pile", "--quiet", "--ticks", "60", "--record", "a.kugel", NULL},
           hash);
    run_ok(NULL,
           (const char *const[]){"--restart", "a.kugel@37", "--quiet", "--ticks", "60", "--record",
                                 "b.kugel", NULL},
           hash);
    for (int k = 0; k < 2; ++k) {
        char path[128];
        snprintf(path, sizeof path, "%s/%c.kugel", support_folder(), "ab"[k]);
        FILE *file = fopen(path, "rb");
        cr_assert(file && fseek(file, 0, SEEK_END) == 0);
        size[k] = (size_t)ftell(file);
        data[k] = malloc(size[k]);
        rewind(file);
        cr_assert_eq(fread(data[k], 1, size[k], file), size[k]);
        fclose(file);
        cr_assert_eq(kugel_player_open(data[k], size[k], NULL, NULL, 1, &players[k], NULL),
                     KUGEL_OK);
    }
    for (uint64_t tick = 1; tick <= 23; ++tick) {
        cr_assert_eq(kugel_player_hash(players[1], tick), kugel_player_hash(players[0], 37 + tick),
                     "tick %u", (unsigned)tick);
    }
    for (int k = 0; k < 2; ++k) kugel_player_close(players[k]), free(data[k]);
}

/* Options of the first run: its ticks are found in the recording, its length is not. */
Test(restart, other_ticks)
{
    char whole[64], part[64];
    run_ok(scene,
           (const char *const[]){"-", "--record", "a.kugel", "--dt", "0.01", "--substeps", "3",
                                 "--ticks", "420", NULL},
           whole);
    run_ok(NULL, (const char *const[]){"--restart", "a.kugel@77", "--ticks", "420", NULL}, part);
    cr_assert_str_eq(part, whole);
    support_program run = RUN("--restart", "a.kugel@410");
    cr_assert(support_complains(&run, 2,
                                "--restart: a.kugel: the run is at tick 410, and the scene ends at "
                                "400: give --ticks"));
    support_program_free(&run);
    run = RUN("--restart", "a.kugel@410", "--ticks", "409");
    cr_assert(support_complains(
        &run, 2, "--restart: a.kugel: the run is at tick 410, and --ticks ends it at 409"));
    support_program_free(&run);
    run_ok(NULL,
           (const char *const[]){"--restart", "a.kugel@77", "--ticks", "420", "--record", "b.kugel",
                                 NULL},
           part);
    run = RUN("--restart", "b.kugel@5", "--ticks", "420");
    cr_assert(support_complains(&run, 2,
                                "--restart: b.kugel: its ticks are not 0.01666666667 s "
                                "long, as its scene says: give --dt"));
    support_program_free(&run);
    run_ok(NULL,
           (const char *const[]){"--restart", "b.kugel@5", "--ticks", "420", "--dt", "0.01", NULL},
           part);
    cr_assert_str_eq(part, whole);
}

/* All kinds of acts at tick 0, which come after its state: rows, beams and energies are those of
 * the whole run. So it is from the start of a flight recorder's segment. */
static const char busy[] = HEAD
    "\"ticks\": 60, \"gravity\": [0, 0, -10], \"bounds\": {\"min\": [-2, -2, 0], \"max\": [2, 2, "
    "8]}, \"defaults\": {\"radius\": 0.1}, \"bodies\": [{\"position\": [0, 0, 1], \"type\": "
    "\"kinematic\", \"radius\": 0.5}, {\"position\": [1, 1, 1]}, {\"position\": [-1, -1, 1]}], "
    "\"emitters\": [{\"every\": 5, \"count\": 20, \"min\": [-0.5, -0.5, 5], \"max\": [0.5, 0.5, "
    "6]}], \"drains\": [{\"every\": 10, \"min\": [-2, -2, 0], \"max\": [0, 0, 2]}], \"motions\": "
    "[{\"body\": 0, \"position\": [1, 0, 2], \"ticks\": 40}], \"forces\": [{\"body\": 1, "
    "\"force\": "
    "[0, 0, 3]}], \"impulses\": [{\"body\": 1, \"impulse\": [1, 0, 0]}], \"gravity_schedule\": "
    "[{\"tick\": 0, \"gravity\": [0, 1, -9]}], \"beams\": [{\"origin\": [0, 0, 7], \"direction\": "
    "[0, 0, -1]}]}";

Test(restart, tick_0_comes_before_its_acts)
{
    support_program whole =
        support_kugel_run(busy, (const char *const[]){"-", "--record", "a.kugel", "--csv", "a.csv",
                                                      "--events", "a.e", "--series", "a.s", NULL});
    cr_assert_eq(whole.code, 0, "%s", whole.err);
    support_program run = RUN("--restart", "a.kugel@0", "--csv", "b.csv", "--events", "b.e",
                              "--series", "b.s", "--record", "b.kugel", "--check");
    cr_assert_str_eq(run.out, whole.out);
    check_same_rows("a.csv", "b.csv", 0);
    check_same_rows("a.e", "b.e", 0);
    check_same_rows("a.s", "b.s", 0);
    support_program_free(&run);
    run = support_run_program(
        "tools/replay/kugel-replay",
        (const char *const[]){"export", "b.kugel", "--format", "csv", "-o", "c.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    check_same_rows("a.csv", "c.csv", 0);
    support_program_free(&run);
    char hash[64];
    run_ok(busy, (const char *const[]){"-", "--record", "l.kugel", "--last", "10", NULL}, hash);
    run_ok(NULL, (const char *const[]){"--restart", "l.kugel@0", "--csv", "c.csv", NULL}, hash);
    cr_assert_str_eq(hash, support_line_from_end(whole.out, 0));
    check_same_rows("a.csv", "c.csv", 50);
    support_program_free(&whole);
}

/* The acts of tick 0 are those of the scene beside it. */
Test(restart, tick_0_with_other_acts)
{
    char hash[64];
    run_ok(busy, (const char *const[]){"-", "--record", "a.kugel", NULL}, hash);
    run_ok(HEAD "\"ticks\": 1, \"emitters\": [{\"position\": [1, 1, 7], \"ticks\": 1}]}",
           (const char *const[]){"-", "--restart", "a.kugel@0", "--csv", "b.csv", NULL}, hash);
    char *text = support_read_file("b.csv");
    cr_assert_eq(support_count_lines(text), 1 + 3 + 4, "%s", text);
    free(text);
}

/* A scene beside it gives what is to come; the world is the recorded one. */
Test(restart, with_a_scene)
{
    char hash[64];
    run_ok(HEAD "\"ticks\": 8, \"dt\": 0.125, \"bodies\": [{\"position\": [0, 0, 0], \"velocity\": "
                "[1, 0, 0]}]}",
           (const char *const[]){"-", "--record", "a.kugel", NULL}, hash);
    run_ok(HEAD "\"ticks\": 12, \"dt\": 0.25, \"bodies\": [], \"impulses\": "
                "[{\"tick\": 3, \"body\": 0, \"impulse\": [9, 0, 0]}, "
                "{\"tick\": 10, \"body\": 0, \"impulse\": [1, 0, 0]}]}",
           (const char *const[]){"-", "--restart", "a.kugel@8", "--csv", "b.csv", NULL}, hash);
    char *text = support_read_file("b.csv");
    cr_assert_str_eq(text, "tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n"
                           "8,2,0,1,0,0,1,0,0,0,0,0\n9,2.25,0,1.25,0,0,1,0,0,0,0,0\n"
                           "10,2.5,0,1.5,0,0,1,0,0,0,0,0\n11,2.75,0,2,0,0,2,0,0,0,0,0\n"
                           "12,3,0,2.5,0,0,2,0,0,0,0,0\n");
    free(text);
}

/* The bounds are the recorded ones as well: those of the scene beside it hold no emitter back. */
Test(restart, emitters_are_in_the_recorded_bounds)
{
    char hash[64];
    run_ok(HEAD
           "\"ticks\": 2, \"bounds\": {\"min\": [0, 0, 0], \"max\": [9, 9, 9]}, \"bodies\": []}",
           (const char *const[]){"-", "--record", "a.kugel", NULL}, hash);
    static const char *const rows[][2] = {{"8", ""},
                                          {"12", "emitters[0].position[2]: 12 is outside"}};
    for (size_t k = 0; k < 2; ++k) {
        char json[256];
        snprintf(json, sizeof json,
                 HEAD "\"ticks\": 3, \"bounds\": {\"min\": [0, 0, 0], \"max\": [5, 5, %d]}, "
                      "\"emitters\": [{\"position\": [2, 2, %s]}]}",
                 k ? 20 : 5, rows[k][0]);
        support_program run = support_kugel_run(
            json, (const char *const[]){"-", "--restart", "a.kugel@2", "--quiet", NULL});
        cr_assert(*rows[k][1] ? support_complains(&run, 2, rows[k][1])
                              : !run.code && strncmp(run.out, "bodies 1\n", 9) == 0,
                  "%s%s", run.out, run.err);
        support_program_free(&run);
    }
}

Test(restart, refusals)
{
    static const struct {
        char argument[24], complaint[80];
    } rows[] = {{"a.kugel", "--restart: a.kugel: data: is not a snapshot (FILE@TICK is a tick of"},
                {"", "--restart: must be FILE@TICK, got ''"},
                {"none", "--restart: none: cannot be opened: No such file"},
                {"@5", "--restart: must be FILE@TICK, got '@5'"},
                {"a.kugel@", "--restart: must be FILE@TICK, got 'a.kugel@'"},
                {"a.kugel@x", "--restart: a.kugel@x: cannot be opened: No such file"},
                {"a.kugel@-1", "--restart: a.kugel@-1: cannot be opened: No such file"},
                {"a@b@99999999999999", "--restart: TICK: must be a whole number"},
                {"a.kugel@4", "--restart: a.kugel: there is no tick 4, the last is 3"},
                {"none.kugel@4", "--restart: none.kugel: cannot be opened: No such file"},
                {"text@0", "--restart: text: recording: does not begin"}};
    char hash[64];
    support_write_file("text", "no recording");
    run_ok(NULL, (const char *const[]){"cradle", "--ticks", "3", "--record", "a.kugel", NULL},
           hash);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        support_program run = RUN("--restart", rows[k].argument);
        cr_assert(support_complains(&run, 2, rows[k].complaint), "%s", rows[k].argument);
        support_program_free(&run);
    }
    support_program run = RUN("--restart", "a.kugel@1", "--seed", "3");
    cr_assert(support_complains(&run, 2, "--seed: has no use with --restart"));
    support_program_free(&run);
    run = RUN("--restart", "a.kugel@1", "--record", "a.kugel");
    cr_assert(support_complains(&run, 2, "--record: a.kugel is --restart as well"));
    support_program_free(&run);
    run = RUN("-", "--restart", "-@1");
    cr_assert(support_complains(&run, 2, "--restart: standard input is the scene as well"));
    support_program_free(&run);
}

/* A checkpoint holds the last tick that was due: before, at and after an input, which acts once. */
Test(restart, checkpoints)
{
    char whole[64], part[64], argument[32];
    static const unsigned ticks[] = {70, 100, 101, 399};
    run_ok(scene, (const char *const[]){"-", "--csv", "a.csv", NULL}, whole);
    for (size_t k = 0; k < sizeof ticks / sizeof *ticks; ++k) {
        snprintf(argument, sizeof argument, "c@%u", ticks[k]);
        char end[16];
        snprintf(end, sizeof end, "%u", ticks[k] * 2 - 1);
        run_ok(scene, (const char *const[]){"-", "--checkpoint", argument, "--ticks", end, NULL},
               part);
        cr_assert_eq(support_count_files("c"), 1);
        run_ok(scene,
               (const char *const[]){"-", "--restart", "c", "--csv", "b.csv", "--checkpoint",
                                     "c@90", "--threads", "2", "--check", NULL},
               part);
        cr_assert_str_eq(part, whole, "from tick %u", ticks[k]);
        check_same_rows("a.csv", "b.csv", ticks[k]);
        /* it was replaced by that of the second run */
        run_ok(scene, (const char *const[]){"-", "--restart", "c", "--csv", "b.csv", NULL}, part);
        cr_assert_str_eq(part, whole);
        check_same_rows("a.csv", "b.csv", ticks[k] == 399 ? 399 : 360);
    }
}

/* A checkpoint of a lattice at rest is small for its bodies. */
Test(restart, memory)
{
    static const char lattice[] =
        HEAD "\"ticks\": 2, \"generators\": [{\"lattice\": "
             "{\"origin\": [0, 0, 0], \"spacing\": [2, 2, 2], \"count\": [30, 30, 30]}}]}";
    char whole[64], part[64];
    run_ok(lattice, (const char *const[]){"-", NULL}, whole);
    run_ok(lattice, (const char *const[]){"-", "--checkpoint", "c@1", "--ticks", "1", NULL}, part);
    run_ok(lattice, (const char *const[]){"-", "--restart", "c", "--memory", "100", NULL}, part);
    cr_assert_str_eq(part, whole);
    support_program run = support_kugel_run(
        lattice, (const char *const[]){"-", "--restart", "c", "--memory", "2", NULL});
    cr_assert(support_complains(&run, 2, "--restart: c: snapshot: needs "), "%s", run.err);
    cr_assert(strstr(run.err, "limits.bytes allows 2097152; --memory raises it"), "%s", run.err);
    support_program_free(&run);
    run = support_kugel_run(lattice, (const char *const[]){"-", "--memory", "2", NULL});
    cr_assert(support_complains(&run, 2, "27000 bodies need more than --memory allows"), "%s",
              run.err);
    support_program_free(&run);
}

Test(restart, a_checkpoint_after_the_last_tick_is_reported)
{
    static const char note[] = "cradle: note: --checkpoint: the first one is due after the last "
                               "tick, 4: at tick 5\n";
    support_program late = RUN("cradle", "--quiet", "--ticks", "4", "--checkpoint", "c@5"),
                    due = RUN("cradle", "--quiet", "--ticks", "4", "--checkpoint", "d@4");
    cr_expect(late.code == 0 && strstr(late.err, note), "%s", late.err);
    cr_expect(due.code == 0 && !strstr(due.err, "note: --checkpoint"), "%s", due.err);
    cr_expect(support_count_files("c") == 0 && support_count_files("d") == 1);
    support_program_free(&late), support_program_free(&due);
}

Test(restart, checkpoints_refused)
{
    static const struct {
        int code;
        char argument[24], complaint[80];
    } rows[] = {{2, "c@", "--checkpoint: must be FILE@N, got 'c@'"},
                {2, "", "--checkpoint: needs a file name"},
                {2, "c@1s", "--checkpoint: N: must be a whole number in [1, "},
                {2, "s.json", "--checkpoint: s.json is the scene as well"},
                {2, "c@0", "--checkpoint: N: must be a whole number in [1, "},
                {2, "c@3@9", "--checkpoint: c@3: --restart would read it as FILE@TICK"},
                {2, "-@9", "--checkpoint: cannot go to standard output"},
                {2, "s.json@5", "--checkpoint: s.json is the scene as well"},
                {2, "b.csv@5", "--checkpoint: b.csv is --csv as well"},
                {4, "no/c@5", "--checkpoint: no/c: cannot be written: No such file"}};
    char hash[64];
    support_write_file("s.json", scene);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        support_program run = RUN("s.json", "--csv", "b.csv", "--checkpoint", rows[k].argument);
        cr_assert(support_complains(&run, rows[k].code, rows[k].complaint), "%s", rows[k].argument);
        support_program_free(&run);
    }
    cr_assert_eq(support_count_files("b.csv"), 0);
    run_ok(NULL, (const char *const[]){"cradle", "--ticks", "4", "--checkpoint", "c@2", NULL},
           hash);
    support_program run = RUN("--restart", "c");
    cr_assert(support_complains(&run, 2, "--restart: c holds no scene: give one as well"));
    support_program_free(&run);
    run = RUN("cradle", "--restart", "c", "--ticks", "3");
    cr_assert(support_complains(&run, 2, "--restart: c: the run is at tick 4"));
    support_program_free(&run);
    run = RUN("cradle", "--restart", "c@4");
    cr_assert(support_complains(&run, 2, "--restart: c: recording: does not begin"));
    support_program_free(&run);
}

static bool write_to(void *user, const void *data, size_t size)
{
    return fwrite(data, 1, size, user) == size;
}

/* Record `ticks` of 1/60 s of a world that another program made. */
static void record_world(kugel_world *world, const char *name, int ticks)
{
    char path[128];
    kugel_recording_def recording = kugel_recording_def_default();
    snprintf(path, sizeof path, "%s/%s", support_folder(), name);
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    recording.write = write_to;
    recording.user = file;
    kugel_world_recording_start(world, &recording);
    for (int k = 0; k < ticks; ++k) kugel_world_step(world, 1.0 / 60);
    kugel_world_recording_stop(world);
    fclose(file);
}

/* A recording of a program of one's own holds no scene. */
Test(restart, recordings_without_a_scene)
{
    char hash[64];
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def body = kugel_body_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_body_create(world, &body, NULL);
    record_world(world, "own.kugel", 5);
    support_program run = RUN("--restart", "own.kugel@2");
    cr_assert(support_complains(&run, 2, "--restart: own.kugel holds no scene: give one as well"));
    support_program_free(&run);
    run_ok(HEAD "\"ticks\": 5, \"bodies\": []}",
           (const char *const[]){"-", "--restart", "own.kugel@2", NULL}, hash);
    char expected[64];
    snprintf(expected, sizeof expected, "hash 0x%016llx",
             (unsigned long long)kugel_world_hash(world));
    cr_assert_str_eq(hash, expected);
    kugel_world_destroy(world);
}

/* The recorded surfaces count, not those of the scene beside it: a beam meets the lift, and the
 * energy that it gives a ball is no gain. */
Test(restart, the_surfaces_are_those_recorded)
{
    char hash[64];
    run_ok(HEAD
           "\"ticks\": 20, \"gravity\": [0, 0, -9.81], \"surfaces\": [{\"box\": {\"half\": [3, 3, "
           "0.5]}, \"velocity\": [0, 0, 2]}], \"bodies\": [{\"position\": [0, 0, 1]}]}",
           (const char *const[]){"-", "--record", "a.kugel", NULL}, hash);
    run_ok(
        HEAD "\"ticks\": 90, \"bodies\": [], \"beams\": [{\"tick\": 30, \"origin\": [-9, 0, 1], "
             "\"direction\": [1, 0, 0]}]}",
        (const char *const[]){"-", "--restart", "a.kugel@20", "--events", "e.csv", "--check", NULL},
        hash);
    char *text = support_read_file("e.csv");
    cr_assert(strstr(text, "\n30,0.5,beam,0,surface:0,-3,"), "%s", text);
    free(text);
}

/* Scenes have no groups. Two balls of one group pass each other and a sheet of the group. */
Test(restart, groups_are_no_overlaps)
{
    char hash[64];
    static const double corners[] = {-9, -9, 0, 9, -9, 0, 0, 9, 0};
    static const uint32_t triangle[] = {0, 1, 2};
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_surface_def sheet = kugel_surface_def_default();
    sheet.vertices = corners, sheet.vertex_count = 3;
    sheet.triangles = triangle, sheet.triangle_count = 1;
    sheet.group = 7;
    cr_assert_eq(kugel_surface_create(world, &sheet, NULL), KUGEL_OK);
    for (int k = -1; k <= 1; k += 2) {
        kugel_body_def body = kugel_body_def_default();
        body.position[2] = k * 2;
        body.velocity[2] = -k;
        body.group = 7;
        cr_assert_eq(kugel_body_create(world, &body, NULL), KUGEL_OK);
    }
    record_world(world, "own.kugel", 9);
    kugel_world_destroy(world);
    run_ok(HEAD "\"ticks\": 300, \"bodies\": []}",
           (const char *const[]){"-", "--restart", "own.kugel@9", "--check", NULL}, hash);
}

/* Digits behind the last '@' are a tick; all else is a name. */
Test(restart, a_checkpoint_with_an_at_sign)
{
    static const char *const names[] = {"a@b", "3@c", "@d", "a@5e"};
    char whole[64], part[64];
    run_ok(NULL, (const char *const[]){"cradle", "--ticks", "9", NULL}, whole);
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char argument[16];
        snprintf(argument, sizeof argument, "%s@5", names[k]);
        run_ok(NULL,
               (const char *const[]){"cradle", "--ticks", "9", "--checkpoint", argument, NULL},
               part);
        run_ok(NULL, (const char *const[]){"cradle", "--ticks", "9", "--restart", names[k], NULL},
               part);
        cr_assert_str_eq(part, whole, "%s", names[k]);
    }
}

/* The files of a scene beside it are not read, and stay. */
Test(restart, inputs_of_the_scene_are_no_outputs)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    static const char *const rows[][2] = {
        {"\"bodies\": \"keep.csv\"", "--csv: keep.csv is the file of bodies as well"},
        {"\"bodies\": \"keep.csv@3\"", "--csv: keep.csv is the file of bodies as well"},
        {"\"bodies\": [], \"surfaces\": [{\"mesh\": \"keep.csv\"}]",
         "--csv: keep.csv is a mesh of the scene as well"}};
    char hash[64];
    run_ok(NULL, (const char *const[]){"cradle", "--ticks", "3", "--record", "a.kugel", NULL},
           hash);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char json[256];
        support_write_file("keep.csv", text);
        snprintf(json, sizeof json, HEAD "%s}", rows[k][0]);
        support_program run = support_kugel_run(
            json, (const char *const[]){"-", "--restart", "a.kugel@2", "--csv", "keep.csv", NULL});
        cr_assert(support_complains(&run, 2, rows[k][1]), "%s", json);
        support_program_free(&run);
        char *kept = support_read_file("keep.csv");
        cr_assert_str_eq(kept, text);
        free(kept);
    }
}
