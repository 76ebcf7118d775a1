/* See row_set.h. */
#include "row_set.h"

#include <stdlib.h>
#include <string.h>

static bool grow(double **values, size_t n)
{
    double *more = realloc(*values, n * sizeof **values);
    if (more) *values = more;
    return more;
}

bool rows_read(row_set *rows, const kugel_world *world)
{
    uint32_t n = kugel_world_body_count(world);
    if (n > rows->capacity) {
        uint32_t *ids = realloc(rows->ids, n * sizeof *ids);
        if (!ids) return false;
        rows->ids = ids;
        size_t all = 3 * (size_t)n;
        if (!grow(&rows->position, all) || !grow(&rows->velocity, all) || !grow(&rows->spin, all) ||
            !grow(&rows->radius, n) || !grow(&rows->mass, n)) {
            return false;
        }
        rows->capacity = n;
    }
    rows->count = kugel_world_read(world, n, rows->ids, rows->position, rows->velocity, rows->spin);
    return true;
}

static bool reserve_known(row_set *rows, uint32_t capacity)
{
    if (capacity <= rows->known_capacity) return true;
    kugel_body *known = realloc(rows->known, capacity * sizeof *known);
    if (known) rows->known = known;
    if (!known || !grow(&rows->known_radius, capacity) || !grow(&rows->known_mass, capacity))
        return false;
    memset(known + rows->known_capacity, 0, (capacity - rows->known_capacity) * sizeof *known);
    rows->known_capacity = capacity;
    return true;
}

static bool all_known(const row_set *rows, const kugel_world *world)
{
    for (uint32_t i = 0; i < rows->count; ++i) {
        if (rows->known[rows->ids[i]] != kugel_world_body(world, rows->ids[i])) return false;
    }
    return true;
}

/* They are constant: read them only for new bodies. */
bool rows_read_constants(row_set *rows, const kugel_world *world)
{
    if (!reserve_known(rows, kugel_world_id_end(world))) return false;
    if (!all_known(rows, world)) {
        kugel_body_state *states = malloc(rows->count * sizeof *states);
        if (!states) return false;
        uint32_t n = kugel_world_read_states(world, rows->count, states);
        for (uint32_t i = 0; i < n && i < rows->count; ++i) {
            uint32_t id = kugel_body_id(states[i].body);
            rows->known[id] = states[i].body;
            rows->known_radius[id] = states[i].radius;
            rows->known_mass[id] = states[i].mass;
        }
        free(states);
    }
    for (uint32_t i = 0; i < rows->count; ++i) {
        rows->radius[i] = rows->known_radius[rows->ids[i]];
        rows->mass[i] = rows->known_mass[rows->ids[i]];
    }
    return true;
}

bool rows_read_images(row_set *rows, const kugel_world *world)
{
    int32_t *image = realloc(rows->image, 3 * (size_t)rows->capacity * sizeof *image + 1);
    if (!image) return false;
    rows->image = image;
    const kugel_body_arrays arrays = {.image = image};
    kugel_world_read_arrays(world, rows->count, &arrays);
    return true;
}

void rows_free(row_set *rows)
{
    free(rows->image);
    free(rows->ids);
    free(rows->position);
    free(rows->velocity);
    free(rows->spin);
    free(rows->radius);
    free(rows->mass);
    free(rows->known);
    free(rows->known_radius);
    free(rows->known_mass);
    *rows = (row_set){0};
}
