/* Sums of impulses: each body's momentum changes by gravity and by what it exchanges, in random
 * worlds; closed forms; a bed that is shaken, or sleeps, weighs what it weighs. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kugel/kugel.h"
#include "support/support_mesh.h"
#include "support/support_random.h"

enum { BODIES = 160, MOST = 1 << 13 };
static const double g = 9.81;

static size_t read_sums(const kugel_world *world, kugel_impulse_sum *sums)
{
    size_t count;
    cr_assert_eq(kugel_world_impulse_sums(world, MOST, sums, &count), KUGEL_OK);
    cr_assert(count <= MOST);
    return count;
}

static kugel_body_state state_of(const kugel_world *world, kugel_body body)
{
    kugel_body_state state;
    cr_assert_eq(kugel_body_get(world, body, &state), KUGEL_OK);
    return state;
}

/* A box of walls, width x width x 9. */
static kugel_world *box_world(double width, double friction, double restitution, uint32_t threads)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -g;
    def.bounds.friction = friction, def.bounds.restitution = restitution;
    def.tasks.threads = threads;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = k == 2 ? 9 : width;
    for (int k = 0; k < 6; ++k) def.bounds.faces[k] = KUGEL_FACE_WALL;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_sum_impulses(world, true), KUGEL_OK);
    return world;
}

static void add_surface(kugel_world *world, kugel_surface_def def, support_random *random)
{
    def.friction = support_uniform(random);
    if (support_below(random, 2)) cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
}

/* Some of: a slope, uneven ground, a mill that turns. */
static void add_surfaces(kugel_world *world, support_random *random)
{
    add_surface(world, kugel_surface_def_plane((const double[]){0.28, 0, 0.96}, 0.2), random);
    support_mesh mesh = support_mesh_floor(6, 8, 0.2, random);
    kugel_surface_def ground = support_mesh_def(&mesh);
    ground.position[0] = ground.position[1] = 1, ground.position[2] = 0.3;
    add_surface(world, ground, random);
    support_mesh_free(&mesh);
    kugel_surface_def mill = kugel_surface_def_default();
    mill.shape = KUGEL_SURFACE_CAPSULE;
    mill.size[0] = 0.1, mill.size[1] = 0.5;
    mill.position[0] = mill.position[1] = mill.position[2] = 1;
    mill.spin[0] = support_between(random, -3, 3);
    add_surface(world, mill, random);
}

static kugel_body_def random_ball(support_random *random, double mass_range)
{
    kugel_body_def def = kugel_body_def_default();
    def.radius = support_between(random, 0.05, 0.1);
    def.mass = exp(support_uniform(random) * log(mass_range));
    def.restitution = support_uniform(random), def.friction = support_uniform(random);
    def.rolling_resistance = support_below(random, 2) ? 0.02 : 0;
    for (int k = 0; k < 3; ++k) {
        def.position[k] = support_between(random, 0.2, k == 2 ? 6 : 1.8);
        def.velocity[k] = support_between(random, -2, 2);
    }
    def.can_sleep = false;
    if (support_below(random, 20) == 0) {
        def.type = support_below(random, 2) ? KUGEL_KINEMATIC : KUGEL_STATIC;
        memset(def.velocity, 0, sizeof def.velocity);
    }
    return def;
}

/* By id: momentum that each body received in a step by its sums; [3]: the sum of its sizes. */
static void received(const kugel_impulse_sum *sums, size_t count, double by_id[BODIES][4])
{
    memset(by_id, 0, BODIES * sizeof *by_id);
    for (size_t i = 0; i < count; ++i) {
        double *a = by_id[kugel_body_id(sums[i].a)],
               *b = sums[i].target == KUGEL_TARGET_BODY ? by_id[sums[i].index] : NULL;
        a[3] += sums[i].along + sums[i].friction;
        if (b) b[3] += sums[i].along + sums[i].friction;
        for (int k = 0; k < 3; ++k) {
            a[k] -= sums[i].impulse[k];
            if (b) b[k] += sums[i].impulse[k];
        }
    }
}

/* Of a substep: the solve is in float, and each of up to some hundred sweeps may lose half a unit
 * in the last place of a velocity, 3e-8 of it. A light body may for some sweeps have what its heavy
 * neighbour bears, so this grows with the ratio of masses. */
static const double tolerance = 2e-5;

/* pressed: by id the impulses of the last step, with which the solve of this one begins. */
static void check_momentum(const kugel_world *world, const kugel_body_state *was, double *pressed,
                           kugel_impulse_sum *sums, double dt, double most, uint64_t seed)
{
    double by_id[BODIES][4];
    kugel_stats stats;
    received(sums, read_sums(world, sums), by_id);
    kugel_world_stats(world, &stats);
    for (uint32_t i = 0; i < BODIES; ++i) {
        kugel_body body = kugel_world_body(world, i);
        if (body == KUGEL_NULL_BODY || was[i].type != KUGEL_DYNAMIC) continue;
        kugel_body_state is = state_of(world, body);
        double m = is.mass, scale = m * g * dt + by_id[i][3] + pressed[i];
        pressed[i] = by_id[i][3];
        for (int k = 0; k < 3; ++k) scale += m * (fabs(was[i].velocity[k]) + fabs(is.velocity[k]));
        for (int k = 0; k < 3; ++k) {
            double change = m * (is.velocity[k] - was[i].velocity[k]);
            double without = change - by_id[i][k] + (k == 2 ? m * g * dt : 0);
            cr_assert(fabs(without) <= most * stats.substeps * scale,
                      "seed %lu, tick %lu, body %u: %g of %g N s along %d from nowhere",
                      (unsigned long)seed, (unsigned long)kugel_world_tick(world), i, without,
                      scale, k);
        }
    }
}

static void fall(uint64_t seed)
{
    support_random random = support_random_start("impulse_sums", seed);
    double dt = support_between(&random, 1 / 240., 1 / 30.),
           masses = support_below(&random, 3) ? 1 : 30;
    kugel_world *world = box_world(2, support_uniform(&random), support_uniform(&random), 1);
    kugel_impulse_sum *sums = malloc(MOST * sizeof *sums);
    kugel_body_state was[BODIES];
    double pressed[BODIES] = {0};
    cr_assert(sums);
    add_surfaces(world, &random);
    for (int n = 0; n < BODIES; ++n) {
        kugel_body_def def = random_ball(&random, masses);
        cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    }
    for (int tick = 0; tick < 90; ++tick) {
        for (uint32_t i = 0; i < BODIES; ++i) was[i] = state_of(world, kugel_world_body(world, i));
        cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
        check_momentum(world, was, pressed, sums, dt, tolerance * masses, seed);
    }
    free(sums);
    kugel_world_destroy(world);
}

Test(impulse_sums, account_for_each_change_of_momentum)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) fall(seed);
}

/* A ball without spin meets a wall at an angle and keeps sliding: J = (1 + e) m v along the normal,
 * mu J of friction, whose moment about the centre is the change of its spin. */
Test(impulse_sums, of_an_oblique_impact)
{
    const double e = 0.5, mu = 0.1, v[3] = {3, 0, -2}, m = 2, r = 0.1;
    kugel_world *world = box_world(4, mu, e, 1);
    kugel_body_def def = kugel_body_def_default();
    kugel_body ball;
    kugel_impulse_sum sums[2];
    const double none[3] = {0, 0, 0};
    size_t count;
    def.radius = r, def.mass = m, def.restitution = e, def.friction = mu;
    memcpy(def.velocity, v, sizeof v);
    def.position[0] = 1, def.position[1] = 2, def.position[2] = r + 0.05;
    cr_assert_eq(kugel_world_set_gravity(world, none), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &def, &ball), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 0.05), KUGEL_OK);
    cr_assert_eq(kugel_world_impulse_sums(world, 2, sums, &count), KUGEL_OK);
    cr_assert_eq(count, 1);
    double along = (1 + e) * m * 2, friction = mu * along, x = 1 + 3 * 0.05 / 2;
    cr_assert(sums[0].target == KUGEL_TARGET_FACE && sums[0].index == 4 && sums[0].a == ball &&
              sums[0].b == KUGEL_NULL_BODY && sums[0].impacts == 1);
    cr_assert(fabs(sums[0].along - along) < 1e-12 && fabs(sums[0].friction - friction) < 1e-12);
    cr_assert(fabs(sums[0].impulse[0] - friction) < 1e-12 &&
              fabs(sums[0].impulse[2] + along) < 1e-12 && fabs(sums[0].impulse[1]) < 1e-12);
    /* about the origin: (x, 2, 0) x J */
    cr_assert(fabs(sums[0].angular_impulse[0] + 2 * along) < 1e-12 &&
              fabs(sums[0].angular_impulse[1] - x * along) < 1e-12 &&
              fabs(sums[0].angular_impulse[2] + 2 * friction) < 1e-12);
    kugel_body_state s = state_of(world, ball);
    cr_assert(fabs(s.spin[1] - r * friction / (0.4 * m * r * r)) < 1e-12, "spin %g", s.spin[1]);
    kugel_world_destroy(world);
}

/* Down a slope of angle a a ball rolls with friction 2/7 m g sin a and presses with m g cos a. */
Test(impulse_sums, of_a_ball_that_rolls)
{
    const double a = 0.2, r = 0.1, dt = 1 / 60.;
    kugel_world *world = box_world(9, 0, 0, 1);
    kugel_surface_def slope =
        kugel_surface_def_plane((const double[]){sin(a), 0, cos(a)}, 4 * sin(a) + cos(a));
    kugel_body_def def = kugel_body_def_default();
    kugel_impulse_sum sums[2];
    size_t count;
    slope.friction = def.friction = 0.5;
    def.radius = r, def.position[0] = 4 + r * sin(a), def.position[1] = 4;
    def.position[2] = 1 + r * cos(a);
    cr_assert_eq(kugel_surface_create(world, &slope, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    for (int tick = 0; tick < 30; ++tick) {
        cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
        if (tick < 3) continue; /* until it has begun to roll */
        cr_assert_eq(kugel_world_impulse_sums(world, 2, sums, &count), KUGEL_OK);
        cr_assert(count == 1 && sums[0].target == KUGEL_TARGET_SURFACE && sums[0].impacts == 0);
        double along = g * cos(a) * dt, friction = 2 / 7. * g * sin(a) * dt;
        cr_assert(fabs(sums[0].along - along) < 1e-5 * along, "tick %d: %g, not %g", tick,
                  sums[0].along, along);
        cr_assert(fabs(sums[0].friction - friction) < 1e-4 * friction, "tick %d: %g, not %g", tick,
                  sums[0].friction, friction);
    }
    kugel_world_destroy(world);
}

/* Drops n balls into a box of walls. */
static void add_bed(kugel_world *world, int n, bool can_sleep, support_random *random)
{
    for (int k = 0; k < n; ++k) {
        kugel_body_def def = kugel_body_def_default();
        def.radius = 0.09, def.mass = 3, def.friction = 0.5, def.restitution = 0.4;
        def.can_sleep = can_sleep;
        def.position[0] = 0.15 + 0.2 * (k % 5) + 0.01 * support_uniform(random);
        def.position[1] = 0.15 + 0.2 * (k / 5 % 5) + 0.01 * support_uniform(random);
        def.position[2] = 0.15 + 0.2 * (k / 25);
        cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    }
}

static double down_on_boundaries(const kugel_world *world, kugel_impulse_sum *sums)
{
    double down = 0;
    size_t count = read_sums(world, sums);
    for (size_t i = 0; i < count; ++i)
        down -= sums[i].target == KUGEL_TARGET_BODY ? 0 : sums[i].impulse[2];
    return down;
}

/* A bed on a plate that is shaken by 2.5 g: what walls and plate bear is its weight, less its
 * change of momentum. A step of hard blows rounds by up to 1e-6 of the weight, with either sign. */
Test(impulse_sums, of_a_shaken_bed_are_its_weight)
{
    support_random random = support_random_start("impulse_sums/shaken", 1);
    kugel_world *world = box_world(1.1, 0.5, 0.4, 1);
    kugel_impulse_sum *sums = malloc(MOST * sizeof *sums);
    kugel_surface_def plate = kugel_surface_def_plane((const double[]){0, 0, 1}, 0.05);
    kugel_surface handle;
    kugel_energy energy;
    const double dt = 1 / 60., omega = 20, weight = 150 * 3 * g;
    plate.friction = 0.5;
    cr_assert(sums);
    cr_assert_eq(kugel_surface_create(world, &plate, &handle), KUGEL_OK);
    add_bed(world, 150, false, &random);
    double down = 0;
    for (int tick = 0; tick < 600; ++tick) {
        const double velocity[3] = {0, 0, 2.5 * g / omega * sin(omega * tick * dt)},
                     none[3] = {0, 0, 0};
        cr_assert_eq(kugel_surface_set_motion(world, handle, velocity, none), KUGEL_OK);
        cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
        down += down_on_boundaries(world, sums);
    }
    kugel_world_energy(world, &energy);
    double expected = weight * 600 * dt + energy.momentum[2];
    cr_assert(fabs(down / expected - 1) < 1e-8, "%.12g of the weight", down / expected);
    free(sums);
    kugel_world_destroy(world);
}

/* A drum that turns: on average its torque about the axis holds the weight of the bed, which lies
 * beside the axis. Positions are corrected without impulses, by up to 1e-3 of a radius a step. */
Test(impulse_sums, of_a_drum_balance_the_torque_of_gravity)
{
    support_random random = support_random_start("impulse_sums/drum", 1);
    kugel_world *world = box_world(3, 0, 0, 1);
    kugel_impulse_sum *sums = malloc(MOST * sizeof *sums);
    enum { SIDES = 32, BALLS = 75, SETTLES = 300, TICKS = 1500 };
    double vertices[2 * SIDES][3], of_gravity = 0, of_drum = 0;
    uint32_t triangles[2 * SIDES][3];
    kugel_surface_def drum = kugel_surface_def_default();
    kugel_body_state s;
    cr_assert(sums);
    for (uint32_t k = 0; k < SIDES; ++k) {
        double a = 2 * M_PI * k / SIDES;
        uint32_t next = (k + 1) % SIDES;
        for (uint32_t e = 0; e < 2; ++e) {
            vertices[2 * k + e][0] = cos(a), vertices[2 * k + e][2] = sin(a);
            vertices[2 * k + e][1] = e ? 2 : -2;
        }
        memcpy(triangles[2 * k], (uint32_t[]){2 * k, 2 * k + 1, 2 * next}, 12);
        memcpy(triangles[2 * k + 1], (uint32_t[]){2 * k + 1, 2 * next + 1, 2 * next}, 12);
    }
    drum.vertices = vertices[0], drum.vertex_count = 2 * SIDES;
    drum.triangles = triangles[0], drum.triangle_count = 2 * SIDES;
    drum.friction = 0.7, drum.spin[1] = 1;
    drum.position[0] = drum.position[2] = 1.5, drum.position[1] = 0.5;
    cr_assert_eq(kugel_surface_create(world, &drum, NULL), KUGEL_OK);
    for (int n = 0; n < BALLS; ++n) {
        kugel_body_def def = kugel_body_def_default();
        def.radius = 0.09, def.mass = 3, def.friction = 0.5, def.can_sleep = false;
        def.position[0] = 1 + 0.2 * (n % 5) + 0.01 * support_uniform(&random);
        def.position[1] = 0.15 + 0.2 * (n / 5 % 5), def.position[2] = 1.1 + 0.2 * (n / 25);
        cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    }
    for (int tick = 0; tick < TICKS; ++tick) {
        cr_assert_eq(kugel_world_step(world, 1 / 120.), KUGEL_OK);
        size_t count = read_sums(world, sums);
        for (size_t k = 0; k < count && tick >= SETTLES; ++k) {
            if (sums[k].target == KUGEL_TARGET_BODY) continue;
            /* about (1.5, ., 1.5), along y */
            of_drum +=
                sums[k].angular_impulse[1] - (1.5 * sums[k].impulse[0] - 1.5 * sums[k].impulse[2]);
        }
        for (uint32_t i = 0; i < BALLS && tick >= SETTLES; ++i) {
            s = state_of(world, kugel_world_body(world, i));
            of_gravity += s.mass * g / 120 * (s.position[0] - 1.5);
        }
    }
    cr_assert(fabs(of_gravity) > 100, "%g", of_gravity);
    cr_assert(fabs(of_drum / of_gravity - 1) < 5e-3, "%g of the torque of gravity",
              of_drum / of_gravity);
    free(sums);
    kugel_world_destroy(world);
}

/* A ball that spins on the spot is braked by torsional friction alone, and what the floor gets is
 * what the ball loses. Of two balls that spin on each other each row is what one gave the other.
 * The tolerance is the float precision of contact impulses. */
Test(impulse_sums, have_the_torque_of_torsional_friction)
{
    kugel_impulse_sum *sums = malloc(MOST * sizeof *sums);
    kugel_world *world = box_world(4, 0.8, 0, 1);
    kugel_body ball[2];
    double lost = 0, got = 0;
    cr_assert(sums);
    for (int k = 0; k < 2; ++k) {
        kugel_body_def def = kugel_body_def_default();
        def.radius = 0.5, def.mass = 2, def.friction = 0.7, def.can_sleep = false;
        def.position[0] = def.position[1] = 2, def.position[2] = 0.5 + k;
        def.spin[2] = k ? -30 : 60;
        cr_assert_eq(kugel_body_create(world, &def, &ball[k]), KUGEL_OK);
    }
    for (int tick = 0; tick < 30; ++tick) {
        double before[2], received[2] = {0, 0};
        for (int k = 0; k < 2; ++k) before[k] = state_of(world, ball[k]).spin[2];
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        size_t count = read_sums(world, sums);
        for (size_t i = 0; i < count; ++i) {
            double turn = sums[i].angular_impulse[2];
            /* about the centre of the ball, which stands at (2, 2) */
            if (sums[i].target != KUGEL_TARGET_BODY)
                turn -= 2 * sums[i].impulse[1] - 2 * sums[i].impulse[0];
            received[kugel_body_id(sums[i].a)] -= turn;
            if (sums[i].target == KUGEL_TARGET_BODY) received[sums[i].index] += turn;
        }
        for (int k = 0; k < 2; ++k) {
            double change = 0.4 * 2 * 0.25 * (state_of(world, ball[k]).spin[2] - before[k]);
            cr_assert_float_eq(received[k], change, 1e-5, "tick %d, ball %d: %g, not %g", tick, k,
                               received[k], change);
            lost += fabs(change), got += fabs(received[k]);
        }
    }
    cr_assert(lost > 0.05 && got > 0.05, "%g, %g", lost, got);
    free(sums);
    kugel_world_destroy(world);
}

/* Contacts of sleepers keep the forces with which they fell asleep, converged to some 1e-3. */
Test(impulse_sums, of_a_bed_that_sleeps_are_its_weight)
{
    support_random random = support_random_start("impulse_sums/asleep", 1);
    kugel_world *world = box_world(1.1, 0.5, 0.4, 1);
    kugel_impulse_sum *sums = malloc(MOST * sizeof *sums);
    kugel_stats stats;
    const double dt = 1 / 60., weight = 75 * 3 * g;
    cr_assert(sums);
    add_bed(world, 75, true, &random);
    for (int tick = 0; tick < 900; ++tick) cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.asleep, 75, "%llu of 75 sleep", (unsigned long long)stats.asleep);
    double down = down_on_boundaries(world, sums) / dt;
    cr_assert(fabs(down / weight - 1) < 3e-3, "%g of the weight", down / weight);
    free(sums);
    kugel_world_destroy(world);
}

/* A bed that falls far from another one has the rows that it has alone, bit for bit. */
Test(impulse_sums, of_a_bed_do_not_depend_on_another_one)
{
    enum { BALLS = 75 };
    support_random random = support_random_start("impulse_sums/apart", 1);
    kugel_impulse_sum *sums = malloc(MOST * sizeof *sums), *others = malloc(MOST * sizeof *others);
    kugel_world *alone = box_world(60, 0.5, 0.4, 1), *both;
    size_t most = 0;
    cr_assert(sums && others);
    add_bed(alone, BALLS, false, &random);
    cr_assert_eq(kugel_world_clone(alone, &both), KUGEL_OK);
    cr_assert_eq(kugel_world_sum_impulses(both, true), KUGEL_OK);
    for (int k = 0; k < BALLS; ++k) {
        kugel_body_def def = kugel_body_def_default();
        def.radius = 0.07, def.can_sleep = false;
        def.position[0] = 50 + 0.2 * (k % 5), def.position[1] = 50 + 0.2 * (k / 5 % 5);
        def.position[2] = 0.1 + 0.2 * (k / 25) + 0.01 * support_uniform(&random);
        cr_assert_eq(kugel_body_create(both, &def, NULL), KUGEL_OK);
    }
    for (int tick = 0; tick < 60; ++tick) {
        cr_assert_eq(kugel_world_step(alone, 1 / 60.), KUGEL_OK);
        cr_assert_eq(kugel_world_step(both, 1 / 60.), KUGEL_OK);
        size_t count = read_sums(alone, sums), all = read_sums(both, others);
        cr_assert(all >= count);
        for (size_t k = 0; k < count; ++k) /* the first bed has the lower ids */
            cr_assert(sums[k].a == others[k].a && sums[k].target == others[k].target &&
                          sums[k].index == others[k].index &&
                          memcmp(sums[k].impulse, others[k].impulse, sizeof sums[k].impulse) == 0,
                      "tick %d, row %zu", tick, k);
        cr_assert(all == count || kugel_body_id(others[count].a) >= BALLS);
        if (all - count > most) most = all - count;
    }
    cr_assert(most > BALLS / 2, "the second bed has %zu rows", most);
    kugel_world_destroy(alone), kugel_world_destroy(both);
    free(sums), free(others);
}

/* Sums change no result, and there are none without a call. */
Test(impulse_sums, change_nothing)
{
    support_random random = support_random_start("impulse_sums/off", 1);
    kugel_impulse_sum *sums = malloc(MOST * sizeof *sums);
    kugel_world *world = box_world(1.1, 0.5, 0.4, 1), *without;
    cr_assert(sums);
    add_bed(world, 150, true, &random);
    cr_assert_eq(kugel_world_clone(world, &without), KUGEL_OK);
    for (int tick = 0; tick < 120; ++tick) {
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        cr_assert_eq(kugel_world_step(without, 1 / 60.), KUGEL_OK);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(without));
        cr_assert_eq(read_sums(without, sums), 0);
        cr_assert(tick < 30 || read_sums(world, sums) > 0);
    }
    kugel_world_destroy(world), kugel_world_destroy(without);
    free(sums);
}
