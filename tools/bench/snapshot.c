/* SNAPSHOT: time to save and restore a settled pile. RECORD: cost of a recording relative to the
 * step. */
#include <kugel/kugel.h>
#include <stdlib.h>

#include "bench.h"
#include "report.h"
#include "stages.h"
#include "times.h"

enum { ROUNDS = 21, RECORDED_MOST = 60 };

static bool count_bytes(void *user, const void *data, size_t size)
{
    (void)data;
    *(double *)user += (double)size;
    return true;
}

static void measure_snapshot(kugel_world *world, uint32_t count)
{
    double save[ROUNDS], restore[ROUNDS];
    size_t room, size;
    if (kugel_snapshot_save(world, true, NULL, 0, &room)) abort();
    uint64_t hash = kugel_world_hash(world);
    void *image = malloc(room);
    if (!image) abort();
    for (int r = 0; r < ROUNDS; ++r) {
        double start = now();
        if (kugel_snapshot_save(world, true, image, room, &size)) abort();
        double saved = now();
        if (kugel_snapshot_restore(world, image, size)) abort();
        save[r] = saved - start, restore[r] = now() - saved;
    }
    times s = times_of(save, ROUNDS), t = times_of(restore, ROUNDS);
    ROW(NUMBER(count), NUMBER((double)size), NUMBER((double)size / count), NUMBER(s.median),
        NUMBER(s.least), NUMBER(s.spread), NUMBER(t.median), NUMBER(t.least), NUMBER(t.spread),
        TEXT(kugel_world_hash(world) == hash ? "yes" : "NO"));
    free(image);
}

static void measure_recording(kugel_world *world, uint32_t count, double dt, int ticks, bool states)
{
    double bytes = 0, seconds[RECORDED_MOST];
    kugel_recording_def def = kugel_recording_def_default();
    def.write = count_bytes, def.user = &bytes;
    def.states = states;
    if (kugel_world_recording_start(world, &def)) abort();
    double begun = bytes;
    kugel_step_times before = kugel_times_of(world), last;
    for (int k = 0; k < ticks; ++k) {
        if (kugel_world_step(world, dt)) abort();
        kugel_world_step_times(world, &last, NULL);
        seconds[k] = 1e-9 * (double)last.record;
    }
    if (kugel_world_recording_stop(world)) abort();
    stages_note(states ? "states" : "hashes", count, world, &before);
    times t = times_of(seconds, (size_t)ticks);
    ROW(NUMBER(count), TEXT(states ? "yes" : "no"), NUMBER(t.median), NUMBER(t.least),
        NUMBER(t.spread), NUMBER((bytes - begun) / ticks / count));
}

void bench_snapshot(const bench_options *chosen)
{
    static const column snapshots[] = {
        {"n", "n", "%8.0f", 1},
        {"bytes", "bytes", "%9.0f", 1},
        {"a body", "bytes_a_body", "%6.0f", 1},
        {"save, ms", "save_seconds", "%8.3f", 1e3},
        {"least", "save_seconds_least", "%8.3f", 1e3},
        {"spread", "save_spread", "%5.1f%%", 100},
        {"restore, ms", "restore_seconds", "%8.3f", 1e3},
        {"least", "restore_seconds_least", "%8.3f", 1e3},
        {"spread", "restore_spread", "%5.1f%%", 100},
        {"same state", "same", "%-3s", 1},
    };
    static const column recordings[] = {
        {"n", "n", "%8.0f", 1},
        {"states kept", "states", "%-3s", 1},
        {"ms a step", "seconds", "%8.3f", 1e3},
        {"least", "seconds_least", "%8.3f", 1e3},
        {"spread", "seconds_spread", "%5.1f%%", 100},
        {"bytes a body and step", "bytes_a_body", "%6.1f", 1},
    };
    scene s = scene_pile(chosen->size ? chosen->size : 10000);
    void *world = peer_kugel.open(&s);
    for (int k = 0; k < (chosen->quick ? 100 : 600); ++k) peer_kugel.step(world, s.dt);
    report_table("SNAPSHOT", "a pile that fell", snapshots, sizeof snapshots / sizeof *snapshots);
    measure_snapshot(world, s.count);
    report_table("RECORD", "recording the same pile: what the stage adds to a step", recordings,
                 sizeof recordings / sizeof *recordings);
    for (int states = 0; states < 2; ++states)
        measure_recording(world, s.count, s.dt, chosen->quick ? 10 : RECORDED_MOST, states);
    peer_kugel.close(world);
    scene_free(&s);
}
