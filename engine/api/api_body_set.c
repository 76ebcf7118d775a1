/* Public functions that change properties of bodies, and that wake bodies or put them to sleep. A
 * change of a property wakes the bodies that it can move. A change of a place, a radius or a type
 * invalidates the neighbour lists. The next step then orders all contacts again, and so it does
 * after a change of a mass or material. */
#include "api/api_body.h"
#include "api/api_contact_ends.h"
#include "grid/neighbours.h"
#include "kugel/body.h"
#include "query/query_index.h"
#include "record/recorder.h"
#include "world/locks.h"
#include "world/moves.h"
#include "world/periodic.h"
#include "world/sleep_state.h"

/* Find the slot of a body and check that a number is in [low, high]. */
static kugel_status find_and_check_number(kugel_world *world, kugel_body body, double value,
                                          double low, double high, const char *name, uint32_t *slot)
{
    kugel_error error;
    kugel_status status = kg_api_find_body(world, body, slot);
    if (status) return status;
    return kg_validate_range(value, low, high, name, &error) ? kg_refuse_error(world, &error)
                                                             : KUGEL_OK;
}

kugel_status kugel_body_set_mass(kugel_world *world, kugel_body body, double mass)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status =
        find_and_check_number(world, body, mass, KG_MASS_MIN, KG_VALUE_LIMIT, "mass", &i);
    if (status) return status;
    if (world->bodies.type[i] != KUGEL_DYNAMIC)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "body",
                               "a static or kinematic body has no mass");
    kg_sleep_wake(world, i);
    world->bodies.mass[i] = mass;
    world->materials_changed = true;
    KG_RECORD(world, SET_MASS, .body = body, .number = mass);
    return KUGEL_OK;
}

/* Before a change of position, radius or type: wake the bodies in contact and end the contacts. */
static void begin_reshape(kugel_world *world, uint32_t slot)
{
    kg_sleep_wake_touching(world, slot);
    kg_api_end_body_contacts(world, slot);
}

/* After such a change: wake the bodies that the body overlaps, and make the next step and queries
 * find its new place. */
static void end_reshape(kugel_world *world, uint32_t slot)
{
    world->bodies.placed[slot] = 1;
    kg_sleep_wake_overlapping(world, slot);
    kg_neighbours_invalidate(world);
    kg_query_update_body(world, world->bodies.id[slot], true);
}

kugel_status kugel_body_set_position(kugel_world *world, kugel_body body, const double *position)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_and_check(world, body, position, "position", &i);
    if (status) return status;
    if (kg_validate_position(world, position, "position", &error))
        return kg_refuse_error(world, &error);
    if ((status =
             kg_api_meet(world, position, world->bodies.radius[i], world->bodies.mass[i] > 0)) ||
        (status = kg_api_prepare_body_ends(world, i)))
        return status;
    begin_reshape(world, i);
    double x[3] = {position[0], position[1], position[2]};
    uint32_t crossings[3] = {0, 0, 0};
    kg_periodic_wrap_faces(world, x, crossings);
    for (int k = 0; k < 3; ++k) {
        world->bodies.x[k][i] = x[k] + 0.0; /* -0 becomes +0 */
        if (crossings[k]) world->bodies.image[k][i] += crossings[k];
    }
    kg_moves_note_placed(world, i);
    end_reshape(world, i);
    KG_RECORD(world, SET_POSITION, .body = body, .vector = KG_ELEMENTS3(position));
    return KUGEL_OK;
}

kugel_status kugel_body_set_radius(kugel_world *world, kugel_body body, double radius)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (!status && kg_validate_radius(world, radius, "radius", &error))
        status = kg_refuse_error(world, &error);
    if (!status) status = kg_api_meet_at_place(world, i, radius, world->bodies.mass[i] > 0);
    if (!status) status = kg_api_prepare_body_ends(world, i);
    if (status) return status;
    begin_reshape(world, i);
    world->bodies.radius[i] = radius;
    end_reshape(world, i);
    KG_RECORD(world, SET_RADIUS, .body = body, .number = radius);
    return KUGEL_OK;
}

/* Clear what a body with mass 0 does not have: forces, torques and a sleep state; for a static body
 * also velocity and spin. */
static void clear_dynamics(kg_bodies *bodies, uint32_t slot)
{
    kg_sleep_set(bodies, slot, 0);
    for (int k = 0; k < 3; ++k) {
        if (bodies->has_load_columns) bodies->force[k][slot] = bodies->torque[k][slot] = 0;
        if (bodies->type[slot] == KUGEL_STATIC) bodies->v[k][slot] = bodies->w[k][slot] = 0;
    }
}

kugel_status kugel_body_set_type(kugel_world *world, kugel_body body, kugel_body_type type,
                                 double mass)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    if ((unsigned)type > KUGEL_KINEMATIC)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "type", "unknown type of body");
    bool is_dynamic = type == KUGEL_DYNAMIC;
    if (is_dynamic && kg_validate_range(mass, KG_MASS_MIN, KG_VALUE_LIMIT, "mass", &error))
        return kg_refuse_error(world, &error);
    if ((status = kg_api_meet_at_place(world, i, world->bodies.radius[i], is_dynamic)) ||
        (status = kg_api_prepare_body_ends(world, i)))
        return status;
    begin_reshape(world, i);
    world->bodies.type[i] = (uint8_t)type;
    world->bodies.mass[i] = is_dynamic ? mass : 0;
    if (!is_dynamic) clear_dynamics(&world->bodies, i);
    else if (kg_bodies_is_disabled(&world->bodies, i)) kg_sleep_set(&world->bodies, i, KG_ASLEEP);
    kg_locks_stop(&world->bodies, i);
    end_reshape(world, i);
    KG_RECORD(world, SET_TYPE, .body = body, .type = type, .number = world->bodies.mass[i]);
    return KUGEL_OK;
}

static kugel_status store_material(kugel_world *world, uint32_t i, const kg_material *material)
{
    if (kg_bodies_set_material(&world->memory, &world->bodies, i, material)) return KUGEL_OK;
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "body",
                           "no memory for one more material");
}

/* Give a body another material, with the same filter. */
static kugel_status change_material(kugel_world *world, uint32_t i, const kg_material *material)
{
    /* a static or kinematic body wakes those that touch it */
    kugel_status status = world->bodies.mass[i] == 0 ? kg_api_ensure_contacts(world) : KUGEL_OK;
    if (!status) status = store_material(world, i, material);
    if (status) return status;
    kg_sleep_wake_touching(world, i);
    world->materials_changed = true;
    return KUGEL_OK;
}

/* Set `count` numbers of a body's material, from number `first` (KG_RESTITUTION ...) on. */
static kugel_status set_numbers(kugel_world *world, kugel_body body, int first, int count,
                                const double *values, kg_op op)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kg_call call = {.op = op, .body = body, .number = values[count - 1]};
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    kg_material material = *kg_bodies_material(&world->bodies, i);
    for (int k = 0; k < count; ++k) {
        const kg_field *field = &kg_material_fields[first + k];
        kg_range range = kg_material_ranges[first + k];
        if (kg_validate_range(values[k], range.low, range.high, field->name, &error))
            return kg_refuse_error(world, &error);
        memcpy((char *)&material + field->offset, &values[k], sizeof *values);
        if (k < 3) call.vector[k] = values[k];
    }
    if ((status = change_material(world, i, &material))) return status;
    kg_record_call(world->recorder, &call);
    return KUGEL_OK;
}

kugel_status kugel_body_set_material(kugel_world *world, kugel_body body, double restitution,
                                     double friction, double rolling_resistance,
                                     double tangential_restitution)
{
    const double values[KG_CONTACT_NUMBERS] = {restitution, friction, rolling_resistance,
                                               tangential_restitution};
    return set_numbers(world, body, KG_RESTITUTION, KG_CONTACT_NUMBERS, values, KG_OP_SET_MATERIAL);
}

kugel_status kugel_body_set_gravity_scale(kugel_world *world, kugel_body body, double gravity_scale)
{
    return set_numbers(world, body, KG_GRAVITY_SCALE, 1, &gravity_scale, KG_OP_SET_GRAVITY_SCALE);
}

kugel_status kugel_body_set_damping(kugel_world *world, kugel_body body, double linear,
                                    double angular)
{
    const double values[2] = {linear, angular};
    return set_numbers(world, body, KG_LINEAR_DAMPING, 2, values, KG_OP_SET_DAMPING);
}

kugel_status kugel_body_set_kind(kugel_world *world, kugel_body body, uint32_t kind)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    if (kg_validate_kind(kind, "kind", &error)) return kg_refuse_error(world, &error);
    kg_material material = *kg_bodies_material(&world->bodies, i);
    material.kind = kind;
    if ((status = change_material(world, i, &material))) return status;
    KG_RECORD(world, SET_KIND, .body = body, .kinds = {kind});
    return KUGEL_OK;
}

kugel_status kugel_body_set_can_sleep(kugel_world *world, kugel_body body, bool can_sleep)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    kg_material material = *kg_bodies_material(&world->bodies, i);
    if (material.stays_awake == !can_sleep) return KUGEL_OK;
    material.stays_awake = !can_sleep;
    if ((status = change_material(world, i, &material))) return status;
    KG_RECORD(world, SET_CAN_SLEEP, .body = body, .flag = can_sleep);
    return KUGEL_OK;
}

kugel_status kugel_body_set_contact_events(kugel_world *world, kugel_body body, bool contact_events)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    kg_material material = *kg_bodies_material(&world->bodies, i);
    material.quiet = !contact_events;
    if ((status = store_material(world, i, &material))) return status;
    KG_RECORD(world, SET_CONTACT_EVENTS, .body = body, .flag = contact_events);
    return KUGEL_OK;
}

kugel_status kugel_body_set_locks(kugel_world *world, kugel_body body, uint32_t locks)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    if (kg_validate_locks(locks, "locks", &error)) return kg_refuse_error(world, &error);
    kg_material material = *kg_bodies_material(&world->bodies, i);
    if (material.locks == locks) return KUGEL_OK;
    material.locks = (uint8_t)locks;
    if ((status = change_material(world, i, &material))) return status;
    kg_locks_stop(&world->bodies, i);
    KG_RECORD(world, SET_LOCKS, .body = body, .mask = locks);
    return KUGEL_OK;
}

kugel_status kugel_body_wake(kugel_world *world, kugel_body body)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    kg_sleep_wake(world, i);
    KG_RECORD(world, WAKE, .body = body);
    return KUGEL_OK;
}

kugel_status kugel_body_sleep(kugel_world *world, kugel_body body)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    if (world->bodies.type[i] != KUGEL_DYNAMIC)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "body",
                               "a static or kinematic body does not sleep");
    if (!world->def.sleep || !world->bodies.contact_count[i])
        return kg_error_report(world, KUGEL_ERROR_STATE, "body", "%s",
                               world->def.sleep ? "has no resting contact"
                                                : "bodies of this world do not sleep");
    if ((status = kg_api_ensure_contacts(world))) return status;
    kg_sleep_put_to_sleep(world, i);
    kg_neighbours_invalidate(world);
    KG_RECORD(world, SLEEP, .body = body);
    return KUGEL_OK;
}
