/* A lattice dropped into an open box: the contact stage may be simple, but a pile must not gain energy,
 * and must not leak. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_scene.h"

static support_scene lattice(uint32_t side, double restitution, support_random *random)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 1.1 * side, KUGEL_FACE_WALL);
    scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
    scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.5;
    scene.def.gravity[2] = -9.81;
    for (uint32_t i = 0; i < side * side * side; ++i) {
        uint32_t at[3] = {i % side, i / side % side, i / side / side};
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = 0.55 + 1.1 * at[k] + support_between(random, -0.04, 0.04);
        kugel_body_def *def = support_scene_add(&scene, x, NULL, 0.5, 1);
        def->restitution = restitution, def->friction = 0.5;
    }
    return scene;
}

/* Deepest centre beyond the box's five closed faces, in radii from the contact. */
static double deepest(const support_scene *scene, const double *x)
{
    double worst = 0;
    for (uint32_t i = 0; i < scene->count; ++i) {
        for (int face = 0; face < 5; ++face) {
            double gap = face & 1 ? scene->def.bounds.max[face / 2] - x[3 * i + face / 2]
                                  : x[3 * i + face / 2] - scene->def.bounds.min[face / 2];
            worst = fmax(worst, (0.5 - gap) / 0.5);
        }
    }
    return worst;
}

/* The contact solver's iteration leaves errors of its own, so the sum of energies may rise by a little
 * in a tick; all rises together stay below a thousandth of the drop's energy. Walls and neighbours give
 * way by less than a tenth of the radius in the fall's worst moment (the engines of BASELINES.md: 10 %
 * to 86 %) and by 1 % at rest. Settled: the mean speed is below 2 cm/s after 10 s. */
static void check_pile(uint32_t side, double restitution)
{
    support_random random = support_random_start("pile", 700 + side);
    support_scene scene = lattice(side, restitution, &random);
    kugel_world *world = support_scene_world(&scene);
    double *x = malloc(3 * (size_t)scene.count * sizeof *x), rises = 0, worst = 0;
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    double energy = stats.kinetic_energy + stats.potential_energy, start = energy;
    for (int tick = 0; tick < 600; ++tick) {
        support_run(world, 1 / 60., 1);
        kugel_world_stats(world, &stats);
        double now = stats.kinetic_energy + stats.potential_energy;
        if (now > energy) rises += now - energy;
        energy = now;
        kugel_world_read(world, scene.count, NULL, x, NULL, NULL);
        worst = fmax(worst, deepest(&scene, x));
        cr_assert(worst < 0.1, "a wall gave way by %g radii in tick %d", worst, tick);
        if (tick % 20 == 0) {
            double overlap = support_worst_overlap(&scene, world);
            cr_assert(overlap < 0.1, "overlap of %g radii in tick %d", overlap, tick);
        }
    }
    double drop = start - energy, speed = sqrt(2 * stats.kinetic_energy / scene.count);
    cr_assert(drop > 0.05 * start, "nothing fell");
    cr_assert(rises < 1e-3 * drop, "energy rose by %g J, %g of the drop", rises, rises / drop);
    cr_assert(speed < 0.02, "still moves at %g m/s", speed);
    double overlap = support_worst_overlap(&scene, world);
    cr_assert(overlap < 0.01 && deepest(&scene, x) < 0.01,
              "rests in an overlap of %g radii, walls %g", overlap, deepest(&scene, x));
    free(x);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(pile, of_125) { check_pile(5, 0); }
Test(pile, of_1000) { check_pile(10, 0); }
Test(pile, of_343_that_bounce) { check_pile(7, 0.5); }

/* Threshold 0 and slop 0: every touch is an impact, till the budgets are used up and bodies rest. It does
 * not sink into itself meanwhile, and comes to rest. */
Test(pile, without_threshold_and_slop)
{
    for (int lively = 0; lively < 3; ++lively) {
        support_random random = support_random_start("pile/hard", 11);
        support_scene scene = lattice(5, (const double[]){0, 0.5, 0.9}[lively], &random);
        scene.def.bounce_threshold = scene.def.slop = 0;
        kugel_world *world = support_scene_world(&scene);
        for (int k = 0; k < 30; ++k) {
            support_run(world, 1 / 60., 20);
            double overlap = support_worst_overlap(&scene, world);
            cr_assert(overlap < 0.02, "restitution %g: overlap of %g radii in tick %d", scene.bodies[0].restitution, overlap, 20 * k + 20);
        }
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        cr_assert(stats.kinetic_energy < 0.01 * scene.count, "restitution %g: %g J left", scene.bodies[0].restitution, stats.kinetic_energy);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
