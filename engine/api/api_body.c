/* Public functions that create and destroy bodies, and that set their images, motions, forces and
 * filters. Each one wakes the bodies that the change can move. Functions that change which bodies
 * are near or collide invalidate the neighbour lists. */
#include <math.h>
#include <string.h>

#include "api/api_body.h"
#include "api/api_contact_ends.h"
#include "base/hash.h"
#include "grid/neighbours.h"
#include "kugel/body.h"
#include "query/query_index.h"
#include "record/def_encoding.h"
#include "record/recorder.h"
#include "sensors/sensors.h"
#include "world/locks.h"
#include "world/moves.h"
#include "world/periodic.h"
#include "world/row_hash.h"
#include "world/sleep_state.h"

static const kugel_body_def defaults = {
    .cookie = KG_BODY_DEF_COOKIE,
    .type = KUGEL_DYNAMIC,
    .rotation = {0, 0, 0, 1},
    .radius = 0.5,
    .mass = 1,
    .friction = 0.5,
    .gravity_scale = 1,
    .category = 1,
    .mask = 0xffffffffu,
    .can_sleep = true,
    .contact_events = true,
    .enabled = true,
};

void kugel_body_def_init(kugel_body_def *def, size_t size)
{
    kg_def_write(def, size, &defaults, sizeof defaults);
}

/* True if the next body belongs to another rank. False unless ranks share the creation of bodies
 * (kugel_ranks_share_creation): then the owner changes every IDS_IN_TURN ids. */
static bool belongs_to_another_rank(const kugel_world *world)
{
    enum { IDS_IN_TURN = 1024 };
    uint32_t ranks = world->creating_ranks, next = world->bodies.id_end;
    return ranks && next / IDS_IN_TURN % ranks != world->creating_rank;
}

/* A hash of the bodies created so far, on all ranks; user data may differ. */
static void note_creation(kugel_world *world, const kugel_body_def *def)
{
    uint8_t bytes[KG_BODY_DEF_BYTES];
    kugel_body_def plain = *def;
    if (!world->creating_ranks) return;
    plain.user_data = 0;
    kg_def_encode(kg_body_def_members, &plain, bytes);
    world->created_hash = kg_hash_mix(world->created_hash, XXH3_64bits(bytes, sizeof bytes));
}

/* Move the centre inside periodic faces: the body is the same. */
static void wrap_def(const kugel_world *world, kugel_body_def *def)
{
    uint32_t image[3];
    memcpy(image, def->image, sizeof image);
    kg_periodic_wrap_faces(world, def->position, image);
    memcpy(def->image, image, sizeof image);
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
    if (!absent) slot = kg_aside_move_to_end(world, slot);
    note_creation(world, def);
    *made = absent ? kg_bodies_handle_of_id(bodies, id) : kg_bodies_handle(bodies, slot);
    if (absent) return KUGEL_OK;
    kg_moves_note_new(world, slot);
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
    kugel_body_def complete = defaults;
    if (kg_validate_def(def, &complete, sizeof complete, "def", &error) ||
        kg_validate_body_def(world, &complete, &error))
        return kg_refuse_error(world, &error);
    kugel_body made = KUGEL_NULL_BODY;
    complete.mass = kg_body_def_mass(&complete), complete.density = 0;
    wrap_def(world, &complete);
    kugel_status status =
        kg_api_meet(world, complete.position, complete.radius, complete.type == KUGEL_DYNAMIC);
    if (!status) status = add_body(world, &complete, &made);
    if (status) return status;
    if (body) *body = made;
    KG_RECORD(world, BODY_CREATE, .body = made, .body_def = complete);
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

static kugel_status refuse_disabled(kugel_world *world)
{
    return kg_error_report(world, KUGEL_ERROR_STATE, "body", "is disabled: it cannot move");
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
    if (kg_bodies_is_disabled(&world->bodies, i))
        return kg_is_zero3(value) ? KUGEL_OK : refuse_disabled(world);
    double **column = op == KG_OP_SET_VELOCITY ? world->bodies.v : world->bodies.w;
    if (op == KG_OP_SET_VELOCITY) kg_sleep_drive(world, i);
    else kg_sleep_wake(world, i);
    /* a body that starts to move looks for bodies that are aside when it gets a new list */
    if (world->aside.count && !kg_is_zero3(value) && world->bodies.type[i] == KUGEL_KINEMATIC &&
        kg_bodies_is_motionless(&world->bodies, i))
        kg_neighbours_invalidate(world);
    for (int k = 0; k < 3; ++k) column[k][i] = value[k] + 0.0; /* -0 becomes +0 */
    kg_locks_stop(&world->bodies, i);
    kg_record_call(world->recorder,
                   &(kg_call){.op = op, .body = body, .vector = KG_ELEMENTS3(value)});
    return KUGEL_OK;
}

kugel_status kugel_body_set_velocity(kugel_world *world, kugel_body body, const double *velocity)
{
    return set_motion(world, body, velocity, "velocity", KG_OP_SET_VELOCITY);
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
        if (fabs(sum) <= KG_VALUE_LIMIT) continue;
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
    kg_locks_stop(b, i);
    if (p->op == KG_OP_FORCE || p->op == KG_OP_TORQUE) b->has_forces = true;
    kg_record_call(world->recorder,
                   &(kg_call){.op = p->op, .body = body, .vector = KG_ELEMENTS3(p->value)});
}

/* Apply a push: a linear one also with its moment about the centre, unless `point` is NULL. On an
 * error nothing is applied. */
static kugel_status apply_push(kugel_world *world, kugel_body body, const double *value,
                               const double *point, push linear, push angular)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_and_check(world, body, value, linear.name, &i);
    if (!status && point) status = kg_api_check_vector(world, point, angular.name);
    if (status || world->bodies.mass[i] == 0 || kg_is_zero3(value)) return status;
    if (kg_bodies_is_disabled(&world->bodies, i)) return refuse_disabled(world);
    kg_copy3(linear.value, value);
    if (point) {
        double arm[3];
        for (int k = 0; k < 3; ++k)
            arm[k] = kg_periodic_nearest_image(world, k, point[k] - world->bodies.x[k][i]);
        kg_cross3(angular.value, arm, value);
        status = kg_api_check_vector(world, angular.value, angular.name);
    }
    if (!status) status = check_push(world, i, &linear);
    if (point && !status) status = check_push(world, i, &angular);
    if (status) return status;
    add_push(world, body, i, &linear);
    if (point) add_push(world, body, i, &angular);
    return KUGEL_OK;
}

/* Give a body a material with which it collides with other bodies than before. */
static kugel_status set_filter(kugel_world *world, uint32_t i, const kg_material *material)
{
    size_t exits = world->events.left_count;
    kugel_status status =
        kg_api_meet_at_place(world, i, world->bodies.radius[i], world->bodies.mass[i] > 0);
    if (!status) status = kg_api_prepare_body_ends(world, i);
    if (status) return status;
    if (!kg_bodies_set_material(&world->memory, &world->bodies, i, material)) {
        world->events.left_count = exits;
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "body",
                               "no memory for one more filter");
    }
    world->bodies.placed[i] = 1;
    kg_sleep_wake_touching(world, i);
    kg_sleep_wake_overlapping(world, i);
    kg_api_end_filtered_contacts(world, i);
    kg_neighbours_invalidate(world);
    return KUGEL_OK;
}

kugel_status kugel_body_set_filter(kugel_world *world, kugel_body body, uint32_t category,
                                   uint32_t mask, uint32_t group)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    kg_material material = *kg_bodies_material(&world->bodies, i);
    material.category = category, material.mask = mask, material.group = group;
    if ((status = set_filter(world, i, &material))) return status;
    KG_RECORD(world, SET_FILTER, .body = body, .category = category, .mask = mask, .group = group);
    return KUGEL_OK;
}

kugel_status kugel_body_set_sensor(kugel_world *world, kugel_body body, bool sensor)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    kg_material material = *kg_bodies_material(&world->bodies, i);
    if (material.sensor == sensor) return KUGEL_OK;
    material.sensor = sensor;
    if ((status = set_filter(world, i, &material))) return status;
    world->materials_changed = true;
    KG_RECORD(world, SET_SENSOR, .body = body, .flag = sensor);
    return KUGEL_OK;
}

kugel_status kugel_body_set_enabled(kugel_world *world, kugel_body body, bool enabled)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kg_bodies *b = &world->bodies;
    kugel_status status = kg_api_find_body(world, body, &i);
    if (status) return status;
    kg_material material = *kg_bodies_material(b, i);
    if (material.disabled == !enabled) return KUGEL_OK;
    material.disabled = !enabled;
    if ((status = set_filter(world, i, &material))) return status;
    kg_sleep_set(b, i, b->type[i] == KUGEL_DYNAMIC && !enabled ? KG_ASLEEP : 0);
    for (int k = 0; k < 3 && !enabled; ++k) {
        b->v[k][i] = b->w[k][i] = 0;
        if (b->has_load_columns) b->force[k][i] = b->torque[k][i] = 0;
    }
    world->materials_changed = true;
    KG_RECORD(world, SET_ENABLED, .body = body, .flag = enabled);
    return KUGEL_OK;
}

kugel_status kugel_body_apply_force(kugel_world *world, kugel_body body, const double *force,
                                    const double *point)
{
    return apply_push(world, body, force, point, (push){KG_OP_FORCE, "force", {0}},
                      (push){KG_OP_TORQUE, "point", {0}});
}

kugel_status kugel_body_apply_torque(kugel_world *world, kugel_body body, const double *torque)
{
    return apply_push(world, body, torque, NULL, (push){KG_OP_TORQUE, "torque", {0}}, (push){0});
}

kugel_status kugel_body_apply_impulse(kugel_world *world, kugel_body body, const double *impulse,
                                      const double *point)
{
    return apply_push(world, body, impulse, point, (push){KG_OP_IMPULSE, "impulse", {0}},
                      (push){KG_OP_ANGULAR_IMPULSE, "point", {0}});
}

kugel_status kugel_body_apply_angular_impulse(kugel_world *world, kugel_body body,
                                              const double *impulse)
{
    return apply_push(world, body, impulse, NULL, (push){KG_OP_ANGULAR_IMPULSE, "impulse", {0}},
                      (push){0});
}
