/* The bodies of a world, read in bulk. */
#include <stdlib.h>

#include "replay.h"

static bool grow(double **values, uint32_t n)
{
    double *more = realloc(*values, (size_t)n * 3 * sizeof **values);
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
        if (!grow(&rows->position, n) || !grow(&rows->velocity, n) || !grow(&rows->spin, n)) {
            return false;
        }
        rows->room = n;
    }
    rows->count = kugel_world_read(world, n, rows->ids, rows->position, rows->velocity, rows->spin);
    return true;
}

void rows_free(row_set *rows)
{
    free(rows->ids);
    free(rows->position);
    free(rows->velocity);
    free(rows->spin);
    *rows = (row_set){0};
}
