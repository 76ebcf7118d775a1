#include "world/bodies.h"

#include <string.h>

#include "base/constants.h"

/* One row for each slot column: where its pointer is and how large an item. */
typedef struct column_row {
    size_t offset, item;
} column_row;

#define ROW(field, type) {offsetof(kg_bodies, field), sizeof(type)}

static const column_row rows[KG_BODY_COLUMNS] = {
    ROW(x[0], double),      ROW(x[1], double),      ROW(x[2], double),      ROW(v[0], double),
    ROW(v[1], double),      ROW(v[2], double),      ROW(w[0], double),      ROW(w[1], double),
    ROW(w[2], double),      ROW(force[0], double),  ROW(force[1], double),  ROW(force[2], double),
    ROW(torque[0], double), ROW(torque[1], double), ROW(torque[2], double), ROW(q[0], float),
    ROW(q[1], float),       ROW(q[2], float),       ROW(q[3], float),       ROW(radius, double),
    ROW(mass, double),      ROW(material, uint32_t), ROW(id, uint32_t),     ROW(type, uint8_t),
    ROW(calm, uint8_t),
};

static void *row_data(const kg_bodies *bodies, const column_row *row)
{
    void *data;
    memcpy(&data, (const char *)bodies + row->offset, sizeof data);
    return data;
}

static void set_row_data(kg_bodies *bodies, const column_row *row, void *data)
{
    memcpy((char *)bodies + row->offset, &data, sizeof data);
}

static bool is_load(int k)
{
    return rows[k].offset >= offsetof(kg_bodies, force) && rows[k].offset < offsetof(kg_bodies, q);
}

bool kg_bodies_reserve(kg_memory *memory, kg_bodies *bodies, size_t n)
{
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (is_load(k) && !bodies->keeps_loads) continue;
        if (!kg_column_reserve(memory, &bodies->columns[k], rows[k].item, n, bodies->count)) return false;
        set_row_data(bodies, &rows[k], bodies->columns[k].data);
    }
    for (int k = 0; k < 2; ++k) {
        if (!kg_column_reserve(memory, &bodies->by_id[k], sizeof(uint32_t), n, bodies->id_end)) return false;
        *(k ? &bodies->generation : &bodies->slot) = bodies->by_id[k].data;
    }
    return true;
}

bool kg_bodies_keep_loads(kg_memory *memory, kg_bodies *bodies)
{
    if (bodies->keeps_loads) return true;
    size_t n = bodies->columns[0].capacity;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (!is_load(k)) continue;
        if (!kg_column_reserve(memory, &bodies->columns[k], rows[k].item, n, 0)) return false;
        set_row_data(bodies, &rows[k], bodies->columns[k].data);
        memset(bodies->columns[k].data, 0, n * rows[k].item);
    }
    return bodies->keeps_loads = true;
}

void kg_bodies_free(kg_memory *memory, kg_bodies *bodies)
{
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) kg_column_free(memory, &bodies->columns[k]);
    for (int k = 0; k < 2; ++k) kg_column_free(memory, &bodies->by_id[k]);
    kg_column_free(memory, &bodies->material_column);
    *bodies = (kg_bodies){0};
}

static bool same_material(const kg_material *m, const kugel_body_def *def)
{
    return m->users && m->restitution == def->restitution && m->friction == def->friction &&
           m->rolling_resistance == def->rolling_resistance && m->gravity_scale == def->gravity_scale &&
           m->category == def->category && m->mask == def->mask && m->sensor == def->sensor;
}

/* Find or make the def's material; KG_NONE when out of memory. Worlds have a few materials, bodies
 * made in a row share one: the newest rows are looked at first, and not many of them. */
static uint32_t intern_material(kg_memory *memory, kg_bodies *bodies, const kugel_body_def *def)
{
    enum { LOOK_BACK = 32 };
    uint32_t n = bodies->material_count;
    uint32_t free_row = KG_NONE;
    for (uint32_t k = 0; k < LOOK_BACK && k < n; ++k) {
        if (same_material(&bodies->materials[n - 1 - k], def)) return n - 1 - k;
        if (!bodies->materials[n - 1 - k].users) free_row = n - 1 - k;
    }
    if (free_row == KG_NONE) {
        if (!kg_column_reserve(memory, &bodies->material_column, sizeof(kg_material), n + 1, n)) return KG_NONE;
        bodies->materials = bodies->material_column.data;
        free_row = bodies->material_count++;
    }
    bodies->materials[free_row] = (kg_material){
        .restitution = def->restitution, .friction = def->friction,
        .rolling_resistance = def->rolling_resistance, .gravity_scale = def->gravity_scale,
        .category = def->category, .mask = def->mask, .users = 0, .sensor = def->sensor};
    return free_row;
}

static uint32_t lowest_free_id(kg_bodies *bodies)
{
    uint32_t id = bodies->low_free;
    while (id < bodies->id_end && bodies->slot[id] != KG_NONE) ++id;
    return id;
}

static void write_row(kg_bodies *bodies, uint32_t slot, const kugel_body_def *def)
{
    for (int k = 0; k < 3; ++k) {
        bodies->x[k][slot] = def->position[k];
        bodies->v[k][slot] = def->velocity[k];
        bodies->w[k][slot] = def->spin[k];
        if (!bodies->keeps_loads) continue;
        bodies->force[k][slot] = 0;
        bodies->torque[k][slot] = 0;
    }
    for (int k = 0; k < 4; ++k) bodies->q[k][slot] = def->orientation[k];
    bodies->radius[slot] = def->radius;
    bodies->mass[slot] = def->type == KUGEL_DYNAMIC ? def->mass : 0;
    bodies->type[slot] = (uint8_t)def->type;
    bodies->calm[slot] = 0;
}

kugel_status kg_bodies_add(kg_memory *memory, kg_bodies *bodies, const kugel_body_def *def, uint32_t *slot)
{
    if (bodies->count >= KG_BODY_LIMIT) return KUGEL_ERROR_LIMIT;
    uint32_t id = lowest_free_id(bodies);
    size_t need = id >= bodies->id_end ? (size_t)id + 1 : bodies->id_end;
    if (need < (size_t)bodies->count + 1) need = (size_t)bodies->count + 1;
    if (!kg_bodies_reserve(memory, bodies, need)) return KUGEL_ERROR_OUT_OF_MEMORY;
    uint32_t material = intern_material(memory, bodies, def);
    if (material == KG_NONE) return KUGEL_ERROR_OUT_OF_MEMORY;

    uint32_t row = bodies->count++;
    if (id >= bodies->id_end) {
        bodies->id_end = id + 1;
        bodies->generation[id] = 0;
    }
    bodies->low_free = id + 1;
    bodies->slot[id] = row;
    bodies->generation[id] += 1;
    bodies->id[row] = id;
    bodies->material[row] = material;
    bodies->materials[material].users += 1;
    write_row(bodies, row, def);
    *slot = row;
    return KUGEL_OK;
}

void kg_bodies_remove(kg_bodies *bodies, uint32_t slot)
{
    uint32_t id = bodies->id[slot];
    uint32_t last = --bodies->count;
    bodies->materials[bodies->material[slot]].users -= 1;
    bodies->slot[id] = KG_NONE;
    if (id < bodies->low_free) bodies->low_free = id;
    if (slot == last) return;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (is_load(k) && !bodies->keeps_loads) continue;
        char *data = row_data(bodies, &rows[k]);
        memcpy(data + slot * rows[k].item, data + last * rows[k].item, rows[k].item);
    }
    bodies->slot[bodies->id[slot]] = slot;
}

uint32_t kg_bodies_find(const kg_bodies *bodies, kugel_body body)
{
    uint32_t id = kugel_body_id(body);
    if (id >= bodies->id_end || bodies->generation[id] != (uint32_t)(body >> 32)) return KG_NONE;
    return bodies->slot[id];
}

kugel_body kg_bodies_handle(const kg_bodies *bodies, uint32_t slot)
{
    uint32_t id = bodies->id[slot];
    return (kugel_body)bodies->generation[id] << 32 | id;
}

static void permute_items(void *data, size_t item, const uint32_t *order, size_t n, void *scratch)
{
    if (item == 8) {
        uint64_t *from = data, *to = scratch;
        for (size_t i = 0; i < n; ++i) to[i] = from[order[i]];
    } else if (item == 4) {
        uint32_t *from = data, *to = scratch;
        for (size_t i = 0; i < n; ++i) to[i] = from[order[i]];
    } else {
        uint8_t *from = data, *to = scratch;
        for (size_t i = 0; i < n; ++i) to[i] = from[order[i]];
    }
    memcpy(data, scratch, n * item);
}

void kg_bodies_permute(kg_bodies *bodies, const uint32_t *order, void *scratch)
{
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (is_load(k) && !bodies->has_forces) continue; /* all 0 */
        permute_items(row_data(bodies, &rows[k]), rows[k].item, order, bodies->count, scratch);
    }
    for (uint32_t i = 0; i < bodies->count; ++i) bodies->slot[bodies->id[i]] = i;
}

double kg_bodies_largest_radius(const kg_bodies *bodies)
{
    double largest = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        largest = bodies->radius[i] > largest ? bodies->radius[i] : largest;
    }
    return largest;
}

double kg_bodies_smallest_radius(const kg_bodies *bodies)
{
    double smallest = bodies->count ? bodies->radius[0] : 0;
    for (uint32_t i = 1; i < bodies->count; ++i) {
        smallest = bodies->radius[i] < smallest ? bodies->radius[i] : smallest;
    }
    return smallest;
}
