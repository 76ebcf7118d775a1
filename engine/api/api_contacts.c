/* Public functions that read resting contacts. As for all queries the world is const, errors are
 * returned as statuses only, and calls are not recorded. */
#include "api/api_refuse.h"
#include "query/query.h"
#include "query/query_index.h"

kugel_status kugel_body_contacts(const kugel_world *world, kugel_body body, size_t capacity,
                                 kugel_resting_contact *contacts, size_t *count)
{
    if (!kg_clear_results(capacity, contacts, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    uint32_t i = kg_bodies_find(&world->bodies, body);
    if (i == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    if (!world->bodies.contact_count[i]) return KUGEL_OK;
    status = kg_query_ensure_contacts(world);
    if (!status) *count = kg_query_body_contacts(world, kugel_body_id(body), capacity, contacts);
    return status;
}

kugel_status kugel_world_contacts(const kugel_world *world, size_t capacity,
                                  kugel_resting_contact *contacts, size_t *count)
{
    if (!kg_clear_results(capacity, contacts, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if ((status = kg_query_ensure_contacts(world))) return status;
    const kg_contact_set *all = world->query->contacts.all;
    for (uint32_t k = 0; k < all->count; ++k) {
        if (all->items[k].ended) continue;
        if (*count < capacity) kg_query_contact(world, &all->items[k], &contacts[*count]);
        *count += 1;
    }
    return KUGEL_OK;
}
