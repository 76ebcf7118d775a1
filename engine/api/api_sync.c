/* The sync test: runs a world, restores its initial state, runs it again with the same calls, and
 * compares the snapshots of both runs bit for bit at every tick. In: world, number of ticks,
 * callback that makes the calls. Out: the first difference. If the runs differ or a call fails, the
 * world gets its initial state again. Memory: one snapshot without meshes a tick. */
#include <string.h>

#include "api/api_refuse.h"
#include "record/recorder.h"
#include "record/snapshot.h"
#include "world/validate.h"

enum { TICKS_MAX = 100000 };

static const kugel_sync_def defaults = {
    .cookie = KG_COOKIE(6, kugel_sync_def), .ticks = 60, .dt = 1.0 / 60};

void kugel_sync_def_init(kugel_sync_def *def, size_t size)
{
    kg_def_write(def, size, &defaults, sizeof defaults);
}

typedef struct snapshot {
    void *data;
    size_t capacity, size;
} snapshot;

/* The snapshots of the first run, one for each of the ticks 0 ... `ticks`, and the last snapshot of
 * the second run. */
typedef struct snapshot_track {
    kg_memory *memory;
    snapshot *snapshots, current;
    uint32_t ticks;
    kugel_pair_filter filter; /* at tick 0; a snapshot does not contain it */
} snapshot_track;

static bool track_make(snapshot_track *track, kg_memory *memory, uint32_t ticks)
{
    size_t size = ((size_t)ticks + 1) * sizeof *track->snapshots;
    track->memory = memory, track->ticks = ticks;
    track->snapshots = kg_allocate(memory, size);
    if (track->snapshots) memset(track->snapshots, 0, size);
    return track->snapshots;
}

static void track_free(snapshot_track *track)
{
    size_t n = (size_t)track->ticks + 1;
    for (size_t k = 0; track->snapshots && k < n; ++k)
        kg_free(track->memory, track->snapshots[k].data, track->snapshots[k].capacity);
    kg_free(track->memory, track->snapshots, n * sizeof *track->snapshots);
    kg_free(track->memory, track->current.data, track->current.capacity);
}

/* Replace a snapshot by one of the world; false when out of memory. */
static bool take_snapshot(kg_memory *memory, snapshot *s, kugel_world *world, bool with_meshes)
{
    size_t bound = kg_snapshot_bound(world, with_meshes);
    if (bound > s->capacity) {
        kg_free(memory, s->data, s->capacity);
        s->data = kg_allocate(memory, bound);
        s->capacity = s->data ? bound : 0;
        if (!s->data) return false;
    }
    s->size = kg_snapshot_write(world, with_meshes, s->data);
    return true;
}

static kugel_status no_memory(kugel_world *world, uint32_t ticks)
{
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "def.ticks",
                           "no memory for the snapshots of %u ticks", ticks);
}

/* Let the host make the calls of a tick. If the callback returns the status of a call that failed,
 * the world's last error stays that of the call. */
static kugel_status make_calls(kugel_world *world, const kugel_sync_def *def)
{
    if (!def->input) return KUGEL_OK;
    kugel_error before = world->error;
    world->error = (kugel_error){0}; /* a call that fails sets the error again */
    world->inputs += 1;
    kugel_status status = def->input(def->user, world, world->tick);
    world->inputs -= 1;
    if (!world->error.status) world->error = before;
    else if (world->error.status == status) return status;
    return status ? kg_error_report(world, status, "def.input", "%s", kugel_status_text(status))
                  : KUGEL_OK;
}

/* Run one tick. A recording that the calls start is ended, and is an error: a world that is being
 * recorded cannot be restored. */
static kugel_status advance(kugel_world *world, const kugel_sync_def *def)
{
    kugel_status status = make_calls(world, def);
    bool recorded = world->recorder;
    kg_record_end(world->recorder);
    world->recorder = NULL;
    if (!status && recorded)
        status =
            kg_error_report(world, KUGEL_ERROR_STATE, "def.input", "began to record the world");
    return status ? status : kugel_world_step(world, def->dt);
}

/* Compare the world with the first run's snapshot of tick k, and report the first difference. An
 * error is returned, but not set as the world's last error. */
static kugel_status compare(snapshot_track *track, kugel_world *world, uint32_t k,
                            kugel_sync_report *report)
{
    const snapshot *was = &track->snapshots[k], *now = &track->current;
    if (!take_snapshot(track->memory, &track->current, world, false))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    report->same = was->size == now->size && memcmp(was->data, now->data, was->size) == 0;
    if (report->same) return KUGEL_OK;
    kg_snapshot_view p, q;
    kugel_status status = kg_snapshot_open(was->data, was->size, &p, NULL);
    if (!status) status = kg_snapshot_open(now->data, now->size, &q, NULL);
    if (status) return status;
    kg_snapshot_difference(&p, &q, &report->divergence);
    report->divergence.tick = p.tick;
    report->divergence.expected_hash = kg_snapshot_checksum(p.data, p.size);
    report->divergence.found_hash = kg_snapshot_checksum(q.data, q.size);
    return KUGEL_OK;
}

/* Reserve the memory that restoring the initial state needs after any step. A failed step exchanges
 * the contacts and their backup, so the backup gets the capacity of the contacts. */
static bool reserve_restore(kugel_world *world, const snapshot_track *track)
{
    kg_snapshot_view first;
    return !kg_snapshot_open(track->snapshots[0].data, track->snapshots[0].size, &first, NULL) &&
           kg_snapshot_reserve(world, &first) &&
           kg_contact_set_copy(&world->memory, &world->work.contacts_backup, &world->contacts);
}

static kugel_status run(kugel_world *world, const kugel_sync_def *def, snapshot_track *track,
                        kugel_sync_report *report)
{
    for (uint32_t k = 1; k <= def->ticks; ++k) {
        kugel_status status = advance(world, def);
        if (status) return status;
        if (!take_snapshot(track->memory, &track->snapshots[k], world, false))
            return no_memory(world, def->ticks);
    }
    kugel_status status =
        kugel_snapshot_restore(world, track->snapshots[0].data, track->snapshots[0].size);
    world->pair_filter = track->filter;
    report->same = !status;
    for (uint32_t k = 1; k <= def->ticks && report->same; ++k) {
        status = advance(world, def);
        if (status) return status;
        status = compare(track, world, k, report);
        if (status)
            return kg_error_report(world, status, "def.ticks", "a snapshot of the second run: %s",
                                   kugel_status_text(status));
        report->ticks = k;
    }
    return status;
}

/* Read a caller's def into *def and check the arguments. */
static kugel_status check(kugel_world *world, const kugel_sync_def *given, kugel_sync_def *def,
                          const kugel_sync_report *report)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    if (kg_validate_def(given, def, sizeof *def, "def", &error))
        return kg_refuse_error(world, &error);
    if (!report) return kg_refuse_null(world, "report");
    if (def->ticks < 1 || def->ticks > TICKS_MAX)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "def.ticks",
                               "must be 1 ... %d, got %u", TICKS_MAX, def->ticks);
    if (world->recorder)
        return kg_error_report(world, KUGEL_ERROR_STATE, "world", "is being recorded");
    return KUGEL_OK;
}

static kugel_status test(kugel_world *world, const kugel_sync_def *def, kugel_sync_report *report)
{
    kugel_status status;
    snapshot_track track = {.filter = world->pair_filter};
    bool begun = track_make(&track, &world->memory, def->ticks) &&
                 take_snapshot(&world->memory, &track.snapshots[0], world, true) &&
                 reserve_restore(world, &track);
    status = begun ? run(world, def, &track, report) : no_memory(world, def->ticks);
    if (status) report->same = false;
    if (begun && !report->same) {
        /* fails only if there is no memory for a surface that the input removed */
        (void)kugel_snapshot_restore(world, track.snapshots[0].data, track.snapshots[0].size);
        world->pair_filter = track.filter;
    }
    track_free(&track);
    return status;
}

kugel_status kugel_sync_test(kugel_world *world, const kugel_sync_def *def,
                             kugel_sync_report *report, size_t size)
{
    kugel_sync_report made = {0};
    kugel_sync_def complete = defaults;
    kugel_status status = check(world, def, &complete, report);
    if (!status) status = test(world, &complete, &made);
    if (report) kg_copy_sized(report, size, &made, sizeof made);
    return status;
}
