/* --last records only the end of a run. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/support_program.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "

/* The file ends with the last tick, holds at most 2 N ticks, and replays. */
Test(last_ticks, are_a_recording)
{
    static const char bouncing[] = HEAD
        "\"ticks\": 500, \"bounds\": {\"min\": [0, 0, 0], \"max\": [10, 10, 10]}, "
        "\"bodies\": [{\"position\": [5, 5, 5], \"velocity\": [1, 0, 0], \"restitution\": 1}], "
        "\"impulses\": [{\"tick\": 300, \"body\": 0, \"impulse\": [1, 0, 0]}]}";
    for (int last = 0; last < 2; ++last) {
        const char *args[] = {"-",
                              "--ticks",
                              "400",
                              "--record",
                              "r.kugel",
                              last ? "--last" : "--quiet",
                              last ? "50" : NULL,
                              NULL};
        support_program run = support_kugel_run(bouncing, args);
        cr_assert_eq(run.code, 0, "%s", run.err);
        static char data[1 << 20];
        char path[512];
        snprintf(path, sizeof path, "%s/r.kugel", support_folder());
        FILE *file = fopen(path, "rb");
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        kugel_player *player;
        kugel_recording_info info;
        cr_assert_eq(kugel_player_open(data, size, NULL, NULL, 1, &player, NULL), KUGEL_OK);
        kugel_player_info(player, &info);
        cr_assert(info.closed && info.origin + info.ticks == 400);
        cr_assert(last ? info.ticks >= 50 && info.ticks <= 100 : info.ticks == 400, "%d ticks",
                  (int)info.ticks);
        kugel_play play;
        while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) {}
        cr_assert_eq(play, KUGEL_PLAY_END);
        kugel_player_close(player);
        support_program_free(&run);
    }
}

/* A run that fails: the ball leaves the range of positions in its third tick, a disk is full after
 * some rows, an impulse is refused. The recording ends with the last complete tick. */
Test(last_ticks, of_a_run_that_fails)
{
    static const char fast[] = HEAD "\"dt\": 1, \"ticks\": 9, \"bodies\": [{\"position\": [0, 0, "
                                    "0], \"velocity\": [4e14, 0, 0]}]}";
    static const char hit[] =
        HEAD "\"dt\": 1, \"ticks\": 9, \"bodies\": [{\"position\": [0, 0, 0], \"mass\": 0.001}], "
             "\"impulses\": [{\"tick\": 2, \"body\": 0, \"impulse\": [1e15, 0, 0]}]}";
    static const struct {
        const char *scene, *csv;
        int code;
    } rows[] = {{fast, "t.csv", 2}, {hit, "t.csv", 2}, {"gas", "/dev/full", 4}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        if (k == 2 && access(rows[k].csv, W_OK) != 0) continue;
        bool sample = strlen(rows[k].scene) < 9;
        support_program run = support_kugel_run(
            sample ? NULL : rows[k].scene,
            (const char *const[]){sample ? rows[k].scene : "-", "--quiet", "--csv", rows[k].csv,
                                  "--record", "r.kugel", "--last", "2", NULL});
        cr_assert(support_complains(&run, rows[k].code, ""));
        cr_assert_str_empty(run.out);
        cr_assert_eq(support_count_files("t.csv"), 0, "rows of a run that failed");
        support_program_free(&run);
        run = support_run_program("tools/replay/kugel-replay",
                                  (const char *const[]){"verify", "r.kugel", NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        cr_assert_str_eq(run.out, k == 2 ? "identical: 0 ticks\n" : "identical: 2 ticks\n");
        support_program_free(&run);
        char path[128];
        snprintf(path, sizeof path, "%s/r.kugel", support_folder());
        cr_assert_eq(unlink(path), 0);
    }
}

/* No recording when writing it failed, or when the run never began. */
Test(last_ticks, that_cannot_be_written)
{
    if (access("/dev/full", W_OK) != 0) cr_skip_test("there is no /dev/full here");
    support_program run = RUN("gas", "--quiet", "--ticks", "9", "--csv", "t.csv", "--record",
                              "/dev/full", "--last", "2");
    cr_assert(support_complains(&run, 4, "--record: /dev/full: cannot be written: No space left"));
    cr_assert_eq(support_count_files("t.csv"), 0);
    support_program_free(&run);
    run = RUN("gas", "--quiet", "--record", "r.kugel", "--last", "2", "--events", "no/such/e.csv");
    cr_assert_eq(run.code, 4);
    cr_assert_eq(support_count_files("r.kugel"), 0);
    support_program_free(&run);
}

Test(last_ticks, of_no_recording)
{
    support_program run = RUN("gas", "--last", "5");
    cr_assert(support_complains(&run, 2, "--last"));
    support_program_free(&run);
    run = RUN("gas", "--last", "0", "--record", "r.kugel");
    cr_assert(support_complains(&run, 2, "--last: must be a whole number"));
    support_program_free(&run);
}
