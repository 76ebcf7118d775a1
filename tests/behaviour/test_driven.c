/* Calls that drive bodies of resting contacts together. From the bounce threshold on the bodies
 * collide at the start of the next tick, with the closed forms of an impact. Gravity crosses the
 * gaps at rest, below 1e-6 m, so speeds are those of free flight up to 1e-6 m/s. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_scene.h"
#include "support/support_snapshot.h"

static const double dt = 1 / 60., g = 9.81;

/* What a ball rests on. */
typedef enum support_kind { PLANE, KINEMATIC, ELLIPSOID } support_kind;

/* A ball at rest, radius 0.5 m, restitution e; awake or asleep. */
static kugel_world *resting(support_kind kind, double e, bool asleep)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -g;
    scene.def.sleep = asleep;
    support_scene_add(&scene, (double[3]){0, 0, 0.5}, NULL, 0.5, 1)->restitution = e;
    if (kind == KINEMATIC) {
        kugel_body_def *support = support_scene_add(&scene, (double[3]){0, 0, -3}, NULL, 3, 1);
        support->type = KUGEL_KINEMATIC, support->restitution = 0;
    }
    if (kind == PLANE) scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}};
    kugel_world *world = support_scene_world(&scene);
    if (kind == ELLIPSOID) {
        kugel_surface_def surface = kugel_surface_def_default();
        surface.shape = KUGEL_SURFACE_ELLIPSOID;
        surface.position[2] = -1;
        for (int k = 0; k < 3; ++k) surface.size[k] = 1;
        cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    }
    support_run(world, dt, 120);
    kugel_body_state s;
    support_state(world, 0, &s);
    cr_assert(s.contacts == 1 && s.asleep == asleep, "%u contacts", s.contacts);
    support_scene_free(&scene);
    return world;
}

static void check_ball(kugel_world *world, double speed, size_t impacts)
{
    size_t count;
    kugel_body_state s;
    support_run(world, dt, 1);
    support_state(world, 0, &s);
    (void)kugel_world_impact_events(world, &count);
    cr_assert_eq(count, impacts, "%zu impacts", count);
    cr_assert_float_eq(s.velocity[2], speed, 1e-6, "%.12g m/s instead of %.12g", s.velocity[2],
                       speed);
    kugel_world_destroy(world);
}

Test(driven, a_resting_ball_bounces_off_its_support)
{
    const double down[3] = {0, 0, -3};
    for (int i = 0; i < 6; ++i) {
        kugel_world *world = resting((support_kind)(i % 3), 0.8, i >= 3);
        kugel_body ball = kugel_world_body(world, 0);
        if (i % 2) cr_assert_eq(kugel_body_set_velocity(world, ball, down), KUGEL_OK);
        else cr_assert_eq(kugel_body_apply_impulse(world, ball, down, NULL), KUGEL_OK);
        check_ball(world, 0.8 * 3 - g * dt, 1);
    }
}

/* A support that starts upwards has the same approach as a ball that is driven down. */
Test(driven, a_support_that_starts_throws_the_ball)
{
    const double up[3] = {0, 0, 3}, still[3] = {0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        support_kind kind = i % 2 ? KINEMATIC : ELLIPSOID;
        kugel_world *world = resting(kind, 0.8, i >= 2);
        if (kind == ELLIPSOID)
            cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, 0), up, still),
                         KUGEL_OK);
        else cr_assert_eq(kugel_body_set_velocity(world, kugel_world_body(world, 1), up), KUGEL_OK);
        check_ball(world, 1.8 * 3 - g * dt, 1);
    }
}

/* Contacts hold below the threshold, without restitution, and if a second call undoes the first. */
Test(driven, other_contacts_hold)
{
    const double slow[3] = {0, 0, -0.3}, fast[3] = {0, 0, -3}, still[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        size_t ends;
        kugel_world *world = resting(PLANE, i == 1 ? 0 : 0.8, false);
        kugel_body ball = kugel_world_body(world, 0);
        cr_assert_eq(kugel_body_set_velocity(world, ball, i ? fast : slow), KUGEL_OK);
        if (i == 2) cr_assert_eq(kugel_body_set_velocity(world, ball, still), KUGEL_OK);
        support_run(world, dt, 1);
        (void)kugel_world_end_events(world, &ends);
        cr_assert_eq(ends, 0);
        check_ball(world, 0, 0);
    }
}

/* Three elastic balls pressed against an elastic wall: the speed of the outermost passes through
 * the others to the wall and back. */
Test(driven, a_row_at_a_wall_returns_the_speed)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[0] = -1e-3, scene.def.sleep = false;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {1, 0, 0}, .restitution = 1};
    for (int k = 0; k < 3; ++k) support_scene_add(&scene, (double[3]){0.5 + k, 0, 0}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_body_state s;
    support_run(world, dt, 30);
    support_state(world, 1, &s);
    cr_assert_eq(s.contacts, 2);
    cr_assert_eq(
        kugel_body_set_velocity(world, kugel_world_body(world, 2), (const double[3]){-3, 0, 0}),
        KUGEL_OK);
    support_run(world, dt, 2);
    double energy = support_kinetic_energy(world);
    cr_assert_float_eq(energy, 4.5, 1e-3, "%.12g J of 4.5", energy);
    support_state(world, 2, &s);
    cr_assert_float_eq(s.velocity[0], 3, 1e-3, "%.12g m/s", s.velocity[0]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* That a call drove a body is part of the canonical state: a restored world has the same next
 * tick. */
Test(driven, a_restored_world_goes_on_alike)
{
    const double down[3] = {0, 0, -3}, up[3] = {0, 0, 3};
    for (int i = 0; i < 2; ++i) {
        kugel_world *world = resting(i ? KINEMATIC : PLANE, 0.8, false), *again;
        kugel_world_def def = kugel_world_def_default();
        cr_assert_eq(kugel_world_create(&def, &again), KUGEL_OK);
        cr_assert_eq(
            kugel_body_set_velocity(world, kugel_world_body(world, (uint32_t)i), i ? up : down),
            KUGEL_OK);
        support_bytes bytes = support_snapshot_of(world);
        cr_assert_eq(kugel_snapshot_restore(again, bytes.data, bytes.size), KUGEL_OK);
        support_run(world, dt, 1), support_run(again, dt, 1);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(again));
        kugel_world_destroy(world), kugel_world_destroy(again);
        free(bytes.data);
    }
}

/* A support that a host lifts with less than gravity's acceleration, by a target for each tick:
 * its jumps of velocity exceed the bounce threshold of a ball of 5 mm, 0.05 m/s. */
Test(driven, a_smoothly_lifted_support_keeps_its_ball)
{
    const double radius = 0.005, lift = 0.8 * g;
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -g;
    support_scene_add(&scene, (double[3]){0, 0, radius}, NULL, radius, 1)->restitution = 0.8;
    kugel_body_def *support = support_scene_add(&scene, (double[3]){0, 0, -3}, NULL, 3, 1);
    support->type = KUGEL_KINEMATIC, support->restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    kugel_body_state s;
    support_run(world, dt, 10);
    for (int tick = 1; tick <= 60; ++tick) {
        double t = tick * dt, target[3] = {0, 0, -3 + lift * t * t / 2};
        size_t impacts;
        cr_assert_eq(kugel_body_set_target(world, kugel_world_body(world, 1), target, NULL, dt),
                     KUGEL_OK);
        support_run(world, dt, 1);
        (void)kugel_world_impact_events(world, &impacts);
        support_state(world, 0, &s);
        cr_assert(impacts == 0 && s.contacts == 1, "tick %d: %zu impacts", tick, impacts);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
