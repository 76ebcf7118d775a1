/* A run that is interrupted, or whose disk is full, or whose reader is gone, leaves complete files
 * or none, and no temporary file. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runner/support_program.h"

Test(endings, a_full_disk_is_exit_code_4)
{
    if (access("/dev/full", W_OK) != 0) cr_skip_test("there is no /dev/full here");
    static const char *const flags[] = {"--csv", "--events", "--record", "--export"};
    for (int k = 0; k < 4; ++k) {
        char said[64];
        support_program run = RUN("gas", "--ticks", "50", flags[k], "/dev/full",
                                  k == 3 ? "--format" : "--quiet", k == 3 ? "gsd" : "--quiet");
        snprintf(said, sizeof said, "%s: /dev/full: cannot be written: No space left on device",
                 flags[k]);
        cr_assert(support_complains(&run, 4, said));
        cr_assert_str_empty(run.out, "a summary of a run that failed");
        support_program_free(&run);
    }
}

/* Pages of both programs; a build without the viewer says so. */
Test(endings, a_full_disk_takes_no_page)
{
    if (access("/dev/full", W_OK) != 0) cr_skip_test("there is no /dev/full here");
    support_program run = RUN("gas", "--quiet", "--ticks", "5", "--record", "r.kugel");
    support_program_free(&run);
    run = RUN("gas", "--ticks", "5", "--view", "/dev/full");
    if (strstr(run.err, "without the viewer")) cr_skip_test("there is no viewer");
    cr_assert(support_complains(&run, 4,
                                "--view: /dev/full: cannot be written: No space left on device"));
    support_program_free(&run);
    run = support_run_program("tools/replay/kugel-replay",
                              (const char *const[]){"view", "r.kugel", "-o", "/dev/full", NULL});
    cr_assert_eq(run.code, 4);
    cr_assert_str_eq(run.err,
                     "kugel-replay: /dev/full: cannot be written: No space left on device\n");
    support_program_free(&run);
}

/* Texts shorter and longer than the buffer of standard output, and the last lines of a run. */
Test(endings, a_full_disk_takes_no_text)
{
    if (access("/dev/full", W_OK) != 0) cr_skip_test("there is no /dev/full here");
    static const char *const words[] = {"--version", "--help-scene", "--list",
                                        "cradle --ticks 3 --quiet"};
    for (int k = 0; k < 4; ++k) {
        char command[128];
        snprintf(command, sizeof command, "\"$KUGEL_BUILD\"/samples/kugel-run %s >/dev/full",
                 words[k]);
        support_program run =
            support_run_program("/bin/sh", (const char *const[]){"-c", command, NULL});
        cr_assert_eq(run.code, 4, "%s: exit code %d", words[k], run.code);
        cr_assert_str_eq(run.err, "kugel-run: standard output: No space left on device\n");
        support_program_free(&run);
    }
}

/* A ball between walls at 1e6 m/s has more impacts than the limit. */
Test(endings, a_step_of_too_many_events_is_exit_code_2)
{
    support_write_file(
        "fast.json", "{\"format\": \"kugel-scene\", \"version\": 1, \"step_event_limit\": 1000,"
                     "\"bounce_threshold\": 0, \"bounds\": {\"min\": [0, 0, 0], \"max\": [4, 4, 4],"
                     "\"restitution\": 1, \"friction\": 0}, \"bodies\": [{\"position\": [2, 2, 2],"
                     "\"velocity\": [1e6, 0, 0], \"restitution\": 1, \"friction\": 0}]}");
    support_program run = RUN("fast.json", "--ticks", "3", "--csv", "fast.csv");
    cr_assert(support_complains(&run, 2, "more than 1000 events in a step"));
    cr_assert_null(support_read_file("fast.csv"), "a file of a run that failed");
    support_program_free(&run);
}

/* A ball that grows between walls has more and more impacts until it fills the gap; the message
 * names the tick up to which the run has files. */
Test(endings, a_jam_says_how_to_keep_the_files)
{
    support_write_file(
        "jam.json", "{\"format\": \"kugel-scene\", \"version\": 1, \"preset\": \"reduced_gas\", "
                    "\"step_event_limit\": 1000, \"growth\": 0.1, \"bounds\": {\"min\": [0, 0, 0], "
                    "\"max\": [1.2, 9, 9], \"restitution\": 1, \"friction\": 0}, \"bodies\": "
                    "[{\"position\": [0.6, 2, 2], \"velocity\": [1, 0, 0]}]}");
    support_program run = RUN("jam.json", "--csv", "jam.csv", "--record", "r.kugel");
    cr_assert(
        support_complains(&run, 2, "; growth may have jammed the bodies: end the run before"));
    cr_assert_null(support_read_file("jam.csv"), "a file of a run that failed");
    const char *at = strstr(run.err, "; the files of this run are removed, --ticks ");
    char ticks[16];
    cr_assert(at && sscanf(strstr(at, "--ticks "), "--ticks %15[0-9] keeps them\n", ticks) == 1);
    support_program_free(&run);
    run = RUN("jam.json", "--quiet", "--ticks", ticks, "--csv", "jam.csv", "--record", "r.kugel");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert(support_has_file("jam.csv") && support_has_file("r.kugel"));
    support_program_free(&run);
    run = RUN("jam.json", "--record", "last.kugel", "--last", "5");
    cr_assert(support_complains(&run, 2, "or take less"));
    cr_assert(!strstr(run.err, "removed") && support_has_file("last.kugel"), "%s", run.err);
    support_program_free(&run);
}

/* 27 balls under a lid that leaves them a third of their volume. */
Test(endings, a_squeeze_is_reported)
{
    static const char scene[] =
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": %d, \"bounds\": {\"min\": [0, 0, "
        "0], "
        "\"max\": [3.1, 3.1, 9]}, \"generators\": [{\"lattice\": {\"origin\": [0.52, 0.52, 0.52], "
        "\"spacing\": [1.02, 1.02, 1.02], \"count\": [3, 3, 3]}}], \"surfaces\": [{\"box\": "
        "{\"half\": "
        "[1.55, 1.55, 0.5]}, \"position\": [1.55, 1.55, 4], \"name\": \"lid\"}], \"motions\": "
        "[{\"surface\": \"lid\", \"position\": [1.55, 1.55, 1.5], \"ticks\": 40}, {\"surface\": "
        "\"lid\", \"tick\": 45, \"position\": [1.55, 1.55, 4], \"ticks\": 40}]}";
    for (int k = 0; k < 2; ++k) { /* also when the lid is up again */
        char text[1024];
        snprintf(text, sizeof text, scene, k ? 100 : 46);
        support_program run = support_kugel_run(text, (const char *const[]){"-", "--quiet", NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        cr_assert(strstr(run.err, "-: note: bod") && strstr(run.err, " overlapped by ") &&
                      strstr(run.err, "bodies had less space than their volume"),
                  "%s", run.err);
        cr_assert_eq(support_count_lines(run.err), 1);
        support_program_free(&run);
        run = support_kugel_run(text, (const char *const[]){"-", "--check", "--quiet", NULL});
        cr_assert(support_complains(&run, 3, " overlap by "));
        support_program_free(&run);
    }
}

/* Overlaps of the start that part. */
Test(endings, overlaps_of_the_start_are_no_squeeze)
{
    support_program run = support_kugel_run(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 60, \"bodies\": [{\"position\": "
        "[0, 0, 0]}, {\"position\": [0.4, 0, 0]}]}",
        (const char *const[]){"-", "--quiet", NULL});
    cr_assert_str_empty(run.err);
    support_program_free(&run);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Millions of bodies are made before the first step. The recorded tick 0 is that before them. */
Test(endings, a_signal_ends_an_emitter)
{
    support_program run = support_start(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 5, \"bodies\": [{\"position\": "
        "[-9, 0, 0]}], \"emitters\": [{\"count\": 10000000, \"min\": [0, 0, 0], \"max\": [900, "
        "900, "
        "900], \"radius\": 0.1}]}",
        (const char *const[]){"-", "--record", "e.kugel", NULL});
    support_wait_for_handler(&run, SIGINT);
    usleep(700000);
    double sent = seconds_now();
    cr_assert_eq(kill(run.pid, SIGINT), 0);
    support_wait(&run);
    cr_assert_lt(seconds_now() - sent, 5, "it took %g s", seconds_now() - sent);
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert(strstr(run.err, "the run ended while emitters made the bodies of tick 0"), "%s",
              run.err);
    cr_assert(strstr(run.out, "\nticks 0\n"), "%s", run.out);
    support_program_free(&run);
    run = RUN("--restart", "e.kugel@0", "--ticks", "0");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_eq(support_line_from_end(run.out, 4), "bodies 1");
    support_program_free(&run);
}

Test(endings, a_reader_that_goes_away_ends_the_run)
{
    char path[128], command[512];
    snprintf(path, sizeof path, "%s/pipe", support_folder());
    cr_assert_eq(mkfifo(path, 0600), 0);
    snprintf(command, sizeof command, "head -2 '%s' >/dev/null &", path);
    cr_assert_eq(system(command), 0);
    support_program run = RUN("gas", "--ticks", "100000000", "--csv", path);
    cr_assert(support_complains(&run, 4, "--csv: "));
    support_program_free(&run);
}

/* The disk is full in the middle of the run: a limit of 8192 bytes a file. */
Test(endings, a_file_size_limit_leaves_nothing)
{
    static const char *const rows[][2] = {
        {"--csv", "csv"},    {"--events", "csv"}, {"--record", "kugel"}, {"--export", "npy"},
        {"--export", "xyz"}, {"--export", "pvd"}, {"--export", "gsd"},   {"--export", "lammpstrj"}};
    struct rlimit before, small;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 8192;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char name[32], said[96];
        snprintf(name, sizeof name, "big.%s", rows[k][1]);
        snprintf(said, sizeof said, "%s: %s: cannot be written: File too large", rows[k][0], name);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
        support_program run = support_start(
            NULL, (const char *const[]){"gas", "--ticks", "30", rows[k][0], name, NULL});
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
        support_wait(&run);
        cr_assert(support_complains(&run, 4, said));
        cr_assert_str_empty(run.out);
        cr_assert_eq(support_count_files("big"), 0, "%s %s left something", rows[k][0], name);
        support_program_free(&run);
    }
}

static support_program run_closed(const char *program, const char *rest)
{
    char command[512];
    snprintf(command, sizeof command, "exec '%s/%s' %s", getenv("KUGEL_BUILD"), program, rest);
    return support_run_program("/bin/sh", (const char *const[]){"-c", command, NULL});
}

Test(endings, a_closed_standard_output_is_exit_code_4)
{
    static const char *const outputs[] = {"--csv - --events e.csv", "--record - --csv e.csv",
                                          "--list", "--events e.csv"};
    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; ++k) {
        char rest[128];
        snprintf(rest, sizeof rest, "gas --quiet --ticks 50 %s >&-", outputs[k]);
        support_program run = run_closed("samples/kugel-run", rest);
        cr_assert(support_complains(&run, 4, "Bad file descriptor"), "%s", outputs[k]);
        char *rows = support_read_file("e.csv");
        cr_assert(!rows || strcmp(outputs[k], "--events e.csv") == 0, "%s left a file", outputs[k]);
        cr_assert(!rows || !strstr(rows, "bodies"), "the summary went there");
        free(rows);
        support_program_free(&run);
    }
}

Test(endings, a_closed_standard_error_loses_messages)
{
    support_program run =
        run_closed("samples/kugel-run", "gas --quiet --ticks 2 --timing --events e.csv 2>&-");
    cr_assert_eq(run.code, 0);
    cr_assert_eq(support_count_lines(run.out), 5, "%s", run.out);
    char *rows = support_read_file("e.csv");
    for (char *at = strchr(rows, '\n') + 1; *at; at = strchr(at, '\n') + 1)
        cr_assert(*at >= '0' && *at <= '2', "%s", at);
    free(rows);
    support_program_free(&run);
}

Test(endings, a_closed_standard_input_cannot_be_read)
{
    support_program run = run_closed("samples/kugel-run", "- --quiet <&-");
    cr_assert(support_complains(&run, 4, "Bad file descriptor"));
    support_program_free(&run);
}

Test(endings, a_replay_without_standard_output)
{
    support_program run = RUN("gas", "--quiet", "--ticks", "5", "--record", "r.kugel");
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    static const char *const commands[] = {"verify r.kugel", "export r.kugel --format csv -o -",
                                           "seek r.kugel 3"};
    for (size_t k = 0; k < sizeof commands / sizeof *commands; ++k) {
        char rest[128];
        snprintf(rest, sizeof rest, "%s >&-", commands[k]);
        run = run_closed("tools/replay/kugel-replay", rest);
        cr_assert_eq(run.code, 4, "%s", commands[k]);
        cr_assert(strstr(run.err, "Bad file descriptor") && support_count_lines(run.err) == 1, "%s",
                  run.err);
        support_program_free(&run);
    }
}

static void wait_for_rows(const char *prefix)
{
    /* the temporary file grows once the loop runs */
    for (int n = 0; n < 20000; ++n) {
        if (support_count_files(prefix) > 0) break;
        usleep(1000);
    }
    usleep(200000);
}

Test(endings, an_interrupt_ends_the_run_cleanly_after_the_tick)
{
    support_program run = support_start(
        NULL, (const char *const[]){"gas", "--ticks", "1000000000", "--csv", "t.csv", "--every",
                                    "1000", "--events", "e.csv", "--record", "r.kugel", NULL});
    wait_for_rows("r.kugel");
    cr_assert_eq(support_count_files("t.csv."), 1, "the trajectory grows beside its name");
    char *early = support_read_file("t.csv");
    cr_assert_null(early, "a partial trajectory under its final name");
    kill(run.pid, SIGINT);
    support_wait(&run);
    cr_assert_eq(run.code, 0, "exit code %d: %s", run.code, run.err);
    cr_assert_str_empty(run.err);
    unsigned long long ticks = 0;
    cr_assert_eq(support_count_lines(run.out), 5);
    cr_assert_eq(sscanf(support_line_from_end(run.out, 3), "ticks %llu", &ticks), 1);
    cr_assert(ticks > 0 && ticks < 1000000000);
    char *rows = support_read_file("t.csv");
    cr_assert(rows && rows[strlen(rows) - 1] == '\n');
    support_table t = support_parse_csv(rows);
    cr_assert_eq(t.rows, 1000 * (ticks / 1000 + 1), "%zu rows after %llu ticks", t.rows, ticks);
    cr_assert(support_count_files("t.csv") == 1 && support_count_files("r.kugel") == 1);

    /* the recording is closed, readable and as long as the run */
    char command[512], line[256] = "";
    snprintf(command, sizeof command, "'%s/tools/replay/kugel-replay' info '%s/r.kugel'",
             getenv("KUGEL_BUILD"), support_folder());
    FILE *info = popen(command, "r");
    bool found = false;
    while (fgets(line, sizeof line, info)) {
        unsigned long long recorded;
        if (sscanf(line, "ticks %llu", &recorded) == 1) found = recorded == ticks;
    }
    cr_assert_eq(pclose(info), 0, "kugel-replay info fails");
    cr_assert(found, "the recording does not say that it has %llu ticks", ticks);
    free(t.values);
    free(rows);
    support_program_free(&run);
}

/* SIGTERM and SIGHUP end the run after the tick too; the exit status names the signal. */
Test(endings, other_signals_leave_complete_files)
{
    static const int signals[] = {SIGTERM, SIGHUP};
    for (int k = 0; k < 2; ++k) {
        support_program run = support_start(
            NULL, (const char *const[]){"gas", "--ticks", "1000000000", "--csv", "t.csv", "--every",
                                        "1000", "--record", "r.kugel", NULL});
        wait_for_rows("r.kugel");
        kill(run.pid, signals[k]);
        support_wait(&run);
        cr_assert_eq(run.code, 128 + signals[k], "exit code %d: %s", run.code, run.err);
        cr_assert_eq(support_count_lines(run.out), 5, "%s", run.out);
        cr_assert(support_count_files("t.csv") == 1 && support_count_files("r.kugel") == 1);
        support_program verified = support_run_program(
            "tools/replay/kugel-replay", (const char *const[]){"verify", "r.kugel", NULL});
        cr_assert_eq(verified.code, 0, "%s", verified.err);
        support_program_free(&verified);
        support_program_free(&run);
        char command[256];
        snprintf(command, sizeof command, "rm '%s/t.csv' '%s/r.kugel'", support_folder(),
                 support_folder());
        cr_assert_eq(system(command), 0);
    }
}

/* @return what the run said. */
static char *record_and_kill(void)
{
    support_program run =
        support_start(NULL, (const char *const[]){"gas", "--ticks", "1000000000", "--csv", "t.csv",
                                                  "--record", "r.kugel", NULL});
    wait_for_rows("t.csv.");
    kill(run.pid, SIGKILL);
    support_wait(&run);
    char *said = strdup(run.err);
    support_program_free(&run);
    return said;
}

/* A killed run leaves the recording under its name and readable, other files beside theirs. A file
 * that had the name stays as it was; then the run says at its start where the recording is. */
Test(endings, a_killed_run_leaves_its_recording)
{
    char *said = record_and_kill();
    cr_assert_str_empty(said);
    free(said);
    cr_assert_eq(support_count_files("r.kugel"), 1);
    cr_assert_eq(support_count_files("r.kugel."), 0);
    char *rows = support_read_file("t.csv");
    cr_assert_null(rows, "a partial trajectory under its final name");
    support_program verified = support_run_program(
        "tools/replay/kugel-replay", (const char *const[]){"verify", "r.kugel", NULL});
    cr_assert_eq(verified.code, 0, "%s", verified.err);
    support_program_free(&verified);

    support_write_file("r.kugel", "precious");
    said = record_and_kill();
    char *kept = support_read_file("r.kugel");
    cr_assert_str_eq(kept, "precious");
    cr_assert_eq(support_count_files("r.kugel."), 1, "the recording is beside the file");
    char *place = strstr(said, "the recording grows in ");
    cr_assert(place, "%s", said);
    place += strlen("the recording grows in ");
    place[strcspn(place, "\n")] = 0;
    verified = support_run_program("tools/replay/kugel-replay",
                                   (const char *const[]){"verify", place, NULL});
    cr_assert_eq(verified.code, 0, "%s: %s", place, verified.err);
    support_program_free(&verified);
    free(said);
    free(kept);
}

/* A tick of eleven days. The first interrupt waits for its end; a second one, some seconds later,
 * does not; other signals wait as long. */
Test(endings, a_very_long_tick_can_be_interrupted)
{
    support_program run = support_start(NULL, (const char *const[]){"gas", "--dt", "1e6", NULL});
    support_wait_for_handler(&run, SIGINT);
    usleep(500000);
    kill(run.pid, SIGINT);
    kill(run.pid, SIGINT); /* two signals at the same time */
    usleep(300000);
    cr_assert_eq(kill(run.pid, 0), 0);
    sleep(3);
    kill(run.pid, SIGINT);
    support_wait(&run);
    cr_assert_eq(run.code, 128 + SIGINT);
    support_program_free(&run);
    run = support_start(NULL, (const char *const[]){"gas", "--dt", "1e6", NULL});
    usleep(500000);
    kill(run.pid, SIGTERM);
    support_wait(&run);
    cr_assert_eq(run.code, 128 + SIGTERM);
    support_program_free(&run);
}

/* Three hard balls, one of them driven: infinitely many impacts. */
static void write_jam(const char *keys)
{
    char scene[512];
    snprintf(scene, sizeof scene,
             "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 20, \"bounce_threshold\": "
             "0, %s\"bodies\": ["
             "{\"position\": [0, 0, 0], \"type\": \"static\", \"restitution\": 0.9}, "
             "{\"position\": [2, 0, 0], \"restitution\": 0.9}, "
             "{\"position\": [4, 0, 0], \"velocity\": [-10, 0, 0], \"type\": \"kinematic\"}]}",
             keys);
    support_write_file("jam.json", scene);
}

/* The budget runs out; the run reports it and what may help. */
Test(endings, exhausted_budgets_are_reported)
{
    write_jam("");
    support_program run = RUN("jam.json", "--quiet");
    cr_assert_eq(run.code, 0);
    cr_assert(strstr(run.err, "kugel-run: jam.json: note: ") == run.err &&
                  strstr(run.err, " note: impact budgets of a substep were exhausted ") &&
                  strstr(run.err,
                         "more substeps or a shorter dt follow more impacts, and where they "
                         "lose energy a larger impact_budget than 256"),
              "%s", run.err);
    cr_assert_eq(support_count_lines(run.err), 1);
    cr_assert_eq(support_count_lines(run.out), 5);
    support_program_free(&run);
    run = RUN("gas", "--quiet", "--ticks", "2");
    cr_assert_str_empty(run.err);
    support_program_free(&run);
}

static unsigned long long impacts_of_jam(const char *keys)
{
    unsigned long long impacts = 0;
    write_jam(keys);
    support_program run = RUN("jam.json", "--quiet");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_eq(sscanf(support_line_from_end(run.out, 2), "impacts %llu", &impacts), 1);
    support_program_free(&run);
    return impacts;
}

Test(endings, impact_budget_bounds_impacts)
{
    unsigned long long few = impacts_of_jam("\"impact_budget\": 10, "), usual = impacts_of_jam("");
    cr_assert(few > 0 && 2 * few < usual, "%llu impacts with a budget of 10, %llu with 256", few,
              usual);
}

/* More sweeps: a column that stands on its lowest ball sinks in less. */
Test(endings, contact_iterations_change_a_column)
{
    char deepest[2][64];
    for (int k = 0; k < 2; ++k) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 30, \"gravity\": [0, 0, "
                 "-9.81], \"contact_iterations\": %d, \"planes\": [{\"normal\": [0, 0, 1]}], "
                 "\"generators\": [{\"lattice\": {\"origin\": [0, 0, 0.5], \"spacing\": [1, 1, 1], "
                 "\"count\": [1, 1, 150]}}]}",
                 k ? 100 : 1);
        support_write_file("column.json", scene);
        support_program run = RUN("column.json", "--quiet", "--csv", "c.csv", "--every", "30");
        cr_assert_eq(run.code, 0, "%s", run.err);
        char *text = support_read_file("c.csv");
        snprintf(deepest[k], sizeof deepest[k], "%s", support_line_from_end(text, 0));
        free(text);
        support_program_free(&run);
    }
    double z[2];
    for (int k = 0; k < 2; ++k)
        cr_assert_eq(sscanf(deepest[k], "%*[^,],%*[^,],149,%*[^,],%*[^,],%lf", &z[k]), 1);
    cr_assert(z[0] < z[1] && z[1] <= 149.5, "tops at %.17g and %.17g m", z[0], z[1]);
}
