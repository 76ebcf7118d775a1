/* Calls with one number or vector: one number of a body's material or damping, where the others
 * stay, and pushes at the centre. */
#ifndef SUPPORT_SETTERS_H
#define SUPPORT_SETTERS_H

#include "kugel/body.h"

/* The present numbers; 0 without the body, which the call after this refuses. */
static inline kugel_body_state support_material_of(const kugel_world *world, kugel_body body)
{
    kugel_body_state state = {0};
    (void)kugel_body_get(world, body, &state);
    return state;
}

/* Set the contact numbers of a body to those of `s`. */
static inline kugel_status support_set_material(kugel_world *world, kugel_body body,
                                                const kugel_body_state *s)
{
    return kugel_body_set_material(world, body, s->restitution, s->friction, s->rolling_resistance,
                                   s->tangential_restitution);
}

static inline kugel_status support_set_restitution(kugel_world *world, kugel_body body, double x)
{
    kugel_body_state s = support_material_of(world, body);
    s.restitution = x;
    return support_set_material(world, body, &s);
}

static inline kugel_status support_set_friction(kugel_world *world, kugel_body body, double x)
{
    kugel_body_state s = support_material_of(world, body);
    s.friction = x;
    return support_set_material(world, body, &s);
}

static inline kugel_status support_set_rolling_resistance(kugel_world *world, kugel_body body,
                                                          double x)
{
    kugel_body_state s = support_material_of(world, body);
    s.rolling_resistance = x;
    return support_set_material(world, body, &s);
}

static inline kugel_status support_set_tangential_restitution(kugel_world *world, kugel_body body,
                                                              double x)
{
    kugel_body_state s = support_material_of(world, body);
    s.tangential_restitution = x;
    return support_set_material(world, body, &s);
}

static inline kugel_status support_set_linear_damping(kugel_world *world, kugel_body body, double x)
{
    return kugel_body_set_damping(world, body, x, support_material_of(world, body).angular_damping);
}

static inline kugel_status support_set_angular_damping(kugel_world *world, kugel_body body,
                                                       double x)
{
    return kugel_body_set_damping(world, body, support_material_of(world, body).linear_damping, x);
}

static inline kugel_status support_apply_force(kugel_world *world, kugel_body body,
                                               const double *force)
{
    return kugel_body_apply_force(world, body, force, NULL);
}

static inline kugel_status support_apply_impulse(kugel_world *world, kugel_body body,
                                                 const double *impulse)
{
    return kugel_body_apply_impulse(world, body, impulse, NULL);
}

#endif
