/* The plan of the contact solver's sweeps. */
#include <criterion/criterion.h>

#include "contact/solver.h"

static int stall_last(kugel_world *world)
{
    kg_contact_stage stage = {.largest_load = 1};
    world->contact = &stage;
    world->work.contacts.count = 1;
    world->work.refinement = 1;
    world->work.smallest_moving_radius = 1;
    world->work.substep_ratio = 1;
    return kg_contact_plan_sweeps(world, 1).stall_last;
}

/* Before they count as stalled, a tick makes at most KG_SWEEPS_STALL_TICK sweeps, or in each
 * substep the larger of KG_SWEEPS_STALL_LEAST and the iterations of the def. */
Test(sweep_plan, sweeps_of_a_tick_are_bounded)
{
    static kugel_world world;
    const int iterations[] = {1, 10, 100};
    for (int k = 0; k < 3; ++k) {
        world.def.contact_iterations = iterations[k];
        for (int substeps = 1; substeps <= 6 * KG_SUBSTEPS_MAX; ++substeps) {
            world.work.substeps = substeps;
            int last = stall_last(&world);
            cr_assert_geq(last, KG_SWEEPS_STALL_LEAST);
            cr_assert_geq(last, iterations[k]);
            cr_assert_leq(last, KG_SWEEPS_STALL_LAST);
            cr_assert(last * substeps <= KG_SWEEPS_STALL_TICK || last <= KG_SWEEPS_STALL_LEAST ||
                          last <= iterations[k],
                      "%d sweeps in each of %d substeps", last, substeps);
        }
    }
    world.work.substeps = KG_SWEEPS_STALL_TICK / KG_SWEEPS_STALL_LAST;
    cr_assert_eq(stall_last(&world), KG_SWEEPS_STALL_LAST); /* ticks of usual length */
}
