/* The call of the host's pair filter (pair_filter.h). */
#include "world/pair_filter.h"

/* A value of the host, clamped to [0, max]; `before` for NaN. */
static double clamp(double value, double max, double before)
{
    if (value != value) return before;
    return value > max ? max : value > 0 ? value : 0;
}

bool kg_pair_filter_decide(const kugel_world *world, uint32_t a, uint32_t b,
                           kg_contact_material *material)
{
    const kugel_pair_filter *filter = &world->pair_filter;
    const kg_bodies *bodies = &world->bodies;
    bool forward = bodies->id[a] < bodies->id[b];
    kugel_pair pair = {.a = kg_bodies_handle(bodies, forward ? a : b),
                       .b = kg_bodies_handle(bodies, forward ? b : a),
                       .restitution = material->restitution,
                       .friction = material->friction,
                       .rolling_resistance = material->rolling_resistance};
    bool interacts = filter->decide(filter->user, filter->key, &pair);
    material->restitution = clamp(pair.restitution, 1, material->restitution);
    material->friction = clamp(pair.friction, 1e6, material->friction);
    material->rolling_resistance =
        clamp(pair.rolling_resistance, 1e6, material->rolling_resistance);
    if (pair.failed) __atomic_store_n(world->pair_filter_failure, true, __ATOMIC_RELAXED);
    return interacts;
}
