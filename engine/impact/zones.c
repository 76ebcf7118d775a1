#include "impact/zones.h"

#include <math.h>
#include <string.h>

#include "base/tasks.h"

enum { COLUMN_CELLS, COLUMN_ROWS, COLUMN_SLOTS };
enum { COLUMN_ZONES, COLUMN_PLANES };
enum { DEPTH_FIRST = 3, DEPTH_MOST = 15, PAUSE_FIRST = 4, PAUSE_MOST = 64, ROOMY_MOST = 1024 };
/* Zones are cut anew where one has more than its share by more than one part in so many, and by more than a plane. */
enum { UNEVEN_SHARE = 16 };
/* In windows with fewer bodies a zone, threads are not worth their waking. */
enum { BODIES_LEAST = 2048 };
/* Bodies of a piece that a thread looks at. */
enum { PIECE = 4096 };
/* What a zone does for a body of its own, and for a copy, in what the impacts of a body take; zones that gain less are not
 * worth their noise. */
static const double own_extra = 0.05, copy_extra = 0.3, gain_least = 1.1;
static const double stay = 1.05; /* zones that hold the cells are kept for as little */
static const double faster_first = 1.25, faster_most = 24, calming = 0.9;

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
    double most = gain_least, planes = zones->planes, around = zones->inner + zones->depth;
    for (uint32_t count = 2; count <= width && count <= zones->planes && n / count >= BODIES_LEAST; ++count) {
        double own = (zones->planes + count - 1) / count, copies = (periodic || count > 2 ? 2 : 1) * around;
        if (periodic && own + copies + 2 >= planes) continue; /* nobody is there twice */
        double gain = planes / (own * (1 + own_extra) + copies * (1 + copy_extra));
        if (world->grid->dense.elsewhere && count == zones->count) gain *= stay;
        if (gain > most) most = gain, best = count;
    }
    return best;
}

/* What is looked for among all bodies before they are cut. */
typedef struct look {
    const kugel_world *world;
    uint32_t *count;   /* of bodies in plane z, at z + 1 */
    uint64_t fastest2; /* m^2/s^2, as bits: those of numbers that are not negative are in their order */
} look;

static void look_at_piece(void *context, uint32_t index)
{
    look *l = context;
    const kugel_world *world = l->world;
    uint32_t n = world->bodies.count, end = n - index * PIECE < PIECE ? n : (index + 1) * PIECE, in[KG_DENSE_MOST + 1] = {0};
    double most = 0;
    uint64_t bits, found = __atomic_load_n(&l->fastest2, __ATOMIC_RELAXED);
    for (uint32_t i = index * PIECE; i < end; ++i) {
        const double *v = world->work.motion[i].v, v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        most = v2 > most ? v2 : most;
        in[kg_dense_plane(&world->grid->dense, i)] += 1;
    }
    memcpy(&bits, &most, sizeof bits);
    while (bits > found && !__atomic_compare_exchange_n(&l->fastest2, &found, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    for (uint32_t z = 1; z <= world->impact->zones->planes; ++z) {
        if (in[z]) __atomic_fetch_add(&l->count[z + 1], in[z], __ATOMIC_RELAXED);
    }
}

/* Bodies in planes [0, z), and the speed of the fastest, m/s. */
static bool look_at_all(kugel_world *world, uint32_t **below, double *fastest)
{
    kg_zones *zones = world->impact->zones;
    uint32_t planes = zones->planes, n = world->bodies.count;
    kg_column *column = &zones->columns[COLUMN_PLANES];
    if (!kg_column_reserve(&world->memory, column, sizeof(uint32_t), planes + 3, 0)) return false;
    look l = {world, column->data, 0};
    memset(l.count, 0, (planes + 3) * sizeof *l.count);
    kg_for_pieces(world, (n + PIECE - 1) / PIECE, look_at_piece, &l);
    for (uint32_t z = 1; z <= planes + 2; ++z) l.count[z] += l.count[z - 1];
    double fastest2;
    memcpy(&fastest2, &l.fastest2, sizeof fastest2);
    *fastest = sqrt(fastest2);
    *below = l.count;
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

/* Planes of a zone of about equally many bodies each. */
static void cut(const kugel_world *world, kg_zones *zones, uint32_t count, const uint32_t *below)
{
    uint32_t n = world->bodies.count, z = 1;
    zones->count = count;
    for (uint32_t s = 0; s < count; ++s) {
        kg_zone *zone = &zones->zone[s];
        uint64_t want = (uint64_t)n * (s + 1) / count;
        zone->first = z;
        for (z += 1; z + (count - 1 - s) <= zones->planes && below[z] < want;) z += 1;
        zone->end = z = s + 1 == count ? zones->planes + 1 : z;
    }
}

/* Do zones that hold the cells serve as they are? */
static bool are_even(const kugel_world *world, const kg_zones *zones, uint32_t count, const uint32_t *below)
{
    uint32_t share = world->bodies.count / count + 1, most = share + share / UNEVEN_SHARE;
    bool even = world->grid->dense.elsewhere && zones->count == count;
    for (uint32_t s = 0; s < count && even; ++s) {
        const kg_zone *zone = &zones->zone[s];
        uint32_t plane = below[zone->end] - below[zone->end - 1]; /* a border cannot be put better than that */
        even = below[zone->end] - below[zone->first] <= most + plane;
    }
    return even;
}

/* What is around each zone; how many rows for copies. */
static uint32_t count_copies(const kugel_world *world, kg_zones *zones, const uint32_t *below)
{
    uint32_t n = world->bodies.count, row = n + 1; /* row n is the solver's */
    for (uint32_t s = 0; s < zones->count; ++s) {
        kg_zone *zone = &zones->zone[s];
        zone->copies_from = row;
        zone->away[0] = zone->away[zones->planes + 1] = 1;
        for (uint32_t p = 1; p <= zones->planes; ++p) {
            zone->away[p] = (uint16_t)away(&world->grid->dense, zone, p);
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

/* All but the cells. */
static bool reserve_zone(kugel_world *world, const kg_zones *zones, kg_zone *zone)
{
    uint32_t n = world->bodies.count;
    kg_column *c = zone->columns;
    if (!arena_reserve(&world->memory, zone, n / zones->count + zone->copies, zones->roomy) ||
        !kg_column_reserve(&world->memory, &c[COLUMN_ROWS], sizeof *zone->row, n, 0) ||
        !kg_column_reserve(&world->memory, &c[COLUMN_SLOTS], sizeof *zone->slot, zone->copies, 0)) {
        return false;
    }
    zone->row = c[COLUMN_ROWS].data;
    zone->slot = c[COLUMN_SLOTS].data;
    return true;
}

static bool reserve_cells(kugel_world *world, kg_zone *zone)
{
    const kg_dense *dense = &world->grid->dense;
    kg_column *column = &zone->columns[COLUMN_CELLS];
    size_t cells = kg_plane_size(dense) * dense->count[2];
    if (!kg_column_reserve(&world->memory, column, sizeof *dense->cell, cells, 0)) return false;
    zone->cell = column->data;
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

/* How far bodies may get in the window, and so how much zones must see; false: too far for zones. */
static bool find_ways(const kugel_world *world, kg_zones *zones, double fastest)
{
    const kg_impact_stage *stage = world->impact;
    double edge = world->grid->dense.edge[2];
    zones->faster = faster_first + calming * (zones->faster - faster_first);
    zones->way = zones->faster * fastest * (stage->until - stage->from);
    if (!(zones->way < edge * zones->planes)) return false;
    zones->inner = 2 + (uint32_t)(2 * zones->way / edge);
    return true;
}

/* Cells go from the world to zones that are cut anew. */
static bool cut_anew(kugel_world *world, kg_zones *zones, uint32_t count, const uint32_t *below)
{
    kg_zones_return_cells(world);
    if (!reserve_zones(&world->memory, zones, count)) return false;
    cut(world, zones, count, below);
    for (uint32_t s = 0; s < count; ++s) {
        if (!reserve_cells(world, &zones->zone[s])) return false;
    }
    kg_zones_take_cells(world);
    return true;
}

/* For the sweep: a world that shares all but the cells. */
static void ready_zone(void *context, uint32_t index)
{
    const kugel_world *world = context;
    kg_zone *zone = &world->impact->zones->zone[index];
    zone->grid = *world->grid;
    zone->grid.dense.cell = zone->cell;
    zone->world = *world;
    zone->world.grid = &zone->grid;
    kg_zone_look_ahead(world, zone);
}

static bool make_ready(kugel_world *world, kg_zones *zones, const uint32_t *below)
{
    bool ready;
    if (!reserve_rows(world, count_copies(world, zones, below), &ready)) return false;
    if (!ready) return true;
    for (uint32_t s = 0; s < zones->count; ++s) {
        if (!reserve_zone(world, zones, &zones->zone[s])) return false;
    }
    kg_tasks_run(world->tasks, zones->count, ready_zone, world);
    zones->planned = true;
    return true;
}

bool kg_zones_plan(kugel_world *world)
{
    if (!open_zones(world)) return false;
    kg_zones *zones = world->impact->zones;
    uint32_t *below, count;
    double fastest;
    if (zones->wait) {
        zones->wait -= 1;
        return true;
    }
    zones->planes = world->grid->dense.count[2] - 2;
    if (!look_at_all(world, &below, &fastest)) return false;
    if (!find_ways(world, zones, fastest) || !(count = best_count(world, zones))) return true;
    if (!are_even(world, zones, count, below) && !cut_anew(world, zones, count, below)) return false;
    return make_ready(world, zones, below);
}

/* ---- run ---- */

/* A queue, events and memory of its own. */
static void begin(const kugel_world *world, kg_zone *zone)
{
    const kg_impact_stage *stage = world->impact;
    const kg_zones *zones = stage->zones;
    zone->world.memory = (kg_memory){.hooks = {arena_allocate, arena_reallocate, arena_free, &zone->arena}};
    zone->world.impact = &zone->stage;
    zone->world.events = zone->events;
    zone->world.work.budgets_exhausted = 0;
    kg_event_set_clear(&zone->world.events.pending);
    zone->grid.dense.way_most = zones->way;
    zone->grid.dense.crossings = 0;
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
    const kg_zones *zones = stage->zones;
    kg_memory *memory = &zone->world.memory;
    return kg_column_reserve(memory, &zone->stage.columns[KG_COLUMN_EVENTS], sizeof(kg_event), world->bodies.count / zones->count, 0) &&
           kg_queue_begin(memory, &zone->stage, stage->from, stage->until, world->bodies.count) &&
           kg_queue_take(&zone->world, stage, zone, zones->inner + zones->depth);
}

/* All copies are made before anything moves. */
static void begin_zone(void *context, uint32_t index)
{
    const kugel_world *world = context;
    const kg_zones *zones = world->impact->zones;
    kg_zone *zone = &zones->zone[index];
    uint64_t n = world->bodies.count, from = n * index / zones->count, to = n * (index + 1) / zones->count;
    memset(world->impact->history + from, 0, (to - from) * sizeof *world->impact->history);
    begin(world, zone);
    kg_zone_copy_rows(world, zone);
    kg_zone_see_planes(world, zone);
    zone->failed = !fill_queue(world, zone);
}

static void run_zone(void *context, uint32_t index)
{
    const kugel_world *world = context;
    kg_zone *zone = &world->impact->zones->zone[index];
    kg_event event;
    bool ok = !zone->failed;
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
    if (!zone->failed) kg_zone_settle_planes(world, zone);
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
        dense->loose[dense->loose_count++] = kg_zone_slot(zone, row);
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
