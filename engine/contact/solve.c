/* The contact solve: warm start, then sweeps over all groups in their order until little changes.
 * In: stage->bodies, groups. Out: velocities and accumulated impulses. The bits are the same for
 * every vector width and thread count. */
#include "base/wide.h"
#include "contact/contact.h"

typedef struct sweep_settings {
    kg_contact_stage *stage;
    float inverse_h;
    float relaxation; /* share of the missing normal impulse that a sweep adds */
    bool normal_only; /* the sweep changes normal impulses alone */
} sweep_settings;

#define KG_WIDTH 4
#include "contact/solve_lanes.h"
#undef KG_WIDTH

#ifdef KG_HAS_AVX2
KG_AVX2_BEGIN
#define KG_WIDTH 8
#include "contact/solve_lanes.h"
#undef KG_WIDTH
KG_AVX2_END
#endif

typedef struct passes {
    kg_contact_group_pass *warm_start, *sweep;
} passes;

/* True while the k-th sweep is needed: sweeps of normal impulses follow each one with friction. */
static bool needs_sweep(const kg_sweep_plan *plan, int k, bool changes)
{
    return k % plan->friction_every || (k < plan->most && (k < plan->least || changes));
}

void kg_contact_solve(kugel_world *world, double h, const kg_sweep_plan *plan)
{
    passes of = {KG_WIDEST_LANES(warm_start), KG_WIDEST_LANES(sweep)};
    sweep_settings s = {world->contact, kg_contact_rate(h), 1, false};
    float change = 0, allowed_change = (float)KG_SWEEPS_SINGLE_SHARE * (float)plan->tolerance;
    kg_contact_for_groups_in_order(world, of.warm_start, &s);
    if (kg_contact_limit_warm_start(world, h)) {
        kg_solver_bodies_load(world, h);
        kg_contact_for_groups_in_order(world, of.warm_start, &s);
    }
    for (int k = 0; needs_sweep(plan, k, change > allowed_change); ++k) {
        s.normal_only = k % plan->friction_every != 0;
        kg_contact_for_groups_in_order(world, of.sweep, &s);
        change = kg_contact_largest_speed_change(s.stage);
        if (k) allowed_change = (float)plan->tolerance;
        s.relaxation = (float)KG_SWEEPS_OVERRELAXATION;
    }
}
