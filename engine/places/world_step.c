/* A step of a world: idle, as a whole, or place by place (places.h).
 * In: a world and a checked tick length. Out: the world at the end of the tick; after an error as
 * it was. Cost: of finding the places, a pass over the bodies. */
#include "grid/neighbours.h"
#include "places/places.h"
#include "sensors/sensors.h"
#include "step.h"
#include "validate/validate_world.h"
#include "world/growth.h"
#include "world/pair_filter.h"
#include "world/replicas.h"
#include "world/sleep_state.h"

/* A step of a world of one place. */
static kugel_status step_whole(kugel_world *world, double dt)
{
    kugel_status status = kg_grid_sort_bodies(world) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
    kg_stopwatch_lap(world, KG_STAGE_GRID);
    if (!status) status = kg_step_try(world, dt);
    status = kg_replicas_agree(world, status);
    kg_step_end(world, dt, status == KUGEL_OK);
    return status;
}

/* Find the places, with the bodies aside that are wanted. */
static kugel_status find_places(kugel_world *world, double dt)
{
    bool ok = kg_aside_give_back(world);
    world->grid->valid = kg_neighbours_valid(world);
    world->aside.rows_changed = false;
    return ok ? kg_places_find(world, dt) : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Step place by place, until no place can meet another. A world of one place is left to step_whole:
 * then places->count is 1. `ready`: false when out of memory. Ranks agree once in each round. */
static kugel_status step_places(kugel_world *world, double dt, bool ready)
{
    kugel_status status = KG_STEP_RETRY;
    world->places->tried = false;
    while (status == KG_STEP_RETRY) {
        status = ready ? find_places(world, dt) : KUGEL_ERROR_OUT_OF_MEMORY;
        kg_stopwatch_lap(world, KG_STAGE_GRID);
        if (status) status = kg_replicas_agree(world, status);
        else if (world->places->count > 1) status = kg_places_step(world, dt);
        /* without bodies aside that it lacks, a try says nothing about paths */
        if (world->aside.wanted_count) world->places->tried = false;
    }
    return status;
}

/* True if the world may have several places. */
static bool has_places(const kugel_world *world)
{
    return world->def.bounce_threshold != 0 && world->def.growth == 0 && !world->whole &&
           !world->creating_ranks;
}

enum { CHECKED_EVERY = 64 }; /* ticks */

/* `ready`: false when out of memory. */
static kugel_status step_all(kugel_world *world, double dt, bool ready)
{
    bool was_whole = !world->apart;
    world->grid->valid = kg_neighbours_valid(world);
    world->aside.rows_changed = false;
    world->bodies.has_forces = kg_bodies_any_load(&world->bodies);
    world->places->count = 1;
    world->apart = false;
    if (world->tick % CHECKED_EVERY == 0) kg_places_free_idle(world);
    if (ready && kg_sleep_world_is_idle(world) && !kg_bodies_any_sensor(&world->bodies) &&
        !kg_sensors_may_report_resting(world))
        return kg_step_idle(world, dt);
    kugel_status status = ready ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
    if (has_places(world)) status = step_places(world, dt, ready);
    else if (!ready) status = kg_replicas_agree(world, status);
    world->apart = world->places->count > 1;
    if (!was_whole || world->apart) world->grid->valid = false;
    if (!status) world->grid->edited = false;
    if (!status && !world->apart) status = step_whole(world, dt);
    else kg_step_derive(world, status == KUGEL_OK);
    if (!status) world->materials_changed = false;
    return status;
}

kugel_status kg_world_step(kugel_world *world, double dt)
{
    KG_VALIDATE(world, KG_VALIDATE_BETWEEN_STEPS, "the calls before a step");
    kg_sensors_settle_exits(world);
    kg_pair_filter_take_failure(world); /* clear a failure left by an earlier step */
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    double *before = NULL;
    bool ready = kg_aside_hide(world, dt) && kg_growth_begin(world, dt, &before);
    if (before) kg_neighbours_invalidate(world);
    kugel_status status = step_all(world, dt, ready);
    if (status) kg_growth_revert(world, before);
    world->work.growth = (kg_growth){0};
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return status;
}
