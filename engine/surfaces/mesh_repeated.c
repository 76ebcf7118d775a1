/* Repeated triangles: a triangle with the three vertices of one of lower number is dropped, as one
 * without an area. In a one-sided mesh two triangles are the same only if their fronts are, too.
 * Else a body would have one contact with each of them.
 * In: welded corners of triangles with an area. Out: collidable, height and the report's count of
 * dropped triangles. Cost: O(n), with a hash table of triangles. */
#include "base/cells.h"
#include "base/compiler.h"
#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"

/* Number of triangles by which the prefetch of the table runs ahead. */
enum { AHEAD = 16 };

/* Kept triangles by their vertices: a hash table with linear probing. */
typedef struct triangle_table {
    uint32_t *triangle; /* [mask + 1]; KG_NONE: free */
    uint32_t mask;
} triangle_table;

/* The vertices of a triangle: the lowest first, the others in their order around the front. A
 * two-sided triangle has no front: they are in ascending order. */
static void vertices_of(const kg_mesh *mesh, uint32_t t, uint32_t vertex[3])
{
    const uint32_t *corner = mesh->corner + 3 * (size_t)t;
    uint32_t low = corner[1] < corner[0] ? 1 : 0;
    if (corner[2] < corner[low]) low = 2;
    uint32_t second = corner[(low + 1) % 3], third = corner[(low + 2) % 3];
    bool turns = !mesh->one_sided && third < second;
    vertex[0] = corner[low];
    vertex[1] = turns ? third : second;
    vertex[2] = turns ? second : third;
}

static uint32_t place_of(const triangle_table *table, const uint32_t vertex[3])
{
    return kg_hash3(0, vertex[0], vertex[1], vertex[2]) & table->mask;
}

/* Insert a triangle. Returns false if the table contains its vertices already. */
static bool insert(const kg_mesh *mesh, triangle_table *table, uint32_t t)
{
    uint32_t vertex[3], other[3];
    vertices_of(mesh, t, vertex);
    uint32_t at = place_of(table, vertex);
    for (; table->triangle[at] != KG_NONE; at = (at + 1) & table->mask) {
        vertices_of(mesh, table->triangle[at], other);
        if (memcmp(vertex, other, sizeof vertex) == 0) return false;
    }
    table->triangle[at] = t;
    return true;
}

static void prefetch_place(const kg_mesh *mesh, const triangle_table *table, uint32_t t)
{
    uint32_t vertex[3];
    vertices_of(mesh, t, vertex);
    KG_PREFETCH_WRITE(&table->triangle[place_of(table, vertex)]);
}

bool kg_mesh_drop_repeated(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    size_t size = 16;
    while (size < 2 * (size_t)mesh->triangle_count) size *= 2;
    triangle_table table = {kg_mesh_take(b, sizeof *table.triangle, size), (uint32_t)(size - 1)};
    if (!table.triangle) return false;
    memset(table.triangle, 0xff, size * sizeof *table.triangle);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (mesh->triangle_count - t > AHEAD) prefetch_place(mesh, &table, t + AHEAD);
        if (!kg_mesh_has_area(mesh, t) || insert(mesh, &table, t)) continue;
        mesh->collidable[t] = 0;
        b->height[t] = 0;
        mesh->report.dropped += 1;
    }
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}
