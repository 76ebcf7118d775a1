/* Bulk reads agree with kugel_body_get; the moves of a step are the bodies that changed in it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_pile.h"
#include "support/support_scene.h"

enum { MOST = 700 }; /* more than two blocks of rows */

static void check_row(const kugel_body_arrays *a, uint32_t row, const kugel_body_state *s)
{
    cr_assert_eq(a->bodies[row], s->body);
    cr_assert(!memcmp(a->position + 3 * row, s->position, sizeof s->position));
    cr_assert(!memcmp(a->velocity + 3 * row, s->velocity, sizeof s->velocity));
    cr_assert(!memcmp(a->spin + 3 * row, s->spin, sizeof s->spin));
    cr_assert(!memcmp(a->orientation + 4 * row, s->orientation, sizeof s->orientation));
    cr_assert(a->radius[row] == s->radius && a->mass[row] == s->mass &&
              a->asleep[row] == s->asleep);
    cr_assert_eq(a->user_data[row], s->user_data);
}

static void check_arrays(const kugel_world *world)
{
    static kugel_body bodies[MOST];
    static double position[3 * MOST], velocity[3 * MOST], spin[3 * MOST], radius[MOST], mass[MOST];
    static double orientation[4 * MOST];
    static bool asleep[MOST];
    static uint64_t user_data[MOST];
    static kugel_body_state states[MOST];
    uint32_t count = kugel_world_read_states(world, MOST, states);
    kugel_body_arrays arrays = {.bodies = bodies,
                                .position = position,
                                .velocity = velocity,
                                .spin = spin,
                                .orientation = orientation,
                                .radius = radius,
                                .asleep = asleep,
                                .user_data = user_data,
                                .mass = mass};
    cr_assert_eq(kugel_world_read_arrays(world, MOST, &arrays), count);
    for (uint32_t row = 0; row < count; ++row) check_row(&arrays, row, &states[row]);
    memset(radius, 0, sizeof radius);
    kugel_body_arrays one = {.radius = radius};
    cr_assert_eq(kugel_world_read_arrays(world, 300, &one), count, "others are NULL");
    cr_assert(radius[299] != 0 && radius[300] == 0, "the capacity holds");
    cr_assert_eq(kugel_world_read_arrays(NULL, 1, &one), 0);
    cr_assert_eq(kugel_world_read_arrays(world, 1, NULL), 0);
}

/* First all ids have a row, then some are free. */
Test(read_arrays, agree_with_single_reads)
{
    support_random random = support_random_start("read_arrays", 1);
    support_scene scene = support_pile(8, 10, 0, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].user_data = i * i;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 20);
    check_arrays(world);
    for (uint32_t id = 5; id < 100; id += 3) kugel_body_destroy(world, kugel_world_body(world, id));
    check_arrays(world);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The moves must be the bodies whose position or orientation differs from the step before, and
 * bodies that fell asleep. */
static uint32_t check_moves(const kugel_world *world, const kugel_body_state *before,
                            uint32_t count, uint32_t *fell_asleep)
{
    static kugel_move moves[MOST];
    uint32_t n = kugel_world_moves(world, MOST, moves), at = 0;
    kugel_body_state now;
    for (uint32_t i = 0; i < count; ++i) {
        cr_assert_eq(kugel_body_get(world, before[i].body, &now), KUGEL_OK);
        bool moved = memcmp(now.position, before[i].position, sizeof now.position) ||
                     memcmp(now.orientation, before[i].orientation, sizeof now.orientation);
        if (at == n || moves[at].body != now.body) {
            cr_assert(!moved, "body %u moved", i);
            continue;
        }
        const kugel_move *m = &moves[at++];
        cr_assert(!before[i].asleep || !now.asleep, "body %u slept", i);
        cr_assert_eq(m->fell_asleep, now.asleep);
        cr_assert(!memcmp(m->position, now.position, sizeof now.position));
        cr_assert(!memcmp(m->orientation, now.orientation, sizeof now.orientation));
        cr_assert_eq(m->user_data, now.user_data);
        *fell_asleep += m->fell_asleep;
    }
    cr_assert_eq(at, n);
    return n;
}

Test(moves, are_the_bodies_that_a_step_moved)
{
    static kugel_body_state before[MOST];
    support_random random = support_random_start("moves", 1);
    support_scene scene = support_pile(4, 2, 0, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].user_data = 100 + i;
    kugel_world *world = support_scene_world(&scene);
    uint32_t fell_asleep = 0, moved = 1;
    for (int tick = 0; tick < 1200 && moved; ++tick) {
        uint32_t count = kugel_world_read_states(world, MOST, before);
        support_run(world, 1 / 60., 1);
        moved = check_moves(world, before, count, &fell_asleep);
    }
    cr_assert_eq(moved, 0, "all sleep");
    cr_assert_geq(fell_asleep, scene.count);
    kugel_body_wake(world, kugel_world_body(world, 3));
    cr_assert_eq(kugel_world_moves(world, 0, NULL), 0, "a call woke it: it did not move");
    support_run(world, 1 / 60., 1);
    cr_assert_gt(kugel_world_moves(world, 0, NULL), 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(moves, of_kinematic_bodies_need_a_velocity)
{
    support_scene scene = support_scene_start();
    double v[3] = {1, 0, 0};
    support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.5, 1)->type = KUGEL_KINEMATIC;
    support_scene_add(&scene, (double[3]){5, 0, 0}, v, 0.5, 1)->type = KUGEL_KINEMATIC;
    support_scene_add(&scene, (double[3]){0, 9, 0}, NULL, 0.5, 1)->type = KUGEL_STATIC;
    kugel_world *world = support_scene_world(&scene);
    kugel_move moves[3];
    support_run(world, 0.5, 1);
    cr_assert_eq(kugel_world_moves(world, 3, moves), 1);
    cr_assert(kugel_body_id(moves[0].body) == 1 && moves[0].position[0] == 5.5);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A body that is created in the place of one that fell asleep has its id, not its sleep. */
Test(moves, a_new_body_did_not_fall_asleep)
{
    support_scene scene = support_scene_start();
    scene.def = kugel_world_def_default();
    scene.def.gravity[2] = -9.81;
    support_scene_add(&scene, (double[3]){0, 0, 0.5}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    const kugel_plane ground = {.normal = {0, 0, 1}};
    kugel_body_def def = kugel_body_def_default();
    kugel_body old = kugel_world_body(world, 0), new;
    kugel_move move = {.fell_asleep = false};
    cr_assert_eq(kugel_world_add_plane(world, &ground, NULL), KUGEL_OK);
    for (int tick = 0; tick < 600 && !move.fell_asleep; ++tick) {
        support_run(world, 1 / 60., 1);
        kugel_world_moves(world, 1, &move);
    }
    cr_assert(move.fell_asleep && move.body == old);
    def.position[2] = 5;
    cr_assert_eq(kugel_body_destroy(world, old), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &def, &new), KUGEL_OK);
    cr_assert_eq(kugel_body_id(new), 0);
    kugel_world_moves(world, 1, &move);
    cr_assert(move.body == new && !move.fell_asleep);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
