/* verify: plays a recording and compares every tick. info: prints its properties. */
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

/* The tick of the recorded world at tick 0 of the recording, which may begin after the first step
 * of the world. If the first state cannot be restored, the number of ticks that a flight recorder
 * dropped. */
static uint64_t first_tick(const replay_file *r)
{
    return kugel_player_seek(r->player, 0) == KUGEL_PLAY_TICK
               ? kugel_world_tick(kugel_player_world(r->player))
               : r->info.origin;
}

static const char *yes(bool value) { return value ? "yes" : "no"; }

int command_info(const char *file, const settings *options)
{
    replay_file r;
    int code = replay_file_open(&r, file, options);
    if (code) return code;
    const kugel_recording_info *info = &r.info;
    printf("format %u\n", info->format);
    printf("physics epoch %u\n", info->physics_epoch);
    printf("library %s\n", info->library);
    printf("build %s\n", info->build);
    printf("ticks %llu\n", (unsigned long long)info->ticks);
    uint64_t first = first_tick(&r);
    if (first) printf("tick 0 is tick %llu of the run\n", (unsigned long long)first);
    printf("states %s\n", yes(info->states));
    printf("pair filter %s\n", yes(info->pair_filter));
    printf("keyframes %u\n", info->keyframes);
    printf("closed %s\n", yes(info->closed));
    printf("damaged %s\n", yes(info->damaged));
    printf("bytes %llu whole, %llu lost\n", (unsigned long long)info->bytes,
           (unsigned long long)info->lost);
    printf("annotation %zu bytes\n", info->annotation_size);
    replay_file_close(&r);
    return 0;
}
