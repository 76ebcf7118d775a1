/* One hash grid for each level of radii. */
#include "cell_levels.h"

#include <stdlib.h>

int cell_level_of(double largest, double radius)
{
    int level = 0;
    for (double r = 0.5 * largest; radius <= r && level + 1 < CELL_LEVELS; r *= 0.5) level += 1;
    return level;
}

void cells_wrap_bounds(cells *cells, const kugel_bounds *bounds)
{
    for (int k = 0; k < 3; ++k) {
        if (bounds->faces[2 * k] == KUGEL_FACE_PERIODIC)
            cells_wrap(cells, k, bounds->min[k], bounds->max[k] - bounds->min[k]);
    }
}

bool cell_levels_open(cell_levels *levels, const kugel_bounds *bounds, const double *radius,
                      uint32_t count, double stretch)
{
    *levels = (cell_levels){.radius = radius, .stretch = stretch};
    uint32_t members[CELL_LEVELS] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        levels->largest = radius[i] > levels->largest ? radius[i] : levels->largest;
    }
    for (uint32_t i = 0; i < count; ++i) {
        int l = cell_level_of(levels->largest, radius[i]);
        members[l] += 1;
        if (radius[i] > levels->widest[l]) levels->widest[l] = radius[i];
    }
    for (int l = 0; l < CELL_LEVELS; ++l) {
        cells *cells = &levels->level[l];
        if (!members[l]) continue;
        levels->index[l] = malloc(members[l] * sizeof *levels->index[l]);
        if (!levels->index[l] || !cells_open(cells, members[l], 2 * levels->widest[l] * stretch)) {
            free(levels->index[l]);
            levels->index[l] = NULL;
            return cell_levels_close(levels), false;
        }
        cells_wrap_bounds(cells, bounds);
    }
    return true;
}

void cell_levels_close(cell_levels *levels)
{
    for (int l = 0; l < CELL_LEVELS; ++l) {
        if (levels->index[l]) cells_close(&levels->level[l]);
        free(levels->index[l]);
        levels->index[l] = NULL;
    }
}

void cell_levels_add(cell_levels *levels, uint32_t index, const double place[3])
{
    int level = cell_level_of(levels->largest, levels->radius[index]);
    levels->index[level][levels->level[level].count] = index;
    cells_add(&levels->level[level], place);
}

typedef struct visiting {
    const uint32_t *index;
    cells_visit *visit;
    void *context;
} visiting;

static bool visit_index(void *context, uint32_t point, double d2)
{
    const visiting *v = context;
    return v->visit(v->context, v->index[point], d2);
}

/* Search the levels from 0 to `last`. */
static bool visit_levels(const cell_levels *levels, int last, const double place[3], double radius,
                         cells_visit *visit, void *context)
{
    for (int l = 0; l <= last; ++l) {
        visiting v = {levels->index[l], visit, context};
        double reach = (radius + levels->widest[l]) * levels->stretch;
        if (v.index && !cells_near(&levels->level[l], place, reach, visit_index, &v)) return false;
    }
    return true;
}

bool cell_levels_near(const cell_levels *levels, const double place[3], double radius,
                      cells_visit *visit, void *context)
{
    return visit_levels(levels, CELL_LEVELS - 1, place, radius, visit, context);
}

bool cell_levels_near_larger(const cell_levels *levels, const double place[3], double radius,
                             cells_visit *visit, void *context)
{
    return visit_levels(levels, cell_level_of(levels->largest, radius), place, radius, visit,
                        context);
}
