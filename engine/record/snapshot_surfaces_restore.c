/* Restores the surfaces of a snapshot: first builds the meshes that the world lacks, then replaces
 * the set, which cannot fail. In a world with the same surfaces nothing is built or allocated. */
#include "record/snapshot_surfaces.h"

static bool has_mesh(const kugel_world *world, uint32_t index, uint64_t geometry_hash)
{
    const kg_surfaces *set = &world->surfaces;
    return index < set->end && set->items[index].used &&
           set->items[index].geometry_hash == geometry_hash;
}

static bool build_mesh(kg_memory *memory, const kg_surface_record *record, kg_mesh *mesh)
{
    kugel_surface_def def = record->def;
    bool built = kg_def_decode_geometry(memory, &def, record->vertices) &&
                 kg_surface_build_mesh(memory, &def, mesh);
    kg_def_free_geometry(memory, &def);
    return built;
}

static kugel_status build(kg_memory *memory, const kg_surface_record *record, uint64_t hash,
                          kg_built_surfaces *built)
{
    uint32_t n = built->count;
    if (!KG_RESERVE(memory, &built->column, built->items, (size_t)n + 1, n))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_built_surface *made = &built->items[n];
    *made = (kg_built_surface){.index = record->index, .geometry_hash = hash};
    if (!build_mesh(memory, record, &made->mesh)) return KUGEL_ERROR_OUT_OF_MEMORY;
    built->count += 1;
    bool same =
        record->def.shape != KUGEL_SURFACE_MESH ||
        kg_surface_hash_geometry(&record->def, made->mesh.vertex, made->mesh.corner, false) == hash;
    return same ? KUGEL_OK : KUGEL_ERROR_FORMAT;
}

kugel_status kg_snapshot_surfaces_build(kugel_world *world, const kg_snapshot_view *view,
                                        kg_built_surfaces *built)
{
    const uint8_t *at = view->surfaces;
    kg_surface_record record = {0};
    kugel_status status = KUGEL_OK;
    *built = (kg_built_surfaces){0};
    while (!status && at < view->surfaces_end) {
        kg_surface_record_next(&at, view->surfaces_end, &record);
        uint64_t hash = kg_surface_record_hash(&record);
        if (!has_mesh(world, record.index, hash))
            status = build(&world->memory, &record, hash, built);
    }
    if (!status && view->counts.surfaces &&
        !kg_surfaces_reserve(&world->memory, &world->surfaces, record.index + 1))
        status = KUGEL_ERROR_OUT_OF_MEMORY;
    if (status) kg_snapshot_surfaces_drop(world, built);
    return status;
}

void kg_snapshot_surfaces_drop(kugel_world *world, kg_built_surfaces *built)
{
    for (uint32_t k = 0; k < built->count; ++k) kg_mesh_free(&world->memory, &built->items[k].mesh);
    kg_column_free(&world->memory, &built->column);
    *built = (kg_built_surfaces){0};
}

/* Make the indices [from, to) free. */
static void clear(kugel_world *world, uint32_t from, uint32_t to)
{
    kg_surfaces *set = &world->surfaces;
    for (uint32_t k = from; k < to && k < set->end; ++k) {
        kg_mesh_free(&world->memory, &set->items[k].mesh);
        set->items[k] = (kg_surface){0};
    }
}

void kg_snapshot_surfaces_apply(kugel_world *world, const kg_snapshot_view *view,
                                kg_built_surfaces *built)
{
    kg_surfaces *set = &world->surfaces;
    const uint8_t *at = view->surfaces;
    kg_surface_record record;
    uint32_t end = 0, next = 0;
    for (; at < view->surfaces_end; end = record.index + 1) {
        kg_surface_record_next(&at, view->surfaces_end, &record);
        kg_surface *surface = &set->items[record.index];
        clear(world, end, record.index);
        if (next < built->count && built->items[next].index == record.index) {
            clear(world, record.index, record.index + 1);
            surface->mesh = built->items[next].mesh;
            surface->geometry_hash = built->items[next++].geometry_hash;
        }
        kg_surface_set(surface, record.first_triangle, &record.def);
    }
    clear(world, end, set->end);
    set->end = end;
    set->count = view->counts.surfaces;
    kg_surfaces_note_moving(set);
    built->count = 0;
    kg_snapshot_surfaces_drop(world, built);
}
