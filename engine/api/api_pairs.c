/* Public functions that set and read the pair filter of a world. */
#include "api/api_contact_ends.h"
#include "api/api_refuse.h"
#include "grid/neighbours.h"
#include "record/recorder.h"
#include "world/pair_filter.h"
#include "world/sleep_state.h"

/* Mark the contacts that the world's pair filter excludes. Returns their count. */
static size_t mark_excluded(kugel_world *world)
{
    const uint32_t *slot = world->bodies.slot;
    size_t count = 0;
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        kg_contact *c = &world->contacts.items[k];
        c->ended = c->with == KG_WITH_BODY && !kg_pair_filter_admits(world, slot[c->a], slot[c->b]);
        count += c->ended;
    }
    return count;
}

/* Mark the excluded contacts, and reserve memory for their end events. */
static kugel_status mark_and_reserve(kugel_world *world)
{
    kg_pair_filter_take_failure(world); /* clears a failure of an earlier step */
    size_t count = mark_excluded(world);
    kugel_status status = KUGEL_OK;
    if (kg_pair_filter_take_failure(world))
        status = kg_error_report(world, KUGEL_ERROR_STATE, "pair_filter", "the callback failed");
    else if (count) status = kg_api_reserve_ends(world, count);
    for (uint32_t k = 0; k < world->contacts.count && status; ++k)
        world->contacts.items[k].ended = false;
    return status;
}

static bool is_marked(const kugel_world *world, const kg_contact *contact, uint32_t unused)
{
    (void)world, (void)unused;
    return contact->ended;
}

kugel_status kugel_world_set_pair_filter(kugel_world *world, const kugel_pair_filter *filter)
{
    KG_CHANGE(world);
    kugel_pair_filter before = world->pair_filter;
    world->pair_filter = filter && filter->decide ? *filter : (kugel_pair_filter){0};
    kugel_status status = mark_and_reserve(world);
    if (status) {
        world->pair_filter = before;
        return status;
    }
    kg_sleep_wake_all(world);
    kg_api_end_contacts(world, is_marked, 0);
    kg_neighbours_invalidate(world);
    KG_RECORD(world, PAIR_FILTER, .key = world->pair_filter.key,
              .has_filter = world->pair_filter.decide);
    return KUGEL_OK;
}

kugel_status kugel_world_get_pair_filter(const kugel_world *world, kugel_pair_filter *filter)
{
    if (!world || !filter) return KUGEL_ERROR_INVALID_ARGUMENT;
    *filter = world->pair_filter;
    return KUGEL_OK;
}
