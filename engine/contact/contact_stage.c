/* The contact stage: kg_contact_stage_run is its outline.
 * In: lists, contacts, velocities. Out: begun and ended contacts with their events, velocities,
 * impulses, corrected positions. Errors: out of memory only. */
#include <string.h>

#include "contact/solver.h"

void kg_contact_stage_free(kg_memory *memory, kg_contact_stage *stage)
{
    kg_columns_free(memory, stage->columns, KG_CONTACT_COLUMNS);
}

bool kg_contact_stage_begin(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    stage->masses_loaded = false;
    stage->ended_count = 0;
    stage->impulse_group_count = 0;
    stage->largest_load = 1;
    /* the row of the immovable body: at the origin, at rest, with radius 0 */
    memset(&world->work.motion[world->bodies.count], 0, sizeof *world->work.motion);
    return kg_contact_order_update(world);
}

/* True when most contacts of the tick have ended, as in ticks of a thousand substeps. Ended
 * contacts keep their lanes, and these cost as much as other lanes. */
static bool have_most_ended(const kugel_world *world)
{
    uint32_t ended = world->contact->ended_count, others = kg_contact_awake_count(world) - ended;
    return ended > others + KG_ENDED_CONTACTS_KEPT;
}

/* Make all groups again, as between two ticks. */
static bool rebuild_groups(kugel_world *world)
{
    world->work.groups_outdated = false;
    return kg_work_back_up_contacts(&world->memory, &world->work) &&
           kg_contact_stage_finish(world) && kg_contact_stage_begin(world);
}

/* Add groups for the contacts that began, also before a rebuild. A rebuild stores the impulses of
 * groups as forces, and contacts that began may have taken over impulses. False when out of
 * memory. */
static bool update_groups(kugel_world *world, bool rebuilds)
{
    return kg_contact_groups_extend(world) && (!rebuilds || rebuild_groups(world));
}

/* Wake the islands of new contacts. Add groups for the new contacts and for those of woken bodies,
 * and measure these groups. */
static kugel_status add_new_groups(kugel_world *world, double start)
{
    if (world->work.any_woken && !kg_sleep_wake_marked(world, start))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    bool rebuilds = world->work.groups_outdated;
    uint32_t measured = rebuilds ? 0 : world->contact->group_count;
    if (!update_groups(world, rebuilds) || !kg_solver_bodies_reserve(world))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    if (world->contact->group_count == measured) return KUGEL_OK;
    return kg_contact_measure_and_end(world, measured, start);
}

kugel_status kg_contact_stage_run(kugel_world *world, double h, double start)
{
    kugel_status status;
    if (!kg_contact_awake_count(world) && !world->work.groups_outdated &&
        world->def.bounce_threshold == 0)
        return KUGEL_OK;
    bool rebuilds = world->work.groups_outdated || have_most_ended(world);
    if (!update_groups(world, rebuilds)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if ((status = kg_contact_measure_and_end(world, 0, start))) return status;
    if ((status = kg_contact_find_new(world, h, start))) return status;
    if (!kg_contact_awake_count(world)) return KUGEL_OK;
    if ((status = add_new_groups(world, start))) return status;
    kg_solver_bodies_load(world, h);
    /* last what must be left: the measurement overwrites the gaps */
    if (!kg_contact_sums_prepare(world) || !kg_growing_gaps_enter(world, h) ||
        !kg_moving_surfaces_enter(world, h))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_sweep_plan plan = kg_contact_plan_sweeps(world, h);
    kg_contact_solve(world, h, &plan);
    kg_growing_gaps_leave(world);
    kg_moving_surfaces_leave(world);
    if (world->sums_impulses && !kg_contact_sum_impulses(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_contact_correct_positions(world, h); /* also marks the bodies that contacts push */
    return kg_solver_bodies_store(world, h);
}
