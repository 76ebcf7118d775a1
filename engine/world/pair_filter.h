/* The host's pair filter (kugel/pairs.h): which bodies and surfaces interact, and the contact
 * material of pairs.
 * In: two slots, or a slot and a surface. Out: the decision, the same for both orders. Cost without
 * a filter: one branch. */
#ifndef KG_WORLD_PAIR_FILTER_H
#define KG_WORLD_PAIR_FILTER_H

#include "world/boundary.h"
#include "world/world.h"

/* pair_filter.c: call the filter for two bodies, in the order of ids. True if they interact. The
 * filter may change *material. If it fails, world->pair_filter_failed becomes true; the API call
 * ends with an error then (kg_pair_filter_take_failure). */
bool kg_pair_filter_decide(const kugel_world *world, uint32_t a, uint32_t b,
                           kg_contact_material *material);
/* The same for body a and a surface. */
bool kg_pair_filter_decide_surface(const kugel_world *world, uint32_t a, const kg_surface *surface,
                                   kg_contact_material *material);

/* Return whether the filter failed since the last call of this function, and clear the mark. */
static inline bool kg_pair_filter_take_failure(kugel_world *world)
{
    bool failed = world->pair_filter_failed;
    world->pair_filter_failed = false;
    return failed;
}

/* The contact material of body a and `other`: a boundary, or KG_WITH_BODY for body b. Impacts and
 * resting contacts have it from here only. */
static inline kg_contact_material kg_contact_material_with(const kugel_world *world, uint32_t a,
                                                           uint32_t b, uint32_t other)
{
    const kg_bodies *bodies = &world->bodies;
    bool body = other == KG_WITH_BODY;
    kg_contact_material material = kg_contact_material_mix(
        &world->pairs, kg_contact_material_of(kg_bodies_material(bodies, a)),
        body ? kg_contact_material_of(kg_bodies_material(bodies, b))
             : kg_boundary_material(world, other));
    if (!world->pair_filter.decide) return material;
    if (body) (void)kg_pair_filter_decide(world, a, b, &material);
    else if (kg_boundary_is_feature(other))
        (void)kg_pair_filter_decide_surface(world, a, kg_boundary_surface_of(world, other),
                                            &material);
    return material;
}

/* True if there is no pair filter, or it lets two bodies interact. */
static inline bool kg_pair_filter_admits(const kugel_world *world, uint32_t a, uint32_t b)
{
    kg_contact_material unused = {0};
    return !world->pair_filter.decide || kg_pair_filter_decide(world, a, b, &unused);
}

/* The same for body a and a surface. */
static inline bool kg_pair_filter_admits_surface(const kugel_world *world, uint32_t a,
                                                 const kg_surface *surface)
{
    kg_contact_material unused = {0};
    return !world->pair_filter.decide || kg_pair_filter_decide_surface(world, a, surface, &unused);
}

/* True if body a collides with the surface: no filter excludes the pair. */
static inline bool kg_pair_filter_meets_surface(const kugel_world *world, uint32_t a,
                                                const kg_surface *surface)
{
    return kg_surface_admits(surface, kg_bodies_material(&world->bodies, a)) &&
           kg_pair_filter_admits_surface(world, a, surface);
}

/* True if all impacts have restitution 1, friction 0 and no rolling resistance. False with a pair
 * filter, which may change them. */
static inline bool kg_pairs_are_lossless(const kugel_world *world)
{
    if (world->pair_filter.decide) return false;
    return world->pairs.count ? kg_pairs_lose_nothing(world)
                              : kg_bodies_are_lossless(&world->bodies);
}

#endif
