/* Public functions that create, change and destroy bodies. Each one wakes the bodies that the
 * change can move, and makes the lists of neighbours out of date where places or filters change. */
#include "api/api_refuse.h"
#include "grid/neighbours.h"
#include "query/query_index.h"
#include "record/recorder.h"
#include "sensors/sensors.h"
#include "world/sleep_state.h"
#include "world/validate.h"

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

static void record_filter(kugel_world *world, kugel_body body, uint32_t category, uint32_t mask,
                          uint32_t group)
{
    kg_record_body_value(world->recorder, KG_OP_SET_FILTER, body,
                         (const double[3]){category, mask, group});
}

kugel_status kugel_body_create(kugel_world *world, const kugel_body_def *def, kugel_body *body)
{
    if (body) *body = KUGEL_NULL_BODY;
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_error error;
    if (kg_validate_body_def(world, def, &error)) return kg_refuse_error(world, &error);
    uint32_t slot;
    kugel_status status = kg_bodies_add(&world->memory, &world->bodies, def, &slot);
    if (status)
        return kg_error_report(world, status, "body", "%s: the world holds %u bodies",
                               kugel_status_text(status), world->bodies.count);
    kg_neighbours_invalidate(world);
    kugel_body made = kg_bodies_handle(&world->bodies, slot);
    kg_query_update_body(world, kugel_body_id(made), true);
    kg_sleep_wake_overlapping(world, slot);
    if (body) *body = made;
    /* A recorded creation holds no group. Mask 0 keeps it from waking bodies of its group in a
     * replay; the recorded filter follows. */
    kugel_body_def recorded = *def;
    if (def->group) recorded.mask = 0;
    kg_record_body_create(world->recorder, &recorded, made);
    if (def->group) record_filter(world, made, def->category, def->mask, def->group);
    return KUGEL_OK;
}

static kugel_status find_body(kugel_world *world, kugel_body body, uint32_t *slot)
{
    *slot = kg_bodies_find(&world->bodies, body);
    if (*slot != KG_NONE) return KUGEL_OK;
    return kg_error_report(world, KUGEL_ERROR_STALE_HANDLE, "body",
                           "%#llx is not a live body of this world", (unsigned long long)body);
}

kugel_status kugel_body_destroy(kugel_world *world, kugel_body body)
{
    uint32_t slot;
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = find_body(world, body, &slot);
    if (status) return status;
    kg_sleep_wake_touching(world, slot);
    kg_contact_set_remove_body(&world->contacts, &world->bodies, kugel_body_id(body));
    kg_query_update_body(world, kugel_body_id(body), false);
    kg_bodies_remove(&world->bodies, slot);
    kg_neighbours_invalidate(world);
    kg_record_body_destroy(world->recorder, body);
    return KUGEL_OK;
}

/* Finds the body's slot and checks a vector argument. */
static kugel_status find_and_check(kugel_world *world, kugel_body body, const double *value,
                                   const char *name, uint32_t *slot)
{
    kugel_error error;
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = find_body(world, body, slot);
    if (status) return status;
    return kg_validate_vector(value, name, &error) ? kg_refuse_error(world, &error) : KUGEL_OK;
}

kugel_status kugel_body_set_position(kugel_world *world, kugel_body body, const double *position)
{
    uint32_t i;
    kugel_error error;
    kugel_status status = find_and_check(world, body, position, "position", &i);
    if (status) return status;
    if (kg_validate_position(world, position, world->bodies.radius[i], "position", &error))
        return kg_refuse_error(world, &error);
    kg_sleep_wake_touching(world, i);
    for (int k = 0; k < 3; ++k) world->bodies.x[k][i] = position[k];
    world->bodies.placed[i] = 1;
    kg_sleep_wake_overlapping(world, i);
    kg_contact_set_remove_body(&world->contacts, &world->bodies, kugel_body_id(body));
    kg_neighbours_invalidate(world);
    kg_query_update_body(world, kugel_body_id(body), true);
    kg_record_body_value(world->recorder, KG_OP_SET_POSITION, body, position);
    return KUGEL_OK;
}

static kugel_status set_motion(kugel_world *world, kugel_body body, const double *value,
                               const char *name, kg_op op)
{
    uint32_t i;
    kugel_status status = find_and_check(world, body, value, name, &i);
    if (status) return status;
    if (world->bodies.type[i] == KUGEL_STATIC)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "body",
                               "%s of a static body cannot be set", name);
    double **column = op == KG_OP_SET_VELOCITY ? world->bodies.v : world->bodies.w;
    kg_sleep_wake(world, i);
    for (int k = 0; k < 3; ++k) column[k][i] = value[k];
    kg_record_body_value(world->recorder, op, body, value);
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

/* Adds a force, torque or impulse to its column; each sum must stay within +-KG_VALUE_LIMIT. */
static kugel_status add_to_column(kugel_world *world, kugel_body body, const double *value,
                                  const char *name, kg_op op)
{
    uint32_t i;
    kugel_status status = find_and_check(world, body, value, name, &i);
    if (status) return status;
    kg_bodies *b = &world->bodies;
    if (b->mass[i] == 0) return KUGEL_OK;
    bool is_force = op == KG_OP_FORCE || op == KG_OP_TORQUE;
    if (is_force && !kg_bodies_reserve_loads(&world->memory, b))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, name,
                               "no memory for forces and torques");
    double **column = op == KG_OP_FORCE ? b->force : b->torque, scale = 1;
    if (op == KG_OP_IMPULSE) column = b->v, scale = 1 / b->mass[i];
    if (op == KG_OP_ANGULAR_IMPULSE)
        column = b->w, scale = 1 / (0.4 * b->mass[i] * b->radius[i] * b->radius[i]);
    for (int k = 0; k < 3; ++k) {
        double sum = column[k][i] + scale * value[k];
        if (__builtin_fabs(sum) <= KG_VALUE_LIMIT) continue;
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, name,
                               "brings the body beyond +-%g", KG_VALUE_LIMIT);
    }
    kg_sleep_wake(world, i);
    for (int k = 0; k < 3; ++k) column[k][i] += scale * value[k];
    if (is_force) b->has_forces = true;
    kg_record_body_value(world->recorder, op, body, value);
    return KUGEL_OK;
}

kugel_status kugel_body_set_filter(kugel_world *world, kugel_body body, uint32_t category,
                                   uint32_t mask, uint32_t group)
{
    uint32_t i;
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = find_body(world, body, &i);
    if (status) return status;
    kg_material before = *kg_bodies_material(&world->bodies, i), material = before;
    material.category = category, material.mask = mask, material.group = group;
    if (!kg_bodies_set_material(&world->memory, &world->bodies, i, &material))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "body",
                               "no memory for one more filter");
    if (kg_sensors_filter_admits(world, i, &before)) world->bodies.placed[i] = 1;
    kg_sleep_wake_touching(world, i);
    kg_sleep_wake(world, i);
    kg_sleep_wake_overlapping(world, i);
    kg_contact_set_remove_filtered(&world->contacts, &world->bodies, kugel_body_id(body));
    kg_neighbours_invalidate(world);
    record_filter(world, body, category, mask, group);
    return KUGEL_OK;
}

kugel_status kugel_body_apply_force(kugel_world *world, kugel_body body, const double *force)
{
    return add_to_column(world, body, force, "force", KG_OP_FORCE);
}

kugel_status kugel_body_apply_torque(kugel_world *world, kugel_body body, const double *torque)
{
    return add_to_column(world, body, torque, "torque", KG_OP_TORQUE);
}

kugel_status kugel_body_apply_impulse(kugel_world *world, kugel_body body, const double *impulse)
{
    return add_to_column(world, body, impulse, "impulse", KG_OP_IMPULSE);
}

kugel_status kugel_body_apply_angular_impulse(kugel_world *world, kugel_body body,
                                              const double *impulse)
{
    return add_to_column(world, body, impulse, "impulse", KG_OP_ANGULAR_IMPULSE);
}
