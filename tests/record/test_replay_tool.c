/* The command line of kugel-replay: each mistake prints one line. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/support_replay.h"

Test(replay_tool, bad_usage_is_one_line)
{
    support_save_run("a", 3, true, 4);
    char a[128];
    snprintf(a, sizeof a, "%s", support_path("a"));
    static const struct {
        const char *args[6], *word; /* "A": the recording */
    } rows[] = {
        {{NULL}, "verify"},
        {{"fly"}, "fly"},
        {{"verfy", "A"}, "verfy: unknown command; did you mean verify?"},
        {{"verify", "A", "--therads", "2"}, "--therads: unknown option; did you mean --threads?"},
        {{"info", "--help=1"}, "--help=1: --help takes no value"},
        {{"verify", "no\nsuch"}, "no?such: cannot be opened"},
        {{"verify"}, "verify"},
        {{"verify", "A", "A"}, "verify"},
        {{"diff", "A"}, "diff"},
        {{"diff", "-", "-"}, "standard input"},
        {{"verify", "--threads", "0", "A"}, "--threads"},
        {{"verify", "--threads", "257", "A"}, "--threads"},
        {{"verify", "--threads", "-1", "A"}, "--threads"},
        {{"verify", "--threads", "2x", "A"}, "--threads"},
        {{"verify", "A", "--threads"}, "--threads"},
        {{"verify", "A", "--memory", "0"}, "--memory"},
        {{"verify", "/dev/zero", "--memory", "1"}, "/dev/zero: is longer than --memory allows"},
        {{"verify", "--fast", "A"}, "--fast"},
        {{"verify", "-q", "A"}, "-q"},
        {{"verify", "A", "-o", "out"}, "-o"},
        {{"info", "A", "--format", "csv"}, "--format"},
        {{"export", "A"}, "export: needs -o OUT"},
        {{"export", "A", "--format", "csv"}, "-o"},
        {{"export", "A", "-oout.csv", "-oout.xyz"}, "-o: is given twice"},
        {{"export", "A", "--format", "pdf", "-oout"}, "pdf"},
        {{"export", "A", "-oout"}, "--format"},
        {{"export", "A", "-oout.csv", "--every", "0"}, "--every"},
        {{"verify", "A", "--every", "2"}, "--every"},
        {{"verify", "A", "--tick", "2"}, "--tick"},
        {{"export", "A", "-oout.csv", "--tick", "4"}, "no tick 4"},
        {{"export", "A", "-oout.csv", "--tick=2", "--every=2"}, "not both"},
        {{"export", "A", "-oout.avi", "--format", "video"}, "must end in .mp4, .webm or .gif"},
        {{"export", "A", "-oout.mp4", "--size", "3x3"}, "--size"},
        {{"info", "A", "--scene"}, "no scene of kugel-run"},
        {{"verify", "A", "--scene"}, "--scene"},
        {{"play", "A"}, "play: standard output is not a terminal"},
        {{"export", "A", "--format", "vtp", "-o-"}, "vtp cannot go to standard output"},
        {{"view", "A"}, "view: "},
        {{"rewrite", "A"}, "rewrite: needs -o OUT"},
        {{"view", "A", "--format", "csv", "-oout"}, "--format"},
        {{"seek", "A"}, "seek"},
        {{"seek", "A", "4"}, "no tick 4"},
        {{"seek", "A", "1.5"}, "1.5"},
        {{"seek", "A", ""}, "seek"},
        {{"seek", "A", "99999999999999999999"}, "seek"},
        {{"verify", "/nowhere/at/all"}, "/nowhere/at/all"},
        {{"verify", "."}, "Is a directory"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        const char *args[7] = {NULL};
        for (int i = 0; rows[k].args[i]; ++i) {
            args[i] = strcmp(rows[k].args[i], "A") == 0 ? a : rows[k].args[i];
        }
        support_outcome o = support_replay(NULL, NULL, args);
        support_check_refused(&o, 2, rows[k].word);
        cr_assert_eq(strncmp(o.err, "kugel-replay: ", 14), 0, "%s", o.err);
    }
    cr_assert_neq(access("out", F_OK), 0, "an output of a refused call");
}

/* What is in the page is for the viewer's own tests. */
Test(replay_tool, view_makes_a_page_or_says_why_not)
{
    support_save_run("a", 3, true, 4);
    support_outcome o = REPLAY("view", support_path("a"), "-o", support_path("page"));
    if (o.code == 2) {
        support_check_refused(&o, 2, "without the viewer");
        cr_assert_neq(access(support_path("page"), F_OK), 0);
        return;
    }
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_eq(access(support_path("page"), R_OK), 0);
    o = REPLAY("view", support_path("a"), "-o", support_path("no/such/place"));
    support_check_refused(&o, 4, "no/such/place");
    o = REPLAY("view", "/nowhere/at/all", "-o", support_path("other"));
    support_check_refused(&o, 2, "/nowhere/at/all");
}

Test(replay_tool, rewrite_is_unpacked_and_plays_the_same)
{
    support_save_run("a", 60, true, 4);
    support_outcome o = REPLAY("rewrite", support_path("a"), "-o", support_path("b"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    o = REPLAY("diff", support_path("a"), support_path("b"));
    cr_assert_str_eq(o.out, "identical: 60 ticks\n");
    cr_assert_not_null(strstr(REPLAY("info", support_path("b")).out, "\nstates no\n"));
    o = REPLAY("rewrite", support_path("a"), "-o", support_path("no/such/place"));
    support_check_refused(&o, 4, "no/such/place");
    o = REPLAY("rewrite", support_path("a"), "-o", support_path("a"));
    support_check_refused(&o, 2, "is the recording as well");
}

Test(replay_tool, other_files_are_refused)
{
    support_file text = {0}, empty = {0};
    support_file_write(&text, "{\"format\": \"kugel-scene\"}", 25);
    support_save("text", &text);
    support_save("empty", &empty);
    static const char *const names[] = {"text", "empty"};
    static const char *const commands[] = {"verify", "info"};
    for (int k = 0; k < 4; ++k) {
        support_outcome o = REPLAY(commands[k / 2], support_path(names[k % 2]));
        support_check_refused(&o, 2, names[k % 2]);
    }
    support_file_free(&text);
}

Test(replay_tool, help_and_version)
{
    support_outcome o = REPLAY("--help");
    cr_assert_eq(o.code, 0);
    cr_assert_not_null(strstr(o.out, "usage: kugel-replay verify FILE"));
    o = REPLAY("--version");
    cr_assert_eq(o.code, 0);
    cr_assert_str_eq(o.out, "kugel-replay " KUGEL_VERSION_STRING "\n");
}
