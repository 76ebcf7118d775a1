/* Runs a window of impacts on subdomains and merges their results. Each phase is one parallel loop
 * over subdomains: copy ghosts, handle events, compare ghosts. Merging is serial, in order of
 * subdomains. */
#include "impact/subdomain_data.h"

#include <string.h>

#include "base/tasks.h"
#include "impact/queue.h"

enum { BUFFER_LAYERS_MAX = 15, RETRY_DELAY_MAX = 64, ARENA_SCALE_MAX = 1024 };
static const double speed_margin_max = 24;
/* Largest component of a body's path along an axis, as a share of the limit of the path. It is
 * below 1 / sqrt 3, so a path with such components does not exceed the limit. */
static const double axis_share = 0.57;

/* Prepare the subdomain's own queue, events and memory. */
static void begin(const kugel_world *world, kg_subdomain *subdomain)
{
    const kg_impact_stage *stage = world->impact;
    const kg_subdomains *subdomains = stage->subdomains;
    subdomain->world.memory = (kg_memory){.hooks = kg_arena_allocator(&subdomain->arena)};
    subdomain->world.impact = &subdomain->stage;
    subdomain->world.events = subdomain->events;
    subdomain->world.work.tally = (kg_impact_tally){0};
    kg_event_set_clear(&subdomain->world.events.pending);
    subdomain->grid.cell_lists.motion_limit = subdomains->max_path;
    subdomain->grid.cell_lists.crossings = 0;
    subdomain->grid.cell_lists.path_exceeded = false;
    subdomain->stage.h = stage->h;
    subdomain->stage.substep_start = stage->substep_start;
    subdomain->stage.quantised = stage->quantised;
    for (int axis = 0; axis < 3; ++axis) { /* kg_quantised_motions_write reports faster bodies */
        double *most = &subdomain->stage.quantised.max_speed[axis],
               planned = axis_share * subdomains->max_path / stage->quantised.window;
        *most = *most < planned ? *most : planned;
    }
    subdomain->stage.path_hash = stage->path_hash;
    subdomain->stage.first_ghost = subdomain->first_ghost;
    subdomain->stage.partial = true;
    subdomain->stage.paths = KG_PATHS_WINDOW;
}

/* Push the events of the prediction pass whose bodies are visible. */
static bool import_events(kg_subdomain *subdomain, const kg_impact_stage *from)
{
    for (uint32_t p = 0; p < from->part_count; ++p) {
        const kg_event *e = &from->events[p * from->part_capacity], *end = e + from->parts[p].count;
        for (; e < end; ++e) {
            uint32_t a = kg_subdomain_row(subdomain, e->a), b = a;
            if (a == KG_NONE) continue;
            if (e->kind == KG_EVENT_BODY) b = kg_subdomain_row(subdomain, e->b & KG_NEIGHBOUR_SLOT);
            if (b == KG_NONE) continue;
            kg_event local_event = *e;
            local_event.a = a;
            if (e->kind == KG_EVENT_BODY) local_event.b = (e->b & ~KG_NEIGHBOUR_SLOT) | b;
            if (!kg_queue_push(&subdomain->world, &local_event)) return false;
        }
    }
    return true;
}

static bool fill_queue(const kugel_world *world, kg_subdomain *subdomain)
{
    const kg_impact_stage *stage = world->impact;
    kg_memory *memory = &subdomain->world.memory;
    return KG_RESERVE(memory, &subdomain->stage.columns[KG_COLUMN_EVENTS], subdomain->stage.events,
                      world->bodies.count / stage->subdomains->count, 0) &&
           kg_queue_begin(memory, &subdomain->stage, stage->from, stage->until,
                          world->bodies.count) &&
           import_events(subdomain, stage);
}

/* Copy ghosts and fill the queue. All subdomains do this before any of them moves a body. */
static void begin_subdomain(void *context, uint32_t index)
{
    const kugel_world *world = context;
    const kg_subdomains *subdomains = world->impact->subdomains;
    kg_subdomain *subdomain = &subdomains->subdomain[index];
    uint64_t n = world->bodies.count, from = n * index / subdomains->count,
             to = n * (index + 1) / subdomains->count;
    memset(world->impact->path_hash + from, 0, (to - from) * sizeof *world->impact->path_hash);
    begin(world, subdomain);
    kg_ghosts_copy(world, subdomain);
    kg_cell_layers_copy_halo(world, subdomain);
    subdomain->failed = !fill_queue(world, subdomain);
}

static void run_subdomain(void *context, uint32_t index)
{
    const kugel_world *world = context;
    kg_subdomain *subdomain = &world->impact->subdomains->subdomain[index];
    kg_event event;
    bool ok = !subdomain->failed;
    while (ok && !subdomain->grid.cell_lists.abandon &&
           kg_queue_pop(&subdomain->world, &event, &ok)) {
        ok = kg_impact_handle_event(&subdomain->world, &event) == KUGEL_OK &&
             !kg_impact_exceeds_limit(&subdomain->world);
    }
    subdomain->failed = !ok || subdomain->grid.cell_lists.abandon;
    subdomain->events = subdomain->world.events;
}

static void close_subdomain(void *context, uint32_t index)
{
    const kugel_world *world = context;
    kg_subdomain *subdomain = &world->impact->subdomains->subdomain[index];
    subdomain->failed = !kg_ghosts_agree(world, subdomain);
    if (!subdomain->failed) kg_cell_layers_restore_slots(world, subdomain);
}

/* Add up the subdomains' counters and collect the bodies that overflowed their cells. */
static bool merge_results(kugel_world *world, kg_subdomain *subdomain)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    const kg_cell_lists *own_cells = &subdomain->grid.cell_lists;
    world->impact->pushed += subdomain->stage.pushed; /* sizes the calendar of the next window */
    kg_impact_tally *all = &world->work.tally;
    const kg_impact_tally *own = &subdomain->world.work.tally;
    all->budgets_exhausted += own->budgets_exhausted;
    all->any_squeezed |= own->any_squeezed;
    all->any_pressed |= own->any_pressed;
    kg_cell_lists_add_crossings(world, own_cells->crossings);
    for (uint32_t k = 0; k < own_cells->overflow_count; ++k) {
        uint32_t row = own_cells->overflow[k],
                 z = kg_cell_coordinate(cell_lists->body_cell[row].cell, 2);
        if (z < subdomain->first_layer || z >= subdomain->end_layer) continue;
        if (cell_lists->overflow_count == KG_CELL_OVERFLOW_MAX) {
            cell_lists->abandon = true;
            break;
        }
        cell_lists->overflow[cell_lists->overflow_count++] = kg_subdomain_slot(subdomain, row);
    }
    return kg_event_set_add_all(&world->memory, &world->events.pending, &subdomain->events.pending);
}

/* Increase what was probably too small: memory, speed margin or buffer layers. The number of
 * windows until the next attempt grows with each failure. */
static kugel_status prepare_retry(kugel_world *world)
{
    kg_subdomains *subdomains = world->impact->subdomains;
    bool out_of_space = false, too_fast = false;
    for (uint32_t s = 0; s < subdomains->count; ++s) {
        out_of_space |= subdomains->subdomain[s].arena.out_of_space;
        too_fast |= subdomains->subdomain[s].grid.cell_lists.path_exceeded;
    }
    if (out_of_space && subdomains->arena_scale < ARENA_SCALE_MAX) subdomains->arena_scale *= 2;
    else if (too_fast && subdomains->speed_margin < speed_margin_max) subdomains->speed_margin *= 2;
    else if (!too_fast && subdomains->buffer_layers < BUFFER_LAYERS_MAX)
        subdomains->buffer_layers += 1;
    subdomains->retry_after = subdomains->retry_delay;
    subdomains->retry_delay =
        subdomains->retry_delay < RETRY_DELAY_MAX ? 2 * subdomains->retry_delay : RETRY_DELAY_MAX;
    subdomains->failed_windows += 1;
    return kg_impact_retry_without_subdomains(world);
}

static bool any_failed(const kg_subdomains *subdomains)
{
    bool failed = false;
    for (uint32_t s = 0; s < subdomains->count; ++s) failed |= subdomains->subdomain[s].failed;
    return failed;
}

kugel_status kg_subdomains_run(kugel_world *world)
{
    kg_subdomains *subdomains = world->impact->subdomains;
    kg_tasks_run(world->tasks, subdomains->count, begin_subdomain, world);
    kg_tasks_run(world->tasks, subdomains->count, run_subdomain, world);
    if (any_failed(subdomains)) return prepare_retry(world);
    kg_tasks_run(world->tasks, subdomains->count, close_subdomain, world);
    if (any_failed(subdomains)) return prepare_retry(world);
    world->grid->cell_lists.overflow_count = 0;
    for (uint32_t s = 0; s < subdomains->count; ++s) {
        if (!merge_results(world, &subdomains->subdomain[s])) return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    subdomains->windows += 1;
    subdomains->retry_delay -= subdomains->retry_delay > KG_SUBDOMAINS_RETRY_MIN;
    return KUGEL_OK;
}
