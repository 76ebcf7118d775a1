/* Restores a world from a validated snapshot. Memory is reserved and meshes are built first, so
 * that nothing fails later. Then the columns are filled, bodies in id order, and all caches are
 * invalidated. */
#include <string.h>

#include "grid/neighbours.h"
#include "query/query_index.h"
#include "record/snapshot_surfaces.h"
#include "world/moves.h"
#include "world/sleep_state.h"

static void put_member(void *item, const kg_field *field, uint64_t bits)
{
    kg_field_put((char *)item + field->offset, field->kind, bits);
}

static kg_material material_at(const kg_snapshot_view *view, uint32_t row)
{
    kg_material m;
    memset(&m, 0, sizeof m);
    for (uint32_t f = 0; f < KG_MATERIAL_FIELDS; ++f) {
        const kg_field *field = &kg_material_fields[f];
        put_member(&m, field,
                   kg_snapshot_column_bits(&view->columns[KG_VIEW_MATERIAL_FIELDS + f], row));
    }
    return m;
}

/* True if each material field has one value for all bodies. */
static bool all_constant(const kg_snapshot_view *view)
{
    for (uint32_t f = 0; f < KG_MATERIAL_FIELDS; ++f) {
        if (view->columns[KG_VIEW_MATERIAL_FIELDS + f].mode != KG_MODE_CONSTANT) return false;
    }
    return true;
}

static void fill_materials(kg_bodies *b, const kg_snapshot_view *view)
{
    bool all_same = all_constant(view);
    b->material_count = 0;
    for (uint32_t row = 0; row < view->counts.bodies; ++row) {
        uint32_t k = 0, free_row;
        if (!all_same || row == 0) {
            kg_material m = material_at(view, row);
            k = kg_bodies_find_material(b, &m, &free_row);
            if (k == KG_NONE) b->materials[k = b->material_count++] = m;
        }
        b->material[row] = k;
        b->materials[k].body_count += 1;
    }
}

/* Clear the user data of each id that gets another generation, because user data belong to a
 * handle. Call before the generations are replaced. */
static void keep_user_data(kg_bodies *b, const kg_snapshot_view *view)
{
    for (uint32_t id = 0; b->user_data && id < view->counts.id_end; ++id) {
        bool same = id < b->id_end && kg_snapshot_column_bits(&view->columns[KG_VIEW_GENERATIONS],
                                                              id) == b->generation[id];
        if (!same) b->user_data[id] = 0;
    }
}

static void fill_bodies(kg_bodies *b, const kg_snapshot_view *view)
{
    keep_user_data(b, view);
    b->count = view->counts.bodies;
    b->id_end = view->counts.id_end;
    b->free_id_lower_bound = view->counts.id_end;
    b->has_forces = view->counts.flags & KG_SNAPSHOT_LOADS;
    if (view->counts.id_end)
        kg_snapshot_column_copy(&view->columns[KG_VIEW_GENERATIONS], b->generation);
    for (uint32_t id = 0, row = 0; id < view->counts.id_end; ++id) {
        bool live = !view->live || (view->live[id / 8] >> id % 8 & 1);
        b->slot[id] = live ? row : KG_NONE;
        if (live) b->id[row++] = id;
        else if (id < b->free_id_lower_bound) b->free_id_lower_bound = id;
    }
    for (uint32_t f = 0; f < KG_BODY_COLUMNS; ++f) {
        const kg_field *field = &kg_body_fields[f];
        const kg_snapshot_column *column = &view->columns[KG_VIEW_BODY_FIELDS + f];
        void *to = kg_bodies_column(b, field);
        if (column->bytes) kg_snapshot_column_copy(column, to);
        else if (b->count && ((field->role == KG_ROLE_LOAD && b->has_load_columns) ||
                              (field->role == KG_ROLE_IMAGE && b->has_image_columns)))
            memset(to, 0, b->count * kg_field_kind_size(field->kind));
    }
    fill_materials(b, view);
    kg_sleep_count(b);
}

static void fill_contacts(kg_contact_set *set, const kg_snapshot_view *view)
{
    set->count = view->counts.contacts;
    set->ended_count = 0;
    if (set->count) memset(set->items, 0, set->count * sizeof *set->items);
    for (uint32_t f = 0; f < KG_CONTACT_FIELDS; ++f) {
        const kg_snapshot_column *column = &view->columns[KG_VIEW_CONTACT_FIELDS + f];
        for (uint32_t k = 0; k < set->count; ++k)
            put_member(&set->items[k], &kg_contact_fields[f], kg_snapshot_column_bits(column, k));
    }
}

static void fill_pairs(kg_pairs *pairs, const kg_snapshot_view *view)
{
    kg_pairs_clear(pairs);
    for (uint32_t k = 0; k < view->counts.pairs; ++k) {
        kg_pair_row row = kg_snapshot_pair(view, k);
        kg_pairs_set(pairs, row.kinds[0], row.kinds[1], &row.material);
    }
}

/* The events that no step has reported yet. */
static void fill_events(kg_event_log *log, const kg_snapshot_view *view)
{
    const uint8_t *at = view->ends;
    log->removed_count = view->counts.ends;
    log->left_count = view->counts.exits;
    for (uint32_t k = 0; k < view->counts.ends; ++k) {
        log->removed[k] = (kugel_touch){0};
        at = kg_def_decode(kg_end_members, at, &log->removed[k]);
    }
    for (uint32_t k = 0; k < view->counts.exits; ++k) {
        log->left[k] = (kugel_sensor_event){.speed = -0.0};
        at = kg_def_decode(kg_exit_members, at, &log->left[k]);
    }
}

/* Upper bound of the number of distinct materials: the product of the numbers of values that the
 * columns can have, or the number of bodies if the product is larger than that or than
 * KG_MATERIALS_SEARCHED. */
static size_t material_rows(const kg_snapshot_view *view)
{
    size_t bound = view->counts.bodies ? 1 : 0;
    for (uint32_t f = 0; f < KG_MATERIAL_FIELDS && bound && bound <= KG_MATERIALS_SEARCHED; ++f) {
        const kg_snapshot_column *column = &view->columns[KG_VIEW_MATERIAL_FIELDS + f];
        bound *= column->mode == KG_MODE_CONSTANT                     ? 1
                 : column->mode == KG_MODE_DICTIONARY                 ? column->bytes[1]
                 : column->mode == KG_MODE_PACKED && column->bits < 6 ? (size_t)1 << column->bits
                                                                      : view->counts.bodies;
    }
    return bound <= KG_MATERIALS_SEARCHED && bound < view->counts.bodies ? bound
                                                                         : view->counts.bodies;
}

/* Reserve memory for all but the surfaces. */
static bool reserve(kugel_world *world, const kg_snapshot_view *view)
{
    kg_memory *memory = &world->memory;
    kg_bodies *b = &world->bodies;
    kg_contact_set *contacts = &world->contacts;
    size_t materials = material_rows(view), rows = view->counts.bodies, ids = view->counts.id_end;
    const kugel_face *faces = view->def.bounds.faces; /* faces of an axis are periodic in pairs */
    bool loads = view->counts.flags & KG_SNAPSHOT_LOADS, images = faces[0] == KUGEL_FACE_PERIODIC ||
                                                                  faces[2] == KUGEL_FACE_PERIODIC ||
                                                                  faces[4] == KUGEL_FACE_PERIODIC;
    uint64_t bytes = kg_bodies_growth(b, rows, ids, loads, images);
    if (view->counts.contacts > contacts->column.capacity)
        bytes += (uint64_t)view->counts.contacts * sizeof *contacts->items;
    /* all at once, so that nothing is reserved for a snapshot beyond the limit */
    if (!kg_memory_has_room(memory, bytes) || !kg_bodies_reserve(memory, b, rows, ids) ||
        (loads && !kg_bodies_reserve_loads(memory, b)) ||
        (images && !kg_bodies_reserve_images(memory, b)))
        return false;
    uint32_t pairs = view->counts.pairs;
    kg_pair_row last = pairs ? kg_snapshot_pair(view, pairs - 1) : (kg_pair_row){0};
    if (pairs && !kg_pairs_reserve(memory, &world->pairs, last.kinds[0], last.kinds[1]))
        return false;
    return kg_event_log_reserve_removed(memory, &world->events, view->counts.ends) &&
           kg_event_log_reserve_left(memory, &world->events, view->counts.exits) &&
           KG_RESERVE(memory, &b->material_column, b->materials, materials, b->material_count) &&
           KG_RESERVE(memory, &contacts->column, contacts->items, view->counts.contacts,
                      contacts->count);
}

bool kg_snapshot_reserve(kugel_world *world, const kg_snapshot_view *view)
{
    kg_built_surfaces built;
    kugel_error error;
    if (!reserve(world, view) || kg_snapshot_surfaces_build(world, view, NULL, &built, &error))
        return false;
    kg_snapshot_surfaces_drop(world, &built);
    return true;
}

kugel_status kg_snapshot_apply(kugel_world *world, const kg_snapshot_view *view,
                               const kg_mesh_source *source, kugel_error *error)
{
    kg_built_surfaces built;
    kugel_status status = reserve(world, view)
                              ? kg_snapshot_surfaces_build(world, view, source, &built, error)
                              : KUGEL_ERROR_OUT_OF_MEMORY;
    if (status == KUGEL_ERROR_OUT_OF_MEMORY)
        return kg_error_no_memory(error, &world->memory, "snapshot",
                                  "no memory for it; the world is as it was");
    if (status) return status;
    kugel_world_def host_def = world->def;
    world->def = view->def;
    world->def.body_capacity = host_def.body_capacity;
    world->def.limits = host_def.limits;
    world->def.allocator = host_def.allocator;
    world->def.log = host_def.log;
    world->def.tasks = host_def.tasks;
    world->def.clock = host_def.clock;
    kg_aside_clear(&world->aside);
    fill_bodies(&world->bodies, view);
    fill_contacts(&world->contacts, view);
    fill_pairs(&world->pairs, view);
    kg_contact_set_count(&world->contacts, &world->bodies);
    kg_snapshot_surfaces_apply(world, view, &built);
    world->tick = view->tick;
    world->time = view->time;
    world->time_rest = view->time_rest;
    world->impacts_total = view->impacts;
    world->budgets_exhausted = view->budgets_exhausted;
    kg_moves_note_all(world);
    kg_event_set_clear(&world->events.published);
    fill_events(&world->events, view);
    kg_neighbours_invalidate(world);
    kg_query_invalidate(world);
    world->grid->body_count = 0; /* the next step sorts the bodies in space */
    return KUGEL_OK;
}

kugel_status kg_snapshot_restore(kugel_world *world, const void *data, size_t size,
                                 const kg_mesh_source *source, kugel_error *error)
{
    kg_snapshot_view view;
    size_t limit = world->memory.limit;
    uint32_t bodies = world->def.limits.bodies;
    kugel_status status = kg_snapshot_open(data, size, &view, error);
    if (!status) status = kg_snapshot_validate(&view, error);
    if (status) return status;
    if (bodies && view.counts.bodies > bodies)
        return kg_error_set(error, KUGEL_ERROR_LIMIT, "snapshot",
                            "has %u bodies; limits.bodies is %u", view.counts.bodies, bodies);
    if (!limit) kg_memory_limit(&world->memory, 0, size);
    status = kg_snapshot_apply(world, &view, source, error);
    world->memory.limit = limit;
    return status;
}
