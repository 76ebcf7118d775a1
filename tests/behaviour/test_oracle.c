/* The engine must have the impacts of the oracle (support_oracle.h) in the same order, with ticks
 * dt, dt / 2 and 4 dt. At every impact errors grow by about 2 (free path) / (radius), 3 to 10 times
 * here. They grow from 1e-16 to the tolerance of 1e-6 in 12 to 20 impacts a body, 400 to 620 in
 * these scenes. Each test requires about two thirds of that, so that it fails by a wrong rule, not
 * by a lost digit. */
#include <criterion/criterion.h>

#include "support/support_compare.h"
#include "support/support_sanitized.h"

static const support_tolerance tolerance = {1e-6, 1e-6};

static void at_three_ticks(const support_scene *scene, double dt, uint32_t impacts)
{
    static const double factor[3] = {1, 0.5, 4};
    impacts = SUPPORT_ROUNDS(impacts);
    for (int k = 0; k < 3; ++k) {
        uint32_t equal = support_compare(scene, factor[k] * dt, impacts, tolerance);
        cr_assert_eq(equal, impacts, "the same impacts up to %u of %u only, tick %g x %g s", equal,
                     impacts, factor[k], dt);
    }
}

static support_scene mixture(kugel_face face, support_random *random)
{
    support_mix mix = {.count = 64,
                       .length = 5,
                       .radius = {0.3, 0.55},
                       .mass = {0.2, 3},
                       .sigma = 2,
                       .face = face};
    return support_scene_mixed(&mix, random);
}

Test(oracle, periodic_gas)
{
    support_random random = support_random_start("oracle/periodic_gas", 11);
    support_scene scene = support_scene_gas(2, 0.3, KUGEL_FACE_PERIODIC, 2, &random);
    at_three_ticks(&scene, 0.02, 300);
    support_scene_free(&scene);
}

Test(oracle, mixed_radii_and_masses_periodic)
{
    support_random random = support_random_start("oracle/mixed_periodic", 12);
    support_scene scene = mixture(KUGEL_FACE_PERIODIC, &random);
    at_three_ticks(&scene, 1 / 60., 300);
    support_scene_free(&scene);
}

Test(oracle, mixed_radii_and_masses_between_walls)
{
    support_random random = support_random_start("oracle/mixed_walls", 13);
    support_scene scene = mixture(KUGEL_FACE_WALL, &random);
    at_three_ticks(&scene, 1 / 60., 300);
    support_scene_free(&scene);
}

Test(oracle, restitution_friction_and_spin)
{
    support_random random = support_random_start("oracle/restitution", 14);
    support_scene scene = mixture(KUGEL_FACE_WALL, &random);
    scene.def.bounds.restitution = 0.9;
    scene.def.bounds.friction = 0.4;
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].restitution = support_between(&random, 0.6, 0.95);
        scene.bodies[i].friction = support_between(&random, 0, 0.8);
        for (int k = 0; k < 3; ++k) scene.bodies[i].spin[k] = 4 * support_gauss(&random);
    }
    at_three_ticks(&scene, 1 / 60., 300);
    support_scene_free(&scene);
}

Test(oracle, gravity_walls_planes_and_static_bodies)
{
    support_random random = support_random_start("oracle/gravity", 15);
    support_scene scene = mixture(KUGEL_FACE_WALL, &random);
    scene.def.gravity[2] = -9.81;
    scene.def.gravity[0] = 0.5;
    scene.planes[0] = (support_plane){.normal = {0.6, 0, 0.8}, .offset = 1, .restitution = 1};
    scene.plane_count = 1;
    /* remove bodies that overlap the plane */
    for (uint32_t i = 0; i < scene.count; ++i) {
        double *x = scene.bodies[i].position;
        if (0.6 * x[0] + 0.8 * x[2] < 1 + scene.bodies[i].radius)
            scene.bodies[i] = scene.bodies[--scene.count], --i;
    }
    for (uint32_t i = 0; i < 8; ++i) {
        scene.bodies[i].type = i & 1 ? KUGEL_STATIC : KUGEL_KINEMATIC;
        for (int k = 0; k < 3; ++k)
            scene.bodies[i].velocity[k] = i & 1 ? 0 : 0.2 * support_gauss(&random);
    }
    for (uint32_t i = 8; i < scene.count; ++i)
        scene.bodies[i].restitution = 0.9, scene.bodies[i].friction = 0.2;
    at_three_ticks(&scene, 1 / 60., 500);
    support_scene_free(&scene);
}

/* Bodies cross the whole box several times in a tick and meet farther images than the nearest. */
Test(oracle, many_crossings_in_a_tick)
{
    support_random random = support_random_start("oracle/crossings", 16);
    support_mix mix = {.count = 40,
                       .length = 4,
                       .radius = {0.2, 0.35},
                       .mass = {1, 2},
                       .sigma = 40,
                       .face = KUGEL_FACE_PERIODIC};
    support_scene scene = support_scene_mixed(&mix, &random);
    at_three_ticks(&scene, 0.1, 100);
    support_scene_free(&scene);
}

/* Substeps divide the tick and change no impact. */
Test(oracle, substeps_change_no_impact)
{
    support_random random = support_random_start("oracle/substeps", 17);
    support_scene scene = mixture(KUGEL_FACE_PERIODIC, &random);
    scene.def.substeps = 4;
    at_three_ticks(&scene, 1 / 60., 300);
    support_scene_free(&scene);
}

/* Bodies with disjoint filters pass through each other, in the engine and in the oracle. */
Test(oracle, categories_and_masks)
{
    support_random random = support_random_start("oracle/masks", 18);
    support_scene scene = mixture(KUGEL_FACE_WALL, &random);
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].category = 1u << i % 3;
        scene.bodies[i].mask = ~(1u << i % 3); /* no collisions within a class */
    }
    at_three_ticks(&scene, 1 / 60., 300);
    support_scene_free(&scene);
}

/* A cue ball breaks a rack. Small random gaps avoid simultaneous impacts, whose order would depend
 * on the rule for ties. */
Test(oracle, billiard_break)
{
    support_random random = support_random_start("oracle/break", 19);
    support_scene scene = support_scene_start();
    double from[3] = {-8, 0.01, 0.02}, shot[3] = {12, 0, 0};
    support_scene_add(&scene, from, shot, 0.5, 1);
    for (int layer = 0; layer < 5; ++layer) {
        for (int row = 0; row <= layer; ++row) {
            for (int k = 0; k <= row; ++k) { /* a tetrahedron's layers, apex first */
                double x[3] = {0.8165 * layer, 0.8660 * (row - layer * 2 / 3.), k - 0.5 * row};
                for (int axis = 0; axis < 3; ++axis)
                    x[axis] = 1.001 * x[axis] + support_between(&random, -1e-4, 1e-4);
                support_scene_add(&scene, x, NULL, 0.5, 1);
            }
        }
    }
    at_three_ticks(&scene, 1 / 60., 60);
    support_scene_free(&scene);
}
