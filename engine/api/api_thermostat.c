/* Public functions that give the dynamic bodies a temperature: by one factor on all velocities, or
 * by new velocities of Maxwell's distribution. In: k_B T, J. Out: velocities. All bodies are
 * checked first, so either all calls take effect or none. Cost O(ids). Order: sums are in the order
 * of ids; the random numbers of a body follow from seed, tick and id. */
#include <math.h>

#include "api/api_refuse.h"
#include "kugel/body.h"
#include "record/recorder.h"
#include "world/locks.h"
#include "world/sleep_state.h"
#include "world/validate.h"

static kugel_status check_temperature(double temperature, kugel_error *error)
{
    return kg_validate_range(temperature, 0, KG_VALUE_LIMIT, "temperature", error);
}

/* Slot of the next body that has a temperature, from *id on; KG_NONE: there is none. */
static uint32_t next_warm(const kg_bodies *b, uint32_t *id)
{
    while (*id < b->id_end) {
        uint32_t i = b->slot[(*id)++];
        if (i != KG_NONE && b->mass[i] > 0 && !kg_bodies_is_disabled(b, i)) return i;
    }
    return KG_NONE;
}

static void set_velocity(kugel_world *world, uint32_t slot, const double v[3])
{
    kg_sleep_drive(world, slot);
    for (int k = 0; k < 3; ++k) world->bodies.v[k][slot] = v[k] + 0.0; /* -0 becomes +0 */
    kg_locks_stop(&world->bodies, slot);
}

/* Factor on velocities relative to the centre of mass. */
typedef struct scaling {
    double center[3]; /* m/s, velocity of the centre of mass */
    double factor;
} scaling;

/* Returns the number of degrees of freedom relative to the centre of mass, without locked axes. */
static double find_center(const kg_bodies *b, double center[3])
{
    double mass[3] = {0, 0, 0}, count[3] = {0, 0, 0}, sum[3] = {0, 0, 0};
    for (uint32_t id = 0, i; (i = next_warm(b, &id)) != KG_NONE;) {
        for (int k = 0; k < 3; ++k) {
            if (kg_locks_of(b, i) >> k & 1) continue;
            count[k] += 1;
            mass[k] += b->mass[i];
            sum[k] += b->mass[i] * b->v[k][i];
        }
    }
    for (int k = 0; k < 3; ++k) center[k] = mass[k] > 0 ? sum[k] / mass[k] : 0;
    return kg_max(count[0] - 1, 0) + kg_max(count[1] - 1, 0) + kg_max(count[2] - 1, 0);
}

/* False if no two bodies move relative to each other. */
static bool find_scaling(const kg_bodies *b, double temperature, scaling *s)
{
    double sum = 0, freedom = find_center(b, s->center);
    for (uint32_t id = 0, i; (i = next_warm(b, &id)) != KG_NONE;) {
        for (int k = 0; k < 3; ++k) {
            if (kg_locks_of(b, i) >> k & 1) continue;
            double v = b->v[k][i] - s->center[k];
            sum += b->mass[i] * v * v;
        }
    }
    if (!(freedom > 0 && sum > 0)) return false;
    s->factor = sqrt(temperature * freedom / sum);
    return s->factor <= KG_VALUE_LIMIT;
}

static void scale(const kg_bodies *b, uint32_t i, const scaling *s, double v[3])
{
    for (int k = 0; k < 3; ++k) v[k] = s->center[k] + s->factor * (b->v[k][i] - s->center[k]);
}

static kugel_status check_scaled(const kg_bodies *b, const scaling *s, kugel_error *error)
{
    kugel_status status = KUGEL_OK;
    double v[3];
    for (uint32_t id = 0, i; !status && (i = next_warm(b, &id)) != KG_NONE;) {
        scale(b, i, s, v);
        status = kg_validate_vector(v, "temperature", error);
    }
    return status;
}

kugel_status kugel_world_set_temperature(kugel_world *world, double temperature)
{
    KG_CHANGE(world);
    const kg_bodies *b = &world->bodies;
    kugel_error error;
    scaling s;
    double v[3];
    if (check_temperature(temperature, &error)) return kg_refuse_error(world, &error);
    if (!find_scaling(b, temperature, &s))
        return kg_error_report(world, KUGEL_ERROR_STATE, "world",
                               "no two dynamic bodies move relative to each other");
    if (check_scaled(b, &s, &error)) return kg_refuse_error(world, &error);
    kugel_status status = kg_api_ensure_contacts(world);
    if (status) return status;
    for (uint32_t id = 0, i; (i = next_warm(b, &id)) != KG_NONE;) {
        scale(b, i, &s, v);
        set_velocity(world, i, v);
    }
    KG_RECORD(world, SET_TEMPERATURE, .number = temperature);
    return KUGEL_OK;
}

/* Random numbers: splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t next_word(uint64_t *state) { return mix(*state += 0x9e3779b97f4a7c15u); }
static double next_uniform(uint64_t *state) { return (double)(next_word(state) >> 11) * 0x1p-53; }

/* The numbers of a body in a tick. */
static uint64_t begin_numbers(uint64_t seed, uint64_t tick, uint32_t id)
{
    uint64_t state = mix(seed + 0x9e3779b97f4a7c15u);
    state = mix(state + tick * 0xd1342543de82ef95u);
    return mix(state + id * 0x2545f4914f6cdd1du);
}

/* True with the probability exp(-x), x in [0, 1]: the length of a falling run of uniform numbers
 * below x is even (von Neumann 1951). */
static bool is_exp(uint64_t *state, double x)
{
    bool even = true;
    for (double u; (u = next_uniform(state)) < x; x = u) even = !even;
    return even;
}

/* A number of the normal distribution by comparisons of uniform ones, without logarithms: algorithm
 * N of Karney, "Sampling exactly from the normal distribution", 2016. About 20 uniform numbers.
 * The absolute value is below MOST_SIGMAS, beyond which the probability is below 1e-300. */
enum { MOST_SIGMAS = 38 };

static double next_normal(uint64_t *state)
{
    for (;;) {
        int k = 0, tries;
        while (k < MOST_SIGMAS && is_exp(state, 0.5)) ++k; /* probability ~ exp(-k / 2) */
        for (tries = k * (k - 1); tries > 0 && is_exp(state, 0.5);) --tries;
        if (tries > 0 || k == MOST_SIGMAS) continue; /* now ~ exp(-k^2 / 2) */
        double x = next_uniform(state);
        for (tries = k + 1; tries > 0 && is_exp(state, x * (2 * k + x) / (2 * k + 2));) --tries;
        if (tries > 0) continue; /* now ~ exp(-(k + x)^2 / 2) */
        return next_word(state) >> 63 ? -(k + x) : k + x;
    }
}

static kugel_status check_drawn(const kugel_world *world, double temperature, double probability,
                                kugel_error *error)
{
    const kg_bodies *b = &world->bodies;
    kugel_status status = check_temperature(temperature, error);
    if (!status) status = kg_validate_range(probability, 0, 1, "probability", error);
    for (uint32_t id = 0, i; !status && (i = next_warm(b, &id)) != KG_NONE;)
        status = kg_validate_range(MOST_SIGMAS * sqrt(temperature / b->mass[i]), 0, KG_VALUE_LIMIT,
                                   "temperature", error);
    return status;
}

kugel_status kugel_world_draw_velocities(kugel_world *world, double temperature, double probability,
                                         uint64_t seed)
{
    KG_CHANGE(world);
    const kg_bodies *b = &world->bodies;
    kugel_error error;
    double v[3];
    if (check_drawn(world, temperature, probability, &error)) return kg_refuse_error(world, &error);
    kugel_status status = kg_api_ensure_contacts(world);
    if (status) return status;
    for (uint32_t id = 0, i; (i = next_warm(b, &id)) != KG_NONE;) {
        uint64_t state = begin_numbers(seed, world->tick, b->id[i]);
        if (!(next_uniform(&state) < probability)) continue;
        double sigma = sqrt(temperature / b->mass[i]);
        for (int k = 0; k < 3; ++k) v[k] = sigma * next_normal(&state);
        set_velocity(world, i, v);
    }
    KG_RECORD(world, DRAW_VELOCITIES, .vector = {temperature, probability}, .key = seed);
    return KUGEL_OK;
}
