/* Public functions that add, place, read and remove surfaces. Calls that set user data are not
 * recorded. */
#include "api/api_contact_ends.h"
#include "api/api_target.h"
#include "grid/neighbours.h"
#include "kugel/surface.h"
#include "record/recorder.h"
#include "world/sleep_state.h"

kugel_surface_def kugel_surface_def_default(void)
{
    return (kugel_surface_def){.cookie = KG_SURFACE_DEF_COOKIE,
                               .rotation = {0, 0, 0, 1},
                               .friction = 0.5,
                               .category = 1,
                               .mask = 0xffffffffu};
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
    kg_sleep_wake_near(world, is_within, &world->surfaces.items[index]);
    kg_neighbours_invalidate(world);
}

static kugel_status refuse_index(kugel_world *world, uint32_t index)
{
    return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "index",
                           "there is no surface with index %u", index);
}

static bool exists(const kugel_world *world, uint32_t index)
{
    return index < world->surfaces.end && world->surfaces.items[index].used;
}

kugel_status kugel_world_add_surface(kugel_world *world, const kugel_surface_def *def,
                                     uint32_t *index)
{
    KG_CHANGE_EARLY(world);
    kugel_error error;
    kg_surfaces *set = &world->surfaces;
    kugel_surface_def complete;
    if (def && def->cookie == KG_SURFACE_DEF_COOKIE) {
        complete = *def;
        kg_surface_def_complete(&complete);
        def = &complete;
    }
    if (kg_validate_surface_def(def, &error)) return kg_refuse_error(world, &error);
    uint32_t first = kg_surfaces_find_numbers(set, kg_surface_def_number_count(def)),
             at = kg_surfaces_free_index(set);
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
    if (index) *index = at;
    meet_surface(world, at);
    kg_record_add_surface(world->recorder, &set->items[at], at);
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

/* Reserve memory for the end events of all contacts with a surface, and for waking bodies. */
static kugel_status reserve_ends(kugel_world *world, uint32_t index)
{
    size_t count = 0;
    kugel_status status = kg_api_ensure_contacts(world);
    if (status) return status;
    for (uint32_t k = 0; k < world->contacts.count; ++k)
        count += is_with_surface(world, &world->contacts.items[k], index);
    return count ? kg_api_reserve_ends(world, count) : KUGEL_OK;
}

/* Before a surface leaves its place: wake the bodies that rest on it, and end their contacts. */
static void leave_surface(kugel_world *world, uint32_t index)
{
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (is_with_surface(world, c, index)) kg_sleep_wake(world, world->bodies.slot[c->a]);
    }
    kg_api_end_contacts(world, is_with_surface, index);
}

kugel_status kugel_world_remove_surface(kugel_world *world, uint32_t index)
{
    KG_CHANGE(world);
    if (!exists(world, index)) return refuse_index(world, index);
    kugel_status status = reserve_ends(world, index);
    if (status) return status;
    leave_surface(world, index);
    kg_surfaces_remove(&world->memory, &world->surfaces, index);
    kg_neighbours_invalidate(world);
    KG_RECORD(world, REMOVE_SURFACE, .surface = index);
    return KUGEL_OK;
}

kugel_status kugel_world_place_surface(kugel_world *world, uint32_t index, const double *position,
                                       const double *rotation)
{
    KG_CHANGE(world);
    kugel_error error;
    if (!exists(world, index)) return refuse_index(world, index);
    if (kg_validate_vector(position, "position", &error) ||
        kg_validate_rotation(rotation, "rotation", &error))
        return kg_refuse_error(world, &error);
    kugel_status status = reserve_ends(world, index);
    if (status) return status;
    leave_surface(world, index);
    kg_surface_place(&world->surfaces.items[index], position, rotation);
    kg_surfaces_note_change(&world->surfaces);
    meet_surface(world, index);
    KG_RECORD(world, PLACE_SURFACE, .surface = index, .vector = KG_ELEMENTS3(position),
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

/* Mark the bodies that rest on a surface as driven. */
static void drive_bodies_on(kugel_world *world, uint32_t index)
{
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (is_with_surface(world, c, index)) kg_sleep_drive(world, world->bodies.slot[c->a]);
    }
}

kugel_status kugel_world_set_surface_motion(kugel_world *world, uint32_t index,
                                            const double *velocity, const double *spin)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    if (!exists(world, index)) return refuse_index(world, index);
    if (kg_validate_vector(velocity, "velocity", &error) ||
        kg_validate_vector(spin, "spin", &error))
        return kg_refuse_error(world, &error);
    const kg_surface *surface = &world->surfaces.items[index];
    if (!kg_equal3(surface->velocity, velocity) || !kg_equal3(surface->spin, spin)) {
        /* no body on a surface that moves is aside */
        uint32_t first = KG_BOUNDARY_FEATURES + KG_PARTS * surface->first_triangle;
        if (!surface->moves &&
            !kg_aside_give_back_on(world, first, KG_PARTS * kg_surface_number_count(surface)))
            return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "surface",
                                   "no memory for the contacts of resting bodies");
        kugel_status status =
            any_sleeps_on(world, index) ? kg_api_ensure_contacts(world) : KUGEL_OK;
        if (status) return status;
        kg_surfaces_set_motion(&world->surfaces, index, velocity, spin);
        drive_bodies_on(world, index);
    }
    KG_RECORD(world, MOVE_SURFACE, .surface = index, .vector = KG_ELEMENTS3(velocity),
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
    for (uint32_t k = 0; k < world->contacts.count && !status; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (is_with_surface(world, c, index)) kg_sleep_wake(world, world->bodies.slot[c->a]);
    }
    return status;
}

kugel_status kugel_world_set_surface_tangent_velocity(kugel_world *world, uint32_t index,
                                                      const double *velocity)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    if (!exists(world, index)) return refuse_index(world, index);
    if (kg_validate_vector(velocity, "velocity", &error)) return kg_refuse_error(world, &error);
    if (!kg_equal3(world->surfaces.items[index].tangent_velocity, velocity)) {
        kugel_status status = wake_bodies_on(world, index);
        if (status) return status;
        kg_surfaces_set_tangent_velocity(&world->surfaces, index, velocity);
    }
    KG_RECORD(world, SURFACE_TANGENT, .surface = index, .vector = KG_ELEMENTS3(velocity));
    return KUGEL_OK;
}

kugel_status kugel_world_set_surface_material(kugel_world *world, uint32_t index,
                                              double restitution, double friction,
                                              double rolling_resistance)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    const double values[3] = {restitution, friction, rolling_resistance};
    if (!exists(world, index)) return refuse_index(world, index);
    if (kg_validate_material(values, 3, "", &error)) return kg_refuse_error(world, &error);
    kugel_status status = wake_bodies_on(world, index);
    if (status) return status;
    kg_material *material = &world->surfaces.items[index].material;
    material->restitution = restitution, material->friction = friction;
    material->rolling_resistance = rolling_resistance;
    world->materials_changed = true;
    KG_RECORD(world, SURFACE_MATERIAL, .surface = index, .vector = KG_ELEMENTS3(values));
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
static kugel_status motion_to(kugel_world *world, uint32_t index, const double *position,
                              const double *rotation, double dt, double velocity[3], double spin[3])
{
    KG_CHANGE_LOCAL(world);
    if (!exists(world, index)) return refuse_index(world, index);
    kugel_status status = check_target(world, position, rotation, dt);
    if (status) return status;
    const kg_surface *surface = &world->surfaces.items[index];
    kg_copy3(velocity, surface->velocity);
    kg_copy3(spin, surface->spin);
    for (int k = 0; k < 3 && position; ++k) velocity[k] = (position[k] - surface->position[k]) / dt;
    if (rotation) kg_api_spin_to(surface->rotation, rotation, dt, spin);
    status = kg_api_check_target_speed(world, velocity);
    return status ? status : kg_api_check_target_speed(world, spin);
}

kugel_status kugel_world_set_surface_target(kugel_world *world, uint32_t index,
                                            const double *position, const double *rotation,
                                            double dt)
{
    double velocity[3], spin[3];
    kugel_status status = motion_to(world, index, position, rotation, dt, velocity, spin);
    return status ? status : kugel_world_set_surface_motion(world, index, velocity, spin);
}

kugel_status kugel_world_set_surface_user_data(kugel_world *world, uint32_t index,
                                               uint64_t user_data)
{
    KG_CHANGE_LOCAL(world);
    if (!exists(world, index)) return refuse_index(world, index);
    world->surfaces.items[index].user_data = user_data;
    return KUGEL_OK;
}

kugel_status kugel_world_get_surface_user_data(const kugel_world *world, uint32_t index,
                                               uint64_t *user_data)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if (!user_data || !exists(world, index)) return KUGEL_ERROR_INVALID_ARGUMENT;
    *user_data = world->surfaces.items[index].user_data;
    return KUGEL_OK;
}

uint32_t kugel_world_surface_end(const kugel_world *world)
{
    return world ? world->surfaces.end : 0;
}

kugel_status kugel_world_get_surface(const kugel_world *world, uint32_t index,
                                     kugel_surface_def *def, kugel_surface_info *info)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if (!def || !exists(world, index)) return KUGEL_ERROR_INVALID_ARGUMENT;
    const kg_surface *surface = &world->surfaces.items[index];
    const kg_mesh_report *report = &surface->mesh.report;
    *def = kg_surface_shown_def(surface);
    if (info)
        *info = (kugel_surface_info){report->welded, report->dropped, report->open_edges,
                                     report->branching_edges, report->facets};
    return KUGEL_OK;
}
