#include "impact/zones.h"

#include <string.h>

#include "base/tasks.h"

enum { COLUMN_CELLS, COLUMN_ROWS, COLUMN_SLOTS };
enum { COLUMN_ZONES, COLUMN_PLANES };
enum { DEPTH_FIRST = 3, DEPTH_MOST = 15, PAUSE_FIRST = 4, PAUSE_MOST = 64, ROOMY_MOST = 1024 };
/* In windows with fewer bodies a zone, threads are not worth their waking. */
enum { BODIES_LEAST = 2048 };
/* Rows and cells copied for a body that a zone sees, and what is compared and given back, in what its impacts take: 260 and 420
 * instructions at 0.08 impacts a body. */
static const double copying = 0.6;
static const double faster_first = 1.5, faster_most = 24, calming = 0.9;

/* ---- memory of a zone's own ---- */

static void *arena_allocate(void *user, size_t size)
{
    kg_arena *arena = user;
    size = (size + KG_CACHE_LINE - 1) & ~(size_t)(KG_CACHE_LINE - 1);
    if (size > arena->size - arena->used) {
        arena->is_short = true;
        return NULL;
    }
    arena->used += size;
    return arena->base + arena->used - size;
}

static void *arena_reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    void *moved = arena_allocate(user, new_size);
    if (moved) memcpy(moved, block, old_size < new_size ? old_size : new_size);
    return moved;
}

static void arena_free(void *user, void *block, size_t size) { (void)user, (void)block, (void)size; }

/* Room for the events of some bodies, nothing in it. */
static bool arena_reserve(kg_memory *memory, kg_zone *zone, uint32_t bodies, uint32_t roomy)
{
    enum { BYTES_A_BODY = 256, BYTES = 1 << 16 };
    size_t size = ((size_t)bodies * BYTES_A_BODY + BYTES) * roomy;
    kg_arena *arena = &zone->arena;
    if (size <= arena->size && !arena->is_short) return true;
    kg_free(memory, arena->base, arena->size);
    *arena = (kg_arena){0};
    zone->stage = (kg_impact_stage){.pushed = bodies / 2};
    zone->events = (kg_event_log){0};
    size += size / 4;
    arena->base = kg_allocate(memory, size);
    arena->size = arena->base ? size : 0;
    return arena->base;
}

void kg_zones_free(kg_memory *memory, kg_zones *zones)
{
    if (!zones) return;
    uint32_t count = (uint32_t)zones->columns[COLUMN_ZONES].capacity;
    for (uint32_t s = 0; s < count; ++s) {
        kg_zone *zone = &zones->zone[s];
        kg_free(memory, zone->arena.base, zone->arena.size);
        for (size_t k = 0; k < sizeof zone->columns / sizeof *zone->columns; ++k) kg_column_free(memory, &zone->columns[k]);
    }
    for (size_t k = 0; k < sizeof zones->columns / sizeof *zones->columns; ++k) kg_column_free(memory, &zones->columns[k]);
    kg_free(memory, zones, sizeof *zones);
}

/* ---- plan ---- */

/* How many zones are worth it: each handles its own planes and the copies on both sides. */
static uint32_t best_count(const kugel_world *world, const kg_zones *zones)
{
    uint32_t n = world->bodies.count, width = kg_tasks_width(world->tasks), best = 0;
    bool periodic = world->grid->dense.periodic & 1u << 4;
    double most = 1, planes = zones->planes, around = zones->inner + zones->depth;
    for (uint32_t count = 2; count <= width && count <= zones->planes && n / count >= BODIES_LEAST; ++count) {
        double sees = (zones->planes + count - 1) / count + (periodic || count > 2 ? 2 : 1) * around;
        if (periodic && sees + 2 >= planes) continue; /* nobody is there twice */
        double gain = planes / (sees * (1 + copying));
        if (gain > most) most = gain, best = count;
    }
    return best;
}

/* Bodies in planes [0, z). */
static bool count_planes(kugel_world *world, kg_zones *zones, uint32_t **below)
{
    const kg_dense *dense = &world->grid->dense;
    uint32_t planes = zones->planes;
    kg_column *column = &zones->columns[COLUMN_PLANES];
    if (!kg_column_reserve(&world->memory, column, sizeof(uint32_t), planes + 3, 0)) return false;
    uint32_t *count = *below = column->data;
    memset(count, 0, (planes + 3) * sizeof *count);
    for (uint32_t i = 0; i < world->bodies.count; ++i) count[kg_dense_axis(dense->place[i].cell, 2) + 1] += 1;
    for (uint32_t z = 1; z <= planes + 2; ++z) count[z] += count[z - 1];
    return true;
}

static bool reserve_zones(kg_memory *memory, kg_zones *zones, uint32_t count)
{
    kg_column *column = &zones->columns[COLUMN_ZONES];
    size_t had = column->capacity;
    if (!kg_column_reserve_exact(memory, column, sizeof *zones->zone, count, had)) return false;
    zones->zone = column->data;
    for (size_t s = had; s < column->capacity; ++s) zones->zone[s] = (kg_zone){0};
    return true;
}

static uint32_t away(const kg_dense *dense, const kg_zone *zone, uint32_t z)
{
    uint32_t planes = dense->count[2] - 2, around = dense->periodic & 1u << 4 ? planes : 2 * planes;
    if (z >= zone->first && z < zone->end) return 0;
    uint32_t up = z >= zone->end ? z - zone->end + 1 : z + around - zone->end + 1;
    uint32_t down = z < zone->first ? zone->first - z : zone->first + around - z;
    return up < down ? up : down;
}

/* Zones of about equally many bodies, each with its copies' rows; how many rows. */
static uint32_t cut(const kugel_world *world, kg_zones *zones, const uint32_t *below)
{
    const kg_dense *dense = &world->grid->dense;
    uint32_t n = world->bodies.count, z = 1, row = n + 1; /* row n is the solver's */
    for (uint32_t s = 0; s < zones->count; ++s) {
        kg_zone *zone = &zones->zone[s];
        uint64_t want = (uint64_t)n * (s + 1) / zones->count;
        zone->first = z;
        for (z += 1; z + (zones->count - 1 - s) <= zones->planes && below[z] < want;) z += 1;
        zone->end = s + 1 == zones->count ? zones->planes + 1 : z;
        z = zone->end;
        zone->copies_from = row;
        zone->away[0] = zone->away[zones->planes + 1] = 1;
        for (uint32_t p = 1; p <= zones->planes; ++p) {
            zone->away[p] = (uint16_t)away(dense, zone, p);
            if (zone->away[p] && zone->away[p] <= zones->inner + zones->depth) row += below[p + 1] - below[p];
        }
        zone->copies = row - zone->copies_from;
    }
    return row - n - 1;
}

/* Rows for copies, behind those of the bodies. The work area cannot grow in the middle of a step: it does before the next. */
static bool reserve_rows(kugel_world *world, uint32_t copies, bool *ready)
{
    kg_impact_stage *stage = world->impact;
    uint32_t n = world->bodies.count;
    uint64_t rows = (uint64_t)n + 1 + copies;
    *ready = rows <= world->work.rows && rows < KG_BODY_LIMIT;
    if (!*ready) {
        world->work.copies = copies + copies / 8 + 1;
        return true;
    }
    rows = world->work.rows;
    kg_column *history = &stage->columns[KG_COLUMN_HISTORY];
    if (!kg_bodies_reserve(&world->memory, &world->bodies, rows) || !kg_dense_reserve_rows(&world->memory, world->grid, rows, n) ||
        !kg_column_reserve(&world->memory, history, sizeof *stage->history, rows, 0)) {
        return false;
    }
    stage->history = history->data;
    return true;
}

static bool reserve_zone(kugel_world *world, const kg_zones *zones, kg_zone *zone)
{
    const kg_dense *dense = &world->grid->dense;
    uint32_t n = world->bodies.count;
    size_t cells = (size_t)dense->count[0] * dense->count[1] * dense->count[2];
    kg_column *c = zone->columns;
    if (!arena_reserve(&world->memory, zone, n / zones->count + zone->copies, zones->roomy) ||
        !kg_column_reserve(&world->memory, &c[COLUMN_CELLS], sizeof *dense->cell, cells, 0) ||
        !kg_column_reserve(&world->memory, &c[COLUMN_ROWS], sizeof *zone->row, n, 0) ||
        !kg_column_reserve(&world->memory, &c[COLUMN_SLOTS], sizeof *zone->slot, zone->copies, 0)) {
        return false;
    }
    zone->row = c[COLUMN_ROWS].data;
    zone->slot = c[COLUMN_SLOTS].data;
    return true;
}

static bool open_zones(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    if (stage->zones) return true;
    stage->zones = kg_allocate(&world->memory, sizeof *stage->zones);
    if (stage->zones) *stage->zones = (kg_zones){.depth = DEPTH_FIRST, .roomy = 1, .pause = PAUSE_FIRST, .faster = faster_first};
    return stage->zones;
}

bool kg_zones_may_serve(const kugel_world *world)
{
    return !world->impact->alone && kg_tasks_width(world->tasks) > 1 && world->bodies.count >= 2 * BODIES_LEAST && !kg_sensors_wanted(world);
}

bool kg_zones_plan(kugel_world *world, double fastest)
{
    const kg_dense *dense = &world->grid->dense;
    kg_impact_stage *stage = world->impact;
    if (!open_zones(world)) return false;
    kg_zones *zones = stage->zones;
    if (zones->wait) {
        zones->wait -= 1;
        return true;
    }
    zones->faster = faster_first + calming * (zones->faster - faster_first);
    zones->way = zones->faster * fastest * (stage->until - stage->from);
    zones->planes = dense->count[2] - 2;
    if (!(zones->way < dense->edge[2] * zones->planes)) return true;
    zones->inner = 2 + (uint32_t)(2 * zones->way / dense->edge[2]);
    uint32_t count = best_count(world, zones), *below;
    bool ready;
    if (!count) return true;
    if (!count_planes(world, zones, &below) || !reserve_zones(&world->memory, zones, count)) return false;
    zones->count = count;
    uint32_t copies = cut(world, zones, below);
    if (!reserve_rows(world, copies, &ready)) return false;
    for (uint32_t s = 0; s < count && ready; ++s) {
        if (!reserve_zone(world, zones, &zones->zone[s])) return false;
    }
    if (!ready) zones->count = 0;
    return true;
}

/* ---- run ---- */

/* A world that shares all columns, with a queue, cells, events and memory of its own. */
static void begin(const kugel_world *world, kg_zone *zone)
{
    const kg_impact_stage *stage = world->impact;
    const kg_zones *zones = stage->zones;
    zone->world = *world;
    zone->world.memory = (kg_memory){.hooks = {arena_allocate, arena_reallocate, arena_free, &zone->arena}};
    zone->world.grid = &zone->grid;
    zone->world.impact = &zone->stage;
    zone->world.events = zone->events;
    zone->world.work.budgets_exhausted = 0;
    kg_event_set_clear(&zone->world.events.pending);
    zone->grid = *world->grid;
    kg_dense *dense = &zone->grid.dense;
    dense->cell = zone->columns[COLUMN_CELLS].data;
    dense->way_most = zones->way;
    dense->crossings = 0;
    kg_zone_copy(world, zone);
    zone->stage.h = stage->h;
    zone->stage.substep_start = stage->substep_start;
    zone->stage.traces = stage->traces;
    for (int axis = 0; axis < 3; ++axis) { /* who may be faster than planned is looked at: kg_trace_body */
        double *most = &zone->stage.traces.speed_most[axis], planned = 0.57 * zones->way / stage->traces.window;
        *most = *most < planned ? *most : planned;
    }
    zone->stage.history = stage->history;
    zone->stage.copies_from = zone->copies_from;
}

static bool fill_queue(const kugel_world *world, kg_zone *zone)
{
    const kg_impact_stage *stage = world->impact;
    kg_memory *memory = &zone->world.memory;
    return kg_column_reserve(memory, &zone->stage.columns[KG_COLUMN_EVENTS], sizeof(kg_event), world->bodies.count / stage->zones->count, 0) &&
           kg_queue_begin(memory, &zone->stage, stage->from, stage->until, world->bodies.count) &&
           kg_queue_take(&zone->world, stage, zone->row);
}

/* All copies are made before anything moves. */
static void begin_zone(void *context, uint32_t index)
{
    const kugel_world *world = context;
    begin(world, &world->impact->zones->zone[index]);
}

static void run_zone(void *context, uint32_t index)
{
    const kugel_world *world = context;
    kg_zone *zone = &world->impact->zones->zone[index];
    kg_event event;
    bool ok = fill_queue(world, zone);
    while (ok && !zone->grid.dense.leave && kg_queue_pop(&zone->world, &event, &ok)) {
        ok = kg_impact_handle(&zone->world, &event, zone->stage.h) == KUGEL_OK;
    }
    zone->failed = !ok || zone->grid.dense.leave;
    zone->events = zone->world.events;
}

static void close_zone(void *context, uint32_t index)
{
    const kugel_world *world = context;
    kg_zone *zone = &world->impact->zones->zone[index];
    zone->failed = !kg_zone_agrees(world, zone);
    if (!zone->failed) kg_zone_return_cells(world, zone);
}

/* What the zones counted, and whom their cells have no room for. */
static bool gather(kugel_world *world, kg_zone *zone)
{
    kg_dense *dense = &world->grid->dense;
    const kg_dense *mine = &zone->grid.dense;
    const kg_event_set *events = &zone->events.pending;
    world->events.pending.impacts_seen += events->impacts_seen;
    world->impact->pushed += zone->stage.pushed; /* a window without zones wants so many buckets */
    world->work.budgets_exhausted += zone->world.work.budgets_exhausted;
    kg_dense_note_crossings(world, mine->crossings);
    for (uint32_t k = 0; k < mine->loose_count; ++k) {
        uint32_t row = mine->loose[k], z = kg_dense_axis(dense->place[row].cell, 2);
        if (z < zone->first || z >= zone->end) continue;
        if (dense->loose_count == KG_DENSE_LOOSE) {
            dense->leave = true;
            break;
        }
        dense->loose[dense->loose_count++] = row < world->bodies.count ? row : zone->slot[row - zone->copies_from] & ~KG_ZONE_INNER;
    }
    for (size_t k = 0; k < events->impact_count; ++k) {
        if (!kg_event_impact(&world->memory, &world->events.pending, &events->impacts[k])) return false;
    }
    return true;
}

/* What went wrong is made less likely; where that helps little, it is not tried for longer and longer. */
static kugel_status give_up(kg_zones *zones)
{
    bool is_short = false, far = false;
    for (uint32_t s = 0; s < zones->count; ++s) {
        is_short |= zones->zone[s].arena.is_short;
        far |= zones->zone[s].failed && zones->zone[s].grid.dense.leave;
    }
    if (is_short && zones->roomy < ROOMY_MOST) zones->roomy *= 2;
    else if (far && zones->faster < faster_most) zones->faster *= 2;
    else if (!far && zones->depth < DEPTH_MOST) zones->depth += 2;
    zones->wait = zones->pause;
    zones->pause = zones->pause < PAUSE_MOST ? 2 * zones->pause : PAUSE_MOST;
    zones->again += 1;
    return KG_STEP_AGAIN;
}

static bool any_failed(const kg_zones *zones)
{
    bool failed = false;
    for (uint32_t s = 0; s < zones->count; ++s) failed |= zones->zone[s].failed;
    return failed;
}

kugel_status kg_zones_run(kugel_world *world)
{
    kg_zones *zones = world->impact->zones;
    kg_tasks_run(world->tasks, zones->count, begin_zone, world);
    kg_tasks_run(world->tasks, zones->count, run_zone, world);
    if (any_failed(zones)) return give_up(zones);
    kg_tasks_run(world->tasks, zones->count, close_zone, world);
    if (any_failed(zones)) return give_up(zones);
    world->grid->dense.loose_count = 0;
    for (uint32_t s = 0; s < zones->count; ++s) {
        if (!gather(world, &zones->zone[s])) return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    zones->windows += 1;
    zones->pause -= zones->pause > PAUSE_FIRST;
    return KUGEL_OK;
}
