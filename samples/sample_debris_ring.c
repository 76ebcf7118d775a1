/* A ring of debris around a planet. The program applies the planet's gravity to each grain as a
 * force. Inelastic impacts flatten the ring; its angular momentum is conserved. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { GRAINS = 1000, TICKS = 1500 };
static const double dt = 1.0 / 60, pull = 1000; /* s; m^3/s^2: G times the planet's mass */

/* A pseudo-random number in [0, 1). */
static double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* A radius between 0.05 and 0.4 m with a probability density ~ r^-3.5, as fragments of collisions
 * have. */
static double grain_radius(uint64_t *seed)
{
    double small = pow(0.05, -2.5), large = pow(0.4, -2.5);
    return pow(small + random_number(seed) * (large - small), -1 / 2.5);
}

static void add_grain(kugel_world *world, uint64_t *seed)
{
    double distance = 9 + random_number(seed), angle = 2 * acos(-1) * random_number(seed),
           speed = sqrt(pull / distance);
    kugel_body_def grain = kugel_body_def_default();
    grain.radius = grain_radius(seed);
    grain.mass = 1000 * pow(grain.radius, 3);
    grain.restitution = 0.2;
    grain.position[0] = distance * cos(angle), grain.position[1] = distance * sin(angle);
    grain.position[2] = random_number(seed) - 0.5;
    grain.velocity[0] = -speed * sin(angle), grain.velocity[1] = speed * cos(angle);
    kugel_body_create(world, &grain, NULL);
}

/* Applies for the whole tick the force that acts at the grain's place in the middle of the tick.
 * Without impacts this conserves the angular momentum of a grain. */
static void attract(kugel_world *world, kugel_body body)
{
    kugel_body_state s;
    double middle[3], force[3], square = 0;
    if (kugel_body_get(world, body, &s)) return;
    for (int k = 0; k < 3; ++k) {
        middle[k] = s.position[k] + 0.5 * dt * s.velocity[k];
        square += middle[k] * middle[k];
    }
    for (int k = 0; k < 3; ++k) force[k] = -pull * s.mass * middle[k] / (square * sqrt(square));
    kugel_body_apply_force(world, body, force, NULL);
}

/* Angular momentum of all grains about the ring's axis, with their spins. *height receives the mean
 * amplitude of their motion along the axis, m. */
static double angular_momentum(kugel_world *world, double *height)
{
    double sum = *height = 0;
    for (uint32_t id = 1; id <= GRAINS; ++id) {
        kugel_body_state s;
        if (kugel_body_get(world, kugel_world_body(world, id), &s)) return 0;
        const double *x = s.position, *v = s.velocity;
        sum += s.mass * (x[0] * v[1] - x[1] * v[0] + 0.4 * s.radius * s.radius * s.spin[2]);
        double distance = sqrt(x[0] * x[0] + x[1] * x[1]);
        *height += hypot(x[2], v[2] * sqrt(pow(distance, 3) / pull)) / GRAINS;
    }
    return sum;
}

int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.bounce_threshold = def.slop = 0; /* impacts only */
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_body_def planet = kugel_body_def_default();
    planet.type = KUGEL_STATIC;
    planet.radius = 5;
    kugel_body_create(world, &planet, NULL);
    uint64_t seed = 1;
    for (int i = 0; i < GRAINS; ++i) add_grain(world, &seed);
    double before, after, start = angular_momentum(world, &before);
    for (int tick = 0; tick < TICKS; ++tick) {
        for (uint32_t id = 1; id <= GRAINS; ++id) attract(world, kugel_world_body(world, id));
        if (kugel_world_step(world, dt)) return 1;
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    double change = angular_momentum(world, &after) / start - 1;
    printf("%llu impacts: mean height %.3f m, then %.3f m; angular momentum changed by %.1e\n",
           (unsigned long long)stats.impacts_total, before, after, change);
    kugel_world_destroy(world);
    return stats.impacts_total > 1000 && after < 0.75 * before && fabs(change) < 5e-3 ? 0 : 1;
}
