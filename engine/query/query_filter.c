/* Selects the targets of a query. In: filter, materials of bodies and surfaces. Out: the scope of
 * the query; true for a target that passes. */
#include "query/query.h"
#include "world/guard.h"

static const kugel_filter default_filter = {
    .category = 0xffffffffu, .mask = 0xffffffffu, .targets = KUGEL_TARGETS_ALL};

kugel_filter kugel_filter_default(void) { return default_filter; }

static bool material_passes(const kugel_filter *f, const kg_material *m)
{
    return (f->category & m->mask) && (m->category & f->mask) && (f->sensors || !m->sensor) &&
           (!f->group || f->group != m->group);
}

/* True if every body passes the filter. False without a test if the world has more than FEW
 * materials: then each body is tested, which changes no result. */
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

bool kg_query_filter_has(const kugel_filter *filter, kugel_target target)
{
    return !filter || filter->targets >> target & 1;
}

static kg_boundary_set boundaries_of(const kugel_world *world, const kugel_filter *filter)
{
    kg_boundary_set set = kg_boundary_solid(world), planes = kg_boundary_besides_faces(world);
    if (!kg_query_filter_has(filter, KUGEL_TARGET_FACE)) set &= planes;
    if (!kg_query_filter_has(filter, KUGEL_TARGET_PLANE)) set &= ~planes;
    return set;
}

void kg_query_filter_open(kg_query_scope *scope, const kugel_world *world,
                          const kugel_filter *filter)
{
    scope->world = world;
    scope->filter = filter ? *filter : default_filter;
    scope->find_bodies = kg_query_filter_has(&scope->filter, KUGEL_TARGET_BODY);
    scope->accepts_all = passes_all(&world->bodies, &scope->filter);
    scope->boundaries = boundaries_of(world, &scope->filter);
    scope->find_further_planes =
        world->surfaces.plane_count && kg_query_filter_has(&scope->filter, KUGEL_TARGET_PLANE);
    scope->find_surfaces =
        world->surfaces.count && kg_query_filter_has(&scope->filter, KUGEL_TARGET_SURFACE);
    scope->find_others = scope->boundaries || scope->find_further_planes || scope->find_surfaces;
}

bool kg_query_filter_passes(const kg_query_scope *scope, kugel_body body)
{
    const kugel_filter *f = &scope->filter;
    const kg_bodies *bodies = &scope->world->bodies;
    uint32_t slot = bodies->slot[kugel_body_id(body)];
    if (!material_passes(f, kg_bodies_material(bodies, slot))) return false;
    if (!f->accept) return true;
    kg_begin_reading(scope->world);
    bool accepted = f->accept(f->user, body);
    kg_end_reading(scope->world);
    return accepted;
}

bool kg_query_filter_passes_surface(const kg_query_scope *scope, uint32_t index)
{
    const kg_surface *surface = &scope->world->surfaces.items[index];
    return surface->used && scope->find_surfaces &&
           material_passes(&scope->filter, &surface->material);
}
