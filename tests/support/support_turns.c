/* See support_turns.h. The closed form is evaluated in long double. */
#include "support/support_turns.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support_scene.h"
#include "world/world.h"

static const double angles[] = {1e-12,    1e-9, 1e-6,      1e-3, 0.02,   0.4,
                                0.999999, 1.5,  3.1415926, 5,    6.2832, 10}; /* rad a tick */
static const double axes[][3] = {{0, 0, 1}, {-1, 0, 0}, {1 / 3., -2 / 3., 2 / 3.}, {0.6, 0, 0.8}};
static const double starts[][4] = {
    {0, 0, 0, 1}, {0.5, 0.5, 0.5, 0.5}, {0.1, -0.7, 0.5, 0.5}, {-0.6, 0, 0, 0.8}};

enum {
    ANGLES = sizeof angles / sizeof *angles,
    AXES = sizeof axes / sizeof *axes,
    STARTS = sizeof starts / sizeof *starts,
    COUNT = ANGLES * AXES * STARTS
};

/* The parts of case k. */
static double angle_of(int k) { return angles[k / (AXES * STARTS)]; }
static const double *axis_of(int k) { return axes[k / STARTS % AXES]; }
static const double *start_of(int k) { return starts[k % STARTS]; }

/* rad, between the rotation q and that after `ticks` turns of case k by spin * dt. The relative
 * turn is q p^-1, so a small angle is twice the length of its vector part. */
static double error_of(int k, const double spin[3], double dt, uint32_t ticks, const double q[4])
{
    long double w[3] = {spin[0], spin[1], spin[2]}, s[4], p[4], d[4], length2 = 0;
    long double rate = sqrtl(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    long double half = rate * dt * ticks / 2, share = sinl(half) / rate;
    for (int i = 0; i < 4; ++i) s[i] = start_of(k)[i];
    long double c = cosl(half), dot = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        p[i] = c * s[i] + share * (w[i] * s[3] + (w[j] * s[l] - w[l] * s[j]));
        dot += w[i] * s[i];
    }
    p[3] = c * s[3] - share * dot;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        d[i] = p[3] * q[i] - q[3] * p[i] - (q[j] * p[l] - q[l] * p[j]);
        length2 += d[i] * d[i];
    }
    d[3] = q[3] * p[3] + q[0] * p[0] + q[1] * p[1] + q[2] * p[2];
    return (double)(2 * atan2l(sqrtl(length2), fabsl(d[3])));
}

static void check(int k, const char *what, const double spin[3], double dt, uint32_t ticks,
                  int32_t substeps, const double q[4])
{
    /* Each turn is a product of quaternions that round by less than 16 units of 2^-53. The
     * rotation vector w h of a substep rounds by less than 4 units. */
    double most = 0x1p-53 * (16. * substeps * ticks + 4 * angle_of(k) * ticks);
    double off = error_of(k, spin, dt, ticks, q), length2 = 0;
    if (!(off <= most))
        fprintf(stderr, "%s: case %d, %g rad a tick of %g s in %d substeps: off by %g rad\n", what,
                k, angle_of(k), dt, substeps, off);
    cr_assert_leq(off, most, "after %u ticks", ticks);
    for (int i = 0; i < 4; ++i) length2 += q[i] * q[i];
    cr_assert_float_eq(length2, 1, 1e-14);
}

static void spin_of(int k, double dt, double spin[3])
{
    for (int i = 0; i < 3; ++i) spin[i] = angle_of(k) / dt * axis_of(k)[i];
}

/* Bodies 2 k and 2 k + 1 are a dynamic and a kinematic one of case k. */
static void check_bodies(uint32_t ticks, int32_t substeps, double dt)
{
    support_scene scene = support_scene_start();
    scene.def.substeps = substeps;
    for (int k = 0; k < 2 * COUNT; ++k) {
        kugel_body_def *body = support_scene_add(&scene, (double[3]){3. * k, 0, 0}, NULL, 0.5, 1);
        if (k % 2) body->type = KUGEL_KINEMATIC;
        spin_of(k / 2, dt, body->spin);
        memcpy(body->rotation, start_of(k / 2), sizeof body->rotation);
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, dt, ticks);
    for (uint32_t k = 0; k < 2 * COUNT; ++k) {
        kugel_body_state s;
        support_state(world, k, &s);
        check((int)k / 2, k % 2 ? "kinematic body" : "dynamic body", s.spin, dt, ticks, substeps,
              s.rotation);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Surface k is a solid ball. A surface turns at the end of a tick, whatever the number of substeps.
 * All ticks but one commit surfaces only, since a step has hundreds of substeps for fast spins. */
static void check_surfaces(uint32_t ticks, double dt)
{
    support_scene scene = support_scene_start();
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int i = 0; i < 3; ++i) def.size[i] = 0.5;
    for (int k = 0; k < COUNT; ++k) {
        def.position[0] = 3. * k;
        memcpy(def.rotation, start_of(k), sizeof def.rotation);
        spin_of(k, dt, def.spin);
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    }
    support_run(world, dt, 1);
    for (uint32_t n = 1; n < ticks; ++n) kg_surfaces_commit(&world->surfaces, dt);
    for (uint32_t k = 0; k < COUNT; ++k) {
        cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, k), &def, NULL), KUGEL_OK);
        check((int)k, "surface", def.spin, dt, ticks, 1, def.rotation);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

void support_turns_check(uint32_t ticks, int32_t substeps, double dt)
{
    check_bodies(ticks, substeps, dt);
    check_surfaces(ticks, dt);
}
