/* kugel-replay export and seek: tables equal those of a run; outputs are complete or absent. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/recorder.h"
#include "record/support_replay.h"

/* The table that a run of the same scene writes: the exported file must be equal to it. */
static char *csv_table(uint64_t ticks)
{
    char *text = calloc(1, 1 << 20), *at = text;
    kugel_world_def def = support_drive_def();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_drive_fill(world);
    at += sprintf(at, "tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n");
    for (uint64_t tick = 0;; ++tick) {
        uint32_t ids[16], n;
        double x[48], v[48], w[48];
        n = kugel_world_read_arrays(
            world, 16, &(kugel_body_arrays){.ids = ids, .position = x, .velocity = v, .spin = w});
        for (uint32_t i = 0; i < n; ++i) {
            at += sprintf(at, "%d,%.17g,%u", (int)tick, (double)tick * (1 / 60.), ids[i]);
            for (int k = 0; k < 3; ++k) at += sprintf(at, ",%.17g", x[3 * i + (uint32_t)k]);
            for (int k = 0; k < 3; ++k) at += sprintf(at, ",%.9g", v[3 * i + (uint32_t)k]);
            for (int k = 0; k < 3; ++k) at += sprintf(at, ",%.9g", w[3 * i + (uint32_t)k]);
            at += sprintf(at, "\n");
        }
        if (tick == ticks) break;
        support_drive_calls(world, tick, 4);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    }
    kugel_world_destroy(world);
    return text;
}

Test(replay_export, export_csv)
{
    support_save_run("a", 60, false, 4);
    char *expected = csv_table(60);
    support_outcome o =
        REPLAY("export", support_path("a"), "--format", "csv", "-o", support_path("a.csv"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_str_empty(o.out);
    char *got = support_read_file("a.csv");
    cr_assert_str_eq(got, expected);
    free(got);
    o = support_replay(
        NULL, support_path("b.csv"),
        (const char *const[]){"export", "--format=csv", "-o-", support_path("a"), NULL});
    cr_assert_eq(o.code, 0, "%s", o.err);
    got = support_read_file("b.csv");
    cr_assert_str_eq(got, expected);
    free(got);
    free(expected);
}

/* A file would hold a part: only standard output gets the ticks before the damage. */
Test(replay_export, damaged_recordings)
{
    support_file recording = support_record(60, true, 1, 4, NULL);
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&recording, KG_TYPE_TICK, 1, &at, &view));
    recording.data[at + KG_CHUNK_HEADER + 9] ^= 16;
    support_save("a", &recording);
    support_file_free(&recording);
    support_outcome o = REPLAY("export", support_path("a"), "-o", support_path("a.csv"));
    cr_assert(o.code == 2 && strstr(o.err, "damaged at byte"), "%d: %s", o.code, o.err);
    cr_assert_null(support_read_file("a.csv"));
    o = support_replay(
        NULL, support_path("b.csv"),
        (const char *const[]){"export", "--format=csv", "-o-", support_path("a"), NULL});
    cr_assert_eq(o.code, 2);
    char *got = support_read_file("b.csv"), *expected = csv_table(30);
    cr_assert_str_eq(got, expected);
    free(got), free(expected);
}

Test(replay_export, seek_prints_the_rows_of_a_tick)
{
    support_save_run("a", 60, true, 4);
    char *table = csv_table(60);
    for (int tick = 0; tick <= 60; tick += 15) {
        char number[8], first[16], last[16];
        snprintf(number, sizeof number, "%d", tick);
        snprintf(first, sizeof first, "\n%d,", tick);
        snprintf(last, sizeof last, "\n%d,", tick + 1);
        support_outcome o = REPLAY("seek", support_path("a"), number);
        cr_assert_eq(o.code, 0, "%s", o.err);
        const char *from = strstr(table, first) + 1, *to = strstr(table, last);
        size_t size = to ? (size_t)(to + 1 - from) : strlen(from);
        const char *rows = strchr(o.out, '\n') + 1;
        cr_assert_eq(strlen(rows), size, "tick %d", tick);
        cr_assert_eq(strncmp(rows, from, size), 0, "tick %d", tick);
    }
    free(table);
}

static double time_of_row(const char *row)
{
    double time;
    cr_assert(row && sscanf(row, "%*u,%lf,", &time) == 1, "%s", row ? row : "no row");
    return time;
}

/* A recording of a restarted run begins at the tick of the restart, or later with --last: info
 * prints that tick as the rows of the run count it. */
Test(replay_export, info_has_the_tick_at_which_a_recording_begins)
{
    support_program run = RUN("gas", "--quiet", "--ticks", "42", "--record", "a");
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    support_outcome o = REPLAY("info", support_path("a"));
    cr_assert_null(strstr(o.out, "tick 0 is"), "%s", o.out);
    for (int last = 0; last < 2; ++last) {
        run = RUN("--restart", "a@30", "--quiet", "--record", "b", "--ticks", "42",
                  last ? "--last" : NULL, "4");
        cr_assert_eq(run.code, 0, "%s", run.err);
        support_program_free(&run);
        o = REPLAY("info", support_path("b"));
        const char *ticks = strstr(o.out, "\nticks "), *line = strstr(o.out, "\ntick 0 is tick ");
        unsigned count = 0, first = 0;
        cr_assert(ticks && sscanf(ticks, "\nticks %u", &count) == 1, "%s", o.out);
        cr_assert(line && sscanf(line, "\ntick 0 is tick %u of the run", &first) == 1, "%s", o.out);
        cr_assert_eq(first + count, 42, "%s", o.out);
        cr_assert(last ? first > 30 : first == 30, "%s", o.out);
    }
}

/* The last ticks of a run, of which most were forgotten: the first state has its time as well. */
Test(replay_export, the_end_of_a_run_keeps_its_time)
{
    support_program run = RUN("gas", "--quiet", "--ticks", "42", "--last", "4", "--record", "a");
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_outcome o = REPLAY("info", support_path("a"));
    const char *line = strstr(o.out, "tick 0 is tick ");
    unsigned origin = 0;
    cr_assert(line && sscanf(line, "tick 0 is tick %u of the run", &origin) == 1 && origin > 0,
              "%s", o.out);
    o = support_replay(
        NULL, support_path("a.csv"),
        (const char *const[]){"export", support_path("a"), "--format=csv", "-o-", NULL});
    cr_assert_eq(o.code, 0, "%s", o.err);
    char *table = support_read_file("a.csv"), *at = strchr(table, '\n') + 1;
    for (unsigned tick = 0; tick <= 42 - origin; ++tick) {
        char first[16];
        snprintf(first, sizeof first, "\n%u,", tick);
        cr_assert_float_eq(time_of_row(strstr(table, first) + 1), (origin + tick) / 60., 1e-12,
                           "tick %u", tick);
    }
    o = support_replay(NULL, support_path("0.csv"),
                       (const char *const[]){"seek", support_path("a"), "0", NULL});
    char *start = support_read_file("0.csv");
    cr_assert_eq(strncmp(strchr(start, '\n') + 1, at, strcspn(at, "\n")), 0, "%s", start);
    free(table), free(start);
    support_program_free(&run);
}

Test(replay_export, export_xyz)
{
    support_save_run("a", 16, false, 4);
    support_outcome o =
        REPLAY("export", support_path("a"), "--format", "xyz", "-o", support_path("a.xyz"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    char *text = support_read_file("a.xyz");
    cr_assert_eq(support_count_lines(text), 16 * (9 + 2) + (8 + 2),
                 "body 1 is gone in the last of 17 frames");
    static const char head[] = "9\nProperties=species:S:1:pos:R:3:velo:R:3:radius:R:1:id:I:1:"
                               "mass:R:1:masses:R:1:momenta:R:3:image:I:3 tick=0 time=0\n";
    cr_assert_eq(strncmp(text, head, strlen(head)), 0, "%s", text);
    double x[3], v[3], radius, mass, masses, p[3];
    unsigned id;
    int n = sscanf(strstr(text, "time=0\n") + 7,
                   "X %lf %lf %lf %lf %lf %lf %lf %u %lf %lf %lf %lf %lf", &x[0], &x[1], &x[2],
                   &v[0], &v[1], &v[2], &radius, &id, &mass, &masses, &p[0], &p[1], &p[2]);
    cr_assert_eq(n, 13);
    cr_assert(x[0] == -1 && x[1] == -1 && x[2] == 1 && radius == 0.4 && id == 0);
    cr_assert(mass > 0 && masses == mass);
    for (int k = 0; k < 3; ++k) cr_assert_float_eq(p[k], mass * v[k], 1e-8 * fabs(p[k]));
    free(text);
}

/* A play that breaks off half-way leaves the old output as it was, and no other file. */
Test(replay_export, a_failed_export_leaves_nothing)
{
    support_file file = support_record(20, true, 1, 4, NULL), old = {0};
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    size_t op = KG_TICK_RANGE_HEADER;
    while (payload[op] != KG_OP_FORCE) op += kg_call_size(payload[op]);
    kg_put64(payload + op + 1, 999); /* no such body */
    support_file bad = support_replace_chunk(&file, at, payload, size);
    support_save("a", &bad);
    support_file_write(&old, "old\n", 4);
    support_save("a.csv", &old);
    support_outcome o =
        REPLAY("export", support_path("a"), "--format", "csv", "-o", support_path("a.csv"));
    support_check_refused(&o, 2, "tick 3");
    char *text = support_read_file("a.csv");
    cr_assert_str_eq(text, "old\n");
    cr_assert_eq(support_all_files(), 4, "a, a.csv, stdout, stderr");
    o = REPLAY("verify", support_path("a"));
    support_check_refused(&o, 2, "body");
    free(text);
    free(payload);
    support_file_free(&bad);
    support_file_free(&old);
    support_file_free(&file);
}

Test(replay_export, outputs_that_have_no_place)
{
    support_save_run("a", 20, true, 4);
    support_outcome o =
        REPLAY("export", support_path("a"), "--format", "csv", "-o", support_path("no/such/place"));
    support_check_refused(&o, 4, "no/such/place");
}

Test(replay_export, outputs_that_are_full)
{
    if (access("/dev/full", W_OK) != 0) cr_skip_test("there is no /dev/full here");
    support_save_run("a", 20, true, 4);
    cr_assert_eq(symlink("/dev/full", support_path("full")), 0); /* see devices_stay_devices */
    support_outcome o =
        REPLAY("export", support_path("a"), "--format", "csv", "-o", support_path("full"));
    support_check_refused(&o, 4, "cannot");
    static const char *const commands[] = {"verify", "info"};
    for (int k = 0; k < 2; ++k) {
        o = support_replay(NULL, "/dev/full",
                           (const char *const[]){commands[k], support_path("a"), NULL});
        support_check_refused(&o, 4, "standard output");
    }
    o = support_replay(NULL, "/dev/full",
                       (const char *const[]){"seek", support_path("a"), "5", NULL});
    support_check_refused(&o, 4, "standard output");
    o = support_replay(
        NULL, "/dev/full",
        (const char *const[]){"export", support_path("a"), "--format=csv", "-o-", NULL});
    cr_assert_eq(o.code, 4);
    cr_assert_eq(support_count_lines(o.err), 1, "%s", o.err);
}

/* Devices are written as they are, not replaced by a file. By a link in the test's own folder: a
 * tool that is wrong here, run with all rights, must not be able to replace the system's device. */
Test(replay_export, devices_stay_devices)
{
    support_save_run("a", 3, true, 4);
    cr_assert_eq(symlink("/dev/null", support_path("null")), 0);
    support_outcome o =
        REPLAY("export", support_path("a"), "--format", "csv", "-o", support_path("null"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    struct stat info;
    cr_assert_eq(lstat(support_path("null"), &info), 0);
    cr_assert(S_ISLNK(info.st_mode), "the link was replaced by a file");
    cr_assert_eq(support_all_files(), 4, "a, null, stdout, stderr");
}

static void save_run_and_links(void)
{
    support_save_run("a", 3, true, 4);
    cr_assert_eq(symlink("a", support_path("link")), 0);
    cr_assert_eq(symlink(".", support_path("self")), 0);
    cr_assert_eq(link(support_path("a"), support_path("hard")), 0);
}

/* The recording is not overwritten, by whatever name: a link, another spelling, standard input. */
Test(replay_export, an_output_does_not_swallow_the_recording)
{
    save_run_and_links();
    char *before = support_read_file("a");
    static const char *const names[] = {"a", "./a", "link", "hard", "self/a"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        for (int view = 0; view < 2; ++view) {
            const char *out = support_path(names[k]);
            support_outcome o =
                view ? REPLAY("view", support_path("a"), "-o", out)
                     : REPLAY("export", support_path("a"), "--format", "csv", "-o", out);
            support_check_refused(&o, 2, "is the recording as well");
        }
    }
    support_outcome o = support_replay(
        support_path("a"), NULL,
        (const char *const[]){"export", "-", "--format", "csv", "-o", support_path("a"), NULL});
    support_check_refused(&o, 2, "is the recording as well");
    char *after = support_read_file("a");
    cr_assert_eq(strcmp(before, after), 0);
    free(before), free(after);
}

/* A link stays a link: what it leads to is written. */
Test(replay_export, links_are_followed)
{
    struct stat info;
    support_save_run("a", 3, true, 4);
    cr_assert_eq(symlink("there", support_path("link")), 0);
    for (int round = 0; round < 2; ++round) {
        support_outcome o =
            REPLAY("export", support_path("a"), "--format", "csv", "-o", support_path("link"));
        cr_assert_eq(o.code, 0, "%s", o.err);
        cr_assert(lstat(support_path("link"), &info) == 0 && S_ISLNK(info.st_mode), "round %d",
                  round);
        cr_assert(lstat(support_path("there"), &info) == 0 && S_ISREG(info.st_mode) &&
                      info.st_size > 0,
                  "round %d", round);
    }
    cr_assert_eq(symlink("loop", support_path("loop")), 0);
    support_outcome o =
        REPLAY("export", support_path("a"), "--format", "csv", "-o", support_path("loop"));
    support_check_refused(&o, 4, "Too many levels of symbolic links");
    cr_assert_eq(support_all_files(), 6, "a, link, there, loop, stdout, stderr");
}

/* Interrupted in the middle of an export: nothing is left, not even of a folder of frames. */
Test(replay_export, a_signal_leaves_nothing)
{
    static const char *const formats[] = {"csv", "vtp", "gsd"};
    static const int signals[] = {SIGTERM, SIGHUP};
    support_program run = RUN("pile", "--quiet", "--ticks", "200", "--no-states", "--record", "a");
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    for (int k = 0; k < 2; ++k)
        signal(signals[k],
               SIG_DFL); /* tests that run under nohup ignore one, and what they start would too */
    for (int k = 0; k < 6; ++k) {
        int before = support_all_files();
        char command[1024]; /* the temporary file or folder shows that the export has begun */
        snprintf(command, sizeof command,
                 "cd '%s' && { '%s/tools/replay/kugel-replay' export a --format %s -o out & "
                 "until ls out.* >/dev/null 2>&1 || ! kill -0 $!; do :; done; kill -%d $!; "
                 "wait $!; }",
                 support_folder(), getenv("KUGEL_BUILD"), formats[k % 3], signals[k / 3]);
        int status = system(command);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + signals[k / 3], "%s: status %d",
                  command, status);
        cr_assert_eq(support_all_files(), before, "%s left something", command);
    }
}
