/* The contact material of a body, a boundary or a pair, and the rule by which the materials of two
 * sides are mixed. */
#ifndef KG_WORLD_CONTACT_MATERIAL_H
#define KG_WORLD_CONTACT_MATERIAL_H

#include "base/vec.h"
#include "world/bodies.h"

typedef struct kg_contact_material {
    double restitution, friction, rolling_resistance;
} kg_contact_material;

static inline kg_contact_material kg_contact_material_of(const kg_material *m)
{
    return (kg_contact_material){m->restitution, m->friction, m->rolling_resistance};
}

/* Mix two materials: the maximum of restitution, the maximum of rolling resistance, the geometric
 * mean of friction. impact/elastic.c and kg_bodies_are_lossless rely on this rule where they test
 * for pairs of restitution 1 and friction 0. */
static inline kg_contact_material kg_contact_material_mix(kg_contact_material s,
                                                          kg_contact_material t)
{
    double f = s.friction, g = t.friction;
    return (kg_contact_material){.restitution = kg_max(s.restitution, t.restitution),
                                 .friction = f == g ? f : __builtin_sqrt(f * g),
                                 .rolling_resistance =
                                     kg_max(s.rolling_resistance, t.rolling_resistance)};
}

#endif
