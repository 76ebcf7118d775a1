/* The sync test: run, go back, run again, compare the whole state at every tick. */
#include <string.h>

#include "record/compare.h"
#include "record/recorder.h"

#define SYNC_DEF_COOKIE 0x6b756773u
enum { TICKS_MOST = 100000 };

kugel_sync_def kugel_sync_def_default(void)
{
    return (kugel_sync_def){.cookie = SYNC_DEF_COOKIE, .ticks = 60, .dt = 1.0 / 60};
}

/* Snapshots of tick 0 ... ticks, one behind the other as they come. */
typedef struct reel {
    kg_memory *memory;
    void **frames;
    size_t *rooms, *sizes;
    uint32_t ticks;
    void *now; /* of the second run */
    size_t now_room;
} reel;

static bool reel_make(reel *r, kg_memory *memory, uint32_t ticks)
{
    size_t n = (size_t)ticks + 1;
    *r = (reel){.memory = memory, .ticks = ticks};
    r->frames = kg_allocate(memory, n * sizeof *r->frames);
    if (r->frames) memset(r->frames, 0, n * sizeof *r->frames); /* reel_free looks at each, whatever else fails */
    r->rooms = kg_allocate(memory, n * sizeof *r->rooms);
    r->sizes = kg_allocate(memory, n * sizeof *r->sizes);
    return r->frames && r->rooms && r->sizes;
}

static void reel_free(reel *r)
{
    size_t n = (size_t)r->ticks + 1;
    for (size_t k = 0; r->frames && r->rooms && k < n; ++k) {
        if (r->frames[k]) kg_free(r->memory, r->frames[k], r->rooms[k]);
    }
    kg_free(r->memory, r->frames, n * sizeof *r->frames);
    kg_free(r->memory, r->rooms, n * sizeof *r->rooms);
    kg_free(r->memory, r->sizes, n * sizeof *r->sizes);
    kg_free(r->memory, r->now, r->now_room);
}

static bool keep(reel *r, const kugel_world *world, uint32_t k)
{
    r->rooms[k] = kg_snapshot_bound(world);
    r->frames[k] = kg_allocate(r->memory, r->rooms[k]);
    if (!r->frames[k]) return false;
    r->sizes[k] = kg_snapshot_write(world, r->frames[k]);
    return true;
}

static kugel_status no_memory(kugel_world *world, uint32_t ticks)
{
    return kg_fail(world, KUGEL_ERROR_OUT_OF_MEMORY, "def.ticks", "no memory for the snapshots of %u ticks", ticks);
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
    return status ? kg_fail(world, status, "def.input", "%s", kugel_status_text(status)) : KUGEL_OK;
}

/* A world that is recorded cannot go back: a recording that the calls began ends here. */
static kugel_status advance(kugel_world *world, const kugel_sync_def *def)
{
    kugel_status status = make_calls(world, def);
    bool recorded = world->recorder;
    kg_recorder_destroy(world->recorder);
    world->recorder = NULL;
    if (!status && recorded) status = kg_fail(world, KUGEL_ERROR_STATE, "def.input", "began to record the world");
    return status ? status : kugel_world_step(world, def->dt);
}

/* Compare the world with a frame; the report is filled in where they differ. Says nothing of what fails. */
static kugel_status compare(reel *r, const kugel_world *world, uint32_t k, kugel_sync_report *report)
{
    size_t room = kg_snapshot_bound(world);
    if (room > r->now_room) {
        kg_free(r->memory, r->now, r->now_room);
        r->now = kg_allocate(r->memory, room);
        r->now_room = r->now ? room : 0;
        if (!r->now) return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    size_t size = kg_snapshot_write(world, r->now);
    report->same = size == r->sizes[k] && memcmp(r->now, r->frames[k], size) == 0;
    if (report->same) return KUGEL_OK;
    kg_snapshot_view p, q;
    kugel_status status = kg_snapshot_open(r->frames[k], r->sizes[k], &p, NULL);
    if (!status) status = kg_snapshot_open(r->now, size, &q, NULL);
    if (status) return status;
    kg_snapshot_difference(&p, &q, &report->divergence);
    report->divergence.tick = p.tick;
    report->divergence.expected_hash = kg_snapshot_hash(p.data, p.size);
    report->divergence.found_hash = kg_snapshot_hash(q.data, q.size);
    return KUGEL_OK;
}

/* Memory to come back to the first frame from any later state: from now on that cannot fail. A step that fails may
 * leave its copy of the contacts in place of them, so that the copy needs as much room. */
static bool secure(kugel_world *world, const reel *r)
{
    kg_snapshot_view first;
    return !kg_snapshot_open(r->frames[0], r->sizes[0], &first, NULL) && kg_snapshot_reserve(world, &first) &&
           kg_contact_set_copy(&world->memory, &world->work.before, &world->contacts);
}

static kugel_status run(kugel_world *world, const kugel_sync_def *def, reel *r, kugel_sync_report *report)
{
    for (uint32_t k = 1; k <= def->ticks; ++k) {
        kugel_status status = advance(world, def);
        if (status) return status;
        if (!keep(r, world, k)) return no_memory(world, def->ticks);
    }
    kugel_status status = kugel_snapshot_restore(world, r->frames[0], r->sizes[0]);
    report->same = !status;
    for (uint32_t k = 1; k <= def->ticks && report->same; ++k) {
        status = advance(world, def);
        if (status) return status;
        status = compare(r, world, k, report);
        if (status) return kg_fail(world, status, "def.ticks", "a snapshot of the second run: %s", kugel_status_text(status));
        report->ticks = k;
    }
    return status;
}

static kugel_status check(kugel_world *world, const kugel_sync_def *def, kugel_sync_report *report)
{
    const kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
    if (!def) return kg_fail(world, bad, "def", "is NULL");
    if (!report) return kg_fail(world, bad, "report", "is NULL");
    if (def->cookie != SYNC_DEF_COOKIE) {
        return kg_fail(world, KUGEL_ERROR_UNINITIALIZED_DEF, "def", "was not made by kugel_sync_def_default");
    }
    if (def->ticks < 1 || def->ticks > TICKS_MOST) {
        return kg_fail(world, bad, "def.ticks", "must be 1 ... %d, got %u", TICKS_MOST, def->ticks);
    }
    if (world->recorder) return kg_fail(world, KUGEL_ERROR_STATE, "world", "is being recorded");
    return KUGEL_OK;
}

kugel_status kugel_sync_test(kugel_world *world, const kugel_sync_def *def, kugel_sync_report *report)
{
    if (report) *report = (kugel_sync_report){0};
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check(world, def, report);
    if (status) return status;
    reel r;
    bool begun = reel_make(&r, &world->memory, def->ticks) && keep(&r, world, 0) && secure(world, &r);
    status = begun ? run(world, def, &r, report) : no_memory(world, def->ticks);
    if (status) report->same = false;
    if (begun && !report->same) kugel_snapshot_restore(world, r.frames[0], r.sizes[0]); /* secured: it cannot fail */
    reel_free(&r);
    return status;
}
