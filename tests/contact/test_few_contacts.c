/* Worlds of few contacts are solved accurately: balls in dimples lie still, rolling resistance
 * stops a ball without reversing it, a pushed ball moves as fast as its pusher. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/constants.h"
#include "support/support_scene.h"

static const double g = 9.81, tick = 1.0 / 60;

/* Default settings except substeps and sleep. */
static support_scene start(int32_t substeps, bool sleeps)
{
    support_scene scene = support_scene_start();
    const kugel_world_def def = kugel_world_def_default();
    scene.def.substeps = substeps, scene.def.slop = def.slop,
    scene.def.bounce_threshold = def.bounce_threshold, scene.def.sleep = sleeps;
    scene.def.gravity[2] = -g;
    return scene;
}

static kugel_body_def *add(support_scene *scene, double x, double y, double z, double radius)
{
    kugel_body_def *ball = support_scene_add(scene, (double[3]){x, y, z}, NULL, radius, 1);
    ball->restitution = 0, ball->friction = 0.5;
    return ball;
}

static void add_plane(support_scene *scene, double x, double y, double z, double friction)
{
    double size = sqrt(x * x + y * y + z * z);
    scene->planes[scene->plane_count++] =
        (support_plane){.normal = {x / size, y / size, z / size}, .friction = friction};
}

/* A ball at rest between two or three planes of slope `angle` falls asleep within two seconds. A
 * single sweep would leave it moving to and fro, by the speed that gravity adds in a substep. */
Test(few_contacts, a_ball_lies_still_in_a_dimple)
{
    support_random random = support_random_start("few/dimple", 501);
    for (int k = 0; k < 60; ++k) {
        uint32_t planes = 2 + support_below(&random, 2);
        double angle = support_between(&random, 0.2, 1.2), turn = support_between(&random, 0, 6),
               friction = 0.5 * support_below(&random, 2);
        support_scene scene = start(k % 2 ? 4 : 1, true);
        for (uint32_t p = 0; p < planes; ++p) {
            double at = turn + 2 * M_PI * p / planes;
            add_plane(&scene, sin(angle) * cos(at), sin(angle) * sin(at), cos(angle), friction);
        }
        kugel_body_state before, after;
        add(&scene, 0, 0, 0.5 / cos(angle), 0.5);
        kugel_world *world = support_scene_world(&scene);
        support_state(world, 0, &before);
        support_run(world, tick, 120);
        support_state(world, 0, &after);
        cr_assert(after.asleep, "%u planes, %g rad, friction %g, turned by %g: awake", planes,
                  angle, friction, turn);
        for (int x = 0; x < 3; ++x) {
            cr_assert_lt(fabs(after.position[x] - before.position[x]), 0.005,
                         "%u planes, %g rad: axis %d by %g m", planes, angle, x,
                         after.position[x] - before.position[x]);
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A ball in a flat dimple wanders by what one solve leaves. It is slow all the time, so it sleeps
 * once it cannot have gained velocity: after 40 times the half second. Without friction it slides
 * to the bottom first. */
Test(few_contacts, a_ball_rests_in_a_flat_dimple)
{
    support_random random = support_random_start("few/flat", 502);
    for (int k = 0; k < 60; ++k) {
        uint32_t planes = 2 + support_below(&random, 2);
        double angle = 0.2 * pow(0.01, support_between(&random, 0, 1)),
               turn = support_between(&random, 0, 6), friction = 0.5 * support_below(&random, 2);
        support_scene scene = start(k % 2 ? 4 : 0, true);
        for (uint32_t p = 0; p < planes; ++p) {
            double at = turn + 2 * M_PI * p / planes, lean = angle * support_between(&random, 1, 2);
            add_plane(&scene, sin(lean) * cos(at), sin(lean) * sin(at), cos(lean), friction);
        }
        add(&scene, 0, 0, 0.501, 0.5);
        kugel_world *world = support_scene_world(&scene);
        kugel_body_state after;
        support_run(world, tick, 3600);
        support_state(world, 0, &after);
        cr_assert(after.asleep, "%u planes, %g rad, friction %g, turned by %g: %g m/s", planes,
                  angle, friction, turn, after.velocity[0]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A ball that rolls against resistance c stops after v / (c g 5/7). It rolls back by less than the
 * error of a sweep, a thousandth of what the resistance takes in a substep. */
Test(few_contacts, rolling_resistance_stops_a_ball)
{
    for (int32_t substeps = 1; substeps <= 4; substeps += 3) {
        for (double resistance = 0.1; resistance < 0.7; resistance += 0.1) {
            support_scene scene = start(substeps, false);
            double speed = 2, r = 0.5, least = speed, before = INFINITY;
            add_plane(&scene, 0, 0, 1, 1);
            kugel_body_def *ball = add(&scene, 0, 0, r, r);
            ball->friction = 1, ball->rolling_resistance = resistance, ball->velocity[0] = speed,
            ball->spin[1] = speed / r;
            kugel_world *world = support_scene_world(&scene);
            for (int t = 0; t < 300; ++t) {
                kugel_body_state s;
                kugel_energy sums;
                support_run(world, tick, 1);
                support_state(world, 0, &s);
                kugel_world_energy(world, &sums);
                cr_assert_leq(sums.kinetic, before + 1e-6,
                              "resistance %g, tick %d: %.9g J, then %.9g", resistance, t, before,
                              sums.kinetic);
                before = sums.kinetic;
                least = s.velocity[0] < least ? s.velocity[0] : least;
            }
            cr_assert_geq(least, -5e-3 * resistance * g * tick / substeps,
                          "resistance %g: back at %g m/s", resistance, least);
            cr_assert_lt(before, 1e-9, "resistance %g: %g J left", resistance, before);
            kugel_world_destroy(world);
            support_scene_free(&scene);
        }
    }
}

/* A ball that a kinematic ball pushes along a floor has the speed of that ball and stays in
 * contact. */
Test(few_contacts, a_pushed_ball_stays_with_its_pusher)
{
    static const double speeds[] = {0.05, 0.3, 1};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; ++k) {
        support_scene scene = start(4, false);
        add_plane(&scene, 0, 0, 1, 0.5);
        kugel_body_def *mover = add(&scene, -1, 0, 0.5, 0.5);
        mover->type = KUGEL_KINEMATIC, mover->velocity[0] = speeds[k];
        add(&scene, 0, 0, 0.5, 0.5)->velocity[0] = speeds[k];
        kugel_world *world = support_scene_world(&scene);
        support_run(world, tick, 300);
        kugel_body_state s;
        support_state(world, 1, &s);
        cr_assert_lt(fabs(s.velocity[0] - speeds[k]), 1e-4, "pushed at %g m/s: %.9g", speeds[k],
                     s.velocity[0]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A ball that rolls down a much larger sphere keeps one contact: its gap is measured in double. */
Test(few_contacts, a_ball_rolls_down_a_large_sphere_in_one_contact)
{
    static const double large[] = {1, 4, 20, 100};
    for (size_t k = 0; k < sizeof large / sizeof *large; ++k) {
        support_scene scene = start(4, false);
        double r = 0.1, reach = large[k] + r, angle = 0.5;
        kugel_body_def *ground = add(&scene, 0, 0, 0, large[k]);
        ground->type = KUGEL_STATIC, ground->friction = 50;
        add(&scene, reach * sin(angle), 0, reach * cos(angle), r)->friction = 50;
        kugel_world *world = support_scene_world(&scene);
        size_t impacts = 0;
        for (int t = 0; t < 400; ++t) {
            size_t count;
            support_run(world, 1e-3, 1);
            (void)kugel_world_impact_events(world, &count);
            impacts += count;
        }
        cr_assert_eq(impacts, 0, "on %g m: %zu impacts", large[k], impacts);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Two balls on a plane, the second 3 m beside the first or on it. @return the substeps of the last
 * of 60 ticks. Then the balls are as high as at first, but for the overlap that is left. */
static uint64_t substeps_at_rest(bool stacked, double speed, double rolling_resistance)
{
    support_scene scene = {.def = kugel_world_def_default()};
    const double x[2][3] = {{0, 0, 0.5}, {stacked ? 0 : 3, 0, stacked ? 1.5 : 0.5}};
    scene.def.gravity[2] = -9.81;
    scene.def.sleep = false;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    for (int k = 0; k < 2; ++k) {
        const double v[3] = {0, k * speed, 0};
        support_scene_add(&scene, x[k], v, 0.5, 1)->rolling_resistance = rolling_resistance;
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 60);
    for (uint32_t id = 0; id < 2; ++id) {
        kugel_body_state state;
        support_state(world, id, &state);
        cr_assert_float_eq(state.position[2], x[id][2], 3 * KG_CORRECTION_SLOP * 0.5, "%.9g",
                           state.position[2]);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return stats.substeps;
}

/* Bodies at rest take one substep if one sweep solves their contacts; all others the usual four. */
Test(few_contacts, bodies_at_rest_apart_take_one_substep)
{
    cr_expect_eq(substeps_at_rest(false, 0, 0), 1, "apart");
    cr_expect_eq(substeps_at_rest(true, 0, 0), 4, "one on the other");
    cr_expect_eq(substeps_at_rest(false, 0.3, 0), 4, "one rolls");
    cr_expect_eq(substeps_at_rest(false, 0, 0.1), 4, "rolling resistance");
}

/* A ball at rest on the plane z = 0, with what moves beside it. */
static kugel_world *ball_at_rest(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.def.sleep = false;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    support_scene_add(&scene, (double[3]){0, 0, 0.5}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 60);
    support_scene_free(&scene);
    return world;
}

static uint64_t substeps_of_next(kugel_world *world)
{
    kugel_stats stats;
    support_run(world, 1 / 60., 1);
    kugel_world_stats(world, &stats);
    kugel_world_destroy(world);
    return stats.substeps;
}

/* What comes near in the tick has the substeps that it needs, before it touches the ball: a bar
 * that turns by 0.5 rad in the tick those of 0.02 rad each, a kinematic ball the usual four. */
Test(few_contacts, what_moves_near_a_body_at_rest_has_its_substeps)
{
    kugel_world *world = ball_at_rest();
    kugel_surface_def bar = kugel_surface_def_default();
    bar.shape = KUGEL_SURFACE_CAPSULE, bar.size[0] = 0.1, bar.size[1] = 1;
    bar.position[0] = 0.7, bar.position[2] = 1.5, bar.spin[2] = 30;
    cr_assert_eq(kugel_surface_create(world, &bar, NULL), KUGEL_OK);
    cr_expect_geq(substeps_of_next(world), 25, "a bar turns");
    world = ball_at_rest();
    kugel_body_def ball = kugel_body_def_default();
    ball.type = KUGEL_KINEMATIC, ball.position[0] = 1.2, ball.position[2] = 0.5;
    ball.velocity[0] = -20;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    cr_expect_geq(substeps_of_next(world), 4, "a kinematic ball comes");
    world = ball_at_rest();
    kugel_body_set_spin(world, kugel_world_body(world, 0), (double[3]){0, 100, 0});
    cr_expect_eq(substeps_of_next(world), 4, "the ball spins");
    cr_expect_eq(substeps_of_next(ball_at_rest()), 1, "nothing moves");
}
