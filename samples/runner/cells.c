/* Cells are hashed into buckets, so empty space costs nothing. */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NO_POINT = UINT32_MAX;

bool cells_open(cells *cells, uint32_t room, double edge)
{
    uint32_t size = 64;
    while (size < room) size *= 2;
    *cells = (struct cells){.edge = edge, .mask = size - 1, .room = room};
    for (int k = 0; k < 3; ++k) cells->length[k] = INFINITY, cells->per_metre[k] = 1 / edge;
    cells->head = malloc((size + 1) * sizeof *cells->head);
    cells->next = malloc((room + 1) * sizeof *cells->next);
    cells->bucket = malloc((room + 1) * sizeof *cells->bucket);
    cells->key = malloc((room + 1) * sizeof *cells->key);
    cells->place = malloc((room + 1) * sizeof *cells->place);
    if (!cells->head || !cells->next || !cells->bucket || !cells->key || !cells->place)
        return cells_close(cells), false;
    cells_clear(cells);
    return true;
}

void cells_clear(cells *cells)
{
    memset(cells->head, 0xff, (cells->mask + 1) * sizeof *cells->head);
    cells->count = 0;
    cells->sorted = false;
}

void cells_close(cells *cells)
{
    free(cells->head);
    free(cells->next);
    free(cells->bucket);
    free(cells->key);
    free(cells->place);
    free(cells->old_key);
    free(cells->old_place);
}

void cells_wrap(cells *cells, int axis, double low, double length)
{
    int64_t n = (int64_t)(length / cells->edge);
    cells->low[axis] = low;
    cells->length[axis] = length;
    cells->along[axis] = n < 1 ? 1 : n;
    cells->per_metre[axis] = (double)cells->along[axis] / length;
    cells->wraps = true;
}

/* Rounds down. Places beyond the range of int64 share one cell on each side. */
static int64_t round_down(double cell)
{
    static const double far = 4e18;
    if (!(fabs(cell) < far)) return cell > 0 ? (int64_t)far : -(int64_t)far;
    int64_t part = (int64_t)cell;
    return part - ((double)part > cell);
}

/* The cell of a place along an axis, not wrapped. */
static int64_t cell_along(const cells *cells, int axis, double x)
{
    return round_down((x - cells->low[axis]) * cells->per_metre[axis]);
}

static int64_t wrapped(int64_t cell, int64_t n)
{
    if (!n || (uint64_t)cell < (uint64_t)n) return cell; /* avoids most divisions */
    return (cell % n + n) % n;
}

/* A row is the cells of one y and z. Its cells have consecutive keys and buckets along x.
 * Neighbouring rows have different keys. */
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

/* The bucket of a place. *key receives that of its cell. */
static uint32_t find_bucket(const cells *cells, const double place[3], uint64_t *key)
{
    int64_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = wrapped(cell_along(cells, k, place[k]), cells->along[k]);
    uint64_t row = row_key(at[1], at[2]);
    *key = row + (uint64_t)at[0];
    return bucket_of(cells, row, at[0]);
}

void cells_add(cells *cells, const double place[3])
{
    uint32_t i = cells->count++, b = find_bucket(cells, place, &cells->key[i]);
    memcpy(cells->place[i], place, sizeof cells->place[i]);
    cells->bucket[i] = b;
    cells->next[i] = cells->head[b];
    cells->head[b] = i;
}

/* A counting sort. */
bool cells_sort(cells *cells)
{
    uint32_t n = cells->count, size = cells->mask + 1, *start = cells->head, sum = 0;
    uint64_t *key = cells->old_key;
    double(*place)[3] = cells->old_place;
    if (!key) key = cells->old_key = malloc((cells->room + 1) * sizeof *key);
    if (!place) place = cells->old_place = malloc((cells->room + 1) * sizeof *place);
    if (!key || !place) return false;
    memset(start, 0, (size + 1) * sizeof *start);
    for (uint32_t i = 0; i < n; ++i) start[cells->bucket[i]] += 1;
    for (uint32_t b = 0; b <= size; ++b) sum += start[b], start[b] = sum;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t to = --start[cells->bucket[i]];
        key[to] = cells->key[i];
        memcpy(place[to], cells->place[i], sizeof *place);
        cells->next[to] = i;
    }
    cells->old_key = cells->key, cells->old_place = cells->place;
    cells->key = key, cells->place = place;
    cells->sorted = true;
    return true;
}

double (*cells_take_places(cells *cells))[3]
{
    double(*place)[3] = cells->place;
    cells->place = NULL;
    cells_close(cells);
    return place;
}

/* Distance of two places along an axis by the nearest periodic image. @param length of the axis;
 * infinite unless it is periodic. */
static inline double shortest(double p, double q, double length)
{
    double d = fabs(p - q), around = length - d;
    return around < d ? around : d;
}

static inline double distance2(const cells *cells, const double p[3], const double q[3])
{
    double x, y, z;
    if (cells->wraps) {
        x = shortest(p[0], q[0], cells->length[0]);
        y = shortest(p[1], q[1], cells->length[1]);
        z = shortest(p[2], q[2], cells->length[2]);
    } else {
        x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    }
    return x * x + y * y + z * z;
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

typedef struct searching {
    const cells *cells;
    const double *place;
    double reach;
    cells_visit *visit;
    void *context;
} searching;

static bool visit_cell(const searching *s, uint64_t row, int64_t x)
{
    const cells *cells = s->cells;
    uint32_t b = bucket_of(cells, row, x);
    for (uint32_t i = cells->head[b]; i != UINT32_MAX; i = cells->next[i]) {
        if (cells->key[i] != row + (uint64_t)x) continue;
        double d2 = distance2(cells, s->place, cells->place[i]);
        if (d2 <= s->reach * s->reach && !s->visit(s->context, i, d2)) return false;
    }
    return true;
}

/* Visit the points of `count` cells of a row, from cell x on, whose points are consecutive; points
 * before `first` are left out. Distances are tested first, because they exclude most points. */
static bool visit_run(const searching *s, uint64_t row, int64_t x, uint32_t count, uint32_t first)
{
    const cells *cells = s->cells;
    uint32_t b = bucket_of(cells, row, x), last = cells->head[b + count];
    uint32_t i = cells->head[b] > first ? cells->head[b] : first;
    double reach2 = s->reach * s->reach;
    for (; i < last; ++i) {
        double d2 = distance2(cells, s->place, cells->place[i]);
        if (d2 > reach2 || cells->key[i] - (row + (uint64_t)x) >= count) continue;
        if (!s->visit(s->context, cells->next[i], d2)) return false;
    }
    return true;
}

/* Number of cells of a row, from x on, whose buckets are consecutive: up to the end of the periodic
 * axis or of the buckets. */
static int64_t run_length(const cells *cells, uint64_t row, int64_t x, int64_t wrap)
{
    int64_t buckets = (int64_t)cells->mask + 1 - bucket_of(cells, row, x);
    return wrap && wrap - x < buckets ? wrap - x : buckets;
}

static bool visit_row(const searching *s, uint64_t row, const span *along, uint32_t first)
{
    const cells *cells = s->cells;
    for (int64_t step = 0, count = 1; step < along->steps; step += count) {
        int64_t x = wrapped(along->from + step, along->wrap), left = along->steps - step;
        if (cells->sorted) {
            count = run_length(cells, row, x, along->wrap);
            count = count < left ? count : left;
        }
        if (!(cells->sorted ? visit_run(s, row, x, (uint32_t)count, first) : visit_cell(s, row, x)))
            return false;
    }
    return true;
}

static bool visit_all(const searching *s)
{
    const cells *cells = s->cells;
    for (uint32_t i = 0; i < cells->count; ++i) {
        uint32_t index = cells->sorted ? cells->next[i] : i;
        if (!s->visit(s->context, index, distance2(cells, s->place, cells->place[i]))) return false;
    }
    return true;
}

/* @param point NO_POINT, or the point of sorted cells at the place. A search around a point leaves
 * out rows below its row, and earlier points of its row: searches around those find the pairs. */
static bool search(const searching *s, uint32_t point)
{
    const cells *cells = s->cells;
    span along[3];
    double visits = 1;
    for (int k = 0; k < 3; ++k) {
        along[k] = span_along(cells, k, s->place[k], s->reach);
        visits *= (double)along[k].steps;
    }
    if (visits > 27 && visits > cells->count) return visit_all(s);
    bool once = point != NO_POINT;
    int64_t own[3];
    for (int k = 1; k < 3; ++k) {
        own[k] = cell_along(cells, k, s->place[k]) - along[k].from;
        once = once && (!along[k].wrap || along[k].wrap >= 2 * along[k].steps);
    }
    for (int64_t z = once ? own[2] : 0; z < along[2].steps; ++z) {
        for (int64_t y = once && z == own[2] ? own[1] : 0; y < along[1].steps; ++y) {
            uint64_t row = row_key(wrapped(along[1].from + y, along[1].wrap),
                                   wrapped(along[2].from + z, along[2].wrap));
            bool is_own = once && z == own[2] && y == own[1];
            if (!visit_row(s, row, &along[0], is_own ? point + 1 : 0)) return false;
        }
    }
    return true;
}

bool cells_near(const cells *cells, const double place[3], double reach, cells_visit *visit,
                void *context)
{
    return search(&(searching){cells, place, reach, visit, context}, NO_POINT);
}

bool cells_near_point(const cells *cells, uint32_t point, double reach, cells_visit *visit,
                      void *context)
{
    return search(&(searching){cells, cells->place[point], reach, visit, context}, point);
}
