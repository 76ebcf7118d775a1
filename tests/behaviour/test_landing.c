/* What comes to rest on something in the middle of a substep is held from then on, in steps of any length and at any size. */
#include <criterion/criterion.h>
#include <math.h>

#include "kugel/kugel.h"
#include "support/support_random.h"

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
    cr_assert_eq(kugel_world_add_plane(world, &(kugel_plane){.normal = {0, 0, 1}}, NULL), KUGEL_OK);
}

static void step(kugel_world *world, double dt) { cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK); }

static kugel_body_state state_of(const kugel_world *world, kugel_body body)
{
    kugel_body_state state;
    cr_assert_eq(kugel_body_get(world, body, &state), KUGEL_OK);
    return state;
}

/* From some height, at some speed, in ticks of a second to a 240th: no deeper than the 0.4 % of r that a rest may be pressed in by
 * in a substep, and a half more for rests that share one. A fall for what is left of the substep is metres in a second, and at a
 * radius of 10 um 3.9 r in a 60th. */
Test(landing, nothing_falls_into_a_floor)
{
    static const double dts[] = {1, 0.1, 1 / 60., 1 / 240.}, radii[] = {0.5, 0.01, 1e-3, 1e-5};
    support_random random = support_random_start("landing/floor", 11);
    for (int k = 0; k < 320; ++k) {
        double dt = dts[k % 4], r = radii[k / 4 % 4];
        kugel_world *world = make(k / 16 % 2 ? 4 : 1, 0.5);
        add_floor(world);
        kugel_body body = add(world, 0, r + support_between(&random, 0, 0.1), support_between(&random, -3, 0), r);
        for (int tick = 0; tick < 20; ++tick) {
            step(world, dt);
            double depth = (r - state_of(world, body).position[2]) / r;
            cr_assert_leq(depth, 0.006, "%g r deep in tick %d of %g s, r = %g m", depth, tick, dt, r);
        }
        kugel_world_destroy(world);
    }
}

/* Without a threshold or a slop bounces end in the middle of a substep: as hard spheres do, to rounding. */
Test(landing, bounces_that_end_leave_no_overlap)
{
    for (double e = 0; e < 0.85; e += 0.1) {
        kugel_world *world = make(4, 0);
        cr_assert_eq(kugel_world_add_plane(world, &(kugel_plane){.normal = {0, 0, 1}, .restitution = e}, NULL), KUGEL_OK);
        kugel_body body = add(world, 0, 0.6, 0, 0.5);
        for (int tick = 0; tick < 200; ++tick) {
            step(world, 1 / 60.);
            double gap = state_of(world, body).position[2] - 0.5;
            cr_assert_geq(gap, -1e-9, "%g m in tick %d, e = %g", gap, tick, e);
        }
        kugel_world_destroy(world);
    }
}

/* Two that meet in the air and stay together, and come down in the same substep: the upper one rests on what is held then. */
Test(landing, what_fell_together_lands_together)
{
    for (double dt = 0.3; dt < 2; dt += 0.1) {
        kugel_world *world = make(1, 0.5);
        add_floor(world);
        kugel_body low = add(world, 0, 1.0, 0, 0.5), high = add(world, 0, 2.1, -1, 0.5);
        for (int tick = 0; tick < 3; ++tick) {
            step(world, dt);
            double z = state_of(world, low).position[2], above = state_of(world, high).position[2];
            cr_assert(z >= 0.5 - 0.003 && above - z >= 1 - 0.003, "at %g and %g m after tick %d of %g s", z, above, tick, dt);
        }
        kugel_world_destroy(world);
    }
}

/* On a static ball, off its top: it slides down along it, and not through it. */
Test(landing, a_ball_goes_round_a_ball)
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

/* Thrown up a smooth slope, in the substep in which it comes to lie on it: the slope takes what goes into it, and gravity goes on
 * taking what goes up. Had it stopped for the rest of the substep, the ball would rise for nothing. */
Test(landing, a_slope_gives_no_energy)
{
    for (int k = 1; k <= 20; ++k) {
        kugel_world *world = make(1, 0.5);
        double s = sqrt(0.5), t = 0.005 * k;
        cr_assert_eq(kugel_world_add_plane(world, &(kugel_plane){.normal = {-s, 0, s}}, NULL), KUGEL_OK);
        kugel_body body = add(world, 0, (0.5 + 0.01) / s, 0, 0.5);
        cr_assert_eq(kugel_body_set_velocity(world, body, (double[3]){5, 0, 4.8}), KUGEL_OK);
        kugel_stats before, after;
        kugel_world_stats(world, &before);
        step(world, t);
        kugel_world_stats(world, &after);
        double gain = after.kinetic_energy + after.potential_energy - before.kinetic_energy - before.potential_energy;
        cr_assert_leq(gain, 1e-12 * before.kinetic_energy, "%g J in %g s", gain, t);
        cr_assert_geq(gain, -0.03 - 0.5 * 9.81 * 9.81 * t * t, "%g J in %g s", gain, t); /* what went into the slope, and its step */
        kugel_world_destroy(world);
    }
}

/* A ball lands on one that nothing pulls or holds: gravity gives the two m g h, whichever of them has it. */
Test(landing, momentum_is_that_of_gravity)
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
