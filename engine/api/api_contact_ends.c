/* Ends resting contacts in calls between steps (api_contact_ends.h). */
#include "api/api_contact_ends.h"

#include "api/api_refuse.h"
#include "base/assert.h"
#include "base/vec.h"
#include "query/query.h"
#include "query/query_index.h"
#include "resting/resting.h"
#include "sensors/sensors.h"

kugel_status kg_api_reserve_ends(kugel_world *world, size_t count)
{
    if (kg_event_log_reserve_removed(&world->memory, &world->events, count)) return KUGEL_OK;
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "contacts",
                           "no memory for the ends of %zu contacts", count);
}

kugel_status kg_api_prepare_body_ends(kugel_world *world, uint32_t slot)
{
    size_t count = world->bodies.contact_count[slot];
    kugel_status status = count ? kg_api_ensure_contacts(world) : KUGEL_OK;
    if (!status && count) status = kg_api_reserve_ends(world, count);
    if (status || kg_sensors_note_exits(world, slot)) return status;
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "sensors",
                           "no memory for exits from sensors");
}

static bool is_named(const kugel_world *world, kugel_target target, uint32_t index)
{
    for (size_t k = 0; k < world->events.removed_count; ++k) {
        const kugel_touch *end = &world->events.removed[k];
        if (end->target == target && end->index == index) return true;
    }
    return false;
}

uint32_t kg_api_free_index(const kugel_world *world, const kg_indices *indices, kugel_target target)
{
    uint32_t index = kg_indices_next_free(indices, 0);
    while (index < indices->end && is_named(world, target, index))
        index = kg_indices_next_free(indices, index + 1);
    return index;
}

static void add_end(kugel_world *world, const kg_contact *contact)
{
    if (!kg_resting_reports(world, contact)) return;
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
    kg_contact_set *set = &world->contacts;
    for (uint32_t k = 0; k < set->count; ++k) {
        kg_contact *c = &set->items[k];
        if (!ends(world, c, id)) continue;
        add_end(world, c);
        kg_contact_set_end(set, &world->bodies, c);
    }
}

/* End the contacts of a body for which `ends` returns true. */
static void end_of_body(kugel_world *world, uint32_t slot, kg_api_contact_test *ends)
{
    if (!world->bodies.contact_count[slot]) return;
    kg_body_contacts walk = kg_contact_index_of(world, world->bodies.id[slot]);
    for (kg_contact *c; (c = kg_body_contacts_next(&walk));) {
        if (!ends(world, c, walk.id)) continue;
        add_end(world, c);
        if (walk.set == &world->contacts) kg_contact_set_end(walk.set, &world->bodies, c);
        else kg_aside_end_contact(world, c);
    }
}

static bool is_any(const kugel_world *world, const kg_contact *contact, uint32_t id)
{
    (void)world, (void)contact, (void)id;
    return true;
}

static bool is_filtered(const kugel_world *world, const kg_contact *contact, uint32_t id)
{
    const kg_bodies *bodies = &world->bodies;
    const kg_material *material = kg_bodies_material(bodies, bodies->slot[contact->a]);
    (void)id;
    if (contact->with != KG_WITH_BODY)
        return material->disabled || !kg_boundary_admits(world, contact->b, material);
    return !kg_bodies_materials_collide(material,
                                        kg_bodies_material(bodies, bodies->slot[contact->b]));
}

void kg_api_end_body_contacts(kugel_world *world, uint32_t slot)
{
    end_of_body(world, slot, is_any);
}

void kg_api_end_filtered_contacts(kugel_world *world, uint32_t slot)
{
    end_of_body(world, slot, is_filtered);
}
