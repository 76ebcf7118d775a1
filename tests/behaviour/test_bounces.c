/* One, two or a few balls compared with closed forms. Worlds have the default settings unless a
 * test says otherwise. Tolerances are 1e-9 to 1e-12, because a few exact events in double precision
 * round little. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

static support_scene everyday(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    return scene;
}

static void add_floor(support_scene *scene, double restitution, double friction)
{
    scene->planes[scene->plane_count++] =
        (support_plane){.normal = {0, 0, 1}, .restitution = restitution, .friction = friction};
    scene->def.gravity[2] = -9.81;
}

/* Time of the n-th impact of a ball dropped from height h, n >= 1, s. */
static double impact_time(double h, double e, int n)
{
    return sqrt(2 * h / 9.81) * (1 + e - 2 * pow(e, n)) / (1 - e);
}

Test(bounces, heights_and_times_of_a_bouncing_ball)
{
    const double h = 3, e = 0.8, dt = 1 / 60.;
    support_scene scene = everyday();
    add_floor(&scene, 0, 0.5);
    support_scene_add(&scene, (double[3]){0, 0, 0.5 + h}, NULL, 0.5, 1)->restitution = e;
    kugel_world *world = support_scene_world(&scene);
    int n = 0;
    double top = 0;
    for (int tick = 0; n < 10; ++tick) {
        cr_assert(tick < 1000, "only %d impacts", n);
        support_run(world, dt, 1);
        kugel_body_state s;
        support_state(world, 0, &s);
        double energy_height = s.position[2] - 0.5 + s.velocity[2] * s.velocity[2] / (2 * 9.81);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t k = 0; k < count; ++k) {
            double time = tick * dt + impacts[k].time;
            ++n;
            cr_assert_float_eq(time, impact_time(h, e, n), 1e-9, "impact %d at %.12g s", n, time);
            cr_assert_float_eq(impacts[k].speed, sqrt(2 * 9.81 * h) * pow(e, n - 1), 1e-9);
            top = h * pow(e, 2 * n);
        }
        if (n)
            cr_assert_float_eq(energy_height, top, 1e-9, "hop %d would reach %g of %g m", n,
                               energy_height, top);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The first impact below the threshold brings the ball to rest. The resting contact begins at that
 * impact, or at the start of its substep. */
Test(bounces, a_bouncing_ball_comes_to_rest)
{
    const double h = 1, e = 0.5, dt = 1 / 60.;
    support_scene scene = everyday();
    add_floor(&scene, 0, 0.5);
    support_scene_add(&scene, (double[3]){0, 0, 0.5 + h}, NULL, 0.5, 1)->restitution = e;
    kugel_world *world = support_scene_world(&scene);
    double rest = sqrt(2 * h / 9.81) * (1 + e) / (1 - e), begun = 0;
    int slow = 1; /* number of the first impact below the threshold */
    while (sqrt(2 * 9.81 * h) * pow(e, slow - 1) >= 0.5) ++slow;
    for (int tick = 0; tick * dt < rest; ++tick) {
        support_run(world, dt, 1);
        size_t count;
        const kugel_touch *begins = kugel_world_begin_events(world, &count);
        if (count) begun = tick * dt + begins[0].time;
    }
    double should = impact_time(h, e, slow);
    cr_assert(begun <= should + 1e-9 && begun > should - dt / scene.def.substeps,
              "rests from %.12g s on, touches at %.12g s", begun, should);
    support_run(world, dt, 60);
    kugel_body_state s;
    support_state(world, 0, &s);
    cr_assert_eq(s.contacts, 1);
    cr_assert_float_eq(s.position[2], 0.5, 1e-4 * 0.5, "rests at %.12g m", s.position[2]);
    cr_assert(fabs(s.velocity[2]) < 1e-9, "still moves at %g m/s", s.velocity[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Speed of the upper of two falling balls after its impact, in multiples of the speed of fall. */
static double stacked(double upper_mass, double floor_restitution, double pair_restitution,
                      double gap)
{
    const double h = 2, dt = 1 / 60.;
    support_scene scene = everyday();
    add_floor(&scene, floor_restitution, 0);
    support_scene_add(&scene, (double[3]){0, 0, 0.5 + h}, NULL, 0.5, 1)->restitution = 0;
    support_scene_add(&scene, (double[3]){0, 0, 1.25 + h + gap}, NULL, 0.25, upper_mass)
        ->restitution = pair_restitution;
    kugel_world *world = support_scene_world(&scene);
    double fall = sqrt(2 * h / 9.81), leave = -1;
    for (int tick = 0; tick * dt < fall + dt; ++tick) {
        support_run(world, dt, 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        kugel_body_state s;
        support_state(world, 1, &s);
        for (size_t k = 0; k < count; ++k) {
            if (impacts[k].target != KUGEL_TARGET_BODY || leave >= 0) continue;
            leave =
                s.velocity[2] + 9.81 * (dt - impacts[k].time); /* back to the time of the impact */
        }
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return leave / (9.81 * fall);
}

/* A gap delays the upper impact and changes the result by gap / h. Without a gap both impacts are
 * simultaneous; the floor comes first, because the pair only approaches after that. */
Test(bounces, two_stacked_balls)
{
    static const double gap[2] = {1e-9, 0};
    for (int k = 0; k < 2; ++k) {
        double light = stacked(1e-6, 1, 1, gap[k]), third = stacked(1 / 3., 1, 1, gap[k]);
        cr_assert_float_eq(light, (3 - 1e-6) / (1 + 1e-6), 1e-7, "leaves at %.12g of the speed",
                           light);
        cr_assert_float_eq(light * light, 9, 1e-4, "rises to %.12g h", light * light);
        cr_assert_float_eq(third, (3 - 1 / 3.) / (1 + 1 / 3.), 1e-7, "m = M / 3: %.12g", third);
        double lossy = stacked(0.1, 0.8, 0.6, gap[k]);
        cr_assert_float_eq(lossy, 1.8 * 1.6 / 1.1 - 1, 1e-7, "e1 = 0.8, e2 = 0.6: %.12g", lossy);
    }
}

/* If k balls come in, k balls go out and the others rest. The balls touch, so all impacts are
 * simultaneous. @param everyday_world true: the balls are in resting contact first; false: the
 * world has hard spheres only. */
static void cradle(int balls, int thrown, bool everyday_world)
{
    support_scene scene = everyday_world ? everyday() : support_scene_start();
    for (int k = 0; k < balls; ++k) {
        bool moves = k < thrown;
        support_scene_add(&scene, (double[3]){k - (moves ? 1.5 : 0), 0, 0},
                          (double[3]){moves ? 2 : 0, 0, 0}, 0.5, 1);
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 60);
    for (int k = 0; k < balls; ++k) {
        kugel_body_state s;
        support_state(world, (uint32_t)k, &s);
        double should = k >= balls - thrown ? 2 : 0;
        cr_assert_float_eq(s.velocity[0], should, 1e-12,
                           "%d of %d thrown: ball %d moves at %.17g (%s)", thrown, balls, k,
                           s.velocity[0], everyday_world ? "default settings" : "hard spheres");
        if (should == 0)
            cr_assert_float_eq(s.position[0], k, 1e-9, "ball %d is at %.17g", k, s.position[0]);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(bounces, newtons_cradle_of_hard_spheres)
{
    for (int thrown = 1; thrown < 5; ++thrown) cradle(5, thrown, false);
}

Test(bounces, newtons_cradle_of_resting_balls)
{
    for (int thrown = 1; thrown < 5; ++thrown) cradle(5, thrown, true);
}

/* A ball without spin hits a wall, a plane or a static ball at normal speed vn = 3 m/s and
 * tangential speed vt. It sticks if mu (1 + e) vn >= 2/7 vt, else it slips. */
static void oblique(kugel_target target, double e, double mu, double vt)
{
    const double vn = 3;
    support_scene scene = everyday();
    double x[3] = {0, 0, 0.4}, v[3] = {vt * 0.6, vt * 0.8, -vn};
    if (target == KUGEL_TARGET_SURFACE) {
        scene.planes[scene.plane_count++] =
            (support_plane){.normal = {0, 0, 1}, .restitution = e, .friction = mu};
    } else if (target == KUGEL_TARGET_FACE) {
        support_scene_box(&scene, 10, KUGEL_FACE_WALL);
        scene.def.bounds.restitution = e, scene.def.bounds.friction = mu;
        x[0] = x[1] = 5;
    }
    for (int k = 0; k < 3; ++k)
        x[k] -= v[k] * 0.1; /* contact at 0.1 s, with the static ball at its pole */
    kugel_body_def *ball = support_scene_add(&scene, x, v, 0.4, 2);
    ball->restitution = 0, ball->friction = mu;
    if (target == KUGEL_TARGET_BODY) {
        ball = support_scene_add(&scene, (double[3]){0, 0, -0.7}, NULL, 0.7, 1);
        ball->type = KUGEL_STATIC, ball->restitution = e, ball->friction = mu;
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.05, 4);
    kugel_body_state s;
    support_state(world, 0, &s);
    double most = mu * (1 + e) * vn, lost = most >= 2 / 7. * vt ? 2 / 7. * vt : most;
    double along = 0.6 * s.velocity[0] + 0.8 * s.velocity[1],
           spin = 0.6 * s.spin[1] - 0.8 * s.spin[0];
    cr_assert_float_eq(s.velocity[2], e * vn, 1e-12 * vn, "target %d: leaves at %.17g", (int)target,
                       s.velocity[2]);
    cr_assert_float_eq(along, vt - lost, 1e-12 * vt, "target %d: slides at %.17g", (int)target,
                       along);
    cr_assert_float_eq(spin, 2.5 * lost / 0.4, 1e-11 * vt, "target %d: spins at %.17g", (int)target,
                       spin);
    cr_assert_float_eq(0.8 * s.velocity[0], 0.6 * s.velocity[1], 1e-12 * vt,
                       "the direction changed");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(bounces, oblique_bounces_stick_or_slip)
{
    static const kugel_target targets[3] = {KUGEL_TARGET_BODY, KUGEL_TARGET_FACE,
                                            KUGEL_TARGET_SURFACE};
    for (int k = 0; k < 3; ++k) {
        oblique(targets[k], 0.7, 0.5, 4);  /* 2.55 against 1.14: sticks */
        oblique(targets[k], 0.7, 0.2, 12); /* 1.02 against 3.43: slips */
        oblique(targets[k], 1, 0, 5);      /* frictionless reflection */
    }
}

Test(bounces, equal_masses_leave_at_90_degrees)
{
    support_random random = support_random_start("bounces/90", 300);
    for (int k = 0; k < 50; ++k) {
        support_scene scene = everyday();
        double offset = support_between(&random, -0.95, 0.95);
        support_scene_add(&scene, (double[3]){-2, offset, 0.1}, (double[3]){20, 0, 0}, 0.5, 1);
        support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.5, 1);
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 1 / 60., 10);
        kugel_body_state a, b;
        support_state(world, 0, &a);
        support_state(world, 1, &b);
        double dot = 0, size = 0;
        for (int i = 0; i < 3; ++i)
            dot += a.velocity[i] * b.velocity[i], size += b.velocity[i] * b.velocity[i];
        cr_assert(size > 1, "missed at offset %g", offset);
        cr_assert(fabs(dot) <= 1e-12 * 400, "offset %g: v . v' = %g", offset, dot);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* One of two touching balls moves almost along the other. The approach is a millionth of its speed
 * and must be an impact, else they would overlap. With e = 1 the components along the line of
 * centres are exchanged. */
Test(bounces, a_slow_approach_of_touching_balls)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){5e-6, 5, 0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){1, 0, 0}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 1);
    size_t count;
    const kugel_impact *impacts = kugel_world_impact_events(world, &count);
    cr_assert_eq(count, 1, "%zu impacts", count);
    cr_assert_float_eq(impacts[0].speed, 5e-6, 1e-15);
    kugel_body_state s;
    support_state(world, 1, &s);
    cr_assert_float_eq(s.velocity[0], 5e-6, 1e-15);
    cr_assert_eq(support_worst_overlap(&scene, world), 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball that slides on a floor decelerates by mu g until it rolls with 5/7 v0, from the time
 * 2 v0 / (7 mu g) on. */
Test(bounces, a_sliding_ball_begins_to_roll)
{
    const double v0 = 5, mu = 0.3, g = 9.81, dt = 1 / 60.;
    support_scene scene = everyday();
    add_floor(&scene, 0, mu);
    kugel_body_def *ball =
        support_scene_add(&scene, (double[3]){0, 0, 0.5}, (double[3]){v0, 0, 0}, 0.5, 1);
    ball->friction = mu, ball->restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    double rolls = 2 * v0 / (7 * mu * g);
    kugel_body_state s;
    for (int tick = 1; tick * dt < 2; ++tick) {
        support_run(world, dt, 1);
        support_state(world, 0, &s);
        double t = tick * dt, should = t < rolls ? v0 - mu * g * t : 5 / 7. * v0;
        if (t > rolls - dt && t < rolls + dt) continue;
        cr_assert_float_eq(s.velocity[0], should, 1e-4 * v0,
                           "at %g s it slides at %.9g, should be %.9g", t, s.velocity[0], should);
        cr_assert(fabs(s.position[2] - 0.5) < 1e-3 * 0.5, "height %.9g at %g s", s.position[2], t);
        if (t > rolls)
            cr_assert_float_eq(s.spin[1] * 0.5, s.velocity[0], 1e-6 * v0, "slips while it rolls");
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
