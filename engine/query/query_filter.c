/* Selects the targets of a query. In: filter, materials of bodies and surfaces. Out: the scope of
 * the query; true for a target that passes. */
#include "base/sized.h"
#include "query/query.h"
#include "world/guard.h"

static const kugel_filter default_filter = {.cookie = KG_COOKIE(7, kugel_filter),
                                            .category = 0xffffffffu,
                                            .mask = 0xffffffffu,
                                            .targets = KUGEL_TARGETS_ALL};

void kugel_filter_init(kugel_filter *filter, size_t size)
{
    kg_def_write(filter, size, &default_filter, sizeof default_filter);
}

bool kg_query_filter_is_valid(const kugel_filter *filter)
{
    kugel_filter complete = default_filter;
    return !filter || kg_def_read(filter, &complete, sizeof complete);
}

static bool material_passes(const kugel_filter *f, const kg_material *m)
{
    return (f->category & m->mask) && (m->category & f->mask) && (f->sensors || !m->sensor) &&
           (!f->group || f->group != m->group) && !m->disabled;
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

void kg_query_filter_open(kg_query_scope *scope, const kugel_world *world,
                          const kugel_filter *filter)
{
    scope->world = world;
    scope->filter = default_filter;
    if (filter) kg_def_read(filter, &scope->filter, sizeof scope->filter);
    scope->find_bodies = kg_query_filter_has(&scope->filter, KUGEL_TARGET_BODY);
    scope->accepts_all = passes_all(&world->bodies, &scope->filter);
    scope->walls =
        kg_query_filter_has(&scope->filter, KUGEL_TARGET_FACE) ? kg_boundary_solid(world) : 0;
    scope->find_surfaces =
        world->surfaces.count && kg_query_filter_has(&scope->filter, KUGEL_TARGET_SURFACE);
    scope->find_others = scope->walls || scope->find_surfaces;
}

/* The handle of a body or surface, the index of another target. */
static uint64_t handle_of(const kugel_world *world, kugel_target target, uint32_t index)
{
    if (target == KUGEL_TARGET_BODY) return kg_bodies_handle_of_id(&world->bodies, index);
    if (target == KUGEL_TARGET_SURFACE)
        return kg_indices_handle(&world->surfaces.indices, KG_HANDLE_SURFACE, index);
    return index;
}

bool kg_query_filter_accepts(const kg_query_scope *scope, kugel_target target, uint32_t index)
{
    const kugel_filter *f = &scope->filter;
    if (!f->accept) return true;
    kg_begin_reading(scope->world);
    bool accepted = f->accept(f->user, target, handle_of(scope->world, target, index));
    kg_end_reading(scope->world);
    return accepted;
}

bool kg_query_filter_passes(const kg_query_scope *scope, kugel_body body)
{
    const kugel_filter *f = &scope->filter;
    const kg_bodies *bodies = &scope->world->bodies;
    uint32_t slot = bodies->slot[kugel_body_id(body)];
    return material_passes(f, kg_bodies_material(bodies, slot)) &&
           kg_query_filter_accepts(scope, KUGEL_TARGET_BODY, kugel_body_id(body));
}

bool kg_query_filter_passes_surface(const kg_query_scope *scope, uint32_t index)
{
    const kg_surface *surface = &scope->world->surfaces.items[index];
    return surface->used && scope->find_surfaces &&
           material_passes(&scope->filter, &surface->material);
}
