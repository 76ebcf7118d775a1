#include "impact/zones.h"

#include <string.h>

#include "base/tasks.h"

enum { DEPTH_MOST = 15, PAUSE_MOST = 64, ROOMY_MOST = 1024 };
static const double faster_most = 24;

/* A queue, events and memory of its own. */
static void begin(const kugel_world *world, kg_zone *zone)
{
    const kg_impact_stage *stage = world->impact;
    const kg_zones *zones = stage->zones;
    zone->world.memory = (kg_memory){.hooks = kg_arena_hooks(&zone->arena)};
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
    zones->pause -= zones->pause > KG_ZONES_PAUSE;
    return KUGEL_OK;
}
