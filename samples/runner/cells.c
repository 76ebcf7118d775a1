/* Cells are hashed into buckets, so empty space costs nothing. */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cells_open(cells *cells, uint32_t room, double edge)
{
    uint32_t size = 64;
    while (size < room) size *= 2;
    *cells = (struct cells){.edge = edge, .mask = size - 1};
    for (int k = 0; k < 3; ++k) cells->length[k] = INFINITY, cells->per_metre[k] = 1 / edge;
    cells->head = malloc(size * sizeof *cells->head);
    cells->next = malloc((room + 1) * sizeof *cells->next);
    cells->key = malloc((room + 1) * sizeof *cells->key);
    cells->place = malloc((room + 1) * sizeof *cells->place);
    if (!cells->head || !cells->next || !cells->key || !cells->place)
        return cells_close(cells), false;
    memset(cells->head, 0xff, size * sizeof *cells->head);
    return true;
}

void cells_close(cells *cells)
{
    free(cells->head);
    free(cells->next);
    free(cells->key);
    free(cells->place);
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

/* A row is all cells with the same y and z. Neighbouring rows have different keys. */
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
    cells->next[i] = cells->head[b];
    cells->head[b] = i;
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

double cells_distance2(const double length[3], const double p[3], const double q[3])
{
    double x = shortest(p[0], q[0], length[0]), y = shortest(p[1], q[1], length[1]);
    double z = shortest(p[2], q[2], length[2]);
    return x * x + y * y + z * z;
}

static inline double distance2(const cells *cells, const double p[3], const double q[3])
{
    if (cells->wraps) return cells_distance2(cells->length, p, q);
    double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
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

static bool visit_row(const searching *s, uint64_t row, const span *along)
{
    for (int64_t step = 0; step < along->steps; ++step)
        if (!visit_cell(s, row, wrapped(along->from + step, along->wrap))) return false;
    return true;
}

static bool visit_all(const searching *s)
{
    const cells *cells = s->cells;
    for (uint32_t i = 0; i < cells->count; ++i)
        if (!s->visit(s->context, i, distance2(cells, s->place, cells->place[i]))) return false;
    return true;
}

bool cells_near(const cells *cells, const double place[3], double reach, cells_visit *visit,
                void *context)
{
    searching s = {cells, place, reach, visit, context};
    span along[3];
    double visits = 1;
    for (int k = 0; k < 3; ++k) {
        along[k] = span_along(cells, k, place[k], reach);
        visits *= (double)along[k].steps;
    }
    if (visits > 27 && visits > cells->count) return visit_all(&s);
    for (int64_t z = 0; z < along[2].steps; ++z) {
        for (int64_t y = 0; y < along[1].steps; ++y) {
            uint64_t row = row_key(wrapped(along[1].from + y, along[1].wrap),
                                   wrapped(along[2].from + z, along[2].wrap));
            if (!visit_row(&s, row, &along[0])) return false;
        }
    }
    return true;
}
