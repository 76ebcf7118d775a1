/* The call of the host's pair filter (pair_filter.h). */
#include "world/pair_filter.h"

#include "base/compiler.h"

/* A number of a material that the host gave, clamped to its range; `before` for NaN. */
static double clamp(double value, int number, double before)
{
    kg_range range = kg_material_ranges[number];
    if (value != value) return before;
    return value > range.high ? range.high : value > range.low ? value : range.low;
}

static bool decide(const kugel_world *world, kugel_pair pair, kg_contact_material *material)
{
    const kugel_pair_filter *filter = &world->pair_filter;
    pair.restitution = material->restitution;
    pair.friction = material->friction;
    pair.rolling_resistance = material->rolling_resistance;
    pair.tangential_restitution = material->tangential_restitution;
    bool interacts = filter->decide(filter->user, filter->key, &pair);
    material->restitution = clamp(pair.restitution, KG_RESTITUTION, material->restitution);
    material->friction = clamp(pair.friction, KG_FRICTION, material->friction);
    material->rolling_resistance =
        clamp(pair.rolling_resistance, KG_ROLLING_RESISTANCE, material->rolling_resistance);
    material->tangential_restitution = clamp(pair.tangential_restitution, KG_TANGENTIAL_RESTITUTION,
                                             material->tangential_restitution);
    if (pair.failed) KG_ATOMIC_STORE(world->pair_filter_failure, true);
    return interacts;
}

bool kg_pair_filter_decide(const kugel_world *world, uint32_t a, uint32_t b,
                           kg_contact_material *material)
{
    const kg_bodies *bodies = &world->bodies;
    bool forward = bodies->id[a] < bodies->id[b];
    kugel_pair pair = {.a = kg_bodies_handle(bodies, forward ? a : b),
                       .b = kg_bodies_handle(bodies, forward ? b : a)};
    return decide(world, pair, material);
}

bool kg_pair_filter_decide_surface(const kugel_world *world, uint32_t a, const kg_surface *surface,
                                   kg_contact_material *material)
{
    const kg_surfaces *set = &world->surfaces;
    kugel_pair pair = {.a = kg_bodies_handle(&world->bodies, a),
                       .surface = kg_indices_handle(&set->indices, KG_HANDLE_SURFACE,
                                                    kg_surfaces_index(set, surface))};
    return decide(world, pair, material);
}
