/* Public functions that set and read the table of pairs and the pair filter of a world. */
#include "api/api_contact_ends.h"
#include "api/api_refuse.h"
#include "base/sized.h"
#include "grid/neighbours.h"
#include "record/recorder.h"
#include "world/pair_filter.h"
#include "world/sleep_state.h"
#include "world/validate.h"

static kugel_status check_pair(uint32_t kind_a, uint32_t kind_b, const double *numbers,
                               kugel_error *error)
{
    kugel_status status = kg_validate_kind(kind_a, "kind_a", error);
    if (!status) status = kg_validate_kind(kind_b, "kind_b", error);
    return status ? status : kg_validate_material(numbers, KG_CONTACT_NUMBERS, "material.", error);
}

/* Wake the bodies of all contacts of two kinds. */
static void wake_pairs(kugel_world *world, uint32_t kind_a, uint32_t kind_b)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t place = kg_pairs_place(kind_a, kind_b);
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        bool body = c->with == KG_WITH_BODY;
        uint32_t a = bodies->slot[c->a], b = body ? bodies->slot[c->b] : a,
                 kind = body ? kg_bodies_material(bodies, b)->kind
                             : kg_boundary_material(world, c->b).kind;
        if (c->ended || kg_pairs_place(kg_bodies_material(bodies, a)->kind, kind) != place)
            continue;
        kg_sleep_wake(world, a);
        kg_sleep_wake(world, b);
    }
}

kugel_status kugel_world_set_pair_material(kugel_world *world, uint32_t kind_a, uint32_t kind_b,
                                           const kugel_pair_material *given, size_t size)
{
    KG_CHANGE_EARLY(world);
    kugel_error error;
    kugel_pair_material m = {0};
    if (given) kg_copy_sized(&m, sizeof m, given, size);
    const double numbers[KG_CONTACT_NUMBERS] = {m.restitution, m.friction, m.rolling_resistance,
                                                m.tangential_restitution};
    const kg_contact_material material = {m.restitution + 0.0, m.friction + 0.0,
                                          m.rolling_resistance + 0.0,
                                          m.tangential_restitution + 0.0, 0}; /* -0 becomes +0 */
    if (check_pair(kind_a, kind_b, numbers, &error)) return kg_refuse_error(world, &error);
    if (given && !kg_pairs_reserve(&world->memory, &world->pairs, kind_a, kind_b))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "kind_a",
                               "and kind_b: no memory for the table of pairs");
    kugel_status status = kg_api_ensure_contacts(world);
    if (status) return status;
    if (given) kg_pairs_set(&world->pairs, kind_a, kind_b, &material);
    else kg_pairs_remove(&world->pairs, kind_a, kind_b);
    wake_pairs(world, kind_a, kind_b);
    world->materials_changed = true;
    KG_RECORD(world, PAIR_MATERIAL, .kinds = {kind_a, kind_b}, .vector = KG_ELEMENTS3(numbers),
              .number = m.tangential_restitution, .flag = given != NULL);
    return KUGEL_OK;
}

bool kugel_world_get_pair_material(const kugel_world *world, uint32_t kind_a, uint32_t kind_b,
                                   kugel_pair_material *material, size_t size)
{
    kugel_pair_material found = {0};
    bool known = !kg_refuse_read(world) && kind_a < KUGEL_KIND_COUNT && kind_b < KUGEL_KIND_COUNT;
    const kg_pair_row *row = known ? kg_pairs_find(&world->pairs, kind_a, kind_b) : NULL;
    if (row)
        found = (kugel_pair_material){row->material.restitution, row->material.friction,
                                      row->material.rolling_resistance,
                                      row->material.tangential_restitution};
    if (material) kg_copy_sized(material, size, &found, sizeof found);
    return row;
}

static bool is_excluded(const kugel_world *world, const kg_contact *c)
{
    const uint32_t *slot = world->bodies.slot;
    if (c->with == KG_WITH_BODY) return !kg_pair_filter_admits(world, slot[c->a], slot[c->b]);
    return kg_boundary_is_feature(c->b) &&
           !kg_pair_filter_admits_surface(world, slot[c->a], kg_boundary_surface_of(world, c->b));
}

/* Mark the contacts that the world's pair filter excludes. Returns their count. */
static size_t mark_excluded(kugel_world *world)
{
    size_t count = 0;
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        kg_contact *c = &world->contacts.items[k];
        c->ended = is_excluded(world, c);
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

kugel_status kugel_world_set_pair_filter(kugel_world *world, const kugel_pair_filter *filter,
                                         size_t size)
{
    KG_CHANGE(world);
    kugel_pair_filter before = world->pair_filter;
    world->pair_filter = (kugel_pair_filter){0};
    if (filter && filter->decide)
        kg_copy_sized(&world->pair_filter, sizeof world->pair_filter, filter, size);
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

kugel_status kugel_world_get_pair_filter(const kugel_world *world, kugel_pair_filter *filter,
                                         size_t size)
{
    if (!world || !filter) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_copy_sized(filter, size, &world->pair_filter, sizeof world->pair_filter);
    return KUGEL_OK;
}
