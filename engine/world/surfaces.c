/* The set of surfaces of a world.
 * In: checked defs. Out: surfaces by index, numbers of triangles, hashes of geometry.
 * Cost: adding builds the mesh; adding and removing are linear in the surfaces; the search for the
 * surface of a triangle is logarithmic.
 * Order: a new surface gets the lowest free index and the lowest free numbers. */
#include "world/surfaces.h"

#include "base/bytes.h"
#include "base/constants.h"
#include "base/hash.h"
#include "base/vec.h"
#include "surfaces/mesh_closest.h"
#include "world/surface_tree.h"

/* Bytes that are hashed at once. */
enum { BLOCK = 4096 };

bool kg_surface_box(const kg_surface *surface, double low[3], double high[3])
{
    const double *size = surface->shape.size;
    uint32_t kind = surface->shape.kind;
    double radius = size[0];
    if (kind == KUGEL_SURFACE_CONE) radius = kg_max(size[0], size[1]);
    kg_set3(high, radius, radius, size[2]);
    if (kind == KUGEL_SURFACE_ELLIPSOID || kind == KUGEL_SURFACE_BOX) high[1] = size[1];
    if (kind == KUGEL_SURFACE_CAPSULE) high[2] = radius + size[1];
    kg_scale3(low, high, -1);
    for (int k = 0; k < 3 && kind == KUGEL_SURFACE_MESH; ++k)
        low[k] = (double)surface->mesh.low[k], high[k] = (double)surface->mesh.high[k];
    return kind != KUGEL_SURFACE_PLANE;
}

double kg_surface_extent(const kg_surface *surface)
{
    double low[3], high[3], sum = 0;
    if (!kg_surface_box(surface, low, high)) return KG_VALUE_LIMIT;
    for (int k = 0; k < 3; ++k) sum += kg_max(kg_abs(low[k]), kg_abs(high[k]));
    return sum;
}

uint32_t kg_surfaces_find_numbers(const kg_surfaces *set, uint32_t triangles)
{
    uint32_t first = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_surface *s = &set->items[set->order[k].index];
        if (s->first_triangle - first >= triangles) return first;
        first = s->first_triangle + kg_surface_number_count(s);
    }
    return first > KG_MESH_TRIANGLE_LIMIT - triangles ? KG_MESH_TRIANGLE_LIMIT : first;
}

static kg_material material_of(const kugel_surface_def *def)
{
    return (kg_material){.restitution = def->restitution + 0.0,
                         .friction = def->friction + 0.0,
                         .rolling_resistance = def->rolling_resistance + 0.0,
                         .tangential_restitution = def->tangential_restitution + 0.0,
                         .kind = def->kind,
                         .sensor = def->sensor,
                         .category = def->category,
                         .mask = def->mask,
                         .group = def->group};
}

void kg_surface_def_complete(kugel_surface_def *def)
{
    for (int k = 0; k < 3; ++k)
        def->size[k] = k < kg_shape_sizes(def->shape) ? def->size[k] + 0.0 : 0;
    if (def->shape == KUGEL_SURFACE_MESH) return;
    def->one_sided = false;
    def->vertex_count = def->triangle_count = 0;
    def->vertices = NULL, def->triangles = NULL;
}

void kg_surface_set(kg_surface *surface, uint32_t first_triangle, const kugel_surface_def *def)
{
    surface->used = true;
    surface->shape = (kg_shape){.kind = def->shape};
    kg_copy3(surface->shape.size, def->size);
    surface->code = def->code;
    surface->first_triangle = first_triangle;
    surface->material = material_of(def);
    kg_surface_place(surface, def->position, def->rotation);
    kg_surface_set_motion(surface, def->velocity, def->spin);
    kg_surface_set_tangent_velocity(surface, def->tangent_velocity);
}

/* Hash `size` bytes of numbers of `item` bytes each, as little-endian bytes, in blocks. */
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

/* As the hash of a mesh that has the sizes as its one vertex. */
static uint64_t hash_shape(const kugel_surface_def *def)
{
    static const uint32_t zeros[3];
    const uint64_t head[3] = {kg_little_endian64(1), kg_little_endian64(1),
                              kg_little_endian64((uint64_t)def->shape << 1)};
    uint64_t hash = XXH3_64bits(head, sizeof head);
    hash = hash_numbers(def->size, sizeof def->size, 8, false, hash);
    return hash_numbers(zeros, sizeof zeros, 4, false, hash);
}

uint64_t kg_surface_hash_geometry(const kugel_surface_def *def, const void *vertices,
                                  const void *triangles, bool little_endian)
{
    if (def->shape != KUGEL_SURFACE_MESH) return hash_shape(def);
    const uint64_t head[3] = {kg_little_endian64(def->vertex_count),
                              kg_little_endian64(def->triangle_count),
                              kg_little_endian64(def->one_sided)};
    uint64_t hash = XXH3_64bits(head, sizeof head);
    hash = hash_numbers(vertices, 24 * (size_t)def->vertex_count, 8, little_endian, hash);
    return hash_numbers(triangles, 12 * (size_t)def->triangle_count, 4, little_endian, hash);
}

bool kg_surfaces_reserve(kg_memory *memory, kg_surfaces *set, uint32_t end)
{
    if (!KG_RESERVE(memory, &set->column, set->items, end, set->end) ||
        !KG_RESERVE(memory, &set->order_column, set->order, end, set->count) ||
        !KG_RESERVE(memory, &set->moving_column, set->moving, end, set->moving_count) ||
        !KG_RESERVE(memory, &set->sensor_column, set->sensors, end, set->sensor_count) ||
        !kg_surface_tree_reserve(memory, set, end))
        return false;
    for (uint32_t k = set->end; k < end; ++k) set->items[k] = (kg_surface){0};
    return true;
}

bool kg_surface_build_mesh(kg_memory *memory, kg_tasks *tasks, const kugel_surface_def *def,
                           kg_mesh *mesh)
{
    kg_shape shape = {.kind = def->shape, .size = {def->size[0], def->size[1], def->size[2]}};
    const kg_surface_code *code = def->code;
    if (def->shape == KUGEL_SURFACE_PLANE) return kg_plane_outline(memory, def->size[0], mesh);
    return def->shape == KUGEL_SURFACE_MESH
               ? code->build(memory, tasks, mesh, def->vertices, def->vertex_count, def->triangles,
                             def->triangle_count, def->one_sided)
               : code->outline(memory, &shape, mesh);
}

void kg_surfaces_insert(kg_surfaces *set, uint32_t index)
{
    uint32_t k = set->count++, first = set->items[index].first_triangle;
    for (; k > 0 && set->order[k - 1].first_triangle > first; --k)
        set->order[k] = set->order[k - 1];
    set->order[k] = (kg_surface_in_order){first, index};
}

bool kg_surfaces_add(kg_memory *memory, kg_tasks *tasks, kg_surfaces *set, uint32_t index,
                     uint32_t first_triangle, const kugel_surface_def *def)
{
    kg_surface made = {.user_data = def->user_data};
    if (!kg_surfaces_reserve(memory, set, index + 1) ||
        !kg_indices_reserve(memory, &set->indices, index + 1) ||
        !kg_surface_build_mesh(memory, tasks, def, &made.mesh))
        return false;
    kg_surface_set(&made, first_triangle, def);
    kugel_surface_def welded = kg_surface_def(&made);
    made.geometry_hash =
        kg_surface_hash_geometry(&welded, welded.vertices, welded.triangles, false);
    set->items[index] = made;
    kg_indices_take(&set->indices, index);
    set->end = set->end > index ? set->end : index + 1;
    kg_surfaces_insert(set, index);
    kg_surfaces_note_change(set);
    return true;
}

void kg_surfaces_remove(kg_memory *memory, kg_surfaces *set, uint32_t index)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < set->count; ++k)
        if (set->order[k].index != index) set->order[kept++] = set->order[k];
    set->count = kept;
    kg_mesh_free(memory, &set->items[index].mesh);
    set->items[index] = (kg_surface){0};
    kg_indices_release(&set->indices, index);
    while (set->end && !set->items[set->end - 1].used) --set->end;
    kg_surfaces_note_change(set);
}

void kg_surfaces_free(kg_memory *memory, kg_surfaces *set)
{
    for (uint32_t k = 0; k < set->end; ++k) kg_mesh_free(memory, &set->items[k].mesh);
    kg_column_free(memory, &set->column);
    kg_column_free(memory, &set->order_column);
    kg_column_free(memory, &set->moving_column);
    kg_column_free(memory, &set->sensor_column);
    kg_column_free(memory, &set->indices.column);
    kg_surface_tree_free(memory, set->tree);
    *set = (kg_surfaces){0};
}

bool kg_surface_find_closest(const kg_surface *surface, const double point[3], double limit,
                             kg_surface_closest *closest)
{
    double x[3], on[3], outward[3];
    kg_mesh_closest of_mesh = {0};
    kg_surface_point_to_frame(surface, point, x);
    if (kg_surface_is_solid(surface)) {
        of_mesh.distance = kg_surface_distance(surface, x, outward);
        if (of_mesh.distance > limit) return false;
        kg_add_scaled3(on, x, -of_mesh.distance, outward);
    } else {
        if (!surface->code->find_closest(&surface->mesh, x, limit, &of_mesh)) return false;
        kg_copy3(on, of_mesh.point);
        kg_sub3(outward, x, on);
    }
    closest->distance = of_mesh.distance;
    closest->triangle = of_mesh.triangle;
    kg_pose_point_to_world(&surface->pose, on, closest->point);
    kg_surface_to_world(surface, outward, closest->outward);
    return true;
}

uint32_t kg_surfaces_index(const kg_surfaces *set, const kg_surface *surface)
{
    return (uint32_t)(surface - set->items);
}

kugel_surface_def kg_surface_shown_def(const kg_surface *surface)
{
    const kg_material *m = &surface->material;
    kugel_surface_def def = {.cookie = KG_SURFACE_DEF_COOKIE,
                             .shape = (kugel_surface_shape)surface->shape.kind,
                             .vertex_count = surface->mesh.vertex_count,
                             .triangle_count = surface->mesh.triangle_count,
                             .one_sided = surface->mesh.one_sided,
                             .vertices = surface->mesh.vertex,
                             .triangles = surface->mesh.corner,
                             .restitution = m->restitution,
                             .friction = m->friction,
                             .rolling_resistance = m->rolling_resistance,
                             .tangential_restitution = m->tangential_restitution,
                             .category = m->category,
                             .mask = m->mask,
                             .group = m->group,
                             .user_data = surface->user_data,
                             .kind = m->kind,
                             .sensor = m->sensor,
                             .code = surface->code};
    kg_copy3(def.size, surface->shape.size);
    kg_copy3(def.position, surface->position);
    kg_copy3(def.velocity, surface->velocity);
    kg_copy3(def.spin, surface->spin);
    kg_copy3(def.tangent_velocity, surface->tangent_velocity);
    memcpy(def.rotation, surface->rotation, sizeof def.rotation);
    return def;
}

kugel_surface_def kg_surface_def(const kg_surface *surface)
{
    kugel_surface_def def = kg_surface_shown_def(surface);
    kg_surface_def_complete(&def);
    return def;
}
