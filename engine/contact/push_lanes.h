/* Bodies of a group that are too deep, moved apart: KG_WIDTH contacts at once. A template: push.c includes it for each width. */
#include "base/lanes.h"

#define likeness KG_LANES_NAME(likeness)
#define smaller KG_LANES_NAME(smaller)
#define push_group KG_LANES_NAME(push_group)
#define push KG_LANES_NAME(push)

/* The smaller of two masses in the larger, 1 where one body never moves: what is deep between unlike masses is
 * not hurried, the light one would give all the way. */
static inline kg_lanes likeness(kg_lanes inverse_a, kg_lanes inverse_b)
{
    kg_lanes one = kg_lanes_of(1);
    kg_lane_mask a_heavier = inverse_a < inverse_b, both = (inverse_a > 0) & (inverse_b > 0);
    kg_lanes lighter = kg_lanes_select(a_heavier, inverse_b, inverse_a), heavier = kg_lanes_select(a_heavier, inverse_a, inverse_b);
    return kg_lanes_select(both, heavier / kg_lanes_select(both, lighter, one), one);
}

/* The smaller radii, m. */
static inline kg_lanes smaller(const kugel_world *world, const kg_contact_group *g, int lane)
{
    const kg_contact_stage *stage = world->contact;
    if (stage->smallest == stage->largest) return kg_lanes_of((float)stage->smallest);
    kg_lanes radius;
    for (int k = 0; k < KG_WIDTH; ++k) radius[k] = kg_contact_smaller_radius(world->work.motion, g->a[lane + k], g->b[lane + k]);
    return radius;
}

static inline void push_group(const kugel_world *world, const kg_contact_group *g, const kg_contact_span *span)
{
    /* as much as the substeps would have taken back that this one stands for, one after the other, or a little less */
    double stretch = world->work.stretch, together = KG_PUSH_SHARE * stretch / (1 + KG_PUSH_SHARE * (stretch - 1));
    kg_contact_shift *shifts = world->contact->shifts;
    /* without a bounce threshold no impact strikes on what rests: nothing to hurry for */
    float hurry = world->def.bounce_threshold > 0 ? (float)KG_PUSH_DEEP_SHARE : 0;
    for (int lane = 0; lane < KG_LANES; lane += KG_WIDTH) {
        kg_lanes xa[4], xb[4], apart[3], normal[3], zero = kg_lanes_of(0);
        kg_lanes_load_rows(shifts->x, 4, &g->a[lane], xa);
        kg_lanes_load_rows(shifts->x, 4, &g->b[lane], xb);
        kg_lanes_load3(g->normal, lane, normal);
        kg_lanes small = smaller(world, g, lane), alike = likeness(xa[3], xb[3]), inverse = xa[3] + xb[3];
        for (int k = 0; k < 3; ++k) apart[k] = xb[k] - xa[k];
        kg_lanes gap = kg_lanes_load(&g->gap[lane]) + kg_lanes_dot(apart, normal);
        kg_lanes push = (float)together * (-gap - (float)KG_PUSH_LEAVE * small);
        kg_lanes deep = -gap - (float)KG_PUSH_DEEP * small;
        push += hurry * alike * kg_lanes_select(deep > 0, deep, zero);
        kg_lanes most = (float)KG_PUSH_MAX * small;
        push = kg_lanes_select(push > most, most, push);
        push = kg_lanes_select(push > 0, push, zero) / kg_lanes_select(inverse > 0, inverse, kg_lanes_of(1));
        for (int k = 0; k < 3; ++k) {
            xa[k] -= push * normal[k] * xa[3];
            xb[k] += push * normal[k] * xb[3];
        }
        kg_lanes_store_rows(shifts->x, 4, &g->a[lane], xa, span->still_a >> lane & ((1u << KG_WIDTH) - 1));
        kg_lanes_store_rows(shifts->x, 4, &g->b[lane], xb, span->still_b >> lane & ((1u << KG_WIDTH) - 1));
    }
}

static void push(void *context, uint32_t piece, uint32_t from, uint32_t to)
{
    const kugel_world *world = context;
    const kg_contact_stage *stage = world->contact;
    float leave = (float)(KG_PUSH_LEAVE * stage->solid);
    (void)piece;
    for (uint32_t i = from; i < to; ++i) {
        mark_held(stage, i);
        if (any_deep(&stage->groups[i], leave)) push_group(world, &stage->groups[i], &stage->spans[i]);
    }
}

#undef likeness
#undef smaller
#undef push_group
#undef push
