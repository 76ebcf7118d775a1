/* Public functions that add, place, read and remove surfaces. Calls that set user data are not
 * recorded. */
#include "api/api_contact_ends.h"
#include "api/api_target.h"
#include "base/rotation.h"
#include "grid/neighbours.h"
#include "kugel/surface.h"
#include "record/recorder.h"
#include "sensors/sensors.h"
#include "world/moves.h"
#include "world/sleep_state.h"
#include "world/surface_tree.h"

static const kugel_surface_def defaults = {.cookie = KG_SURFACE_DEF_COOKIE,
                                           .rotation = {0, 0, 0, 1},
                                           .friction = 0.5,
                                           .category = 1,
                                           .mask = 0xffffffffu};

void kugel_surface_def_init(kugel_surface_def *def, size_t size)
{
    kugel_surface_def any = defaults;
    any.code = &kg_surface_code_all;
    kg_def_write(def, size, &any, sizeof any);
}

/* A rotation that turns z to a unit normal. For a normal along an axis it is exact. */
static void rotation_to(const double n[3], double rotation[4])
{
    double q[4] = {-n[1], n[0], 0, 1 + n[2]}; /* about the axis across z and the normal */
    if (n[2] < 0) q[0] = 1 - n[2], q[1] = 0, q[2] = n[0], q[3] = -n[1]; /* a half turn first */
    if (kg_abs(n[0]) == 1) q[0] = q[3] = 0.5, q[1] = q[2] = 0.5 * n[0];
    if (kg_abs(n[1]) == 1) q[0] = q[2] = -0.5 * n[1], q[1] = -0.5, q[3] = 0.5;
    kg_rotation_normalise(q);
    memcpy(rotation, q, sizeof q);
}

void kugel_surface_def_init_plane(kugel_surface_def *def, size_t size, const double *normal,
                                  double offset)
{
    kugel_surface_def plane = defaults;
    plane.shape = KUGEL_SURFACE_PLANE;
    memset(plane.rotation, 0, sizeof plane.rotation); /* no rotation: refused */
    double n[3], length = normal ? kg_length3(normal) : 0;
    if (kg_abs(length - 1) <= KG_UNIT_TOLERANCE) {
        for (int k = 0; k < 3; ++k) n[k] = normal[k] / length;
        rotation_to(n, plane.rotation);
        kg_scale3(plane.position, n, offset);
    }
    kg_def_write(def, size, &plane, sizeof plane);
}

/* Read a caller's def into *complete and check it. */
static kugel_status read_def(const kugel_surface_def *def, kugel_surface_def *complete,
                             kugel_error *error)
{
    *complete = defaults;
    kugel_status status = kg_validate_def(def, complete, sizeof *complete, "surface", error);
    if (status) return status;
    if (complete->shape != KUGEL_SURFACE_PLANE && !complete->code)
        return kg_error_set(error, KUGEL_ERROR_INVALID_ARGUMENT, "surface.shape",
                            "is no plane, but the def is that of a plane: start from "
                            "kugel_surface_def_default()");
    kg_surface_def_complete(complete);
    return kg_validate_surface_def(complete, error);
}

/* After any change of surfaces. The next step then builds new neighbour lists. */
static bool is_within(const void *thing, const kg_material *material, const double x[3],
                      double reach)
{
    kg_surface_closest closest;
    return kg_surface_admits(thing, material) && kg_surface_find_closest(thing, x, reach, &closest);
}

/* After a surface got its place: wake the bodies that touch it, and make the next step find it. */
static void meet_surface(kugel_world *world, uint32_t index)
{
    kg_surface *surface = &world->surfaces.items[index];
    surface->placed = surface->material.sensor;
    kg_sleep_wake_near(world, is_within, &world->surfaces.items[index]);
    kg_neighbours_invalidate(world);
}

/* Index of a handle, or KG_NONE when it is stale. */
static uint32_t find(const kugel_world *world, kugel_surface surface)
{
    return kg_indices_find(&world->surfaces.indices, KG_HANDLE_SURFACE, surface);
}

/* Set `index` to that of a handle, or return an error from the calling function. */
#define FIND(world, surface, index)                                                                \
    uint32_t index = find(world, surface);                                                         \
    if ((index) == KG_NONE) return kg_refuse_handle(world, "surface", surface)

kugel_status kugel_surface_create(kugel_world *world, const kugel_surface_def *given,
                                  kugel_surface *surface)
{
    if (surface) *surface = KUGEL_NULL_SURFACE;
    KG_CHANGE_EARLY(world);
    kugel_error error;
    kg_surfaces *set = &world->surfaces;
    kugel_surface_def complete;
    const kugel_surface_def *def = &complete;
    if (read_def(given, &complete, &error)) return kg_refuse_error(world, &error);
    if (world->def.growth > 0 && def->shape != KUGEL_SURFACE_PLANE)
        return kg_error_report(world, KUGEL_ERROR_STATE, "surface",
                               "is no plane: radii grow where all surfaces are planes");
    uint32_t first = kg_surfaces_find_numbers(set, kg_surface_def_number_count(def)),
             at = kg_api_free_index(world, &set->indices, KUGEL_TARGET_SURFACE);
    if (first == KG_MESH_TRIANGLE_LIMIT)
        return kg_error_report(world, KUGEL_ERROR_LIMIT, "triangle_count",
                               "the surfaces of a world have at most %u triangles",
                               KG_MESH_TRIANGLE_LIMIT);
    if (at >= KG_SURFACE_LIMIT)
        return kg_error_report(world, KUGEL_ERROR_LIMIT, "surface",
                               "a world has at most %u surfaces", KG_SURFACE_LIMIT);
    kugel_status status = kg_api_ensure_contacts(world);
    if (status) return status;
    if (!kg_surfaces_add(&world->memory, world->tasks, set, at, first, def))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "surface",
                               "no memory for %u triangles", def->triangle_count);
    kugel_surface made = kg_indices_handle(&set->indices, KG_HANDLE_SURFACE, at);
    if (surface) *surface = made;
    kg_moves_note_new_surface(world, at);
    meet_surface(world, at);
    kg_record_add_surface(world->recorder, &set->items[at], made);
    return KUGEL_OK;
}

/* True for a resting contact with the surface. */
static bool is_with_surface(const kugel_world *world, const kg_contact *contact, uint32_t index)
{
    const kg_surface *surface = &world->surfaces.items[index];
    uint32_t first = KG_BOUNDARY_FEATURES + KG_PARTS * surface->first_triangle;
    return contact->with == KG_WITH_FEATURE && !contact->ended &&
           contact->b - first < KG_PARTS * kg_surface_number_count(surface);
}

/* Reserve memory for the end events of all contacts with a surface, and for waking bodies, and note
 * the exits from a sensor. */
static kugel_status reserve_ends(kugel_world *world, uint32_t index)
{
    size_t count = 0;
    kugel_status status = kg_api_ensure_contacts(world);
    if (status) return status;
    for (uint32_t k = 0; k < world->contacts.count; ++k)
        count += is_with_surface(world, &world->contacts.items[k], index);
    if (count) status = kg_api_reserve_ends(world, count);
    if (status || kg_sensors_note_surface_exits(world, index)) return status;
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "sensors",
                           "no memory for exits from sensors");
}

/* Call act(world, slot) for the bodies that rest on a surface. */
static void for_resting(kugel_world *world, uint32_t index, void act(kugel_world *, uint32_t))
{
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (is_with_surface(world, c, index)) act(world, world->bodies.slot[c->a]);
    }
}

/* Before a surface leaves its place: wake the bodies that rest on it, and end their contacts. */
static void leave_surface(kugel_world *world, uint32_t index)
{
    for_resting(world, index, kg_sleep_wake);
    kg_api_end_contacts(world, is_with_surface, index);
}

kugel_status kugel_surface_destroy(kugel_world *world, kugel_surface surface)
{
    KG_CHANGE(world);
    FIND(world, surface, index);
    kugel_status status = reserve_ends(world, index);
    if (status) return status;
    leave_surface(world, index);
    kg_surfaces_remove(&world->memory, &world->surfaces, index);
    kg_neighbours_invalidate(world);
    KG_RECORD(world, SURFACE_DESTROY, .surface = surface);
    return KUGEL_OK;
}

kugel_status kugel_surface_set_pose(kugel_world *world, kugel_surface surface,
                                    const double *position, const double *rotation)
{
    KG_CHANGE(world);
    kugel_error error;
    FIND(world, surface, index);
    if (kg_validate_vector(position, "position", &error) ||
        kg_validate_rotation(rotation, "rotation", &error))
        return kg_refuse_error(world, &error);
    kugel_status status = reserve_ends(world, index);
    if (status) return status;
    leave_surface(world, index);
    kg_surface_place(&world->surfaces.items[index], position, rotation);
    kg_surface_tree_note_moved(&world->surfaces, index);
    world->surfaces.items[index].placed_at = (uint32_t)world->tick;
    meet_surface(world, index);
    KG_RECORD(world, SURFACE_POSE, .surface = surface, .vector = KG_ELEMENTS3(position),
              .rotation = KG_ELEMENTS4(rotation));
    return KUGEL_OK;
}

static bool any_sleeps_on(const kugel_world *world, uint32_t index)
{
    const kg_bodies *bodies = &world->bodies;
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (is_with_surface(world, c, index) &&
            bodies->sleep_state[bodies->slot[c->a]] == KG_ASLEEP)
            return true;
    }
    return false;
}

kugel_status kugel_surface_set_motion(kugel_world *world, kugel_surface surface,
                                      const double *velocity, const double *spin)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    FIND(world, surface, index);
    if (kg_validate_vector(velocity, "velocity", &error) ||
        kg_validate_vector(spin, "spin", &error))
        return kg_refuse_error(world, &error);
    const kg_surface *present = &world->surfaces.items[index];
    if (!kg_equal3(present->velocity, velocity) || !kg_equal3(present->spin, spin)) {
        /* no body on a surface that moves is aside */
        uint32_t first = KG_BOUNDARY_FEATURES + KG_PARTS * present->first_triangle;
        if (!present->moves &&
            !kg_aside_give_back_on(world, first, KG_PARTS * kg_surface_number_count(present)))
            return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "surface",
                                   "no memory for the contacts of resting bodies");
        kugel_status status =
            any_sleeps_on(world, index) ? kg_api_ensure_contacts(world) : KUGEL_OK;
        if (status) return status;
        kg_surfaces_set_motion(&world->surfaces, index, velocity, spin);
        for_resting(world, index, kg_sleep_drive);
    }
    KG_RECORD(world, SURFACE_MOTION, .surface = surface, .vector = KG_ELEMENTS3(velocity),
              .spin = KG_ELEMENTS3(spin));
    return KUGEL_OK;
}

/* Before a change of what drags the bodies on a surface: give back those that are aside, and wake
 * all. */
static kugel_status wake_bodies_on(kugel_world *world, uint32_t index)
{
    const kg_surface *surface = &world->surfaces.items[index];
    uint32_t first = KG_BOUNDARY_FEATURES + KG_PARTS * surface->first_triangle;
    if (!kg_aside_give_back_on(world, first, KG_PARTS * kg_surface_number_count(surface)))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "surface",
                               "no memory for the contacts of resting bodies");
    kugel_status status = any_sleeps_on(world, index) ? kg_api_ensure_contacts(world) : KUGEL_OK;
    if (!status) for_resting(world, index, kg_sleep_wake);
    return status;
}

kugel_status kugel_surface_set_tangent_velocity(kugel_world *world, kugel_surface surface,
                                                const double *velocity)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    FIND(world, surface, index);
    if (kg_validate_vector(velocity, "velocity", &error)) return kg_refuse_error(world, &error);
    if (!kg_equal3(world->surfaces.items[index].tangent_velocity, velocity)) {
        kugel_status status = wake_bodies_on(world, index);
        if (status) return status;
        kg_surfaces_set_tangent_velocity(&world->surfaces, index, velocity);
    }
    KG_RECORD(world, SURFACE_TANGENT, .surface = surface, .vector = KG_ELEMENTS3(velocity));
    return KUGEL_OK;
}

kugel_status kugel_surface_set_material(kugel_world *world, kugel_surface surface,
                                        double restitution, double friction,
                                        double rolling_resistance, double tangential_restitution)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    const double values[KG_CONTACT_NUMBERS] = {restitution, friction, rolling_resistance,
                                               tangential_restitution};
    FIND(world, surface, index);
    if (kg_validate_material(values, KG_CONTACT_NUMBERS, "", &error))
        return kg_refuse_error(world, &error);
    kugel_status status = wake_bodies_on(world, index);
    if (status) return status;
    kg_material *material = &world->surfaces.items[index].material;
    /* -0 becomes +0, as in a def */
    material->restitution = restitution + 0.0, material->friction = friction + 0.0;
    material->rolling_resistance = rolling_resistance + 0.0;
    material->tangential_restitution = tangential_restitution + 0.0;
    kg_surfaces_list_kinds(&world->surfaces);
    world->materials_changed = true;
    KG_RECORD(world, SURFACE_MATERIAL, .surface = surface, .vector = KG_ELEMENTS3(values),
              .number = tangential_restitution);
    return KUGEL_OK;
}

static bool is_excluded(const kugel_world *world, const kg_contact *contact, uint32_t index)
{
    const kg_bodies *bodies = &world->bodies;
    return is_with_surface(world, contact, index) &&
           !kg_surface_admits(&world->surfaces.items[index],
                              kg_bodies_material(bodies, bodies->slot[contact->a]));
}

kugel_status kugel_surface_set_filter(kugel_world *world, kugel_surface surface, uint32_t category,
                                      uint32_t mask, uint32_t group)
{
    KG_CHANGE(world);
    FIND(world, surface, index);
    kg_material *material = &world->surfaces.items[index].material;
    if (material->category == category && material->mask == mask && material->group == group)
        return KUGEL_OK;
    kugel_status status = reserve_ends(world, index);
    if (status) return status;
    for_resting(world, index, kg_sleep_wake);
    material->category = category, material->mask = mask, material->group = group;
    kg_api_end_contacts(world, is_excluded, index);
    meet_surface(world, index);
    KG_RECORD(world, SURFACE_FILTER, .surface = surface, .category = category, .mask = mask,
              .group = group);
    return KUGEL_OK;
}

kugel_status kugel_surface_set_kind(kugel_world *world, kugel_surface surface, uint32_t kind)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    FIND(world, surface, index);
    if (kg_validate_kind(kind, "kind", &error)) return kg_refuse_error(world, &error);
    kugel_status status = wake_bodies_on(world, index);
    if (status) return status;
    world->surfaces.items[index].material.kind = kind;
    world->materials_changed = true;
    KG_RECORD(world, SURFACE_KIND, .surface = surface, .kinds = {kind});
    return KUGEL_OK;
}

static kugel_status check_target(kugel_world *world, const double *position, const double *rotation,
                                 double dt)
{
    kugel_error error;
    if (!position && !rotation)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "position",
                               "and rotation are both NULL");
    if ((position && kg_validate_vector(position, "position", &error)) ||
        (rotation && kg_validate_rotation(rotation, "rotation", &error)))
        return kg_refuse_error(world, &error);
    return kg_api_check_target_time(world, dt);
}

/* Check and compute the motion that brings a surface to a pose in dt, s. */
static kugel_status motion_to(kugel_world *world, kugel_surface surface, const double *position,
                              const double *rotation, double dt, double velocity[3], double spin[3])
{
    KG_CHANGE_LOCAL(world);
    FIND(world, surface, index);
    kugel_status status = check_target(world, position, rotation, dt);
    if (status) return status;
    const kg_surface *present = &world->surfaces.items[index];
    kg_copy3(velocity, present->velocity);
    kg_copy3(spin, present->spin);
    for (int k = 0; k < 3 && position; ++k) velocity[k] = (position[k] - present->position[k]) / dt;
    if (rotation) kg_api_spin_to(present->rotation, rotation, dt, spin);
    status = kg_api_check_target_speed(world, velocity);
    return status ? status : kg_api_check_target_speed(world, spin);
}

kugel_status kugel_surface_set_target(kugel_world *world, kugel_surface surface,
                                      const double *position, const double *rotation, double dt)
{
    double velocity[3], spin[3];
    kugel_status status = motion_to(world, surface, position, rotation, dt, velocity, spin);
    return status ? status : kugel_surface_set_motion(world, surface, velocity, spin);
}

kugel_status kugel_surface_set_user_data(kugel_world *world, kugel_surface surface,
                                         uint64_t user_data)
{
    KG_CHANGE_LOCAL(world);
    FIND(world, surface, index);
    world->surfaces.items[index].user_data = user_data;
    return KUGEL_OK;
}

kugel_status kugel_surface_get_user_data(const kugel_world *world, kugel_surface surface,
                                         uint64_t *user_data)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if (!user_data) return KUGEL_ERROR_INVALID_ARGUMENT;
    uint32_t index = find(world, surface);
    if (index == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    *user_data = world->surfaces.items[index].user_data;
    return KUGEL_OK;
}

bool kugel_surface_is_valid(const kugel_world *world, kugel_surface surface)
{
    return !kg_refuse_read(world) && find(world, surface) != KG_NONE;
}

kugel_surface kugel_world_surface(const kugel_world *world, uint32_t index)
{
    if (kg_refuse_read(world)) return KUGEL_NULL_SURFACE;
    return kg_indices_handle(&world->surfaces.indices, KG_HANDLE_SURFACE, index);
}

uint32_t kugel_world_surface_end(const kugel_world *world)
{
    return world ? world->surfaces.end : 0;
}

kugel_status kugel_surface_get(const kugel_world *world, kugel_surface surface,
                               kugel_surface_def *def, kugel_surface_info *info, size_t def_size,
                               size_t info_size)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if (!def) return KUGEL_ERROR_INVALID_ARGUMENT;
    uint32_t index = find(world, surface);
    if (index == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    const kg_surface *present = &world->surfaces.items[index];
    const kg_mesh_report *report = &present->mesh.report;
    const kugel_surface_def shown = kg_surface_shown_def(present);
    const kugel_surface_info found = {report->welded, report->dropped, report->open_edges,
                                      report->branching_edges, report->facets};
    kg_def_write(def, def_size, &shown, sizeof shown);
    if (info) kg_copy_sized(info, info_size, &found, sizeof found);
    return KUGEL_OK;
}
