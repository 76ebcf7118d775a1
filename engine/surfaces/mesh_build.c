/* Building a mesh: weld vertices, measure triangles, drop repeated ones, link edges, build the
 * tree, find facets and collidable parts.
 * Cost: O(n log n). The order of all results follows from the numbers of vertices and triangles. */
#include "surfaces/mesh_build.h"

#include "surfaces/mesh_feature.h"

/* Weld tolerance, as a share of the mesh's largest extent along an axis: vertices at most this far
 * apart are one, and a triangle of at most this height has no area. Larger: small details vanish;
 * smaller: seams of rounded coordinates stay open. */
#define WELD_SHARE 1e-12
/* Part of the weld tolerance for the rounding of coordinates, as a share of the largest coordinate:
 * a small mesh far from the origin has coarsely rounded vertices. */
#define COORDINATE_ROUNDING 0x1p-50
/* Maximum distance of a facet's vertices from its plane, in weld tolerances. Larger: gentle curves
 * become planes; smaller: flat floors of rounded vertices have inner edges. */
#define FLAT_WELDS 100
/* Facet thickness in these distances: a margin for rounding. */
#define THICKNESS_FLATS 10

/* Set the tolerances from all vertices, also those without a triangle: the stored mesh has all of
 * them, so building it again gives the same bits. */
static void set_tolerances(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    double low[3] = {0}, high[3] = {0}, extent = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            double x = mesh->vertex[3 * (size_t)i + k];
            if (i == 0 || x < low[k]) low[k] = x;
            if (i == 0 || x > high[k]) high[k] = x;
        }
    }
    for (int k = 0; k < 3; ++k) extent = kg_max(extent, high[k] - low[k]);
    double magnitude = kg_max(kg_max_abs3(low), kg_max_abs3(high));
    kg_copy3(b->low, low);
    b->weld = WELD_SHARE * extent + COORDINATE_ROUNDING * magnitude;
    b->flat = FLAT_WELDS * b->weld;
    mesh->facet_thickness = THICKNESS_FLATS * b->flat;
}

static void measure_triangle(kg_mesh_builder *b, uint32_t t)
{
    kg_mesh *mesh = b->mesh;
    const double *p[3];
    double edge[3][3], cross[3], longest = 0;
    for (int k = 0; k < 3; ++k) p[k] = mesh->vertex + 3 * (size_t)mesh->corner[3 * t + k];
    for (int k = 0; k < 3; ++k) {
        kg_sub3(edge[k], p[(k + 1) % 3], p[k]);
        longest = kg_max(longest, kg_dot3(edge[k], edge[k]));
    }
    kg_cross3(cross, edge[0], edge[1]);
    double height = longest > 0 ? kg_length3(cross) / sqrt(longest) : 0;
    bool live = height > b->weld;
    kg_normalize3(b->normal + 3 * (size_t)t, cross, kg_zero3);
    b->height[t] = live ? height : 0;
    mesh->collidable[t] = live ? 1u << KG_PART_FACE : 0;
}

static void measure_range(void *context, uint32_t index)
{
    kg_mesh_builder *b = context;
    uint32_t end = kg_range_end(index, KG_MESH_RANGE, b->mesh->triangle_count);
    for (uint32_t t = index * KG_MESH_RANGE; t < end; ++t) measure_triangle(b, t);
}

static void measure(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_mesh_run(b, measure_range, b);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        mesh->report.dropped += !kg_mesh_has_area(mesh, t);
}

static bool reserve(kg_mesh_builder *b)
{
    size_t triangles = b->mesh->triangle_count, vertices = b->mesh->vertex_count;
    b->normal = kg_mesh_take(b, sizeof *b->normal, 3 * triangles);
    b->height = kg_mesh_take(b, sizeof *b->height, triangles);
    b->joined = kg_mesh_take(b, sizeof *b->joined, triangles);
    return b->normal && b->height && b->joined &&
           KG_MESH_RESERVE(b, KG_MESH_VERTEX, vertex, 3 * vertices) &&
           KG_MESH_RESERVE(b, KG_MESH_CORNER, corner, 3 * triangles) &&
           KG_MESH_RESERVE(b, KG_MESH_FACET, facet, triangles) &&
           KG_MESH_RESERVE(b, KG_MESH_RADIAL_NEXT, radial_next, 3 * triangles) &&
           KG_MESH_RESERVE(b, KG_MESH_COLLIDABLE, collidable, triangles) &&
           KG_MESH_RESERVE(b, KG_MESH_ADJACENT_START, adjacent_start, vertices + 1) &&
           KG_MESH_RESERVE(b, KG_MESH_OWNER, owner, vertices);
}

static void copy(kg_mesh *mesh, const double *vertices, const uint32_t *triangles)
{
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i)
        mesh->vertex[i] = vertices[i] + 0.0; /* -0 becomes +0 */
    if (mesh->triangle_count)
        memcpy(mesh->corner, triangles, 3 * (size_t)mesh->triangle_count * sizeof *mesh->corner);
}

static bool build(kg_mesh_builder *b, const double *vertices, const uint32_t *triangles)
{
    if (b->mesh->triangle_count > KG_MESH_TRIANGLE_LIMIT || !reserve(b)) return false;
    copy(b->mesh, vertices, triangles);
    set_tolerances(b);
    if (!kg_mesh_weld(b)) return false;
    measure(b);
    return kg_mesh_drop_repeated(b) && kg_mesh_link_edges(b) && kg_mesh_build_tree(b) &&
           kg_mesh_find_facets(b) && kg_mesh_find_collidable_parts(b);
}

bool kg_mesh_build(kg_memory *memory, kg_tasks *tasks, kg_mesh *mesh, const double *vertices,
                   uint32_t vertex_count, const uint32_t *triangles, uint32_t triangle_count,
                   bool one_sided)
{
    *mesh = (kg_mesh){
        .vertex_count = vertex_count, .triangle_count = triangle_count, .one_sided = one_sided};
    kg_mesh_builder builder = {.memory = memory, .tasks = tasks, .mesh = mesh};
    bool built = build(&builder, vertices, triangles);
    kg_scratch_free(memory, &builder.scratch);
    if (!built) kg_mesh_free(memory, mesh);
    return built;
}

void kg_mesh_free(kg_memory *memory, kg_mesh *mesh)
{
    kg_columns_free(memory, mesh->columns, sizeof mesh->columns / sizeof *mesh->columns);
    *mesh = (kg_mesh){0};
}
