/* The public function that sets values of many bodies. For each row it calls the functions that set
 * one value, which are recorded. All values are checked, and all memory is reserved, before the
 * first of these calls, so that either all rows are written or none. */
#include <stddef.h>

#include "api/api_body.h"
#include "api/api_contact_ends.h"
#include "base/assert.h"
#include "base/vec.h"
#include "world/body_arrays.h"

static kugel_status set_radius(kugel_world *world, kugel_body body, const double *radius)
{
    return kugel_body_set_radius(world, body, *radius);
}

static kugel_status set_mass(kugel_world *world, kugel_body body, const double *mass)
{
    return kugel_body_set_mass(world, body, *mass);
}

/* The members of kugel_body_arrays that can be written, in their order. */
typedef struct column {
    const char *name;
    size_t offset, width; /* of the array's pointer, bytes; values a row */
    kugel_status (*set)(kugel_world *world, kugel_body body, const double *value);
} column;
#define COLUMN(member, width, set)                                                                 \
    {                                                                                              \
#member, offsetof(kugel_body_arrays, member), width, set                                   \
    }

enum { POSITION, VELOCITY, SPIN, ROTATION, RADIUS, MASS, COLUMNS };
static const column columns[COLUMNS] = {COLUMN(position, 3, kugel_body_set_position),
                                        COLUMN(velocity, 3, kugel_body_set_velocity),
                                        COLUMN(spin, 3, kugel_body_set_spin),
                                        COLUMN(rotation, 4, kugel_body_set_rotation),
                                        COLUMN(radius, 1, set_radius),
                                        COLUMN(mass, 1, set_mass)};

typedef struct writing {
    kugel_world *world;
    uint32_t count;
    const kugel_body *bodies;      /* [count] */
    const double *values[COLUMNS]; /* [width * count] each, or NULL */
    bool *noted; /* [count], true: the row's body is marked as placed, and was not before */
} writing;

/* The value of a row, or NULL if it stays: there is no array, or a body without such a value has 0
 * as kugel_world_read_arrays writes it. */
static const double *value_of(const writing *w, int k, uint32_t row, uint32_t slot)
{
    const double *value = w->values[k] ? w->values[k] + columns[k].width * row : NULL;
    kugel_body_type type = w->world->bodies.type[slot];
    bool lacks = k == MASS ? type != KUGEL_DYNAMIC && value && *value == 0
                           : type == KUGEL_STATIC && (k == VELOCITY || k == SPIN) && value &&
                                 kg_is_zero3(value);
    return lacks ? NULL : value;
}

static kugel_status check_value(const kugel_world *world, int k, uint32_t slot, const double *value,
                                kugel_error *error)
{
    const kg_bodies *b = &world->bodies;
    const char *name = columns[k].name;
    if (k == RADIUS) return kg_validate_radius(world, *value, name, error);
    if (k == ROTATION) return kg_validate_rotation(value, name, error);
    if (k == MASS && b->type[slot] != KUGEL_DYNAMIC)
        return kg_error_set(error, KUGEL_ERROR_INVALID_ARGUMENT, name,
                            "must be 0 for a static or kinematic body");
    if (k == MASS) return kg_validate_range(*value, KG_MASS_MIN, KG_VALUE_LIMIT, name, error);
    kugel_status status = kg_validate_vector(value, name, error);
    if (status || k == POSITION)
        return status ? status : kg_validate_position(world, value, name, error);
    if (b->type[slot] == KUGEL_STATIC)
        return kg_error_set(error, KUGEL_ERROR_INVALID_ARGUMENT, name,
                            "must be 0 for a static body");
    if (kg_bodies_is_disabled(b, slot) && !kg_is_zero3(value))
        return kg_error_set(error, KUGEL_ERROR_STATE, name, "must be 0 for a disabled body");
    return KUGEL_OK;
}

static kugel_status check_row(const writing *w, uint32_t row)
{
    kugel_error error;
    uint32_t slot = kg_bodies_find(&w->world->bodies, w->bodies[row]);
    if (slot == KG_NONE)
        return kg_error_report(w->world, KUGEL_ERROR_STALE_HANDLE, "bodies",
                               "row %u: %#llx is not a live body of this world", row,
                               (unsigned long long)w->bodies[row]);
    for (int k = 0; k < COLUMNS; ++k) {
        const double *value = value_of(w, k, row, slot);
        if (value && check_value(w->world, k, slot, value, &error))
            return kg_error_report(w->world, error.status, error.argument, "row %u: %s", row,
                                   error.message);
    }
    return KUGEL_OK;
}

/* Read the caller's arrays. */
static kugel_status open(writing *w, const kugel_body_arrays *from)
{
    kugel_world *world = w->world;
    kugel_body *all = NULL;
    if (from->ids || from->asleep || from->user_data || from->image)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "arrays",
                               "ids, asleep, user_data and image cannot be written");
    for (int k = 0; k < COLUMNS; ++k)
        memcpy(&w->values[k], (const char *)from + columns[k].offset, sizeof w->values[k]);
    w->bodies = from->bodies;
    if (!w->bodies && w->count != world->bodies.count)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "count",
                               "must be %u, as without arrays.bodies all bodies are written",
                               world->bodies.count);
    if (!KG_TAKE(world, w->noted, (size_t)w->count + 1) ||
        (!w->bodies && !KG_TAKE(world, all, (size_t)w->count + 1)))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "count", "no memory for %u rows",
                               w->count);
    if (!w->bodies) {
        kg_bodies_read(&world->bodies, w->count, &(kugel_body_arrays){.bodies = all});
        w->bodies = all;
    }
    return KUGEL_OK;
}

/* Reserve what the calls need, and note exits from sensors. */
static kugel_status reserve(const writing *w, size_t exits)
{
    kugel_world *world = w->world;
    kg_bodies *b = &world->bodies;
    size_t ends = 0;
    uint32_t done = 0, slot;
    kugel_status status = kg_api_ensure_contacts(world);
    bool places = w->values[POSITION] || w->values[RADIUS];
    for (; done < w->count && !status; ++done) {
        w->noted[done] = false;
        status = kg_api_find_body(world, w->bodies[done], &slot);
        if (status || !places || (status = kg_api_prepare_body_ends(world, slot))) continue;
        w->noted[done] = !b->placed[slot];
        b->placed[slot] = 1;
        ends += b->contact_count[slot];
    }
    if (!status) status = kg_api_reserve_ends(world, ends);
    for (uint32_t row = 0; row < done && status; ++row) {
        if (w->noted[row]) b->placed[kg_bodies_find(b, w->bodies[row])] = 0;
    }
    if (status) world->events.left_count = exits;
    return status;
}

static kugel_status prepare(writing *w, const kugel_body_arrays *from)
{
    KG_CHANGE_LOCAL(w->world);
    kugel_status status = open(w, from);
    for (uint32_t row = 0; row < w->count && !status; ++row) status = check_row(w, row);
    return status ? status : reserve(w, w->world->events.left_count);
}

static void write_row(const writing *w, uint32_t row)
{
    for (int k = 0; k < COLUMNS; ++k) {
        const double *value =
            value_of(w, k, row, kg_bodies_find(&w->world->bodies, w->bodies[row]));
        kugel_status status = value ? columns[k].set(w->world, w->bodies[row], value) : KUGEL_OK;
        KG_ASSERT(!status);
        (void)status;
    }
}

kugel_status kugel_world_write_arrays(kugel_world *world, uint32_t count,
                                      const kugel_body_arrays *arrays, size_t size)
{
    writing w = {.world = world, .count = count};
    kugel_body_arrays from;
    kugel_status status = kg_refuse_change(world);
    if (status) return status;
    if (!arrays) return kg_refuse_null(world, "arrays");
    kg_copy_sized(&from, sizeof from, arrays, size);
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    status = prepare(&w, &from);
    for (uint32_t row = 0; row < count && !status; ++row) write_row(&w, row);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return status;
}
