/* A body that slides down a support and bounces off something else meets it at the speed of that
 * moment, not of the substep's end. The energy never grows. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_sanitized.h"
#include "support/support_scene.h"

static const double tick = 1.0 / 60, g = 9.81;

/* No friction, restitution 1, default substeps. */
static support_scene start(double side_x, double side_y)
{
    support_scene scene = support_scene_start();
    const double gravity[3] = {side_x, side_y, -g};
    scene.def.substeps = kugel_world_def_default().substeps;
    for (int k = 0; k < 3; ++k) scene.def.gravity[k] = gravity[k];
    return scene;
}

static void add_plane(support_scene *scene, double x, double y, double z, double restitution)
{
    double size = sqrt(x * x + y * y + z * z);
    scene->planes[scene->plane_count++] =
        (support_plane){.normal = {x / size, y / size, z / size}, .restitution = restitution};
}

static double energy_of(const kugel_world *world)
{
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    return sums.kinetic + sums.potential;
}

/* J, rounding: the solver rounds a speed of up to 11 m/s by 6e-8 in each of four substeps a
 * tick. */
static const double noise = 3e-5;

/* Speed of the first impact above the bounce threshold. With `flies` the energy is constant after
 * it. */
static double first_impact(const support_scene *scene, uint32_t ticks, bool flies)
{
    kugel_world *world = support_scene_world(scene);
    double before = energy_of(world), speed = 0;
    for (uint32_t k = 0; k < ticks; ++k) {
        size_t count;
        support_run(world, tick, 1);
        double now = energy_of(world);
        cr_assert_leq(now, before + noise, "tick %u: %.12g J, then %.12g", k, before, now);
        cr_assert(!flies || speed == 0 || now >= before - noise,
                  "tick %u: %.12g J in flight, then %.12g", k, before, now);
        before = now;
        const kugel_impact *impact = kugel_world_impact_events(world, &count);
        for (size_t i = 0; i < count && speed == 0; ++i)
            speed = impact[i].speed > 0.5 ? impact[i].speed : 0;
    }
    kugel_world_destroy(world);
    return speed;
}

/* Along one wall or two, from any height: v = sqrt(2 g H). */
static void check_walls(bool corner, uint64_t seed)
{
    support_random random = support_random_start("lead/walls", seed);
    for (int k = 0; k < 40; ++k) {
        support_scene scene = start(1, corner ? 0.7 : 0);
        double height = support_between(&random, 0.3, 6), exact = sqrt(2 * g * height);
        add_plane(&scene, -1, 0, 0, 0);
        if (corner) add_plane(&scene, 0, -1, 0, 0);
        add_plane(&scene, 0, 0, 1, 1);
        support_scene_add(&scene, (double[3]){-0.5, corner ? -0.5 : 0, 0.5 + height},
                          (double[3]){0, 0, 0}, 0.5, 1)
            ->restitution = 0;
        double speed = first_impact(&scene, 150, false);
        cr_assert(fabs(speed - exact) < 1e-5 * exact, "from %g m: %.9g m/s, exactly %.9g", height,
                  speed, exact);
        support_scene_free(&scene);
    }
}

Test(anticipated, speed_at_impact_down_a_wall) { check_walls(false, 91); }

Test(anticipated, speed_at_impact_down_a_corner) { check_walls(true, 92); }

/* A bounce off the floor lifts the ball off the slope. It then flies, and each bounce is as high as
 * the one before. */
Test(anticipated, bounces_off_a_slope_keep_their_height)
{
    support_random random = support_random_start("lead/slope", 93);
    for (int k = 0; k < 60; ++k) {
        support_scene scene = start(0, 0);
        double angle = support_between(&random, 0.15, 1.3), r = 0.5;
        add_plane(&scene, sin(angle), 0, cos(angle), 0);
        add_plane(&scene, 0, 0, 1, 1);
        /* so far that first_impact counts the impact */
        double least = (pow(0.51 / sin(angle), 2) / (2 * g) + r * (1 - cos(angle))) / sin(angle),
               along = support_between(&random, fmax(1, least), 8),
               x = r * sin(angle) - along * cos(angle), z = r * cos(angle) + along * sin(angle);
        support_scene_add(&scene, (double[3]){x, 0, z}, (double[3]){0, 0, 0}, r, 1)->restitution =
            0;
        double speed = first_impact(&scene, 240, true), down = z - r,
               exact = sqrt(2 * g * down) * sin(angle);
        cr_assert(fabs(speed - exact) < 1e-5 * exact, "%g rad, %g m: %.9g m/s, exactly %.9g", angle,
                  along, speed, exact);
        support_scene_free(&scene);
    }
}

/* Balls of some millimetres, for which gravity adds much in a substep, in a box with inclined
 * walls. The energy does not grow unless a budget is used up. Tolerance: a struck ball is pressed
 * into its support by 0.4 % of r and lifted again. */
Test(anticipated, energy_never_grows)
{
    support_random random = support_random_start("lead/box", 94);
    uint32_t judged = 0;
    for (int k = 0; k < SUPPORT_ROUNDS(60); ++k) {
        support_mix mix = {.count = 10,
                           .length = 0.06,
                           .radius = {0.0015, 0.006},
                           .mass = {0.2, 5},
                           .sigma = 0.2,
                           .face = KUGEL_FACE_WALL};
        support_scene scene = support_scene_mixed(&mix, &random);
        kugel_world_def def = kugel_world_def_default();
        scene.def.substeps = def.substeps, scene.def.slop = def.slop, scene.def.gravity[2] = -g;
        scene.def.bounce_threshold = support_below(&random, 2) ? def.bounce_threshold : 0.02;
        scene.def.gravity[0] = support_below(&random, 2) ? 2 : 0;
        scene.def.bounds.restitution = 0.5 * support_below(&random, 3);
        scene.def.bounds.friction = 0.5 * support_below(&random, 2);
        for (uint32_t i = 0; i < scene.count; ++i)
            scene.bodies[i].restitution = 0.5 * support_below(&random, 2);
        kugel_world *world = support_scene_world(&scene);
        double allowed = 0, before = energy_of(world);
        for (uint32_t i = 0; i < scene.count; ++i)
            allowed += 4e-3 * scene.bodies[i].mass * (g + 2) * scene.bodies[i].radius;

        kugel_stats stats;
        for (int t = 0; t < 300; ++t) {
            support_run(world, tick, 1);
            kugel_world_stats(world, &stats);
            if (stats.budgets_exhausted) break;
            double now = energy_of(world);
            cr_assert_leq(now, before + allowed, "scene %d, tick %d: %.9g J, then %.9g", k, t,
                          before, now);
            before = now < before ? now : before;
            ++judged;
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert(judged > SUPPORT_ROUNDS(10000), "only %u ticks", judged);
}
