/* T-junctions: open edges (of one triangle) that run along parts of other open edges.
 * In: linked edges, the tree. Out: calls of a visitor. Cost: a walk of the tree for each triangle
 * with one or two open edges. A triangle with three open edges starts no search: in a mesh of
 * unconnected triangles the searches would take more time than the rest of building. */
#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

/* Maximum distance of a vertex on the line of an edge from that line, as a share of the largest
 * coordinate: rounding. It is below the overlap of regions (POINT_ROUNDING of mesh_feature.c), so
 * no path slips between two triangles there. */
#define COLLINEAR_SHARE 0x1p-48

/* The line of a half-edge. */
typedef struct line {
    uint32_t half;
    const double *origin;    /* start of the half-edge */
    double along[3], length; /* unit direction; m */
} line;

typedef struct search {
    kg_mesh_builder *builder;
    const kg_mesh *mesh;
    line lines[3]; /* [count], of the open edges of the triangle */
    uint32_t triangle, count;
    double tolerance; /* m */
    kg_mesh_t_junction_visit *visit;
    void *context;
} search;

/* True if the vertex is on the line; then *at is its position along the line, m. */
static bool project_on_line(const search *s, const line *l, uint32_t vertex, double *at)
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
    if (!project_on_line(s, l, kg_mesh_start(s->mesh, other), &start) ||
        !project_on_line(s, l, kg_mesh_end(s->mesh, other), &end))
        return;
    double low = start < end ? start : end, high = kg_max(start, end);
    if (high > s->tolerance && low < l->length - s->tolerance)
        s->visit(s->context, l->half, other, low - s->tolerance, high + s->tolerance);
}

static bool visit_triangle(void *context, uint32_t triangle)
{
    const search *s = context;
    if (!s->builder->t_junction_tests_left) return false;
    s->builder->t_junction_tests_left -= 1;
    if (triangle == s->triangle) return true;
    for (uint32_t other = 3 * triangle; other < 3 * triangle + 3; ++other) {
        for (uint32_t k = 0; k < s->count && s->mesh->radial_next[other] == other; ++k)
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

void kg_mesh_find_t_junctions(kg_mesh_builder *builder, uint32_t triangle,
                              kg_mesh_t_junction_visit *visit, void *context)
{
    const kg_mesh *mesh = builder->mesh;
    search s = {builder, mesh, .triangle = triangle, .visit = visit, .context = context};
    double low[3], high[3];
    for (uint32_t half = 3 * triangle; half < 3 * triangle + 3; ++half) {
        if (mesh->radial_next[half] == half) add_line(&s, half);
    }
    if (s.count == 0 || s.count == 3 || !builder->t_junction_tests_left) return;
    s.tolerance = COLLINEAR_SHARE * mesh->largest_coordinate;
    kg_mesh_triangle_box(mesh, triangle, low, high);
    kg_mesh_find_near(mesh, low, high, s.tolerance, visit_triangle, &s);
}
