/* A hash grid of points: finds the points near a place, for generators and checks. */
#ifndef RUNNER_CELLS_H
#define RUNNER_CELLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cells {
    double edge;
    double low[3], length[3];    /* m; of a periodic axis its start and length, else 0, infinite */
    double per_metre[3];         /* cells */
    int64_t along[3];            /* number of cells of a periodic axis, else 0 */
    uint32_t *head, *next, mask; /* buckets as chains of points */
    uint32_t *bucket;            /* of a point */
    uint64_t *key;               /* of a point's cell */
    double (*place)[3];
    uint32_t count, room;
    bool wraps;  /* true: an axis is periodic */
    bool sorted; /* true: points are in the order of buckets; head: first ones, next: indices */
} cells;

/* Reserve space for `room` points; cells are `edge` wide (m). false: out of memory. */
bool cells_open(cells *cells, uint32_t room, double edge);
void cells_close(cells *cells);
/* Make an axis periodic, before points are added. */
void cells_wrap(cells *cells, int axis, double low, double length);
void cells_add(cells *cells, const double place[3]);
/* Put the points in the order of cells, which makes searches faster; no more can be added. false:
 * out of memory, and nothing has changed. */
bool cells_sort(cells *cells);
/* A visit that returns false ends the search. */
typedef bool cells_visit(void *context, uint32_t index, double d2);
/* Call visit(context, index, squared distance) for all points within `reach` (m), and some beyond.
 * The place and all points must lie inside of periodic axes. @return false if a visit ended the
 * search. */
bool cells_near(const cells *cells, const double place[3], double reach, cells_visit *visit,
                void *context);
/* The same around a point of sorted cells, given by its place in their order. Searches around all
 * points find each pair from one of its points at least, in half the time. */
bool cells_near_point(const cells *cells, uint32_t point, double reach, cells_visit *visit,
                      void *context);

#endif
