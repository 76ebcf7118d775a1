/* Simultaneous impacts that share bodies: the result does not depend on ids or order. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "kugel/surface.h"
#include "support/support_scene.h"
#include "world/world.h"

/* A ball flies along x at four others placed at (0, +-y, +-z): mirrored numbers, so it meets all
 * four at the same double of a time. */
static support_scene four_at_once(double mass, double restitution, double friction)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){-3, 0, 0}, (double[3]){5, 0, 0}, 0.5, mass);
    for (int k = 0; k < 4; ++k) {
        double x[3] = {0, k & 1 ? 0.55 : -0.55, k & 2 ? 0.6 : -0.6};
        support_scene_add(&scene, x, NULL, 0.5, 1);
    }
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].restitution = restitution, scene.bodies[i].friction = friction;
        scene.bodies[i].spin[0] = friction > 0 ? 1.5 : 0;
    }
    return scene;
}

typedef struct totals {
    double energy, momentum[3], angular[3];
} totals;

static totals totals_of(const kugel_world *world, uint32_t count)
{
    totals sum = {0};
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    sum.energy = sums.kinetic;
    memcpy(sum.momentum, sums.momentum, sizeof sum.momentum);
    for (uint32_t i = 0; i < count; ++i) {
        kugel_body_state s;
        support_state(world, i, &s);
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            sum.angular[k] +=
                s.mass * (s.position[l] * s.velocity[m] - s.position[m] * s.velocity[l]) +
                0.4 * s.mass * s.radius * s.radius * s.spin[k];
        }
    }
    return sum;
}

/* Elastic: energy, momentum and angular momentum stay; the four leave as mirror images, bit for
 * bit, and the one stays on the axis. By hand: each of the four gets J along its normal n, the one
 * loses 4 J n_x; all four approach speeds turn round: J = 2 u / (1 + 4 n_x^2 / M), u = 5 n_x. */
Test(simultaneous_solve, one_ball_meets_four)
{
    support_scene scene = four_at_once(2, 1, 0);
    kugel_world *world = support_scene_world(&scene);
    totals before = totals_of(world, scene.count);
    support_run(world, 1, 1);
    totals after = totals_of(world, scene.count);
    cr_assert_float_eq(after.energy, before.energy, 1e-13 * before.energy);
    for (int k = 0; k < 3; ++k) {
        cr_assert_float_eq(after.momentum[k], before.momentum[k], 1e-13);
        cr_assert_float_eq(after.angular[k], before.angular[k], 1e-13);
    }
    kugel_body_state one, s[4];
    support_state(world, 0, &one);
    for (uint32_t k = 0; k < 4; ++k) support_state(world, k + 1, &s[k]);
    cr_assert(one.velocity[1] == 0 && one.velocity[2] == 0, "off the axis: %g %g", one.velocity[1],
              one.velocity[2]);
    for (uint32_t k = 0; k < 4; ++k) {
        cr_assert_eq(s[k].velocity[0], s[0].velocity[0], "ball %u", k);
        cr_assert_eq(fabs(s[k].velocity[1]), fabs(s[0].velocity[1]), "ball %u", k);
        cr_assert_eq(fabs(s[k].velocity[2]), fabs(s[0].velocity[2]), "ball %u", k);
    }
    double nx = sqrt(1 - 0.55 * 0.55 - 0.6 * 0.6), impulse = 2 * 5 * nx / (1 + 4 * nx * nx / 2);
    cr_assert_float_eq(s[0].velocity[0], impulse * nx, 1e-13);
    cr_assert_float_eq(one.velocity[0], 5 - 4 * impulse * nx / 2, 1e-13);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.impacts_total, 4);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* With losses and friction: energy falls, momentum and angular momentum stay to rounding. */
Test(simultaneous_solve, losses_and_friction)
{
    static const double friction[3] = {0, 0.3, 5};
    for (int f = 0; f < 3; ++f) {
        for (double e = 0.2; e <= 1; e += 0.4) {
            support_scene scene = four_at_once(0.7, e, friction[f]);
            kugel_world *world = support_scene_world(&scene);
            totals before = totals_of(world, scene.count);
            support_run(world, 1, 1);
            totals after = totals_of(world, scene.count);
            double share = after.energy / before.energy;
            cr_assert(share <= 1 + 1e-14 &&
                          (e + (f == 0) < 1.9 ? share < 1 - 1e-3 : share > 1 - 1e-13),
                      "e %g, friction %g: %.17g of the energy", e, friction[f], share);
            for (int k = 0; k < 3; ++k) {
                cr_assert_float_eq(after.momentum[k], before.momentum[k], 1e-13);
                cr_assert_float_eq(after.angular[k], before.angular[k], 1e-13);
            }
            kugel_world_destroy(world);
            support_scene_free(&scene);
        }
    }
}

/* The same bodies under any names: the same motions to rounding (sums over two sides may swap). */
Test(simultaneous_solve, ids_do_not_matter)
{
    support_scene scene = four_at_once(1.5, 0.8, 0.4);
    double first[5][6];
    for (uint32_t turn = 0; turn < 5; ++turn) {
        support_scene renamed = support_scene_start();
        for (uint32_t k = 0; k < 5; ++k) {
            const kugel_body_def *from = &scene.bodies[(k + turn) % 5];
            *support_scene_add(&renamed, from->position, from->velocity, 0.5, from->mass) = *from;
        }
        kugel_world *world = support_scene_world(&renamed);
        support_run(world, 1, 1);
        for (uint32_t k = 0; k < 5; ++k) {
            kugel_body_state s;
            support_state(world, k, &s);
            for (int x = 0; x < 3; ++x) {
                double *v = &first[(k + turn) % 5][x], *w = v + 3;
                if (turn == 0) *v = s.velocity[x], *w = s.spin[x];
                cr_assert_float_eq(s.velocity[x], *v, 1e-14, "turn %u, ball %u: %.17g, was %.17g",
                                   turn, k, s.velocity[x], *v);
                cr_assert_float_eq(s.spin[x], *w, 1e-13);
            }
        }
        kugel_world_destroy(world);
        support_scene_free(&renamed);
    }
    support_scene_free(&scene);
}

/* Equal balls in a line, all touching: whatever their speeds, they leave in the order of their
 * speeds, as a row with small gaps would. The order of names, forwards or backwards, is no matter.
 */
Test(simultaneous_solve, equal_balls_in_a_line_swap_their_speeds)
{
    enum { BALLS = 7 };
    static const double speeds[4][BALLS] = {{3, 1, 0, 0, 0, 0, 0},
                                            {1, 0, 0, 0, 0, 0, -2},
                                            {2, 2, 1, 1, 0, -1, -1},
                                            {6, 5, 4, 3, 2, 1, 0}};
    for (int row = 0; row < 8; ++row) {
        bool backwards = row & 1;
        double sorted[BALLS];
        support_scene scene = support_scene_start();
        for (int k = 0; k < BALLS; ++k) {
            int at = backwards ? BALLS - 1 - k : k;
            support_scene_add(&scene, (double[3]){at, 0, 0}, (double[3]){speeds[row / 2][at], 0, 0},
                              0.5, 1);
            sorted[k] = speeds[row / 2][k];
        }
        for (int k = 0; k < BALLS; ++k) {
            for (int l = k + 1; l < BALLS; ++l) {
                if (sorted[l] >= sorted[k]) continue;
                double swap = sorted[k];
                sorted[k] = sorted[l], sorted[l] = swap;
            }
        }
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 1 / 60., 1);
        for (uint32_t k = 0; k < BALLS; ++k) {
            kugel_body_state s;
            support_state(world, k, &s);
            uint32_t at = backwards ? BALLS - 1 - k : k;
            cr_assert_float_eq(s.velocity[0], sorted[at], 1e-13,
                               "row %d: ball %u leaves at %.17g, should %g", row, at, s.velocity[0],
                               sorted[at]);
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Squeezed at one instant by two movers there is no solution with bounces: the step ends all the
 * same. */
Test(simultaneous_solve, squeezed_at_one_instant)
{
    support_scene scene = support_scene_start();
    for (int k = -1; k <= 1; ++k) {
        support_scene_add(&scene, (double[3]){1.5 * k, 0, 0}, (double[3]){-4 * k, 0, 0}, 0.5, 1)
            ->type = k ? KUGEL_KINEMATIC : KUGEL_DYNAMIC;
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.25, 1);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert(stats.impacts < 600, "%g impacts", (double)stats.impacts);
    cr_assert_eq(stats.budgets_exhausted, 1);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball inside a floor and a plane rises at a speed that gravity takes in 1e-319 s: then both
 * approaches round to none, and no impulse separates them. The step ends, and the ball rests on one
 * at least: the correction of its depth may lift it off the other. */
Test(simultaneous_solve, approaches_that_round_to_none)
{
    for (int k = 1; k <= 400; ++k) {
        support_scene scene = support_scene_start();
        scene.def.gravity[2] = -9.81;
        scene.def.bounds.min[2] = -4, scene.def.bounds.faces[4] = KUGEL_FACE_WALL;
        support_scene_add(&scene, (double[3]){-1.9, -0.3, -3.5}, (double[3]){0, 0, k * 0x1p-1074},
                          0.52, 1);
        scene.bodies[0].restitution = 0.1;
        scene.planes[scene.plane_count++] = (support_plane){{0, 0.6, 0.8}, -3, 0.5, 0.5};
        kugel_world *world = support_scene_world(&scene);
        cr_assert(!kugel_world_step(world, 1 / 720.), "%d least speeds", k);
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        cr_assert_geq(stats.resting_contacts, 1, "%d least speeds", k);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* All impacts of a lattice at once, none of which share a body: half the balls fly at their
 * neighbours. Each meets one, all at the same time, and they swap their speeds. */
Test(simultaneous_solve, a_lattice_of_pairs)
{
    support_scene scene = support_scene_start();
    for (int i = 0; i < 1000; ++i) {
        double side = i & 1 ? -1 : 1;
        double x[3] = {2 * (i % 10), 2 * (i / 10 % 10), 2 * (i / 100)};
        support_scene_add(&scene, x, (double[3]){side, 0, 0}, 0.5, 1);
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.75, 1); /* they meet after 0.5 s */
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.impacts_total, 500);
    for (uint32_t i = 0; i < 1000; ++i) {
        kugel_body_state s;
        support_state(world, i, &s);
        cr_assert_eq(s.velocity[0], i & 1 ? 1 : -1, "ball %u", i);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball falls into the gap of two mirrored shapes and rises upright. Boundary numbers of shapes
 * whose numbers are 2^23 apart differ by the resting flag of neighbours only. */
Test(simultaneous_solve, features_are_told_apart_by_all_bits)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){0, 0, 2}, (double[3]){0, 0, -1}, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    for (int side = -1; side <= 1; side += 2) {
        kugel_surface_def def = kugel_surface_def_default();
        def.shape = KUGEL_SURFACE_ELLIPSOID;
        def.restitution = 1, def.friction = 0, def.position[0] = 0.75 * side;
        for (int k = 0; k < 3; ++k) def.size[k] = 0.5;
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    }
    world->surfaces.items[1].first_triangle = world->surfaces.items[0].first_triangle + (1 << 23);
    kugel_body_state s;
    support_run(world, 4, 1);
    support_state(world, 0, &s);
    cr_assert_eq(s.velocity[0], 0);
    cr_assert_float_eq(s.velocity[2], 1, 1e-12);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
