/* Which bodies a query reports. In: filter, material of a body. Out: whether it passes. */
#include "query/query.h"

kugel_filter kugel_filter_default(void)
{
    return (kugel_filter){.category = 0xffffffffu, .mask = 0xffffffffu};
}

static bool material_passes(const kugel_filter *f, const kg_material *m)
{
    return (f->category & m->mask) && (m->category & f->mask) && (f->sensors || !m->sensor) &&
           (!f->group || f->group != m->group);
}

/* False, without a decision, for worlds of many materials. */
static bool passes_all(const kg_bodies *bodies, const kugel_filter *f)
{
    enum { FEW = 16 };
    if (f->accept || bodies->material_count > FEW) return false;
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *m = &bodies->materials[k];
        if (m->body_count && !material_passes(f, m)) return false;
    }
    return true;
}

kg_query_scope kg_query_filter_open(const kugel_world *world, const kugel_filter *filter)
{
    kg_query_scope scope = {.world = world, .filter = filter ? *filter : kugel_filter_default()};
    scope.accepts_all = passes_all(&world->bodies, &scope.filter);
    return scope;
}

bool kg_query_filter_passes(const kg_query_scope *scope, kugel_body body)
{
    const kugel_filter *f = &scope->filter;
    const kg_bodies *bodies = &scope->world->bodies;
    uint32_t slot = bodies->slot[kugel_body_id(body)];
    if (!material_passes(f, kg_bodies_material(bodies, slot))) return false;
    return !f->accept || f->accept(f->user, body);
}
