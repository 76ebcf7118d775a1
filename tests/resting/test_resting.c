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
    double gap, approach; /* m; m/s at the substep's end */
    bool begins, begins_at_threshold_0;
};

Test(resting, a_touching_or_deep_pair_begins)
{
    static const struct begin_row rows[] = {
        {0, 0.4, true, false},     {0, 0.6, false, false},     {0, -0.1, false, false},
        {1e-3, 0.4, false, false}, {1e-7, 0.4, true, false},   {-1e-3, 0.4, true, false},
        {-0.02, -3, true, true},   {-0.02, 0.6, false, false}, {-1e-3, -0.1, false, false}};
    static kg_grid grid;
    kugel_world world;
    kg_impact_load load = {0};
    prepare(&world, &grid, &load);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        kg_resting_pair pair = {
            .gap = rows[k].gap, .radius = 1, .approach = rows[k].approach, .restitution = 1};
        world.def.bounce_threshold = threshold;
        cr_assert_eq(kg_resting_begins(&world, &pair, h), rows[k].begins, "row %zu", k);
        world.def.bounce_threshold = 0;
        cr_assert_eq(kg_resting_begins(&world, &pair, h), rows[k].begins_at_threshold_0,
                     "row %zu, no threshold", k);
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
                 2 * KG_REST_PENETRATION * radius / 10 * (1 / h));
    load.crowding = KG_CROWDED_EXHAUSTED;
    cr_assert(!kg_resting_is_exhausted(&world, 0));
    cr_assert_eq(kg_resting_collision_speed(&world, 0, 100),
                 0x1p63 * (KG_REST_PENETRATION * 100 * (1 / h)));
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

/* With a threshold in the def the speed of the rebound decides, also without a pull. */
Test(resting, a_slow_rebound_rests)
{
    kugel_world world = {.def.bounce_threshold = threshold};
    cr_assert(!kg_resting_ends_bounce(&world, 1, 0.5, 0, radius));
    cr_assert(kg_resting_ends_bounce(&world, 1, 0.49, 0, radius));
    cr_assert(!kg_resting_ends_bounce(&world, 0.25, 2, 0, radius));
    cr_assert(kg_resting_ends_bounce(&world, 0.25, 1.99, 0, radius));
    cr_assert(kg_resting_ends_bounce(&world, 0, 1e9, 0, radius));
}

/* A rebound to the height (e v)^2 / 2 a: by default it ends below radius / 39.24, with a threshold
 * of 0 below 1e-10 radii, and never without a pull. */
Test(resting, a_low_rebound_rests)
{
    const double pull = 9.81, restitution = 0.5;
    for (int by_size = 0; by_size < 2; ++by_size) {
        kugel_world world = {.def.bounce_threshold = by_size ? KUGEL_BOUNCE_BY_SIZE : 0};
        for (int above = 0; above < 2; ++above) {
            double height = (by_size ? 1 / 39.24 : 1e-10) * radius * (above ? 1 + 1e-9 : 1 - 1e-9),
                   speed = sqrt(2 * pull * height) / restitution;
            cr_assert_eq(kg_resting_ends_bounce(&world, restitution, speed, pull, radius), !above);
        }
        cr_assert(!kg_resting_ends_bounce(&world, restitution, 1e-140, 0, radius));
        cr_assert(!kg_resting_ends_bounce(&world, restitution, 1e-140, -pull, radius), "parting");
    }
}

/* Supports press a body by what accelerates it, except boundaries alone. */
Test(resting, the_load_of_a_body_follows_from_its_supports)
{
    double mass[3] = {1, 1, 0};
    uint32_t contacts[3] = {0, 1, 1};
    kg_boundary_set boundaries[3] = {0};
    kugel_world world = {.bodies.mass = mass};
    world.work.gravity_magnitude = 9.81;
    world.work.contact_count = contacts;
    world.work.resting_boundaries = boundaries;
    cr_assert_eq(kg_resting_load(&world, 0), 0, "without contacts");
    cr_assert_eq(kg_resting_load(&world, 1), 9.81, "on a body");
    cr_assert_eq(kg_resting_load(&world, 2), 0, "immovable");
    cr_assert_eq(kg_resting_load(&world, KG_NONE), 0, "a boundary");
    cr_assert_eq(kg_resting_pull(&world, 0, 1, 20), 20);
    cr_assert_eq(kg_resting_pull(&world, 0, 1, -20), 9.81);
    boundaries[1] = 1;
    cr_assert_eq(kg_resting_load(&world, 1), 0, "on a face alone");
}
