/* The sync test: run, go back, run again, compare the whole state at every tick. */
#include <string.h>

#include "record/snapshot_difference.h"
#include "record/recorder.h"

#define SYNC_DEF_COOKIE 0x6b756773u
enum { TICKS_MAX = 100000 };

kugel_sync_def kugel_sync_def_default(void)
{
    return (kugel_sync_def){.cookie = SYNC_DEF_COOKIE, .ticks = 60, .dt = 1.0 / 60};
}

/* Snapshots of tick 0 ... ticks, one behind the other as they come. */
typedef struct snapshot_track {
    kg_memory *memory;
    void **snapshots;
    size_t *capacities, *sizes;
    uint32_t ticks;
    void *current; /* of the second run */
    size_t current_capacity;
} snapshot_track;

static bool track_make(snapshot_track *r, kg_memory *memory, uint32_t ticks)
{
    size_t n = (size_t)ticks + 1;
    *r = (snapshot_track){.memory = memory, .ticks = ticks};
    r->snapshots = kg_allocate(memory, n * sizeof *r->snapshots);
    if (r->snapshots)
        memset(r->snapshots, 0,
               n * sizeof *r->snapshots); /* track_free looks at each, whatever else fails */
    r->capacities = kg_allocate(memory, n * sizeof *r->capacities);
    r->sizes = kg_allocate(memory, n * sizeof *r->sizes);
    return r->snapshots && r->capacities && r->sizes;
}

static void track_free(snapshot_track *r)
{
    size_t n = (size_t)r->ticks + 1;
    for (size_t k = 0; r->snapshots && r->capacities && k < n; ++k) {
        if (r->snapshots[k]) kg_free(r->memory, r->snapshots[k], r->capacities[k]);
    }
    kg_free(r->memory, r->snapshots, n * sizeof *r->snapshots);
    kg_free(r->memory, r->capacities, n * sizeof *r->capacities);
    kg_free(r->memory, r->sizes, n * sizeof *r->sizes);
    kg_free(r->memory, r->current, r->current_capacity);
}

static bool track_append(snapshot_track *r, const kugel_world *world, uint32_t k)
{
    r->capacities[k] = kg_snapshot_bound(world);
    r->snapshots[k] = kg_allocate(r->memory, r->capacities[k]);
    if (!r->snapshots[k]) return false;
    r->sizes[k] = kg_snapshot_write(world, r->snapshots[k]);
    return true;
}

static kugel_status no_memory(kugel_world *world, uint32_t ticks)
{
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "def.ticks",
                           "no memory for the snapshots of %u ticks", ticks);
}

/* The tick's calls. Where the status handed back is that of a call on the world, its words stay. */
static kugel_status make_calls(kugel_world *world, const kugel_sync_def *def)
{
    if (!def->input) return KUGEL_OK;
    kugel_error before = world->error;
    world->error = (kugel_error){0}; /* to see whether a call fails */
    kugel_status status = def->input(def->user, world, world->tick);
    if (!world->error.status) world->error = before;
    else if (world->error.status == status) return status;
    return status ? kg_error_report(world, status, "def.input", "%s", kugel_status_text(status))
                  : KUGEL_OK;
}

/* A world that is recorded cannot go back: a recording that the calls began ends here. */
static kugel_status advance(kugel_world *world, const kugel_sync_def *def)
{
    kugel_status status = make_calls(world, def);
    bool recorded = world->recorder;
    kg_recorder_destroy(world->recorder);
    world->recorder = NULL;
    if (!status && recorded)
        status =
            kg_error_report(world, KUGEL_ERROR_STATE, "def.input", "began to record the world");
    return status ? status : kugel_world_step(world, def->dt);
}

/* Compare the world with a frame; the report is filled in where they differ. Says nothing of what
 * fails. */
static kugel_status compare(snapshot_track *r, const kugel_world *world, uint32_t k,
                            kugel_sync_report *report)
{
    size_t room = kg_snapshot_bound(world);
    if (room > r->current_capacity) {
        kg_free(r->memory, r->current, r->current_capacity);
        r->current = kg_allocate(r->memory, room);
        r->current_capacity = r->current ? room : 0;
        if (!r->current) return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    size_t size = kg_snapshot_write(world, r->current);
    report->same = size == r->sizes[k] && memcmp(r->current, r->snapshots[k], size) == 0;
    if (report->same) return KUGEL_OK;
    kg_snapshot_view p, q;
    kugel_status status = kg_snapshot_open(r->snapshots[k], r->sizes[k], &p, NULL);
    if (!status) status = kg_snapshot_open(r->current, size, &q, NULL);
    if (status) return status;
    kg_snapshot_difference(&p, &q, &report->divergence);
    report->divergence.tick = p.tick;
    report->divergence.expected_hash = kg_snapshot_hash(p.data, p.size);
    report->divergence.found_hash = kg_snapshot_hash(q.data, q.size);
    return KUGEL_OK;
}

/* Memory to come back to the first frame from any later state: from now on that cannot fail. A step
 * that fails may leave its copy of the contacts in place of them, so that the copy needs as much
 * room. */
static bool reserve_restore(kugel_world *world, const snapshot_track *r)
{
    kg_snapshot_view first;
    return !kg_snapshot_open(r->snapshots[0], r->sizes[0], &first, NULL) &&
           kg_snapshot_reserve(world, &first) &&
           kg_contact_set_copy(&world->memory, &world->work.contacts_backup, &world->contacts);
}

static kugel_status run(kugel_world *world, const kugel_sync_def *def, snapshot_track *r,
                        kugel_sync_report *report)
{
    for (uint32_t k = 1; k <= def->ticks; ++k) {
        kugel_status status = advance(world, def);
        if (status) return status;
        if (!track_append(r, world, k)) return no_memory(world, def->ticks);
    }
    kugel_status status = kugel_snapshot_restore(world, r->snapshots[0], r->sizes[0]);
    report->same = !status;
    for (uint32_t k = 1; k <= def->ticks && report->same; ++k) {
        status = advance(world, def);
        if (status) return status;
        status = compare(r, world, k, report);
        if (status)
            return kg_error_report(world, status, "def.ticks", "a snapshot of the second run: %s",
                                   kugel_status_text(status));
        report->ticks = k;
    }
    return status;
}

static kugel_status check(kugel_world *world, const kugel_sync_def *def, kugel_sync_report *report)
{
    const kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
    if (!def) return kg_error_report(world, bad, "def", "is NULL");
    if (!report) return kg_error_report(world, bad, "report", "is NULL");
    if (def->cookie != SYNC_DEF_COOKIE) {
        return kg_error_report(world, KUGEL_ERROR_UNINITIALIZED_DEF, "def",
                               "was not made by kugel_sync_def_default");
    }
    if (def->ticks < 1 || def->ticks > TICKS_MAX) {
        return kg_error_report(world, bad, "def.ticks", "must be 1 ... %d, got %u", TICKS_MAX,
                               def->ticks);
    }
    if (world->recorder)
        return kg_error_report(world, KUGEL_ERROR_STATE, "world", "is being recorded");
    return KUGEL_OK;
}

kugel_status kugel_sync_test(kugel_world *world, const kugel_sync_def *def,
                             kugel_sync_report *report)
{
    if (report) *report = (kugel_sync_report){0};
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check(world, def, report);
    if (status) return status;
    snapshot_track r;
    bool begun = track_make(&r, &world->memory, def->ticks) && track_append(&r, world, 0) &&
                 reserve_restore(world, &r);
    status = begun ? run(world, def, &r, report) : no_memory(world, def->ticks);
    if (status) report->same = false;
    if (begun && !report->same)
        kugel_snapshot_restore(world, r.snapshots[0], r.sizes[0]); /* secured: it cannot fail */
    track_free(&r);
    return status;
}
