/* Chooses all parts of a random world from its seed. */
#include "support/support_setters.h"
#include "support/support_worlds.h"

#include <math.h>

static bool one_in(support_random *random, uint32_t n) { return support_below(random, n) == 0; }

static double pick(support_random *random, const double *values, uint32_t count)
{
    return values[support_below(random, count)];
}
#define PICK(random, ...)                                                                          \
    pick(random, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

/* Makes a box of random size and faces. The narrowest boxes are slightly wider than two diameters
 * of the largest body, so that lists hold several images of one body. */
static void make_bounds(support_random *random, kugel_world_def *def, double most)
{
    double least = 4.0 * most * (1 + 1e-9);
    bool wide = one_in(random, 4);
    for (int axis = 0; axis < 3; ++axis) {
        double edge = wide ? support_between(random, 5, 16) : support_between(random, 2.2, 5);
        if (one_in(random, 8)) edge = least * (1 + 0.02 * support_uniform(random));
        def->bounds.max[axis] = edge > least ? edge : least;
        uint32_t kind = support_below(random, 4);
        for (int side = 0; side < 2; ++side) {
            kugel_face *face = &def->bounds.faces[2 * axis + side];
            if (kind < 2) *face = KUGEL_FACE_PERIODIC;
            else *face = kind == 2 || one_in(random, 2) ? KUGEL_FACE_WALL : KUGEL_FACE_OPEN;
        }
    }
    def->bounds.restitution = PICK(random, 0, 0, 0.5, 0.9, 1);
    def->bounds.friction = PICK(random, 0, 0.3, 0.5, 1);
}

static void make_settings(support_random *random, kugel_world_def *def)
{
    if (!one_in(random, 5)) def->gravity[2] = -9.81;
    if (one_in(random, 8)) support_direction(random, support_between(random, 1, 20), def->gravity);
    def->substeps = (int32_t)PICK(random, 1, 2, 4, 4);
    def->bounce_threshold = PICK(random, 0, 0.1, 0.5, 0.5, 0.5);
    def->slop = PICK(random, 0, 0.01, 0.01, 0.1);
    def->linear_damping = PICK(random, 0, 0, 0, 0.5);
    def->angular_damping = PICK(random, 0, 0, 0, 0.5);
    def->sleep = !one_in(random, 3);
    def->impact_budget = (int32_t)PICK(random, 256, 256, 16, 1);
    def->contact_iterations = (int32_t)PICK(random, 1, 1, 4);
    def->tasks.threads = one_in(random, 16) ? 1 + support_below(random, 5) : 1;
}

/* Adds planes at least 0.6 m from the middle of the box. */
static void make_planes(support_random *random, support_scene *scene)
{
    uint32_t count = one_in(random, 2) ? support_below(random, 3) : 0;
    for (uint32_t k = 0; k < count; ++k) {
        support_plane *plane = &scene->planes[scene->plane_count++];
        *plane = (support_plane){.restitution = PICK(random, 0, 0.5, 1),
                                 .friction = PICK(random, 0, 0.5)};
        if (one_in(random, 2)) support_direction(random, 1, plane->normal);
        else plane->normal[2] = 1;
        double middle = 0;
        for (int axis = 0; axis < 3; ++axis)
            middle += plane->normal[axis] * scene->def.bounds.max[axis] / 2;
        plane->offset = middle - support_between(random, 0.6, 2);
    }
}

static void make_filter(support_random *random, kugel_body_def *body)
{
    body->sensor = one_in(random, 12);
    if (one_in(random, 10)) body->group = 1 + support_below(random, 2);
    if (!one_in(random, 8)) return;
    body->category = 1u << support_below(random, 3);
    body->mask = 1u + support_below(random, 7);
}

static void make_body(support_random *random, support_scene *scene, const double radius[2])
{
    double x[3], v[3];
    const kugel_bounds *bounds = &scene->def.bounds;
    double r = support_between(random, radius[0], radius[1]);
    for (int axis = 0; axis < 3; ++axis) {
        x[axis] = support_between(random, 0, bounds->max[axis]);
        if (bounds->faces[2 * axis] != KUGEL_FACE_PERIODIC)
            x[axis] = support_between(random, r, bounds->max[axis] - r);
    }
    support_direction(random, PICK(random, 0.01, 1, 5, 20) * support_uniform(random), v);
    kugel_body_def *body = support_scene_add(scene, x, v, r, PICK(random, 1, 1, 1, 0.1, 50));
    uint32_t type = support_below(random, 10);
    body->type = type < 6 ? KUGEL_DYNAMIC : type < 8 ? KUGEL_STATIC : KUGEL_KINEMATIC;
    body->restitution = PICK(random, 0, 0, 0.3, 0.7, 1);
    body->friction = PICK(random, 0, 0.3, 0.5, 1);
    body->rolling_resistance = PICK(random, 0, 0, 0.1);
    support_random other = {random->state ^ 0x9e3779b97f4a7c15u};
    body->tangential_restitution = PICK(&other, 0, 0, -1, -0.5, 0.5, 1);
    if (one_in(&other, 5))
        body->locks = one_in(&other, 2) ? KUGEL_LOCK_ROTATION : support_below(&other, 64);
    body->gravity_scale = PICK(random, 1, 1, 1, 1, 0, -0.5);
    if (body->type == KUGEL_STATIC) {
        for (int axis = 0; axis < 3; ++axis) body->velocity[axis] = 0;
    } else if (one_in(random, 2)) {
        support_direction(random, support_between(random, 0.1, 20), body->spin);
    }
    if (body->type == KUGEL_KINEMATIC) {
        for (int axis = 0; axis < 3; ++axis) body->velocity[axis] *= one_in(random, 2) ? 0.1 : 0;
    }
    make_filter(random, body);
}

/* Turns the world into a gas that can use cell lists. */
static void make_gas(support_random *random, support_any_world *any)
{
    any->scene.def.gravity[0] = any->scene.def.gravity[1] = any->scene.def.gravity[2] = 0;
    any->scene.def.bounce_threshold = any->scene.def.slop = 0;
    any->scene.plane_count = 0;
    for (uint32_t i = 0; i < any->scene.count; ++i) {
        kugel_body_def *body = &any->scene.bodies[i];
        body->type = KUGEL_DYNAMIC;
        body->gravity_scale = 1;
        body->friction = one_in(random, 2) ? 0 : 0.3;
        body->restitution = one_in(random, 4) ? 0.7 : 1;
    }
}

support_any_world support_any_world_make(uint64_t seed)
{
    support_random random = {seed * 0x9e3779b97f4a7c15u + 1};
    support_any_world any = {.scene = support_scene_start()};
    double radius[2] = {0.2, 0.5};
    if (one_in(&random, 3)) radius[1] = radius[0] = support_between(&random, 0.2, 0.5);
    make_bounds(&random, &any.scene.def, radius[1]);
    make_settings(&random, &any.scene.def);
    make_planes(&random, &any.scene);
    uint32_t count = 2 + support_below(&random, 8);
    if (one_in(&random, 12)) count = 20 + support_below(&random, 60);
    for (uint32_t i = 0; i < count; ++i) make_body(&random, &any.scene, radius);
    if (one_in(&random, 6) && count < 20) make_gas(&random, &any); /* more would fill the box */
    any.dt = PICK(&random, 1 / 240., 1 / 60., 1 / 60., 1 / 30., 0.1, 0.1, 0.5);
    any.ticks = 10 + support_below(&random, 40);
    if (count >= 20) { /* dense and inelastic: long ticks would take seconds each */
        any.dt = PICK(&random, 1 / 240., 1 / 60.);
        any.ticks = 10;
    }
    any.pushes = one_in(&random, 4);
    any.varies = one_in(&random, 5);
    return any;
}

double support_any_world_dt(const support_any_world *any, uint64_t seed, uint64_t tick)
{
    support_random random = {(seed ^ tick << 32) * 0x9e3779b97f4a7c15u + 3};
    return any->varies ? any->dt * support_between(&random, 0.5, 1.5) : any->dt;
}

void support_change_body(kugel_world *world, kugel_body body, double size, double mass,
                         support_random *random)
{
    double share = support_between(random, 0, 1);
    switch (support_below(random, 13)) {
    case 0:
        kugel_body_set_mass(world, body, mass * (0.5 + share));
        break;
    case 1:
        kugel_body_set_radius(world, body, size * (0.7 + 0.4 * share));
        break;
    case 2:
        support_set_restitution(world, body, share);
        break;
    case 3:
        support_set_friction(world, body, share);
        break;
    case 4:
        support_set_rolling_resistance(world, body, 0.1 * share);
        support_set_tangential_restitution(world, body, 2 * share - 1);
        break;
    case 5:
        kugel_body_set_gravity_scale(world, body, share);
        break;
    case 6:
        kugel_body_set_locks(world, body, (uint32_t)(64 * share));
        break;
    case 7:
        kugel_body_set_type(world, body, (kugel_body_type)support_below(random, 3),
                            mass * (0.5 + share));
        break;
    case 8:
        kugel_body_set_damping(world, body, share, 2 * share);
        break;
    case 9:
        kugel_body_set_sensor(world, body, support_below(random, 2));
        break;
    case 10:
        kugel_body_set_enabled(world, body, support_below(random, 2));
        break;
    case 11:
        kugel_body_wake(world, body);
        break;
    default:
        kugel_body_sleep(world, body);
    }
}

/* The world may refuse a call, for example on a static body; then nothing changes, in every run. */
void support_any_world_calls(kugel_world *world, uint64_t seed, uint64_t tick)
{
    support_random random = {(seed ^ tick << 40) * 0x9e3779b97f4a7c15u + 7};
    double by[3];
    if (!one_in(&random, 3)) return;
    kugel_body body = kugel_world_body(world, support_below(&random, kugel_world_id_end(world)));
    support_direction(&random, support_between(&random, 0.1, 30), by);
    switch (support_below(&random, 9)) {
    case 0:
        kugel_body_apply_force(world, body, by, NULL);
        break;
    case 1:
        kugel_body_apply_torque(world, body, by);
        break;
    case 2:
        kugel_body_apply_impulse(world, body, by, NULL);
        break;
    case 3:
        kugel_body_set_spin(world, body, by);
        break;
    case 4:
        kugel_body_set_filter(world, body, 1, 1u + support_below(&random, 3),
                              support_below(&random, 2));
        break;
    case 5:
        for (int axis = 0; axis < 3; ++axis) by[axis] = support_between(&random, 0.5, 1.7);
        kugel_body_set_position(world, body, by);
        break;
    default:
        support_change_body(world, body, 0.4, 1, &random);
    }
}
