/* play: draws a recording in the terminal, at its pace. */
#include <live.h>
#include <signals.h>
#include <string.h>

#include "replay.h"

/* Play from tick `first`. Returns an exit code. */
static int play(replay_file *r, uint64_t first)
{
    kugel_player *player = r->player;
    live live = {.on = false};
    double time, dt = 0;
    if (kugel_player_seek(player, first) != KUGEL_PLAY_TICK) return report_play_error(r);
    const kugel_world *world = kugel_player_world(player);
    if (!live_is_possible(world))
        return complain(EXIT_USAGE, "play: standard output is not a terminal that can show it");
    const live_source source = {.ticks = kugel_world_tick(world) - first + r->info.ticks,
                                .keys = strcmp(r->name, "standard input") != 0};
    kugel_play done = KUGEL_PLAY_TICK;
    live_begin(&live, &source, world);
    for (uint64_t tick = first; tick < r->info.ticks && done == KUGEL_PLAY_TICK; ++tick) {
        if (!live_wait(&live, world, dt) || signals_interrupted()) break;
        time = kugel_world_time(world);
        done = kugel_player_seek(player, tick + 1);
        world = kugel_player_world(player);
        dt = kugel_world_time(world) - time;
        if (done == KUGEL_PLAY_TICK) live_show(&live, world);
    }
    signals_stop_waiting(signals_last());
    live_end(&live, world, done != KUGEL_PLAY_TICK);
    return done == KUGEL_PLAY_TICK ? 0 : report_play_error(r);
}

int command_play(const char *file, const settings *options)
{
    replay_file r;
    uint64_t first = 0;
    int code = replay_file_open(&r, file, options);
    if (code) return code;
    signals_watch();
    if (options->tick) code = parse_tick(&r, "--tick", options->tick, &first);
    if (!code && r.info.pair_filter)
        code = complain(EXIT_USAGE,
                        "%s: play: its pair filter is code of the program that recorded it, which "
                        "alone can play it",
                        r.name);
    if (!code) code = play(&r, first);
    if (!code && r.info.damaged) code = report_if_incomplete(&r);
    replay_file_close(&r);
    signals_pass();
    return code;
}
