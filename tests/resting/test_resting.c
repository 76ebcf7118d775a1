/* The six thresholds of resting/resting.h, each from the formula in its table. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "resting/resting.h"

static const double h = 1.0 / 240, threshold = 0.5, slop = 0.01, radius = 0.5;
enum { BUDGET = 32 };

/* A world with one body of these impacts, in a substep of length h. */
static void prepare(kugel_world *world, kg_grid *grid, kg_impact_load *load)
{
    *world = (kugel_world){.grid = grid};
    world->def.bounce_threshold = threshold;
    world->def.slop = slop;
    world->def.impact_budget = BUDGET;
    world->work.impact_load = load;
    world->work.gravity_magnitude = 9.81;
    world->work.substep_ratio = 1;
    world->work.smallest_moving_radius = radius;
    kg_resting_begin_substep(world, h);
}

struct begin_row {
    double gap, approach;
    bool begins, begins_at_threshold_0;
};

Test(resting, a_slow_or_deep_pair_begins)
{
    static const struct begin_row rows[] = {{0, 0.4, true, false},      {0, 0.6, false, false},
                                            {0, -0.1, false, false},    {0.001, 0.4, true, false},
                                            {0.009, 0.4, false, false}, {-0.02, -3, true, true},
                                            {-0.02, 0.6, false, false}};
    static kg_grid grid;
    kugel_world world;
    kg_impact_load load = {0};
    prepare(&world, &grid, &load);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        world.def.bounce_threshold = threshold;
        cr_assert_eq(kg_resting_begins(&world, rows[k].gap, slop, rows[k].approach, h),
                     rows[k].begins, "row %zu", k);
        world.def.bounce_threshold = 0;
        cr_assert_eq(kg_resting_begins(&world, rows[k].gap, slop, rows[k].approach, h),
                     rows[k].begins_at_threshold_0, "row %zu, no threshold", k);
    }
}

Test(resting, the_slop_has_a_minimum)
{
    kugel_world_def def = {.slop = 0};
    cr_assert_eq(kg_resting_slop_share(&def), KG_SLOP_MIN);
    def.slop = slop;
    cr_assert_eq(kg_resting_slop_share(&def), slop);
}

/* Crowding doubles the speed with every second count; beyond the budget impacts do not bounce. */
Test(resting, crowding_raises_the_collision_speed)
{
    static kg_grid grid;
    kugel_world world;
    kg_impact_load load = {.impacts = BUDGET, .crowding = KG_CROWDED_REST};
    prepare(&world, &grid, &load);
    cr_assert_eq(kg_resting_collision_speed(&world, 0, radius),
                 KG_REST_PENETRATION * radius * (1 / h));
    cr_assert_eq(kg_resting_collision_speed(&world, 0, 100), threshold);
    load.crowding = KG_CROWDED_REST + 3;
    cr_assert_eq(kg_resting_collision_speed(&world, 0, radius / 10),
                 2 * KG_CROWDED_PENETRATION * radius / h);
    cr_assert_eq(kg_resting_collision_speed(&world, 0, 100), 2 * threshold);
    load.crowding = KG_CROWDED_EXHAUSTED;
    cr_assert(!kg_resting_is_exhausted(&world, 0));
    cr_assert_eq(kg_resting_collision_speed(&world, 0, 100), 0x1p63 * threshold);
    load.crowding = KG_CROWDED_EXHAUSTED + 1;
    cr_assert(kg_resting_is_exhausted(&world, 0));
    cr_assert_eq(kg_resting_collision_speed(&world, 0, radius), DBL_MAX);
    load.crowding = KG_CROWDED_INELASTIC;
    cr_assert(!kg_resting_is_crowded(&world, 0));
    load.crowding += 1;
    cr_assert(kg_resting_is_crowded(&world, 0));
    load = (kg_impact_load){.impacts = BUDGET + 1};
    cr_assert(kg_resting_is_over_budget(&world, 0) && kg_resting_is_crowded(&world, 0));
}

Test(resting, a_slow_impact_does_not_bounce)
{
    static kg_grid grid;
    kugel_world world;
    kg_impact_load load = {0};
    prepare(&world, &grid, &load);
    cr_assert(kg_resting_bounces(&world, false, 0.5, 0.5));
    cr_assert(!kg_resting_bounces(&world, false, 0.6, 0.49), "below the threshold");
    cr_assert(!kg_resting_bounces(&world, true, 0.5, 0.5), "pressed, at the rest speed");
    cr_assert(kg_resting_bounces(&world, true, 0.51, 0.51));
}

/* A bounce to the height v^2 / 2 a: flat below 1e-10 radii, and never without a pull. */
Test(resting, a_flat_bounce_rests)
{
    const double pull = 9.81;
    for (int above = 0; above < 2; ++above) {
        double height = KG_FLAT_BOUNCE * radius * (above ? 1 + 1e-9 : 1 - 1e-9);
        cr_assert_eq(kg_resting_is_flat(sqrt(2 * pull * height), pull, radius), !above);
    }
    cr_assert(!kg_resting_is_flat(1e-300, 0, radius));
    cr_assert(!kg_resting_is_flat(1e-300, -pull, radius), "parting");
}
