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
    if (n > rows->room) {
        uint32_t *ids = realloc(rows->ids, n * sizeof *ids);
        if (!ids) return false;
        rows->ids = ids;
        size_t all = 3 * (size_t)n;
        if (!grow(&rows->position, all) || !grow(&rows->velocity, all) || !grow(&rows->spin, all) ||
            !grow(&rows->radius, n)) {
            return false;
        }
        rows->room = n;
    }
    rows->count = kugel_world_read(world, n, rows->ids, rows->position, rows->velocity, rows->spin);
    return true;
}

static bool reserve_known(row_set *rows, uint32_t room)
{
    if (room <= rows->known_room) return true;
    kugel_body *known = realloc(rows->known, room * sizeof *known);
    if (known) rows->known = known;
    if (!known || !grow(&rows->known_radius, room)) return false;
    memset(known + rows->known_room, 0, (room - rows->known_room) * sizeof *known);
    rows->known_room = room;
    return true;
}

/* Radii never change: a body is asked once. */
bool rows_read_radii(row_set *rows, const kugel_world *world)
{
    if (!reserve_known(rows, kugel_world_id_end(world))) return false;
    for (uint32_t i = 0; i < rows->count; ++i) {
        uint32_t id = rows->ids[i];
        kugel_body body = kugel_world_body(world, id);
        kugel_body_state state;
        if (rows->known[id] != body && kugel_body_get(world, body, &state) == KUGEL_OK) {
            rows->known[id] = body;
            rows->known_radius[id] = state.radius;
        }
        rows->radius[i] = rows->known_radius[id];
    }
    return true;
}

void rows_free(row_set *rows)
{
    free(rows->ids);
    free(rows->position);
    free(rows->velocity);
    free(rows->spin);
    free(rows->radius);
    free(rows->known);
    free(rows->known_radius);
    *rows = (row_set){0};
}
