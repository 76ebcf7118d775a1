/* Surfaces of the JavaScript package. The order of the doubles is that of SURFACE and SURFACE_INFO
 * in values.mjs. */
#include <string.h>

#include "package.h"

enum {
    SURFACE_NUMBERS =
        31 /* of a surface: its place, motion, material, filter, shape and user data */
};

static void write_surface(const kugel_surface_def *def)
{
    double *n = js_numbers();
    memcpy(n, def->position, sizeof def->position);
    memcpy(n + 3, def->rotation, sizeof def->rotation);
    memcpy(n + 7, def->velocity, sizeof def->velocity);
    memcpy(n + 10, def->spin, sizeof def->spin);
    memcpy(n + 13, def->tangent_velocity, sizeof def->tangent_velocity);
    const double rest[] = {def->restitution, def->friction, def->rolling_resistance,
                           def->category,    def->mask,     def->group,
                           def->one_sided,   def->shape,    def->size[0],
                           def->size[1],     def->size[2],  (double)def->user_data,
                           def->kind,        def->sensor,   def->tangential_restitution};
    memcpy(n + 16, rest, sizeof rest);
}

static kugel_surface_def read_surface(void)
{
    const double *n = js_numbers();
    kugel_surface_def def = kugel_surface_def_default();
    memcpy(def.position, n, sizeof def.position);
    memcpy(def.rotation, n + 3, sizeof def.rotation);
    memcpy(def.velocity, n + 7, sizeof def.velocity);
    memcpy(def.spin, n + 10, sizeof def.spin);
    memcpy(def.tangent_velocity, n + 13, sizeof def.tangent_velocity);
    def.restitution = n[16];
    def.friction = n[17];
    def.rolling_resistance = n[18];
    def.category = (uint32_t)n[19];
    def.mask = (uint32_t)n[20];
    def.group = (uint32_t)n[21];
    def.one_sided = n[22] != 0;
    def.shape = (kugel_surface_shape)n[23];
    memcpy(def.size, n + 24, sizeof def.size);
    def.user_data = (uint64_t)n[27];
    def.kind = (uint32_t)n[28];
    def.sensor = n[29] != 0;
    def.tangential_restitution = n[30];
    return def;
}

void EXPORT(js_surface_defaults)(void)
{
    kugel_surface_def def = kugel_surface_def_default();
    write_surface(&def);
}

/* In: normal[3], offset. */
void EXPORT(js_surface_plane)(void)
{
    const double *n = js_numbers(), normal[3] = {n[0], n[1], n[2]};
    kugel_surface_def def = kugel_surface_def_plane(normal, n[3]);
    write_surface(&def);
}

/* Returns the handle, or a negative status. */
js_surface EXPORT(js_surface_create)(kugel_world *world, const double *vertices,
                                     uint32_t vertex_count, const uint32_t *triangles,
                                     uint32_t triangle_count)
{
    kugel_surface_def def = read_surface();
    def.vertices = vertices;
    def.vertex_count = vertex_count;
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    kugel_surface surface;
    kugel_status status = kugel_surface_create(world, &def, &surface);
    return status ? -(double)status : js_handle_from(surface);
}

int EXPORT(js_surface_destroy)(kugel_world *world, js_surface surface)
{
    return kugel_surface_destroy(world, js_handle_of(surface));
}

/* In: position[3], rotation[4] of a place; velocity[3], spin[3] of a motion. */
int EXPORT(js_surface_move)(kugel_world *world, js_surface surface, int is_place)
{
    const double *n = js_numbers();
    return is_place ? kugel_surface_set_pose(world, js_handle_of(surface), n, n + 3)
                    : kugel_surface_set_motion(world, js_handle_of(surface), n, n + 3);
}

/* In: a tangent velocity[3]. */
int EXPORT(js_surface_set_tangent_velocity)(kugel_world *world, js_surface surface)
{
    return kugel_surface_set_tangent_velocity(world, js_handle_of(surface), js_numbers());
}

int EXPORT(js_surface_set_material)(kugel_world *world, js_surface surface, double restitution,
                                    double friction, double rolling_resistance,
                                    double tangential_restitution)
{
    return kugel_surface_set_material(world, js_handle_of(surface), restitution, friction,
                                      rolling_resistance, tangential_restitution);
}

/* In: category, mask, group. */
int EXPORT(js_surface_set_filter)(kugel_world *world, js_surface surface)
{
    const double *n = js_numbers();
    return kugel_surface_set_filter(world, js_handle_of(surface), (uint32_t)n[0], (uint32_t)n[1],
                                    (uint32_t)n[2]);
}

int EXPORT(js_surface_set_kind)(kugel_world *world, js_surface surface, uint32_t kind)
{
    return kugel_surface_set_kind(world, js_handle_of(surface), kind);
}

/* In: position[3], rotation[4], dt. */
int EXPORT(js_surface_set_target)(kugel_world *world, js_surface surface, int has_position,
                                  int has_rotation)
{
    const double *n = js_numbers();
    return kugel_surface_set_target(world, js_handle_of(surface), has_position ? n : NULL,
                                    has_rotation ? n + 3 : NULL, n[7]);
}

int EXPORT(js_surface_set_user_data)(kugel_world *world, js_surface surface, double user_data)
{
    return kugel_surface_set_user_data(world, js_handle_of(surface), (uint64_t)user_data);
}

/* -1: the surface does not exist. */
double EXPORT(js_surface_get_user_data)(const kugel_world *world, js_surface surface)
{
    uint64_t user_data;
    kugel_status status = kugel_surface_get_user_data(world, js_handle_of(surface), &user_data);
    return status ? -1 : (double)user_data;
}

bool EXPORT(js_surface_is_valid)(const kugel_world *world, js_surface surface)
{
    return kugel_surface_is_valid(world, js_handle_of(surface));
}

/* 0: the index is free. */
js_surface EXPORT(js_world_surface)(const kugel_world *world, uint32_t index)
{
    return js_handle_from(kugel_world_surface(world, index));
}

uint32_t EXPORT(js_surface_end)(const kugel_world *world) { return kugel_world_surface_end(world); }

/* Writes the surface, its info, then address and count of the vertices and of the triangles. */
int EXPORT(js_surface_get)(const kugel_world *world, js_surface surface)
{
    kugel_surface_def def;
    kugel_surface_info info;
    kugel_status status = kugel_surface_get(world, js_handle_of(surface), &def, &info);
    if (status) return status;
    write_surface(&def);
    const double rest[] = {info.welded,       info.dropped,
                           info.open_edges,   info.branching_edges,
                           info.facets,       (double)(uintptr_t)def.vertices,
                           def.vertex_count,  (double)(uintptr_t)def.triangles,
                           def.triangle_count};
    memcpy(js_numbers() + SURFACE_NUMBERS, rest, sizeof rest);
    return KUGEL_OK;
}
