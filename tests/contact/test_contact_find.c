/* A body at a small gap begins to rest when gravity has closed the gap, also if it was inactive
 * until then. A body without a neighbour list begins each contact once. A feature
 * takes over the impulse of another of its surface. */
#include <criterion/criterion.h>
#include <math.h>

#include "kugel/surface.h"
#include "base/constants.h"
#include "support/support_scene.h"

static const double dt = 1 / 60.;

/* Gravity adds g h = 0.16 m/s in the only substep; a ball falls by g h^2 / 2 = 1.4 mm. */
static support_scene falling(void)
{
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = -9.81;
    scene.def.substeps = 1;
    scene.def.bounce_threshold = 0.5;
    scene.def.slop = 0.01;
    scene.def.bounds.max[2] = 10;
    return scene;
}

/* Checks that a ball 1 mm above its support, at rest, begins to rest in the first step, after
 * sqrt(2 gap / g). The gap is rounded by 1e-16 m of 1e-3 m. Destroys the world. */
static void begins_at_once(kugel_world *world, const char *on)
{
    support_run(world, dt, 1);
    size_t count;
    const kugel_touch *begins = kugel_world_begin_events(world, &count);
    cr_assert_eq(count, 1, "%zu rests begin on %s", count, on);
    cr_assert_float_eq(begins->time, sqrt(2 * 0.001 / 9.81), 1e-12, "on %s at %g s", on,
                       begins->time);
    kugel_world_destroy(world);
}

Test(contact_find, a_ball_begins_to_rest_on_a_wall)
{
    support_scene scene = falling();
    scene.def.bounds.faces[4] = KUGEL_FACE_WALL;
    support_scene_add(&scene, (double[3]){0, 0, 0.501}, NULL, 0.5, 1);
    begins_at_once(support_scene_world(&scene), "a wall");
    support_scene_free(&scene);
}

Test(contact_find, a_ball_begins_to_rest_on_a_static_body)
{
    support_scene scene = falling();
    support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.5, 1)->type = KUGEL_STATIC;
    support_scene_add(&scene, (double[3]){0, 0, 1.001}, NULL, 0.5, 1);
    begins_at_once(support_scene_world(&scene), "a static body");
    support_scene_free(&scene);
}

Test(contact_find, a_ball_begins_to_rest_on_a_weightless_body)
{
    support_scene scene = falling();
    support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.5, 1)->gravity_scale = 0;
    support_scene_add(&scene, (double[3]){0, 0, 1.001}, NULL, 0.5, 1);
    begins_at_once(support_scene_world(&scene), "a body without gravity");
    support_scene_free(&scene);
}

Test(contact_find, a_ball_begins_to_rest_on_a_sleeping_body)
{
    support_scene scene = falling();
    scene.def.bounds.faces[4] = KUGEL_FACE_WALL;
    support_scene_add(&scene, (double[3]){0, 0, 0.5}, NULL, 0.5, 1);
    kugel_body_def *above = support_scene_add(&scene, (double[3]){0, 0, 1.501}, NULL, 0.5, 1);
    scene.count = 1;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, dt, 120);
    kugel_body_state state;
    support_state(world, 0, &state);
    cr_assert(state.asleep);
    above->position[2] = state.position[2] + 1.001;
    cr_assert_eq(kugel_body_create(world, above, NULL), KUGEL_OK);
    begins_at_once(world, "a body that sleeps");
    support_scene_free(&scene);
}

enum { GRAINS = 20 };

/* Begin events minus end events of each pair of two bodies. */
static void count_touches(const kugel_touch *touches, size_t count, int step,
                          int rests[GRAINS][GRAINS])
{
    for (size_t k = 0; k < count; ++k) {
        if (touches[k].target == KUGEL_TARGET_BODY)
            rests[kugel_body_id(touches[k].a)][touches[k].index] += step;
    }
}

/* Bodies that outrun their lists in long ticks rest on each other: no pair begins twice. */
static void rests_once(uint64_t seed, double tick)
{
    support_random random = support_random_start("begin", seed);
    support_scene scene = support_scene_mixed(&(support_mix){.count = GRAINS,
                                                             .length = 6,
                                                             .radius = {0.4, 0.7},
                                                             .mass = {1, 8},
                                                             .sigma = 2,
                                                             .face = KUGEL_FACE_WALL},
                                              &random);
    scene.def.gravity[2] = -0.05;
    for (uint32_t k = 0; k < scene.count; ++k) scene.bodies[k].restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    int rests[GRAINS][GRAINS] = {{0}};
    for (int k = 0; k < 8; ++k) {
        size_t begins, ends;
        support_run(world, tick, 1);
        const kugel_touch *begin = kugel_world_begin_events(world, &begins),
                          *end = kugel_world_end_events(world, &ends);
        count_touches(begin, begins, 1, rests);
        count_touches(end, ends, -1, rests);
        for (uint32_t a = 0; a < GRAINS; ++a) {
            for (uint32_t b = 0; b < GRAINS; ++b) {
                cr_assert(rests[a][b] == 0 || rests[a][b] == 1,
                          "seed %d, tick %d of %g s: bodies %u and %u rest %d times", (int)seed,
                          k + 1, tick, a, b, rests[a][b]);
            }
        }
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(contact_find, a_body_that_outruns_its_list_begins_once)
{
    for (uint64_t seed = 1; seed <= 12; ++seed) rests_once(seed, seed % 3 ? 2 : 0.3);
}

enum { COLUMN = 30 };

/* The start of a column of balls that slides at 1 m/s towards a ridge 0.6 m ahead. */
static support_scene sliding_column(double g)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -g;
    scene.def.substeps = 1;
    for (int k = 0; k < COLUMN; ++k)
        support_scene_add(&scene, (double[3]){-0.6, 0, 0.5 + k}, (double[3]){1, 0, 0}, 0.5, 1)
            ->restitution = 0;
    return scene;
}

/* The world of the scene with a level floor of two triangles, up to an edge at x = 0; two more
 * behind the edge fall by `drop` (m) in 50 m. */
static kugel_world *with_ridge(const support_scene *scene, double drop)
{
    kugel_world *world = support_scene_world(scene);
    kugel_surface_def ridge = kugel_surface_def_default();
    ridge.vertices =
        (double[]){-50, -9, 0, 0, -9, 0, 0, 9, 0, -50, 9, 0, 50, -9, -drop, 50, 9, -drop};
    ridge.triangles = (uint32_t[]){0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2};
    ridge.vertex_count = 6, ridge.triangle_count = 4, ridge.friction = 0;
    cr_assert_eq(kugel_surface_create(world, &ridge, NULL), KUGEL_OK);
    return world;
}

/* A column slides over a ridge: the edge takes over the impulse of the facet before it, and the
 * facet behind that of the edge. In a tick of eight substeps the contact with the edge begins and
 * ends. The velocities are those of eight ticks of one substep, up to what the sweeps of both
 * leave, KG_SWEEPS_RESIDUAL g h each: without the warm start of the facet behind they would jump by
 * 0.4 g h. Ticks begin to be compared when the column has settled. */
Test(contact_find, an_impulse_is_taken_over_within_a_tick)
{
    enum { SUBSTEPS = 8, SETTLED = 16 };
    const double h = 1 / 240., g = 10;
    support_scene scene = sliding_column(g);
    kugel_world *apart = with_ridge(&scene, 1);
    scene.def.substeps = SUBSTEPS;
    kugel_world *together = with_ridge(&scene, 1);
    bool passed = false;
    for (int tick = 0; tick < 20; ++tick) {
        size_t begins, ends;
        support_run(apart, h, SUBSTEPS), support_run(together, SUBSTEPS * h, 1);
        kugel_world_begin_events(together, &begins);
        kugel_world_end_events(together, &ends);
        passed = passed || (begins == 2 && ends == 2);
        for (uint32_t k = 0; k < COLUMN && tick >= SETTLED; ++k) {
            kugel_body_state state, other;
            support_state(apart, k, &state), support_state(together, k, &other);
            cr_assert_float_eq(state.velocity[2], other.velocity[2], 2 * KG_SWEEPS_RESIDUAL * g * h,
                               "tick %d, ball %u: %g and %g", tick, k, state.velocity[2],
                               other.velocity[2]);
        }
    }
    cr_assert(passed, "no tick has the whole passage");
    kugel_world_destroy(apart);
    kugel_world_destroy(together);
    support_scene_free(&scene);
}

/* A column slides over a ridge: the contact with the facet behind takes over the impulse of the
 * edge. If a ball far away wakes another in that substep, all groups of contacts are made again,
 * with the same impulse: the velocity of the column does not jump. Without a warm start it would
 * jump by 1.4 g h. */
Test(contact_find, an_impulse_is_taken_over_while_a_body_wakes)
{
    enum { SLEEPER = COLUMN, HITTER };
    const double h = 1 / 240., g = 10;
    support_scene scene = sliding_column(g);
    support_scene_add(&scene, (double[3]){-40, 0, 0.5}, NULL, 0.5, 1)->restitution = 0;
    support_scene_add(&scene, (double[3]){-40, 0, 10}, NULL, 0.5, 1)->restitution = 0;
    scene.bodies[HITTER].gravity_scale = 0;
    kugel_world *world = with_ridge(&scene, 0.05), *again;
    support_run(world, h, 140);
    cr_assert_eq(kugel_body_sleep(world, kugel_world_body(world, SLEEPER)), KUGEL_OK);
    size_t ends = 0, count;
    for (int tick = 0; tick < 10; ++tick) {
        kugel_body_state state, other;
        support_state(world, SLEEPER, &state);
        const double beside[3] = {state.position[0] + 1.0001, 0, state.position[2]},
                     slow[3] = {-0.1, 0, 0};
        cr_assert_eq(kugel_world_clone(world, &again), KUGEL_OK);
        kugel_body hitter = kugel_world_body(again, HITTER);
        cr_assert_eq(kugel_body_set_position(again, hitter, beside), KUGEL_OK);
        cr_assert_eq(kugel_body_set_velocity(again, hitter, slow), KUGEL_OK);
        support_run(world, h, 1), support_run(again, h, 1);
        kugel_world_wake_events(again, &count);
        cr_assert_eq(count, 1);
        kugel_world_end_events(world, &count);
        ends += count;
        for (uint32_t k = 0; k < COLUMN; ++k) {
            support_state(world, k, &state), support_state(again, k, &other);
            cr_assert_float_eq(state.velocity[2], other.velocity[2], 0.25 * g * h,
                               "tick %d, ball %u", tick, k);
        }
        kugel_world_destroy(again);
    }
    cr_assert_geq(ends, 1, "the column did not reach the ridge");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
