/* Position correction: each substep removes a share of the penetration by moving bodies. What it
 * removes of a shallow penetration is at most the path of a fall in the substep: a body that
 * loses its support by it does not fall farther than that.
 * In: gaps at the substep's start, and the corrections that earlier groups made. Out:
 * stage->corrections, marks of supported bodies. Order: that of the groups. */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/wide.h"
#include "contact/solver.h"

KG_INLINE void mark(uint8_t *supported, const uint32_t slot[KG_LANES], uint32_t lanes)
{
    if (lanes == 0xff) {
        for (int lane = 0; lane < KG_LANES; ++lane) supported[slot[lane]] = 1;
    } else {
        for (; lanes; lanes &= lanes - 1) supported[slot[kg_lowest_bit(lanes)]] = 1;
    }
}

/* Mark the bodies that a contact pushes, except immovable ones, which threads may share. Friction
 * without a push is left where the last sweeps of a round end the push; a body that did not get it
 * would take its momentum from the other. */
KG_INLINE void mark_supported(const kg_contact_stage *stage, uint32_t group)
{
    const kg_contact_group *g = &stage->groups[group];
    const kg_contact_group_info *info = &stage->group_info[group];
    kg_float8 impulse;
    memcpy(&impulse, g->impulse, sizeof impulse);
    kg_mask8 pushes;
    KG_EACH (8) KG_L(pushes) = KG_MASK(KG_L(impulse) > 0);
    for (int k = 0; k < 3 && info->has_friction; ++k) {
        memcpy(&impulse, g->friction_impulse[k], sizeof impulse);
        KG_EACH (8) KG_L(pushes) |= KG_MASK(KG_L(impulse) != 0);
    }
    uint32_t lanes = kg_movemask8(&pushes);
    mark(stage->marks, g->a, lanes & ~(uint32_t)info->immovable_a);
    mark(stage->marks, g->b, lanes & ~(uint32_t)info->immovable_b);
}

/* True when a penetration of the group exceeds `leave`, the penetration that is not corrected,
 * m. */
KG_INLINE bool any_deep(const kg_contact_group *g, float leave)
{
    kg_float8 gap;
    memcpy(&gap, g->gap, sizeof gap);
    kg_mask8 deep;
    KG_EACH (8) KG_L(deep) = KG_MASK(KG_L(gap) < -leave);
    return kg_movemask8(&deep);
}

/* What is removed in a substep. Shallow is what does not exceed KG_CORRECTION_DEEP. A surface that
 * moves may press bodies by more than gravity: its contacts have no limit. */
typedef struct correction {
    const kugel_world *world;
    float share;        /* of the penetration */
    float most_shallow; /* m, limit of what the share removes */
    float deep_share;   /* of the deep penetration, in addition */
    float most;         /* limit of the whole, in smaller radii */
} correction;

#define KG_WIDTH KG_LANES_4
#include "contact/position_correction_lanes.h"
#undef KG_WIDTH

#ifdef KG_HAS_AVX2
KG_AVX2_BEGIN
#define KG_WIDTH 8
#include "contact/position_correction_lanes.h"
#undef KG_WIDTH
KG_AVX2_END
#endif

void kg_contact_correct_positions(kugel_world *world, double h)
{
    /* the largest ratio by default; about the share that `ratio` substeps would remove together */
    double ratio = world->work.substep_ratio, most_ratio = sqrt(KG_SETTLED_FALL / KG_SUBSTEP_FALL),
           share = KG_CORRECTION_SHARE * ratio / (1 + KG_CORRECTION_SHARE * (ratio - 1));
    /* with a bounce threshold of 0 no impacts press resting bodies into each other */
    double deep_share = world->def.bounce_threshold != 0 ? KG_CORRECTION_DEEP_SHARE : share;
    correction c = {world, (float)share, (float)(kg_contact_fall_speed(world, h) * h),
                    (float)deep_share, (float)(KG_CORRECTION_MAX * kg_min(ratio, most_ratio))};
    kg_contact_for_groups_in_order(world, KG_WIDEST_LANES(correct_positions), &c);
}
