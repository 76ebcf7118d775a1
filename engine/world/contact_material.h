/* The contact material of a body, a boundary or a pair, and how that of a pair follows from its two
 * sides: by the table of pairs, or by a rule. */
#ifndef KG_WORLD_CONTACT_MATERIAL_H
#define KG_WORLD_CONTACT_MATERIAL_H

#include <math.h>

#include "base/vec.h"
#include "world/bodies.h"
#include "world/pairs.h"

static inline kg_contact_material kg_contact_material_of(const kg_material *m)
{
    return (kg_contact_material){m->restitution, m->friction, m->rolling_resistance,
                                 m->tangential_restitution, m->kind};
}

/* Mix two materials: as the table says or, if it lacks the pair, the maximum of restitution, the
 * maximum of rolling resistance, the geometric mean of friction, the tangential restitution farther
 * from its default 0 (of b and -b: b > 0). impact/elastic.c, kg_bodies_are_lossless and
 * kg_pairs_lose_nothing rely on this rule where they test for pairs of restitution 1 and
 * friction 0. */
static inline kg_contact_material
kg_contact_material_mix(const kg_pairs *pairs, kg_contact_material s, kg_contact_material t)
{
    const kg_pair_row *given = kg_pairs_find(pairs, s.kind, t.kind);
    if (given) return given->material;
    double f = s.friction, g = t.friction;
    double high = kg_max(s.tangential_restitution, t.tangential_restitution),
           low = kg_min(s.tangential_restitution, t.tangential_restitution);
    return (kg_contact_material){.restitution = kg_max(s.restitution, t.restitution),
                                 .friction = f == g ? f : sqrt(f * g),
                                 .rolling_resistance =
                                     kg_max(s.rolling_resistance, t.rolling_resistance),
                                 .tangential_restitution = high >= -low ? high : low};
}

#endif
