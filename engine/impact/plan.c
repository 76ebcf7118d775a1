/* Into how many zones a gas is cut for a window, and where: so that each has as many bodies, and no more than gains. What they
 * need is reserved; bodies stay, cells change hands where the cut is another. Order: planes of cells. Cost: a look at all bodies, on all threads. */
#include <math.h>
#include <string.h>

#include "base/tasks.h"
#include "impact/zones.h"

enum { COLUMN_CELLS, COLUMN_ROWS, COLUMN_SLOTS };
enum { COLUMN_ZONES, COLUMN_PLANES };
enum { DEPTH_FIRST = 3 };
/* Zones are cut anew where one has more than its share by more than one part in so many, and by more than a plane. */
enum { UNEVEN_SHARE = 16 };
/* In windows with fewer bodies a zone, threads are not worth their waking. */
enum { BODIES_LEAST = 2048 };
/* Bodies of a piece that a thread looks at. */
enum { PIECE = 4096 };
/* What a zone does for a body of its own, and for a copy, in what the impacts of a body take; zones that gain less are not
 * worth their noise. */
static const double own_extra = 0.05, copy_extra = 0.3, gain_least = 1.1;
static const double stay = 1.05; /* so many times its gain counts a number of zones that hold the cells */
static const double faster_first = 1.25, calming = 0.9;

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

/* ---- how many, and where ---- */

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

/* ---- what they need ---- */

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
    if (!kg_zone_reserve_arena(&world->memory, zone, n / zones->count + zone->copies, zones->roomy) ||
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

/* ---- the plan ---- */

bool kg_zones_may_serve(const kugel_world *world)
{
    return !world->impact->alone && kg_tasks_width(world->tasks) > 1 && world->bodies.count >= 2 * BODIES_LEAST && !kg_sensors_wanted(world);
}

static bool open_zones(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    if (stage->zones) return true;
    stage->zones = kg_allocate(&world->memory, sizeof *stage->zones);
    if (stage->zones) *stage->zones = (kg_zones){.depth = DEPTH_FIRST, .roomy = 1, .pause = KG_ZONES_PAUSE, .faster = faster_first};
    return stage->zones;
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
