/* The step: the engine's table of contents. Laps tell the stopwatch whose time has passed. */
#include "step.h"

#include "contact/contact.h"
#include "events/events_sort.h"
#include "grid/grid.h"
#include "impact/impact.h"
#include "motion/motion.h"
#include "query/query_index.h"
#include "sensors/sensors.h"
#include "world/sleep_state.h"

static kugel_status run_substep(kugel_world *world, double h, double start)
{
    kugel_status status;
    if (world->work.any_woken && !kg_sleep_wake_marked(world, start))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_grid_prepare(world, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_stopwatch_lap(world, KG_STAGE_GRID);
    kg_motion_accelerate(world, h);
    kg_stopwatch_lap(world, KG_STAGE_ADVANCE);
    if ((status = kg_contact_stage_run(world, h, start))) return status;
    kg_stopwatch_lap(world, KG_STAGE_CONTACT);
    kg_sensors_begin_substep(world, h, start);
    if ((status = kg_impact_run(world, h, start))) return status;
    if (!kg_sensors_sweep_all(world, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_motion_advance(world, h)) return KUGEL_ERROR_LIMIT;
    kg_stopwatch_lap(world, KG_STAGE_ADVANCE);
    return KUGEL_OK;
}

static kugel_status run_substeps(kugel_world *world, double dt)
{
    if (!kg_grid_sort_bodies(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_stopwatch_lap(world, KG_STAGE_GRID);
    kg_event_log_begin(&world->memory, &world->events);
    kugel_status status = kg_motion_begin(world);
    if (status) return status;
    kg_stopwatch_lap(world, KG_STAGE_ADVANCE);
    if (!kg_contact_stage_begin(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_contact_choose_substeps(world, dt);
    kg_stopwatch_lap(world, KG_STAGE_CONTACT);
    if (!kg_sensors_begin(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    int32_t substeps = world->work.substeps;
    double h = dt / substeps;
    for (int32_t k = 0; k < substeps && !status; ++k) status = run_substep(world, h, k * h);
    if (status) return status;
    if (world->work.any_woken && !kg_sleep_wake_marked(world, dt)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_sensors_finish(world, dt)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_motion_sleep(world, dt) || !kg_events_sort(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_stopwatch_lap(world, KG_STAGE_ADVANCE);
    if (!kg_contact_stage_finish(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_stopwatch_lap(world, KG_STAGE_CONTACT);
    return KUGEL_OK;
}

kugel_status kg_step(kugel_world *world, double dt)
{
    world->bodies.has_forces =
        kg_bodies_any_load(&world->bodies); /* not that there once were some, which is no state */
    if (kg_sleep_world_is_idle(world) && !kg_bodies_any_sensor(&world->bodies)) {
        kg_event_log_begin(&world->memory, &world->events);
        kg_motion_finish_tick(world, dt);
        world->work.substeps = 1; /* nobody moves: any guess of a recorded state is as good, but it
                                     must not be of what came before */
        kg_stopwatch_lap(world, KG_STAGE_ADVANCE);
        return KUGEL_OK;
    }
    world->impact->subdomains_disabled = false;
    kugel_status status = run_substeps(world, dt);
    if (status == KG_STEP_RETRY) {
        kg_motion_revert(world);
        world->impact->subdomains_disabled = true;
        status = run_substeps(world, dt);
    }
    if (status) kg_motion_revert(world);
    else kg_motion_commit(world, dt);
    kg_query_invalidate(world);
    kg_stopwatch_lap(world, KG_STAGE_ADVANCE);
    return status;
}
