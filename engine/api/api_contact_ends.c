/* Ends resting contacts in calls between steps (api_contact_ends.h). */
#include "api/api_contact_ends.h"

#include "api/api_refuse.h"
#include "base/assert.h"
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
    if (!count) return KUGEL_OK;
    if (kg_query_ensure_contacts(world))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "contacts",
                               "no memory to find the contacts of a body");
    return kg_api_reserve_ends(world, count);
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
    kg_contact_set *set = &world->contacts;
    for (uint32_t k = 0; k < set->count; ++k) {
        kg_contact *c = &set->items[k];
        if (!ends(world, c, id)) continue;
        add_end(world, c);
        kg_contact_set_end(set, &world->bodies, c);
    }
    kg_contact_set_compact(set);
    kg_query_invalidate_contacts(world);
}

/* End a contact of the index `all`, which may hold a copy of the world's. */
static void end_listed(kugel_world *world, kg_contact *listed)
{
    kg_contact_set *set = &world->contacts;
    uint64_t key = kg_contact_set_key(listed);
    kg_contact *c = &set->items[kg_contact_set_lower_bound(set->items, set->count, key)];
    KG_ASSERT(kg_contact_set_key(c) == key); /* the body was given back */
    add_end(world, c);
    kg_contact_set_end(set, &world->bodies, c);
    listed->ended = true;
}

/* End the contacts of a body for which `ends` returns true. */
static void end_of_body(kugel_world *world, uint32_t slot, kg_api_contact_test *ends)
{
    const kg_contact_index *index = &world->query->contacts;
    const kg_contact_set *all = index->all;
    uint32_t id = world->bodies.id[slot];
    if (!world->bodies.contact_count[slot]) return;
    for (uint32_t k = index->start[id]; k < index->start[id + 1]; ++k) {
        kg_contact *c = &all->items[index->item[k]];
        if (!c->ended && ends(world, c, id)) end_listed(world, c);
    }
    uint32_t k = kg_contact_set_lower_bound(all->items, all->count, (uint64_t)id << 32);
    for (; k < all->count && all->items[k].a == id; ++k) {
        kg_contact *c = &all->items[k];
        if (!c->ended && ends(world, c, id)) end_listed(world, c);
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
    if (contact->with != KG_WITH_BODY) return !kg_boundary_admits(world, contact->b, material);
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
