/* Thermostats: the temperature after rescaling; moments and distribution of drawn velocities;
 * fluctuations of the canonical ensemble; what the random numbers depend on; refused calls. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_random.h"
#include "support/support_scene.h"

/* n dynamic bodies of masses 1, 2, 3, 1 ... apart from each other, all but the first moving, then a
 * static and a disabled one. */
static kugel_world *make_world(uint32_t n)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (uint32_t i = 0; i < n + 2; ++i) {
        kugel_body_def body = kugel_body_def_default();
        body.position[0] = 2 * (i % 100), body.position[1] = 2 * (i / 100);
        body.mass = 1 + i % 3;
        body.spin[2] = 0.5;
        for (int k = 0; k < 3; ++k) body.velocity[k] = sin(i * (k + 1.0)) * (i > 0);
        if (i == n) {
            body.type = KUGEL_STATIC;
            memset(body.velocity, 0, sizeof body.velocity);
            body.spin[2] = 0;
        }
        cr_assert_eq(kugel_body_create(world, &body, NULL), KUGEL_OK);
    }
    cr_assert_eq(kugel_body_set_enabled(world, kugel_world_body(world, n + 1), false), KUGEL_OK);
    return world;
}

static kugel_body_state state_of(const kugel_world *world, uint32_t id)
{
    kugel_body_state state;
    cr_assert_eq(kugel_body_get(world, kugel_world_body(world, id), &state), KUGEL_OK);
    return state;
}

/* k_B T of the bodies 0 ... n - 1, and the velocity of their centre of mass. */
static double temperature_of(const kugel_world *world, uint32_t n, double center[3])
{
    double mass = 0, sum = 0;
    memset(center, 0, 3 * sizeof *center);
    for (uint32_t i = 0; i < n; ++i) {
        kugel_body_state s = state_of(world, i);
        mass += s.mass;
        for (int k = 0; k < 3; ++k) center[k] += s.mass * s.velocity[k];
    }
    for (int k = 0; k < 3; ++k) center[k] /= mass;
    for (uint32_t i = 0; i < n; ++i) {
        kugel_body_state s = state_of(world, i);
        for (int k = 0; k < 3; ++k) sum += s.mass * pow(s.velocity[k] - center[k], 2);
    }
    return sum / (3.0 * (n - 1));
}

/* The tolerance is that of sums of 500 rounded numbers. */
Test(thermostat, rescaling_sets_the_temperature)
{
    enum { N = 500 };
    kugel_world *world = make_world(N);
    double before[3], after[3];
    temperature_of(world, N, before);
    cr_assert_eq(kugel_world_set_temperature(world, 2.5), KUGEL_OK);
    cr_assert_float_eq(temperature_of(world, N, after), 2.5, 1e-12);
    for (int k = 0; k < 3; ++k) cr_assert_float_eq(after[k], before[k], 1e-13);
    for (uint32_t i = 0; i < N; ++i) cr_assert_eq(state_of(world, i).spin[2], 0.5);
    for (uint32_t i = N; i < N + 2; ++i) cr_assert_eq(state_of(world, i).velocity[0], 0);
    cr_assert_eq(kugel_world_set_temperature(world, 0), KUGEL_OK);
    cr_assert(temperature_of(world, N, after) < 1e-25);
    kugel_world_destroy(world);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Moments and distance of Kolmogorov and Smirnov of n normal numbers. Each moment is within 5 of
 * its standard deviations, sqrt(1, 2, 6, 24 ... / n); the distance exceeds 1.95 / sqrt(n) with
 * probability 0.001. The seed is fixed. */
static void check_normal(double *x, size_t n)
{
    double m[5] = {0}, distance = 0;
    for (size_t i = 0; i < n; ++i)
        for (int k = 1; k < 5; ++k) m[k] += pow(x[i], k) / (double)n;
    static const double wanted[5] = {0, 0, 1, 0, 3}, variance[5] = {0, 1, 2, 15, 96};
    for (int k = 1; k < 5; ++k)
        cr_expect_float_eq(m[k], wanted[k], 5 * sqrt(variance[k] / (double)n), "moment %d: %g", k,
                           m[k]);
    qsort(x, n, sizeof *x, compare);
    for (size_t i = 0; i < n; ++i) {
        double p = 0.5 * erfc(-x[i] * M_SQRT1_2);
        distance = fmax(
            distance, fmax(fabs(p - (double)i / (double)n), fabs(p - (double)(i + 1) / (double)n)));
    }
    cr_expect(distance < 1.95 / sqrt((double)n), "distance %g", distance);
}

Test(thermostat, drawn_velocities_are_those_of_maxwell)
{
    enum { N = 10000, ROUNDS = 10 };
    kugel_world *world = make_world(N);
    double *x = malloc(3 * N * ROUNDS * sizeof *x), product = 0;
    size_t n = 0;
    for (uint64_t seed = 0; seed < ROUNDS; ++seed) {
        cr_assert_eq(kugel_world_draw_velocities(world, 2.5, 1, seed), KUGEL_OK);
        for (uint32_t i = 0; i < N; ++i) {
            kugel_body_state s = state_of(world, i);
            for (int k = 0; k < 3; ++k) x[n++] = s.velocity[k] * sqrt(s.mass / 2.5);
            cr_assert_eq(s.spin[2], 0.5);
        }
    }
    for (size_t i = 1; i < n; ++i) product += x[i] * x[i - 1] / (double)n;
    cr_expect(fabs(product) < 5 / sqrt((double)n), "neighbours depend on each other: %g", product);
    check_normal(x, n);
    free(x);
    for (uint32_t i = N; i < N + 2; ++i) cr_assert_eq(state_of(world, i).velocity[0], 0);
    kugel_world_destroy(world);
}

/* The number of drawn bodies is binomial; 5 standard deviations. */
Test(thermostat, a_probability_of_bodies_is_drawn)
{
    enum { N = 10000 };
    kugel_world *world = make_world(N), *before;
    cr_assert_eq(kugel_world_clone(world, &before), KUGEL_OK);
    cr_assert_eq(kugel_world_draw_velocities(world, 1, 0.3, 9), KUGEL_OK);
    double drawn = 0;
    for (uint32_t i = 0; i < N; ++i)
        drawn += memcmp(state_of(world, i).velocity, state_of(before, i).velocity, 24) != 0;
    cr_expect_float_eq(drawn / N, 0.3, 5 * sqrt(0.3 * 0.7 / N));
    uint64_t hash = kugel_world_hash(world);
    cr_assert_eq(kugel_world_draw_velocities(world, 1, 0, 9), KUGEL_OK);
    cr_expect_eq(kugel_world_hash(world), hash, "probability 0 changes nothing");
    kugel_world_destroy(world), kugel_world_destroy(before);
}

/* The numbers follow from seed, tick and id: bodies made after others were removed, which are in
 * other rows, get those of their ids. */
Test(thermostat, numbers_depend_on_seed_tick_and_id)
{
    enum { N = 60 };
    kugel_world *world[2] = {make_world(N), make_world(N)};
    kugel_body_def def = kugel_body_def_default();
    double v[2][3], again[3];
    for (int w = 0; w < 2; ++w) {
        uint32_t first = w ? 20 : 3, second = w ? 3 : 20;
        for (uint32_t id = 0; id < 2; ++id)
            cr_assert_eq(
                kugel_body_destroy(world[w], kugel_world_body(world[w], id ? second : first)),
                KUGEL_OK);
        for (int k = 0; k < 2; ++k) {
            def.position[2] = 5 + 2 * k, def.mass = 2;
            cr_assert_eq(kugel_body_create(world[w], &def, NULL), KUGEL_OK);
        }
        cr_assert_eq(kugel_world_draw_velocities(world[w], 1, 1, 5), KUGEL_OK);
        for (uint32_t id = 0; id < N; ++id)
            cr_assert_arr_eq(state_of(world[w], id).velocity, state_of(world[0], id).velocity, 24);
        kugel_body_get_velocity(world[w], kugel_world_body(world[w], 7), v[w]);
    }
    cr_assert_eq(kugel_world_draw_velocities(world[0], 1, 1, 6), KUGEL_OK);
    kugel_body_get_velocity(world[0], kugel_world_body(world[0], 7), again);
    cr_expect_neq(again[0], v[0][0], "another seed");
    cr_assert_eq(kugel_world_step(world[0], 0.01), KUGEL_OK);
    cr_assert_eq(kugel_world_draw_velocities(world[0], 1, 1, 5), KUGEL_OK);
    kugel_body_get_velocity(world[0], kugel_world_body(world[0], 7), again);
    cr_expect_neq(again[0], v[0][0], "another tick");
    kugel_world_destroy(world[0]), kugel_world_destroy(world[1]);
}

/* A gas in Andersen's bath has the kinetic energy of the canonical ensemble: mean 3/2 N k_B T,
 * variance 3/2 N (k_B T)^2. 600 samples are 6 bath collisions of each body apart, so nearly
 * independent: 5 standard deviations of the mean, and of the variance, sqrt(2 / 600). */
Test(thermostat, a_gas_in_a_bath_is_canonical)
{
    enum { SAMPLES = 600, TICKS = 6 };
    support_random random = support_random_start("canonical", 1);
    support_scene scene = support_scene_gas(3, 0.2, KUGEL_FACE_PERIODIC, 3, &random);
    kugel_world *world = support_scene_world(&scene);
    double n = kugel_world_body_count(world), sum = 0, squares = 0, unit = 1.5 * n * 0.25;
    for (int k = 0; k < 50 + SAMPLES; ++k) {
        for (int tick = 0; tick < TICKS; ++tick) {
            cr_assert_eq(kugel_world_draw_velocities(world, 0.25, 0.6, 4), KUGEL_OK);
            cr_assert_eq(kugel_world_step(world, 0.02), KUGEL_OK);
        }
        kugel_energy energy;
        kugel_world_energy(world, &energy);
        double kinetic = k < 50 ? 0 : energy.kinetic / unit;
        sum += kinetic, squares += kinetic * kinetic;
    }
    double mean = sum / SAMPLES, variance = squares / SAMPLES - mean * mean, expected = 2 / (3 * n);
    cr_expect_float_eq(mean, 1, 5 * sqrt(expected / SAMPLES));
    cr_expect_float_eq(variance / expected, 1, 5 * sqrt(2.0 / SAMPLES));
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

#define REFUSED(call, should, name)                                                                \
    do {                                                                                           \
        cr_expect_eq(call, should);                                                                \
        cr_expect_str_eq(kugel_world_last_error(world)->argument, name);                           \
        cr_expect_eq(kugel_world_hash(world), hash);                                               \
    } while (0)

Test(thermostat, is_refused_as_a_whole)
{
    kugel_world *world = make_world(3);
    uint64_t hash = kugel_world_hash(world);
    const kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
    REFUSED(kugel_world_set_temperature(world, -1), bad, "temperature");
    REFUSED(kugel_world_set_temperature(world, NAN), bad, "temperature");
    REFUSED(kugel_world_set_temperature(world, 1.1e15), bad, "temperature");
    REFUSED(kugel_world_draw_velocities(world, INFINITY, 1, 1), bad, "temperature");
    REFUSED(kugel_world_draw_velocities(world, 1, 1.1, 1), bad, "probability");
    REFUSED(kugel_world_draw_velocities(world, 1, NAN, 1), bad, "probability");
    cr_expect_eq(kugel_world_set_temperature(NULL, 1), bad);
    cr_expect_eq(kugel_world_draw_velocities(NULL, 1, 1, 1), bad);
    cr_assert_eq(kugel_body_set_mass(world, kugel_world_body(world, 1), 1e-30), KUGEL_OK);
    REFUSED(kugel_world_draw_velocities(world, 1e10, 0, 1), bad, "temperature");
    kugel_world_destroy(world);
    world = make_world(1);
    hash = kugel_world_hash(world);
    REFUSED(kugel_world_set_temperature(world, 1), KUGEL_ERROR_STATE, "world");
    kugel_world_destroy(world);
}
