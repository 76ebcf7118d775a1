/* Surfaces by brute force over all their triangles in long double: an oracle for queries that meet
 * them. Where rounding decides, an answer is a range: what is certain with a margin, and what is
 * possible. */
#ifndef SUPPORT_SHEETS_H
#define SUPPORT_SHEETS_H

#include <kugel/kugel.h>

/* The triangles of a surface in the world. */
typedef struct support_sheet {
    long double *corner; /* [9 * count], m */
    uint32_t count;
    long double size; /* m, largest coordinate: scales margins */
    bool one_sided;
    uint32_t index, category, mask, group;
} support_sheet;

/* Read a surface of a world; free `corner`. */
support_sheet support_sheet_read(const kugel_world *world, uint32_t index);
bool support_sheet_passes(const support_sheet *sheet, const kugel_filter *filter);

/* Distance of a point from a triangle, and from the whole surface, m. */
long double support_triangle_distance(const support_sheet *sheet, uint32_t triangle,
                                      const long double x[3]);
long double support_sheet_distance(const support_sheet *sheet, const long double x[3]);
/* The unit normal of a triangle's front. */
void support_triangle_normal(const support_sheet *sheet, uint32_t triangle, long double normal[3]);

/* The time at which a ray first meets a triangle of the surface, or INFINITY. Each triangle is
 * widened (margin > 0) or narrowed (margin < 0) by this share of its heights: the result is the
 * earliest possible time with a margin above 0, and a certain one with a margin below 0. */
long double support_sheet_ray(const support_sheet *sheet, const kugel_ray *ray, long double margin);
/* The time at which a sphere that moves along the ray first touches the surface, or INFINITY. It is
 * found from each triangle's distance along the path. */
long double support_sheet_cast(const support_sheet *sheet, const kugel_ray *ray,
                               long double radius);

/* A convex function of place that is <= 0 in a volume, which is within `reach` of its centre. */
typedef long double support_inside(const void *volume, const long double x[3]);
typedef struct support_solid {
    support_inside *inside;
    const void *volume;
    long double center[3], reach;
} support_solid;
/* The least value of `inside` on the surface's triangles within reach, or INFINITY if none is. */
long double support_sheet_least(const support_sheet *sheet, const support_solid *solid);

#endif
