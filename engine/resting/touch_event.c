/* The event of a resting contact that begins or ends. In: a contact, a time. Out: the event without
 * point and normal; the caller sets these. */
#include "resting/resting.h"

kugel_touch kg_resting_touch_event(const kugel_world *world, const kg_contact *c, double time)
{
    const kg_bodies *bodies = &world->bodies;
    kugel_touch touch = {.time = time, .index = c->b, .a = kg_bodies_handle_of_id(bodies, c->a)};
    if (c->with == KG_WITH_BODY) touch.b = kg_bodies_handle_of_id(bodies, c->b);
    else KG_NAME_TARGET(&touch, kg_boundary_name_of(world, c->b));
    return touch;
}

bool kg_resting_reports(const kugel_world *world, const kg_contact *c)
{
    const uint32_t *slot = world->bodies.slot;
    return kg_bodies_report(&world->bodies, slot[c->a],
                            c->with == KG_WITH_BODY ? slot[c->b] : KG_NONE);
}

bool kg_resting_report_begin(kugel_world *world, const kg_contact *c, const kugel_touch *touch)
{
    return !kg_resting_reports(world, c) ||
           kg_event_set_add_begin(&world->memory, &world->events.pending, touch);
}

bool kg_resting_report_end(kugel_world *world, const kg_contact *c, const kugel_touch *touch)
{
    return !kg_resting_reports(world, c) ||
           kg_event_set_add_end(&world->memory, &world->events.pending, touch);
}
