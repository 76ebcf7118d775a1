/* What treats every body alike runs over ranges of slots, or over pieces that the caller knows. */
#include "base/tasks.h"
#include "world/world.h"

/* Bodies of one piece: enough that waking a thread is worth it (a piece takes some 20 microseconds). */
enum { PIECE = 2048 };

typedef struct ranges {
    kugel_world *world;
    kg_range_pass *each;
    double argument;
} ranges;

static void run_piece(void *context, uint32_t index)
{
    const ranges *r = context;
    uint32_t from = index * PIECE, count = r->world->bodies.count;
    r->each(r->world, from, from + PIECE < count ? from + PIECE : count, r->argument);
}

void kg_for_bodies(kugel_world *world, kg_range_pass *each, double argument)
{
    ranges r = {world, each, argument};
    uint32_t count = world->bodies.count;
    if (count < 2 * PIECE) each(world, 0, count, argument);
    else kg_tasks_run(world->tasks, (count + PIECE - 1) / PIECE, run_piece, &r);
}

void kg_for_pieces(const kugel_world *world, uint32_t count, void (*each)(void *context, uint32_t index), void *context)
{
    if (world->bodies.count >= 2 * PIECE) kg_tasks_run(world->tasks, count, each, context);
    else for (uint32_t i = 0; i < count; ++i) each(context, i);
}
