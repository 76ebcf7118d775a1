/* Times of the stages by the host's clock (stopwatch.h). */
#include "world/stopwatch.h"

#include <string.h>

#include "world/world.h"

static bool has_clock(const kugel_world *world) { return world->def.clock.now != NULL; }

/* Time since the last reading, ns; 0 if the clock was set back. */
static uint64_t read_clock(kugel_world *world)
{
    kg_stopwatch *watch = &world->stopwatch;
    uint64_t now = world->def.clock.now(world->def.clock.user), before = watch->last_reading;
    watch->last_reading = now;
    return now > before ? now - before : 0;
}

void kg_stopwatch_start(kugel_world *world)
{
    if (!has_clock(world)) return;
    memset(world->stopwatch.current, 0, sizeof world->stopwatch.current);
    read_clock(world);
}

void kg_stopwatch_lap(kugel_world *world, kg_stage stage)
{
    if (has_clock(world)) world->stopwatch.current[stage] += read_clock(world);
}

static void add(kugel_step_times *to, const uint64_t now[KG_STAGES])
{
    to->steps += 1;
    to->grid += now[KG_STAGE_GRID];
    to->pairs += now[KG_STAGE_PAIRS];
    to->contact += now[KG_STAGE_CONTACT];
    to->sweep += now[KG_STAGE_SWEEP];
    to->impact += now[KG_STAGE_IMPACT];
    to->advance += now[KG_STAGE_ADVANCE];
    to->record += now[KG_STAGE_RECORD];
    for (int k = 0; k < KG_STAGES; ++k) to->whole += now[k];
}

void kg_stopwatch_stop(kugel_world *world)
{
    if (!has_clock(world)) return;
    kg_stopwatch *watch = &world->stopwatch;
    watch->last = (kugel_step_times){0};
    add(&watch->last, watch->current);
    add(&watch->total, watch->current);
}
