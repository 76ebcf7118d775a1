/* diff: the first difference of two recordings. Recorded hashes give the tick. Body and field come
 * from recorded states, or from playing both recordings up to that tick. Tick 0 has no recorded
 * hash: the two initial worlds are compared. */
#include <string.h>

#include "replay.h"

static bool from_recorded(replay_file *a, replay_file *b, kugel_divergence *d)
{
    kugel_recorded p, q;
    return kugel_player_recorded(a->player, d->tick, &p) == KUGEL_OK &&
           kugel_player_recorded(b->player, d->tick, &q) == KUGEL_OK &&
           kugel_recorded_difference(&p, &q, d);
}

/* Read the state of the played world. false: out of memory. */
static bool read_state(const replay_file *r, uint64_t tick, row_set *rows, kugel_recorded *out)
{
    const kugel_world *world = kugel_player_world(r->player);
    if (!rows_read(rows, world)) return false;
    *out = (kugel_recorded){.tick = tick,
                            .hash = kugel_world_hash(world),
                            .has_state = true,
                            .count = rows->count,
                            .ids = rows->ids,
                            .position = rows->position,
                            .velocity = rows->velocity,
                            .spin = rows->spin};
    return true;
}

/* Play up to `tick` and read the state. false: an error, or the playback diverges from the recorded
 * hash, so that it cannot be compared. */
static bool run_to(replay_file *r, uint64_t tick, uint64_t hash, row_set *rows, kugel_recorded *out)
{
    for (uint64_t t = 1; t <= tick; ++t) {
        if (kugel_player_seek(r->player, t) != KUGEL_PLAY_TICK) return false;
        progress(t, tick);
    }
    return read_state(r, tick, rows, out) && out->hash == hash;
}

static void locate(replay_file *a, replay_file *b, kugel_divergence *d)
{
    row_set rows[2] = {{0}, {0}};
    kugel_recorded p, q;
    if (!from_recorded(a, b, d) && run_to(a, d->tick, d->expected_hash, &rows[0], &p) &&
        run_to(b, d->tick, d->found_hash, &rows[1], &q)) {
        kugel_recorded_difference(&p, &q, d);
    }
    rows_free(&rows[0]);
    rows_free(&rows[1]);
}

/* Compare the lengths of two recordings that are equal up to the end of the shorter one. Returns an
 * exit code. */
static int compare_ends(const replay_file *a, const replay_file *b)
{
    uint64_t p = a->info.ticks, q = b->info.ticks;
    int code = report_if_incomplete(a);
    int other = report_if_incomplete(b);
    if (code || other) return EXIT_USAGE;
    if (p == q) {
        printf("identical: %llu ticks\n", (unsigned long long)p);
        return 0;
    }
    const replay_file *shorter = p < q ? a : b, *longer = p < q ? b : a;
    printf("different: %s ends after tick %llu, %s goes on to tick %llu\n", shorter->name,
           (unsigned long long)shorter->info.ticks, longer->name,
           (unsigned long long)longer->info.ticks);
    return EXIT_DIFFERENT;
}

static int read_start(replay_file *r, row_set *rows, kugel_recorded *out)
{
    if (kugel_player_seek(r->player, 0) != KUGEL_PLAY_TICK) return report_play_error(r);
    return read_state(r, 0, rows, out) ? EXIT_SAME
                                       : complain(EXIT_RESOURCES, "%s: out of memory", r->name);
}

/* Compare the two initial worlds. Returns an exit code; sets `d` if they differ. */
static int compare_starts(replay_file *a, replay_file *b, kugel_divergence *d)
{
    row_set rows[2] = {{0}, {0}};
    kugel_recorded p, q;
    int code = read_start(a, &rows[0], &p);
    if (!code) code = read_start(b, &rows[1], &q);
    if (!code && p.hash != q.hash) {
        *d = (kugel_divergence){.expected_hash = p.hash, .found_hash = q.hash};
        kugel_recorded_difference(&p, &q, d);
        code = EXIT_DIFFERENT;
    }
    rows_free(&rows[0]);
    rows_free(&rows[1]);
    return code;
}

static int report(replay_file *a, const replay_file *b, const kugel_divergence *d)
{
    print_divergence(d, "in the first", "in the second");
    print_last_impact(a, d);
    if (a->info.physics_epoch != b->info.physics_epoch) {
        printf("the first has physics epoch %u, the second %u\n", a->info.physics_epoch,
               b->info.physics_epoch);
    }
    return EXIT_DIFFERENT;
}

static int diff(replay_file *a, replay_file *b)
{
    uint64_t ticks = a->info.ticks < b->info.ticks ? a->info.ticks : b->info.ticks;
    play_without_pair_filter(a); /* recorded hashes and states are compared */
    play_without_pair_filter(b);
    kugel_divergence start = {0};
    int code = compare_starts(a, b, &start);
    if (code > EXIT_DIFFERENT) return code;
    if (start.located) return report(a, b, &start);
    /* if the worlds differ but their bodies do not, the first different tick says more */
    for (uint64_t tick = 1; tick <= ticks; ++tick) {
        kugel_divergence d = {.tick = tick,
                              .expected_hash = kugel_player_hash(a->player, tick),
                              .found_hash = kugel_player_hash(b->player, tick)};
        if (d.expected_hash == d.found_hash) continue;
        locate(a, b, &d);
        return report(a, b, &d);
    }
    return code ? report(a, b, &start) : compare_ends(a, b);
}

int command_diff(const char *first, const char *second, const settings *options)
{
    replay_file a, b;
    if (strcmp(first, "-") == 0 && strcmp(second, "-") == 0) {
        return complain(EXIT_USAGE, "diff: only one of the two can be standard input");
    }
    int code = replay_file_open(&a, first, options);
    if (code) return code;
    code = replay_file_open(&b, second, options);
    if (!code) {
        code = diff(&a, &b);
        replay_file_close(&b);
    }
    replay_file_close(&a);
    return code;
}
