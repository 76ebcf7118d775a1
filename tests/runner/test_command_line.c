/* The command line: errors end with exit code 2 and one line that names the option; valid options
 * replace the scene's values. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/support_program.h"

#define FALL                                                                                       \
    "{\"format\": \"kugel-scene\", \"version\": 1, \"gravity\": [0, 0, -10], \"bodies\": "         \
    "[{\"position\": [0, 0, 0]}]}"

typedef struct bad_line {
    const char *arguments[6];
    const char *message;
    int code;
} bad_line;

static const bad_line lines[] = {
    {{NULL}, "give one scene file or sample name", 2},
    {{"gas", "cradle"}, "give one scene file or sample name", 2},
    {{"gass"}, "gass: no such file or sample; did you mean gas?", 2},
    {{"bulets"}, "did you mean bullets?", 2},
    {{"counting_pi"}, "did you mean counting-pi?", 2},
    {{"no/such/scene.json"}, "no/such/scene.json: no such file or sample (--list", 2},
    {{"two\nlines"}, "two?lines: no such file", 2},
    {{""}, "no such file or sample", 2},
    {{"."}, ".: cannot be read: Is a directory", 2},
    {{"--restart", ".@3"}, ".: cannot be read: Is a directory", 2},
    {{"gas", "--frobnicate"}, "--frobnicate: unknown option", 2},
    {{"gas", "-x"}, "-x: unknown option", 2},
    {{"gas", "--quiet", "-xh"}, "-x: unknown option", 2},
    {{"gas", "--quiet=5"}, "--quiet=5: --quiet takes no value", 2},
    {{"gas", "--live", "maybe"}, "--live: must be auto, on or off, got 'maybe'", 2},
    {{"gas", "--live", "on", "--csv", "-"}, "--live: standard output is used by --csv", 2},
    {{"gas", "--tikcs", "3"}, "--tikcs: unknown option; did you mean --ticks?", 2},
    {{"gas", "--ticks"}, "--ticks: needs a value", 2},
    {{"gas", "--ticks", "ten"},
     "--ticks: must be a whole number in [0, 1000000000000], got 'ten'",
     2},
    {{"gas", "--ticks", "-1"}, "--ticks: must be a whole number", 2},
    {{"gas", "--ticks", "1.5"}, "--ticks: must be a whole number", 2},
    {{"gas", "--ticks", "99999999999999999999999"}, "--ticks: must be a whole number", 2},
    {{"gas", "--ticks", ""}, "--ticks: must be a whole number", 2},
    {{"gas", "--dt", "0"}, "--dt: must be a finite number > 0, got '0'", 2},
    {{"gas", "--dt", "-1"}, "--dt: must be", 2},
    {{"gas", "--dt", "nan"}, "--dt: must be", 2},
    {{"gas", "--dt", "inf"}, "--dt: must be", 2},
    {{"gas", "--dt", "1s"}, "--dt: must be", 2},
    {{"gas", "--dt", "1e16"}, "--dt: must be at most 1e+15, got '1e16'", 2},
    {{"gas", "--li"}, "--li: may be --live or --list", 2},
    {{"gas", "--export", "/dev/null", "--format", "vtp"},
     "--export: /dev/null: is a pipe or a device; this format takes a file",
     4},
    {{"gas", "--substeps", "-1"}, "--substeps: must be", 2},
    {{"gas", "--substeps", "1001"}, "--substeps: must be", 2},
    {{"gas", "--threads", "0"}, "--threads: must be", 2},
    {{"gas", "--threads", "257"}, "--threads: must be", 2},
    {{"gas", "--every", "0"}, "--every: must be", 2},
    {{"gas", "--memory", "0"}, "--memory: must be", 2},
    {{"gas", "--seed", "-3"}, "--seed: must be", 2},
    {{"gas", "--seed", "18446744073709551616"}, "--seed: must be", 2},
    {{"gas", "--csv", ""}, "--csv: needs a file name", 2},
    {{"gas", "--csv", "-", "--events", "-"}, "--csv: - is --events as well", 2},
    {{"gas", "--csv", "a", "--csv", "b"}, "--csv: is given twice", 2},
    {{"gas", "--events=a", "--event=b"}, "--events: is given twice", 2},
    {{"gas", "--restart", "a", "--restart", "b"}, "--restart: is given twice", 2},
    {{"gas", "--record", "x", "--csv", "x"}, "x is --record as well", 2},
    {{"gas", "--csv", "."}, "--csv: .: Is a directory", 4},
    {{"gas", "--export", "x"}, "--export: x: needs --format, one of csv, xyz", 2},
    {{"gas", "--export", "x", "--format", "pdf"}, "--format: must be one of csv, xyz", 2},
    {{"gas", "--format", "xyz"}, "--format: needs --export", 2},
    {{"gas", "--export", "-", "--format", "vtp"}, "vtp cannot go to standard output", 2},
    {{"gas", "--export", "x.xyz", "--csv", "x.xyz"}, "x.xyz is --export as well", 2},
    {{"gas", "--export", "no/such/e.pvd"}, "--export: no/such/e.pvd: No such file", 4},
    {{"gas", "--events", "no/such/e.csv"}, "--events: no/such/e.csv: No such file", 4},
};

Test(command_line, errors_are_refused)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        support_program run = support_kugel_run(NULL, lines[i].arguments);
        bool good = support_complains(&run, lines[i].code, lines[i].message);
        if (!good || run.out_size) wrong += 1;
        support_program_free(&run);
    }
    cr_assert_eq(wrong, 0, "%u command lines are not refused rightly", wrong);
}

/* --every and --no-states without an output that they concern: the run has a note. */
Test(command_line, options_without_their_output)
{
    support_program run =
        RUN("cradle", "--quiet", "--ticks", "1", "--every", "2", "--record", "r.kugel");
    cr_assert(run.code == 0 && strstr(run.err, "--every: note: has no use without"), "%s", run.err);
    support_program_free(&run);
    run = RUN("cradle", "--quiet", "--ticks", "1", "--no-states");
    cr_assert(run.code == 0 && strstr(run.err, "--no-states: note: has no use"), "%s", run.err);
    support_program_free(&run);
    run = RUN("cradle", "--quiet", "--ticks", "1", "--no-states", "--record", "s.kugel", "--every",
              "2", "--csv", "t.csv");
    cr_assert(run.code == 0 && !*run.err, "%s", run.err);
    support_program_free(&run);
}

Test(command_line, an_output_does_not_overwrite_the_scene)
{
    support_write_file("scene.json", FALL);
    support_program run = RUN("scene.json", "--csv", "./scene.json");
    cr_assert(support_complains(&run, 2, "--csv: ./scene.json is the scene as well"));
    char *text = support_read_file("scene.json");
    cr_assert_str_eq(text, FALL);
    free(text);
    support_program_free(&run);
}

/* Each row: commands that prepare the folder, and two outputs that are one file. */
Test(command_line, two_outputs_are_not_one_file)
{
    static const char *const rows[][3] = {{"true", "x", "./x"},
                                          {"mkdir d; ln -s d e", "d/x", "e/x"},
                                          {"touch d/y; ln d/y z", "d/y", "z"},
                                          {"ln -s d/y w", "w", "z"},
                                          {"ln -s ../new d/link", "d/link", "new"},
                                          {"true", "-", "/dev/stdout"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char command[256], said[96];
        snprintf(command, sizeof command, "cd '%s' && %s", support_folder(), rows[k][0]);
        cr_assert_eq(system(command), 0, "%s", command);
        support_program run = RUN("cradle", "--csv", rows[k][1], "--events", rows[k][2]);
        snprintf(said, sizeof said, "--csv: %s is --events as well", rows[k][1]);
        cr_assert(support_complains(&run, 2, said));
        support_program_free(&run);
    }
    support_program apart = RUN("cradle", "--csv", "/dev/null", "--events", "/dev/null", "--record",
                                "e/r", "--export", "cradle", "--format", "csv");
    cr_assert_eq(apart.code, 0, "%s", apart.err);
    support_program_free(&apart);
    apart = RUN("cradle", "--csv", "cradle"); /* a sample is not a file */
    cr_assert_eq(apart.code, 0, "%s", apart.err);
    support_program_free(&apart);
}

/* Files opened by the shell: the scene on standard input, the summary's output. */
Test(command_line, redirections_are_files)
{
    static const char *const rows[][2] = {
        {"- --csv s.json <s.json", "--csv: s.json is the scene as well"},
        {"cradle --csv t.csv >t.csv", "--csv: t.csv is standard output as well"},
        {"cradle --csv - --record t.csv >t.csv", "--csv: - is --record as well"}};
    support_write_file("s.json", FALL);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char command[1024];
        snprintf(command, sizeof command,
                 "cd '%s' && '%s/samples/kugel-run' %s 2>err; [ $? -eq 2 ]", support_folder(),
                 getenv("KUGEL_BUILD"), rows[k][0]);
        int status = system(command);
        char *said = support_read_file("err");
        cr_assert(status == 0 && strstr(said, rows[k][1]), "%s: %s", rows[k][0], said);
        free(said);
    }
    char *text = support_read_file("s.json");
    cr_assert_str_eq(text, FALL);
    free(text);
}

Test(command_line, an_unreadable_file_is_refused)
{
    if (geteuid() == 0) cr_skip_test("root may read everything");
    char path[128];
    support_write_file("closed.json", FALL);
    snprintf(path, sizeof path, "%s/closed.json", support_folder());
    extern int chmod(const char *, unsigned);
    cr_assert_eq(chmod(path, 0), 0);
    support_program run = RUN("closed.json");
    cr_assert(support_complains(&run, 4, "closed.json: cannot be opened: Permission denied"));
    support_program_free(&run);
}

static double last_height(const char *const *arguments, unsigned long long *ticks)
{
    support_program run = support_kugel_run(FALL, arguments);
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("t.csv");
    support_table t = support_parse_csv(text);
    double height = support_row(&t, t.rows - 1)[5];
    cr_assert_eq(sscanf(support_line_from_end(run.out, 3), "ticks %llu", ticks), 1);
    free(t.values);
    free(text);
    support_program_free(&run);
    return height;
}

/* Free fall is an exact parabola for any tick: z = -5 (ticks dt)^2. */
Test(command_line, ticks_dt_and_substeps)
{
    unsigned long long ticks;
    double z = last_height((const char *const[]){"-", "--csv", "t.csv", NULL}, &ticks);
    cr_assert_eq(ticks, 600, "the default");
    cr_assert_float_eq(z, -500, 1e-9);
    z = last_height((const char *const[]){"-", "--csv", "t.csv", "--ticks", "30", "--dt=0.1", NULL},
                    &ticks);
    cr_assert_eq(ticks, 30);
    cr_assert_float_eq(z, -45, 1e-9);
    z = last_height((const char *const[]){"-", "--csv", "t.csv", "--ticks", "1", "--dt", "1",
                                          "--substeps", "7", NULL},
                    &ticks);
    cr_assert_eq(ticks, 1);
    cr_assert_float_eq(z, -5, 1e-9);
    z = last_height((const char *const[]){"-", "--csv", "t.csv", "--ticks", "0", NULL}, &ticks);
    cr_assert(ticks == 0 && z == 0);
}

static void output_of(char out[1024], const char *const *arguments)
{
    support_program run = support_kugel_run(NULL, arguments);
    cr_assert_eq(run.code, 0, "%s", run.err);
    snprintf(out, 1024, "%s", run.out);
    support_program_free(&run);
}

Test(command_line, seeds_and_threads)
{
    char own[1024], again[1024], other[1024], same[1024];
    output_of(own, (const char *const[]){"gas", "--ticks", "3", "--quiet", NULL});
    output_of(again, (const char *const[]){"gas", "--ticks", "3", "--threads", "3", NULL});
    output_of(other, (const char *const[]){"gas", "--ticks", "3", "--seed", "8", NULL});
    output_of(same, (const char *const[]){"gas", "--ticks", "3", "--seed", "7", NULL});
    cr_assert_str_eq(own, again, "threads changed the result");
    cr_assert_str_neq(own, other, "another seed, the same run");
    cr_assert_str_eq(own, same, "the sample's seed is 7");
}

/* The table goes to standard error; standard output stays the same. */
Test(command_line, timing)
{
    static const char *const stages[] = {"grid ",   "pairs ",   "contact ", "sweep ",
                                         "impact ", "advance ", "record ",  "whole "};
    char plain[1024];
    output_of(plain, (const char *const[]){"gas", "--ticks", "3", "--quiet", NULL});
    support_program timed = RUN("gas", "--ticks", "3", "--quiet", "--timing");
    cr_assert_eq(timed.code, 0);
    cr_assert_str_eq(timed.out, plain);
    cr_assert_eq(support_count_lines(timed.err), 9, "%s", timed.err);
    double sum = 0, ms, share = 0;
    for (size_t k = 0; k < 8; ++k) {
        const char *line = support_line_from_end(timed.err, 7 - k),
                   *numbers = line + strlen(stages[k]);
        cr_assert(!strncmp(line, stages[k], strlen(stages[k])), "'%s' is not about %s", line,
                  stages[k]);
        cr_assert(sscanf(numbers, "%lf %lf %%", &ms, &share) == 2 && ms >= 0, "%s", line);
        if (k < 7) sum += ms;
    }
    cr_assert(share == 100 && sum > 0 && fabs(sum - ms) < 1e-3,
              "stages of %g ms in a step of %g ms", sum, ms);
    support_program_free(&timed);
}

Test(command_line, help_list_version)
{
    char out[1024];
    output_of(out, (const char *const[]){"--version", NULL});
    cr_assert_eq(strncmp(out, "kugel-run ", 10), 0, "%s", out);
    output_of(out, (const char *const[]){"--help", NULL});
    cr_assert_eq(strncmp(out, "usage: kugel-run", 16), 0, "%s", out);
    support_program help = RUN("--help-scene");
    static const char *const keys[] = {
        "gravity",          "bounce_threshold", "slop",  "semi_axes", "rolling_resistance",
        "packing_fraction", "impulses",         "jitter"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
        cr_assert(strstr(help.out, keys[k]), "--help-scene does not tell %s", keys[k]);
    }
    for (const char *line = help.out; *line; line += strcspn(line, "\n") + 1) {
        cr_assert(strcspn(line, "\n") <= 100, "a line of --help-scene is too long: %.120s", line);
    }
    support_program_free(&help);
}
