/* The prediction pass of a window: finds all events in it. With Verlet lists only active bodies are
 * predicted: an inactive body meets something only if an active body meets it.
 * Ranges of bodies are tasks; each writes events to its own part of the pool. Then all parts are
 * moved to the queue, whose order is total, so results do not depend on threads. */
#include "base/tasks.h"
#include "impact/predict.h"
#include "impact/subdomains.h"

enum { RANGE = 1024 };         /* bodies of a task range */
enum { PARALLEL = 4 * RANGE }; /* number of bodies from which on threads are used */

static bool predict_range(kugel_world *world, uint32_t index)
{
    const kg_impact_stage *stage = world->impact;
    uint32_t end = kg_range_end(index, RANGE, world->bodies.count);
    return kg_predictor_of(world)->predict(world, index * RANGE, end, stage->from, stage->h);
}

static void predict_range_task(void *context, uint32_t index) { predict_range(context, index); }

/* Ranges that overflowed their parts are predicted again, into the queue. */
static bool predict_on_threads(kugel_world *world, uint32_t ranges)
{
    if (!kg_queue_open_parts(world, ranges, RANGE)) return false;
    kg_tasks_run(world->tasks, ranges, predict_range_task, world);
    bool ok = true, overflowed = false;
    for (uint32_t p = 0; p < ranges; ++p) overflowed |= kg_queue_part_overflowed(world, p);
    if (kg_subdomains_are_planned(world) && !overflowed) return true;
    kg_cell_layers_collect(world);
    kg_queue_close_parts(world);
    for (uint32_t p = 0; p < ranges && ok; ++p) {
        if (kg_queue_part_overflowed(world, p)) ok = predict_range(world, p);
    }
    return ok;
}

bool kg_window_predict(kugel_world *world)
{
    uint32_t n = world->bodies.count, ranges = (n + RANGE - 1) / RANGE;
    bool ok = true;
    kg_subdomains_cancel(world);
    if (!kg_predictor_of(world)->begin_window(world)) return false;
    if (n >= PARALLEL && kg_tasks_concurrency(world->tasks) > 1)
        return predict_on_threads(world, ranges);
    for (uint32_t p = 0; p < ranges && ok; ++p) ok = predict_range(world, p);
    return ok;
}
