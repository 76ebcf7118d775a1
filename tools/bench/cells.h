/* Cell lists of spheres with a level for each octave of radii, which find the spheres near a place.
 * Cells of a level are as wide as two of its largest spheres. In: the position of each sphere when
 * it is inserted. Order of results: levels from the largest spheres on, last inserted first. */
#ifndef CELLS_H
#define CELLS_H

#include "bench.h"

enum { CELL_LEVELS = 32 };

typedef struct cells {
    const scene *scene;
    int levels;                /* that have spheres, the largest first */
    double width[CELL_LEVELS]; /* m, of a cell; wider on periodic axes, to divide them */
    uint8_t *level;            /* of each sphere */
    uint32_t *head, *next, mask;
} cells;

void cells_make(cells *c, const scene *scene);
void cells_free(cells *c);
void cells_insert(cells *c, const double *position, uint32_t i);
/* Calls `found` for each sphere of the first `levels` levels whose cell holds x or is adjacent.
 * These are all spheres that a sphere at x can touch if it belongs to one of these levels. */
void cells_near(const cells *c, const double *position, const double x[3], int levels,
                void (*found)(void *user, uint32_t other), void *user);

static inline double scene_radius(const scene *s, size_t i)
{
    return s->radii ? s->radii[i] : s->radius;
}
static inline double scene_mass(const scene *s, size_t i)
{
    return s->masses ? s->masses[i] : s->mass;
}
/* Distance of two centres, to the nearest image in a periodic box. */
double scene_distance(const scene *s, const double a[3], const double b[3]);

#endif
