/* Public functions that set and read the pair filter of a world. */
#include "api/api_contact_ends.h"
#include "api/api_refuse.h"
#include "grid/neighbours.h"
#include "record/recorder.h"
#include "world/pair_filter.h"
#include "world/sleep_state.h"

/* True if the world's pair filter excludes the contact. */
static bool is_excluded(const kugel_world *world, const kg_contact *contact, uint32_t unused)
{
    const uint32_t *slot = world->bodies.slot;
    (void)unused;
    return contact->with == KG_WITH_BODY &&
           !kg_pair_filter_admits(world, slot[contact->a], slot[contact->b]);
}

/* Reserve memory for the end events of all contacts that the filter excludes. */
static kugel_status reserve_excluded(kugel_world *world)
{
    size_t count = 0;
    world->busy = true;
    for (uint32_t k = 0; k < world->contacts.count; ++k)
        count += is_excluded(world, &world->contacts.items[k], 0);
    world->busy = false;
    if (kg_pair_filter_take_failure(world))
        return kg_error_report(world, KUGEL_ERROR_STATE, "pair_filter", "the callback failed");
    return count ? kg_api_reserve_ends(world, count) : KUGEL_OK;
}

kugel_status kugel_world_set_pair_filter(kugel_world *world, const kugel_pair_filter *filter)
{
    KG_REFUSE_UNLESS_READY(world);
    kugel_pair_filter before = world->pair_filter;
    world->pair_filter = filter && filter->decide ? *filter : (kugel_pair_filter){0};
    kugel_status status = reserve_excluded(world);
    if (status) {
        world->pair_filter = before;
        return status;
    }
    kg_sleep_wake_all(world);
    world->busy = true;
    kg_api_end_contacts(world, is_excluded, 0);
    world->busy = false;
    kg_pair_filter_take_failure(world); /* none above for the same contacts, so none here */
    kg_neighbours_invalidate(world);
    kg_record_pair_filter(world->recorder, &world->pair_filter);
    return KUGEL_OK;
}

kugel_status kugel_world_get_pair_filter(const kugel_world *world, kugel_pair_filter *filter)
{
    if (!world || !filter) return KUGEL_ERROR_INVALID_ARGUMENT;
    *filter = world->pair_filter;
    return KUGEL_OK;
}
