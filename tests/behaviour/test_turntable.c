/* A ball that rolls without slip on a table that turns in its plane. The friction P of the contact
 * gives m dv = P and 2/5 m r^2 dw = -r n x P. So 7/2 dv is the change of the table's velocity at
 * the contact, W x dx, and dv/dt = 2/7 W x v: a circle at constant speed (E. Routh, Dynamics of a
 * System of Rigid Bodies, 1905). */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

enum { TABLES = 2 };

typedef struct turn {
    double spin;      /* rad/s, of the table */
    double speed;     /* m/s, of the ball */
    double dt;        /* s */
    double frequency; /* rad/s, that of the ball's circle */
} turn;

/* 0: a half space; 1: the flat end of a cylinder. */
static void add_table(kugel_world *world, int kind, double spin)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = kind ? KUGEL_SURFACE_CONE : KUGEL_SURFACE_PLANE;
    for (int k = 0; k < 3 && kind; ++k) def.size[k] = 5;
    def.position[2] = kind ? -5 : 0;
    def.spin[2] = spin;
    def.friction = 1;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
}

/* The ball starts on a circle around the axis, at (speed / frequency, 0), with the spin of
 * rolling: v + w x (-r n) is the table's velocity. */
static kugel_world *ball_on_table(support_scene *scene, const turn *t, int kind)
{
    double radius = 0.05, x = t->speed / t->frequency;
    *scene = (support_scene){.def = kugel_world_def_default()};
    scene->def.gravity[2] = -9.81;
    kugel_body_def *ball =
        support_scene_add(scene, (double[3]){x, 0, radius}, (double[3]){0, t->speed, 0}, radius, 1);
    ball->restitution = 0, ball->friction = 100;
    ball->spin[0] = (t->spin * x - t->speed) / radius;
    kugel_world *world = support_scene_world(scene);
    add_table(world, kind, t->spin);
    return world;
}

/* The solver uses the table's velocity where the contact is in the middle of the substep, found
 * with the velocity before: the Adams-Bashforth method of second order. With z = frequency * h a
 * substep changes the speed by the factor 1 + z^4 / 4 and the phase by 5/12 z^3. Substeps turn by
 * at most 0.02 rad (z = 0.006): together 2e-6 of the speed and 6e-4 of the circle's radius. The
 * solver's velocities are floats: 8,000 roundings of 6e-8 at random add up to 5e-6, and to 5e-4 if
 * all had one sign. */
Test(turntable, a_ball_rolls_on_a_circle_at_constant_speed)
{
    const turn turns[] = {
        {4, 0.5, 1 / 60., 8 / 7.}, {40, 1, 1 / 60., 80 / 7.}, {40, 1, 1 / 240., 80 / 7.}};
    for (size_t k = 0; k < TABLES * sizeof turns / sizeof *turns; ++k) {
        const turn *t = &turns[k / TABLES];
        support_scene scene;
        kugel_world *world = ball_on_table(&scene, t, (int)(k % TABLES));
        double worst = 0, away = 0, range = t->speed / t->frequency;
        for (int tick = 1; tick <= (int)(4 / t->dt + 0.5); ++tick) {
            kugel_body_state s;
            support_run(world, t->dt, 1);
            support_state(world, 0, &s);
            double angle = t->frequency * t->dt * tick,
                   speed = hypot(s.velocity[0], s.velocity[1]) / t->speed;
            worst = fmax(worst, fabs(speed - 1));
            away = fmax(away, hypot(s.position[0] - range * cos(angle),
                                    s.position[1] - range * sin(angle)));
        }
        cr_expect(worst < 1e-4, "%g rad/s, kind %zu: speed off by %g", t->spin, k % TABLES, worst);
        cr_expect(away < 1e-3 * range, "%g rad/s, kind %zu: place off by %g of its range", t->spin,
                  k % TABLES, away / range);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
