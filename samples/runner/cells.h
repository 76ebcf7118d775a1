/* A hash grid of points: finds the points near a place, for generators. */
#ifndef RUNNER_CELLS_H
#define RUNNER_CELLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cells {
    double edge;         /* m, width of a cell; cells of a periodic axis may be wider */
    double low[3];       /* m, start of a periodic axis; else 0 */
    double length[3];    /* m, length of a periodic axis; else infinite */
    double per_metre[3]; /* cells per metre along each axis */
    int64_t along[3];    /* number of cells along a periodic axis; else 0 */
    uint32_t mask;       /* number of buckets - 1 */
    uint32_t *head;      /* [bucket]: first point of its chain */
    uint32_t *next;      /* [point]: next in the chain */
    uint64_t *key;       /* [point], of its cell */
    double (*place)[3];  /* [point], m */
    uint32_t count;
    bool wraps; /* true: an axis is periodic */
} cells;

/* Reserve space for `room` points; cells are `edge` wide (m). false: out of memory. */
bool cells_open(cells *cells, uint32_t room, double edge);
void cells_close(cells *cells);
/* Close the cells and return the places in the order in which they were added. The caller frees
 * them. */
double (*cells_take_places(cells *cells))[3];
/* Make an axis periodic, before points are added. */
void cells_wrap(cells *cells, int axis, double low, double length);
void cells_add(cells *cells, const double place[3]);
/* Squared distance of two places by their nearest periodic images. @param length of each axis;
 * infinite unless it is periodic. */
double cells_distance2(const double length[3], const double p[3], const double q[3]);
/* A visit that returns false ends the search. */
typedef bool cells_visit(void *context, uint32_t index, double d2);
/* Call visit(context, index, squared distance) for all points within `reach` (m); in a search of
 * many cells also for farther points. `place` and all points must lie within the periodic axes.
 * @return false if a visit ended the search. */
bool cells_near(const cells *cells, const double place[3], double reach, cells_visit *visit,
                void *context);

#endif
