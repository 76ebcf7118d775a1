/* Restores the surfaces of a snapshot. First the meshes that the world lacks are built, then the
 * world's surfaces are replaced, which cannot fail. In a world that has the same meshes at the same
 * indices nothing is built. */
#include "record/snapshot_surfaces.h"

/* True if the surface at an index of the world has the geometry of a record, given its hash. Counts
 * and shape are compared, too: a forged snapshot may have a hash that does not belong to them. */
static bool has_mesh(const kugel_world *world, uint32_t index, const kg_surface_record *record,
                     uint64_t hash)
{
    if (index >= world->surfaces.end) return false;
    const kg_surface *surface = &world->surfaces.items[index];
    return surface->used && surface->geometry_hash == hash &&
           surface->shape.kind == (uint32_t)record->def.shape &&
           (!record->named || (surface->mesh.vertex_count == record->def.vertex_count &&
                               surface->mesh.triangle_count == record->def.triangle_count &&
                               surface->mesh.one_sided == record->def.one_sided));
}

static bool build_arrays(kugel_world *world, const kg_surface_record *record, kg_mesh *mesh)
{
    kugel_surface_def def = record->def;
    bool is_mesh = def.shape == KUGEL_SURFACE_MESH;
    bool built = (!is_mesh || kg_def_decode_mesh(&world->memory, &def, record->geometry)) &&
                 kg_surface_build_mesh(&world->memory, world->tasks, &def, mesh);
    if (is_mesh) kg_def_free_mesh(&world->memory, &def);
    return built;
}

/* Build a mesh from a record. Building welds equal vertices, so the triangles of a world's mesh do
 * not use equal vertices as different ones. If triangles of the record do, the hash of the built
 * mesh differs, and the snapshot is invalid. */
static kugel_status build_mesh(kugel_world *world, const kg_surface_record *record, uint64_t hash,
                               kg_mesh *mesh, kugel_error *error)
{
    if (!build_arrays(world, record, mesh)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (record->def.shape != KUGEL_SURFACE_MESH ||
        kg_surface_hash_geometry(&record->def, mesh->vertex, mesh->corner, false) == hash)
        return KUGEL_OK;
    kg_mesh_free(&world->memory, mesh);
    return kg_snapshot_error(error, "surface.triangles", "use equal vertices as different ones");
}

/* Build a mesh with the geometry of a surface of the world. */
static kugel_status copy_mesh(kugel_world *world, const kg_surface *from, kg_mesh *mesh)
{
    kugel_surface_def def = kg_surface_def(from);
    return kg_surface_build_mesh(&world->memory, world->tasks, &def, mesh)
               ? KUGEL_OK
               : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Find the mesh of a record that holds a hash, in the world or the source, and build it. */
static kugel_status find_mesh(kugel_world *world, kg_surface_record record, uint64_t hash,
                              const kg_mesh_source *source, kg_mesh *mesh, kugel_error *error)
{
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->end; ++k) {
        if (has_mesh(world, k, &record, hash)) return copy_mesh(world, &set->items[k], mesh);
    }
    if (!source)
        return kg_error_set(error, KUGEL_ERROR_STATE, "surface",
                            "%u: the snapshot was saved without its mesh of %u triangles, which "
                            "is not found",
                            record.index, record.def.triangle_count);
    kugel_status status = source->find(source->user, hash, &record.def, &record.geometry, error);
    if (status) return status;
    record.vertices = record.geometry;
    record.triangles = record.vertices + KG_VERTEX_BYTES * (size_t)record.def.vertex_count;
    if (!kg_surface_record_arrays_valid(&record, error)) return KUGEL_ERROR_FORMAT;
    return build_mesh(world, &record, hash, mesh, error);
}

static kugel_status build(kugel_world *world, const kg_surface_record *record, uint64_t hash,
                          const kg_mesh_source *source, kg_built_surfaces *built,
                          kugel_error *error)
{
    uint32_t n = built->count;
    if (!KG_RESERVE(&world->memory, &built->column, built->items, (size_t)n + 1, n))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_built_surface *made = &built->items[n];
    *made = (kg_built_surface){.index = record->index, .geometry_hash = hash};
    kugel_status status = record->named
                              ? find_mesh(world, *record, hash, source, &made->mesh, error)
                              : build_mesh(world, record, hash, &made->mesh, error);
    if (!status) built->count += 1;
    return status;
}

kugel_status kg_snapshot_surfaces_build(kugel_world *world, const kg_snapshot_view *view,
                                        const kg_mesh_source *source, kg_built_surfaces *built,
                                        kugel_error *error)
{
    const uint8_t *at = view->surfaces;
    kg_surface_record record = {0};
    kugel_status status = KUGEL_OK;
    *built = (kg_built_surfaces){0};
    while (!status && kg_snapshot_surfaces_next(view, &at, &record)) {
        uint64_t hash = kg_surface_record_hash(&record);
        if (!has_mesh(world, record.index, &record, hash))
            status = build(world, &record, hash, source, built, error);
    }
    if (!status && ((view->counts.surfaces &&
                     !kg_surfaces_reserve(&world->memory, &world->surfaces, record.index + 1)) ||
                    !kg_indices_reserve(&world->memory, &world->surfaces.indices,
                                        view->counts.surface_indices)))
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

/* Free the surfaces at indices [from, to). */
static void free_surfaces(kugel_world *world, uint32_t from, uint32_t to)
{
    kg_surfaces *set = &world->surfaces;
    for (uint32_t k = from; k < to && k < set->end; ++k) {
        kg_mesh_free(&world->memory, &set->items[k].mesh);
        set->items[k] = (kg_surface){0};
    }
}

/* Set the states of the indices, and clear the user data of surfaces that get another handle. */
static void fill_indices(kg_surfaces *set, const kg_snapshot_view *view)
{
    kg_indices *indices = &set->indices;
    indices->end = view->counts.surface_indices;
    for (uint32_t k = 0; k < indices->end; ++k) {
        uint32_t state = kg_snapshot_surface_state(view, k);
        if (k < set->end && indices->state[k] != state) set->items[k].user_data = 0;
        indices->state[k] = state;
    }
}

void kg_snapshot_surfaces_apply(kugel_world *world, const kg_snapshot_view *view,
                                kg_built_surfaces *built)
{
    kg_surfaces *set = &world->surfaces;
    const uint8_t *at = view->surfaces;
    kg_surface_record record;
    uint32_t end = 0, next_built = 0;
    fill_indices(set, view);
    set->count = 0;
    for (; kg_snapshot_surfaces_next(view, &at, &record); end = record.index + 1) {
        kg_surface *surface = &set->items[record.index];
        free_surfaces(world, end, record.index);
        if (next_built < built->count && built->items[next_built].index == record.index) {
            free_surfaces(world, record.index, record.index + 1);
            surface->mesh = built->items[next_built].mesh;
            surface->geometry_hash = built->items[next_built++].geometry_hash;
        }
        kg_surface_set(surface, record.first_triangle, &record.def);
        surface->placed = record.placed;
        kg_surfaces_insert(set, record.index);
    }
    free_surfaces(world, end, set->end);
    set->end = end;
    kg_surfaces_note_change(set);
    built->count = 0;
    kg_snapshot_surfaces_drop(world, built);
}
