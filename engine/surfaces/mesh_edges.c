/* Edges from half-edges: half-edges of the same two vertices become cycles in ascending order, and
 * each edge a spoke of both its vertices. In: welded corners of triangles with an area.
 * Cost: O(n): half-edges are counted by their lower vertex, then sorted by the other. */
#include "base/sort.h"
#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"

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

/* Counts to beginnings: start[v] is the sum of the counts below v; returns the sum of all. */
static uint32_t add_up(uint32_t *start, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t v = 0; v < n; ++v) {
        uint32_t count = start[v];
        start[v] = sum;
        sum += count;
    }
    return sum;
}

/* Half-edges by lower vertex, in ascending order. end[v] is the end of those of v. */
static uint32_t sort_by_lower_vertex(kg_mesh_builder *b, uint32_t *end)
{
    const kg_mesh *mesh = b->mesh;
    uint32_t halves = 3 * mesh->triangle_count, largest = 0;
    memset(end, 0, mesh->vertex_count * sizeof *end);
    for (uint32_t h = 0; h < halves; ++h) {
        if (kg_mesh_is_live(mesh, h / 3)) end[lower_vertex(mesh, h)] += 1;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) largest = end[v] > largest ? end[v] : largest;
    b->half_count = add_up(end, mesh->vertex_count);
    for (uint32_t h = 0; h < halves; ++h) {
        if (kg_mesh_is_live(mesh, h / 3)) b->sorted_half[end[lower_vertex(mesh, h)]++] = h;
    }
    return largest;
}

static bool sort_by_other_vertex(kg_mesh_builder *b, const uint32_t *end, uint32_t largest)
{
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    kg_sort_arrays arrays;
    if (!kg_sort_take(b->memory, &b->scratch, largest, &arrays)) return false;
    uint32_t first = 0;
    for (uint32_t v = 0; v < b->mesh->vertex_count; first = end[v++]) {
        uint32_t *half = b->sorted_half + first, count = end[v] - first;
        for (uint32_t i = 0; i < count; ++i) {
            arrays.keys[i] = upper_vertex(b->mesh, half[i]);
            arrays.values[i] = half[i];
        }
        kg_sort(&arrays, count);
        if (count) memcpy(half, arrays.values, count * sizeof *half);
    }
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}

/* Half-edges of the edge of sorted_half[at]. */
static uint32_t count_around(const kg_mesh_builder *b, uint32_t at)
{
    const kg_mesh *mesh = b->mesh;
    uint32_t low = lower_vertex(mesh, b->sorted_half[at]), n = 1;
    uint32_t high = upper_vertex(mesh, b->sorted_half[at]);
    while (at + n < b->half_count && lower_vertex(mesh, b->sorted_half[at + n]) == low &&
           upper_vertex(mesh, b->sorted_half[at + n]) == high)
        n += 1;
    return n;
}

/* Links the cycles and counts the spokes of each vertex in spoke_start. */
static void link_cycles(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; ++h) mesh->around[h] = h;
    for (uint32_t at = 0, n; at < b->half_count; at += n) {
        const uint32_t *half = b->sorted_half + at;
        n = count_around(b, at);
        for (uint32_t i = 0; i < n; ++i) mesh->around[half[i]] = half[(i + 1) % n];
        mesh->spoke_start[lower_vertex(mesh, half[0])] += 1;
        mesh->spoke_start[upper_vertex(mesh, half[0])] += 1;
        mesh->report.open_edges += n == 1;
        mesh->report.branching_edges += n > 2;
    }
}

static void fill_spokes(kg_mesh_builder *b, uint32_t *next)
{
    kg_mesh *mesh = b->mesh;
    memcpy(next, mesh->spoke_start, mesh->vertex_count * sizeof *next);
    for (uint32_t at = 0; at < b->half_count; at += count_around(b, at)) {
        uint32_t low = lower_vertex(mesh, b->sorted_half[at]);
        uint32_t high = upper_vertex(mesh, b->sorted_half[at]);
        mesh->spoke[next[low]++] = high;
        mesh->spoke[next[high]++] = low;
    }
}

static void find_owners(kg_mesh *mesh)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) mesh->owner[v] = KG_NONE;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (uint32_t k = 0; k < 3 && kg_mesh_is_live(mesh, t); ++k) {
            uint32_t vertex = mesh->corner[3 * t + k];
            if (mesh->owner[vertex] == KG_NONE) mesh->owner[vertex] = t;
        }
    }
}

bool kg_mesh_link_edges(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    uint32_t *end = kg_mesh_take(b, sizeof *end, mesh->vertex_count);
    b->sorted_half = kg_mesh_take(b, sizeof *b->sorted_half, 3 * (size_t)mesh->triangle_count);
    if (!end || !b->sorted_half) return false;
    uint32_t largest = sort_by_lower_vertex(b, end);
    if (!sort_by_other_vertex(b, end, largest)) return false;
    memset(mesh->spoke_start, 0, ((size_t)mesh->vertex_count + 1) * sizeof *mesh->spoke_start);
    link_cycles(b);
    uint32_t spokes = add_up(mesh->spoke_start, mesh->vertex_count + 1);
    if (!KG_MESH_RESERVE(b, KG_MESH_SPOKE, spoke, spokes)) return false;
    fill_spokes(b, end);
    find_owners(mesh);
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}
