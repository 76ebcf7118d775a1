/* A hash grid of points: finds the points near a place, for generators and checks. */
#ifndef RUNNER_CELLS_H
#define RUNNER_CELLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cells {
    double edge;
    double low[3], length[3]; /* length > 0: the axis is periodic and begins at low */
    uint32_t *head, *next, mask;
    uint64_t *key; /* of a point's cell */
    double (*place)[3];
    uint32_t count, room;
} cells;

/* Reserve space for `room` points; cells are `edge` wide (m). false: out of memory. */
bool cells_open(cells *cells, uint32_t room, double edge);
void cells_close(cells *cells);
void cells_add(cells *cells, const double place[3]);
/* A visit that returns false ends the search. */
typedef bool cells_visit(void *context, uint32_t index, double d2);
/* Call visit(context, index, squared distance) for all points within `reach` (m), and some beyond.
 * @return false if a visit ended the search. */
bool cells_near(const cells *cells, const double place[3], double reach, cells_visit *visit,
                void *context);

#endif
