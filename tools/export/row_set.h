/* The bodies of a world, read in bulk. */
#ifndef EXPORT_ROW_SET_H
#define EXPORT_ROW_SET_H

#include <kugel/kugel.h>

/* Rows in the order of ids. Shapes: ids, radius, mass [count], the others [3 * count]. */
typedef struct row_set {
    uint32_t count, capacity;
    uint32_t *ids;
    double *position, *velocity, *spin;
    /* rows_read_details fills these */
    int32_t *image;
    double *radius, *mass; /* m; kg, 0: infinite */
} row_set;

/* false when out of memory. */
bool rows_read(row_set *rows, const kugel_world *world);
/* Replace positions, velocities and spins by those of a recorded state; false if it has other
 * bodies. */
bool rows_replace(row_set *rows, const kugel_recorded *recorded);
/* Read images, radii and masses of the present rows from the same state of the world. */
void rows_read_details(row_set *rows, const kugel_world *world);
/* The row of a body that is there. Cost: O(log rows), O(1) where no id below is free. */
uint32_t rows_find(const row_set *rows, uint32_t id);
void rows_free(row_set *rows);

#endif
