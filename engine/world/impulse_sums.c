/* A row of kugel_impulse_sum for each exchange of impulses. In: an exchange. Out: a pending row.
 * Order: rows of a pair stay in the order of time. */
#include "world/impulse_sums.h"

#include "base/vec.h"
#include "world/boundary.h"

/* The exchange as seen from the other body. */
static kg_exchanged reversed(const kg_exchanged *e)
{
    kg_exchanged r = *e;
    r.a = e->b;
    r.b = e->a;
    for (int k = 0; k < 3; ++k) {
        r.normal[k] = -e->normal[k];
        r.friction[k] = -e->friction[k];
        r.turn[k] = -e->turn[k];
    }
    return r;
}

/* The arm of the impulse on the target, m: from the centre of a body, else from the origin. */
static void find_arm(const kugel_world *world, const kg_exchanged *e, double arm[3])
{
    if (e->boundary == KG_WITH_BODY) {
        kg_scale3(arm, e->normal, -world->bodies.radius[e->b]);
        return;
    }
    kg_work_position_at(&world->work, e->a, e->time, arm);
    kg_add_scaled3(arm, arm, world->bodies.radius[e->a], e->normal);
}

void kg_impulse_sums_set(const kg_exchanged *e, const double arm[3], kugel_impulse_sum *row)
{
    row->along = e->along;
    row->friction = kg_length3(e->friction);
    row->impacts = e->impacts;
    kg_add_scaled3(row->impulse, e->friction, e->along, e->normal);
    kg_cross3(row->angular_impulse, arm, row->impulse);
    for (int k = 0; k < 3; ++k) row->angular_impulse[k] += e->turn[k];
}

bool kg_impulse_sums_add(kugel_world *world, const kg_exchanged *exchanged)
{
    const kg_bodies *bodies = &world->bodies;
    kg_exchanged e = *exchanged;
    bool body = e.boundary == KG_WITH_BODY;
    double arm[3];
    if (body && bodies->id[e.b] < bodies->id[e.a]) e = reversed(exchanged);
    kugel_impulse_sum row = {.a = kg_bodies_handle(bodies, e.a)};
    if (body) {
        row.b = kg_bodies_handle(bodies, e.b);
        row.target = KUGEL_TARGET_BODY;
        row.index = kugel_body_id(row.b);
    } else {
        kg_boundary_name name = kg_boundary_name_of(world, e.boundary);
        row.target = name.target;
        row.index = name.index;
    }
    find_arm(world, &e, arm);
    kg_impulse_sums_set(&e, arm, &row);
    return kg_event_set_add_sum(&world->memory, &world->events.pending, &row);
}
