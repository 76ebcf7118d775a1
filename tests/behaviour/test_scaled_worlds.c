/* Defaults have no scale of their own. A world with lengths multiplied by s, times by sqrt(s) and
 * the same gravity has the same impacts and scaled places. For powers of four, bits differ only in
 * exponents. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_plane.h"
#include "support/support_sanitized.h"

enum { BODIES_MOST = 400 };

typedef struct family {
    char name[16];
    uint32_t ticks;
    double dt; /* s */
    void (*fill)(kugel_world *world, const struct family *family, double length, double mass);
    void (*define)(kugel_world_def *def);
    double rolling_resistance;
} family;

static uint64_t seed;

static double between(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(seed >> 40) / 16777216.0);
}

static void box(kugel_world_def *def, double length, double height, kugel_face face)
{
    const double most[3] = {length, length, height};
    for (int k = 0; k < 3; ++k) def->bounds.max[k] = most[k];
    for (int f = 0; f < 6; ++f) def->bounds.faces[f] = face;
}

static void add(kugel_world *world, kugel_body_def ball, double length, double mass)
{
    ball.radius *= length, ball.mass *= mass;
    for (int k = 0; k < 3; ++k) {
        ball.position[k] *= length;
        ball.velocity[k] *= sqrt(length);
        ball.spin[k] /= sqrt(length);
    }
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK, "%s",
                 kugel_world_last_error(world)->message);
}

/* side * side * height places, jittered, with radii in [low, high] and random speeds and spins. */
static void lattice(kugel_world *world, kugel_body_def ball, const uint32_t side[3], double low,
                    double high, double length, double mass)
{
    double speed = ball.velocity[0];
    for (uint32_t i = 0; i < side[0] * side[1] * side[2]; ++i) {
        const uint32_t at[3] = {i % side[0], i / side[0] % side[1], i / side[0] / side[1]};
        ball.radius = between(low, high);
        ball.mass = pow(ball.radius, 3);
        for (int k = 0; k < 3; ++k) {
            ball.position[k] = 1.25 * (at[k] + 0.5) + between(-0.1, 0.1);
            ball.velocity[k] = between(-speed, speed);
            ball.spin[k] = between(-speed, speed);
        }
        add(world, ball, length, mass);
    }
}

static void pile_define(kugel_world_def *def)
{
    box(def, 6.25, 40, KUGEL_FACE_WALL);
    def->bounds.restitution = 0.5, def->bounds.friction = 0.5;
    def->gravity[2] = -9.81;
}
/* 300 balls bounce and come to rest. */
static void pile_fill(kugel_world *world, const family *family, double length, double mass)
{
    kugel_body_def ball = kugel_body_def_default();
    ball.restitution = 0.5, ball.rolling_resistance = family->rolling_resistance;
    ball.velocity[0] = 0.5;
    lattice(world, ball, (const uint32_t[3]){5, 5, 12}, 0.25, 0.5, length, mass);
}

static void gas_define(kugel_world_def *def) { box(def, 8.75, 8.75, KUGEL_FACE_PERIODIC); }
/* 343 balls; some impacts lose energy. */
static void gas_fill(kugel_world *world, const family *family, double length, double mass)
{
    kugel_body_def ball = kugel_body_def_default();
    ball.restitution = 0.9, ball.friction = 0.2, ball.velocity[0] = 5;
    (void)family;
    lattice(world, ball, (const uint32_t[3]){7, 7, 7}, 0.4, 0.5, length, mass);
}

static void elastic_define(kugel_world_def *def)
{
    gas_define(def);
    def->bounce_threshold = def->slop = 0;
}
static void elastic_fill(kugel_world *world, const family *family, double length, double mass)
{
    kugel_body_def ball = kugel_body_def_default();
    ball.restitution = 1, ball.friction = 0, ball.velocity[0] = 5;
    (void)family;
    lattice(world, ball, (const uint32_t[3]){7, 7, 7}, 0.5, 0.5, length, mass);
}

static void chain_define(kugel_world_def *def)
{
    box(def, 24, 60, KUGEL_FACE_WALL);
    def->bounds.restitution = 0.3;
    def->gravity[2] = -9.81;
}
/* Balls with masses 1 : 10 : 100 : 1000 fall on each other, the heaviest last. */
static void chain_fill(kugel_world *world, const family *family, double length, double mass)
{
    kugel_body_def ball = kugel_body_def_default();
    double height = 0.1;
    ball.restitution = 0.3;
    ball.position[0] = ball.position[1] = 12;
    (void)family;
    for (int k = 0; k < 4; ++k) {
        ball.mass = pow(10, k);
        ball.radius = 0.5 * cbrt(pow(10, k));
        ball.position[0] += 0.01 * k;
        height += ball.radius;
        ball.position[2] = height;
        height += ball.radius + 0.2;
        add(world, ball, length, mass);
    }
}

static void slope_define(kugel_world_def *def) { def->gravity[2] = -9.81; }
/* Balls bounce and roll down a plane on a box of triangles, and a lift raises them. */
static void slope_fill(kugel_world *world, const family *family, double length, double mass)
{
    double vertices[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_BOX_TRIANGLES];
    const double half[3] = {20 * length, 20 * length, 1 * length};
    kugel_surface_def floor = kugel_surface_def_default();
    kugel_body_def ball = kugel_body_def_default();
    support_plane plane = {.normal = {0.6, 0, 0.8}, .offset = -3 * length, .friction = 0.3};
    (void)family;
    cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
    cr_assert_eq(kugel_mesh_box(half, vertices, triangles), KUGEL_OK);
    floor.vertices = vertices, floor.vertex_count = KUGEL_MESH_BOX_VERTICES;
    floor.triangles = triangles, floor.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
    floor.position[2] = -length;
    floor.velocity[2] = 0.25 * sqrt(length);
    cr_assert_eq(kugel_surface_create(world, &floor, NULL), KUGEL_OK);
    ball.restitution = 0.4, ball.velocity[0] = 1;
    lattice(world, ball, (const uint32_t[3]){4, 4, 3}, 0.3, 0.5, length, mass);
}

static const family families[] = {{"pile", 240, 1 / 60., pile_fill, pile_define, 0},
                                  {"sleeping pile", 600, 1 / 60., pile_fill, pile_define, 0.1},
                                  {"gas", 60, 1 / 60., gas_fill, gas_define, 0},
                                  {"elastic gas", 60, 1 / 60., elastic_fill, elastic_define, 0},
                                  {"chain", 240, 1 / 60., chain_fill, chain_define, 0},
                                  {"slope", 120, 1 / 60., slope_fill, slope_define, 0}};
enum { PILE, SLEEPING_PILE, GAS, ELASTIC, CHAIN, SLOPE, FAMILIES };

static kugel_world *make(const family *family, double length, double mass)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    seed = 1;
    family->define(&def);
    for (int k = 0; k < 3; ++k) def.bounds.max[k] *= length;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    family->fill(world, family, length, mass);
    return world;
}

static void step(kugel_world *world, const family *family, double length)
{
    cr_assert_eq(kugel_world_step(world, family->dt * sqrt(length)), KUGEL_OK, "%s: %s",
                 family->name, kugel_world_last_error(world)->message);
}

/* True of speeds so small that they may differ. Angular impulses (mass times radius times speed)
 * lose digits below the smallest normal float, 1.2e-38: here, with the smallest ball (0.25 m 2^-20
 * and 2^38 kg 2^-66), below 1.3e-23 m/s. */
static bool is_lost(double a, double b) { return fabs(a) < 1e-22 && fabs(b) < 1e-22; }

static void expect_equal(const kugel_world *one, const kugel_world *other, const family *family,
                         double length, double mass)
{
    static double x[2][3 * BODIES_MOST], v[2][3 * BODIES_MOST];
    kugel_stats a, b;
    size_t count, also, n = 3 * (size_t)kugel_world_body_count(one);
    const kugel_impact *p = kugel_world_impact_events(one, &count),
                       *q = kugel_world_impact_events(other, &also);
    double time = sqrt(length);
    kugel_world_stats(one, &a), kugel_world_stats(other, &b);
#define AT                                                                                         \
    "%s, lengths times %g, masses times %g, tick %llu", family->name, length, mass,                \
        (unsigned long long)a.tick
    cr_assert(count == also && a.substeps == b.substeps &&
                  a.resting_contacts == b.resting_contacts && a.asleep == b.asleep,
              AT);
    for (size_t k = 0; k < count; ++k) {
        cr_assert(p[k].a == q[k].a && p[k].b == q[k].b && p[k].time * time == q[k].time &&
                      p[k].speed * time == q[k].speed && p[k].impulse * time * mass == q[k].impulse,
                  AT);
    }
    kugel_world_read_arrays(one, BODIES_MOST,
                            &(kugel_body_arrays){.position = x[0], .velocity = v[0]});
    kugel_world_read_arrays(other, BODIES_MOST,
                            &(kugel_body_arrays){.position = x[1], .velocity = v[1]});
    for (size_t k = 0; k < n; ++k) {
        cr_assert(x[0][k] * length == x[1][k], AT);
        cr_assert(v[0][k] * time == v[1][k] || is_lost(v[0][k] * time, v[1][k]), AT);
    }
#undef AT
}

/* Compares a world with one whose lengths are multiplied by 4^power. */
static void run_scaled(const family *family, int power, double base_mass, double mass)
{
    double length = ldexp(1, 2 * power);
    kugel_world *one = make(family, 1, base_mass), *other = make(family, length, base_mass * mass);
    for (uint32_t tick = 0; tick < SUPPORT_ROUNDS(family->ticks); ++tick) {
        step(one, family, 1), step(other, family, length);
        expect_equal(one, other, family, length, mass);
    }
    kugel_world_destroy(one), kugel_world_destroy(other);
}

/* Scales with constant density, and with constant masses. Products of masses, lengths and speeds
 * must stay in the range of the solver's floats, so heavy bodies start light, and light ones
 * heavy. */
static void run_all(const family *family, int least_power)
{
    for (int power = least_power; power <= 10; power += 5) {
        if (!power) continue;
        double base_mass = power < 0 ? 0x1p38 : 0x1p-24;
        run_scaled(family, power, base_mass, ldexp(1, 6 * power));
        run_scaled(family, power, base_mass, 1);
    }
}

Test(scaled_worlds, a_pile_bounces_alike) { run_all(&families[PILE], -10); }
/* Rolling impulses are products of mass, radius and speed. */
Test(scaled_worlds, a_pile_rests_and_sleeps_alike) { run_all(&families[SLEEPING_PILE], -5); }
Test(scaled_worlds, a_gas_collides_alike) { run_all(&families[GAS], -10); }
Test(scaled_worlds, an_elastic_gas_collides_alike) { run_all(&families[ELASTIC], -10); }
Test(scaled_worlds, a_chain_falls_alike) { run_all(&families[CHAIN], -10); }
Test(scaled_worlds, balls_roll_alike_on_planes_and_surfaces) { run_all(&families[SLOPE], -10); }

/* Factors of length that are no powers of two round differently, so only averages are compared. */

typedef struct outcome {
    double impacts, height, asleep; /* height: mean, of the unscaled world, m */
} outcome;

static outcome outcome_of(const family *family, double length, uint32_t ticks)
{
    static double x[3 * BODIES_MOST];
    kugel_world *world = make(family, length, pow(length, 3) * (length < 1 ? 0x1p38 : 0x1p-24));
    for (uint32_t tick = 0; tick < ticks; ++tick) step(world, family, length);
    size_t n = kugel_world_read_arrays(world, BODIES_MOST, &(kugel_body_arrays){.position = x});
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    outcome out = {(double)stats.impacts_total, 0, (double)stats.asleep};
    for (size_t i = 0; i < n; ++i) out.height += x[3 * i + 2] / length / (double)n;
    kugel_world_destroy(world);
    return out;
}

Test(scaled_worlds, any_scale_has_as_many_impacts_and_the_same_heights)
{
    for (int f = 0; f < FAMILIES; ++f) {
        if (f == SLOPE) continue; /* balls leave the ground at its edge */
        outcome one = outcome_of(&families[f], 1, families[f].ticks);
        for (int power = -20; power <= 20; power += SUPPORT_SANITIZED ? 20 : 8) {
            double length = ldexp(0.7, power);
            outcome other = outcome_of(&families[f], length, families[f].ticks);
            cr_assert_float_eq(other.impacts / one.impacts, 1, 0.1,
                               "%s times %g: %g and %g impacts", families[f].name, length,
                               one.impacts, other.impacts);
            cr_assert_float_eq(other.height / one.height, 1, 0.02, "%s times %g: %g and %g m high",
                               families[f].name, length, one.height, other.height);
        }
    }
}

/* Makes sure that the comparison above covers sleep. */
Test(scaled_worlds, the_sleeping_pile_falls_asleep)
{
    outcome end = outcome_of(&families[SLEEPING_PILE], 1, families[SLEEPING_PILE].ticks);
    cr_assert_gt(end.asleep, 250, "%g of 300 sleep", end.asleep);
}
