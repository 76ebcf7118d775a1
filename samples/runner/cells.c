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
    cells->place = malloc((room + 1) * sizeof *cells->place);
    if (cells->head && cells->next && cells->place) {
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

static uint32_t bucket(const cells *cells, const int64_t at[3])
{
    uint64_t h = (uint64_t)at[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)at[1] * 0xbf58476d1ce4e5b9u ^
                 (uint64_t)at[2] * 0x94d049bb133111ebu;
    return (uint32_t)(h >> 32 ^ h) & cells->mask;
}

void cells_add(cells *cells, const double place[3])
{
    int64_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = cell_along(cells, k, place[k]);
    uint32_t b = bucket(cells, at), i = cells->count++;
    memcpy(cells->place[i], place, sizeof cells->place[i]);
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

bool cells_near(const cells *cells, const double place[3], bool (*visit)(void *, uint32_t, double),
                void *context)
{
    int64_t span[3], base[3];
    for (int k = 0; k < 3; ++k) {
        int64_t n = count_along(cells, k);
        base[k] = cell_along(cells, k, place[k]);
        span[k] = n == 0 || n > 2 ? 3 : n; /* short periodic axis: visit each cell once */
    }
    for (int64_t c = 0; c < span[0] * span[1] * span[2]; ++c) {
        int64_t step[3] = {c % span[0], c / span[0] % span[1], c / (span[0] * span[1])}, at[3];
        for (int k = 0; k < 3; ++k) {
            int64_t n = count_along(cells, k);
            at[k] = base[k] + step[k] - (span[k] == 3);
            if (n) at[k] = ((at[k] % n) + n) % n;
        }
        for (uint32_t i = cells->head[bucket(cells, at)]; i != UINT32_MAX; i = cells->next[i]) {
            bool same = true;
            for (int k = 0; k < 3; ++k)
                same = same && cell_along(cells, k, cells->place[i][k]) == at[k];
            if (same && !visit(context, i, distance2(cells, place, cells->place[i]))) return false;
        }
    }
    return true;
}
