/* Public functions that create and destroy bodies, and that set their images, motions, forces and
 * filters. Each one wakes the bodies that the change can move. Functions that change which bodies
 * are near or collide invalidate the neighbour lists. */
#include <string.h>

#include "api/api_body.h"
#include "api/api_contact_ends.h"
#include "grid/neighbours.h"
#include "kugel/body.h"
#include "query/query_index.h"
#include "record/recorder.h"
#include "sensors/sensors.h"
#include "world/periodic.h"
#include "world/sleep_state.h"

kugel_body_def kugel_body_def_default(void)
{
    return (kugel_body_def){
        .cookie = KG_BODY_DEF_COOKIE,
        .type = KUGEL_DYNAMIC,
        .orientation = {0, 0, 0, 1},
        .radius = 0.5,
        .mass = 1,
        .friction = 0.5,
        .gravity_scale = 1,
        .category = 1,
        .mask = 0xffffffffu,
    };
}

/* True if the next body belongs to another rank. False unless ranks share the creation of bodies
 * (kugel_ranks_share_creation): then the owner changes every IDS_IN_TURN ids. */
static bool belongs_to_another_rank(const kugel_world *world)
{
    enum { IDS_IN_TURN = 1024 };
    uint32_t ranks = world->creating_ranks, next = world->bodies.id_end;
    return ranks && next / IDS_IN_TURN % ranks != world->creating_rank;
}

/* The def of the same body with its centre inside periodic faces. */
static kugel_body_def wrapped_def(const kugel_world *world, const kugel_body_def *def)
{
    kugel_body_def wrapped = *def;
    uint32_t image[3];
    memcpy(image, def->image, sizeof image);
    kg_periodic_wrap_faces(world, wrapped.position, image);
    memcpy(wrapped.image, image, sizeof image);
    return wrapped;
}

static kugel_status add_body(kugel_world *world, const kugel_body_def *def, kugel_body *made)
{
    kg_bodies *bodies = &world->bodies;
    uint32_t slot, id;
    bool absent = belongs_to_another_rank(world);
    uint32_t held = bodies->count + bodies->absent_count, limit = world->def.limits.bodies;
    if (limit && held >= limit)
        return kg_error_report(world, KUGEL_ERROR_LIMIT, "body",
                               "would be one more than the %u of limits.bodies", limit);
    kugel_status status = absent ? kg_bodies_add_absent(&world->memory, bodies, def, &id)
                                 : kg_bodies_add(&world->memory, bodies, def, &slot);
    if (status)
        return kg_error_report(world, status, "body", "%s: the world holds %u bodies",
                               kugel_status_text(status), held);
    if (!absent) slot = kg_aside_take_new_row(world, slot);
    *made = absent ? kg_bodies_handle_of_id(bodies, id) : kg_bodies_handle(bodies, slot);
    if (absent) return KUGEL_OK;
    kg_neighbours_invalidate(world);
    kg_query_update_body(world, kugel_body_id(*made), true);
    kg_sleep_wake_overlapping(world, slot);
    return KUGEL_OK;
}

kugel_status kugel_body_create(kugel_world *world, const kugel_body_def *def, kugel_body *body)
{
    if (body) *body = KUGEL_NULL_BODY;
    KG_CHANGE_LOCAL_EARLY(world);
    kugel_error error;
    if (kg_validate_body_def(world, def, &error)) return kg_refuse_error(world, &error);
    kugel_body made = KUGEL_NULL_BODY;
    const kugel_body_def wrapped = wrapped_def(world, def);
    kugel_status status =
        kg_api_meet(world, wrapped.position, wrapped.radius, wrapped.type == KUGEL_DYNAMIC);
    if (!status) status = add_body(world, &wrapped, &made);
    if (status) return status;
    if (body) *body = made;
    KG_RECORD(world, BODY_CREATE, .body = made, .body_def = wrapped);
    return KUGEL_OK;
}

kugel_status kugel_body_destroy(kugel_world *world, kugel_body body)
{
    KG_CHANGE_LOCAL(world);
    uint32_t slot;
    kugel_status status = kg_api_find_body(world, body, &slot);
    if (!status) status = kg_api_prepare_body_ends(world, slot);
    if (status) return status;
    kg_sleep_wake_touching(world, slot);
    kg_api_end_body_contacts(world, slot);
    kg_query_update_body(world, kugel_body_id(body), false);
    kg_bodies_remove(&world->bodies, kg_aside_move_to_end(world, slot));
    kg_neighbours_invalidate(world);
    KG_RECORD(world, BODY_DESTROY, .body = body);
    return KUGEL_OK;
}

kugel_status kugel_body_set_image(kugel_world *world, kugel_body body, const int32_t *image)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_row(world, body, &i);
    if (status) return status;
    if (!image) return kg_refuse_null(world, "image");
    if (kg_validate_image(world, image, "image", &error)) return kg_refuse_error(world, &error);
    for (int k = 0; k < 3 && world->bodies.has_image_columns; ++k)
        world->bodies.image[k][i] = (uint32_t)image[k];
    KG_RECORD(world, SET_IMAGE, .body = body, .image = KG_ELEMENTS3(image));
    return KUGEL_OK;
}

/* Set the velocity or, for KG_OP_SET_SPIN, the spin. */
static kugel_status set_motion(kugel_world *world, kugel_body body, const double *value,
                               const char *name, kg_op op)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_and_check(world, body, value, name, &i);
    if (status) return status;
    if (world->bodies.type[i] == KUGEL_STATIC)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "body",
                               "%s of a static body cannot be set", name);
    if (world->bodies.sleep_state[i] == KG_ASLEEP && kg_is_zero3(value)) return KUGEL_OK;
    double **column = op == KG_OP_SET_VELOCITY ? world->bodies.v : world->bodies.w;
    if (op == KG_OP_SET_VELOCITY) kg_sleep_drive(world, i);
    else kg_sleep_wake(world, i);
    /* a body that starts to move looks for bodies that are aside when it gets a new list */
    if (world->aside.count && !kg_is_zero3(value) && world->bodies.type[i] == KUGEL_KINEMATIC &&
        kg_bodies_is_motionless(&world->bodies, i))
        kg_neighbours_invalidate(world);
    for (int k = 0; k < 3; ++k) column[k][i] = value[k] + 0.0; /* -0 becomes +0 */
    kg_record_call(world->recorder,
                   &(kg_call){.op = op, .body = body, .vector = KG_ELEMENTS3(value)});
    return KUGEL_OK;
}

kugel_status kugel_body_set_velocity(kugel_world *world, kugel_body body, const double *velocity)
{
    return set_motion(world, body, velocity, "velocity", KG_OP_SET_VELOCITY);
}

/* Check and compute the velocity, m/s, that brings a body to a position in dt, s. */
static kugel_status velocity_to(kugel_world *world, kugel_body body, const double *position,
                                double dt, double velocity[3])
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_error error;
    kugel_status status = kg_api_find_and_check(world, body, position, "position", &i);
    if (!status) status = kg_api_check_target(world, i, dt);
    if (status) return status;
    if (kg_validate_position(world, position, "position", &error))
        return kg_refuse_error(world, &error);
    for (int k = 0; k < 3; ++k)
        velocity[k] = kg_periodic_nearest_image(world, k, position[k] - world->bodies.x[k][i]) / dt;
    return kg_api_check_target_speed(world, velocity);
}

kugel_status kugel_body_set_target(kugel_world *world, kugel_body body, const double *position,
                                   double dt)
{
    double velocity[3];
    kugel_status status = velocity_to(world, body, position, dt, velocity);
    return status ? status : kugel_body_set_velocity(world, body, velocity);
}

kugel_status kugel_body_set_spin(kugel_world *world, kugel_body body, const double *spin)
{
    return set_motion(world, body, spin, "spin", KG_OP_SET_SPIN);
}

/* A force, torque, impulse or angular impulse of a call. */
typedef struct push {
    kg_op op;
    const char *name; /* of the argument, for errors */
    double value[3];  /* N, N m, N s or N m s */
} push;

/* The columns to which a push adds; *scale: their change for a push of 1. */
static double **column_of(kg_bodies *b, uint32_t i, kg_op op, double *scale)
{
    *scale = 1;
    if (op == KG_OP_FORCE) return b->force;
    if (op == KG_OP_TORQUE) return b->torque;
    bool turns = op == KG_OP_ANGULAR_IMPULSE;
    *scale = turns ? 1 / (0.4 * b->mass[i] * b->radius[i] * b->radius[i]) : 1 / b->mass[i];
    return turns ? b->w : b->v;
}

/* Check that the velocity, spin, force or torque after a push is within +-KG_VALUE_LIMIT. For a
 * force or torque, reserve the columns. */
static kugel_status check_push(kugel_world *world, uint32_t i, const push *p)
{
    kg_bodies *b = &world->bodies;
    bool is_force = p->op == KG_OP_FORCE || p->op == KG_OP_TORQUE;
    if (is_force && !kg_bodies_reserve_loads(&world->memory, b))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, p->name,
                               "no memory for forces and torques");
    double scale, **column = column_of(b, i, p->op, &scale);
    for (int k = 0; k < 3; ++k) {
        double sum = column[k][i] + scale * p->value[k];
        if (__builtin_fabs(sum) <= KG_VALUE_LIMIT) continue;
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, p->name,
                               "brings the body beyond +-%g", KG_VALUE_LIMIT);
    }
    return KUGEL_OK;
}

static void add_push(kugel_world *world, kugel_body body, uint32_t i, const push *p)
{
    kg_bodies *b = &world->bodies;
    double scale, **column = column_of(b, i, p->op, &scale);
    if (p->op == KG_OP_IMPULSE) kg_sleep_drive(world, i);
    else kg_sleep_wake(world, i);
    for (int k = 0; k < 3; ++k) column[k][i] += scale * p->value[k];
    if (p->op == KG_OP_FORCE || p->op == KG_OP_TORQUE) b->has_forces = true;
    kg_record_call(world->recorder,
                   &(kg_call){.op = p->op, .body = body, .vector = KG_ELEMENTS3(p->value)});
}

static kugel_status apply_push(kugel_world *world, kugel_body body, const double *value,
                               const char *name, kg_op op)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_and_check(world, body, value, name, &i);
    if (status || world->bodies.mass[i] == 0 || kg_is_zero3(value)) return status;
    push p = {op, name, {value[0], value[1], value[2]}};
    status = check_push(world, i, &p);
    if (!status) add_push(world, body, i, &p);
    return status;
}

/* Apply a push at a point: the push itself and its moment about the centre. On an error neither is
 * applied. */
static kugel_status apply_push_at(kugel_world *world, kugel_body body, const double *value,
                                  const double *point, push linear, push angular)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    double arm[3];
    kugel_status status = kg_api_find_and_check(world, body, value, linear.name, &i);
    if (!status) status = kg_api_check_vector(world, point, angular.name);
    if (status || world->bodies.mass[i] == 0 || kg_is_zero3(value)) return status;
    for (int k = 0; k < 3; ++k)
        arm[k] = kg_periodic_nearest_image(world, k, point[k] - world->bodies.x[k][i]);
    kg_copy3(linear.value, value);
    kg_cross3(angular.value, arm, value);
    status = kg_api_check_vector(world, angular.value, angular.name);
    if (!status) status = check_push(world, i, &linear);
    if (!status) status = check_push(world, i, &angular);
    if (status) return status;
    add_push(world, body, i, &linear);
    add_push(world, body, i, &angular);
    return KUGEL_OK;
}

kugel_status kugel_body_set_filter(kugel_world *world, kugel_body body, uint32_t category,
                                   uint32_t mask, uint32_t group)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    size_t exits = world->events.left_count;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (!status)
        status = kg_api_meet_at_place(world, i, world->bodies.radius[i], world->bodies.mass[i] > 0);
    if (!status) status = kg_api_prepare_body_ends(world, i);
    if (status) return status;
    kg_material material = *kg_bodies_material(&world->bodies, i);
    material.category = category, material.mask = mask, material.group = group;
    if (!kg_bodies_set_material(&world->memory, &world->bodies, i, &material)) {
        world->events.left_count = exits;
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "body",
                               "no memory for one more filter");
    }
    world->bodies.placed[i] = 1;
    kg_sleep_wake_touching(world, i);
    kg_sleep_wake_overlapping(world, i);
    kg_api_end_filtered_contacts(world, i);
    kg_neighbours_invalidate(world);
    KG_RECORD(world, SET_FILTER, .body = body, .category = category, .mask = mask, .group = group);
    return KUGEL_OK;
}

kugel_status kugel_body_apply_force(kugel_world *world, kugel_body body, const double *force)
{
    return apply_push(world, body, force, "force", KG_OP_FORCE);
}

kugel_status kugel_body_apply_torque(kugel_world *world, kugel_body body, const double *torque)
{
    return apply_push(world, body, torque, "torque", KG_OP_TORQUE);
}

kugel_status kugel_body_apply_impulse(kugel_world *world, kugel_body body, const double *impulse)
{
    return apply_push(world, body, impulse, "impulse", KG_OP_IMPULSE);
}

kugel_status kugel_body_apply_angular_impulse(kugel_world *world, kugel_body body,
                                              const double *impulse)
{
    return apply_push(world, body, impulse, "impulse", KG_OP_ANGULAR_IMPULSE);
}

kugel_status kugel_body_apply_force_at(kugel_world *world, kugel_body body, const double *force,
                                       const double *point)
{
    return apply_push_at(world, body, force, point, (push){KG_OP_FORCE, "force", {0}},
                         (push){KG_OP_TORQUE, "point", {0}});
}

kugel_status kugel_body_apply_impulse_at(kugel_world *world, kugel_body body, const double *impulse,
                                         const double *point)
{
    return apply_push_at(world, body, impulse, point, (push){KG_OP_IMPULSE, "impulse", {0}},
                         (push){KG_OP_ANGULAR_IMPULSE, "point", {0}});
}
