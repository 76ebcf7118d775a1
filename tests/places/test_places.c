/* Places that grow together, and what calls and surfaces change in a world of several places. A
 * world continues as one that is restored from its snapshot, which has no lists and nothing
 * aside. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/support_plane.h"
#include "support/support_snapshot.h"

static kugel_world *create(const kugel_world_def *def)
{
    kugel_world *world = NULL;
    cr_assert_eq(kugel_world_create(def, &world), KUGEL_OK);
    return world;
}

static kugel_body add(kugel_world *world, kugel_body_type type, const double x[3], double speed,
                      double radius, double mass)
{
    kugel_body_def def = kugel_body_def_default();
    kugel_body body = 0;
    def.type = type, def.radius = radius, def.mass = mass;
    def.restitution = 1, def.friction = 0;
    def.velocity[0] = speed;
    for (int k = 0; k < 3; ++k) def.position[k] = x[k];
    cr_assert_eq(kugel_body_create(world, &def, &body), KUGEL_OK);
    return body;
}

static kugel_body add_dynamic(kugel_world *world, double x, double y, double z, double speed,
                              double radius, double mass)
{
    return add(world, KUGEL_DYNAMIC, (double[]){x, y, z}, speed, radius, mass);
}

static kugel_surface add_ball_surface(kugel_world *world, double x, double y, double z,
                                      double speed)
{
    kugel_surface_def def = kugel_surface_def_default();
    kugel_surface surface;
    def.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) def.size[k] = 5;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    def.velocity[0] = speed;
    cr_assert_eq(kugel_surface_create(world, &def, &surface), KUGEL_OK);
    return surface;
}

static void step(kugel_world *world, double dt, int ticks)
{
    for (int k = 0; k < ticks; ++k) cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
}

static kugel_world *restored(kugel_world *world, const kugel_world_def *def)
{
    kugel_world *copy = create(def);
    support_bytes bytes = support_snapshot_of(world);
    cr_assert_eq(kugel_snapshot_restore(copy, bytes.data, bytes.size), KUGEL_OK);
    free(bytes.data);
    return copy;
}

static void continue_alike(kugel_world *world, const kugel_world_def *def, double dt, int ticks)
{
    kugel_world *copy = restored(world, def);
    for (int k = 0; k < ticks; ++k) {
        step(world, dt, 1), step(copy, dt, 1);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(copy), "tick %d", k);
    }
    kugel_world_destroy(copy);
}

/* A heavy ball hits a light one, which flies on twice as fast and hits a third within the tick.
 * Here all places become one; behind a periodic face the light one flies past half of the period.
 */
Test(places, grow_into_one)
{
    for (int periodic = 0; periodic < 2; ++periodic) {
        kugel_world_def def = kugel_world_def_default();
        kugel_stats stats;
        double speed = periodic ? 375 : 100, from = periodic ? 10 : 0;
        def.substeps = 1;
        def.bounds.max[0] = 1000;
        for (int face = 0; face < 2 && periodic; ++face)
            def.bounds.faces[face] = KUGEL_FACE_PERIODIC;
        kugel_world *world = create(&def);
        add_dynamic(world, from, 0, 0, speed, 1, 1e6);
        kugel_body thrown = add_dynamic(world, from + 5, 0, 0, 0, 1, 1);
        add_dynamic(world, periodic ? 475 : 175, 0, 0, 0, 1, 1e6);
        step(world, 1, 1);
        kugel_world_stats(world, &stats);
        double v[3];
        cr_assert_eq(kugel_body_get_velocity(world, thrown, v), KUGEL_OK);
        cr_assert_geq(stats.impacts, 2);
        cr_assert_neq(v[0], 2e6 / (1e6 + 1) * speed, "the third ball is missed");
        kugel_world_destroy(world);
    }
}

/* The first place that sees that a surface moves does not see it for the others. */
Test(places, all_see_that_a_surface_moves)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world = create(&def);
    for (int i = 0; i < 20; ++i)
        add_dynamic(world, 2000 + 10 * (i % 4), 10 * (i / 4), 0, 0.01 * (i % 3 + 1), 1, 1);
    for (int i = 0; i < 24; ++i)
        add_dynamic(world, 10 * (i % 4), 10 * (i / 4), 0, 0.01 * (i % 3 + 1), 1, 1);
    add_ball_surface(world, 0, -4000, 0, 1e-3);
    kugel_surface surface = add_ball_surface(world, -40, 0, 0, 0);
    step(world, 0.01, 12);
    const double velocity[3] = {1000, 0, 0}, spin[3] = {0, 0, 0};
    cr_assert_eq(kugel_surface_set_motion(world, surface, velocity, spin), KUGEL_OK);
    continue_alike(world, &def, 0.01, 6);
    kugel_world_destroy(world);
}

/* A sensor that a call places over a body at rest gets it inside, whatever moves elsewhere. */
Test(places, a_sensor_gets_a_body_at_rest)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world = create(&def);
    add_dynamic(world, 0, 0, 0, 1, 1, 1), add_dynamic(world, 5000, 0, 0, 1, 1, 1);
    add(world, KUGEL_KINEMATIC, (double[]){-5000, 0, 0}, 0, 1, 1);
    step(world, 0.01, 1);
    kugel_body_def sensor = kugel_body_def_default();
    kugel_body handle;
    size_t count;
    sensor.type = KUGEL_STATIC, sensor.sensor = true, sensor.radius = 3;
    sensor.position[0] = -5000;
    cr_assert_eq(kugel_body_create(world, &sensor, &handle), KUGEL_OK);
    step(world, 0.01, 1);
    (void)kugel_world_sensor_events(world, &count);
    cr_assert_eq(count, 1);
    kugel_world_destroy(world);
}

/* Lists that a call made invalid stay invalid when the step after it fails in another place. */
Test(places, a_failed_step_forgets_no_call)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body bodies[40];
    def.step_event_limit = 40;
    kugel_world *world = create(&def);
    add_dynamic(world, -5000, 0, 0, 100, 1, 1); /* between two walls, so that a long tick fails */
    add(world, KUGEL_STATIC, (double[]){-5002.5, 0, 0}, 0, 1, 1);
    add(world, KUGEL_STATIC, (double[]){-4997.5, 0, 0}, 0, 1, 1);
    for (int i = 0; i < 40; ++i)
        bodies[i] = add_dynamic(world, 20 * (i % 8), 20 * (i / 8), 0, 0.01 * (i % 3), 1, 1);
    step(world, 0.01, 10);
    cr_assert_eq(kugel_body_set_radius(world, bodies[0], 18.9), KUGEL_OK);
    cr_assert_eq(kugel_body_set_velocity(world, bodies[1], (double[]){-50, 0, 0}), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 1), KUGEL_ERROR_LIMIT);
    continue_alike(world, &def, 0.01, 3);
    kugel_world_destroy(world);
}

/* A sleeping ball near a surface that moves is a mover, aside or not; here it links two places. */
Test(places, a_sleeper_near_a_moving_surface_links_aside_or_not)
{
    for (int k = 0; k < 4; ++k) {
        static const double height[] = {7.5, 17.3, 17.6, 18.5}; /* m; it reaches to 17.5 or so */
        kugel_world_def def = kugel_world_def_default();
        const double velocity[3] = {1e-6, 0, 0}, spin[3] = {0, 0, 0};
        support_plane floor = {.normal = {0, 0, 1}, .friction = 0.5};
        kugel_body_state state;
        def.gravity[2] = -9.81, def.linear_damping = 0.1;
        kugel_world *world = create(&def);
        cr_assert_eq(support_add_plane(world, &floor, NULL), KUGEL_OK);
        kugel_surface surface = add_ball_surface(world, 0, 0, height[k], 0);
        for (int i = 0; i < 40; ++i) add_dynamic(world, 9000 + 5 * i, 0, 1, 0, 1, 1);
        kugel_body sleeper = add_dynamic(world, 0, 0, 1, 0, 1, 1);
        step(world, 0.01, 600);
        cr_assert_eq(kugel_body_get(world, sleeper, &state), KUGEL_OK);
        cr_assert(state.asleep);
        add_dynamic(world, 60, 0, 1, 0.3, 1, 1), add_dynamic(world, 60, 0.1, 2.9, 0, 1, 1);
        add_dynamic(world, -60, 0, 20, 0, 1, 1), add_dynamic(world, -60, 5, 20, 0, 0.1, 1);
        cr_assert_eq(kugel_surface_set_motion(world, surface, velocity, spin), KUGEL_OK);
        continue_alike(world, &def, 0.05, 1);
        kugel_world_destroy(world);
    }
}
