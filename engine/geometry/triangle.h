/* The point of a triangle nearest to a point. In: corners, m. Out: the point, its part of the
 * triangle, the squared distance. Cost: a few dozen flops. */
#ifndef KG_GEOMETRY_TRIANGLE_H
#define KG_GEOMETRY_TRIANGLE_H

#include <stdint.h>

/* Parts: edge k joins corner k and the next. */
enum { KG_TRIANGLE_FACE = 0, KG_TRIANGLE_EDGE = 1, KG_TRIANGLE_CORNER = 4 };

typedef struct kg_triangle_nearest {
    uint32_t part;
    double point[3], squared;
} kg_triangle_nearest;

/* A triangle without an area is its edges. */
void kg_triangle_find_nearest(const double *const corner[3], const double x[3],
                              kg_triangle_nearest *nearest);
void kg_triangle_find_on_edge(const double *const corner[3], uint32_t k, const double x[3],
                              kg_triangle_nearest *nearest);

#endif
