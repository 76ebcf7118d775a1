/* See surface_view.h. */
#include "surface_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <surface_place.h>

static bool get_surface(const kugel_world *world, uint32_t index, kugel_surface_def *def)
{
    return kugel_surface_get(world, kugel_world_surface(world, index), def, NULL) == KUGEL_OK;
}

void surface_view_extent(const kugel_world *world, int axis, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    kugel_surface_def def;
    for (uint32_t s = 0; s < kugel_world_surface_end(world); ++s) {
        if (!get_surface(world, s, &def)) continue;
        for (uint32_t v = 0; v < def.vertex_count; ++v) {
            double x[3];
            surface_place(&def, def.vertices + 3 * (size_t)v, x);
            *low = fmin(*low, x[axis]), *high = fmax(*high, x[axis]);
        }
    }
}

static int compare(const void *p, const void *q)
{
    const outline_edge *a = p, *b = q;
    if (a->vertex[0] != b->vertex[0]) return a->vertex[0] < b->vertex[0] ? -1 : 1;
    return a->vertex[1] == b->vertex[1] ? 0 : a->vertex[1] < b->vertex[1] ? -1 : 1;
}

/* Append all edges of the triangles, sorted. false: out of memory. */
static bool add_edges(surface_outline *outline, const kugel_surface_def *def)
{
    size_t count = 3 * (size_t)def->triangle_count;
    outline->edges = malloc(count * sizeof *outline->edges + 1);
    if (!outline->edges) return false;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t t = i / 3, a = def->triangles[i], b = def->triangles[3 * t + (i + 1) % 3];
        outline_edge edge = {{a < b ? a : b, a < b ? b : a}, {t, UINT32_MAX}};
        if (a != b) outline->edges[outline->count++] = edge;
    }
    qsort(outline->edges, outline->count, sizeof *outline->edges, compare);
    return true;
}

/* Keep one entry for each edge, with two of its triangles. */
static void join(surface_outline *outline)
{
    outline_edge *edges = outline->edges;
    size_t kept = 0;
    for (size_t i = 0; i < outline->count; ++i) {
        if (kept && compare(&edges[kept - 1], &edges[i]) == 0)
            edges[kept - 1].triangle[1] = edges[i].triangle[0];
        else edges[kept++] = edges[i];
    }
    outline->count = kept;
}

/* True if the outline is that of the surface: a surface that took its index may be another one. */
static bool is_outline_of(const surface_outline *outline, const kugel_surface_def *def)
{
    return outline->edges && outline->vertices == def->vertex_count &&
           outline->triangles == def->triangle_count;
}

static bool read_outline(surface_outline *outline, const kugel_surface_def *def)
{
    free(outline->edges);
    *outline = (surface_outline){.vertices = def->vertex_count, .triangles = def->triangle_count};
    if (!add_edges(outline, def)) return false;
    join(outline);
    return true;
}

bool surface_view_read(surface_view *view, const kugel_world *world)
{
    uint32_t end = kugel_world_surface_end(world);
    if (end > view->end) {
        surface_outline *more = realloc(view->surfaces, end * sizeof *more);
        if (!more) return false;
        memset(more + view->end, 0, (end - view->end) * sizeof *more);
        view->surfaces = more, view->end = end;
    }
    for (uint32_t s = 0; s < end; ++s) {
        kugel_surface_def def;
        if (!get_surface(world, s, &def) || is_outline_of(&view->surfaces[s], &def)) continue;
        if (!read_outline(&view->surfaces[s], &def)) return false;
    }
    return true;
}

void surface_view_free(surface_view *view)
{
    for (uint32_t s = 0; view->surfaces && s < view->end; ++s) free(view->surfaces[s].edges);
    free(view->surfaces);
    *view = (surface_view){0};
}

static void dots_of(const kugel_surface_def *def, uint32_t vertex, const projection *p,
                    double out[2])
{
    double x[3];
    surface_place(def, def->vertices + 3 * (size_t)vertex, x);
    out[0] = p->left + x[p->right] * p->scale;
    out[1] = p->bottom - x[p->up] * p->scale;
}

/* Twice the signed area of the triangle in the picture; its sign depends on which side faces the
 * viewer. */
static double seen_area(const kugel_surface_def *def, uint32_t triangle, const projection *p)
{
    double x[3][2];
    for (int k = 0; k < 3; ++k) dots_of(def, def->triangles[3 * (size_t)triangle + k], p, x[k]);
    return (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
}

static bool is_outline(const kugel_surface_def *def, const outline_edge *edge, const projection *p)
{
    if (edge->triangle[1] == UINT32_MAX) return true;
    return (seen_area(def, edge->triangle[0], p) > 0) != (seen_area(def, edge->triangle[1], p) > 0);
}

void surface_view_draw(const surface_view *view, const kugel_world *world, const projection *p,
                       canvas *canvas)
{
    for (uint32_t s = 0; s < view->end; ++s) {
        const surface_outline *outline = &view->surfaces[s];
        kugel_surface_def def;
        if (!get_surface(world, s, &def)) continue;
        for (size_t i = 0; i < outline->count; ++i) {
            const outline_edge *edge = &outline->edges[i];
            double a[2], b[2];
            if (!is_outline(&def, edge, p)) continue;
            dots_of(&def, edge->vertex[0], p, a);
            dots_of(&def, edge->vertex[1], p, b);
            canvas_line(canvas, a[0], a[1], b[0], b[1], false);
        }
    }
}
