/* Bodies with locked axes: nothing moves them along these, impacts and friction have their closed
 * forms along the free ones, no impact adds energy, and a world of locks agrees with itself on
 * threads, in snapshots and recordings, and with a world without them where they hold nothing.
 * Environment: KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_snapshot.h"
#include "support/support_worlds.h"

static uint32_t random_locks(support_random *random)
{
    static const uint32_t usual[] = {KUGEL_LOCK_ROTATION, KUGEL_LOCK_PLANE, 7, 63, 0};
    return support_below(random, 2) ? usual[support_below(random, 5)] : support_below(random, 64);
}

static bool is_locked(const kugel_body_state *s, int axis)
{
    return s->type == KUGEL_DYNAMIC && s->locks >> axis & 1;
}

/* Velocity and spin are 0 along locked axes. */
static void check_still(const kugel_body_state *s, uint64_t seed, uint64_t tick)
{
    for (int k = 0; k < 6; ++k) {
        double v = k < 3 ? s->velocity[k] : s->spin[k - 3];
        cr_assert(!is_locked(s, k) || v == 0, "seed %d, tick %d, body %u, axis %d: %g", (int)seed,
                  (int)tick, kugel_body_id(s->body), k, v);
    }
}

/* Step, and check that the coordinates along locked axes keep their bits. */
static void step_and_check(kugel_world *world, double dt, uint64_t seed, uint64_t tick)
{
    uint32_t n = kugel_world_id_end(world);
    kugel_body_state *was = calloc(n + 1, sizeof *was), now;
    for (uint32_t i = 0; i < n; ++i) {
        if (!kugel_world_body(world, i)) continue;
        support_state(world, i, &was[i]);
        check_still(&was[i], seed, tick);
    }
    cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK, "seed %d: %s", (int)seed,
                 kugel_world_last_error(world)->message);
    for (uint32_t i = 0; i < n; ++i) {
        if (!was[i].body) continue;
        support_state(world, i, &now);
        check_still(&now, seed, tick);
        for (int k = 0; k < 3; ++k)
            cr_assert(!is_locked(&now, k) || now.position[k] == was[i].position[k],
                      "seed %d, tick %d, body %u, axis %d: %g", (int)seed, (int)tick, i, k,
                      now.position[k] - was[i].position[k]);
        if (is_locked(&now, 3) && is_locked(&now, 4) && is_locked(&now, 5))
            cr_assert(!memcmp(now.rotation, was[i].rotation, sizeof now.rotation));
    }
    free(was);
}

/* A random world in which most bodies have locks, with a floor, a ball that moves and a mesh. */
static support_any_world make_any(uint64_t seed)
{
    support_random random = {seed * 77};
    support_any_world any = support_any_world_make(seed);
    for (uint32_t i = 0; i < any.scene.count; ++i)
        any.scene.bodies[i].locks = random_locks(&random);
    return any;
}

static kugel_world *world_of(support_any_world *any, uint64_t seed, uint32_t threads)
{
    static const double corners[][3] = {{-9, -9, 0}, {9, -9, 0.5}, {9, 9, 0}, {-9, 9, 0.5}};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    any->scene.def.tasks.threads = threads;
    kugel_world *world = support_scene_world(&any->scene);
    kugel_surface_def ball = kugel_surface_def_default(), mesh = ball;
    ball.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) ball.size[k] = 0.4;
    ball.velocity[0] = 0.5, ball.velocity[2] = 0.3;
    mesh.vertices = corners[0], mesh.vertex_count = 4;
    mesh.triangles = triangles, mesh.triangle_count = 2;
    mesh.friction = 0.5;
    if (seed % 3 == 1) cr_assert_eq(kugel_surface_create(world, &ball, NULL), KUGEL_OK);
    if (seed % 3 == 2) cr_assert_eq(kugel_surface_create(world, &mesh, NULL), KUGEL_OK);
    return world;
}

Test(locks, hold_in_random_worlds)
{
    uint64_t first = support_random_start("locks/worlds", 1).state;
    for (uint64_t seed = first; seed < first + 300; ++seed) {
        support_any_world any = make_any(seed);
        kugel_world *world = world_of(&any, seed, 1), *other = world_of(&any, seed, 3);
        support_file file = {0};
        kugel_recording_def recording = support_recording_def(&file, true);
        kugel_world *restored = NULL;
        recording.keyframe_ticks = 7;
        cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
        for (uint64_t tick = 0; tick < any.ticks; ++tick) {
            double dt = support_any_world_dt(&any, seed, tick);
            if (tick == any.ticks / 2) cr_assert_eq(kugel_world_clone(world, &restored), KUGEL_OK);
            kugel_world *all[] = {world, other, restored};
            for (int k = 0; k < 3 && all[k]; ++k) {
                if (any.pushes) support_any_world_calls(all[k], seed, tick);
                if (k) cr_assert_eq(kugel_world_step(all[k], dt), KUGEL_OK);
                else step_and_check(world, dt, seed, tick);
                cr_assert_eq(kugel_world_hash(all[k]), kugel_world_hash(world), "seed %d, tick %d",
                             (int)seed, (int)tick);
            }
        }
        cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
        cr_assert_eq(support_play(file.data, file.size, 1), (long)any.ticks, "seed %d", (int)seed);
        kugel_world_destroy(world), kugel_world_destroy(other), kugel_world_destroy(restored);
        support_file_free(&file), support_scene_free(&any.scene);
    }
}

/* Two balls that touch within the tick. */
typedef struct pair {
    kugel_body_state before[2], after[2];
    double normal[3], inverse[2][3]; /* 1/kg, by axis */
    double restitution, friction;
    bool hit;
} pair;

static double along(const double v[3], const double n[3])
{
    return v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
}

static pair collide(support_random *random, double restitution, double friction)
{
    pair p = {.restitution = restitution, .friction = friction};
    support_scene scene = support_scene_start();
    double zero[3] = {0}, place[3], velocity[3];
    support_direction(random, 1.2, place);
    support_direction(random, 1, velocity);
    for (int k = 0; k < 3; ++k) velocity[k] = -3 * place[k] + velocity[k];
    support_scene_add(&scene, zero, zero, 0.5, support_between(random, 0.1, 3));
    support_scene_add(&scene, place, velocity, 0.5, support_between(random, 0.1, 3));
    for (int i = 0; i < 2; ++i) {
        scene.bodies[i].restitution = restitution, scene.bodies[i].friction = friction;
        scene.bodies[i].locks = random_locks(random);
        if (i && support_below(random, 5) == 0) scene.bodies[i].locks = scene.bodies[0].locks;
        if (friction > 0) support_direction(random, 4, scene.bodies[i].spin);
        if (friction > 0) scene.bodies[i].rolling_resistance = support_below(random, 2) * 0.1;
        scene.bodies[i].tangential_restitution = support_between(random, -1, 1);
        for (int k = 0; k < 3; ++k)
            p.inverse[i][k] = scene.bodies[i].locks >> k & 1 ? 0 : 1 / scene.bodies[i].mass;
    }
    kugel_world *world = support_scene_world(&scene);
    for (uint32_t i = 0; i < 2; ++i) support_state(world, i, &p.before[i]);
    support_run(world, 0.1, 1);
    size_t impacts;
    const kugel_impact *impact = kugel_world_impact_events(world, &impacts);
    p.hit = impacts == 1;
    for (int k = 0; k < 3 && p.hit; ++k) p.normal[k] = (double)impact->normal[k];
    for (uint32_t i = 0; i < 2; ++i) support_state(world, i, &p.after[i]);
    if (p.hit) { /* the float of the event is too coarse */
        double d[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            double t = impact->time;
            d[k] = p.before[1].position[k] + t * p.before[1].velocity[k] - p.before[0].position[k] -
                   t * p.before[0].velocity[k];
            length += d[k] * d[k];
        }
        for (int k = 0; k < 3; ++k) p.normal[k] = d[k] / sqrt(length);
    }
    kugel_world_destroy(world), support_scene_free(&scene);
    return p;
}

static double energy_of(const kugel_body_state s[2])
{
    double sum = 0;
    for (int i = 0; i < 2; ++i)
        sum += s[i].mass / 2 *
               (along(s[i].velocity, s[i].velocity) +
                0.4 * s[i].radius * s[i].radius * along(s[i].spin, s[i].spin));
    return sum;
}

static double approach_of(const kugel_body_state s[2], const double n[3])
{
    return along(s[0].velocity, n) - along(s[1].velocity, n);
}

/* Without friction: v changes by the impulse J n / m along the free axes, with J = (1 + e) u over
 * the inverse mass along n. */
Test(locks, have_impacts_of_the_closed_form)
{
    support_random random = support_random_start("locks/impacts", 1);
    uint32_t hits = 0;
    for (int round = 0; round < 4000; ++round) {
        double e = support_below(&random, 2) ? 1 : support_between(&random, 0.05, 1);
        pair p = collide(&random, e, 0);
        if (!p.hit) continue;
        hits += 1;
        double inverse = 0, u = approach_of(p.before, p.normal);
        for (int k = 0; k < 3; ++k)
            inverse += (p.inverse[0][k] + p.inverse[1][k]) * p.normal[k] * p.normal[k];
        double impulse = (1 + e) * u / inverse;
        for (int i = 0; i < 2; ++i) {
            for (int k = 0; k < 3; ++k) {
                double change = (i ? 1 : -1) * impulse * p.normal[k] * p.inverse[i][k];
                /* the time of the event is a double: relative 1e-12 / share of the normal */
                cr_assert_float_eq(
                    p.after[i].velocity[k] - p.before[i].velocity[k], change,
                    1e-9 * (1 + fabs(change)), "round %d, locks %u %u: %g of %g, u %g", round,
                    p.before[0].locks, p.before[1].locks,
                    p.after[i].velocity[k] - p.before[i].velocity[k] - change, change, u);
            }
        }
        cr_assert_float_eq(approach_of(p.after, p.normal), -e * u, 1e-9);
        if (e == 1) cr_assert_float_eq(energy_of(p.after), energy_of(p.before), 1e-9);
    }
    cr_assert(hits > 1000, "%u", hits);
}

Test(locks, never_gain_energy_by_friction)
{
    support_random random = support_random_start("locks/friction", 1);
    uint32_t hits = 0;
    for (int round = 0; round < 4000; ++round) {
        double e = support_below(&random, 2) ? support_between(&random, 0, 1) : 1;
        pair p = collide(&random, e, support_between(&random, 0.05, 2));
        hits += p.hit;
        cr_assert(energy_of(p.after) <= energy_of(p.before) * (1 + 1e-12), "round %d, locks %u %u",
                  round, p.before[0].locks, p.before[1].locks);
        for (int k = 0; k < 3; ++k) {
            double sum = 0;
            for (int i = 0; i < 2; ++i)
                sum += p.before[i].mass * (p.after[i].velocity[k] - p.before[i].velocity[k]);
            bool is_free = p.inverse[0][k] > 0 && p.inverse[1][k] > 0;
            cr_assert(!is_free || fabs(sum) < 1e-12, "round %d: %g", round, sum);
        }
    }
    cr_assert(hits > 1000, "%u", hits);
}

/* A ball meets two others at once. */
Test(locks, keep_the_energy_of_simultaneous_impacts)
{
    support_random random = support_random_start("locks/simultaneous", 1);
    uint32_t exhausted = 0;
    for (int round = 0; round < 2000; ++round) {
        support_scene scene = support_scene_start();
        double side = sqrt(3) / 2, at[4][3] = {{-1, 0, 0}, {0, 0.5, 0}, {0, -0.5, 0}, {side, 0, 0}},
               turn[2][3], v[4][3] = {{3, 0, 0}}, x[3];
        support_direction(&random, 1, turn[0]);
        support_direction(&random, 1, turn[1]);
        double d = along(turn[0], turn[1]);
        for (int k = 0; k < 3; ++k) turn[1][k] -= d * turn[0][k];
        d = sqrt(along(turn[1], turn[1]));
        for (int k = 0; k < 3; ++k) turn[1][k] /= d;
        for (int i = 0; i < 4; ++i) {
            double w[3];
            for (int k = 0; k < 3; ++k) {
                x[k] = at[i][0] * turn[0][k] + at[i][1] * turn[1][k];
                w[k] = v[i][0] * turn[0][k];
            }
            support_scene_add(&scene, x, w, 0.5, 1)->locks = random_locks(&random);
        }
        kugel_world *world = support_scene_world(&scene);
        double energy = support_kinetic_energy(world);
        for (int tick = 0; tick < 10; ++tick) step_and_check(world, 0.05, (uint64_t)round, 0);
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        double now = support_kinetic_energy(world);
        cr_assert(now <= energy * (1 + 1e-12), "round %d", round);
        /* locks may leave a body no way out: it bounces until its budget is exhausted */
        exhausted += stats.budgets_exhausted > 0;
        cr_assert(stats.budgets_exhausted || now >= energy * (1 - 1e-9), "round %d", round);
        kugel_world_destroy(world), support_scene_free(&scene);
    }
    cr_assert(exhausted < 200, "%u", exhausted);
}

static kugel_world *make_plane_world(const double gravity[3], double friction)
{
    kugel_world_def def = kugel_world_def_default();
    memcpy(def.gravity, gravity, sizeof def.gravity);
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    floor.friction = friction;
    cr_assert_eq(kugel_surface_create(world, &floor, NULL), KUGEL_OK);
    return world;
}

/* Without rotation a ball slides as a block: it slows down by friction times g until it rests, and
 * stays on a slope that is less steep than the friction. */
Test(locks, without_rotation_slide_as_blocks)
{
    const double g = 9.81, mu = 0.25, dt = 1. / 60;
    for (int slope = 0; slope < 3; ++slope) {
        double tangent = slope == 0   ? 0
                         : slope == 1 ? 0.2
                                      : 0.4,
               cosine = 1 / sqrt(1 + tangent * tangent);
        kugel_world *world = make_plane_world((double[]){g * tangent * cosine, 0, -g * cosine}, mu);
        kugel_body_def ball = kugel_body_def_default();
        ball.friction = mu, ball.locks = KUGEL_LOCK_ROTATION;
        ball.position[2] = 0.5;
        ball.velocity[0] = slope == 1 ? 0 : 2;
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        double a = g * cosine * (tangent - mu), v = ball.velocity[0], x = 0;
        for (int tick = 1; tick <= 60; ++tick) {
            step_and_check(world, dt, 0, (uint64_t)tick);
            kugel_body_state s;
            support_state(world, 0, &s);
            double next = v + a * dt > 0 && !(slope == 1) ? v + a * dt : 0;
            x += (v + next) / 2 * dt, v = next;
            /* the solver works in float; within the tick in which it stops x is Euler's */
            cr_assert_float_eq(s.velocity[0], v, 1e-5, "slope %d, tick %d", slope, tick);
            cr_assert_float_eq(s.position[0], x, 1e-3, "slope %d, tick %d", slope, tick);
        }
        kugel_world_destroy(world);
    }
}

/* Balls in a plane z = const that nothing pushes out of it have the same bits with the locks of a
 * plane as without. */
Test(locks, of_a_plane_change_no_motion_in_it)
{
    support_random random = support_random_start("locks/plane", 1);
    for (int round = 0; round < 40; ++round) {
        support_scene scene = support_scene_start();
        support_scene_box(&scene, 8, KUGEL_FACE_WALL);
        scene.def.bounds.restitution = 0.3, scene.def.bounds.friction = 0.5;
        scene.def.gravity[1] = round % 4 ? -9.81 : 0;
        scene.def.bounce_threshold = round % 4 ? 0.5 : 0;
        scene.def.substeps = 4;
        for (int i = 0; i < 30; ++i) {
            double x[3] = {0.8 + 1.1 * (i % 6), 0.8 + 1.1 * (i / 6), 4}, v[3] = {0};
            v[0] = support_between(&random, -2, 2), v[1] = support_between(&random, -2, 2);
            kugel_body_def *ball = support_scene_add(&scene, x, v, 0.5, 1);
            ball->radius = support_between(&random, 0.3, 0.5);
            ball->friction = round % 4 ? 0.5 : 0, ball->restitution = round % 4 ? 0.3 : 1;
            ball->rolling_resistance = round % 3 == 0 ? 0.05 : 0;
            ball->spin[2] = support_between(&random, -3, 3);
        }
        kugel_world *free = support_scene_world(&scene);
        for (int i = 0; i < 30; ++i) scene.bodies[i].locks = KUGEL_LOCK_PLANE;
        kugel_world *locked = support_scene_world(&scene);
        for (int tick = 0; tick < 120; ++tick) {
            cr_assert_eq(kugel_world_step(free, 1. / 60), KUGEL_OK);
            step_and_check(locked, 1. / 60, (uint64_t)round, (uint64_t)tick);
            cr_assert_eq(kugel_world_hash(free), kugel_world_hash(locked), "round %d, tick %d",
                         round, tick);
        }
        kugel_world_destroy(free), kugel_world_destroy(locked), support_scene_free(&scene);
    }
}

/* A pile of balls with locks comes to rest and sleeps. */
Test(locks, let_piles_rest)
{
    static const uint32_t locks[] = {KUGEL_LOCK_ROTATION, 2 | 8 | 32, KUGEL_LOCK_ANGULAR_X,
                                     KUGEL_LOCK_LINEAR_Y, KUGEL_LOCK_LINEAR_X | 24};
    for (int kind = 0; kind < 6; ++kind) {
        support_random random = {(uint64_t)kind};
        kugel_world *world = make_plane_world((double[]){0, 0, -9.81}, 0.5);
        kugel_surface_def wall = kugel_surface_def_default();
        for (int k = 0; k < 4; ++k) {
            const double n[3] = {k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0};
            wall = kugel_surface_def_plane(n, -2.1);
            cr_assert_eq(kugel_surface_create(world, &wall, NULL), KUGEL_OK);
        }
        for (int i = 0; i < 96; ++i) {
            kugel_body_def ball = kugel_body_def_default();
            ball.radius = support_between(&random, 0.4, 0.5);
            ball.position[0] = -1.5 + i % 4 + support_between(&random, -0.01, 0.01);
            ball.position[1] = -1.5 + i / 4 % 4 + support_between(&random, -0.01, 0.01);
            ball.position[2] = 0.5 + i / 16;
            ball.locks = kind < 5 ? locks[kind] : random_locks(&random);
            if (ball.locks & KUGEL_LOCK_LINEAR_Z && i < 16) ball.locks &= ~4u;
            ball.rolling_resistance = 0.02;
            cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        }
        double energy = 0;
        for (int tick = 0; tick < 900; ++tick) step_and_check(world, 1. / 60, (uint64_t)kind, 0);
        energy = support_kinetic_energy(world);
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        fprintf(stderr, "kind %d: energy %g, asleep %d, contacts %d\n", kind, energy,
                (int)stats.asleep, (int)stats.resting_contacts);
        cr_assert(energy < 1e-3, "kind %d: %g J", kind, energy);
        kugel_world_destroy(world);
    }
}

/* Calls that set a velocity or push along a locked axis. */
Test(locks, drop_what_calls_set)
{
    kugel_world *world = make_plane_world((double[]){0, 0, 0}, 0);
    kugel_body_def ball = kugel_body_def_default();
    const double all[3] = {1, 2, 3};
    kugel_body body;
    kugel_body_state s;
    memcpy(ball.velocity, all, sizeof all), memcpy(ball.spin, all, sizeof all);
    ball.position[2] = 5;
    ball.locks = KUGEL_LOCK_PLANE | 64;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "def.locks");
    ball.locks = KUGEL_LOCK_PLANE;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    for (int call = 0; call < 5; ++call) {
        if (call == 1) kugel_body_set_velocity(world, body, all);
        if (call == 1) kugel_body_set_spin(world, body, all);
        if (call == 2) kugel_body_apply_impulse(world, body, all, (double[]){1, 1, 6});
        if (call == 3) kugel_body_apply_force(world, body, all, (double[]){1, 1, 6});
        if (call == 4) cr_assert_eq(kugel_world_draw_velocities(world, 1, 1, 7), KUGEL_OK);
        support_state(world, 0, &s);
        check_still(&s, 0, (uint64_t)call);
        cr_assert(s.velocity[0] != 0 && s.spin[2] != 0 && s.locks == KUGEL_LOCK_PLANE);
        step_and_check(world, 0.01, 0, (uint64_t)call);
    }
    cr_assert_eq(kugel_body_set_locks(world, body, 64), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "locks");
    cr_assert_eq(kugel_body_set_type(world, body, KUGEL_KINEMATIC, 0), KUGEL_OK);
    cr_assert_eq(kugel_body_set_velocity(world, body, all), KUGEL_OK);
    support_state(world, 0, &s);
    cr_assert(s.velocity[2] == 3 && s.locks == KUGEL_LOCK_PLANE);
    cr_assert_eq(kugel_body_set_type(world, body, KUGEL_DYNAMIC, 1), KUGEL_OK);
    support_state(world, 0, &s);
    check_still(&s, 0, 9);
    cr_assert_eq(kugel_body_set_locks(world, body, 0), KUGEL_OK);
    cr_assert_eq(kugel_body_set_velocity(world, body, all), KUGEL_OK);
    cr_assert_eq(kugel_body_set_locks(world, body, KUGEL_LOCK_LINEAR_X), KUGEL_OK);
    support_state(world, 0, &s);
    cr_assert(s.velocity[0] == 0 && s.velocity[1] == 2 && s.velocity[2] == 3);
    cr_assert_eq(kugel_body_set_position(world, body, all), KUGEL_OK);
    support_state(world, 0, &s);
    cr_assert(s.position[0] == 1);
    kugel_world_destroy(world);
}

/* A ball that locks hold to a plane rests on a floor that leans out of this plane: it has the same
 * substeps and bits whether its contact is of the last tick or restored. */
Test(locks, of_a_plane_on_a_leaning_floor_are_restored)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world, *other;
    def.gravity[2] = -9.81;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_create(&def, &other), KUGEL_OK);
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0.28, 0.96}, 0);
    kugel_body_def ball = kugel_body_def_default();
    ball.position[2] = 0.5 / 0.96;
    ball.locks = KUGEL_LOCK_LINEAR_Y | KUGEL_LOCK_ANGULAR_X | KUGEL_LOCK_ANGULAR_Z;
    cr_assert_eq(kugel_surface_create(world, &floor, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    for (int tick = 0; tick < 60; ++tick) {
        support_bytes bytes = support_snapshot_of(world);
        cr_assert_eq(kugel_snapshot_restore(other, bytes.data, bytes.size), KUGEL_OK);
        step_and_check(world, 1. / 60, 0, (uint64_t)tick);
        step_and_check(other, 1. / 60, 0, (uint64_t)tick);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(other), "tick %d", tick);
        kugel_stats stats[2];
        kugel_world_stats(world, &stats[0]), kugel_world_stats(other, &stats[1]);
        cr_assert_eq(stats[0].substeps, stats[1].substeps, "tick %d", tick);
        free(bytes.data);
    }
    kugel_world_destroy(world), kugel_world_destroy(other);
}

/* A temperature is that of the free axes. */
Test(locks, count_in_temperatures)
{
    support_scene scene = support_scene_start();
    support_random random = {3};
    for (int i = 0; i < 50; ++i) {
        double v[3];
        support_direction(&random, 1, v);
        support_scene_add(&scene, (double[]){2. * i, 0, 0}, v, 0.5, 2)->locks = KUGEL_LOCK_PLANE;
    }
    kugel_world *world = support_scene_world(&scene);
    cr_assert_eq(kugel_world_set_temperature(world, 3), KUGEL_OK);
    kugel_energy energy;
    kugel_world_energy(world, &energy);
    double drift =
        (energy.momentum[0] * energy.momentum[0] + energy.momentum[1] * energy.momentum[1]) / 200;
    cr_assert_float_eq(energy.kinetic - drift, 0.5 * 3 * (2 * 49), 1e-9);
    kugel_world_destroy(world), support_scene_free(&scene);
}

/* What moves presses balls along their locked axes: it enters them, and each step is short. */
Test(locks, let_movers_enter_what_they_hold)
{
    for (int round = 0; round < 8; ++round) {
        kugel_world *world = make_plane_world((double[]){0, 0, -9.81}, 0.5);
        kugel_body_def ball = kugel_body_def_default();
        kugel_stats stats;
        ball.restitution = round % 2 ? 1 : 0;
        for (int i = 0; i < 8; ++i) {
            ball.position[0] = 3 * i, ball.position[2] = 2;
            ball.locks = round < 4 ? KUGEL_LOCK_LINEAR_Z : 7 | (i % 2 ? KUGEL_LOCK_ROTATION : 0);
            cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        }
        ball.type = KUGEL_KINEMATIC, ball.locks = KUGEL_LOCK_LINEAR_Z;
        ball.velocity[2] = -2;
        for (int i = 0; i < 4; ++i) {
            ball.position[0] = 3 * i, ball.position[2] = 3.5;
            cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        }
        kugel_surface_def mover = kugel_surface_def_default();
        mover.shape = KUGEL_SURFACE_ELLIPSOID;
        for (int k = 0; k < 3; ++k) mover.size[k] = 0.5;
        mover.position[0] = 15, mover.position[2] = 3.5, mover.velocity[2] = -2;
        cr_assert_eq(kugel_surface_create(world, &mover, NULL), KUGEL_OK);
        for (int tick = 0; tick < 120; ++tick) {
            step_and_check(world, 1. / 60, (uint64_t)round, (uint64_t)tick);
            kugel_world_stats(world, &stats);
            cr_assert(stats.substeps <= 64, "round %d, tick %d: %d substeps", round, tick,
                      (int)stats.substeps);
        }
        cr_assert(support_kinetic_energy(world) < 1e-6, "round %d", round);
        kugel_world_destroy(world);
    }
}

/* A gas large enough for subdomains: ghosts have the locks of their bodies. */
Test(locks, agree_between_subdomains)
{
    support_random random = support_random_start("locks/subdomains", 1);
    support_scene scene = support_scene_tower(KUGEL_FACE_WALL, &random);
    for (uint32_t i = 0; i < scene.count; ++i) {
        if (i % 2) scene.bodies[i].friction = 0.3;
        scene.bodies[i].locks = i % 3 ? random_locks(&random) : 0;
    }
    kugel_world *worlds[2];
    for (uint32_t k = 0; k < 2; ++k) {
        scene.def.tasks.threads = 1 + 3 * k;
        worlds[k] = support_scene_world(&scene);
    }
    for (uint64_t tick = 0; tick < 8; ++tick) {
        for (int k = 0; k < 2; ++k) step_and_check(worlds[k], 0.05, 0, tick);
        cr_assert_eq(kugel_world_hash(worlds[0]), kugel_world_hash(worlds[1]), "tick %d",
                     (int)tick);
    }
    kugel_world_destroy(worlds[0]), kugel_world_destroy(worlds[1]), support_scene_free(&scene);
}
