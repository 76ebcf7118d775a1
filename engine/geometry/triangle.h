/* The point of a triangle nearest to a point. In: corners, a point x (m). Out: the nearest point,
 * the part of the triangle that it lies on, the squared distance. Cost: some dozen flops. */
#ifndef KG_GEOMETRY_TRIANGLE_H
#define KG_GEOMETRY_TRIANGLE_H

#include <stdint.h>

/* Parts of a triangle. Edge k joins corner k and the next one. */
enum {
    KG_TRIANGLE_FACE = 0,
    KG_TRIANGLE_EDGE = 1,  /* + k */
    KG_TRIANGLE_CORNER = 4 /* + k */
};

typedef struct kg_triangle_nearest {
    uint32_t part;
    double point[3]; /* m */
    double squared;  /* m^2, squared distance from x to the point */
} kg_triangle_nearest;

/* A triangle without an area counts as its edges. */
void kg_triangle_find_nearest(const double *const corner[3], const double x[3],
                              kg_triangle_nearest *nearest);
/* The nearest point of edge k alone; the third corner may be NULL. */
void kg_triangle_find_on_edge(const double *const corner[3], uint32_t k, const double x[3],
                              kg_triangle_nearest *nearest);

#endif
