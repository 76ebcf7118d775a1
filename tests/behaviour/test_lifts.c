/* Random scenes at the defaults, without overlaps at the start: energy, with all moves that position
 * correction makes, never rises by more than 1e-4 of its scale above its smallest value so far. The
 * scale is the kinetic energy at the start and the potential energy of a fall through the box.
 * Environment: KUGEL_WORLDS, the number of scenes; KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_trial.h"

enum { SCENES = 100 };

/* The scene of a seed with the settings of the defaults. */
static kugel_world *make_world(support_trial *trial, support_energy *energy)
{
    kugel_world_def def = kugel_world_def_default();
    def.bounds = trial->scene.def.bounds;
    for (int k = 0; k < 3; ++k) def.gravity[k] = trial->scene.def.gravity[k];
    trial->scene.def = def;
    for (uint32_t i = 0; i < trial->scene.count; ++i) {
        kugel_body_def *body = &trial->scene.bodies[i];
        if (body->type == KUGEL_KINEMATIC) body->type = KUGEL_DYNAMIC;
    }
    *energy = support_energy_start(&trial->scene);
    return support_scene_world(&trial->scene);
}

static double energy_of(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return stats.kinetic_energy + stats.potential_energy;
}

/* Largest rise of the energy as a share of its scale. */
static double rise_of(uint64_t seed)
{
    support_trial trial = support_trial_make(SUPPORT_TRIAL_USUAL, seed);
    support_energy energy;
    kugel_world *world = make_world(&trial, &energy);
    double least = energy_of(world), rise = 0;
    for (uint32_t tick = 0; tick < trial.tick_count && energy.scale > 0; ++tick) {
        support_run(world, trial.ticks[tick], 1);
        double now = energy_of(world);
        rise = fmax(rise, (now - least) / energy.scale);
        least = fmin(least, now);
    }
    kugel_world_destroy(world);
    support_trial_free(&trial);
    return rise;
}

static void check(uint64_t seed, uint64_t count)
{
    for (uint64_t k = seed; k < seed + count; ++k) {
        double rise = rise_of(k);
        cr_expect(rise <= SUPPORT_TRIAL_ENERGY, "KUGEL_SEED=%llu KUGEL_WORLDS=1: %g",
                  (unsigned long long)k, rise);
    }
}

Test(lifts, energy_does_not_rise)
{
    const char *scenes = getenv("KUGEL_WORLDS");
    check(support_random_start("lifts", 3000).state, scenes ? strtoull(scenes, NULL, 0) : SCENES);
}

/* Energy rose by 1.04e-4 to 2.04e-4 where impacts pressed a ball into walls and planes on which it
 * rested, because position correction then lifted it. */
Test(lifts, energy_of_balls_that_land_in_wedges)
{
    const uint64_t seeds[] = {1042, 1337, 1625, 2252};
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; ++k) check(seeds[k], 1);
}
