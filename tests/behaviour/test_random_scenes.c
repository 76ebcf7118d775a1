/* Random scenes of ordinary use: no body leaves through a wall or plane, overlaps stay small, all
 * values are finite, and energy does not rise above its bound. support_trial.h states the
 * properties and bounds.
 * KUGEL_WORLDS: scenes of each class; KUGEL_SEED: seed of the first one. A failure prints its seed,
 * and the first ones a smaller scene that fails in the same way. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_sanitized.h"
#include "support/support_trial.h"

enum { SCENES = SUPPORT_SANITIZED ? 25 : 200, SHRUNK = 2 };

static void report(const char *test, uint64_t seed, const support_faults *faults)
{
    for (int kind = 0; kind < SUPPORT_FAULT_KINDS; ++kind) {
        const support_fault *fault = &faults->first[kind];
        if (!fault->found) continue;
        fprintf(stderr,
                "KUGEL_SEED=%llu KUGEL_WORLDS=1 --filter 'random_scenes/%s': %s: tick %u, body %u: "
                "%.3g\n",
                (unsigned long long)seed, test, support_fault_name((support_fault_kind)kind),
                fault->tick, fault->body, fault->value);
    }
}

static void print_smaller(const support_trial *trial, const support_faults *faults)
{
    for (int kind = 0; kind < SUPPORT_FAULT_KINDS; ++kind) {
        if (!faults->first[kind].found) continue;
        support_trial smaller = support_trial_copy(trial);
        support_trial_shrink(&smaller, (support_fault_kind)kind);
        support_fault fault = support_trial_run(&smaller).first[kind];
        fprintf(stderr, "%s, a smaller scene (tick %u, body %u: %.3g):\n",
                support_fault_name((support_fault_kind)kind), fault.tick, fault.body, fault.value);
        support_trial_print(&smaller);
        support_trial_free(&smaller);
    }
}

static bool passes(const support_faults *faults)
{
    bool any = false;
    for (int kind = 0; kind < SUPPORT_FAULT_KINDS; ++kind) any = any || faults->first[kind].found;
    return !any;
}

/* `budget`: of impacts, 0 for that of the scene. */
static void check_scenes(support_trial_class class, const char *test, uint64_t seed, uint64_t count,
                         int32_t budget)
{
    uint64_t failed = 0;
    double gain = -1, deep = 0;
    for (uint64_t k = 0; k < count; ++k) {
        support_trial trial = support_trial_make(class, seed + k);
        if (budget) trial.scene.def.impact_budget = budget;
        support_faults faults = support_trial_run(&trial);
        gain = fmax(gain, faults.gain), deep = fmax(deep, faults.deep);
        if (!passes(&faults)) {
            report(test, seed + k, &faults);
            if (failed++ < SHRUNK) print_smaller(&trial, &faults);
        }
        support_trial_free(&trial);
    }
    fprintf(stderr, "%s: largest rise of energy %.2g of its scale, largest overlap %.2g radii\n",
            test, gain, deep);
    cr_assert_eq(failed, 0, "%llu of %llu scenes failed", (unsigned long long)failed,
                 (unsigned long long)count);
}

static void check(support_trial_class class, const char *test, int32_t budget)
{
    const char *scenes = getenv("KUGEL_WORLDS");
    uint64_t count = scenes ? strtoull(scenes, NULL, 0) : SCENES;
    check_scenes(class, test, support_random_start(test, 1).state, count, budget);
}

Test(random_scenes, usual_ticks) { check(SUPPORT_TRIAL_USUAL, "usual_ticks", 0); }
Test(random_scenes, long_ticks) { check(SUPPORT_TRIAL_LONG, "long_ticks", 0); }
Test(random_scenes, varying_ticks) { check(SUPPORT_TRIAL_VARYING, "varying_ticks", 0); }
Test(random_scenes, overlaps_at_the_start)
{
    check(SUPPORT_TRIAL_OVERLAPS, "overlaps_at_the_start", 0);
}

/* Most bodies that slide are beyond such a budget. */
Test(random_scenes, usual_ticks_with_a_budget_of_one_impact)
{
    check(SUPPORT_TRIAL_USUAL, "usual_ticks_with_a_budget_of_one_impact", 1);
}

/* Energy rose by 8e-4 of its scale while contacts that began on moving bodies took no momentum from
 * them. */
Test(random_scenes, energy_of_contacts_that_begin_on_moving_bodies)
{
    check_scenes(SUPPORT_TRIAL_USUAL, "usual_ticks", 817, 1, 0);
}

/* It rose by 1.8e-4 while an open contact with a wall was taken as one that holds: its part of the
 * velocity was that of the substep's end, and an impact within the substep added it again. */
Test(random_scenes, energy_beside_open_contacts)
{
    check_scenes(SUPPORT_TRIAL_USUAL, "usual_ticks", 201598, 1, 0);
}

/* It rose by 2.4e-4: rounding of its acceleration pressed a ball to a wall, again and again at one
 * instant, until it moved on without gravity. */
Test(random_scenes, energy_of_rounding_that_presses_to_a_wall)
{
    check_scenes(SUPPORT_TRIAL_VARYING, "varying_ticks", 59861, 1, 0);
}

/* It rose by 1.5e-4 and 2.6e-4 while sliding bodies beyond their impact budget had no
 * acceleration. */
Test(random_scenes, energy_beyond_the_impact_budget)
{
    check_scenes(SUPPORT_TRIAL_USUAL, "usual_ticks", 205233, 1, 0);
    check_scenes(SUPPORT_TRIAL_OVERLAPS, "overlaps_at_the_start", 2186, 1, 0);
}

/* It rose by 1.1e-4 and 3.4e-4 while a body that bounced off something and rested on a movable body
 * kept the push of a plane that it parted from. */
Test(random_scenes, energy_of_bounces_beside_movable_bodies)
{
    check_scenes(SUPPORT_TRIAL_VARYING, "varying_ticks", 58149, 1, 0);
    check_scenes(SUPPORT_TRIAL_VARYING, "varying_ticks", 301793, 1, 0);
}

/* It rose by up to 3.2e-4 in bodies that wedge between others and boundaries: the warm start alone
 * kept their kinetic energy, but lifted them. */
Test(random_scenes, energy_of_bodies_that_wedge)
{
    const uint64_t seeds[] = {217, 578, 670, 1689};
    for (int k = 0; k < 4; ++k)
        check_scenes(SUPPORT_TRIAL_OVERLAPS, "overlaps_at_the_start", seeds[k], 1, 0);
    check_scenes(SUPPORT_TRIAL_VARYING, "varying_ticks", 2998, 1, 0);
}

/* Without a fault: position correction pushes a ball up along another one, and centres that were
 * pressed out of walls return. */
Test(random_scenes, energy_of_moves_without_a_velocity)
{
    const uint64_t seeds[] = {1868, 301550, 53, 374};
    for (int k = 0; k < 4; ++k)
        check_scenes(SUPPORT_TRIAL_OVERLAPS, "overlaps_at_the_start", seeds[k], 1, 0);
}
