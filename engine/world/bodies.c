/* Columns of the bodies: reserve, add, remove, permute; shared materials.
 * In: checked defs, slots, an order. Out: columns. Cost: constant for each body, except for the
 * search for the lowest free id; linear where columns move. */
#include "world/bodies.h"

#include <string.h>

#include "base/constants.h"
#include "world/locks.h"
#include "world/sleep_state.h"

#define FIELD(name, member, kind, role) KG_FIELD(kg_bodies, name, member, kind, role)
#define FIELD3(name, member, kind, role)                                                           \
    FIELD(name ".x", member[0], kind, role), FIELD(name ".y", member[1], kind, role),              \
        FIELD(name ".z", member[2], kind, role)
/* A column that impacts do not read. */
#define UNREAD(name, member, kind, role)                                                           \
    {                                                                                              \
        name, offsetof(kg_bodies, member), kind, role, true                                        \
    }

const kg_field kg_body_fields[] = {
    FIELD3("position", x, KG_F64, KG_ROLE_STATE),
    FIELD3("velocity", v, KG_F64, KG_ROLE_STATE),
    FIELD3("spin", w, KG_F64, KG_ROLE_STATE),
    FIELD3("rotation", q, KG_F64, KG_ROLE_STATE),
    FIELD("rotation.w", q[3], KG_F64, KG_ROLE_STATE),
    FIELD("sleep_state", sleep_state, KG_U32, KG_ROLE_STATE),
    UNREAD("radius", radius, KG_F64, KG_ROLE_CONSTANT), /* they read that of kg_motion */
    FIELD("mass", mass, KG_F64, KG_ROLE_CONSTANT),
    FIELD("type", type, KG_U8, KG_ROLE_CONSTANT),
    UNREAD("placed", placed, KG_U8, KG_ROLE_CONSTANT), /* affects sensor events only */
    FIELD3("force", force, KG_F64, KG_ROLE_LOAD),
    FIELD3("torque", torque, KG_F64, KG_ROLE_LOAD),
    FIELD3("image", image, KG_U32, KG_ROLE_IMAGE),
    FIELD("material", material, KG_U32, KG_ROLE_LOCAL),
    FIELD("id", id, KG_U32, KG_ROLE_LOCAL),
    UNREAD("contact_count", contact_count, KG_U32, KG_ROLE_LOCAL), /* that of kg_work */
    UNREAD("moved_at", moved_at, KG_U32, KG_ROLE_LOCAL),
    UNREAD("placed_at", placed_at, KG_U32, KG_ROLE_LOCAL),
};
_Static_assert(offsetof(kg_bodies, slot) - offsetof(kg_bodies, x) ==
                   KG_BODY_COLUMNS * sizeof(void *),
               "a row for each pointer of a body column");

#define MATERIAL(name, kind) KG_FIELD(kg_material, #name, name, kind, KG_ROLE_CONSTANT)

const kg_field kg_material_fields[] = {
    MATERIAL(restitution, KG_F64),
    MATERIAL(friction, KG_F64),
    MATERIAL(rolling_resistance, KG_F64),
    MATERIAL(tangential_restitution, KG_F64),
    MATERIAL(gravity_scale, KG_F64),
    MATERIAL(linear_damping, KG_F64),
    MATERIAL(angular_damping, KG_F64),
    MATERIAL(kind, KG_U32),
    MATERIAL(category, KG_U32),
    MATERIAL(mask, KG_U32),
    MATERIAL(group, KG_U32),
    MATERIAL(locks, KG_U8),
    MATERIAL(sensor, KG_U8), /* from here on flags */
    MATERIAL(stays_awake, KG_U8),
    MATERIAL(quiet, KG_U8),
    MATERIAL(disabled, KG_U8), /* the last: snapshot_validate.c */
};
const kg_range kg_material_ranges[KG_MATERIAL_NUMBERS] = {
    [KG_RESTITUTION] = {0, 1},          [KG_FRICTION] = {0, 1e6},
    [KG_ROLLING_RESISTANCE] = {0, 1e6}, [KG_TANGENTIAL_RESTITUTION] = {-1, 1},
    [KG_GRAVITY_SCALE] = {-1e6, 1e6},   [KG_LINEAR_DAMPING] = {0, 1e6},
    [KG_ANGULAR_DAMPING] = {0, 1e6},
};
_Static_assert(sizeof(bool) == 1, "a sensor flag is saved as a byte");

void *kg_bodies_column(const kg_bodies *bodies, const kg_field *field)
{
    void *data;
    memcpy(&data, (const char *)bodies + field->offset, sizeof data);
    return data;
}

void kg_bodies_set_column(kg_bodies *bodies, int k, void *data)
{
    memcpy((char *)bodies + kg_body_fields[k].offset, &data, sizeof data);
}

bool kg_bodies_lack_column(const kg_bodies *bodies, int k)
{
    uint8_t role = kg_body_fields[k].role;
    return (role == KG_ROLE_LOAD && !bodies->has_load_columns) ||
           (role == KG_ROLE_IMAGE && !bodies->has_image_columns);
}

static bool reserve_rows(kg_memory *memory, kg_bodies *bodies, size_t n)
{
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (kg_bodies_lack_column(bodies, k)) continue;
        if (!kg_column_reserve(memory, &bodies->columns[k], kg_bodies_item_size(k), n,
                               bodies->count))
            return false;
        kg_bodies_set_column(bodies, k, bodies->columns[k].data);
    }
    return true;
}

static bool reserve_ids(kg_memory *memory, kg_bodies *bodies, size_t n)
{
    return KG_RESERVE(memory, &bodies->by_id[0], bodies->slot, n, bodies->id_end) &&
           KG_RESERVE(memory, &bodies->by_id[1], bodies->generation, n, bodies->id_end) &&
           (!bodies->user_data ||
            KG_RESERVE(memory, &bodies->by_id[2], bodies->user_data, n, bodies->id_end));
}

bool kg_bodies_reserve(kg_memory *memory, kg_bodies *bodies, size_t rows, size_t ids)
{
    return reserve_rows(memory, bodies, rows) && reserve_ids(memory, bodies, ids);
}

static uint64_t growth(const kg_column *column, size_t n, size_t item)
{
    return n > column->capacity ? (uint64_t)n * item : 0;
}

uint64_t kg_bodies_growth(const kg_bodies *bodies, size_t rows, size_t ids, bool loads, bool images)
{
    uint64_t bytes = 0;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        uint8_t role = kg_body_fields[k].role;
        bool lacks = kg_bodies_lack_column(bodies, k) && !(role == KG_ROLE_LOAD ? loads : images);
        if (!lacks) bytes += growth(&bodies->columns[k], rows, kg_bodies_item_size(k));
    }
    for (int k = 0; k < 2 + (bodies->user_data != NULL); ++k)
        bytes += growth(&bodies->by_id[k], ids, k < 2 ? sizeof(uint32_t) : sizeof(uint64_t));
    return bytes;
}

bool kg_bodies_reserve_user_data(kg_memory *memory, kg_bodies *bodies)
{
    size_t n = bodies->by_id[0].capacity;
    if (bodies->user_data) return true;
    if (!KG_RESERVE(memory, &bodies->by_id[2], bodies->user_data, n, 0)) return false;
    memset(bodies->user_data, 0, n * sizeof *bodies->user_data);
    return true;
}

/* Reserve all columns of a role, filled with 0. */
static bool reserve_role(kg_memory *memory, kg_bodies *bodies, kg_field_role role)
{
    size_t n = bodies->columns[0].capacity;
    for (int k = 0; k < KG_BODY_COLUMNS && n; ++k) {
        if (kg_body_fields[k].role != role) continue;
        if (!kg_column_reserve(memory, &bodies->columns[k], kg_bodies_item_size(k), n, 0))
            return false;
        kg_bodies_set_column(bodies, k, bodies->columns[k].data);
        memset(bodies->columns[k].data, 0, n * kg_bodies_item_size(k));
    }
    return true;
}

bool kg_bodies_reserve_loads(kg_memory *memory, kg_bodies *bodies)
{
    if (bodies->has_load_columns) return true;
    return bodies->has_load_columns = reserve_role(memory, bodies, KG_ROLE_LOAD);
}

bool kg_bodies_reserve_images(kg_memory *memory, kg_bodies *bodies)
{
    if (bodies->has_image_columns) return true;
    return bodies->has_image_columns = reserve_role(memory, bodies, KG_ROLE_IMAGE);
}

void kg_bodies_free(kg_memory *memory, kg_bodies *bodies)
{
    kg_columns_free(memory, bodies->columns, KG_BODY_COLUMNS);
    kg_columns_free(memory, bodies->by_id, 3);
    kg_column_free(memory, &bodies->material_column);
    *bodies = (kg_bodies){0};
}

/* True if row m is in use and its values equal those of n. */
static bool same_material(const kg_material *m, const kg_material *n)
{
    return m->body_count && m->restitution == n->restitution && m->friction == n->friction &&
           m->rolling_resistance == n->rolling_resistance &&
           m->tangential_restitution == n->tangential_restitution &&
           m->gravity_scale == n->gravity_scale && m->linear_damping == n->linear_damping &&
           m->angular_damping == n->angular_damping && m->kind == n->kind &&
           m->category == n->category && m->mask == n->mask && m->group == n->group &&
           m->sensor == n->sensor && m->stays_awake == n->stays_awake &&
           m->disabled == n->disabled && m->quiet == n->quiet && m->locks == n->locks;
}

/* Remove free rows and keep the order of the others. While rows move, body_count has the new
 * index + 1. */
static void pack_materials(kg_bodies *bodies)
{
    kg_material *rows = bodies->materials;
    uint32_t kept = 0, n = bodies->material_count;
    for (uint32_t k = 0; k < n; ++k) rows[k].body_count = rows[k].body_count ? ++kept : 0;
    for (uint32_t i = 0; i < bodies->count; ++i)
        bodies->material[i] = rows[bodies->material[i]].body_count - 1;
    bodies->material_count = 0;
    for (uint32_t k = 0; k < n; ++k) {
        if (rows[k].body_count) rows[bodies->material_count++] = rows[k];
    }
    for (uint32_t k = 0; k < kept; ++k) rows[k].body_count = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) rows[bodies->material[i]].body_count += 1;
}

uint32_t kg_bodies_find_material(const kg_bodies *bodies, const kg_material *material,
                                 uint32_t *free_row)
{
    uint32_t n = bodies->material_count;
    *free_row = KG_NONE;
    for (uint32_t k = 0; k < KG_MATERIALS_SEARCHED && k < n; ++k) {
        if (same_material(&bodies->materials[n - 1 - k], material)) return n - 1 - k;
        if (!bodies->materials[n - 1 - k].body_count) *free_row = n - 1 - k;
    }
    return KG_NONE;
}

/* Row of an equal material, which is added if there is none; KG_NONE when out of memory. Free rows
 * are removed when there are more than about two rows for each body. */
static uint32_t intern_material(kg_memory *memory, kg_bodies *bodies, const kg_material *material)
{
    uint32_t n = bodies->material_count, free_row,
             found = kg_bodies_find_material(bodies, material, &free_row);
    if (found != KG_NONE) return found;
    if (free_row == KG_NONE) {
        if (n >= 2 * (bodies->count + bodies->absent_count) + KG_MATERIALS_SEARCHED)
            pack_materials(bodies);
        n = bodies->material_count;
        if (!KG_RESERVE(memory, &bodies->material_column, bodies->materials, n + 1, n))
            return KG_NONE;
        free_row = bodies->material_count++;
    }
    bodies->materials[free_row] = *material;
    bodies->materials[free_row].body_count = 0;
    return free_row;
}

static kg_material material_of_def(const kugel_body_def *def)
{
    return (kg_material){.restitution = def->restitution,
                         .friction = def->friction,
                         .rolling_resistance = def->rolling_resistance,
                         .tangential_restitution = def->tangential_restitution,
                         .gravity_scale = def->gravity_scale,
                         .linear_damping = def->linear_damping,
                         .angular_damping = def->angular_damping,
                         .kind = def->kind,
                         .category = def->category,
                         .mask = def->mask,
                         .group = def->group,
                         .sensor = def->sensor,
                         .stays_awake = !def->can_sleep,
                         .disabled = !def->enabled,
                         .quiet = !def->contact_events,
                         .locks = (uint8_t)def->locks};
}

bool kg_bodies_set_material(kg_memory *memory, kg_bodies *bodies, uint32_t slot,
                            const kg_material *material)
{
    uint32_t row = intern_material(memory, bodies, material);
    if (row == KG_NONE) return false;
    bodies->materials[row].body_count += 1;
    bodies->materials[bodies->material[slot]].body_count -= 1;
    bodies->material[slot] = row;
    return true;
}

/* True if no body may get the id any more. */
static bool is_retired(const kg_bodies *bodies, uint32_t id)
{
    return bodies->generation[id] == KG_GENERATION_LIMIT;
}

static uint32_t lowest_free_id(kg_bodies *bodies)
{
    uint32_t id = bodies->free_id_lower_bound;
    while (id < bodies->id_end && (bodies->slot[id] != KG_NONE || is_retired(bodies, id))) ++id;
    return id;
}

static void write_row(kg_bodies *bodies, uint32_t slot, const kugel_body_def *def)
{
    for (int k = 0; k < 3; ++k) {
        bodies->x[k][slot] = def->position[k] + 0.0; /* -0 becomes +0 */
        bodies->v[k][slot] = def->velocity[k] + 0.0;
        bodies->w[k][slot] = def->spin[k] + 0.0;
        if (bodies->has_image_columns) bodies->image[k][slot] = (uint32_t)def->image[k];
        if (!bodies->has_load_columns) continue;
        bodies->force[k][slot] = 0;
        bodies->torque[k][slot] = 0;
    }
    for (int k = 0; k < 4; ++k) bodies->q[k][slot] = def->rotation[k] + 0.0;
    bodies->radius[slot] = def->radius;
    bodies->mass[slot] = def->type == KUGEL_DYNAMIC ? def->mass : 0;
    bodies->type[slot] = (uint8_t)def->type;
    bodies->sleep_state[slot] = 0;
    kg_sleep_set(bodies, slot, def->type == KUGEL_DYNAMIC && !def->enabled ? KG_ASLEEP : 0);
    bodies->contact_count[slot] = 0;
    bodies->placed[slot] = 1;
    bodies->moved_at[slot] = bodies->placed_at[slot] = 0; /* kg_moves_note_new sets them */
}

/* Reserve `rows` rows, and take an id and a material for a new body. */
static kugel_status take_id(kg_memory *memory, kg_bodies *bodies, const kugel_body_def *def,
                            size_t rows, uint32_t *taken, uint32_t *material)
{
    if (bodies->count + bodies->absent_count >= KG_BODY_LIMIT) return KUGEL_ERROR_LIMIT;
    uint32_t id = *taken = lowest_free_id(bodies);
    if (id >= KG_BODY_LIMIT) return KUGEL_ERROR_LIMIT; /* many ids are retired */
    kg_material wanted = material_of_def(def);
    if (!reserve_rows(memory, bodies, rows) ||
        !reserve_ids(memory, bodies, id >= bodies->id_end ? (size_t)id + 1 : bodies->id_end) ||
        (def->user_data && !kg_bodies_reserve_user_data(memory, bodies)) ||
        (*material = intern_material(memory, bodies, &wanted)) == KG_NONE)
        return KUGEL_ERROR_OUT_OF_MEMORY;
    if (id >= bodies->id_end) {
        bodies->id_end = id + 1;
        bodies->generation[id] = 0;
    }
    bodies->free_id_lower_bound = id + 1;
    bodies->slot[id] = KG_NONE;
    bodies->generation[id] += 1; /* at least 1: handle 0 is the null body */
    if (bodies->user_data) bodies->user_data[id] = def->user_data;
    bodies->materials[*material].body_count += 1;
    return KUGEL_OK;
}

kugel_status kg_bodies_add(kg_memory *memory, kg_bodies *bodies, const kugel_body_def *def,
                           uint32_t *slot)
{
    uint32_t id, material;
    kugel_status status = take_id(memory, bodies, def, (size_t)bodies->count + 1, &id, &material);
    if (status) return status;
    uint32_t row = *slot = bodies->count++;
    bodies->slot[id] = row;
    bodies->id[row] = id;
    bodies->material[row] = material;
    write_row(bodies, row, def);
    kg_locks_stop(bodies, row);
    return KUGEL_OK;
}

kugel_status kg_bodies_add_absent(kg_memory *memory, kg_bodies *bodies, const kugel_body_def *def,
                                  uint32_t *id)
{
    uint32_t material;
    kugel_status status = take_id(memory, bodies, def, bodies->count, id, &material);
    if (!status) bodies->absent_count += 1;
    return status;
}

void kg_bodies_remove(kg_bodies *bodies, uint32_t slot)
{
    uint32_t id = bodies->id[slot];
    uint32_t last = --bodies->count;
    kg_sleep_set(bodies, slot, 0);
    bodies->materials[bodies->material[slot]].body_count -= 1;
    bodies->slot[id] = KG_NONE;
    if (id < bodies->free_id_lower_bound) bodies->free_id_lower_bound = id;
    if (slot == last) return;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (kg_bodies_lack_column(bodies, k)) continue;
        char *data = kg_bodies_column(bodies, &kg_body_fields[k]);
        size_t item = kg_bodies_item_size(k);
        memcpy(data + slot * item, data + last * item, item);
    }
    bodies->slot[bodies->id[slot]] = slot;
}

uint32_t kg_bodies_find(const kg_bodies *bodies, kugel_body body)
{
    uint32_t id = kugel_body_id(body);
    if (id >= bodies->id_end || bodies->generation[id] != (uint32_t)(body >> 32)) return KG_NONE;
    return bodies->slot[id];
}

bool kg_bodies_any_sensor(const kg_bodies *bodies)
{
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        if (bodies->materials[k].sensor && bodies->materials[k].body_count) return true;
    }
    return false;
}

bool kg_bodies_any_damping(const kg_bodies *bodies)
{
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *m = &bodies->materials[k];
        if (m->body_count && (m->linear_damping > 0 || m->angular_damping > 0)) return true;
    }
    return false;
}

bool kg_bodies_any_locks(const kg_bodies *bodies)
{
    bool any = false;
    for (uint32_t k = 0; k < bodies->material_count && !any; ++k)
        any = bodies->materials[k].body_count && bodies->materials[k].locks;
    return any;
}

bool kg_bodies_any_load(const kg_bodies *bodies)
{
    bool any = false;
    for (uint32_t i = 0; bodies->has_forces && i < bodies->count && !any; ++i)
        any = kg_bodies_has_load(bodies, i);
    return any;
}

bool kg_bodies_any_image(const kg_bodies *bodies)
{
    uint32_t any = 0;
    for (int k = 0; k < 3 && bodies->has_image_columns && !any; ++k) {
        for (uint32_t i = 0; i < bodies->count; ++i) any |= bodies->image[k][i];
    }
    return any;
}

void kg_bodies_gather_column(const kg_bodies *bodies, int k, const uint32_t *order, size_t n,
                             void *items)
{
    const void *column = kg_bodies_column(bodies, &kg_body_fields[k]);
    if (kg_bodies_item_size(k) == 8) {
        const uint64_t *from = column;
        uint64_t *to = items;
        for (size_t i = 0; i < n; ++i) to[i] = from[order[i]];
    } else if (kg_bodies_item_size(k) == 4) {
        const uint32_t *from = column;
        uint32_t *to = items;
        for (size_t i = 0; i < n; ++i) to[i] = from[order[i]];
    } else {
        const uint8_t *from = column;
        uint8_t *to = items;
        for (size_t i = 0; i < n; ++i) to[i] = from[order[i]];
    }
}

void kg_bodies_permute_column(kg_bodies *bodies, int k, const uint32_t *order, void *scratch)
{
    bool is_load = kg_body_fields[k].role == KG_ROLE_LOAD;
    if (kg_bodies_lack_column(bodies, k) || (is_load && !bodies->has_forces)) return; /* all 0 */
    kg_bodies_gather_column(bodies, k, order, bodies->count, scratch);
    memcpy(kg_bodies_column(bodies, &kg_body_fields[k]), scratch,
           bodies->count * kg_bodies_item_size(k));
}

void kg_bodies_set_slots(kg_bodies *bodies, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; ++i) bodies->slot[bodies->id[i]] = i;
}

bool kg_bodies_are_lossless(const kg_bodies *bodies)
{
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *m = &bodies->materials[k];
        if (m->body_count && !m->sensor && kg_material_is_lossy(m)) return false;
    }
    return true;
}

kg_radii kg_bodies_radii(const kg_bodies *bodies)
{
    const double *r = bodies->radius;
    kg_radii all = {0, 0};
    if (bodies->count) all = (kg_radii){r[0], r[0]};
    for (uint32_t i = 0; i < bodies->count; ++i) {
        all.smallest = r[i] < all.smallest ? r[i] : all.smallest;
        all.largest = r[i] > all.largest ? r[i] : all.largest;
    }
    return all;
}
