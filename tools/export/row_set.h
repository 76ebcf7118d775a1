/* The bodies of a world, read in bulk. */
#ifndef EXPORT_ROW_SET_H
#define EXPORT_ROW_SET_H

#include <kugel/kugel.h>

/* Rows in the order of ids. Shapes: ids, radius, mass [count], the others [3 * count]. */
typedef struct row_set {
    uint32_t count, capacity;
    uint32_t *ids;
    double *position, *velocity, *spin;
    int32_t *image;        /* [3 * count]; only rows_read_images fills it */
    double *radius, *mass; /* m, kg, 0: infinite; only rows_read_constants fills them */
    /* by id, from earlier frames */
    kugel_body *known;
    double *known_radius, *known_mass;
    uint32_t known_capacity;
} row_set;

/* false when out of memory. */
bool rows_read(row_set *rows, const kugel_world *world);
/* Read radii and masses of the present rows from the same state of the world. */
bool rows_read_constants(row_set *rows, const kugel_world *world);
/* Read the images of the present rows from the same state of the world. */
bool rows_read_images(row_set *rows, const kugel_world *world);
void rows_free(row_set *rows);

#endif
