/* Cells are hashed into buckets, so empty space costs nothing. */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cells_open(cells *cells, uint32_t room, double edge)
{
    uint32_t size = 64;
    while (size < room) size *= 2;
    *cells = (struct cells){.edge = edge, .mask = size - 1, .room = room};
    cells->head = malloc(size * sizeof *cells->head);
    cells->next = malloc((room + 1) * sizeof *cells->next);
    cells->key = malloc((room + 1) * sizeof *cells->key);
    cells->place = malloc((room + 1) * sizeof *cells->place);
    if (cells->head && cells->next && cells->key && cells->place) {
        memset(cells->head, 0xff, size * sizeof *cells->head);
        return true;
    }
    cells_close(cells);
    return false;
}

void cells_close(cells *cells)
{
    free(cells->head);
    free(cells->next);
    free(cells->key);
    free(cells->place);
}

/* Number of cells along a periodic axis; 0 along other axes. */
static int64_t count_along(const cells *cells, int axis)
{
    if (cells->length[axis] <= 0) return 0;
    int64_t n = (int64_t)(cells->length[axis] / cells->edge);
    return n < 1 ? 1 : n;
}

static int64_t cell_along(const cells *cells, int axis, double x)
{
    int64_t n = count_along(cells, axis);
    if (n == 0) {
        double cell = floor(x / cells->edge),
               far = 4e18; /* farther places share one cell: an int64 ends there */
        return cell > far ? (int64_t)far : cell < -far ? (int64_t)-far : (int64_t)cell;
    }
    int64_t c = (int64_t)floor((x - cells->low[axis]) / cells->length[axis] * (double)n);
    return ((c % n) + n) % n;
}

/* Different keys for different cells that are neighbours. */
static uint64_t key_of(const int64_t at[3])
{
    uint64_t key = (uint64_t)at[0] * 0x9e3779b97f4a7c15u + (uint64_t)at[1];
    return (key * 0xbf58476d1ce4e5b9u + (uint64_t)at[2]) * 0x94d049bb133111ebu;
}

static uint32_t bucket(const cells *cells, uint64_t key)
{
    return (uint32_t)(key >> 32) & cells->mask;
}

void cells_add(cells *cells, const double place[3])
{
    int64_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = cell_along(cells, k, place[k]);
    uint64_t key = key_of(at);
    uint32_t b = bucket(cells, key), i = cells->count++;
    memcpy(cells->place[i], place, sizeof cells->place[i]);
    cells->key[i] = key;
    cells->next[i] = cells->head[b];
    cells->head[b] = i;
}

static double distance2(const cells *cells, const double p[3], const double q[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double d = p[k] - q[k];
        if (cells->length[k] > 0) d -= cells->length[k] * nearbyint(d / cells->length[k]);
        sum += d * d;
    }
    return sum;
}

/* Cells to visit along an axis: `base` is that of `x`, `from` the first step from it. */
typedef struct span {
    int64_t base, from, steps, wrap; /* wrap: number of cells of a periodic axis, or 0 */
} span;

static span span_along(const cells *cells, int axis, double x, int64_t rings)
{
    int64_t n = count_along(cells, axis);
    span s = {cell_along(cells, axis, x), -rings, 2 * rings + 1, n};
    if (n && n < s.steps) s.from = 0, s.steps = n; /* short periodic axis: visit each cell once */
    return s;
}

static int64_t step_along(const span *s, int64_t step)
{
    int64_t at = s->base + s->from + step;
    return s->wrap ? ((at % s->wrap) + s->wrap) % s->wrap : at;
}

static bool visit_cell(const cells *cells, uint64_t key, const double place[3], double reach,
                       cells_visit *visit, void *context)
{
    for (uint32_t i = cells->head[bucket(cells, key)]; i != UINT32_MAX; i = cells->next[i]) {
        if (cells->key[i] != key) continue;
        double d2 = distance2(cells, place, cells->place[i]);
        if (d2 <= reach * reach && !visit(context, i, d2)) return false;
    }
    return true;
}

static bool visit_all(const cells *cells, const double place[3], cells_visit *visit, void *context)
{
    for (uint32_t i = 0; i < cells->count; ++i) {
        if (!visit(context, i, distance2(cells, place, cells->place[i]))) return false;
    }
    return true;
}

bool cells_near(const cells *cells, const double place[3], double reach, cells_visit *visit,
                void *context)
{
    double rings = ceil(reach / cells->edge), width = 2 * rings + 1;
    if (rings > 1 && width * width * width > cells->count)
        return visit_all(cells, place, visit, context);
    span s[3];
    for (int k = 0; k < 3; ++k) s[k] = span_along(cells, k, place[k], (int64_t)rings);
    for (int64_t z = 0; z < s[2].steps; ++z) {
        for (int64_t y = 0; y < s[1].steps; ++y) {
            for (int64_t x = 0; x < s[0].steps; ++x) {
                int64_t at[3] = {step_along(&s[0], x), step_along(&s[1], y), step_along(&s[2], z)};
                if (!visit_cell(cells, key_of(at), place, reach, visit, context)) return false;
            }
        }
    }
    return true;
}
