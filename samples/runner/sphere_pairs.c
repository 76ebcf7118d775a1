/* Places are rounded to whole units. So images of periodic axes are exact, and several candidates
 * are tested at once in single precision. Those that may overlap are tested again, with the given
 * places. Cells that are 2^16 cells apart are one cell: the second test excludes their pairs. */
#include "sphere_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_BITS = 16, CELL = 1 << CELL_BITS, BLOCK = 4 };
#define EDGE 2 /* width of a cell in largest diameters; larger: fewer cells, but more candidates */
#define MOST_UNITS 0x1p50 /* places beyond share a cell; below, rounding is less than 3/16 unit */
/* Above sqrt(3) 2.01, the largest error of a distance in whole units. Along an axis truncation errs
 * by less than 2 where 0 lies between the places, and rounding is tiny there; elsewhere it errs by
 * less than 1 + 2 * 3/16. Even, because each sphere gets half of it. */
#define UNITS_ROUNDED 4
#define FLOAT_ROUNDED 1e-6 /* above the relative error of a distance in single precision */
#define MOST_JOINING 8     /* smaller spheres for each larger one in a joined level */

static pair_axis axis_of(const kugel_bounds *bounds, int k, double edge)
{
    if (bounds->faces[2 * k] != KUGEL_FACE_PERIODIC)
        return (pair_axis){
            .per_metre = CELL / edge, .least = -MOST_UNITS, .most = MOST_UNITS, .scale = 1};
    double length = bounds->max[k] - bounds->min[k];
    double cells = fmax(1, fmin(CELL, floor(length / edge)));
    return (pair_axis){.low = bounds->min[k],
                       .per_metre = cells * CELL / length,
                       .most = cells * CELL - 1,
                       .cells = (uint32_t)cells,
                       .scale = (float)(length / cells / edge)};
}

static float extent_of(const pair_level *level, double radius)
{
    return (float)(radius * level->per_metre) + level->margin;
}

static void open_level(pair_level *level, const kugel_bounds *bounds, double widest)
{
    double edge = 2 * EDGE * widest;
    level->per_metre = CELL / edge * (1 + FLOAT_ROUNDED);
    for (int k = 0; k < 3; ++k) {
        level->axis[k] = axis_of(bounds, k, edge);
        level->margin = fmaxf(level->margin, UNITS_ROUNDED / 2 * level->axis[k].scale);
    }
    level->widest = extent_of(level, widest);
}

/* Give each level its spheres and buckets. A level joins the next larger one, unless it has far
 * more spheres or that one has joined another: pairs within a level cost less. */
static void open_levels(sphere_pairs *pairs, const kugel_bounds *bounds, uint32_t count)
{
    double largest = 0, widest[CELL_LEVELS] = {0};
    uint32_t members[CELL_LEVELS] = {0}, point = 0, *start = pairs->starts;
    int to[CELL_LEVELS] = {0};
    for (uint32_t i = 0; i < count; ++i) largest = fmax(largest, pairs->radius[i]);
    for (uint32_t i = 0; i < count; ++i) {
        int l = cell_level_of(largest, pairs->radius[i]);
        widest[l] = fmax(widest[l], pairs->radius[i]);
        members[l] += 1;
    }
    for (int l = 1; l < CELL_LEVELS; ++l) {
        to[l] = l;
        if (to[l - 1] != l - 1 || members[l] > MOST_JOINING * members[l - 1]) continue;
        to[l] = l - 1;
        members[l - 1] += members[l], members[l] = 0;
    }
    for (int l = 0; l < CELL_LEVELS; ++l) {
        pair_level *level = &pairs->level[l];
        uint32_t size = 1;
        while (size < 2 * members[l]) size *= 2;
        *level = (pair_level){.first = point, .last = point, .mask = size - 1, .start = start};
        if (members[l]) open_level(level, bounds, widest[l]), start += size + 1;
        point += members[l];
    }
    for (uint32_t i = 0; i < count; ++i) {
        int l = to[cell_level_of(largest, pairs->radius[i])];
        pairs->spheres[pairs->level[l].last++].index = i;
    }
}

bool sphere_pairs_open(sphere_pairs *pairs, const kugel_bounds *bounds, const double *radius,
                       uint32_t count)
{
    size_t room = (size_t)count + BLOCK; /* the last block may be longer than its run */
    /* starts: a level of m spheres takes at most 4 m */
    *pairs = (sphere_pairs){.radius = radius,
                            .starts = malloc(5 * room * sizeof *pairs->starts),
                            .spheres = malloc(room * sizeof *pairs->spheres),
                            .index = malloc(room * sizeof *pairs->index),
                            .units = {calloc(3 * room, sizeof **pairs->units)},
                            .extent = calloc(room, sizeof *pairs->extent)};
    if (!pairs->starts || !pairs->spheres || !pairs->index || !pairs->units[0] || !pairs->extent)
        return sphere_pairs_close(pairs), false;
    for (int k = 0; k < 3; ++k) {
        bool periodic = bounds->faces[2 * k] == KUGEL_FACE_PERIODIC;
        pairs->length[k] = periodic ? bounds->max[k] - bounds->min[k] : INFINITY;
        pairs->units[k] = pairs->units[0] + (size_t)k * room;
    }
    open_levels(pairs, bounds, count);
    return true;
}

void sphere_pairs_close(sphere_pairs *pairs)
{
    free(pairs->starts);
    free(pairs->spheres);
    free(pairs->index);
    free(pairs->units[0]);
    free(pairs->extent);
    *pairs = (sphere_pairs){0};
}

/* Truncates towards 0, which keeps the order: a difference errs by less than 2 units. */
static void round_place(const pair_level *level, const double place[3], uint32_t units[3])
{
    for (int k = 0; k < 3; ++k) {
        const pair_axis *axis = &level->axis[k];
        double u = (place[k] - axis->low) * axis->per_metre;
        u = u > axis->least ? u : axis->least;
        u = u < axis->most ? u : axis->most;
        units[k] = (uint32_t)(int64_t)u;
    }
}

/* A row is the cells of one y and z. Its cells have consecutive buckets along x, except across a
 * periodic face and where the number of a cell wraps. */
static uint32_t row_of(uint32_t y, uint32_t z) { return (y * 0x9e3779b1u + z * 0x85ebca77u) >> 8; }

/* A counting sort. */
static void sort_level(sphere_pairs *pairs, const pair_level *level, const double *place)
{
    uint32_t size = level->mask + 1, *start = level->start, sum = level->first;
    memset(start, 0, (size + 1) * sizeof *start);
    for (uint32_t p = level->first; p < level->last; ++p) {
        pair_sphere *s = &pairs->spheres[p];
        round_place(level, place + 3 * (size_t)s->index, s->units);
        uint32_t row = row_of(s->units[1] >> CELL_BITS, s->units[2] >> CELL_BITS);
        s->bucket = (row + (s->units[0] >> CELL_BITS)) & level->mask;
        start[s->bucket] += 1;
    }
    for (uint32_t b = 0; b <= size; ++b) sum += start[b], start[b] = sum;
    for (uint32_t p = level->last; p-- > level->first;) {
        const pair_sphere *s = &pairs->spheres[p];
        uint32_t to = --start[s->bucket];
        pairs->index[to] = s->index;
        pairs->extent[to] = extent_of(level, pairs->radius[s->index]);
        for (int k = 0; k < 3; ++k) pairs->units[k][to] = s->units[k];
    }
}

/* Consecutive points of neighbouring cells of a row. */
typedef struct run {
    uint32_t begin, end;
    uint32_t shift[3]; /* units; a point's place + shift is its image beside the cell */
    uint32_t sides;    /* bits y and 3 + z of the row; 0: below the cell, 1: beside it, 2: above */
} run;

/* The points in a cell and in its neighbours. */
typedef struct neighbourhood {
    uint32_t cell[3];
    run runs[27], *end;
} neighbourhood;

/* The cell that is `step` cells away along an axis. */
static uint32_t neighbour(const pair_axis *axis, uint32_t cell, int step, uint32_t *shift)
{
    uint32_t to = cell + (uint32_t)step, turn = 0;
    if (axis->cells && to == axis->cells) turn = axis->cells;
    if (axis->cells && to == UINT32_MAX) turn = -axis->cells;
    *shift = turn << CELL_BITS;
    return (to - turn) & (CELL - 1);
}

/* @param half: true: only the cell and the 13 neighbours after it in the order of z, y and x, so
 * that each pair of cells is searched once. The first run is then the cell's own bucket and
 * what follows. */
static void find_neighbourhood(neighbourhood *n, const pair_level *level, bool half)
{
    uint32_t at[3][3], shift[3][3];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            at[k][i] = neighbour(&level->axis[k], n->cell[k], i - 1, &shift[k][i]);
    bool wraps = at[0][0] + 2 != at[0][2]; /* the three cells are not consecutive */
    n->end = n->runs;
    for (uint32_t z = half; z < 3; ++z) {
        for (uint32_t y = half && z == 1; y < 3; ++y) {
            uint32_t row = row_of(at[1][y], at[2][z]), joined;
            for (uint32_t x = half && z == 1 && y == 1; x < 3; x += joined) {
                uint32_t b = (row + at[0][x]) & level->mask;
                joined = wraps || b + 2 > level->mask ? 1 : 3 - x;
                run run = {level->start[b],
                           level->start[b + joined],
                           {shift[0][x], shift[1][y], shift[2][z]},
                           1u << y | 8u << z};
                if (run.begin < run.end) *n->end++ = run;
            }
        }
    }
}

/* The sides (run.sides) within reach of a point. */
static uint32_t near_sides(const pair_level *level, const uint32_t units[3], float extent)
{
    uint32_t sides = 2 | 2 << 3;
    float reach = extent + level->widest;
    for (int k = 1; k < 3; ++k) {
        float scale = level->axis[k].scale, below = (float)(units[k] % CELL);
        sides |= (uint32_t)(scale * below <= reach) << (3 * k - 3);
        sides |= (uint32_t)(scale * (CELL - below) <= reach) << (3 * k - 1);
    }
    return sides;
}

typedef struct finding {
    const sphere_pairs *pairs;
    const pair_level *level; /* of the candidates */
    const double *place;
    sphere_pairs_visit *visit;
    void *context;
} finding;

/* False if no point from `begin` on in a run overlaps a sphere. Compilers vectorise the loop, since
 * it takes whole blocks. */
static bool may_overlap(const finding *f, const run *run, uint32_t begin, const uint32_t units[3],
                        float extent)
{
    const uint32_t *x = f->pairs->units[0] + begin, *y = f->pairs->units[1] + begin;
    const uint32_t *z = f->pairs->units[2] + begin;
    const float *other = f->pairs->extent + begin;
    uint32_t px = units[0] - run->shift[0], py = units[1] - run->shift[1];
    uint32_t pz = units[2] - run->shift[2];
    float sx = f->level->axis[0].scale, sy = f->level->axis[1].scale, sz = f->level->axis[2].scale;
    size_t count = (run->end - begin + BLOCK - 1) / BLOCK * BLOCK;
    int found = 0;
    for (size_t i = 0; i < count; ++i) {
        float dx = sx * (float)(int32_t)(x[i] - px), dy = sy * (float)(int32_t)(y[i] - py);
        float dz = sz * (float)(int32_t)(z[i] - pz), reach = extent + other[i];
        found |= dx * dx + dy * dy + dz * dz <= reach * reach;
    }
    return found;
}

/* Test the points of a run from `begin` on one by one. Most are excluded by one coordinate: spheres
 * that overlap are at most a diameter, CELL / EDGE units, apart along each axis. */
static void visit_overlaps(const finding *f, const run *run, uint32_t begin, uint32_t a,
                           const uint32_t units[3])
{
    const sphere_pairs *pairs = f->pairs;
    const uint32_t reach = CELL / EDGE + UNITS_ROUNDED;
    uint32_t low[3];
    for (int k = 0; k < 3; ++k) low[k] = units[k] - run->shift[k] - reach;
    for (uint32_t p = begin; p < run->end; ++p) {
        if (pairs->units[0][p] - low[0] > 2 * reach) continue;
        if (pairs->units[1][p] - low[1] > 2 * reach) continue;
        if (pairs->units[2][p] - low[2] > 2 * reach) continue;
        uint32_t b = pairs->index[p];
        const double *x = f->place + 3 * (size_t)a, *y = f->place + 3 * (size_t)b;
        double sum = pairs->radius[a] + pairs->radius[b];
        double d2 = cells_distance2(pairs->length, x, y);
        if (a != b && d2 <= sum * sum) f->visit(f->context, a, b, d2);
    }
}

/* Find the pairs of a sphere of `of` and a sphere of f->level, a level of no smaller radii. */
static void find_between(const finding *f, const pair_level *of)
{
    const sphere_pairs *pairs = f->pairs;
    bool half = of == f->level;
    neighbourhood around = {.cell = {UINT32_MAX}}; /* no cell */
    for (uint32_t p = of->first; p < of->last; ++p) {
        uint32_t a = pairs->index[p], units[3], cell[3];
        if (!half) round_place(f->level, f->place + 3 * (size_t)a, units);
        for (int k = 0; k < 3; ++k) {
            if (half) units[k] = pairs->units[k][p];
            cell[k] = units[k] >> CELL_BITS;
        }
        if (memcmp(cell, around.cell, sizeof cell) != 0) {
            memcpy(around.cell, cell, sizeof cell);
            find_neighbourhood(&around, f->level, half);
        }
        float extent = half ? pairs->extent[p] : extent_of(f->level, pairs->radius[a]);
        uint32_t sides = near_sides(f->level, units, extent);
        for (const run *run = around.runs; run < around.end; ++run) {
            if (run->sides & ~sides) continue;
            uint32_t begin = half && run == around.runs ? p + 1 : run->begin;
            if (may_overlap(f, run, begin, units, extent)) visit_overlaps(f, run, begin, a, units);
        }
    }
}

void sphere_pairs_find(sphere_pairs *pairs, const double *place, sphere_pairs_visit *visit,
                       void *context)
{
    for (int l = 0; l < CELL_LEVELS; ++l) {
        pair_level *level = &pairs->level[l];
        if (level->first == level->last) continue;
        for (int k = 0; k < 3; ++k)
            if (!level->axis[k].cells) level->axis[k].low = place[k];
        sort_level(pairs, level, place);
        for (int m = 0; m <= l; ++m) {
            finding f = {pairs, &pairs->level[m], place, visit, context};
            if (f.level->first < f.level->last) find_between(&f, level);
        }
    }
}
