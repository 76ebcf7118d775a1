/* Inelastic collapse: infinitely many impacts in a finite time. When an impact budget is exhausted,
 * further impacts become resting contacts, and statistics and log report it. Worlds have hard
 * spheres (threshold 0, slop 0), which is the worst case. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

static kugel_stats stats_of(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return stats;
}

static kugel_energy energy_of(const kugel_world *world)
{
    kugel_energy energy;
    kugel_world_energy(world, &energy);
    return energy;
}

/* Three balls in a line with e < 7 - 4 sqrt(3) = 0.0718: the middle one bounces infinitely often.
 * Finally all move together with the initial momentum, and the step ends. */
Test(collapse, three_balls_in_a_line)
{
    support_scene scene = support_scene_start();
    static const double x[3] = {-2, 0.1, 2}, v[3] = {1, 0, -1.25};
    for (int k = 0; k < 3; ++k) {
        support_scene_add(&scene, (double[3]){x[k], 0, 0}, (double[3]){v[k], 0, 0}, 0.5, 1)
            ->restitution = 0.05;
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_energy first = energy_of(world);
    support_run(world, 1 / 60., 300);
    kugel_energy now = energy_of(world);
    cr_assert_float_eq(kugel_world_time(world), 5, 1e-9);
    cr_assert(stats_of(world).impacts_total > 10);
    cr_assert_float_eq(now.momentum[0], first.momentum[0], 1e-12, "momentum %.17g",
                       now.momentum[0]);
    for (uint32_t k = 0; k < 3; ++k) {
        kugel_body_state s;
        support_state(world, k, &s);
        cr_assert_float_eq(s.velocity[0], -0.25 / 3, 1e-9, "ball %u moves at %.17g", k,
                           s.velocity[0]);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* With e above that limit three balls part after finitely many impacts and exhaust no budget. */
Test(collapse, no_budget_is_used_above_the_limit)
{
    support_scene scene = support_scene_start();
    static const double x[3] = {-2, 0.1, 2}, v[3] = {1, 0, -1.25};
    for (int k = 0; k < 3; ++k) {
        support_scene_add(&scene, (double[3]){x[k], 0, 0}, (double[3]){v[k], 0, 0}, 0.5, 1)
            ->restitution = 0.09;
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 300);
    cr_assert_eq(stats_of(world).budgets_exhausted, 0);
    cr_assert(stats_of(world).impacts_total >= 4);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A gas at packing fraction 0.3 with e = 0.1 collapses after a few impacts a sphere. Each tick must
 * end, with less energy and the same momentum. Contacts are solved in float, which rounds 1 m/s by
 * 6e-8, so momentum may drift by 1e-7 N m sigma. Sweeps leave overlaps of 0.1 % of the radius, of
 * which a fifth is corrected each substep: at most 0.5 %. */
static void check_cooling_gas(uint64_t seed)
{
    support_random random = support_random_start("collapse/gas", seed);
    support_scene scene = support_scene_gas(6, 0.3, KUGEL_FACE_PERIODIC, 1, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].restitution = 0.1;
    scene.def.impact_budget = 64;
    kugel_world *world = support_scene_world(&scene);
    kugel_energy first = energy_of(world), now = first;
    double energy = first.kinetic;
    for (int tick = 0; tick < 400; ++tick) {
        support_run(world, 0.05, 1);
        now = energy_of(world);
        cr_assert(now.kinetic <= energy * (1 + 1e-12), "energy rose by %g J in tick %d",
                  now.kinetic - energy, tick);
        energy = now.kinetic;
    }
    cr_assert_float_eq(kugel_world_time(world), 20, 1e-9);
    cr_assert(energy < 0.02 * first.kinetic, "%g of %g J are left", energy, first.kinetic);
    for (int k = 0; k < 3; ++k)
        cr_assert_float_eq(now.momentum[k], first.momentum[k], 1e-7 * scene.count);
    double overlap = support_worst_overlap(&scene, world);
    cr_assert(overlap < 5e-3, "overlap of %g radii", overlap);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(collapse, a_cooling_gas)
{
    for (uint64_t seed = 400; seed < 404; ++seed) check_cooling_gas(seed);
}

/* A bouncing ball without a threshold makes infinitely many hops and rests after sqrt(2h/g)
 * (1+e)/(1-e). In its last substep, of length t, it may fall freely by g t^2 / 2; position
 * correction removes that overlap within half a second. */
static void check_bouncing_ball(double e, bool on_plane, int substeps)
{
    const double h = 1, dt = 1 / 60.;
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = -9.81;
    scene.def.substeps = substeps;
    if (on_plane) {
        scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .restitution = e};
    }
    support_scene_add(&scene, (double[3]){0, 0, 0.5 + h}, NULL, 0.5, 1)->restitution = e;
    if (!on_plane)
        support_scene_add(&scene, (double[3]){0, 0, -2}, NULL, 2, 1)->type = KUGEL_STATIC;
    if (!on_plane) scene.bodies[1].restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    double rest = sqrt(2 * h / 9.81) * (1 + e) / (1 - e);
    double fall = 1.01 * 0.5 * 9.81 * dt * dt / (substeps * substeps);
    support_run(world, dt, (uint32_t)(rest / dt) + 2);
    for (int tick = 0; tick < 200; ++tick) {
        kugel_body_state s;
        support_state(world, 0, &s);
        double most = tick < 30 && fall > 0.2e-3 ? fall : 0.2e-3;
        cr_expect(
            fabs(s.position[2] - 0.5) < most,
            "e = %g on a %s, %d substeps: at %.9g m, moving at %g m/s, %d ticks after its rest", e,
            on_plane ? "plane" : "sphere", substeps, s.position[2], s.velocity[2], tick);
        if (fabs(s.position[2] - 0.5) >= most) break;
        support_run(world, dt, 1);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(collapse, a_bouncing_ball_without_threshold)
{
    static const double e[5] = {0, 0.1, 0.3, 0.6, 0.9};
    for (int k = 0; k < 5; ++k) {
        check_bouncing_ball(e[k], true, 1);
        check_bouncing_ball(e[k], true, 4);
        check_bouncing_ball(e[k], false, 1);
        check_bouncing_ball(e[k], false, 4);
    }
}

/* A log that counts its lines. */
static void count_line(void *user, kugel_status status, const char *text)
{
    (void)status, (void)text;
    *(int *)user += 1;
}

Test(collapse, exhausted_budgets_are_counted_and_reported)
{
    int lines = 0;
    support_scene scene = support_scene_start();
    scene.def.impact_budget = 4;
    scene.def.log.write = count_line;
    scene.def.log.user = &lines;
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .restitution = 0.5};
    support_scene_add(&scene, (double[3]){0, 0, 0.5 + 1e-3}, NULL, 0.5, 1)->restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1, 1); /* 1 mm: all hops end within 0.05 s */
    cr_assert_eq(stats_of(world).budgets_exhausted, 1, "%g",
                 (double)stats_of(world).budgets_exhausted);
    cr_assert_eq(lines, 1, "%d lines in the log", lines);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Two kinematic bodies close a gap around an elastic ball, which would make infinitely many
 * impacts. These count against the budget of 256. Then the ball needs 8 impacts to be crowded, and
 * two for each of 8 doublings of the rest speed from 0.02 m/s to above the gap's 4.5 m/s. */
Test(collapse, an_elastic_ball_in_a_closing_gap)
{
    support_scene scene = support_scene_start();
    static const double x[3] = {-1.1, 0.02, 1.1}, v[3] = {4, 0.5, -4};
    for (int k = 0; k < 3; ++k) {
        kugel_body_def *def =
            support_scene_add(&scene, (double[3]){x[k], 0, 0}, (double[3]){v[k], 0, 0}, 0.5, 1);
        def->type = k == 1 ? KUGEL_DYNAMIC : KUGEL_KINEMATIC;
    }
    scene.def.impact_budget = 256;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.1, 1); /* the gap closes after 0.025 s */
    kugel_stats stats = stats_of(world);
    cr_assert(stats.impacts <= 256 + 8 + 16 + 2, "%g impacts", (double)stats.impacts);
    cr_assert_eq(stats.budgets_exhausted, 1);
    kugel_body_state s;
    support_state(world, 1, &s);
    cr_assert(fabs(s.velocity[0]) <= 4, "the ball flies on at %g m/s", s.velocity[0]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* One or two impacts a tick between two kinematic bodies stay below the budget. Speed times gap is
 * then nearly constant. */
Test(collapse, rare_impacts_of_a_kinematic_body_do_not_exhaust_the_budget)
{
    support_scene scene = support_scene_start();
    static const double x[3] = {-5, 0, 5}, v[3] = {0.5, 20, -0.5};
    for (int k = 0; k < 3; ++k) {
        kugel_body_def *def =
            support_scene_add(&scene, (double[3]){x[k], 0, 0}, (double[3]){v[k], 0, 0}, 0.5, 1);
        def->type = k == 1 ? KUGEL_DYNAMIC : KUGEL_KINEMATIC;
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 300); /* the gap falls from 8 m to 3 m */
    kugel_body_state s;
    support_state(world, 1, &s);
    cr_assert_eq(stats_of(world).budgets_exhausted, 0);
    double action = fabs(s.velocity[0]) * 3 / (20 * 8.);
    cr_assert(action > 0.9 && action < 1.1, "speed times gap changed by %g", action);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* An elastic ball 2^-50 m above the floor would make 620,000 hops of 2 sqrt(2 gap / g) = 2.7e-8 s
 * in a tick. It comes to rest after at most KG_LOSSLESS_IMPACTS = 131,072. */
Test(collapse, an_elastic_ball_with_a_gap_of_one_rounding_comes_to_rest)
{
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .restitution = 1};
    support_scene_add(&scene, (double[3]){0, 0, 0.5 + 0x1p-50}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 1);
    kugel_stats stats = stats_of(world);
    cr_assert(stats.impacts <= 131072 + 2, "%g impacts", (double)stats.impacts);
    cr_assert(stats.budgets_exhausted <= 1);
    kugel_body_state s;
    support_state(world, 0, &s);
    cr_assert(fabs(s.position[2] - 0.5) < 1e-2, "the ball is at %g m", s.position[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Bounces of elastic balls without a threshold shrink by damping only. They would shrink to the
 * speed with which a damped path starts (engine/motion/damping.c), g c h^2 / 6 = 1.1e-6 m/s, with
 * g dt / 2 v = 7e4 impacts a ball and tick. But bounces lower than 1e-10 radii, 9.9e-6 m/s, become
 * rests: at most 8.3e3 impacts. */
Test(collapse, elastic_balls_that_damping_stops_come_to_rest)
{
    enum { BALLS = 8, TICKS = 240, MOST = 8400 };
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 0.5, KUGEL_FACE_WALL);
    scene.def.gravity[2] = -9.81;
    scene.def.linear_damping = 10;
    scene.def.substeps = 64;
    for (uint32_t k = 0; k < BALLS; ++k) {
        support_scene_add(
            &scene, (double[3]){0.06 + 0.12 * (k % 4), 0.07 + 0.15 * (k / 4), 0.06 + 0.01 * k},
            (double[3]){0.01 * k, 0.03, 0}, 0.05, 1);
    }
    kugel_world *world = support_scene_world(&scene);
    for (int tick = 0; tick < TICKS; ++tick) {
        support_run(world, 1 / 60., 1);
        cr_assert_leq(stats_of(world).impacts, MOST * BALLS, "tick %d has %llu impacts", tick,
                      (unsigned long long)stats_of(world).impacts);
    }
    cr_assert_eq(stats_of(world).impacts, 0);
    cr_assert_eq(stats_of(world).resting_contacts, BALLS);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Number of impacts in a tick of elastic balls at one place that overlap two opposite planes: each
 * impact causes the next one at the same time. */
static uint64_t impacts_at_one_instant(uint32_t count, double threshold)
{
    support_scene scene = support_scene_start();
    support_random random = support_random_start("one instant", count);
    scene.def.bounce_threshold = threshold, scene.def.substeps = 1;
    for (int k = 0; k < 2; ++k)
        scene.planes[scene.plane_count++] =
            (support_plane){.normal = {k ? -1 : 1, 0, 0}, .offset = -0.4, .restitution = 1};
    for (uint32_t i = 0; i < count; ++i) {
        double v[3];
        support_direction(&random, 1, v);
        kugel_body_def *ball = support_scene_add(&scene, (double[3]){0, 0, 0}, v, 0.5, 1);
        ball->restitution = 1, ball->friction = 0;
    }
    kugel_world *world = support_scene_world(&scene);
    cr_assert_eq(kugel_world_step(world, 1 / 240.), KUGEL_OK);
    uint64_t impacts = stats_of(world).impacts;
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return impacts;
}

/* A body may have the impact budget of 256 impacts, and 134 crowded impacts after it. */
Test(collapse, elastic_impacts_at_one_instant_end, .timeout = 20)
{
    static const uint32_t counts[] = {1, 2, 9, 30};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        uint64_t hard = impacts_at_one_instant(counts[k], 0),
                 soft = impacts_at_one_instant(counts[k], 0.5);
        cr_expect(hard > 200 && hard <= 400 * counts[k], "%u balls: %llu impacts", counts[k],
                  (unsigned long long)hard);
        cr_expect_leq(soft, 400 * counts[k], "%u balls: %llu impacts", counts[k],
                      (unsigned long long)soft);
    }
}
