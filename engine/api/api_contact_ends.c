/* Ends resting contacts in calls between steps (api_contact_ends.h). */
#include "api/api_contact_ends.h"

#include "api/api_refuse.h"
#include "base/vec.h"
#include "query/query.h"
#include "query/query_index.h"

kugel_status kg_api_reserve_ends(kugel_world *world, size_t count)
{
    if (kg_event_log_reserve_removed(&world->memory, &world->events, count)) return KUGEL_OK;
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "contacts",
                           "no memory for the ends of %zu contacts", count);
}

kugel_status kg_api_reserve_body_ends(kugel_world *world, uint32_t slot)
{
    size_t count = world->bodies.contact_count[slot];
    return count ? kg_api_reserve_ends(world, count) : KUGEL_OK;
}

static void add_end(kugel_world *world, const kg_contact *contact)
{
    kugel_resting_contact was;
    kg_query_contact(world, contact, &was);
    kugel_touch *end = &world->events.removed[world->events.removed_count++];
    *end = (kugel_touch){
        .target = was.target, .index = was.index, .triangle = was.triangle, .a = was.a, .b = was.b};
    kg_copy3(end->point, was.point);
    kg_copy3(end->normal, was.normal);
}

void kg_api_end_contacts(kugel_world *world, kg_api_contact_test *ends, uint32_t id)
{
    bool any = false;
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        kg_contact *c = &world->contacts.items[k];
        if (!ends(world, c, id)) continue;
        add_end(world, c);
        c->ended = any = true;
    }
    if (!any) return;
    kg_contact_set_remove_ended(&world->contacts, &world->bodies);
    kg_query_invalidate_contacts(world);
}

static bool has_body(const kugel_world *world, const kg_contact *contact, uint32_t id)
{
    (void)world;
    return contact->a == id || (contact->with == KG_WITH_BODY && contact->b == id);
}

static bool is_filtered(const kugel_world *world, const kg_contact *contact, uint32_t id)
{
    const kg_bodies *bodies = &world->bodies;
    if (!has_body(world, contact, id)) return false;
    const kg_material *material = kg_bodies_material(bodies, bodies->slot[contact->a]);
    if (contact->with != KG_WITH_BODY) return !kg_boundary_admits(world, contact->b, material);
    return !kg_bodies_materials_collide(material,
                                        kg_bodies_material(bodies, bodies->slot[contact->b]));
}

void kg_api_end_body_contacts(kugel_world *world, uint32_t slot)
{
    if (world->bodies.contact_count[slot])
        kg_api_end_contacts(world, has_body, world->bodies.id[slot]);
}

void kg_api_end_filtered_contacts(kugel_world *world, uint32_t slot)
{
    if (world->bodies.contact_count[slot])
        kg_api_end_contacts(world, is_filtered, world->bodies.id[slot]);
}
