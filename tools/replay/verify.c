/* verify: plays a recording and compares every tick. */
#include "replay.h"

static int verify(replay_file *r)
{
    kugel_divergence divergence;
    kugel_play play;
    uint64_t ticks = 0;
    while ((play = kugel_player_step(r->player, &divergence)) == KUGEL_PLAY_TICK) {
        progress(++ticks, r->info.ticks);
    }
    progress_end();
    if (play == KUGEL_PLAY_ERROR) return report_play_error(r);
    if (play == KUGEL_PLAY_END) {
        printf("identical: %llu ticks\n", (unsigned long long)ticks);
        return report_if_incomplete(r);
    }
    print_divergence(&divergence, "recorded", "found");
    print_last_impact(r, &divergence);
    if (r->info.physics_epoch != KUGEL_PHYSICS_EPOCH) {
        printf("recorded with physics epoch %u, this is %u: their results may differ\n",
               r->info.physics_epoch, KUGEL_PHYSICS_EPOCH);
    }
    return EXIT_DIFFERENT;
}

int command_verify(const char *file, const settings *options)
{
    replay_file r;
    int code = replay_file_open(&r, file, options);
    if (code) return code;
    code = verify(&r);
    replay_file_close(&r);
    return code;
}
