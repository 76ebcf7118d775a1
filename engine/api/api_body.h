/* Checks of handles and vectors for the public functions that change bodies. In: arguments of a
 * call. Out: the slot of the body, or an error that names the argument. */
#ifndef KG_API_API_BODY_H
#define KG_API_API_BODY_H

#include "api/api_target.h"
#include "world/sleep_state.h"
#include "world/validate.h"

/* Find the slot of a body for a call that changes nothing in which a step can meet the body. */
static inline kugel_status kg_api_find_row(kugel_world *world, kugel_body body, uint32_t *slot)
{
    *slot = kg_bodies_find(&world->bodies, body);
    if (*slot != KG_NONE) return KUGEL_OK;
    return kg_refuse_handle(world, "body", body);
}

/* Find the slot of a body that a call changes, and give the body back if it is aside. If it sleeps,
 * the call may wake it. */
static inline kugel_status kg_api_find_body(kugel_world *world, kugel_body body, uint32_t *slot)
{
    kugel_status status = kg_api_find_row(world, body, slot);
    if (status) return status;
    kg_aside_return_body(world, kugel_body_id(body));
    *slot = kg_bodies_find(&world->bodies, body);
    return world->bodies.sleep_state[*slot] == KG_ASLEEP ? kg_api_ensure_contacts(world) : KUGEL_OK;
}

/* Before a change of position, radius, type or filter, or a push: give back the bodies aside that a
 * sphere with this place and radius, m, touches. If it is no dynamic body it may wake others. */
static inline kugel_status kg_api_meet(kugel_world *world, const double place[3], double radius,
                                       bool is_dynamic)
{
    kg_aside_box box = {.wider = 1e-6};
    for (int k = 0; k < 3; ++k) {
        box.low[k] = place[k] - radius * (1 + 1e-6);
        box.high[k] = place[k] + radius * (1 + 1e-6);
    }
    if (kg_aside_want(world, &box)) kg_aside_return_rows(world);
    return is_dynamic ? KUGEL_OK : kg_api_ensure_contacts(world);
}

/* kg_api_meet at the place of a body, with this radius, m. */
static inline kugel_status kg_api_meet_at_place(kugel_world *world, uint32_t slot, double radius,
                                                bool is_dynamic)
{
    const kg_bodies *b = &world->bodies;
    const double place[3] = {b->x[0][slot], b->x[1][slot], b->x[2][slot]};
    return kg_api_meet(world, place, radius, is_dynamic);
}

/* Check that a vector is not NULL and its components are in range. */
static inline kugel_status kg_api_check_vector(kugel_world *world, const double *value,
                                               const char *name)
{
    kugel_error error;
    return kg_validate_vector(value, name, &error) ? kg_refuse_error(world, &error) : KUGEL_OK;
}

/* Check that a body is kinematic, and that dt, the time in which it is to reach its target, s, is
 * in range. */
static inline kugel_status kg_api_check_target(kugel_world *world, uint32_t slot, double dt)
{
    if (world->bodies.type[slot] != KUGEL_KINEMATIC)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "body", "is not kinematic");
    return kg_api_check_target_time(world, dt);
}

/* Find the slot of a body and check a vector. */
static inline kugel_status kg_api_find_and_check(kugel_world *world, kugel_body body,
                                                 const double *value, const char *name,
                                                 uint32_t *slot)
{
    kugel_status status = kg_api_find_body(world, body, slot);
    return status ? status : kg_api_check_vector(world, value, name);
}

#endif
