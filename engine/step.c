/* The step: the engine's table of contents. Laps tell the stopwatch whose time has passed. */
#include "step.h"

#include "contact/contact.h"
#include "events/publish.h"
#include "grid/grid.h"
#include "impact/impact.h"
#include "motion/motion.h"
#include "query/index.h"
#include "world/sleep.h"

static kugel_status substep(kugel_world *world, double h, double start)
{
    kugel_status status;
    if (world->work.roused && !kg_sleep_rouse(world, start)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_grid_prepare(world, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_lap(world, KG_STAGE_GRID);
    kg_motion_accelerate(world, h);
    kg_lap(world, KG_STAGE_ADVANCE);
    if ((status = kg_contact_run(world, h, start))) return status;
    kg_lap(world, KG_STAGE_CONTACT);
    if (!kg_sensors_substep(world, h, start)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if ((status = kg_impact_run(world, h, start))) return status;
    if (!kg_sensors_advance(world, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_motion_advance(world, h)) return KUGEL_ERROR_LIMIT;
    kg_lap(world, KG_STAGE_ADVANCE);
    return KUGEL_OK;
}

static kugel_status run(kugel_world *world, double dt)
{
    if (!kg_grid_sort_bodies(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_lap(world, KG_STAGE_GRID);
    kg_event_log_begin(&world->memory, &world->events);
    kugel_status status = kg_motion_begin(world);
    if (status) return status;
    kg_lap(world, KG_STAGE_ADVANCE);
    if (!kg_contact_begin(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_contact_choose_substeps(world, dt);
    kg_lap(world, KG_STAGE_CONTACT);
    if (!kg_sensors_begin(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    int32_t substeps = world->work.substeps;
    double h = dt / substeps;
    for (int32_t k = 0; k < substeps && !status; ++k) status = substep(world, h, k * h);
    if (status) return status;
    if (world->work.roused && !kg_sleep_rouse(world, dt)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_sensors_finish(world, dt)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_motion_sleep(world, dt) || !kg_events_sort(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_lap(world, KG_STAGE_ADVANCE);
    if (!kg_contact_finish(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_lap(world, KG_STAGE_CONTACT);
    return KUGEL_OK;
}

kugel_status kg_step(kugel_world *world, double dt)
{
    world->bodies.has_forces = kg_bodies_any_load(&world->bodies); /* not that there once were some, which is no state */
    if (kg_sleep_is_total(world) && !kg_sensors_wanted(world)) {
        kg_event_log_begin(&world->memory, &world->events);
        kg_motion_pass(world, dt);
        world->work.substeps = 1; /* nobody moves: any guess of a recorded state is as good, but it must not be of what came before */
        kg_lap(world, KG_STAGE_ADVANCE);
        return KUGEL_OK;
    }
    world->impact->alone = false;
    kugel_status status = run(world, dt);
    if (status == KG_STEP_AGAIN) {
        kg_motion_revert(world);
        world->impact->alone = true;
        status = run(world, dt);
    }
    if (status) kg_motion_revert(world);
    else kg_motion_commit(world, dt);
    kg_query_forget(world);
    kg_lap(world, KG_STAGE_ADVANCE);
    return status;
}
