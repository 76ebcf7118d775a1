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
    if (!kg_contact_index_ensure(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    *count = kg_query_body_contacts(world, kugel_body_id(body), capacity, contacts);
    return status;
}

kugel_status kugel_world_contacts(const kugel_world *world, size_t capacity,
                                  kugel_resting_contact *contacts, size_t *count)
{
    if (!kg_clear_results(capacity, contacts, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    kg_contact_walk walk = kg_world_contacts(world);
    for (const kg_contact *c; (c = kg_contact_walk_next(&walk)); *count += 1) {
        if (*count < capacity) kg_query_contact(world, c, &contacts[*count]);
    }
    return KUGEL_OK;
}
