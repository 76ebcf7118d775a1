/* Surfaces, and how two of them combine in an impact or a resting contact. */
#ifndef KG_WORLD_SURFACE_H
#define KG_WORLD_SURFACE_H

#include "base/vec.h"
#include "world/bodies.h"

typedef struct kg_surface {
    double restitution, friction, rolling_resistance;
} kg_surface;

static inline kg_surface kg_surface_of(const kg_material *m)
{
    return (kg_surface){m->restitution, m->friction, m->rolling_resistance};
}

/* Maximum of restitution and of rolling resistance; geometric mean of friction. */
static inline kg_surface kg_surface_mix(kg_surface s, kg_surface t)
{
    double f = s.friction, g = t.friction;
    return (kg_surface){.restitution = kg_max(s.restitution, t.restitution),
                        .friction = f == g ? f : __builtin_sqrt(f * g),
                        .rolling_resistance = kg_max(s.rolling_resistance, t.rolling_resistance)};
}

#endif
