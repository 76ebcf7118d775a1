/* A body that comes to rest in the middle of a substep is constrained for the rest of the substep,
 * for ticks of any length and bodies of any size. */
#include <criterion/criterion.h>
#include <math.h>

#include "kugel/kugel.h"
#include "support/support_pile.h"

static kugel_world *make(int32_t substeps, double threshold)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    def.substeps = substeps;
    def.bounce_threshold = threshold;
    if (threshold == 0) def.slop = 0;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    return world;
}

static kugel_body add(kugel_world *world, double x, double z, double vz, double radius)
{
    kugel_body_def def = kugel_body_def_default();
    kugel_body body;
    def.position[0] = x;
    def.position[2] = z;
    def.velocity[2] = vz;
    def.radius = radius;
    def.friction = 0;
    cr_assert_eq(kugel_body_create(world, &def, &body), KUGEL_OK);
    return body;
}

static void add_floor(kugel_world *world)
{
    cr_assert_eq(support_add_plane(world, &(support_plane){.normal = {0, 0, 1}}, NULL), KUGEL_OK);
}

static void step(kugel_world *world, double dt)
{
    cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
}

static kugel_body_state state_of(const kugel_world *world, kugel_body body)
{
    kugel_body_state state;
    cr_assert_eq(kugel_body_get(world, body, &state), KUGEL_OK);
    return state;
}

/* Impacts from several heights and speeds, in ticks of 1 s to 1/240 s. The overlap stays below 0.6
 * % of the radius r: 0.4 %, the limit of a resting contact in a substep, and a half more for
 * contacts that share a body. Free fall in the rest of a substep would give metres in ticks of 1 s,
 * and 3.9 r in 1/60 s at a radius of 10 um. */
Test(landing, nothing_falls_into_a_floor)
{
    static const double dts[] = {1, 0.1, 1 / 60., 1 / 240.}, radii[] = {0.5, 0.01, 1e-3, 1e-5};
    support_random random = support_random_start("landing/floor", 11);
    for (int k = 0; k < 320; ++k) {
        double dt = dts[k % 4], r = radii[k / 4 % 4];
        kugel_world *world = make(k / 16 % 2 ? 4 : 1, 0.5);
        add_floor(world);
        kugel_body body =
            add(world, 0, r + support_between(&random, 0, 0.1), support_between(&random, -3, 0), r);
        for (int tick = 0; tick < 20; ++tick) {
            step(world, dt);
            double depth = (r - state_of(world, body).position[2]) / r;
            cr_assert_leq(depth, 0.006, "%g r deep in tick %d of %g s, r = %g m", depth, tick, dt,
                          r);
        }
        kugel_world_destroy(world);
    }
}

/* Without threshold and slop bounces of hard spheres end within a substep; the overlap is only
 * rounding. */
Test(landing, bounces_that_end_leave_no_overlap)
{
    for (double e = 0; e < 0.85; e += 0.1) {
        kugel_world *world = make(4, 0);
        cr_assert_eq(
            support_add_plane(world, &(support_plane){.normal = {0, 0, 1}, .restitution = e}, NULL),
            KUGEL_OK);
        kugel_body body = add(world, 0, 0.6, 0, 0.5);
        for (int tick = 0; tick < 200; ++tick) {
            step(world, 1 / 60.);
            double gap = state_of(world, body).position[2] - 0.5;
            cr_assert_geq(gap, -1e-9, "%g m in tick %d, e = %g", gap, tick, e);
        }
        kugel_world_destroy(world);
    }
}

/* Two balls meet in the air, stay in contact and land in the same substep: the upper one rests on
 * the supported one. */
Test(landing, balls_in_contact_land_in_one_substep)
{
    for (double dt = 0.3; dt < 2; dt += 0.1) {
        kugel_world *world = make(1, 0.5);
        add_floor(world);
        kugel_body low = add(world, 0, 1.0, 0, 0.5), high = add(world, 0, 2.1, -1, 0.5);
        for (int tick = 0; tick < 3; ++tick) {
            step(world, dt);
            double z = state_of(world, low).position[2], above = state_of(world, high).position[2];
            cr_assert(z >= 0.5 - 0.003 && above - z >= 1 - 0.003,
                      "at %g and %g m after tick %d of %g s", z, above, tick, dt);
        }
        kugel_world_destroy(world);
    }
}

/* A ball lands beside the top of a static ball: it slides down along the surface without
 * overlap. */
Test(landing, a_ball_slides_off_a_ball)
{
    kugel_world *world = make(1, 0.5);
    kugel_body_def def = kugel_body_def_default();
    kugel_body base;
    def.type = KUGEL_STATIC;
    def.friction = 0;
    cr_assert_eq(kugel_body_create(world, &def, &base), KUGEL_OK);
    kugel_body body = add(world, 0.01, 0.62, 0, 0.1);
    for (int tick = 0; tick < 20; ++tick) {
        step(world, 0.5);
        const double *p = state_of(world, body).position;
        cr_assert_geq(sqrt(p[0] * p[0] + p[2] * p[2]), 0.6 - 0.0006, "in tick %d", tick);
    }
    kugel_world_destroy(world);
}

/* A ball is launched up a frictionless slope and comes into contact in the middle of a substep. The
 * normal velocity is lost and gravity acts for the rest of the substep. A ball that stopped for
 * this time would gain height without energy. */
Test(landing, a_slope_adds_no_energy)
{
    for (int k = 1; k <= 20; ++k) {
        kugel_world *world = make(1, 0.5);
        double s = sqrt(0.5), t = 0.005 * k;
        cr_assert_eq(support_add_plane(world, &(support_plane){.normal = {-s, 0, s}}, NULL),
                     KUGEL_OK);
        kugel_body body = add(world, 0, (0.5 + 0.01) / s, 0, 0.5);
        cr_assert_eq(kugel_body_set_velocity(world, body, (double[3]){5, 0, 4.8}), KUGEL_OK);
        kugel_energy before, after;
        kugel_world_energy(world, &before);
        step(world, t);
        kugel_world_energy(world, &after);
        double gain = after.kinetic + after.potential - before.kinetic - before.potential;
        cr_assert_leq(gain, 1e-12 * before.kinetic, "%g J in %g s", gain, t);
        cr_assert_geq(gain, -0.03 - 0.5 * 9.81 * 9.81 * t * t, "%g J in %g s", gain,
                      t); /* energy lost to the slope, and the step's rounding */
        kugel_world_destroy(world);
    }
}

/* A ball lands on a free ball that has no gravity. In a substep of length h the momentum of both
 * grows by m g h. */
Test(landing, momentum_equals_the_impulse_of_gravity)
{
    kugel_world *world = make(1, 0.5);
    kugel_body_def def = kugel_body_def_default();
    kugel_body floating;
    def.gravity_scale = 0;
    def.mass = 2;
    cr_assert_eq(kugel_body_create(world, &def, &floating), KUGEL_OK);
    kugel_body body = add(world, 0.1, 1.05, 0, 0.5);
    step(world, 0.4);
    double momentum = state_of(world, body).velocity[2] + 2 * state_of(world, floating).velocity[2];
    cr_assert_float_eq(momentum, -9.81 * 0.4, 1e-12, "%g kg m/s", momentum);
    kugel_world_destroy(world);
}

/* A column of touching balls starts at rest. @param fall path of free fall in a substep, radii.
 * @return the largest gain of energy, in weights times radii. */
static double hop(double fall, int count, int32_t substeps)
{
    enum { TICKS = 160 };
    const double radius = 0.5, h = sqrt(fall * radius / 9.81);
    kugel_world *world = make(substeps, 0.5);
    kugel_energy sums;
    double before, most = 0;
    add_floor(world);
    for (int k = 0; k < count; ++k) add(world, 0, radius * (2 * k + 1), 0, radius);
    kugel_world_energy(world, &sums);
    before = sums.potential;
    for (int tick = 0; tick < TICKS; ++tick) {
        step(world, h * substeps);
        kugel_world_energy(world, &sums);
        double more = (sums.kinetic + sums.potential - before) / (9.81 * radius);
        if (tick >= 60 && more > most) most = more;
    }
    kugel_world_destroy(world);
    return most;
}

/* In a long substep velocities that sweeps leave may open contacts. These lose their warm start, so
 * the next sweeps leave as much again. */
Test(landing, nothing_hops_in_long_substeps)
{
    static const double falls[] = {0.03, 0.1, 0.3, 1, 3, 10, 20};
    for (size_t k = 0; k < sizeof falls / sizeof *falls; ++k) {
        for (int count = 2; count <= 5; ++count) {
            for (int32_t substeps = 1; substeps <= 4; substeps *= 4) {
                double most = hop(falls[k], count, substeps);
                cr_assert(most < 0.01, "%d balls, %d substeps of a fall of %g r: %g m g r", count,
                          (int)substeps, falls[k], most);
            }
        }
    }
}

/* Deepest overlap of balls of this radius, in radii. */
static double overlap(const kugel_world *world, double radius)
{
    double x[3 * 216], most = 0;
    uint32_t count = kugel_world_read_arrays(world, 216, &(kugel_body_arrays){.position = x});
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            double d[3] = {x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1],
                           x[3 * i + 2] - x[3 * j + 2]};
            most = fmax(most, 2 - sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / radius);
        }
    }
    return most;
}

/* 216 grains between walls at the default settings, during and after landing. @return the deepest
 * overlap, radii. */
static double deepest_grain(double radius)
{
    support_random random = support_random_start("landing/grains", 5);
    support_scene scene = support_pile(6, 6, 0, &random);
    double deepest = 0;
    for (int k = 0; k < 3; ++k)
        scene.def.bounds.min[k] *= 2 * radius, scene.def.bounds.max[k] *= 2 * radius;
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].radius = radius;
        for (int k = 0; k < 3; ++k) scene.bodies[i].position[k] *= 2 * radius;
    }
    kugel_world *world = support_scene_world(&scene);
    for (int tick = 0; tick < 120; ++tick) {
        support_run(world, 1 / 60., 1);
        deepest = fmax(deepest, overlap(world, radius));
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return deepest;
}

Test(landing, overlaps_of_grains_stay_small)
{
    /* radius, m; deepest overlap, radii */
    static const double rows[][2] = {{5e-3, 0.04}, {1e-3, 0.1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        double deepest = deepest_grain(rows[k][0]);
        cr_assert(deepest < rows[k][1], "%g m: %g r", rows[k][0], deepest);
    }
}
