/* One tick of the world: run_tick lists the stages, run_substep those of each substep.
 * Stages change world->work and caches. Only kg_motion_write changes the motions of bodies: at the
 * end, or place by place, undone if another place fails (places/places_step.c). A step that fails
 * leaves the world as it was. With KG_STEP_RETRY the tick is reverted and runs again: at most once
 * without subdomains (impact/subdomains.h); at most twice with more substeps, because bodies were
 * crowded (impact/impact_stage.c); where it woke a body smaller than all that were awake; and each
 * time that something that moves can meet bodies aside or of another place, with these. */
#include "step.h"

#include <math.h>

#include "contact/contact.h"
#include "events/events_sort.h"
#include "grid/grid.h"
#include "impact/impact.h"
#include "motion/motion.h"
#include "query/query_index.h"
#include "sensors/sensors.h"
#include "validate/validate_world.h"
#include "world/growth.h"
#include "world/pair_filter.h"
#include "world/replicas.h"
#include "world/sleep_state.h"

/* Run a stage, add its time to `part`, and return from the caller with its status unless that is
 * KUGEL_OK. */
#define TRY(part, stage)                                                                           \
    do {                                                                                           \
        kugel_status status = (stage);                                                             \
        kg_stopwatch_lap(world, KG_STAGE_##part);                                                  \
        if (status) return status;                                                                 \
        KG_VALIDATE(world, KG_STAGE_##part, #stage);                                               \
    } while (0)
/* TRY for a stage that returns false when out of memory. */
#define TRY_BOOL(part, stage) TRY(part, (stage) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY)
/* TRY for a stage that cannot fail. */
#define TRY_VOID(part, stage) TRY(part, ((stage), KUGEL_OK))

/* Run a substep of length h (s) that starts at `start` (s) in the tick. */
static kugel_status run_substep(kugel_world *world, double h, double start)
{
    kg_surfaces_begin_substep(&world->surfaces, start);  /* poses of surfaces */
    TRY_BOOL(GRID, kg_sleep_wake_marked(world, start));  /* marked bodies and their islands */
    TRY_BOOL(GRID, kg_grid_prepare(world, h));           /* valid neighbour lists */
    TRY_VOID(ADVANCE, kg_motion_accelerate(world, h));   /* gravity, forces, torques, damping */
    kg_resting_begin_substep(world, h);                  /* speeds of the substep */
    kg_growth_begin_substep(world, h, start);            /* growth that is left */
    TRY(CONTACT, kg_contact_stage_run(world, h, start)); /* new contacts; impulses, velocities */
    TRY_VOID(SWEEP, kg_sensors_begin_substep(world, h, start)); /* boxes of sensors */
    TRY(IMPACT, kg_impact_run(world, h, start));                /* impacts in the order of time */
    TRY_BOOL(ADVANCE, kg_sensors_sweep_all(world, h));          /* entries and exits */
    TRY(ADVANCE, kg_motion_advance(world, h));                  /* positions, rotations */
    TRY_VOID(ADVANCE, kg_motion_end_damping(world, h));         /* damping at the end */
    return KUGEL_OK;
}

/* True when something that moves can meet a body that is aside. */
static bool lacks_bodies(const kugel_world *world) { return world->aside.wanted_count; }

/* True when the tick woke a body smaller than all that were awake. */
static bool wakes_smaller(const kugel_world *world)
{
    return world->work.woken_radius < world->work.smallest_moving_radius;
}

/* No events but those that calls caused, which belong to the world, not to a place. */
static bool begin_events(kugel_world *world)
{
    kg_event_log_begin(&world->memory, &world->events);
    return world->all_bodies ||
           kg_event_log_add_removed(&world->memory, &world->events, &world->events.pending);
}

static kugel_status run_tick(kugel_world *world, double dt)
{
    TRY_BOOL(ADVANCE, begin_events(world));
    TRY(ADVANCE, kg_motion_begin(world)); /* world->work from the body columns */
    TRY_VOID(ADVANCE, kg_resting_note_smallest_radius(world)); /* for the length of substeps */
    TRY_BOOL(CONTACT, kg_contact_stage_begin(world)); /* groups of the last tick's contacts */
    TRY_VOID(CONTACT, kg_contact_choose_substeps(world, dt)); /* work.substeps */
    TRY_BOOL(GRID, kg_sensors_begin(world));                  /* bodies inside sensors at first */
    double h = world->work.substep_length;
    for (int32_t k = 0; k < world->work.substeps; ++k) {
        kugel_status status = run_substep(world, h, k * h);
        if (status) return status;
    }
    TRY_BOOL(ADVANCE, kg_sleep_wake_marked(world, dt)); /* bodies marked in the last substep */
    kg_grid_want_near_woken(world);
    if (lacks_bodies(world) || wakes_smaller(world)) return KG_STEP_RETRY;
    TRY_BOOL(ADVANCE, kg_sensors_finish(world, dt)); /* sensor events */
    TRY_BOOL(ADVANCE, kg_motion_sleep(world, dt));   /* islands at rest */
    TRY_BOOL(ADVANCE, kg_events_sort(world));
    TRY(CONTACT, kg_pair_filter_take_failure(world) ? KUGEL_ERROR_STATE : KUGEL_OK);
    /* a tick that succeeds here is reverted if it fails on another rank, or if places grew */
    bool may_revert = world->replicas || world->may_revert;
    TRY_BOOL(CONTACT, !may_revert || kg_work_back_up_contacts(&world->memory, &world->work));
    TRY_BOOL(CONTACT, kg_contact_stage_finish(world));
    return KUGEL_OK;
}

static kugel_status clear_events(kugel_world *world)
{
    TRY_BOOL(ADVANCE, begin_events(world));
    TRY_BOOL(ADVANCE, kg_events_sort(world));
    return KUGEL_OK;
}

kugel_status kg_step_idle(kugel_world *world, double dt)
{
    kugel_status status = kg_replicas_agree(world, clear_events(world));
    if (!status) {
        world->work.substeps = 1;
        kg_motion_finish_tick(world, dt);
    }
    kg_aside_show(world);
    if (!status) kg_neighbours_set_aside(world, false);
    kg_stopwatch_lap(world, KG_STAGE_ADVANCE);
    return status;
}

/* True when memory ran out, which another try may hide from the caller. */
static bool lacks_memory(const kugel_world *world, kugel_status status)
{
    return status == KUGEL_ERROR_OUT_OF_MEMORY && !world->grid->has_too_many_pairs;
}

static void begin_tries(kugel_world *world)
{
    world->work.subdomains_disabled = false;
    world->work.refinement = 1;
    world->work.woken_radius = (double)INFINITY;
    world->work.woken_unseen = false;
}

kugel_status kg_step_try(kugel_world *world, double dt)
{
    begin_tries(world);
    kugel_status status;
    while ((status = run_tick(world, dt)) == KG_STEP_RETRY || lacks_bodies(world)) {
        if (lacks_memory(world, status)) return status;
        kg_motion_revert(world);
        world->aside.rows_changed = false; /* the lists are invalid */
        if (!lacks_bodies(world)) continue;
        if (world->all_bodies) return KG_STEP_RETRY; /* the places have to be found again */
        /* what the tick found does not count */
        if (!kg_aside_give_back(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
        world->aside.rows_changed = false;
        begin_tries(world);
    }
    if (status == KUGEL_ERROR_OUT_OF_MEMORY && world->grid->has_too_many_pairs)
        status = KG_STEP_PAIR_LIMIT;
    return status;
}

void kg_step_derive(kugel_world *world, bool commits)
{
    kg_aside_show(world);
    if (commits) kg_neighbours_set_aside(world, true);
    kg_query_invalidate(world);
    kg_stopwatch_lap(world, KG_STAGE_ADVANCE);
    KG_VALIDATE(world, KG_VALIDATE_BETWEEN_STEPS, commits ? "a step" : "a step that failed");
}

void kg_step_end(kugel_world *world, double dt, bool commits)
{
    if (commits) kg_motion_commit(world, dt);
    else kg_motion_revert(world);
    kg_step_derive(world, commits);
}
