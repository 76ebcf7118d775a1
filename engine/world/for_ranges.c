/* Passes over all bodies, in ranges of slots that run as tasks.
 * In: a function of a range. Out: what it writes to its bodies. Order: none between ranges. */
#include "base/tasks.h"
#include "world/world.h"

/* Number of bodies of a range: about 20 microseconds of work, enough to be worth waking a
 * thread. */
enum { RANGE = 2048 };

typedef struct ranges {
    kugel_world *world;
    kg_range_pass *each;
    double argument;
} ranges;

static void run_range(void *context, uint32_t index)
{
    const ranges *r = context;
    r->each(r->world, index * RANGE, kg_range_end(index, RANGE, r->world->bodies.count),
            r->argument);
}

void kg_for_bodies(kugel_world *world, kg_range_pass *each, double argument)
{
    ranges r = {world, each, argument};
    uint32_t count = world->bodies.count;
    if (count < 2 * RANGE) each(world, 0, count, argument);
    else kg_tasks_run(world->tasks, (count + RANGE - 1) / RANGE, run_range, &r);
}

void kg_for_ranges(const kugel_world *world, uint32_t count,
                   void (*each)(void *context, uint32_t index), void *context)
{
    if (world->bodies.count >= 2 * RANGE) kg_tasks_run(world->tasks, count, each, context);
    else
        for (uint32_t i = 0; i < count; ++i) each(context, i);
}
