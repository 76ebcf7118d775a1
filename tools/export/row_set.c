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
        if (ids) rows->ids = ids;
        size_t all = 3 * (size_t)n;
        int32_t *image = realloc(rows->image, all * sizeof *image);
        if (image) rows->image = image;
        if (!ids || !image) return false;
        if (!grow(&rows->position, all) || !grow(&rows->velocity, all) || !grow(&rows->spin, all) ||
            !grow(&rows->radius, n) || !grow(&rows->mass, n)) {
            return false;
        }
        rows->capacity = n;
    }
    rows->count = kugel_world_read_arrays(world, n,
                                          &(kugel_body_arrays){.ids = rows->ids,
                                                               .position = rows->position,
                                                               .velocity = rows->velocity,
                                                               .spin = rows->spin});
    return true;
}

bool rows_replace(row_set *rows, const kugel_recorded *recorded)
{
    size_t n = rows->count, size = 3 * n * sizeof(double);
    if (!recorded->has_state || recorded->count != n) return false;
    if (n == 0) return true;
    if (memcmp(rows->ids, recorded->ids, n * sizeof *rows->ids) != 0) return false;
    memcpy(rows->position, recorded->position, size);
    memcpy(rows->velocity, recorded->velocity, size);
    memcpy(rows->spin, recorded->spin, size);
    return true;
}

void rows_read_details(row_set *rows, const kugel_world *world)
{
    const kugel_body_arrays arrays = {
        .radius = rows->radius, .mass = rows->mass, .image = rows->image};
    kugel_world_read_arrays(world, rows->count, &arrays);
}

uint32_t rows_find(const row_set *rows, uint32_t id)
{
    uint32_t low = 0,
             high = id < rows->count ? id : rows->count - 1; /* a row is not above its id */
    if (rows->ids[high] == id) return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->ids[middle] < id) low = middle + 1;
        else high = middle;
    }
    return low;
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
    *rows = (row_set){0};
}
