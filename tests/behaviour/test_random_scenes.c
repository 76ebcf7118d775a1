/* Random scenes of ordinary use: no body leaves through a wall or plane, overlaps stay small, all
 * values are finite, and energy does not rise above its bound. support_trial.h states the
 * properties and bounds.
 * Environment: KUGEL_WORLDS, the number of scenes of each class; KUGEL_SEED, the first seed. Each
 * failure prints its seed; the first ones also print a smaller scene with the same fault. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_sanitized.h"
#include "support/support_trial.h"

enum { SCENES = SUPPORT_SANITIZED ? 20 : 120, SHRUNK = 2 };

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

/* @param budget impact budget of all scenes; 0: that of each scene. */
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
/* The impulses of a tick of 1e-30 s must not warm start the next tick as forces. */
Test(random_scenes, mixed_ticks) { check(SUPPORT_TRIAL_MIXED, "mixed_ticks", 0); }
Test(random_scenes, solid_shapes_and_periodic_faces)
{
    check(SUPPORT_TRIAL_SHAPES, "solid_shapes_and_periodic_faces", 0);
}
Test(random_scenes, overlaps_at_the_start)
{
    check(SUPPORT_TRIAL_OVERLAPS, "overlaps_at_the_start", 0);
}

/* With this budget most sliding bodies exhaust it. */
Test(random_scenes, usual_ticks_with_a_budget_of_one_impact)
{
    check(SUPPORT_TRIAL_USUAL, "usual_ticks_with_a_budget_of_one_impact", 1);
}

/* Contacts that begin on a moving body must take momentum from it; else energy rises by 8e-4 of its
 * scale. */
Test(random_scenes, energy_of_contacts_that_begin_on_moving_bodies)
{
    check_scenes(SUPPORT_TRIAL_USUAL, "usual_ticks", 817, 1, 0);
}

/* An open contact with a wall must not count as a support; else energy rises by 1.8e-4, because an
 * impact within the substep adds the anticipated velocity again. */
Test(random_scenes, energy_beside_open_contacts)
{
    check_scenes(SUPPORT_TRIAL_USUAL, "usual_ticks", 201598, 1, 0);
}

/* Rounding of the acceleration may press a ball to a wall repeatedly at one instant; energy rises
 * by 2.4e-4 if the ball then moves on without gravity. */
Test(random_scenes, energy_of_rounding_that_presses_to_a_wall)
{
    check_scenes(SUPPORT_TRIAL_VARYING, "varying_ticks", 59861, 1, 0);
}

/* Sliding bodies with an exhausted impact budget must keep their acceleration; else energy rises by
 * 1.5e-4 and 2.6e-4. */
Test(random_scenes, energy_beyond_the_impact_budget)
{
    check_scenes(SUPPORT_TRIAL_USUAL, "usual_ticks", 205233, 1, 0);
    check_scenes(SUPPORT_TRIAL_OVERLAPS, "overlaps_at_the_start", 2186, 1, 0);
}

/* A ball slides along a wall and a solid shape; rounding presses it to both repeatedly at one
 * instant. It must keep its acceleration; else energy rises by 2.5e-4. A bounce must not reflect
 * the acceleration of the remaining substep; else energy rises by 1.9e-3. */
Test(random_scenes, energy_between_a_wall_and_a_shape)
{
    check_scenes(SUPPORT_TRIAL_SHAPES, "solid_shapes_and_periodic_faces", 310, 1, 0);
    check_scenes(SUPPORT_TRIAL_SHAPES, "solid_shapes_and_periodic_faces", 4965, 1, 0);
}

/* A body that bounces and rests on a movable body must not keep the anticipated velocity of a plane
 * that it has left; else energy rises by 1.1e-4 and 3.4e-4. */
Test(random_scenes, energy_of_bounces_beside_movable_bodies)
{
    check_scenes(SUPPORT_TRIAL_VARYING, "varying_ticks", 58149, 1, 0);
    check_scenes(SUPPORT_TRIAL_VARYING, "varying_ticks", 301793, 1, 0);
}

/* Bodies wedge between others and boundaries. A warm start that keeps their kinetic energy but
 * lifts them raises energy by up to 3.2e-4. */
Test(random_scenes, energy_of_bodies_that_wedge)
{
    const uint64_t seeds[] = {217, 578, 670, 1689};
    for (int k = 0; k < 4; ++k)
        check_scenes(SUPPORT_TRIAL_OVERLAPS, "overlaps_at_the_start", seeds[k], 1, 0);
    check_scenes(SUPPORT_TRIAL_VARYING, "varying_ticks", 2998, 1, 0);
}

/* Moves without velocity must not count as a rise: position correction pushes a ball up along
 * another one, and containment returns centres that were pressed out of walls. */
Test(random_scenes, energy_of_moves_without_a_velocity)
{
    const uint64_t seeds[] = {1868, 301550, 53, 374};
    for (int k = 0; k < 4; ++k)
        check_scenes(SUPPORT_TRIAL_OVERLAPS, "overlaps_at_the_start", seeds[k], 1, 0);
}
