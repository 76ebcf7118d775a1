/* The first sweep of a window: everything that can happen in it. Bodies that are quiet at the start
 * of the substep have nothing to meet up to its end, unless something meets them. Threads take
 * ranges of the bodies: a prediction is a pure function of the state, and what the bodies of a
 * range can meet is noted in its own part of the pool of events. Then all goes into the queue, one
 * part after the other; the queue's order is total, so that it does not matter who found what when.
 */
#include "base/tasks.h"
#include "impact/subdomains.h"

/* Bodies of a range, and in the world before a thread is woken. */
enum { RANGE = 1024, PARALLEL = 4 * RANGE };
typedef struct sweep {
    kugel_world *world;
    double from, h;
} sweep;

static uint32_t range_end(const kugel_world *world, uint32_t index)
{
    uint32_t n = world->bodies.count;
    return n - index * RANGE < RANGE ? n : (index + 1) * RANGE;
}

static bool predict_range(const sweep *s, uint32_t index)
{
    return kg_predictor_of(s->world)->sweep(s->world, index * RANGE, range_end(s->world, index),
                                            s->from, s->h);
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
    kg_cell_layers_collect(world);
    kg_queue_close_parts(world);
    for (uint32_t p = 0; p < ranges && ok; ++p) {
        if (kg_queue_part_overflowed(world, p)) ok = predict_range(s, p);
    }
    return ok;
}

bool kg_window_sweep(kugel_world *world, double from, double h)
{
    uint32_t n = world->bodies.count, ranges = (n + RANGE - 1) / RANGE;
    sweep s = {.world = world, .from = from, .h = h};
    bool ok = true;
    if (world->impact->subdomains) world->impact->subdomains->planned = false;
    if (!kg_predictor_of(world)->begin_window(world, from, h)) return false;
    if (n >= PARALLEL && kg_tasks_concurrency(world->tasks) > 1)
        return sweep_on_threads(&s, ranges);
    for (uint32_t p = 0; p < ranges && ok; ++p) ok = predict_range(&s, p);
    return ok;
}
