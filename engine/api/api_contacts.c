/* Public functions that read resting contacts and sums of impulses. As for all queries the world is
 * const, errors are returned as statuses only, and calls are not recorded. */
#include <stdlib.h>

#include "api/api_refuse.h"
#include "api/api_rows.h"
#include "base/vec.h"
#include "events/events_sort.h"
#include "query/query.h"
#include "query/query_index.h"
#include "world/impulse_sums.h"
#include "world/sleep_state.h"

kugel_status kugel_body_contacts(const kugel_world *world, kugel_body body, size_t capacity,
                                 kugel_resting_contact *contacts, size_t *count, size_t size)
{
    if (!kg_clear_results(capacity, contacts, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    uint32_t i = kg_bodies_find(&world->bodies, body);
    if (i == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    if (!world->bodies.contact_count[i]) return KUGEL_OK;
    if (!kg_contact_index_ensure(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_rows rows = {.out = contacts, .capacity = capacity, .size = size, .own = sizeof *contacts};
    if (!kg_rows_open(&rows, world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    *count = kg_query_body_contacts(world, kugel_body_id(body), capacity, rows.items);
    kg_rows_close(&rows, world, *count);
    return KUGEL_OK;
}

kugel_status kugel_world_contacts(const kugel_world *world, size_t capacity,
                                  kugel_resting_contact *contacts, size_t *count, size_t size)
{
    if (!kg_clear_results(capacity, contacts, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    kg_contact_walk walk = kg_world_contacts(world);
    const kg_rows rows = {.out = contacts, .size = size, .own = sizeof *contacts};
    kugel_resting_contact row;
    for (const kg_contact *c; (c = kg_contact_walk_next(&walk)); *count += 1) {
        if (*count >= capacity) continue;
        kg_query_contact(world, c, &row);
        kg_rows_set(&rows, *count, &row);
    }
    return KUGEL_OK;
}

/* What a contact of a sleeping body exchanged in the last step. False if it is awake, or if the
 * step solved it: then its pair has a row. */
static bool sleeper_row(const kugel_world *world, const kg_contact *c, kugel_impulse_sum *row)
{
    const kg_bodies *bodies = &world->bodies;
    const kg_event_set *set = &world->events.published;
    uint32_t a = bodies->slot[c->a], b = c->with == KG_WITH_BODY ? bodies->slot[c->b] : a;
    if (bodies->sleep_state[bodies->mass[a] != 0 ? a : b] != KG_ASLEEP) return false;
    kugel_resting_contact contact;
    double arm[3], dt = set->sums_dt;
    kg_query_contact(world, c, &contact);
    *row = (kugel_impulse_sum){
        .target = contact.target, .index = contact.index, .a = contact.a, .b = contact.b};
    if (set->sum_count &&
        bsearch(row, set->sums, set->sum_count, sizeof *row, kg_events_compare_sums))
        return false;
    kg_exchanged e = {.along = dt * contact.force};
    for (int k = 0; k < 3; ++k) {
        e.normal[k] = contact.normal[k];
        e.friction[k] = -dt * contact.friction[k];
        e.turn[k] = dt * (double)c->rolling[k];
    }
    if (c->with == KG_WITH_BODY) kg_scale3(arm, contact.normal, -bodies->radius[b]);
    else kg_copy3(arm, contact.point);
    kg_impulse_sums_set(&e, arm, row);
    return true;
}

kugel_status kugel_world_impulse_sums(const kugel_world *world, size_t capacity,
                                      kugel_impulse_sum *sums, size_t *count, size_t size)
{
    if (!kg_clear_results(capacity, sums, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    const kg_event_set *set = &world->events.published;
    const kg_rows rows = {.out = sums, .size = size, .own = sizeof *sums};
    kg_contact_walk walk = kg_world_contacts(world);
    kugel_impulse_sum row;
    for (*count = 0; *count < set->sum_count; *count += 1) {
        if (*count < capacity) kg_rows_set(&rows, *count, &set->sums[*count]);
    }
    for (const kg_contact *c; set->sums_dt > 0 && (c = kg_contact_walk_next(&walk));) {
        if (!sleeper_row(world, c, &row)) continue;
        if (*count < capacity) kg_rows_set(&rows, *count, &row);
        *count += 1;
    }
    return KUGEL_OK;
}
