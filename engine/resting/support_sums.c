/* Sums of impulses where a body begins to slide, or leaves its supports, within a substep: the
 * solve took them to act until its end. In: a body before and after. Out: rows of its supports. */
#include "base/vec.h"
#include "resting/supports.h"
#include "world/impulse_sums.h"

/* The boundaries of contacts that opened in this substep, which support nothing any more. */
static void find_opened(const kugel_world *world, uint32_t slot, double t, kg_supports *all)
{
    double place[3], into[3];
    kg_resting_iterator on = kg_work_resting(&world->work, slot);
    kg_work_position_at(&world->work, slot, t, place);
    for (kg_boundary k; all->count < KG_SUPPORTS_MAX && kg_resting_iterator_next(&on, &k);) {
        kg_support *s = &all->items[all->count++];
        kg_boundary_contact_gap(world, k, t, place, 0, into);
        *s = (kg_support){.boundary = k};
        kg_scale3(s->normal, into, -1);
    }
}

void kg_support_sums_begin(const kugel_world *world, uint32_t slot, double h, double t,
                           kg_support_sums *before)
{
    if (!world->sums_impulses) return;
    kg_supports_find(world, slot, t, &before->supports);
    if (!before->supports.count) find_opened(world, slot, t, &before->supports);
    kg_work_velocity_at(&world->work, slot, h, before->velocity);
}

/* The supports push along their normals; what is left of the change is the first one's friction. */
bool kg_support_sums_end(kugel_world *world, uint32_t slot, double h, double t,
                         const kg_support_sums *before)
{
    double left[3], mass = world->bodies.mass[slot];
    if (!world->sums_impulses || !before->supports.count) return true;
    kg_work_velocity_at(&world->work, slot, h, left);
    kg_add_scaled3(left, left, -1, before->velocity);
    for (uint32_t k = before->supports.count; k--;) {
        const kg_support *s = &before->supports.items[k];
        double along = kg_dot3(left, s->normal);
        kg_exchanged e = {.a = slot, .boundary = s->boundary, .time = t, .along = mass * along};
        if (s->boundary == KG_WITH_BODY) e.b = world->bodies.slot[s->id];
        kg_scale3(e.normal, s->normal, -1);
        kg_add_scaled3(left, left, -along, s->normal);
        if (!k) kg_scale3(e.friction, left, -mass);
        if (!kg_impulse_sums_add(world, &e)) return false;
    }
    return true;
}
