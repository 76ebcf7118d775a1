/* Welding: a vertex within the tolerance of a kept vertex of lower number is replaced by that one.
 * The kept vertices are farther apart than the tolerance, so welding again changes nothing.
 * In: vertices, corners. Out: corners that name kept vertices. Cost: O(n), with a hash table of
 * cells whose edge is 8 tolerances; usually one cell is searched for each vertex. */
#include "base/cells.h"
#include "base/compiler.h"
#include "surfaces/mesh_build.h"

/* Number of vertices by which the prefetch of the table runs ahead of the search. */
enum { AHEAD = 16 };

/* Kept vertices by cell: a hash table with linear probing. */
typedef struct cell_table {
    uint32_t *vertex; /* [mask + 1]; KG_NONE: free */
    uint32_t mask;
    double per_metre; /* cells per metre */
} cell_table;

static uint32_t place_of(const cell_table *table, const int64_t cell[3])
{
    return kg_hash3(0, cell[0], cell[1], cell[2]) & table->mask;
}

/* The cell that contains x + offset (m, along each axis). */
static void cell_at(const kg_mesh_builder *b, const cell_table *table, const double x[3],
                    double offset, int64_t cell[3])
{
    for (int k = 0; k < 3; ++k) cell[k] = (int64_t)((x[k] - b->low[k] + offset) * table->per_metre);
}

static bool equal(const kg_mesh_builder *b, const double x[3], uint32_t vertex)
{
    double apart[3];
    kg_sub3(apart, b->mesh->vertex + 3 * (size_t)vertex, x);
    return kg_max_abs3(apart) <= b->weld;
}

/* The lowest kept vertex within the tolerance of x, or KG_NONE. */
static uint32_t find_equal(const kg_mesh_builder *b, const cell_table *table, const double x[3])
{
    int64_t low[3], high[3], cell[3];
    uint32_t found = KG_NONE;
    cell_at(b, table, x, -1.5 * b->weld, low); /* 1 tolerance, and a margin for rounding */
    cell_at(b, table, x, 1.5 * b->weld, high);
    for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0]) {
        for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1]) {
            for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2]) {
                uint32_t at = place_of(table, cell);
                for (; table->vertex[at] != KG_NONE; at = (at + 1) & table->mask) {
                    uint32_t vertex = table->vertex[at];
                    if (vertex < found && equal(b, x, vertex)) found = vertex;
                }
            }
        }
    }
    return found;
}

static void insert(const kg_mesh_builder *b, cell_table *table, uint32_t vertex)
{
    int64_t cell[3];
    cell_at(b, table, b->mesh->vertex + 3 * (size_t)vertex, 0, cell);
    uint32_t at = place_of(table, cell);
    while (table->vertex[at] != KG_NONE) at = (at + 1) & table->mask;
    table->vertex[at] = vertex;
}

static void prefetch_place(const kg_mesh_builder *b, const cell_table *table, uint32_t vertex)
{
    int64_t cell[3];
    cell_at(b, table, b->mesh->vertex + 3 * (size_t)vertex, 0, cell);
    KG_PREFETCH_WRITE(&table->vertex[place_of(table, cell)]);
}

static bool make_table(kg_mesh_builder *b, cell_table *table)
{
    size_t size = 16;
    while (size < 2 * (size_t)b->mesh->vertex_count) size *= 2;
    *table = (cell_table){.vertex = kg_mesh_take(b, sizeof *table->vertex, size),
                          .mask = (uint32_t)(size - 1),
                          /* a tolerance near 0 would overflow: one cell for all vertices */
                          .per_metre = b->weld > 1e-300 ? 0.125 / b->weld : 0};
    if (table->vertex) memset(table->vertex, 0xff, size * sizeof *table->vertex);
    return table->vertex;
}

bool kg_mesh_weld(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    cell_table table;
    uint32_t *kept = kg_mesh_take(b, sizeof *kept, mesh->vertex_count);
    if (!kept || !make_table(b, &table)) return false;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        if (mesh->vertex_count - i > AHEAD) prefetch_place(b, &table, i + AHEAD);
        kept[i] = find_equal(b, &table, mesh->vertex + 3 * (size_t)i);
        if (kept[i] != KG_NONE) {
            mesh->report.welded += 1;
        } else {
            kept[i] = i;
            insert(b, &table, i);
        }
    }
    for (size_t c = 0; c < 3 * (size_t)mesh->triangle_count; ++c)
        mesh->corner[c] = kept[mesh->corner[c]];
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}
