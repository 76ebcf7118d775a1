/* Recordings that start with a non-empty world: started late or dumped by a flight recorder. Their
 * playback has the hashes of the run at every tick. */
#include <criterion/criterion.h>
#include <string.h>

#include "record/support_recording.h"

/* A run of SUPPORT_TICKS ticks with calls of every kind, recorded from tick `from` on. */
typedef struct run {
    kugel_world *world;
    support_file file;
    support_memory memory;
    uint64_t hashes[SUPPORT_TICKS];
} run;

static void begin(run *r)
{
    *r = (run){0};
    kugel_world_def def = support_drive_def();
    def.allocator = support_allocator(&r->memory);
    cr_assert_eq(kugel_world_create(&def, &r->world), KUGEL_OK);
}

static void tick(run *r, uint64_t done)
{
    support_drive_calls(r->world, done, 4);
    cr_assert_eq(kugel_world_step(r->world, 1 / 60.), KUGEL_OK);
    r->hashes[done] = kugel_world_hash(r->world);
}

/* Played forwards, and reached by seeks in another order: hash for hash the run from tick `from`
 * on. */
static void check(const run *r, const support_file *file, uint64_t from, uint64_t to)
{
    kugel_player *player;
    kugel_error error = {0};
    kugel_recording_info info;
    cr_assert_eq(kugel_player_open(file->data, file->size, NULL, NULL, 1, &player, &error),
                 KUGEL_OK, "%s", error.message);
    kugel_player_info(player, &info);
    cr_assert(info.closed && !info.damaged && info.lost == 0);
    cr_assert_eq(info.ticks, to - from);
    for (uint64_t k = from; k < to; ++k) {
        kugel_divergence d = {0};
        cr_assert_eq(kugel_player_step(player, &d), KUGEL_PLAY_TICK, "tick %d differs in %s",
                     (int)k, d.field);
        cr_assert_eq(kugel_player_hash(player, k - from + 1), r->hashes[k]);
        cr_assert_eq(kugel_world_hash(kugel_player_world(player)), r->hashes[k]);
    }
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_END);
    for (uint64_t k = 1; k <= to - from; k += 3) {
        uint64_t sought = 1 + (k * 17) % (to - from);
        cr_assert_eq(kugel_player_seek(player, sought), KUGEL_PLAY_TICK);
        cr_assert_eq(kugel_world_hash(kugel_player_world(player)), r->hashes[from + sought - 1]);
    }
    kugel_player_close(player);
}

/* With planes, bodies that are gone, warm contacts, changed gravity and forces that wait for the
 * next step. */
Test(ring, a_recording_may_start_at_any_tick)
{
    static const uint64_t starts[] = {0, 1, 20, 41, 70};
    for (size_t s = 0; s < sizeof starts / sizeof *starts; ++s) {
        run r;
        begin(&r);
        support_drive_fill(r.world);
        for (uint64_t k = 0; k < starts[s]; ++k) tick(&r, k);
        kugel_body pushed = kugel_world_body(r.world, 4);
        cr_assert_eq(kugel_body_apply_force(r.world, pushed, (double[3]){3, 2, 1}, NULL), KUGEL_OK);
        kugel_recording_def def = support_recording_def(&r.file, true);
        def.keyframe_ticks = 10;
        cr_assert_eq(kugel_world_recording_start(r.world, &def), KUGEL_OK);
        for (uint64_t k = starts[s]; k < SUPPORT_TICKS; ++k) tick(&r, k);
        cr_assert_eq(kugel_world_recording_stop(r.world), KUGEL_OK);
        check(&r, &r.file, starts[s], SUPPORT_TICKS);
        kugel_world_destroy(r.world);
        support_file_free(&r.file);
        cr_assert_eq(r.memory.bytes, 0);
    }
}

/* After every tick: at least the last ten ticks, at most twice as many, and all calls in between.
 */
Test(ring, a_flight_recorder_keeps_the_last_ticks)
{
    enum { KEPT = 10 };
    run r;
    begin(&r);
    kugel_recording_def def = support_recording_def(&r.file, true);
    def.write = NULL;
    def.ring_ticks = KEPT;
    def.keyframe_ticks = 4;
    cr_assert_eq(kugel_world_recording_start(r.world, &def), KUGEL_OK);
    support_drive_fill(r.world);
    for (uint64_t k = 0; k < SUPPORT_TICKS; ++k) {
        tick(&r, k);
        support_file dump = {0};
        cr_assert_eq(kugel_world_recording_dump(r.world, support_file_write, &dump), KUGEL_OK);
        kugel_player *player;
        kugel_recording_info info;
        cr_assert_eq(kugel_player_open(dump.data, dump.size, NULL, NULL, 1, &player, NULL),
                     KUGEL_OK);
        kugel_player_info(player, &info);
        kugel_player_close(player);
        cr_assert_eq(info.origin + info.ticks, k + 1);
        cr_assert(info.ticks >= (k + 1 < KEPT ? k + 1 : KEPT) && info.ticks <= 2 * KEPT, "%d ticks",
                  (int)info.ticks);
        check(&r, &dump, info.origin, k + 1);
        support_file_free(&dump);
    }
    cr_assert_eq(kugel_world_recording_stop(r.world), KUGEL_OK);
    kugel_world_destroy(r.world);
    cr_assert_eq(r.memory.bytes, 0);
}

Test(ring, what_cannot_be_dumped)
{
    run r;
    begin(&r);
    support_file dump = {.fail_at = 3};
    kugel_recording_def def = support_recording_def(&r.file, true);
    cr_assert_eq(kugel_world_recording_dump(r.world, support_file_write, &dump), KUGEL_ERROR_STATE,
                 "not recording");
    cr_assert_eq(kugel_world_recording_start(r.world, &def), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_dump(r.world, support_file_write, &dump), KUGEL_ERROR_STATE,
                 "no ring");
    cr_assert_eq(kugel_world_recording_stop(r.world), KUGEL_OK);
    def.ring_ticks = 5;
    cr_assert_eq(kugel_world_recording_start(r.world, &def), KUGEL_OK);
    support_drive_fill(r.world);
    for (uint64_t k = 0; k < 20; ++k) tick(&r, k);
    cr_assert_eq(kugel_world_recording_dump(r.world, NULL, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_recording_dump(r.world, support_file_write, &dump), KUGEL_ERROR_IO);
    cr_assert_eq(kugel_world_recording_status(r.world), KUGEL_OK, "it goes on");
    dump.size = 0, dump.fail_at = 0;
    cr_assert_eq(kugel_world_recording_dump(r.world, support_file_write, &dump), KUGEL_OK);
    check(&r, &dump, 15, 20); /* the part before the one that begins now */
    kugel_world_destroy(r.world);
    support_file_free(&dump);
    support_file_free(&r.file);
}

/* Memory that fails at any allocation: the start is refused or the recording ends; the world goes
 * on as ever. */
Test(ring, failing_memory_ends_the_recording_only)
{
    run calm;
    begin(&calm);
    support_drive_fill(calm.world);
    for (uint64_t k = 0; k < 30; ++k) tick(&calm, k);
    bool reached_the_end = false;
    for (uint64_t fail_at = 1; !reached_the_end; ++fail_at) {
        run r;
        begin(&r);
        support_drive_fill(r.world);
        kugel_recording_def def = support_recording_def(&r.file, true);
        def.ring_ticks = 7;
        r.memory.fail_at = r.memory.allocations + fail_at;
        uint64_t last = r.memory.fail_at;
        kugel_status status = kugel_world_recording_start(r.world, &def);
        cr_assert(status == KUGEL_OK || status == KUGEL_ERROR_OUT_OF_MEMORY);
        for (uint64_t k = 0; k < 30; ++k) {
            support_drive_calls(r.world, k, 4);
            if (kugel_world_step(r.world, 1 / 60.))
                cr_assert_eq(kugel_world_step(r.world, 1 / 60.), KUGEL_OK);
            cr_assert_eq(kugel_world_hash(r.world), calm.hashes[k]);
        }
        reached_the_end = r.memory.allocations < last;
        kugel_world_destroy(r.world);
        cr_assert_eq(r.memory.bytes, 0);
    }
    kugel_world_destroy(calm.world);
}
