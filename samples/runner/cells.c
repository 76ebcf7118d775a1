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
    cells->head = malloc((size + 1) * sizeof *cells->head);
    cells->bucket = malloc((room + 1) * sizeof *cells->bucket);
    cells->next = malloc((room + 1) * sizeof *cells->next);
    cells->key = malloc((room + 1) * sizeof *cells->key);
    cells->place = malloc((room + 1) * sizeof *cells->place);
    if (cells->head && cells->next && cells->bucket && cells->key && cells->place) {
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
    free(cells->bucket);
    free(cells->key);
    free(cells->place);
}

void cells_wrap(cells *cells, int axis, double low, double length)
{
    int64_t n = (int64_t)(length / cells->edge);
    cells->low[axis] = low;
    cells->length[axis] = length;
    cells->along[axis] = n < 1 ? 1 : n;
    cells->wraps = true;
}

/* floor; farther places than an int64 holds share one cell. */
static int64_t whole(double cell)
{
    static const double far = 4e18;
    if (!(fabs(cell) < far)) return cell > 0 ? (int64_t)far : -(int64_t)far;
    int64_t part = (int64_t)cell;
    return part - ((double)part > cell);
}

/* The cell of a place along an axis, not wrapped. */
static int64_t cell_along(const cells *cells, int axis, double x)
{
    int64_t n = cells->along[axis];
    return whole(n ? (x - cells->low[axis]) / cells->length[axis] * (double)n : x / cells->edge);
}

static int64_t wrapped(int64_t cell, int64_t n) { return n ? ((cell % n) + n) % n : cell; }

/* Keys of the cells of a row follow one another along x, as their buckets do. Rows that are
 * neighbours have different keys. */
static uint64_t row_key(int64_t y, int64_t z)
{
    uint64_t key = (uint64_t)y * 0x9e3779b97f4a7c15u + (uint64_t)z;
    key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
    return (key ^ key >> 32) * 0x94d049bb133111ebu;
}

static uint32_t bucket_of(const cells *cells, uint64_t row, int64_t x)
{
    return ((uint32_t)(row >> 32) + (uint32_t)x) & cells->mask;
}

void cells_add(cells *cells, const double place[3])
{
    int64_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = wrapped(cell_along(cells, k, place[k]), cells->along[k]);
    uint64_t row = row_key(at[1], at[2]);
    uint32_t b = bucket_of(cells, row, at[0]), i = cells->count++;
    memcpy(cells->place[i], place, sizeof cells->place[i]);
    cells->key[i] = row + (uint64_t)at[0];
    cells->bucket[i] = b;
    cells->next[i] = cells->head[b];
    cells->head[b] = i;
}

/* A counting sort. */
bool cells_sort(cells *cells)
{
    uint32_t n = cells->count, size = cells->mask + 1, *start = cells->head, sum = 0;
    uint64_t *key = malloc((n + 1) * sizeof *key);
    double(*place)[3] = malloc((n + 1) * sizeof *place);
    if (!key || !place) return free(key), free(place), false;
    memset(start, 0, (size + 1) * sizeof *start);
    for (uint32_t i = 0; i < n; ++i) start[cells->bucket[i]] += 1;
    for (uint32_t b = 0; b <= size; ++b) sum += start[b], start[b] = sum;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t to = --start[cells->bucket[i]];
        key[to] = cells->key[i];
        memcpy(place[to], cells->place[i], sizeof *place);
        cells->next[to] = i;
    }
    free(cells->key), free(cells->place);
    cells->key = key, cells->place = place;
    cells->sorted = true;
    return true;
}

static double distance2(const cells *cells, const double p[3], const double q[3])
{
    double sum = 0;
    if (!cells->wraps) {
        double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
        return x * x + y * y + z * z;
    }
    for (int k = 0; k < 3; ++k) {
        double d = p[k] - q[k];
        if (cells->length[k] > 0) d -= cells->length[k] * nearbyint(d / cells->length[k]);
        sum += d * d;
    }
    return sum;
}

/* Cells to visit along an axis. */
typedef struct span {
    int64_t from, steps, wrap; /* wrap: number of cells of a periodic axis, or 0 */
} span;

/* The cells of [x - reach, x + reach], a little widened against rounding. */
static span span_along(const cells *cells, int axis, double x, double reach)
{
    double wide = reach * (1 + 1e-9) + 1e-14 * fabs(x);
    int64_t n = cells->along[axis], from = cell_along(cells, axis, x - wide);
    span s = {from, cell_along(cells, axis, x + wide) - from + 1, n};
    if (n && (n < 3 || n < s.steps)) /* short periodic axis: visit each cell once */
        s.from = cell_along(cells, axis, x), s.steps = n;
    return s;
}

static bool visit_cell(const cells *cells, uint64_t row, int64_t x, const double place[3],
                       double reach, cells_visit *visit, void *context)
{
    uint32_t b = bucket_of(cells, row, x);
    for (uint32_t i = cells->head[b]; i != UINT32_MAX; i = cells->next[i]) {
        if (cells->key[i] != row + (uint64_t)x) continue;
        double d2 = distance2(cells, place, cells->place[i]);
        if (d2 <= reach * reach && !visit(context, i, d2)) return false;
    }
    return true;
}

/* `count` cells of a row from x on, whose points follow one another. Distances first: most points
 * are too far away, whatever their cell. */
static bool visit_run(const cells *cells, uint64_t row, int64_t x, uint32_t count,
                      const double place[3], double reach, cells_visit *visit, void *context)
{
    uint32_t b = bucket_of(cells, row, x), last = cells->head[b + count];
    for (uint32_t i = cells->head[b]; i < last; ++i) {
        double d2 = distance2(cells, place, cells->place[i]);
        if (d2 > reach * reach || cells->key[i] - (row + (uint64_t)x) >= count) continue;
        if (!visit(context, cells->next[i], d2)) return false;
    }
    return true;
}

/* The cells of a span in a row; a run where neither the axis nor the buckets begin again. */
static bool visit_row(const cells *cells, uint64_t row, const span *s, const double place[3],
                      double reach, cells_visit *visit, void *context)
{
    int64_t x = wrapped(s->from, s->wrap);
    bool whole = (!s->wrap || x + s->steps <= s->wrap) &&
                 bucket_of(cells, row, x) + s->steps <= (int64_t)cells->mask + 1;
    if (cells->sorted && whole)
        return visit_run(cells, row, x, (uint32_t)s->steps, place, reach, visit, context);
    for (int64_t step = 0; step < s->steps; ++step) {
        x = wrapped(s->from + step, s->wrap);
        if (!(cells->sorted ? visit_run(cells, row, x, 1, place, reach, visit, context)
                            : visit_cell(cells, row, x, place, reach, visit, context)))
            return false;
    }
    return true;
}

static bool visit_all(const cells *cells, const double place[3], cells_visit *visit, void *context)
{
    for (uint32_t i = 0; i < cells->count; ++i) {
        uint32_t index = cells->sorted ? cells->next[i] : i;
        if (!visit(context, index, distance2(cells, place, cells->place[i]))) return false;
    }
    return true;
}

/* @param once: leave out the rows below, from which the place is found as one of a row above. */
static bool search(const cells *cells, const double place[3], double reach, bool once,
                   cells_visit *visit, void *context)
{
    span s[3];
    double visits = 1;
    for (int k = 0; k < 3; ++k) {
        s[k] = span_along(cells, k, place[k], reach);
        visits *= (double)s[k].steps;
    }
    if (visits > 27 && visits > cells->count) return visit_all(cells, place, visit, context);
    int64_t own[3];
    for (int k = 1; k < 3; ++k) {
        own[k] = cell_along(cells, k, place[k]) - s[k].from;
        once = once && (!s[k].wrap || s[k].wrap >= 2 * s[k].steps);
    }
    for (int64_t z = once ? own[2] : 0; z < s[2].steps; ++z) {
        for (int64_t y = once && z == own[2] ? own[1] : 0; y < s[1].steps; ++y) {
            uint64_t row =
                row_key(wrapped(s[1].from + y, s[1].wrap), wrapped(s[2].from + z, s[2].wrap));
            if (!visit_row(cells, row, &s[0], place, reach, visit, context)) return false;
        }
    }
    return true;
}

bool cells_near(const cells *cells, const double place[3], double reach, cells_visit *visit,
                void *context)
{
    return search(cells, place, reach, false, visit, context);
}

bool cells_near_once(const cells *cells, const double place[3], double reach, cells_visit *visit,
                     void *context)
{
    return search(cells, place, reach, true, visit, context);
}
