/* The forces that contacts keep from tick to tick, from the impulses J of the last substep, of
 * length h. They warm start substeps of any length and are part of the state.
 * In: groups, contacts with the forces at the start of the tick. Out: their new forces. Cost: one
 * parallel pass. */
#include <float.h>
#include <math.h>

#include "contact/contact.h"

/* J / h is a force only where the load outweighs what else a solve changes: the approach that
 * earlier substeps left, and rounding. In a short tick these do not shrink with h, so J / h grows
 * without bound. A force is therefore a mean over the time T in which gravity g
 * (kg_resting_gravity) moves a body by KG_SUBSTEP_FALL of the smaller radius r of the contact. That
 * is the longest usual substep:
 *
 *     T = sqrt(KG_SUBSTEP_FALL r / g)        F' = F + (J / h - F) min(1, dt / T)
 *
 * with F the force at the start of the tick, of length dt. A tick of at least T replaces the force.
 * A shorter one changes it by at most J / T per substep, whatever h is. */

/* What the impulses of a lane add to the force, and what the old force keeps. */
typedef struct force_weights {
    float of_impulse; /* 1/s */
    float of_force;
} force_weights;

/* The weights where the force is J / h. */
static force_weights whole_weights(const kugel_world *world)
{
    return (force_weights){kg_contact_rate(world->work.substep_length), 0};
}

/* The weights of a contact of this smaller radius (m). */
static force_weights weights_for(const kugel_world *world, double radius)
{
    const kg_work *work = &world->work;
    double g = kg_resting_gravity(work, radius), time = sqrt(KG_SUBSTEP_FALL * radius / g),
           share = work->substep_length * work->substeps / time;
    if (!(share < 1)) return whole_weights(world);
    return (force_weights){(float)(work->substeps / time), (float)(1 - share)};
}

/* The new force, clamped to finite numbers. */
static float new_force(const force_weights *w, float impulse, float force)
{
    float f = w->of_force * force + w->of_impulse * impulse;
    return f > FLT_MAX ? FLT_MAX : f < -FLT_MAX ? -FLT_MAX : f;
}

static void store_lane(const kugel_world *world, const force_weights *w, uint32_t group, int lane,
                       kg_contact *c)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_group *g = &stage->groups[group];
    kg_contact_rolling *r = stage->rolling ? &stage->rolling[group] : NULL;
    g->impulse[lane] = c->normal_force = new_force(w, g->impulse[lane], c->normal_force);
    for (int k = 0; k < 3; ++k) {
        float *friction = &g->friction_impulse[k][lane];
        *friction = c->friction[k] = new_force(w, *friction, c->friction[k]);
        c->rolling[k] = r ? new_force(w, r->impulse[k][lane], c->rolling[k]) : 0;
        if (r) r->impulse[k][lane] = c->rolling[k];
    }
}

static force_weights weights_of_lane(const kugel_world *world, uint32_t group, int lane)
{
    const kg_contact_group *g = &world->contact->groups[group];
    return weights_for(
        world, (double)kg_contact_smaller_radius(world->work.motion, g->a[lane], g->b[lane]));
}

void kg_contact_store_lane(const kugel_world *world, uint32_t group, int lane, kg_contact *c)
{
    force_weights w = weights_of_lane(world, group, lane);
    store_lane(world, &w, group, lane, c);
}

typedef struct storing {
    kugel_world *world;
    bool whole; /* true when the tick is so long that all forces are replaced */
} storing;

static void store_forces(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    const storing *s = context;
    kg_contact_stage *stage = s->world->contact;
    force_weights whole = whole_weights(s->world);
    (void)range;
    if (to > stage->impulse_group_count) to = stage->impulse_group_count;
    for (uint32_t i = from; i < to; ++i) {
        const kg_contact_group_info *info = &stage->group_info[i];
        for (int lane = 0; lane < info->count; ++lane) {
            if (info->ended >> lane & 1) continue;
            force_weights w = s->whole ? whole : weights_of_lane(s->world, i, lane);
            kg_contact *c = &s->world->work.contacts.items[kg_contact_item(stage, info, lane)];
            store_lane(s->world, &w, i, lane, c);
        }
    }
}

void kg_contact_store_forces(kugel_world *world)
{
    force_weights largest = weights_for(world, world->contact->largest_radius);
    storing s = {world, largest.of_force == 0};
    kg_contact_for_groups(world, 0, store_forces, &s);
}
