/* A body at a small gap begins to rest in the substep in which gravity closes the gap, also if it
 * was inactive until then. A body without a neighbour list begins each contact once. */
#include <criterion/criterion.h>

#include "support/support_scene.h"

static const double dt = 1 / 60.;

/* Gravity adds g h = 0.16 m/s in the only substep; a ball falls by g h^2 = 2.7 mm. */
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

/* Checks that a ball 2 mm above its support, at rest, begins to rest in one step. Destroys the
 * world. */
static void begins_at_once(kugel_world *world, const char *on)
{
    support_run(world, dt, 1);
    size_t count;
    const kugel_touch *begins = kugel_world_begins(world, &count);
    cr_assert_eq(count, 1, "%zu rests begin on %s", count, on);
    cr_assert_eq(begins->time, 0, "on %s at %g s", on, begins->time);
    kugel_world_destroy(world);
}

Test(contact_find, a_ball_begins_to_rest_on_a_wall)
{
    support_scene scene = falling();
    scene.def.bounds.faces[4] = KUGEL_FACE_WALL;
    support_scene_add(&scene, (double[3]){0, 0, 0.502}, NULL, 0.5, 1);
    begins_at_once(support_scene_world(&scene), "a wall");
    support_scene_free(&scene);
}

Test(contact_find, a_ball_begins_to_rest_on_a_static_body)
{
    support_scene scene = falling();
    support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.5, 1)->type = KUGEL_STATIC;
    support_scene_add(&scene, (double[3]){0, 0, 1.002}, NULL, 0.5, 1);
    begins_at_once(support_scene_world(&scene), "a static body");
    support_scene_free(&scene);
}

Test(contact_find, a_ball_begins_to_rest_on_a_weightless_body)
{
    support_scene scene = falling();
    support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.5, 1)->gravity_scale = 0;
    support_scene_add(&scene, (double[3]){0, 0, 1.002}, NULL, 0.5, 1);
    begins_at_once(support_scene_world(&scene), "a body without gravity");
    support_scene_free(&scene);
}

Test(contact_find, a_ball_begins_to_rest_on_a_sleeping_body)
{
    support_scene scene = falling();
    scene.def.bounds.faces[4] = KUGEL_FACE_WALL;
    support_scene_add(&scene, (double[3]){0, 0, 0.5}, NULL, 0.5, 1);
    kugel_body_def *above = support_scene_add(&scene, (double[3]){0, 0, 1.502}, NULL, 0.5, 1);
    scene.count = 1;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, dt, 120);
    kugel_body_state state;
    support_state(world, 0, &state);
    cr_assert(state.asleep);
    above->position[2] = state.position[2] + 1.002;
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
        const kugel_touch *begin = kugel_world_begins(world, &begins),
                          *end = kugel_world_ends(world, &ends);
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
