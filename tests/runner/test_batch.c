/* Runs of batch systems: signals and the wall clock ask for checkpoints, a run that is stopped goes
 * on to the hash of the undisturbed run, and progress is logged where there is no terminal. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "runner/support_program.h"

enum { STOPS = 8 };

/* Balls pour into a box and out of it, are pushed and moved; something acts at most ticks. */
static const char scene[] =
    "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 2500, \"gravity\": [0, 0, -9.81], "
    "\"bounds\": {\"min\": [0, 0, 0], \"max\": [4, 4, 20]}, \"defaults\": {\"radius\": 0.3}, "
    "\"generators\": [{\"lattice\": {\"origin\": [0.5, 0.5, 0.5], \"spacing\": [0.8, 0.8, 0.8], "
    "\"count\": [4, 4, 4], \"jitter\": 0.05}}], "
    "\"emitters\": [{\"min\": [1, 1, 12], \"max\": [3, 3, 16], \"count\": 2, \"radius\": 0.3, "
    "\"every\": 7}], \"drains\": [{\"plane\": {\"normal\": [1, 0, 0], \"offset\": 0.6}, "
    "\"every\": 3}], \"surfaces\": [{\"box\": {\"half\": [1, 1, 0.1]}, \"position\": [2, 2, 1], "
    "\"name\": \"lift\", \"spin\": [0, 0, 1]}], \"motions\": [{\"tick\": 100, \"surface\": "
    "\"lift\", \"position\": [2, 2, 5], \"ticks\": 2000}], \"gravity_schedule\": [{\"tick\": 900, "
    "\"gravity\": [1, 0, -5]}]}";

/* The hash of the undisturbed run. */
static void run_whole(char hash[64])
{
    support_write_file("s.json", scene);
    support_program run = RUN("s.json", "--quiet");
    cr_assert_eq(run.code, 0, "%s", run.err);
    strcpy(hash, support_line_from_end(run.out, 0));
    cr_assert_eq(strncmp(hash, "hash 0x", 7), 0);
    support_program_free(&run);
}

/* Start the scene, from the checkpoint `c` if there is one. */
static support_program start(const char *checkpoint)
{
    bool there = support_has_file("c"); /* not only its temporary file */
    const char *flag = there ? "--restart" : "--quiet", *file = there ? "c" : "--quiet";
    return support_start(NULL, (const char *const[]){"s.json", "--quiet", "--checkpoint",
                                                     checkpoint, flag, file, NULL});
}

static unsigned long long ticks_of(const support_program *run)
{
    unsigned long long ticks = 0;
    cr_assert_eq(sscanf(support_line_from_end(run->out, 3), "ticks %llu", &ticks), 1, "%s",
                 run->out);
    return ticks;
}

/* Go on from `c` to the end, and compare. */
static void check_rest(const char *hash, const char *when)
{
    support_program run = start("c");
    support_wait(&run);
    cr_assert_eq(run.code, 0, "%s: %s", when, run.err);
    cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "%s", when);
    support_program_free(&run);
}

/* Wait until a file whose name begins with `prefix` is there. */
static void wait_for(const char *prefix)
{
    for (int n = 0; n < 20000 && support_count_files(prefix) == 0; ++n) usleep(1000);
}

/* Stopped again and again, at moments that differ in each run of the test. */
Test(batch, a_run_stopped_by_sigterm_goes_on_to_the_same_hash)
{
    char hash[64], when[64] = "not stopped";
    run_whole(hash);
    srandom((unsigned)getpid());
    for (int k = 0; k < STOPS; ++k) {
        support_program run = start("c");
        usleep(20000 + (useconds_t)(random() % 150000));
        kill(run.pid, k % 4 == 3 ? SIGHUP : SIGTERM);
        support_wait(&run);
        if (run.code == 0) { /* the end came first */
            support_program_free(&run);
            break;
        }
        cr_assert_eq(run.code, 128 + (k % 4 == 3 ? SIGHUP : SIGTERM), "%d: %s", run.code, run.err);
        cr_assert(run.out_size == 0 || support_count_files("c") == 1);
        if (run.out_size) snprintf(when, sizeof when, "stopped at tick %llu", ticks_of(&run));
        support_program_free(&run);
    }
    check_rest(hash, when);
}

/* The checkpoint of an interrupt is that of the last tick. */
Test(batch, an_interrupt_writes_a_checkpoint)
{
    support_program run =
        support_start(NULL, (const char *const[]){"gas", "--ticks", "1000000000", "--checkpoint",
                                                  "c", "--csv", "t.csv", "--every", "1000", NULL});
    wait_for("t.csv");
    usleep(100000);
    cr_assert_eq(support_count_files("c"), 0, "a checkpoint before a signal");
    kill(run.pid, SIGINT);
    support_wait(&run);
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_empty(run.err);
    char end[32];
    snprintf(end, sizeof end, "%llu", ticks_of(&run));
    support_program again = RUN("gas", "--restart", "c", "--ticks", end);
    cr_assert_eq(again.code, 0, "%s", again.err);
    cr_assert_str_eq(support_line_from_end(again.out, 0), support_line_from_end(run.out, 0));
    support_program_free(&again);
    support_program_free(&run);
}

/* A step that takes longer than the two seconds that a run without checkpoints has. */
Test(batch, sigterm_waits_for_the_tick_and_the_checkpoint)
{
    support_program run = support_start(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 5, \"bodies\": [{\"position\": "
        "[-9, 0, 0]}], \"emitters\": [{\"count\": 120000, \"min\": [0, 0, 0], \"max\": [200, 200, "
        "200], \"radius\": 0.1}]}",
        (const char *const[]){"-", "--checkpoint", "c", "--ticks", "1000", NULL});
    support_wait_for_handler(&run, SIGTERM);
    usleep(200000);
    kill(run.pid, SIGTERM);
    sleep(3);
    kill(run.pid, SIGTERM); /* batch systems repeat it */
    support_wait(&run);
    cr_assert_eq(run.code, 128 + SIGTERM, "%s", run.err);
    cr_assert_eq(support_count_files("c"), 1);
    cr_assert_eq(support_count_files("c."), 0, "a temporary file is left");
    support_program_free(&run);
}

Test(batch, sigusr1_writes_a_checkpoint_and_goes_on)
{
    char hash[64];
    run_whole(hash);
    support_program run =
        support_start(NULL, (const char *const[]){"s.json", "--quiet", "--checkpoint", "c", "--csv",
                                                  "t.csv", "--every", "1000", NULL});
    wait_for("t.csv");
    usleep(50000);
    kill(run.pid, SIGUSR1);
    wait_for("c");
    support_wait(&run);
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "the checkpoint changes the run");
    support_program_free(&run);
    cr_assert_eq(support_count_files("c"), 1, "no checkpoint");
    check_rest(hash, "from the checkpoint of SIGUSR1");
}

Test(batch, checkpoints_by_wall_time)
{
    char hash[64];
    run_whole(hash);
    support_program run =
        RUN("s.json", "--quiet", "--checkpoint", "c", "--checkpoint-every", "0.01");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_eq(support_line_from_end(run.out, 0), hash, "checkpoints change the run");
    support_program_free(&run);
    cr_assert_eq(support_count_files("c"), 1, "no checkpoint");
    check_rest(hash, "from the checkpoint of a time");
    run = RUN("gas", "--quiet", "--ticks", "5", "--checkpoint", "d", "--checkpoint-every", "1e9");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_eq(support_count_files("d"), 0, "a checkpoint before its time");
    support_program_free(&run);
}

/* Killed at any moment, also while it writes, a run leaves a whole checkpoint, the old or the new
 * one. */
Test(batch, a_kill_leaves_a_whole_checkpoint)
{
    char hash[64];
    run_whole(hash);
    srandom((unsigned)getpid());
    for (int k = 0; k < STOPS; ++k) {
        support_program run = start("c@1");
        for (int n = 0; k == 0 && n < 20000 && !support_has_file("c"); ++n) usleep(1000);
        usleep(20000 + (useconds_t)(random() % 60000));
        kill(run.pid, SIGKILL);
        support_wait(&run);
        cr_assert(run.code == 128 + SIGKILL || run.code == 0, "%d: %s", run.code, run.err);
        support_program_free(&run);
    }
    check_rest(hash, "after kills");
}

/* The checkpoint of SIGTERM does not fit on the disk: an error instead of the signal, and the old
 * checkpoint is still there. */
Test(batch, a_checkpoint_that_cannot_be_written_is_exit_code_4)
{
    struct rlimit before, small;
    support_write_file("c", "old");
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 8192;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    support_program run = support_start(
        NULL, (const char *const[]){"gas", "--ticks", "1000000000", "--checkpoint", "c", NULL});
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    support_wait_for_handler(&run, SIGTERM);
    usleep(300000);
    kill(run.pid, SIGTERM);
    support_wait(&run);
    cr_assert(support_complains(&run, 4, "--checkpoint: c: cannot be written: File too large"));
    char *old = support_read_file("c");
    cr_assert_str_eq(old, "old");
    cr_assert_eq(support_count_files("c"), 1, "a temporary file is left");
    free(old);
    support_program_free(&run);
}

/* Lines of progress, whose ticks grow, at the interval that is asked for; none otherwise. */
Test(batch, progress_is_logged_where_there_is_no_terminal)
{
    support_write_file("s.json", scene);
    support_program run = RUN("s.json", "--log-every", "0.02");
    cr_assert_eq(run.code, 0, "%s", run.err);
    unsigned long long tick, before = 0, all;
    double rate, left;
    size_t lines = support_count_lines(run.err);
    cr_assert_gt(lines, 1, "%s", run.err);
    for (const char *line = run.err; *line; line = strchr(line, '\n') + 1) {
        cr_assert_eq(sscanf(line, "kugel-run: tick %llu of %llu, %lf ticks/s, %lf s left", &tick,
                            &all, &rate, &left),
                     4, "%s", line);
        cr_assert(tick > before && tick <= all && all == 2500 && rate > 0 && left >= 0, "%s", line);
        before = tick;
    }
    support_program_free(&run);
    static const char *const silent[][2] = {
        {"0", "--check"}, {"1000", "--check"}, {"0.02", "--quiet"}};
    for (int k = 0; k < 3; ++k) {
        run = RUN("gas", "--ticks", "100", "--log-every", silent[k][0], silent[k][1]);
        cr_assert_eq(run.code, 0, "%s", run.err);
        cr_assert_str_empty(run.err);
        support_program_free(&run);
    }
}

Test(batch, refused)
{
    static const char *const rows[][3] = {
        {"--checkpoint-every", "0", "--checkpoint-every: must be a number of seconds > 0, got '0'"},
        {"--checkpoint-every", "inf", "--checkpoint-every: must be a number of seconds > 0"},
        {"--checkpoint-every", "5m", "--checkpoint-every: must be a number of seconds > 0"},
        {"--checkpoint-every", "5", "--checkpoint-every: needs --checkpoint FILE"},
        {"--log-every", "-1", "--log-every: must be a number of seconds >= 0, got '-1'"},
        {"--log-every", "nan", "--log-every: must be a number of seconds >= 0, got 'nan'"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        support_program run = RUN("gas", "--ticks", "1", rows[k][0], rows[k][1]);
        cr_assert(support_complains(&run, 2, rows[k][2]));
        support_program_free(&run);
    }
}
