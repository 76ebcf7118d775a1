/* T-junctions: edges of one triangle that run along parts of other such edges. In: linked edges,
 * the tree. Out: calls. Cost: a walk of the tree for each triangle with such an edge. Triangles
 * that share no edge do not search: for a soup of them it would take more time than the rest of
 * building. */
#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

/* Distance of vertices from the line of an edge, in largest coordinates: rounding of a point on it.
 * Smaller than the overlap of regions (POINT_ROUNDING of mesh_feature.c): no path slips between two
 * triangles there. */
#define BESIDE_SHARE 0x1p-48

typedef struct line {
    uint32_t half;
    const double *origin;
    double along[3], length;
} line;

typedef struct search {
    kg_mesh_builder *builder;
    const kg_mesh *mesh;
    line lines[3];
    uint32_t triangle, count;
    double tolerance;
    kg_mesh_beside *visit;
    void *context;
} search;

/* Where a vertex is along a line; false if it is not on it. */
static bool place(const search *s, const line *l, uint32_t vertex, double *at)
{
    double d[3], off[3];
    kg_sub3(d, kg_mesh_vertex(s->mesh, vertex), l->origin);
    *at = kg_dot3(d, l->along);
    kg_add_scaled3(off, d, -*at, l->along);
    return kg_dot3(off, off) <= s->tolerance * s->tolerance;
}

static void visit_edge(const search *s, const line *l, uint32_t other)
{
    double start, end;
    if (!place(s, l, kg_mesh_start(s->mesh, other), &start) ||
        !place(s, l, kg_mesh_end(s->mesh, other), &end))
        return;
    double low = start < end ? start : end, high = kg_max(start, end);
    if (high > s->tolerance && low < l->length - s->tolerance)
        s->visit(s->context, l->half, other, low - s->tolerance, high + s->tolerance);
}

static bool visit_triangle(void *context, uint32_t triangle)
{
    const search *s = context;
    if (!s->builder->beside_left) return false;
    s->builder->beside_left -= 1;
    if (triangle == s->triangle) return true;
    for (uint32_t other = 3 * triangle; other < 3 * triangle + 3; ++other) {
        for (uint32_t k = 0; k < s->count && s->mesh->around[other] == other; ++k)
            visit_edge(s, &s->lines[k], other);
    }
    return true;
}

static void add_line(search *s, uint32_t half)
{
    line *l = &s->lines[s->count++];
    l->half = half;
    l->origin = kg_mesh_vertex(s->mesh, kg_mesh_start(s->mesh, half));
    kg_mesh_along(s->mesh, half, l->along);
    l->length = kg_length3(l->along);
    kg_normalize3(l->along, l->along, kg_zero3);
}

void kg_mesh_find_beside(kg_mesh_builder *builder, uint32_t triangle, kg_mesh_beside *visit,
                         void *context)
{
    const kg_mesh *mesh = builder->mesh;
    search s = {builder, mesh, .triangle = triangle, .visit = visit, .context = context};
    double low[3], high[3];
    for (uint32_t half = 3 * triangle; half < 3 * triangle + 3; ++half) {
        if (mesh->around[half] == half) add_line(&s, half);
    }
    if (s.count == 0 || s.count == 3 || !builder->beside_left) return;
    s.tolerance = BESIDE_SHARE * kg_mesh_largest_coordinate(mesh);
    kg_mesh_triangle_box(mesh, triangle, low, high);
    kg_mesh_find_near(mesh, low, high, s.tolerance, visit_triangle, &s);
}
