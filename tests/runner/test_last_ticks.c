/* --last: only the end of a run is recorded. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <stdio.h>

#include "runner/support_program.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "

/* The file ends with the last tick, holds no more than wanted, and plays. */
Test(last_ticks, are_a_recording)
{
    static const char bouncing[] =
        HEAD "\"ticks\": 500, \"bounds\": {\"min\": [0, 0, 0], \"max\": [10, 10, 10]}, "
             "\"bodies\": [{\"position\": [5, 5, 5], \"velocity\": [1, 0, 0], \"restitution\": 1}], "
             "\"impulses\": [{\"tick\": 300, \"body\": 0, \"impulse\": [1, 0, 0]}]}";
    for (int last = 0; last < 2; ++last) {
        const char *args[] = {"-", "--ticks", "400", "--record", "r.kugel", last ? "--last" : "--quiet", last ? "50" : NULL, NULL};
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
        cr_assert_eq(kugel_player_open(data, size, NULL, 1, &player, NULL), KUGEL_OK);
        kugel_player_info(player, &info);
        cr_assert(info.closed && info.origin + info.ticks == 400);
        cr_assert(last ? info.ticks >= 50 && info.ticks <= 100 : info.ticks == 400, "%d ticks", (int)info.ticks);
        kugel_play play;
        while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) {}
        cr_assert_eq(play, KUGEL_PLAY_END);
        kugel_player_close(player);
        support_program_free(&run);
    }
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
