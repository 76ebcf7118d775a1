/* Conserved quantities: momentum, angular momentum and energy. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_sanitized.h"
#include "support/support_scene.h"

/* Angular momentum about the origin, spin included. */
static void angular_momentum(const kugel_world *world, double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = 0;
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        kugel_body_state s;
        support_state(world, id, &s);
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            out[k] += s.mass * (s.position[l] * s.velocity[m] - s.position[m] * s.velocity[l]) +
                      0.4 * s.mass * s.radius * s.radius * s.spin[k];
        }
    }
}

static bool all_inside(const support_scene *scene, const kugel_world *world, double *x)
{
    kugel_world_read_arrays(world, scene->count, &(kugel_body_arrays){.position = x});
    bool walls = scene->def.bounds.faces[0] == KUGEL_FACE_WALL, inside = true;
    for (uint32_t k = 0; k < 3 * scene->count; ++k) {
        double margin = walls ? scene->bodies[k / 3].radius * (1 - 1e-5) : 0;
        inside = inside && x[k] >= scene->def.bounds.min[k % 3] + margin &&
                 x[k] <= scene->def.bounds.max[k % 3] - margin;
    }
    return inside;
}

enum { GAS_TICKS = SUPPORT_SANITIZED ? 120 : 600 };

/* 10,000 spheres at packing 0.1 make 400,000 impacts in 600 ticks. An impact rounds its energy by
 * 1e-16, so the tolerance of 1e-5 has a large margin. Overlaps come only from rounded positions. */
static uint64_t impacts_of(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return stats.impacts_total;
}

static void check_gas(kugel_face face)
{
    support_random random = support_random_start("conservation/gas", 200);
    support_scene scene = support_scene_gas(14, 0.1, face, 5, &random);
    while (scene.count > 10000) scene.count -= 1; /* of 10,976: the last layer is partly filled */
    scene.def.substeps = 4;
    kugel_world *world = support_scene_world(&scene);
    double *x = malloc(3 * (size_t)scene.count * sizeof *x);
    kugel_energy first, now;
    kugel_world_energy(world, &first);
    for (int tick = 0; tick < GAS_TICKS; tick += 20) {
        support_run(world, 1 / 60., 20);
        kugel_world_energy(world, &now);
        double change = now.kinetic / first.kinetic - 1;
        cr_assert(fabs(change) <= 1e-5, "energy changed by %g up to tick %d", change, tick + 20);
        double overlap = support_worst_overlap(&scene, world);
        cr_assert(overlap <= 1e-5, "overlap of %g radii at tick %d", overlap, tick + 20);
        cr_assert(all_inside(&scene, world, x), "a body left the box by tick %d", tick + 20);
        for (int k = 0; k < 3 && face == KUGEL_FACE_PERIODIC; ++k) {
            double drift = now.momentum[k] - first.momentum[k];
            cr_assert(fabs(drift) <= 1e-5 * scene.count * 5, "momentum changed by %g kg m/s",
                      drift);
        }
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert(stats.impacts_total > 500 * GAS_TICKS, "only %g impacts: the gas did not mix",
              (double)stats.impacts_total);
    cr_assert_eq(stats.budgets_exhausted, 0);
    cr_assert_eq(stats.resting_contacts, 0);
    free(x);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(conservation, gas_of_10000_periodic) { check_gas(KUGEL_FACE_PERIODIC); }
Test(conservation, gas_of_10000_between_walls) { check_gas(KUGEL_FACE_WALL); }

/* Bodies collide in free space with friction and spin and conserve momentum and angular momentum.
 * A few hundred impacts round 1e-16 of the sums of magnitudes each; the tolerance is 1e-11. */
Test(conservation, angular_momentum_with_friction)
{
    support_random random = support_random_start("conservation/angular", 201);
    support_mix mix = {.count = 150,
                       .length = 8,
                       .radius = {0.2, 0.6},
                       .mass = {0.2, 5},
                       .sigma = 2,
                       .face = KUGEL_FACE_OPEN};
    support_scene scene = support_scene_mixed(&mix, &random);
    double scale = 0;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *def = &scene.bodies[i];
        def->restitution = 0.8;
        def->friction = 0.6;
        for (int k = 0; k < 3; ++k) {
            def->spin[k] = 5 * support_gauss(&random);
            def->position[k] -= 4;
            def->velocity[k] -= 2 * def->position[k]; /* inwards */
            scale += def->mass * 8 * fabs(def->velocity[k]);
        }
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_energy first, now;
    double before[3], after[3];
    kugel_world_energy(world, &first);
    angular_momentum(world, before);
    support_run(world, 1 / 60., 120);
    kugel_world_energy(world, &now);
    angular_momentum(world, after);
    cr_assert(impacts_of(world) > 100, "only %g impacts", (double)impacts_of(world));
    for (int k = 0; k < 3; ++k) {
        cr_assert_float_eq(now.momentum[k], first.momentum[k], 1e-12 * scale, "momentum %d", k);
        cr_assert_float_eq(after[k], before[k], 1e-11 * scale,
                           "angular momentum %d: %.17g, was %.17g", k, after[k], before[k]);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Inelastic impacts with friction never raise the energy, apart from rounding, in any tick. */
Test(conservation, inelastic_impacts_never_raise_the_energy)
{
    support_random random = support_random_start("conservation/lossy", 202);
    support_scene scene = support_scene_gas(6, 0.25, KUGEL_FACE_WALL, 3, &random);
    scene.def.bounds.friction = 0.5;
    scene.def.bounds.restitution = 0.7;
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].restitution = support_between(&random, 0.5, 1);
        scene.bodies[i].friction = support_between(&random, 0, 1);
        support_direction(&random, 10, scene.bodies[i].spin);
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    double energy = sums.kinetic, start = energy;
    for (int tick = 0; tick < 300; ++tick) {
        support_run(world, 1 / 60., 1);
        kugel_world_energy(world, &sums);
        cr_assert(sums.kinetic <= energy * (1 + 1e-13), "energy rose by %g J in tick %d",
                  sums.kinetic - energy, tick);
        energy = sums.kinetic;
    }
    cr_assert(energy < 0.3 * start, "it hardly fell: %g of %g J", energy, start);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Elastic spheres in a closed box under gravity conserve the sum of kinetic and potential energy.
 * The parabolas are exact; a few hundred thousand terms round. */
Test(conservation, energy_under_gravity)
{
    support_random random = support_random_start("conservation/field", 203);
    support_scene scene = support_scene_gas(6, 0.1, KUGEL_FACE_WALL, 3, &random);
    scene.def.gravity[2] = -9.81;
    kugel_world *world = support_scene_world(&scene);
    kugel_energy first, now;
    kugel_world_energy(world, &first);
    support_run(world, 1 / 60., 300);
    kugel_world_energy(world, &now);
    double start = first.kinetic + first.potential, end = now.kinetic + now.potential;
    cr_assert(impacts_of(world) > 5000);
    cr_assert_float_eq(end, start, 1e-10 * first.kinetic, "%.17g J became %.17g J", start, end);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Forces press two balls together. A third ball, pushed by a force, hits them within a substep and
 * rests. The momentum is that of the forces, up to 1e-7 of the momenta by the solver's floats in
 * 120 ticks of four substeps. If the new contact treated the loaded ball as immovable, the impulse
 * of the rest of the substep, 2e-3 kg m/s, would be lost. */
Test(conservation, momentum_of_a_contact_that_begins_on_a_loaded_one)
{
    support_scene scene = support_scene_start();
    scene.def.bounce_threshold = 0.5, scene.def.slop = 0.01, scene.def.substeps = 4;
    static const double x[3] = {0, 1, 2.0503}, force[3] = {7, -7, -1};
    for (int k = 0; k < 3; ++k) {
        support_scene_add(&scene, (double[3]){x[k], 0, 0}, (double[3]){k == 2 ? -0.8 : 0, 0, 0},
                          0.5, 1)
            ->restitution = 0;
    }
    kugel_world *world = support_scene_world(&scene);
    for (int tick = 0; tick < 120; ++tick) {
        for (uint32_t k = 0; k < 3; ++k) {
            double f[3] = {force[k], 0, 0};
            kugel_body_apply_force(world, kugel_world_body(world, k), f, NULL);
        }
        support_run(world, 1 / 60., 1);
    }
    kugel_energy now;
    size_t contacts;
    kugel_world_energy(world, &now);
    kugel_world_contacts(world, 0, NULL, &contacts);
    cr_assert_eq(contacts, 2);
    cr_assert_float_eq(now.momentum[0], -2.8, 1e-4, "momentum %.17g kg m/s", now.momentum[0]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
