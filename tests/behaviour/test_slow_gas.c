/* Statistical mechanics of the hard-sphere gas. References: Pieprzyk et al. (2019) for the
 * pressure, Enskog theory for the impact rate, event-driven simulations for the rest. Spheres of
 * diameter 1 and mass 1 in a periodic cube. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_scene.h"

static double temperature(const kugel_world *world)
{
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    return 2 * sums.kinetic / (3.0 * kugel_world_body_count(world));
}

static uint64_t impacts_of(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return stats.impacts_total;
}

/* Enskog's impact rate of a sphere in units of sqrt(kT / m) / d; Z from the equation of state. */
static double enskog(double eta, double z)
{
    return 4 * sqrt(M_PI) * (6 * eta / M_PI) * (z - 1) / (4 * eta);
}

/* Steps until the mean number of impacts a sphere is reached. */
static void run_impacts(kugel_world *world, double dt, double per_sphere)
{
    double end = (double)impacts_of(world) + 0.5 * per_sphere * kugel_world_body_count(world);
    while ((double)impacts_of(world) < end) support_run(world, dt, 1);
}

static kugel_world *melted(support_scene *scene, uint32_t cells, double eta, support_random *random)
{
    *scene = support_scene_gas(cells, eta, KUGEL_FACE_PERIODIC, 1, random);
    kugel_world *world = support_scene_world(scene);
    run_impacts(world, 0.02, 60); /* the lattice melts within a few tens of impacts a sphere */
    return world;
}

/* Z = pV / (N kT) = 1 + sum(J d) / (2 K t) over the impacts, K the kinetic energy. 250 impacts a
 * sphere: statistical error 0.2 %, finite size below 0.1 %. 1 % is five standard errors. */
static void check_pressure(double eta, double z)
{
    support_random random = support_random_start("gas/pressure", 100 + (uint64_t)(100 * eta));
    support_scene scene;
    kugel_world *world = melted(&scene, 8, eta, &random);
    double start = kugel_world_time(world), before = (double)impacts_of(world), virial = 0;
    double n = scene.count, wanted = 0.5 * 250 * n, dt = 0.3 / enskog(eta, z);
    while ((double)impacts_of(world) - before < wanted) {
        support_run(world, dt, 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t k = 0; k < count; ++k) virial += impacts[k].impulse; /* times the diameter 1 */
    }
    double time = kugel_world_time(world) - start, kt = temperature(world);
    double found = 1 + virial / (3 * n * kt * time);
    cr_assert_float_eq(found, z, 0.01 * z, "eta %g: Z = %g, should be %g", eta, found, z);
    double rate = 2 * ((double)impacts_of(world) - before) / (n * time * sqrt(kt)),
           should = enskog(eta, z);
    cr_assert_float_eq(rate, should, 0.01 * should, "eta %g: impact rate %g, should be %g", eta,
                       rate, should);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(gas, pressure_and_impact_rate_at_010) { check_pressure(0.10, 1.52165); }
Test(gas, pressure_and_impact_rate_at_030) { check_pressure(0.30, 3.98398); }
Test(gas, pressure_and_impact_rate_at_045) { check_pressure(0.45, 9.40411); }

/* Equal speeds relax to Maxwell's distribution. The Sonine coefficient a2, which is 0 there, is
 * compared after 0 ... 6 impacts a sphere. Its standard error with 32,000 spheres is at most 0.007,
 * and the end of a tick adds 0.002. The tolerance is three standard errors. */
Test(gas, equal_speeds_become_maxwellian)
{
    static const double a2[7] = {-0.400, -0.276, -0.183, -0.120, -0.074, -0.046, -0.028};
    support_random random = support_random_start("gas/speeds", 131);
    support_scene scene = support_scene_gas(20, 0.1, KUGEL_FACE_PERIODIC, 1, &random);
    kugel_world *world = support_scene_world(&scene);
    run_impacts(world, 0.1, 4); /* melts the lattice */
    for (uint32_t i = 0; i < scene.count; ++i) {
        double v[3];
        support_direction(&random, 1, v);
        kugel_body_set_velocity(world, kugel_world_body(world, i), v);
    }
    double *v = malloc(3 * (size_t)scene.count * sizeof *v), start = (double)impacts_of(world);
    for (int s = 0; s < 7; ++s) {
        double v2 = 0, v4 = 0;
        run_impacts(world, 0.02, s - ((double)impacts_of(world) - start) * 2 / scene.count);
        kugel_world_read_arrays(world, scene.count, &(kugel_body_arrays){.velocity = v});
        for (uint32_t i = 0; i < scene.count; ++i) {
            double q =
                v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2];
            v2 += q / scene.count, v4 += q * q / scene.count;
        }
        double found = 0.6 * v4 / (v2 * v2) - 1;
        cr_assert_float_eq(found, a2[s], 0.02, "a2 after %d impacts a sphere: %g, should be %g", s,
                           found, a2[s]);
    }
    free(v);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Haff's law: at e = 0.9 the energy falls to 0.2834 after 20 impacts a sphere and to 0.0812 after
 * 40. 40,000 and 80,000 impacts of 4,000 spheres: statistical error 1 %, the reference's is
 * smaller. Tolerance 4 %. */
Test(gas, haff_cooling)
{
    support_random random = support_random_start("gas/haff", 132);
    support_scene scene = support_scene_gas(10, 0.15, KUGEL_FACE_PERIODIC, 1, &random);
    kugel_world *elastic = support_scene_world(&scene);
    run_impacts(elastic, 0.05, 20);
    for (uint32_t i = 0; i < scene.count; ++i) { /* the melted gas, now with inelastic spheres */
        kugel_body_state state;
        support_state(elastic, i, &state);
        for (int k = 0; k < 3; ++k)
            scene.bodies[i].position[k] = state.position[k],
            scene.bodies[i].velocity[k] = state.velocity[k];
        scene.bodies[i].restitution = 0.9;
    }
    kugel_world_destroy(elastic);
    kugel_world *world = support_scene_world(&scene);
    double start = temperature(world);
    run_impacts(world, 0.02, 20);
    double at_20 = temperature(world) / start;
    run_impacts(world, 0.02, 20);
    double at_40 = temperature(world) / start;
    cr_assert_float_eq(at_20, 0.2834, 0.04 * 0.2834, "T / T0 after 20 impacts a sphere: %g", at_20);
    cr_assert_float_eq(at_40, 0.0812, 0.04 * 0.0812, "T / T0 after 40 impacts a sphere: %g", at_40);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Slope of the mean squared displacement between 60 and 240 mean free times: D = 0.197 at eta 0.3
 * for N = 1e4 (1 %). The velocity autocorrelation decays as t^(-3/2), so the slope is still 2 % too
 * low. Standard error of 11,000 walks: 0.6 %, from the spread over seeds. Tolerance 5 %: 2 % for
 * the tail, 1 % for the reference, three standard errors. */
Test(gas, self_diffusion)
{
    support_random random = support_random_start("gas/diffusion", 133);
    support_scene scene;
    kugel_world *world = melted(&scene, 14, 0.3, &random);
    uint32_t n = scene.count, ticks = 320;
    double length = scene.def.bounds.max[0], dt = 0.075, msd[2] = {0, 0};
    double *x = malloc(3 * (size_t)n * sizeof *x), *last = malloc(3 * (size_t)n * sizeof *x);
    double *way = calloc(3 * (size_t)n, sizeof *x);
    kugel_world_read_arrays(world, n, &(kugel_body_arrays){.position = last});
    for (uint32_t tick = 1; tick <= ticks; ++tick) {
        support_run(world, dt, 1);
        kugel_world_read_arrays(world, n, &(kugel_body_arrays){.position = x});
        for (uint32_t k = 0; k < 3 * n; ++k) {
            double step = x[k] - last[k];
            way[k] += step - length * rint(step / length);
            last[k] = x[k];
        }
        if (tick != ticks / 4 && tick != ticks) continue;
        for (uint32_t k = 0; k < 3 * n; ++k) msd[tick == ticks] += way[k] * way[k] / n;
    }
    double found = (msd[1] - msd[0]) / (6 * dt * ticks * 0.75) / sqrt(temperature(world));
    cr_assert_float_eq(found, 0.197, 0.05 * 0.197, "D = %g, should be 0.197", found);
    free(x), free(last), free(way);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
