#include "contact/contact.h"

#include <string.h>

void kg_contact_stage_free(kg_memory *memory, kg_contact_stage *stage)
{
    for (size_t k = 0; k < sizeof stage->columns / sizeof *stage->columns; ++k) {
        kg_column_free(memory, &stage->columns[k]);
    }
}

bool kg_contact_stage_begin(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    stage->masses_loaded = stage->any_ended = false;
    stage->impulses_nominal = true;
    stage->mass_ratio = 1;
    memset(&world->work.motion[world->bodies.count], 0, sizeof *world->work.motion);
    if (!kg_contact_order_reuse(world)) return false;
    if (stage->order_reused) return true;
    stage->group_count = stage->ordered_count = 0;
    kg_radii radii = kg_bodies_radii(&world->bodies);
    stage->largest_radius = radii.largest;
    stage->smallest_radius = radii.smallest;
    stage->smallest_solid_radius = kg_bodies_smallest_solid_radius(&world->bodies, radii.smallest);
    return kg_contact_reserve_task_ranges(world, 0) && kg_contact_order_build(world) &&
           kg_contact_groups_extend(world, true);
}

/* A speed, m/s: beyond it what gravity adds in a substep opens contacts. */
static double opening_speed(const kugel_world *world, double h)
{
    return KG_SWEEPS_FALL_SHARE * world->contact->smallest_solid_radius / h;
}

/* Changes of a closing speed up to this, m/s, need no other sweep. */
static double sweep_tolerance(const kugel_world *world, double h)
{
    double falls = world->work.gravity_magnitude * h, far_sweeps = opening_speed(world, h),
           slow = KG_SWEEPS_BOUNCE_SHARE * world->def.bounce_threshold;
    double presses = KG_SWEEPS_PENETRATION * world->contact->smallest_solid_radius / h;
    double max_sweeps = presses < slow ? presses : slow;
    falls = falls < far_sweeps ? falls : far_sweeps;
    return falls > max_sweeps ? falls : max_sweeps;
}

/* Is much of the load deep, and sinks though no sweep changes much? That needs more of them. */
static double sinking_factor(const kugel_world *world)
{
    double share =
        (double)KG_DEEP_SINKING_ONE_IN * world->contact->sinking_count / world->work.contacts.count;
    return share < 1 ? 1 : share > KG_DEEP_SWEEPS_FACTOR ? KG_DEEP_SWEEPS_FACTOR : share;
}

/* Few contacts cost little: these sweeps at least. A ball in a shallow dimple, one that is stopped
 * by rolling resistance or one that another pushes is not solved by one, and what is left of it
 * would keep it moving. */
static int min_sweeps_for(uint32_t contacts)
{
    uint32_t sweeps = KG_SWEEPS_FEW_CONTACTS / contacts;
    return (int)(sweeps < KG_SWEEPS_FEW_MAX ? sweeps : KG_SWEEPS_FEW_MAX);
}

/* A settled load changes little from substep to substep, and its warm start is nearly the answer;
 * one that lands needs more sweeps, or it is thrown back and sinks in. Through bodies of unlike
 * mass impulses travel by the lighter mass a sweep: those need about the square root of the masses'
 * ratio of them. */
static void solve(kugel_world *world, double h)
{
    kg_contact_stage *stage = world->contact;
    double factor = __builtin_sqrt(stage->mass_ratio) / KG_SWEEPS_MASS_RATIO;
    factor = factor < 1                           ? 1
             : factor > KG_SWEEPS_MASS_MAX_FACTOR ? KG_SWEEPS_MASS_MAX_FACTOR
                                                  : factor;
    factor *= sinking_factor(world);
    int nominal = (int)(factor * world->def.contact_iterations),
        min_sweeps = (int)(factor * world->work.substep_ratio * world->def.contact_iterations);
    int max_sweeps = KG_SWEEPS_MAX_FACTOR * nominal,
        far_sweeps = KG_SWEEPS_FALL_FACTOR * KG_SWEEPS_MAX_FACTOR * world->def.contact_iterations;
    int few_contact_sweeps = min_sweeps_for(world->work.contacts.count);
    if (max_sweeps < far_sweeps && world->work.gravity_magnitude * h > opening_speed(world, h))
        max_sweeps = far_sweeps;
    if (min_sweeps < few_contact_sweeps) min_sweeps = few_contact_sweeps;
    kg_contact_solve(world, h, min_sweeps, min_sweeps + max_sweeps - nominal,
                     sweep_tolerance(world, h) / factor);
}

/* Where bodies woke up in the middle of a tick, all groups are made anew. */
static bool regroup(kugel_world *world)
{
    if (!world->work.groups_outdated) return true;
    world->work.groups_outdated = false;
    return kg_work_back_up_contacts(&world->memory, &world->work) &&
           kg_contact_stage_finish(world) && kg_contact_stage_begin(world);
}

kugel_status kg_contact_stage_run(kugel_world *world, double h, double start)
{
    const kg_contact_set *set = &world->work.contacts;
    if (!set->count && world->def.bounce_threshold == 0) return KUGEL_OK;
    if (!regroup(world) || !kg_contact_groups_extend(world, false))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    kugel_status status = kg_contact_measure(world, 0, start);
    if (!status) status = kg_contact_find_new(world, h, start);
    if (status) return status;
    if (!set->count) return KUGEL_OK;
    if (world->work.any_woken && !kg_sleep_wake_marked(world, start))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    uint32_t measured_groups = world->work.groups_outdated ? 0 : world->contact->group_count;
    if (!regroup(world) || !kg_contact_groups_extend(world, false) ||
        !kg_solver_bodies_reserve(world))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    if (world->contact->group_count > measured_groups &&
        (status = kg_contact_measure(world, measured_groups, start)))
        return status;
    kg_solver_bodies_load(world, h);
    solve(world, h);
    kg_contact_correct_positions(world);
    return kg_solver_bodies_store(world, h) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}
