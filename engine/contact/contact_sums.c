/* Sums of impulses of resting contacts. In: the groups after a solve. Out: a row for each contact
 * with an impulse. Order: that of the groups. */
#include "contact/solver.h"
#include "world/impulse_sums.h"

bool kg_contact_sums_prepare(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    stage->torsion = NULL;
    return !world->sums_impulses ||
           KG_RESERVE(&world->memory, &stage->columns[KG_CONTACT_COLUMN_TORSION], stage->torsion,
                      stage->group_count, 0);
}

/* The impulses of a lane; false if it has none. The last sweeps of a round change normal impulses
 * alone: friction may be left where they end a push. */
static bool read_lane(const kugel_world *world, uint32_t group, int lane, kg_exchanged *out)
{
    const kg_contact_stage *stage = world->contact;
    const kg_contact_group *g = &stage->groups[group];
    const kg_contact_group_info *info = &stage->group_info[group];
    const kg_contact *c = &world->work.contacts.items[kg_contact_item(stage, info, lane)];
    bool any = g->impulse[lane] > 0;
    *out = (kg_exchanged){.a = g->a[lane], .b = g->b[lane], .along = (double)g->impulse[lane]};
    out->boundary = c->with == KG_WITH_BODY ? KG_WITH_BODY : c->b;
    for (int k = 0; k < 3; ++k) {
        out->normal[k] = (double)g->normal[k][lane];
        out->friction[k] = (double)g->friction_impulse[k][lane];
        if (stage->rolling) out->turn[k] = (double)stage->rolling[group].impulse[k][lane];
        if (info->has_friction)
            out->turn[k] += (double)stage->torsion[group].impulse[lane] * out->normal[k];
        any |= out->friction[k] != 0 || out->turn[k] != 0;
    }
    return any && !(info->ended >> lane & 1);
}

bool kg_contact_sum_impulses(kugel_world *world)
{
    const kg_contact_stage *stage = world->contact;
    kg_exchanged e;
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        for (int lane = 0; lane < stage->group_info[i].count; ++lane) {
            if (read_lane(world, i, lane, &e) && !kg_impulse_sums_add(world, &e)) return false;
        }
    }
    return true;
}
