/* Public functions that read a body. */
#include "api/api_rows.h"
#include "base/vec.h"
#include "kugel/body.h"
#include "world/guard.h"
#include "world/periodic.h"
#include "world/sleep_state.h"
#include "world/validate.h"

bool kugel_body_is_valid(const kugel_world *world, kugel_body body)
{
    return world && kg_bodies_find(&world->bodies, body) != KG_NONE;
}

kugel_body kugel_world_body(const kugel_world *world, uint32_t id)
{
    if (!world || id >= world->bodies.id_end || world->bodies.slot[id] == KG_NONE)
        return KUGEL_NULL_BODY;
    return kg_bodies_handle_of_id(&world->bodies, id);
}

static void read_state(const kg_bodies *b, uint32_t i, kugel_body_state *state)
{
    const kg_material *m = kg_bodies_material(b, i);
    *state = (kugel_body_state){.body = kg_bodies_handle(b, i),
                                .type = (kugel_body_type)b->type[i],
                                .radius = b->radius[i],
                                .mass = b->mass[i],
                                .restitution = m->restitution,
                                .friction = m->friction,
                                .rolling_resistance = m->rolling_resistance,
                                .tangential_restitution = m->tangential_restitution,
                                .gravity_scale = m->gravity_scale,
                                .linear_damping = m->linear_damping,
                                .angular_damping = m->angular_damping,
                                .kind = m->kind,
                                .category = m->category,
                                .mask = m->mask,
                                .group = m->group,
                                .sensor = m->sensor,
                                .can_sleep = !m->stays_awake,
                                .enabled = !m->disabled,
                                .contact_events = !m->quiet,
                                .locks = m->locks,
                                .user_data = kg_bodies_user_data(b, i),
                                .contacts = b->contact_count[i],
                                .asleep = b->sleep_state[i] == KG_ASLEEP};
    for (int k = 0; k < 3; ++k) {
        state->position[k] = b->x[k][i];
        state->velocity[k] = b->v[k][i];
        state->spin[k] = b->w[k][i];
        state->image[k] = kg_bodies_image(b, i, k);
    }
    for (int k = 0; k < 4; ++k) state->rotation[k] = b->q[k][i];
}

kugel_status kugel_body_get(const kugel_world *world, kugel_body body, kugel_body_state *state,
                            size_t size)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if (!state) return KUGEL_ERROR_INVALID_ARGUMENT;
    uint32_t i = kg_bodies_find(&world->bodies, body);
    if (i == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    kugel_body_state read;
    read_state(&world->bodies, i, &read);
    kg_copy_sized(state, size, &read, sizeof read);
    return KUGEL_OK;
}

static kugel_status read_vector(const kugel_world *world, kugel_body body, double *const column[3],
                                double *value)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    uint32_t i = kg_bodies_find(&world->bodies, body);
    if (!value) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (i == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    for (int k = 0; k < 3; ++k) value[k] = column[k][i];
    return KUGEL_OK;
}

kugel_status kugel_body_get_position(const kugel_world *world, kugel_body body, double *position)
{
    return world ? read_vector(world, body, world->bodies.x, position)
                 : KUGEL_ERROR_INVALID_ARGUMENT;
}

kugel_status kugel_body_get_velocity(const kugel_world *world, kugel_body body, double *velocity)
{
    return world ? read_vector(world, body, world->bodies.v, velocity)
                 : KUGEL_ERROR_INVALID_ARGUMENT;
}

kugel_status kugel_body_get_spin(const kugel_world *world, kugel_body body, double *spin)
{
    return world ? read_vector(world, body, world->bodies.w, spin) : KUGEL_ERROR_INVALID_ARGUMENT;
}

kugel_status kugel_body_velocity_at(const kugel_world *world, kugel_body body, const double *point,
                                    double *velocity)
{
    double place[3], linear[3], spin[3], arm[3];
    kugel_error error;
    kugel_status status = kugel_body_get_position(world, body, place);
    if (!status && (!velocity || kg_validate_vector(point, "point", &error)))
        status = KUGEL_ERROR_INVALID_ARGUMENT;
    if (status) return status;
    kugel_body_get_velocity(world, body, linear);
    kugel_body_get_spin(world, body, spin);
    for (int k = 0; k < 3; ++k) arm[k] = kg_periodic_nearest_image(world, k, point[k] - place[k]);
    kg_cross3(velocity, spin, arm);
    kg_add_scaled3(velocity, linear, 1, velocity);
    return KUGEL_OK;
}

kugel_status kugel_body_get_rotation(const kugel_world *world, kugel_body body, double *rotation)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if (!rotation) return KUGEL_ERROR_INVALID_ARGUMENT;
    uint32_t i = kg_bodies_find(&world->bodies, body);
    if (i == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    for (int k = 0; k < 4; ++k) rotation[k] = world->bodies.q[k][i];
    return KUGEL_OK;
}
