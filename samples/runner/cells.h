/* A hash grid of points: finds the points near a place, for generators and checks. */
#ifndef RUNNER_CELLS_H
#define RUNNER_CELLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cells {
    double edge;            /* m, width of a cell; cells of a periodic axis may be wider */
    double low[3];          /* m, start of a periodic axis; else 0 */
    double length[3];       /* m, length of a periodic axis; else infinite */
    double per_metre[3];    /* cells per metre along each axis */
    int64_t along[3];       /* number of cells along a periodic axis; else 0 */
    uint32_t mask;          /* number of buckets - 1 */
    uint32_t *head;         /* [bucket]: first point of its chain; if sorted, first of its points */
    uint32_t *next;         /* [point]: next in the chain; if sorted, the index of the point */
    uint32_t *bucket;       /* [point], of its cell; not sorted */
    uint64_t *key;          /* [point], of its cell */
    double (*place)[3];     /* [point], m */
    uint64_t *old_key;      /* [point], space of cells_sort; NULL before its first call */
    double (*old_place)[3]; /* as old_key */
    uint32_t count, room;
    bool wraps;  /* true: an axis is periodic */
    bool sorted; /* true: points are in the order of buckets */
} cells;

/* Reserve space for `room` points; cells are `edge` wide (m). false: out of memory. */
bool cells_open(cells *cells, uint32_t room, double edge);
void cells_close(cells *cells);
/* Remove all points. The memory stays, also that of cells_sort. */
void cells_clear(cells *cells);
/* Close cells that are not sorted and return the places in the order in which they were added. The
 * caller frees them. */
double (*cells_take_places(cells *cells))[3];
/* Make an axis periodic, before points are added. */
void cells_wrap(cells *cells, int axis, double low, double length);
void cells_add(cells *cells, const double place[3]);
/* Put the points in the order of cells, which makes searches faster; no more can be added. false:
 * out of memory, and nothing has changed. */
bool cells_sort(cells *cells);
/* A visit that returns false ends the search. */
typedef bool cells_visit(void *context, uint32_t index, double d2);
/* Call visit(context, index, squared distance) for all points within `reach` (m); in a search of
 * many cells also for farther points. `place` and all points must lie within the periodic axes.
 * @return false if a visit ended the search. */
bool cells_near(const cells *cells, const double place[3], double reach, cells_visit *visit,
                void *context);
/* As cells_near, around the point at index `point` of sorted cells. Such searches around all points
 * find each pair at least once, in half the time of cells_near. */
bool cells_near_point(const cells *cells, uint32_t point, double reach, cells_visit *visit,
                      void *context);

#endif
