/* The solve in lanes of the widest vectors that this machine has: the same bits for every width. */
#include "base/wide.h"
#include "contact/contact.h"

/* What the passes of a solve go by. */
typedef struct sweeps {
    kg_contact_stage *stage;
    float per_h; /* 1/s */
    float relax; /* of what a normal impulse lacks, so much is added */
} sweeps;

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
    kg_contact_pass *warm_start, *sweep;
} passes;

static passes widest(void)
{
#ifdef KG_HAS_AVX2
    if (KG_HAS_AVX2) return (passes){warm_start_8, sweep_8};
#endif
    return (passes){warm_start_4, sweep_4};
}

void kg_contact_solve(kugel_world *world, double h, int least, int most, double tolerance)
{
    passes of = widest();
    sweeps s = {world->contact, (float)(1 / h), 1};
    float change = 0, allowed = (float)KG_SWEEPS_ALONE * (float)tolerance;
    kg_contact_in_order(world, of.warm_start, &s);
    if (kg_contact_cool(world, h)) {
        kg_contact_load(world, h);
        kg_contact_in_order(world, of.warm_start, &s);
    }
    for (int k = 0; k < most && (k < least || change > allowed); ++k) {
        kg_contact_in_order(world, of.sweep, &s);
        change = kg_contact_largest_change(s.stage);
        if (k) allowed = (float)tolerance;
        s.relax = (float)KG_SWEEPS_RELAX;
    }
}
