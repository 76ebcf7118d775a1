/* The set of surfaces, and their frames. */
#include "world/surfaces.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/vec.h"

/* Of the squared length of a quaternion that was normalised, with a margin. */
#define ROUNDING 0x1p-48
/* Bytes that are hashed at once. */
enum { BLOCK = 4096 };

/* Axes of a frame from its unit quaternion; exact for the identity. */
static void set_axes(kg_surface *surface)
{
    const double *q = surface->rotation;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    kg_set3(surface->axes[0], 1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w));
    kg_set3(surface->axes[1], 2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w));
    kg_set3(surface->axes[2], 2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y));
}

/* A unit quaternion stays as it is: what a place returns can be placed again. */
void kg_surface_place(kg_surface *surface, const double position[3], const double rotation[4])
{
    double length2 = 0;
    for (int k = 0; k < 4; ++k) length2 += rotation[k] * rotation[k];
    double length = kg_abs(length2 - 1) < ROUNDING ? 1 : sqrt(length2);
    for (int k = 0; k < 4; ++k) surface->rotation[k] = rotation[k] / length + 0.0;
    for (int k = 0; k < 3; ++k) surface->position[k] = position[k] + 0.0; /* -0 becomes +0 */
    set_axes(surface);
}

void kg_surface_to_frame(const kg_surface *surface, const double direction[3], double out[3])
{
    const double v[3] = {direction[0], direction[1], direction[2]};
    for (int k = 0; k < 3; ++k) out[k] = kg_dot3(surface->axes[k], v);
}

void kg_surface_to_world(const kg_surface *surface, const double direction[3], double out[3])
{
    const double v[3] = {direction[0], direction[1], direction[2]};
    for (int k = 0; k < 3; ++k)
        out[k] =
            v[0] * surface->axes[0][k] + v[1] * surface->axes[1][k] + v[2] * surface->axes[2][k];
}

void kg_surface_point_to_frame(const kg_surface *surface, const double point[3], double out[3])
{
    double d[3];
    kg_sub3(d, point, surface->position);
    kg_surface_to_frame(surface, d, out);
}

uint32_t kg_surfaces_free_index(const kg_surfaces *set)
{
    uint32_t index = 0;
    while (index < set->end && set->items[index].used) ++index;
    return index;
}

static bool overlaps(const kg_surface *s, uint32_t first, uint32_t triangles)
{
    return s->used && first < s->first_triangle + s->mesh.triangle_count &&
           s->first_triangle < first + triangles;
}

uint32_t kg_surfaces_find_numbers(const kg_surfaces *set, uint32_t triangles)
{
    uint32_t first = 0;
    for (uint32_t k = 0; k < set->end;) {
        const kg_surface *s = &set->items[k++];
        if (!overlaps(s, first, triangles)) continue;
        first = s->first_triangle + s->mesh.triangle_count;
        if (first > KG_MESH_TRIANGLE_LIMIT - triangles) return KG_MESH_TRIANGLE_LIMIT;
        k = 0;
    }
    return first;
}

static kg_material material_of(const kugel_surface_def *def)
{
    return (kg_material){.restitution = def->restitution + 0.0,
                         .friction = def->friction + 0.0,
                         .rolling_resistance = def->rolling_resistance + 0.0,
                         .category = def->category,
                         .mask = def->mask,
                         .group = def->group};
}

void kg_surface_set(kg_surface *surface, uint32_t first_triangle, const kugel_surface_def *def)
{
    surface->used = true;
    surface->first_triangle = first_triangle;
    surface->material = material_of(def);
    kg_surface_place(surface, def->position, def->rotation);
}

/* Hash `size` bytes of numbers of `item` bytes in blocks. */
static uint64_t hash_numbers(const void *numbers, size_t size, size_t item, bool little_endian,
                             uint64_t hash)
{
    const uint8_t *from = numbers;
    uint8_t swapped[BLOCK];
    for (size_t n; size > 0; from += n, size -= n) {
        const uint8_t *block = from;
        n = size < BLOCK ? size : BLOCK;
        if (KG_IS_BIG_ENDIAN && !little_endian) {
            block = swapped;
            for (size_t k = 0; k < n; ++k) swapped[k] = from[k - k % item + (item - 1 - k % item)];
        }
        hash = XXH3_64bits_withSeed(block, n, hash);
    }
    return hash;
}

uint64_t kg_surface_hash_geometry(const kugel_surface_def *def, const void *vertices,
                                  const void *triangles, bool little_endian)
{
    const uint64_t head[3] = {kg_little_endian64(def->vertex_count),
                              kg_little_endian64(def->triangle_count),
                              kg_little_endian64(def->one_sided)};
    uint64_t hash = XXH3_64bits(head, sizeof head);
    hash = hash_numbers(vertices, 24 * (size_t)def->vertex_count, 8, little_endian, hash);
    return hash_numbers(triangles, 12 * (size_t)def->triangle_count, 4, little_endian, hash);
}

bool kg_surfaces_reserve(kg_memory *memory, kg_surfaces *set, uint32_t end)
{
    if (!KG_RESERVE(memory, &set->column, set->items, end, set->end)) return false;
    for (uint32_t k = set->end; k < end; ++k) set->items[k] = (kg_surface){0};
    return true;
}

bool kg_surfaces_add(kg_memory *memory, kg_surfaces *set, uint32_t index, uint32_t first_triangle,
                     const kugel_surface_def *def)
{
    kg_surface made = {0};
    kg_mesh *mesh = &made.mesh;
    if (!kg_surfaces_reserve(memory, set, index + 1) ||
        !kg_mesh_build(memory, mesh, def->vertices, def->vertex_count, def->triangles,
                       def->triangle_count, def->one_sided))
        return false;
    kg_surface_set(&made, first_triangle, def);
    made.geometry_hash = kg_surface_hash_geometry(def, mesh->vertex, mesh->corner, false);
    set->items[index] = made;
    set->end = set->end > index ? set->end : index + 1;
    set->count += 1;
    return true;
}

void kg_surfaces_remove(kg_memory *memory, kg_surfaces *set, uint32_t index)
{
    kg_mesh_free(memory, &set->items[index].mesh);
    set->items[index] = (kg_surface){0};
    set->count -= 1;
    while (set->end && !set->items[set->end - 1].used) --set->end;
}

void kg_surfaces_free(kg_memory *memory, kg_surfaces *set)
{
    for (uint32_t k = 0; k < set->end; ++k) kg_mesh_free(memory, &set->items[k].mesh);
    kg_column_free(memory, &set->column);
    *set = (kg_surfaces){0};
}

const kg_surface *kg_surfaces_find(const kg_surfaces *set, uint32_t triangle)
{
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *s = &set->items[k];
        if (s->used && triangle - s->first_triangle < s->mesh.triangle_count) return s;
    }
    return NULL;
}

uint32_t kg_surfaces_index(const kg_surfaces *set, const kg_surface *surface)
{
    return (uint32_t)(surface - set->items);
}

kugel_surface_def kg_surface_def(const kg_surface *surface)
{
    const kg_material *m = &surface->material;
    kugel_surface_def def = {.cookie = KG_SURFACE_DEF_COOKIE,
                             .vertex_count = surface->mesh.vertex_count,
                             .triangle_count = surface->mesh.triangle_count,
                             .one_sided = surface->mesh.one_sided,
                             .vertices = surface->mesh.vertex,
                             .triangles = surface->mesh.corner,
                             .restitution = m->restitution,
                             .friction = m->friction,
                             .rolling_resistance = m->rolling_resistance,
                             .category = m->category,
                             .mask = m->mask,
                             .group = m->group};
    kg_copy3(def.position, surface->position);
    memcpy(def.rotation, surface->rotation, sizeof def.rotation);
    return def;
}
