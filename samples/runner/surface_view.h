/* Outlines of surfaces for the side view: edges with one triangle, and edges between a triangle
 * that faces the viewer and one that faces away. Cost: a sort of the edges of a new surface, and a
 * pass over the edges for each picture. */
#ifndef RUNNER_SURFACE_VIEW_H
#define RUNNER_SURFACE_VIEW_H

#include <kugel/kugel.h>

#include "canvas.h"

/* An edge of a surface, and two of its triangles. */
typedef struct outline_edge {
    uint32_t vertex[2], triangle[2]; /* triangle[1] is UINT32_MAX for an open edge */
} outline_edge;

/* All zero: not yet read. */
typedef struct surface_outline {
    uint32_t vertices, triangles; /* of its surface */
    outline_edge *edges;
    size_t count;
} surface_outline;

/* All zero: no surfaces. */
typedef struct surface_view {
    surface_outline *surfaces; /* by index */
    uint32_t end;
} surface_view;

/* The projection of the world onto the picture. */
typedef struct projection {
    int right, up, away; /* axes of the world: 0 x, 1 y, 2 z */
    double scale;        /* dots a metre */
    double left, bottom; /* dots, position of (0, 0) m */
} projection;

/* Read the outlines of surfaces that are new. false: out of memory. */
bool surface_view_read(surface_view *view, const kugel_world *world);
/* The extent along an axis of all surfaces, in their present places; low > high without any. */
void surface_view_extent(const kugel_world *world, int axis, double *low, double *high);
void surface_view_draw(const surface_view *view, const kugel_world *world, const projection *p,
                       canvas *canvas);
void surface_view_free(surface_view *view);

#endif
