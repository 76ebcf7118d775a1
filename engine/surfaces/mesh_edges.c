/* Edges from half-edges: the half-edges between the same two vertices are one edge.
 * In: welded corners of triangles with an area. Out: radial_next, which links the half-edges of an
 * edge into a cycle in ascending order; the vertices adjacent to each vertex; owners of vertices
 * and of branching edges.
 * Cost: O(n): half-edges are grouped by their lower vertex, then sorted by their upper vertex. */
#include "base/sort.h"
#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"

/* Half-edges grouped by lower vertex. The group of v is half[end[v - 1] ... end[v] - 1]. An item is
 * upper vertex << 32 | number of the half-edge. */
typedef struct edge_list {
    uint64_t *half;
    uint32_t *end;
} edge_list;

static uint32_t lower_vertex(const kg_mesh *mesh, uint32_t half)
{
    uint32_t a = kg_mesh_start(mesh, half), b = kg_mesh_end(mesh, half);
    return a < b ? a : b;
}

static uint32_t upper_vertex(const kg_mesh *mesh, uint32_t half)
{
    uint32_t a = kg_mesh_start(mesh, half), b = kg_mesh_end(mesh, half);
    return a < b ? b : a;
}

/* Replace counts start[0 ... n - 1] by their exclusive prefix sums. Returns the sum of all. */
static uint32_t exclusive_prefix_sum(uint32_t *start, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t v = 0; v < n; ++v) {
        uint32_t count = start[v];
        start[v] = sum;
        sum += count;
    }
    return sum;
}

/* Group the half-edges by lower vertex (counting sort). Returns the size of the largest group. */
static uint32_t collect_halves(const kg_mesh *mesh, const edge_list *list)
{
    uint32_t halves = 3 * mesh->triangle_count, largest = 0, *end = list->end;
    memset(end, 0, mesh->vertex_count * sizeof *end);
    for (uint32_t h = 0; h < halves; ++h) {
        if (kg_mesh_has_area(mesh, h / 3)) end[lower_vertex(mesh, h)] += 1;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) largest = end[v] > largest ? end[v] : largest;
    exclusive_prefix_sum(end, mesh->vertex_count);
    for (uint32_t h = 0; h < halves; ++h) {
        if (!kg_mesh_has_area(mesh, h / 3)) continue;
        list->half[end[lower_vertex(mesh, h)]++] = (uint64_t)upper_vertex(mesh, h) << 32 | h;
    }
    return largest;
}

static bool sort_halves(kg_mesh_builder *b, const edge_list *list, uint32_t largest)
{
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    kg_sort_arrays arrays;
    if (!kg_sort_take(b->memory, &b->scratch, largest, &arrays)) return false;
    memset(arrays.values, 0, largest * sizeof *arrays.values); /* only the keys are used */
    uint32_t first = 0;
    for (uint32_t v = 0; v < b->mesh->vertex_count; first = list->end[v++]) {
        kg_sort_u64(list->half + first, arrays.values, arrays.key_scratch, arrays.value_scratch,
                    list->end[v] - first);
    }
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}

/* The half-edges of one edge: half[0 .. count) between vertices low and high. */
typedef struct edge {
    const uint64_t *half;
    uint32_t count, low, high;
} edge;

/* The edge that begins with item `at` of the list. *low: in, at most its lower vertex; out, its
 * lower vertex. */
static edge next_edge(const edge_list *list, uint32_t at, uint32_t *low)
{
    while (at >= list->end[*low]) *low += 1;
    edge e = {list->half + at, 1, *low, (uint32_t)(list->half[at] >> 32)};
    while (at + e.count < list->end[*low] && list->half[at + e.count] >> 32 == e.high) e.count += 1;
    return e;
}

/* Link the cycles, and count the edges of each vertex in adjacent_start. */
static void link_cycles(kg_mesh *mesh, const edge_list *list, uint32_t halves)
{
    edge e;
    mesh->closed = true;
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; ++h) mesh->radial_next[h] = h;
    for (uint32_t at = 0, low = 0; at < halves; at += e.count) {
        e = next_edge(list, at, &low);
        for (uint32_t i = 0; i < e.count; ++i)
            mesh->radial_next[(uint32_t)e.half[i]] = (uint32_t)e.half[(i + 1) % e.count];
        mesh->adjacent_start[e.low] += 1;
        mesh->adjacent_start[e.high] += 1;
        mesh->report.open_edges += e.count == 1;
        mesh->report.branching_edges += e.count > 2;
        /* if two half-edges run in opposite directions, their triangles' fronts are on one side */
        mesh->closed &= e.count == 2 && kg_mesh_start(mesh, (uint32_t)e.half[0]) !=
                                            kg_mesh_start(mesh, (uint32_t)e.half[1]);
    }
}

static void fill_adjacent(kg_mesh *mesh, const edge_list *list, uint32_t halves, uint32_t *next)
{
    edge e;
    memcpy(next, mesh->adjacent_start, mesh->vertex_count * sizeof *next);
    for (uint32_t at = 0, low = 0; at < halves; at += e.count) {
        e = next_edge(list, at, &low);
        mesh->adjacent[next[e.low]++] = e.high;
        mesh->adjacent[next[e.high]++] = e.low;
    }
}

/* The first half-edge of an edge in the list is the lowest. */
static bool find_edge_owners(kg_mesh_builder *b, const edge_list *list, uint32_t halves)
{
    edge e;
    kg_mesh *mesh = b->mesh;
    size_t all = 3 * (size_t)mesh->triangle_count;
    if (!mesh->report.branching_edges) return true;
    if (!KG_MESH_RESERVE(b, KG_MESH_EDGE_OWNER, edge_owner, all)) return false;
    for (uint32_t h = 0; h < all; ++h) mesh->edge_owner[h] = h;
    for (uint32_t at = 0, low = 0; at < halves; at += e.count) {
        e = next_edge(list, at, &low);
        for (uint32_t i = 0; i < e.count; ++i)
            mesh->edge_owner[(uint32_t)e.half[i]] = (uint32_t)e.half[0];
    }
    return true;
}

static void find_owners(kg_mesh *mesh)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) mesh->owner[v] = KG_NONE;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (uint32_t k = 0; k < 3 && kg_mesh_has_area(mesh, t); ++k) {
            uint32_t vertex = mesh->corner[3 * t + k];
            if (mesh->owner[vertex] == KG_NONE) mesh->owner[vertex] = t;
        }
    }
}

bool kg_mesh_link_edges(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    uint32_t *next = kg_mesh_take(b, sizeof *next, mesh->vertex_count);
    edge_list list = {kg_mesh_take(b, sizeof *list.half, 3 * (size_t)mesh->triangle_count),
                      kg_mesh_take(b, sizeof *list.end, mesh->vertex_count)};
    if (!next || !list.half || !list.end) return false;
    uint32_t largest = collect_halves(mesh, &list);
    if (!sort_halves(b, &list, largest)) return false;
    uint32_t halves = 3 * (mesh->triangle_count - mesh->report.dropped);
    memset(mesh->adjacent_start, 0,
           ((size_t)mesh->vertex_count + 1) * sizeof *mesh->adjacent_start);
    link_cycles(mesh, &list, halves);
    uint32_t both_ends = exclusive_prefix_sum(mesh->adjacent_start, mesh->vertex_count + 1);
    if (!KG_MESH_RESERVE(b, KG_MESH_ADJACENT, adjacent, both_ends) ||
        !find_edge_owners(b, &list, halves))
        return false;
    fill_adjacent(mesh, &list, halves, next);
    find_owners(mesh);
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}
