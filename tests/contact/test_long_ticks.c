/* Ticks of a thousand substeps and more: contacts that ended leave the solver within the tick. */
#include <criterion/criterion.h>

#include "contact/contact.h"
#include "support/support_scene.h"

enum { BALLS = 300 };

/* Balls that strike each other, and settle within the tick. */
static support_scene crowd(int32_t limit)
{
    support_random random = support_random_start("long ticks", 1);
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 2, KUGEL_FACE_WALL);
    scene.def.gravity[2] = -9.81, scene.def.step_event_limit = limit;
    for (int i = 0; i < BALLS; ++i) {
        double x[3] = {0.12 + 0.22 * (i % 8), 0.12 + 0.22 * (i / 8 % 8), 0.12 + 0.21 * (i / 64)},
               v[3];
        support_direction(&random, 10, v);
        kugel_body_def *ball = support_scene_add(&scene, x, v, 0.1, 1);
        ball->restitution = 0.4, ball->friction = 0.4;
    }
    return scene;
}

/* A ball has at most three contacts, and as many may have ended; most groups hold two or more. When
 * ended contacts kept their lanes to the end of the tick, there were 2,172 groups. */
Test(long_ticks, ended_contacts_leave_the_solver)
{
    support_scene scene = crowd(0);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 5, 1);
    size_t groups = world->contact->columns[KG_CONTACT_COLUMN_GROUPS].capacity;
    cr_assert_lt(groups, 4 * BALLS, "%zu groups", groups);
    cr_assert_lt(support_worst_overlap(&scene, world), 0.01);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The contacts after a refused tick are those before it, although the tick had ordered its own
 * again, 0.2 s after its start. */
Test(long_ticks, a_refused_one_changes_nothing)
{
    support_scene scene = crowd(4000), other = crowd(0);
    kugel_world *worlds[2] = {support_scene_world(&scene), support_scene_world(&other)};
    kugel_stats stats;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) support_run(worlds[k], 1 / 60., 20);
    kugel_world_stats(worlds[0], &stats);
    hash[0] = kugel_world_hash(worlds[0]);
    cr_assert_gt(stats.resting_contacts, 0);
    cr_assert_eq(kugel_world_step(worlds[0], 5), KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_world_hash(worlds[0]), hash[0]);
    for (int tick = 0; tick < 100; ++tick) {
        for (int k = 0; k < 2; ++k)
            support_run(worlds[k], 1 / 60., 1), hash[k] = kugel_world_hash(worlds[k]);
        cr_assert_eq(hash[0], hash[1], "tick %d", tick);
    }
    for (int k = 0; k < 2; ++k) kugel_world_destroy(worlds[k]);
    support_scene_free(&scene);
    support_scene_free(&other);
}
