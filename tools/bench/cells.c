/* Levels of cells in a hash table with chains. Cost of an insertion and of a search in one level:
 * constant where spheres do not overlap. */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double scene_distance(const scene *s, const double a[3], const double b[3])
{
    double d[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = a[k] - b[k];
        if (s->periodic) d[k] -= s->length[k] * round(d[k] / s->length[k]);
    }
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void find_levels(cells *c)
{
    const scene *s = c->scene;
    double largest = 0, octave[CELL_LEVELS] = {0};
    int level_of[CELL_LEVELS];
    for (size_t i = 0; i < s->count; ++i) largest = fmax(largest, scene_radius(s, i));
    for (size_t i = 0; i < s->count; ++i) {
        double radius = scene_radius(s, i);
        int k = 0;
        for (double least = largest / 2; k < CELL_LEVELS - 1 && radius < least; least /= 2) ++k;
        octave[k] = fmax(octave[k], radius);
        c->level[i] = (uint8_t)k;
    }
    c->levels = 0;
    for (int k = 0; k < CELL_LEVELS; ++k) {
        level_of[k] = c->levels;
        if (octave[k] > 0) c->width[c->levels++] = 2 * octave[k];
    }
    for (size_t i = 0; i < s->count; ++i) c->level[i] = (uint8_t)level_of[c->level[i]];
}

void cells_make(cells *c, const scene *s)
{
    *c = (cells){.scene = s};
    while (c->mask < s->count * 2) c->mask = 2 * c->mask + 1;
    c->head = malloc(((size_t)c->mask + 1) * sizeof *c->head);
    c->next = malloc(s->count * sizeof *c->next);
    c->level = malloc(s->count);
    if (!c->head || !c->next || !c->level) abort();
    memset(c->head, 0xff, ((size_t)c->mask + 1) * sizeof *c->head);
    find_levels(c);
}

void cells_free(cells *c)
{
    free(c->head);
    free(c->next);
    free(c->level);
}

/* Number of cells along a periodic axis, which are at least as wide as the level's; 0 if the axis
 * is not periodic. */
static int64_t period(const cells *c, int level, int axis)
{
    return c->scene->periodic ? (int64_t)(c->scene->length[axis] / c->width[level]) : 0;
}

static void cell_of(const cells *c, int level, const double x[3], int64_t out[3])
{
    for (int k = 0; k < 3; ++k) {
        int64_t n = period(c, level, k);
        out[k] =
            (int64_t)floor(n ? x[k] / c->scene->length[k] * (double)n : x[k] / c->width[level]);
        if (n) out[k] = (out[k] % n + n) % n;
    }
}

static uint32_t hash(const cells *c, int level, const int64_t cell[3])
{
    uint64_t h = (uint64_t)cell[0] * 73856093u ^ (uint64_t)cell[1] * 19349663u ^
                 (uint64_t)cell[2] * 83492791u ^ (uint64_t)level * 2654435761u;
    return (uint32_t)h & c->mask;
}

void cells_insert(cells *c, const double *position, uint32_t i)
{
    int64_t cell[3];
    cell_of(c, c->level[i], position + 3 * (size_t)i, cell);
    uint32_t h = hash(c, c->level[i], cell);
    c->next[i] = c->head[h];
    c->head[h] = i;
}

static bool is_in(const cells *c, int level, const double *position, uint32_t j,
                  const int64_t cell[3])
{
    int64_t own[3];
    if (c->level[j] != level) return false;
    cell_of(c, level, position + 3 * (size_t)j, own);
    return own[0] == cell[0] && own[1] == cell[1] && own[2] == cell[2];
}

/* The d-th of the 27 cells around one, itself included. false: another d gives the same cell,
 * because an axis has fewer than three cells. */
static bool neighbour(const cells *c, int level, const int64_t middle[3], int d, int64_t out[3])
{
    const int step[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
    for (int k = 0; k < 3; ++k) {
        int64_t n = period(c, level, k);
        if (n && step[k] + 2 > n) return false;
        out[k] = n ? (middle[k] + step[k] + n) % n : middle[k] + step[k];
    }
    return true;
}

void cells_near(const cells *c, const double *position, const double x[3], int levels,
                void (*found)(void *user, uint32_t other), void *user)
{
    for (int level = 0; level < levels; ++level) {
        int64_t middle[3], cell[3];
        cell_of(c, level, x, middle);
        for (int d = 0; d < 27; ++d) {
            if (!neighbour(c, level, middle, d, cell)) continue;
            for (uint32_t j = c->head[hash(c, level, cell)]; j != UINT32_MAX; j = c->next[j]) {
                if (is_in(c, level, position, j, cell)) found(user, j);
            }
        }
    }
}
