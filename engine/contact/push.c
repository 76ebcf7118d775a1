/* Penetration is taken back by moving bodies, a share of it a substep, in the groups' order. The gaps
 * are those at the substep's start, less what the groups before have moved. */
#define KG_WIDTH 4
#include "base/lanes.h"
#include "contact/contact.h"

/* The smaller of two masses in the larger, 1 where one body never moves: what is deep between unlike masses is
 * not hurried, the light one would give all the way. */
static inline kg_lanes likeness(kg_lanes inverse_a, kg_lanes inverse_b)
{
    kg_lanes one = kg_lanes_of(1);
    kg_lane_mask a_heavier = inverse_a < inverse_b, both = (inverse_a > 0) & (inverse_b > 0);
    kg_lanes lighter = kg_lanes_select(a_heavier, inverse_b, inverse_a), heavier = kg_lanes_select(a_heavier, inverse_a, inverse_b);
    return kg_lanes_select(both, heavier / kg_lanes_select(both, lighter, one), one);
}

static void push_group(const kugel_world *world, const kg_contact_group *g, const kg_contact_span *span)
{
    kg_contact_shift *shifts = world->contact->shifts;
    /* without a bounce threshold no impact strikes on what rests: nothing to hurry for */
    float hurry = world->def.bounce_threshold > 0 ? (float)KG_PUSH_DEEP_SHARE : 0;
    for (int lane = 0; lane < KG_LANES; lane += 4) {
        kg_lanes xa[4], xb[4], apart[3], normal[3], zero = kg_lanes_of(0);
        kg_lanes_load_rows(shifts->x, 4, &g->a[lane], xa);
        kg_lanes_load_rows(shifts->x, 4, &g->b[lane], xb);
        kg_lanes_load3(g->normal, lane, normal);
        kg_lanes small = kg_lanes_load(&g->small[lane]), alike = likeness(xa[3], xb[3]);
        for (int k = 0; k < 3; ++k) apart[k] = xb[k] - xa[k];
        kg_lanes gap = kg_lanes_load(&g->gap[lane]) + kg_lanes_dot(apart, normal);
        kg_lanes push = (float)KG_PUSH_SHARE * (-gap - (float)KG_PUSH_LEAVE * small);
        kg_lanes deep = -gap - (float)KG_PUSH_DEEP * small;
        push += hurry * alike * kg_lanes_select(deep > 0, deep, zero);
        kg_lanes most = (float)KG_PUSH_MAX * small;
        push = kg_lanes_select(push > most, most, push);
        push = kg_lanes_select(push > 0, push, zero) * kg_lanes_load(&g->mass[lane]);
        for (int k = 0; k < 3; ++k) {
            xa[k] -= push * normal[k] * xa[3];
            xb[k] += push * normal[k] * xb[3];
        }
        kg_lanes_store_rows(shifts->x, 4, &g->a[lane], xa, span->still_a >> lane & 15u);
        kg_lanes_store_rows(shifts->x, 4, &g->b[lane], xb, span->still_b >> lane & 15u);
    }
}

static bool any_deep(const kg_contact_group *g, float leave)
{
    kg_lane_mask deep = (kg_lanes_load(g->gap) < -leave) | (kg_lanes_load(&g->gap[4]) < -leave);
    return deep[0] | deep[1] | deep[2] | deep[3];
}

/* Which bodies a contact holds. */
static void mark_held(const kg_contact_stage *stage, uint32_t group)
{
    const kg_contact_group *g = &stage->groups[group];
    uint32_t skip_a = stage->parallel ? stage->spans[group].still_a : 0; /* some other thread's as well */
    uint32_t skip_b = stage->parallel ? stage->spans[group].still_b : 0;
    for (int lane = 0; lane < KG_LANES; ++lane) {
        bool holds = g->impulse[lane] > 0;
        if (!(skip_a >> lane & 1)) stage->held[g->a[lane]] |= holds;
        if (!(skip_b >> lane & 1)) stage->held[g->b[lane]] |= holds;
    }
}

static void push(void *context, uint32_t piece, uint32_t from, uint32_t to)
{
    const kugel_world *world = context;
    kg_contact_stage *stage = world->contact;
    float leave = (float)(KG_PUSH_LEAVE * world->grid->smallest);
    (void)piece;
    for (uint32_t i = from; i < to; ++i) {
        mark_held(stage, i);
        if (any_deep(&stage->groups[i], leave)) push_group(world, &stage->groups[i], &stage->spans[i]);
    }
}

void kg_contact_push(kugel_world *world) { kg_contact_in_order(world, push, world); }
