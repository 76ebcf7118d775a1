/* The fast path of elastic impacts has the bits of the general law, and leaves every other impact
 * to it. */
#include <criterion/criterion.h>
#include <string.h>

#include "impact/collision.h"
#include "support/support_substep.h"

static support_scene gas(uint64_t seed)
{
    support_random random = support_random_start("elastic", seed);
    support_scene scene = support_scene_gas(4, 0.3, KUGEL_FACE_PERIODIC, 5, &random);
    for (uint32_t i = 0; i < scene.count; i += 3) scene.bodies[i].mass = 1.5 + i % 7;
    return scene;
}

/* Impacts of random pairs at random times in both worlds: the same motions, reports and counters.
 */
Test(elastic, has_the_bits_of_the_general_law)
{
    support_scene scene = gas(1);
    kugel_world *fast = support_substep_world(&scene, 1), *plain = support_substep_world(&scene, 1);
    support_random random = support_random_start("elastic/pairs", 2);
    uint32_t n = scene.count, used = 0;
    double t = 0;
    fast->work.all_lossless = true;
    for (int k = 0; k < 2000; ++k) {
        uint32_t i = support_below(&random, n), j = support_below(&random, n);
        if (i == j) continue;
        t += support_uniform(&random) * 4e-4;
        kg_event p = support_pair_event(fast, i, j, t), q = support_pair_event(plain, i, j, t);
        kugel_status status = KUGEL_ERROR_LIMIT;
        cr_assert(kg_elastic_resolve(fast, &p, &status) && status == KUGEL_OK);
        cr_assert(!kg_elastic_resolve(plain, &q, &status), "some impact loses energy");
        cr_assert_eq(kg_collision_resolve(plain, &q), KUGEL_OK);
        cr_assert_eq(memcmp(fast->work.motion, plain->work.motion, n * sizeof(kg_motion)), 0,
                     "impact %d of %u and %u", k, i, j);
        used += 1;
    }
    const kg_event_set *p = &fast->events.pending, *q = &plain->events.pending;
    cr_assert(p->impact_count == q->impact_count &&
                  p->impact_count > 100, /* more and more pairs part */
              "%zu and %zu reports of %u impacts", p->impact_count, q->impact_count, used);
    cr_assert_eq(memcmp(p->impacts, q->impacts, p->impact_count * sizeof *p->impacts), 0);
    cr_assert_eq(memcmp(fast->work.motion_version, plain->work.motion_version, n * 4), 0);
    kugel_world_destroy(fast), kugel_world_destroy(plain);
    support_scene_free(&scene);
}

/* A whole world is elastic if every impact in it is. */
Test(elastic, applies_to_whole_worlds)
{
    enum { LOSS, FRICTION, STATIC, GRAVITY, THRESHOLD, SENSOR, ELASTIC, CASES };
    for (int c = 0; c < CASES; ++c) {
        support_scene scene = gas(4);
        if (c == LOSS) scene.bodies[9].restitution = 0.99;
        if (c == FRICTION) scene.bodies[9].friction = 0.01;
        if (c == STATIC) scene.bodies[9].type = KUGEL_STATIC;
        for (int k = 0; k < 3 && c == STATIC; ++k) scene.bodies[9].velocity[k] = 0;
        if (c == GRAVITY) scene.def.gravity[0] = 1e-100;
        if (c == THRESHOLD) scene.def.bounce_threshold = 1e-3;
        if (c == SENSOR) scene.bodies[9].sensor = true;
        kugel_world *world = support_substep_world(&scene, 0.01);
        memset(world->work.frame, KG_FRAME_INERTIAL,
               scene.count); /* so that gravity alone counts */
        cr_assert_eq(kg_elastic_applies_to_world(world), c == ELASTIC, "case %d", c);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* What the fast path must not take: a world in which some impact loses energy, a resting pair, a
 * boundary, an impact over no path. Nothing changes then. */
Test(elastic, leaves_other_impacts_alone)
{
    enum { LOSS, RESTING, BOUNDARY, NO_PATH, ELASTIC, CASES };
    for (int c = 0; c < CASES; ++c) {
        support_scene scene = gas(3);
        kugel_world *world = support_substep_world(&scene, 1);
        world->work.all_lossless = c != LOSS;
        if (c == NO_PATH) world->work.motion[0].clock = world->work.motion[1].clock = 0.1;
        kg_motion *before = kg_allocate(&world->memory, scene.count * sizeof *before);
        memcpy(before, world->work.motion, scene.count * sizeof *before);
        kg_event e = support_pair_event(world, 0, 1, 0.1);
        if (c == RESTING) e.b |= KG_NEIGHBOUR_RESTING;
        if (c == BOUNDARY) e = support_boundary_event(world, 0, 4, 0.1);
        kugel_status status;
        bool taken = kg_elastic_resolve(world, &e, &status);
        cr_assert_eq(taken, c == ELASTIC, "case %d", c);
        bool same = memcmp(before, world->work.motion, scene.count * sizeof *before) == 0;
        cr_assert_eq(same, c != ELASTIC, "case %d", c);
        kg_free(&world->memory, before, scene.count * sizeof *before);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
