/* Triangles for drawing a shape. In: shape. Out: vertices and corners of a mesh. */
#include "base/vec.h"
#include "kugel/mesh_shapes.h"
#include "surfaces/mesh_build.h"
#include "surfaces/shape.h"

enum { SEGMENTS = 32 };

/* False, and an empty mesh, when out of memory. */
static bool reserve(kg_memory *memory, kg_mesh *mesh, uint32_t vertices, uint32_t triangles)
{
    kg_mesh_builder builder = {.memory = memory, .mesh = mesh};
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    bool ok = KG_MESH_RESERVE(&builder, KG_MESH_VERTEX, vertex, 3 * (size_t)vertices) &&
              KG_MESH_RESERVE(&builder, KG_MESH_CORNER, corner, 3 * (size_t)triangles);
    if (!ok) kg_mesh_free(memory, mesh);
    return ok;
}

static bool show_capsule(kg_memory *memory, double radius, double half, kg_mesh *mesh)
{
    const double from[3] = {0, 0, -half}, to[3] = {0, 0, half};
    if (!reserve(memory, mesh, KUGEL_MESH_CAPSULE_VERTICES(SEGMENTS),
                 KUGEL_MESH_CAPSULE_TRIANGLES(SEGMENTS)))
        return false;
    (void)kugel_mesh_capsule(from, to, radius, SEGMENTS, mesh->vertex, mesh->corner);
    return true;
}

static bool show_ellipsoid(kg_memory *memory, const double axes[3], kg_mesh *mesh)
{
    if (!show_capsule(memory, 1, 0, mesh)) return false;
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) mesh->vertex[i] *= axes[i % 3];
    return true;
}

static bool show_cone(kg_memory *memory, const double size[3], kg_mesh *mesh)
{
    const double from[3] = {0, 0, -size[2]}, to[3] = {0, 0, size[2]};
    if (!reserve(memory, mesh, KUGEL_MESH_CONE_VERTICES(SEGMENTS),
                 KUGEL_MESH_CONE_TRIANGLES(SEGMENTS)))
        return false;
    (void)kugel_mesh_cone(from, to, size[0], size[1], SEGMENTS, KUGEL_MESH_CAPS_BOTH, mesh->vertex,
                          mesh->corner, &mesh->triangle_count);
    return true;
}

bool kg_plane_outline(kg_memory *memory, double half, kg_mesh *mesh)
{
    const double corner[3] = {-half, -half, 0}, a[3] = {2 * half, 0, 0}, b[3] = {0, 2 * half, 0};
    if (half == 0) return true;
    if (!reserve(memory, mesh, KUGEL_MESH_RECTANGLE_VERTICES, KUGEL_MESH_RECTANGLE_TRIANGLES))
        return false;
    (void)kugel_mesh_rectangle(corner, a, b, mesh->vertex, mesh->corner);
    return true;
}

static bool show_box(kg_memory *memory, const double half[3], kg_mesh *mesh)
{
    if (!reserve(memory, mesh, KUGEL_MESH_BOX_VERTICES, KUGEL_MESH_BOX_TRIANGLES)) return false;
    (void)kugel_mesh_box(half, mesh->vertex, mesh->corner);
    return true;
}

bool kg_shape_outline(kg_memory *memory, const kg_shape *shape, kg_mesh *mesh)
{
    const double *size = shape->size;
    return shape->kind == KUGEL_SURFACE_ELLIPSOID ? show_ellipsoid(memory, size, mesh)
           : shape->kind == KUGEL_SURFACE_CAPSULE ? show_capsule(memory, size[0], size[1], mesh)
           : shape->kind == KUGEL_SURFACE_CONE    ? show_cone(memory, size, mesh)
                                                  : show_box(memory, size, mesh);
}
