/* Snapshots, deltas, recordings and sync tests, compared with the world from which they are
 * made. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static void restore(calls *c)
{
    if (!c->saved.size) return;
    calls_begin(c);
    kugel_status status = kugel_snapshot_restore(c->world, c->saved.data, c->saved.size);
    if (!calls_end(c, status, !c->recording, false, "restore")) return;
    FUZZ_CHECK(bytes_equal(&c->now, &c->saved), "restore: the snapshot of the world is another");
    c->model = c->saved_model;
    FUZZ_CHECK(!kugel_world_get_def(c->world, &c->def), "restore: no def");
    calls_compare(c, "restore");
}

/* Makes a delta from the saved snapshot to the present one, and checks that it gives that. */
static void make_delta(calls *c)
{
    if (!c->saved.size) return;
    size_t bound, size, whole;
    if (kugel_delta_make(c->saved.data, c->saved.size, c->now.data, c->now.size, NULL, 0, &bound))
        abort();
    uint8_t *delta = malloc(bound), *same = malloc(c->now.size);
    if (!delta || !same) abort();
    kugel_status status = kugel_delta_make(c->saved.data, c->saved.size, c->now.data, c->now.size,
                                           delta, bound, &size);
    FUZZ_CHECK(!status && size <= bound, "delta: %s", kugel_status_text(status));
    status =
        kugel_delta_apply(c->saved.data, c->saved.size, delta, size, same, c->now.size, &whole);
    FUZZ_CHECK(!status && whole == c->now.size && !memcmp(same, c->now.data, whole),
               "delta: gives another snapshot");
    free(delta);
    free(same);
}

void calls_save_or_restore(calls *c)
{
    switch (fuzz_below(&c->in, 3)) {
    case 0:
        bytes_copy(&c->saved, c->now.data, c->now.size);
        c->saved_model = c->model;
        break;
    case 1:
        restore(c);
        break;
    default:
        make_delta(c);
        break;
    }
}

static bool receive(void *user, const void *data, size_t size)
{
    bytes *to = user;
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size);
        to->data = realloc(to->data, to->room);
        if (!to->data) abort();
    }
    if (size) memcpy(to->data + to->size, data, size);
    to->size += size;
    return true;
}

static void start(calls *c)
{
    kugel_recording_def def = kugel_recording_def_default();
    uint8_t parts = fuzz_byte(&c->in);
    def.write = receive, def.user = &c->recorded;
    def.states = parts & 1;
    def.keyframe_ticks = parts / 2 % 8;
    def.ring_ticks = parts / 16 % 4;
    c->recorded.size = 0;
    calls_begin(c);
    kugel_status status = kugel_world_recording_start(c->world, &def);
    if (!calls_end(c, status, true, false, "record")) return;
    if (parts & 64)
        FUZZ_CHECK(!kugel_world_recording_mark(c->world), "record: the start cannot be marked");
    c->recording = true;
    c->ring = def.ring_ticks;
    c->recorded_ticks = 0;
}

/* Plays the recording: no tick may differ, and a seek to the last tick must give its hash.
 * @param whole true if no call of the recorder ran out of memory. */
static void play(const calls *c, bool whole)
{
    kugel_player *player;
    kugel_recording_info info;
    kugel_error error;
    kugel_divergence d = {0};
    kugel_status status =
        kugel_player_open(c->recorded.data, c->recorded.size, NULL, NULL, 1, &player, &error);
    FUZZ_CHECK(!status, "player: %s: %s", error.argument, error.message);
    kugel_player_info(player, &info);
    FUZZ_CHECK(!info.lost && !info.damaged, "player: %u bytes lost", (unsigned)info.lost);
    FUZZ_CHECK(!whole || info.origin + info.ticks == c->recorded_ticks, "player: %u ticks of %u",
               (unsigned)info.ticks, (unsigned)c->recorded_ticks);
    uint64_t ticks = 0;
    kugel_play result;
    while ((result = kugel_player_step(player, &d)) == KUGEL_PLAY_TICK) ++ticks;
    FUZZ_CHECK(result == KUGEL_PLAY_END && ticks == info.ticks,
               "player: result %d after %u of %u ticks: body %u %s: %.17g, recorded %.17g", result,
               (unsigned)ticks, (unsigned)info.ticks, d.body, d.field, d.found, d.expected);
    uint64_t last = kugel_player_hash(player, ticks);
    FUZZ_CHECK(kugel_player_seek(player, ticks / 2) == KUGEL_PLAY_TICK, "player: cannot seek");
    FUZZ_CHECK(kugel_player_seek(player, ticks) == KUGEL_PLAY_TICK, "player: cannot seek");
    FUZZ_CHECK(!ticks || kugel_world_hash(kugel_player_world(player)) == last,
               "player: a seek gives another state");
    kugel_player_close(player);
}

static void stop(calls *c)
{
    kugel_status ended = kugel_world_recording_status(c->world);
    if (c->ring && !ended) ended = kugel_world_recording_dump(c->world, receive, &c->recorded);
    uint64_t failures = c->memory.failures;
    kugel_status status = kugel_world_recording_stop(c->world);
    bool no_memory = ended == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_OUT_OF_MEMORY;
    FUZZ_CHECK(no_memory || (!ended && !status), "record: ends with %s", kugel_status_text(status));
    FUZZ_CHECK(no_memory || c->memory.failures == failures, "record: stops without memory");
    c->recording = false;
    if (c->recorded.size) play(c, !no_memory);
}

void calls_record(calls *c)
{
    if (!c->recording) start(c);
    else stop(c);
}

/* A sync test runs some ticks twice, without calls between them; both runs must be equal. */
void calls_sync(calls *c)
{
    kugel_sync_def def = kugel_sync_def_default();
    kugel_sync_report report;
    def.ticks = 1 + fuzz_below(&c->in, 4);
    def.dt = (1 + fuzz_below(&c->in, 16)) / 60.;
    if (c->steps + 2 * def.ticks > MOST_STEPS || calls_is_too_fast(c, def.dt * def.ticks)) return;
    c->steps += 2 * def.ticks;
    calls_begin(c);
    kugel_status status = kugel_sync_test(c->world, &def, &report);
    if (!calls_end(c, status, !c->recording, true, "sync")) return;
    FUZZ_CHECK(report.same, "sync: tick %u body %u %s: %.17g, then %.17g",
               (unsigned)report.divergence.tick, report.divergence.body, report.divergence.field,
               report.divergence.expected, report.divergence.found);
    calls_adopt(c);
    calls_compare(c, "sync");
}
