/* Penetration is taken back by moving bodies, a share of it a substep, in the groups' order. The gaps
 * are those at the substep's start, less what the groups before have moved. */
#include <string.h>

#include "base/wide.h"
#include "contact/contact.h"

KG_INLINE void mark(uint8_t *held, const uint32_t slot[KG_LANES], uint32_t lanes)
{
    if (lanes == 0xff) {
        for (int lane = 0; lane < KG_LANES; ++lane) held[slot[lane]] = 1;
    } else {
        for (; lanes; lanes &= lanes - 1) held[slot[__builtin_ctz(lanes)]] = 1;
    }
}

/* Which bodies a contact holds; what cannot be moved may be some other thread's as well. */
KG_INLINE void mark_held(const kg_contact_stage *stage, uint32_t group)
{
    const kg_contact_group *g = &stage->groups[group];
    const kg_contact_span *span = &stage->spans[group];
    kg_float8 impulse;
    memcpy(&impulse, g->impulse, sizeof impulse);
    kg_mask8 holds = impulse > 0;
    uint32_t lanes = kg_bits8(&holds);
    mark(stage->held, g->a, lanes & ~(uint32_t)span->still_a);
    mark(stage->held, g->b, lanes & ~(uint32_t)span->still_b);
}

KG_INLINE bool any_deep(const kg_contact_group *g, float leave)
{
    kg_float8 gap;
    memcpy(&gap, g->gap, sizeof gap);
    kg_mask8 deep = gap < -leave;
    return kg_bits8(&deep);
}

#define KG_WIDTH 4
#include "contact/push_lanes.h"
#undef KG_WIDTH

#ifdef KG_HAS_AVX2
KG_AVX2_BEGIN
#define KG_WIDTH 8
#include "contact/push_lanes.h"
#undef KG_WIDTH
KG_AVX2_END
#endif

void kg_contact_push(kugel_world *world)
{
#ifdef KG_HAS_AVX2
    if (KG_HAS_AVX2) {
        kg_contact_in_order(world, push_8, world);
        return;
    }
#endif
    kg_contact_in_order(world, push_4, world);
}
