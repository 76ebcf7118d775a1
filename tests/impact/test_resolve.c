/* Impact budgets and crowding: which impacts of a substep keep their restitution. Each impact is
 * set up by hand: two touching balls approach along x. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/constants.h"
#include "impact/queue.h"
#include "support/support_substep.h"

enum { BUDGET = 5 };
static const double e = 0.5, speed = 4;

/* Balls of 1 m diameter: 0 and 1 are a pair; the world has a threshold of 0.5 m/s, so that impacts
 * can crowd, and a budget of BUDGET. */
static kugel_world *pair_world(support_scene *scene, double restitution, kugel_body_type other)
{
    *scene = support_scene_start();
    scene->def.bounce_threshold = 0.5;
    scene->def.impact_budget = BUDGET;
    for (int k = 0; k < 2; ++k) {
        support_scene_add(scene, (double[3]){k, 0, 0}, (double[3]){k ? -speed : speed, 0, 0}, 0.5,
                          1)
            ->restitution = restitution;
    }
    scene->bodies[1].type = other;
    return support_substep_world(scene, 1);
}

/* Make the two collide at t after they have moved for `age` s; returns their separation speed over
 * their approach speed. */
static double bounce(kugel_world *world, double t, double age)
{
    const double at[2][3] = {{0, 0, 0}, {1, 0, 0}};
    double back[3], v[2][3] = {{speed, 0, 0}, {-speed, 0, 0}};
    for (uint32_t k = 0; k < 2; ++k) {
        for (int x = 0; x < 3; ++x) back[x] = at[k][x] - age * v[k][x];
        support_place(world, k, back, v[k], t - age);
    }
    kg_event event = support_pair_event(world, 0, 1, t);
    if (world->work.contacts.count) event.b |= KG_NEIGHBOUR_RESTING;
    cr_assert_eq(kg_collision_resolve(world, &event), KUGEL_OK);
    return (world->work.motion[1].v[0] - world->work.motion[0].v[0]) / (2 * speed);
}

static void end(kugel_world *world, support_scene *scene)
{
    kugel_world_destroy(world);
    support_scene_free(scene);
}

/* Lossy impacts keep their restitution as often as the budget says, then none does; each body is
 * counted once. Impacts 0.1 s apart are not crowded. */
Test(resolve, budget_of_lossy_impacts)
{
    support_scene scene;
    kugel_world *world = pair_world(&scene, e, KUGEL_DYNAMIC);
    for (int k = 0; k < BUDGET + 3; ++k) {
        double ratio = bounce(world, 0.1 * (k + 1), 0.05);
        cr_assert_float_eq(ratio, k < BUDGET ? e : 0, 1e-14, "impact %d leaves at %.17g", k, ratio);
        cr_assert_eq(world->work.tally.budgets_exhausted, k < BUDGET ? 0 : 2);
        cr_assert_eq(world->work.impact_load[0].impacts, (uint32_t)k + 1);
    }
    cr_assert_eq(world->work.contacts.count, 1, "the pair rests");
    end(world, &scene);
}

/* Lossless impacts of free bodies are not counted. */
Test(resolve, lossless_impacts_are_free)
{
    support_scene scene;
    kugel_world *world = pair_world(&scene, 1, KUGEL_DYNAMIC);
    for (int k = 0; k < 10 * BUDGET; ++k) {
        double ratio = bounce(world, 0.01 * (k + 1), 0.005);
        cr_assert_float_eq(ratio, 1, 1e-14, "impact %d leaves at %.17g", k, ratio);
        cr_assert_eq(world->work.impact_load[0].impacts, 0);
    }
    cr_assert_eq(world->work.tally.budgets_exhausted, 0);
    end(world, &scene);
}

/* A moving kinematic body does work: its impacts count, even lossless ones; it has no budget. */
Test(resolve, kinematic_bodies_cost)
{
    support_scene scene;
    kugel_world *world = pair_world(&scene, 1, KUGEL_KINEMATIC);
    for (int k = 0; k < BUDGET + 2; ++k) {
        double ratio = bounce(world, 0.1 * (k + 1), 0.05);
        cr_assert_float_eq(ratio, k < BUDGET ? 1 : 0, 1e-14, "impact %d leaves at %.17g", k, ratio);
    }
    cr_assert_eq(world->work.tally.budgets_exhausted, 1);
    cr_assert_eq(world->work.impact_load[1].impacts, 0);
    end(world, &scene);
}

/* Impacts after a path below KG_CROWDED_PATH radii are crowded. Beyond KG_CROWDED_INELASTIC of them
 * none has restitution; impacts after longer paths make up for crowded ones. */
Test(resolve, crowded_impacts_lose_restitution)
{
    double path = KG_CROWDED_PATH * 0.5, soon = path / (2 * speed);
    for (int crowded = 0; crowded < 2; ++crowded) {
        support_scene scene;
        kugel_world *world = pair_world(&scene, e, KUGEL_DYNAMIC);
        world->def.impact_budget = 1000;
        for (uint32_t k = 0; k < KG_CROWDED_INELASTIC + 3; ++k) {
            double ratio = bounce(world, 0.01 * (k + 1), soon * (crowded ? 0.9 : 1.1));
            bool keeps = !crowded || k < KG_CROWDED_INELASTIC;
            cr_assert_float_eq(ratio, keeps ? e : 0, 1e-14, "impact %u leaves at %.17g", k, ratio);
            cr_assert_eq(world->work.impact_load[0].crowding, crowded ? k + 1 : 0);
        }
        for (uint32_t k = 0; k < 3 && crowded; ++k) bounce(world, 0.5 + 0.1 * k, 0.05);
        if (crowded) {
            cr_assert_eq(world->work.impact_load[0].crowding, KG_CROWDED_INELASTIC);
            double ratio = bounce(world, 0.9, 0.05);
            cr_assert_float_eq(ratio, e, 1e-14, "leaves at %.17g", ratio);
        }
        end(world, &scene);
    }
}

/* Crowding leads to more substeps: at KG_CROWDED_SQUEEZED, but above KG_CROWDED_REST if the
 * approach would go far in the substep, or if the momentum of a much heavier body would carry the
 * other far.
 * @param ratio mass of the second body over the first's.
 * @param share path of the approach over KG_CROWDED_ENTRY radii. */
static void check_crowding(double ratio, double share)
{
    support_scene scene;
    kugel_world *world = pair_world(&scene, e, KUGEL_DYNAMIC);
    world->def.impact_budget = 1000;
    world->bodies.mass[1] = ratio;
    world->impact->h = share * KG_CROWDED_ENTRY * 0.5 / (2 * speed);
    double load = fmax(ratio, 1 / ratio);
    bool heavy = load > KG_SWEEPS_NORMAL_LOAD && load * share > 1;
    for (uint32_t k = 1; k < KG_CROWDED_SQUEEZED + 2; ++k) {
        bounce(world, 1e-6 * k, 1e-6);
        bool crowded = k > KG_CROWDED_REST, squeezed = k >= KG_CROWDED_SQUEEZED;
        cr_assert_eq(world->work.tally.any_squeezed, squeezed || (crowded && heavy), "impact %u",
                     k);
        cr_assert_eq(world->work.tally.any_pressed, crowded && share > 1, "impact %u", k);
    }
    end(world, &scene);
}

Test(resolve, crowding_is_counted)
{
    const double above = 1.1 * KG_SWEEPS_NORMAL_LOAD, below = 0.9 * KG_SWEEPS_NORMAL_LOAD;
    const double ratios[] = {1, below, above, 1 / below, 1 / above};
    for (int k = 0; k < 5; ++k) {
        check_crowding(ratios[k], 1.1), check_crowding(ratios[k], 0.9);
        check_crowding(ratios[k], 1.05 / above), check_crowding(ratios[k], 0.95 / above);
    }
}

/* Hard spheres, with a threshold of 0, are never crowded: nothing else could hold them. */
Test(resolve, hard_spheres_do_not_crowd)
{
    support_scene scene;
    kugel_world *world = pair_world(&scene, e, KUGEL_DYNAMIC);
    world->def.bounce_threshold = 0;
    world->def.impact_budget = 1000;
    for (uint32_t k = 0; k < 3 * KG_CROWDED_SQUEEZED; ++k) {
        double ratio = bounce(world, 1e-3 * (k + 1), 1e-6);
        cr_assert_float_eq(ratio, e, 1e-14, "impact %u leaves at %.17g", k, ratio);
    }
    cr_assert_eq(world->work.impact_load[0].crowding, 0);
    end(world, &scene);
}

/* A rebound slower than the threshold: no restitution, and the pair begins to rest. */
Test(resolve, slow_impacts_begin_to_rest)
{
    for (int slow = 0; slow < 2; ++slow) {
        support_scene scene;
        kugel_world *world = pair_world(&scene, e, KUGEL_DYNAMIC);
        world->def.bounce_threshold = e * 2 * speed * (slow ? 1 + 1e-9 : 1 - 1e-9);
        double ratio = bounce(world, 0.1, 0.05);
        cr_assert_float_eq(ratio, slow ? 0 : e, 1e-14, "leaves at %.17g", ratio);
        cr_assert_eq(world->work.contacts.count, (uint32_t)slow);
        cr_assert_eq(world->events.pending.begin_count, (size_t)slow);
        end(world, &scene);
    }
}

/* A ball squeezed at one instant by two movers: the impacts have no common solution, so both
 * charges are refunded and one impact is resolved alone. The refund covers what the charges
 * counted: two reach the limit of a squeezed body, one does not. */
Test(resolve, refunded_impacts_squeeze_no_body)
{
    support_scene scene = support_scene_start();
    scene.def.bounce_threshold = 0.5;
    for (int k = -1; k <= 1; ++k) {
        support_scene_add(&scene, (double[3]){k, 0, 0}, (double[3]){-4 * k, 0, 0}, 0.5, 1)->type =
            k ? KUGEL_KINEMATIC : KUGEL_DYNAMIC;
    }
    kugel_world *world = support_substep_world(&scene, 1);
    world->work.impact_load[1].crowding = KG_CROWDED_SQUEEZED - 2;
    bool ok = true;
    for (uint32_t k = 0; k < 2; ++k) {
        kg_event event = support_pair_event(world, k, k + 1, 0);
        cr_assert(kg_queue_push(world, &event));
    }
    kg_event first;
    cr_assert(kg_queue_pop(world, &first, &ok));
    cr_assert(kg_queue_has_simultaneous(world, 0));
    cr_assert_eq(kg_impact_resolve_simultaneous(world, &first), KUGEL_OK);
    cr_assert_eq(world->work.impact_load[1].crowding, KG_CROWDED_SQUEEZED - 1);
    cr_assert(!world->work.tally.any_squeezed);
    end(world, &scene);
}
