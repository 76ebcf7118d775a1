/* The first sweep of a window: everything that can happen in it. Bodies that are quiet at the start
 * of the substep have nothing to meet up to its end, unless something meets them. Threads take
 * ranges of the bodies: a prediction is a pure function of the state, and what the bodies of a
 * range can meet is noted in its own part of the pool of events. Then all goes into the queue, one
 * part after the other; the queue's order is total, so that it does not matter who found what when.
 */
#include "base/tasks.h"
#include "base/wide.h"
#include "impact/subdomains.h"

/* Bodies of a range, and in the world before a thread is woken. */
enum { RANGE = 1024, PARALLEL = 4 * RANGE };
/* Bodies ahead. */
enum { PREFETCH_DISTANCE = 12 };

typedef struct sweep {
    kugel_world *world;
    double from, h;
    bool outruns; /* some body outruns its lists */
} sweep;

static uint32_t range_end(const kugel_world *world, uint32_t index)
{
    uint32_t n = world->bodies.count;
    return n - index * RANGE < RANGE ? n : (index + 1) * RANGE;
}

/* The first busy body from `slot` on, or `end`: of a settled pile most are not. */
static uint32_t next_active(const kg_grid *grid, uint32_t slot, uint32_t end)
{
    while (slot < end && !kg_grid_is_active(grid, slot)) {
        for (slot += 1; end - slot >= 4; slot += 4) {
            kg_mask4f quiet = *(const kg_float4_unaligned *)(grid->clearance + slot) > 0;
            if (kg_movemask4f(&quiet) != 0xf) break;
        }
    }
    return slot;
}

static void find_outrunning(void *context, uint32_t index)
{
    sweep *s = context;
    const kugel_world *world = s->world;
    bool outruns = false;
    const kg_grid *grid = world->grid;
    uint32_t end = range_end(world, index);
    for (uint32_t i = next_active(grid, index * RANGE, end); i < end;
         i = next_active(grid, i + 1, end)) {
        outruns |= kg_outruns_lists(world, i, world->impact->until);
    }
    if (outruns) __atomic_store_n(&s->outruns, true, __ATOMIC_RELAXED);
}

/* Far bodies are known before anything is predicted: who is near looks for them. */
static bool mark_unlisted(sweep *s, uint32_t ranges)
{
    kugel_world *world = s->world;
    kg_for_ranges(world, ranges, find_outrunning, s);
    for (uint32_t i = 0; i < world->bodies.count && s->outruns; ++i) {
        if (kg_grid_is_active(world->grid, i) && !kg_mark_unlisted(world, i, s->from, s->h))
            return false;
    }
    return true;
}

/* In cells all bodies are looked at, and memory is asked for the cells around those ahead. */
static bool predict_range_in_cell_lists(const sweep *s, uint32_t index)
{
    kugel_world *world = s->world;
    uint32_t end = range_end(world, index);
    bool ok = true, partitioned = kg_subdomains_are_planned(world);
    for (uint32_t i = index * RANGE; i < end && ok; ++i) {
        kugel_world *through = partitioned ? kg_subdomain_world(world, i) : world;
        if (i + PREFETCH_DISTANCE < end)
            kg_cell_lists_prefetch(&through->grid->cell_lists, i + PREFETCH_DISTANCE);
        ok = kg_predict_in_cell_lists(through, i, s->from, s->h, true);
    }
    return ok;
}

static bool predict_range_with_lists(const sweep *s, uint32_t index)
{
    kugel_world *world = s->world;
    const kg_grid *grid = world->grid;
    uint32_t end = range_end(world, index);
    bool ok = true;
    for (uint32_t i = next_active(grid, index * RANGE, end); i < end && ok;
         i = next_active(grid, i + 1, end)) {
        ok = kg_predict_body(world, i, s->from, s->h, true);
    }
    return ok;
}

static bool predict_range(const sweep *s, uint32_t index)
{
    return (s->world->grid->cell_lists.used ? predict_range_in_cell_lists
                                            : predict_range_with_lists)(s, index);
}

static void predict_range_task(void *context, uint32_t index) { predict_range(context, index); }

/* A part that was too small is found out again. */
static bool sweep_on_threads(sweep *s, uint32_t ranges)
{
    kugel_world *world = s->world;
    if (!kg_queue_open_parts(world, ranges, RANGE)) return false;
    kg_tasks_run(world->tasks, ranges, predict_range_task, s);
    bool ok = true, cut = false;
    for (uint32_t p = 0; p < ranges; ++p) cut |= kg_queue_part_overflowed(world, p);
    if (kg_subdomains_are_planned(world) && !cut) return true;
    if (world->grid->cell_lists.used) kg_cell_layers_collect(world);
    kg_queue_close_parts(world);
    for (uint32_t p = 0; p < ranges && ok; ++p) {
        if (kg_queue_part_overflowed(world, p)) ok = predict_range(s, p);
    }
    return ok;
}

static bool begin_with_cell_lists(kugel_world *world)
{
    if (!kg_quantised_motions_begin(world)) return false;
    if (!world->grid->cell_lists.abandon && kg_subdomains_are_allowed(world) &&
        !kg_subdomains_plan(world))
        return false;
    if (!kg_subdomains_are_planned(world)) kg_cell_layers_collect(world);
    return true;
}

static bool begin_with_lists(sweep *s, uint32_t ranges)
{
    if (s->from == 0) kg_grid_spend_clearance(s->world, s->h);
    return mark_unlisted(s, ranges);
}

bool kg_window_sweep(kugel_world *world, double from, double h)
{
    uint32_t n = world->bodies.count, ranges = (n + RANGE - 1) / RANGE;
    sweep s = {.world = world, .from = from, .h = h};
    bool ok = true;
    if (world->impact->subdomains) world->impact->subdomains->planned = false;
    if (!(world->grid->cell_lists.used ? begin_with_cell_lists(world)
                                       : begin_with_lists(&s, ranges)))
        return false;
    if (n >= PARALLEL && kg_tasks_concurrency(world->tasks) > 1)
        return sweep_on_threads(&s, ranges);
    for (uint32_t p = 0; p < ranges && ok; ++p) ok = predict_range(&s, p);
    return ok;
}
