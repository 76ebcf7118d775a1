/* Which bodies are aside (world/aside.h) changes no result: a world and its twin stay equal,
 * although the twin gets all its bodies back before each step. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_setters.h"
#include "support/support_snapshot.h"
#include "support/support_worlds.h"
#include "world/world.h"

static const double tick = 1 / 60.; /* s */

static kugel_body add(kugel_world *world, const double x[3], double radius, kugel_body_type type)
{
    kugel_body_def ball = kugel_body_def_default();
    kugel_body made;
    memcpy(ball.position, x, sizeof ball.position);
    ball.radius = radius, ball.type = type;
    ball.rolling_resistance = 0.1;
    cr_assert_eq(kugel_body_create(world, &ball, &made), KUGEL_OK);
    return made;
}

static kugel_world *create_floor(void)
{
    support_scene scene = {.def = kugel_world_def_default(), .plane_count = 1};
    scene.def.gravity[2] = -9.81;
    scene.planes[0] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    return support_scene_world(&scene);
}

/* Both answer alike what is in contact with, and near, each of some bodies. */
static void compare_answers(kugel_world *const world[2], int at)
{
    enum { MOST = 16 };
    uint32_t ids = kugel_world_id_end(world[0]);
    for (uint32_t id = (uint32_t)at % 7; id < ids; id += 7) {
        kugel_resting_contact contacts[2][MOST];
        kugel_found found[2][MOST];
        kugel_body_state state;
        size_t count[2], near[2];
        kugel_body body = kugel_world_body(world[0], id);
        if (body == KUGEL_NULL_BODY) continue;
        support_state(world[0], id, &state);
        memset(contacts, 0, sizeof contacts), memset(found, 0, sizeof found);
        for (int k = 0; k < 2; ++k) {
            cr_assert_eq(kugel_body_contacts(world[k], body, MOST, contacts[k], &count[k]),
                         KUGEL_OK);
            cr_assert_eq(kugel_world_overlap_sphere(world[k], state.position, 1.2, NULL, MOST,
                                                    found[k], &near[k]),
                         KUGEL_OK);
        }
        cr_assert_eq(count[0], count[1], "tick %d, body %u", at, id);
        cr_assert_eq(near[0], near[1], "tick %d, body %u", at, id);
        cr_assert_eq(memcmp(contacts[0], contacts[1], sizeof contacts[0]), 0, "tick %d", at);
        cr_assert_eq(memcmp(found[0], found[1], sizeof found[0]), 0, "tick %d", at);
    }
}

/* Step both. The twin gets all its bodies back before; both are saved and answer alike, which
 * changes nothing in the other. */
static void step_both(kugel_world *const world[2], int at)
{
    support_bytes saved[2];
    uint32_t aside = world[0]->aside.count;
    cr_assert(kg_aside_give_back_all(world[1]));
    cr_assert_eq(kugel_world_hash(world[0]), kugel_world_hash(world[1]), "before tick %d", at);
    compare_answers(world, at);
    for (int k = 0; k < 2; ++k) saved[k] = support_snapshot_of(world[k]);
    cr_assert(saved[0].size == saved[1].size &&
                  memcmp(saved[0].data, saved[1].data, saved[0].size) == 0,
              "tick %d", at);
    cr_assert_eq(world[0]->aside.count, aside);
    for (int k = 0; k < 2; ++k) {
        free(saved[k].data);
        cr_assert_eq(kugel_world_step(world[k], tick), KUGEL_OK);
    }
    cr_assert_eq(kugel_world_hash(world[0]), kugel_world_hash(world[1]), "tick %d", at);
}

static void destroy_both(kugel_world *const world[2])
{
    for (int k = 0; k < 2; ++k) kugel_world_destroy(world[k]);
}

/* A ball rolls into a row of sleepers with gaps: each one that wakes moves on to the next. */
Test(aside, sleepers_that_wake_meet_their_neighbours)
{
    enum { COUNT = 40, WAIT = 200 };
    for (int gap = 1; gap <= 5; gap += 2) {
        kugel_world *world[2] = {create_floor(), create_floor()};
        for (int k = 0; k < 2 * COUNT; ++k) {
            const double x[3] = {k / 2 * (1 + 0.01 * gap), 0, 0.5};
            add(world[k % 2], x, 0.5, KUGEL_DYNAMIC);
        }
        for (int at = 0; at < WAIT; ++at) step_both(world, at);
        cr_assert_eq(world[0]->aside.count, COUNT);
        for (int k = 0; k < 2; ++k) {
            kugel_body ball = add(world[k], (const double[]){-3, 0, 0.5}, 0.5, KUGEL_DYNAMIC);
            cr_assert_eq(kugel_body_set_velocity(world[k], ball, (const double[]){3, 0, 0}),
                         KUGEL_OK);
        }
        for (int at = WAIT; at < 2 * WAIT; ++at) step_both(world, at);
        destroy_both(world);
    }
}

/* Calls end contacts of a body in a row of sleepers that touch, and of one in another row. */
Test(aside, contacts_that_calls_ended_are_not_saved)
{
    enum { COUNT = 40, WAIT = 200 };
    kugel_world *world[2] = {create_floor(), create_floor()};
    kugel_body ball[2 * COUNT];
    for (int k = 0; k < 2 * COUNT; ++k) {
        const double x[3] = {k / 4 * 1., k / 2 % 2 * 10., 0.5};
        ball[k] = add(world[k % 2], x, 0.5, KUGEL_DYNAMIC);
    }
    for (int at = 0; at < WAIT; ++at) step_both(world, at);
    cr_assert_eq(world[0]->aside.count, COUNT);
    for (int k = 0; k < 2; ++k) cr_assert_eq(kugel_body_destroy(world[k], ball[10 + k]), KUGEL_OK);
    cr_assert_gt(world[0]->contacts.ended_count + world[0]->aside.contacts.ended_count, 0);
    cr_assert_gt(world[0]->aside.count, 0);
    for (int at = WAIT; at < WAIT + 20; ++at) step_both(world, at);
    destroy_both(world);
}

/* A body is destroyed among bodies that sleep, another gets its id; then a restored snapshot has
 * all as it was. */
Test(aside, a_restored_world_forgets_what_calls_ended)
{
    enum { COUNT = 40, WAIT = 200 };
    kugel_world *world[2] = {create_floor(), create_floor()};
    kugel_body ball[2 * COUNT];
    for (int k = 0; k < 2 * COUNT; ++k)
        ball[k] = add(world[k % 2], (const double[]){k / 2 * 1., 0, 0.5}, 0.5, KUGEL_DYNAMIC);
    for (int at = 0; at < WAIT; ++at) step_both(world, at);
    support_bytes saved = support_snapshot_of(world[0]);
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < 2; ++k) {
            cr_assert_eq(kugel_body_destroy(world[k], ball[20 + k]), KUGEL_OK);
            kugel_body next = add(world[k], (const double[]){0, 5, 0.5}, 0.5, KUGEL_STATIC);
            cr_assert_eq(kugel_body_id(next), kugel_body_id(ball[20 + k]));
        }
        for (int at = 0; at < 20 * round; ++at) step_both(world, at);
        for (int k = 0; k < 2; ++k)
            cr_assert_eq(kugel_snapshot_restore(world[k], saved.data, saved.size), KUGEL_OK);
        for (int at = 0; at < 60; ++at) step_both(world, at);
    }
    free(saved.data);
    destroy_both(world);
}

/* Kinematic balls at rest under balls that spin; then one of them moves into a sleeper beside. */
Test(aside, kinematic_bodies_that_start_meet_their_neighbours)
{
    enum { COUNT = 30, WAIT = 200 };
    kugel_world *world[2] = {create_floor(), create_floor()};
    kugel_body first[2];
    for (int k = 0; k < 2 * COUNT; ++k) {
        kugel_world *w = world[k % 2];
        double y = 10. * (k / 2);
        kugel_body moving = add(w, (const double[]){0, y, 2}, 2, KUGEL_KINEMATIC);
        if (k < 2) first[k] = moving;
        add(w, (const double[]){2.062, y, 0.5}, 0.5, KUGEL_DYNAMIC);
        kugel_body top = add(w, (const double[]){0, y, 4.25}, 0.25, KUGEL_DYNAMIC);
        cr_assert_eq(support_set_friction(w, top, 0), KUGEL_OK);
        cr_assert_eq(kugel_body_set_spin(w, top, (const double[]){0, 0, 5}), KUGEL_OK);
    }
    for (int at = 0; at < WAIT; ++at) step_both(world, at);
    cr_assert_gt(world[0]->aside.count, 0);
    for (int k = 0; k < 2; ++k)
        kugel_body_set_velocity(world[k], first[k], (const double[]){1.5, 0, 0});
    for (int at = WAIT; at < WAIT + 100; ++at) step_both(world, at);
    destroy_both(world);
}

/* Small bodies so far away that cells have no neighbours in double numbers. */
Test(aside, cells_end_where_numbers_do)
{
    kugel_world *world[2] = {create_floor(), create_floor()};
    for (int k = 0; k < 80; ++k)
        add(world[k % 2], (const double[]){9e14 + k / 2, 0, 1e14}, 1e-12, KUGEL_STATIC);
    for (int k = 0; k < 2; ++k) {
        kugel_body ball = add(world[k], (const double[]){0, 0, 5}, 0.5, KUGEL_DYNAMIC);
        support_set_restitution(world[k], ball, 1);
    }
    for (int at = 0; at < 120; ++at) step_both(world, at);
    cr_assert_eq(world[0]->aside.count, 40);
    destroy_both(world);
}

/* Contacts of two sizes in a pit: a far small body does not change how they are measured. */
Test(aside, far_bodies_do_not_change_how_contacts_are_measured)
{
    kugel_world *alone = create_floor(), *beside = create_floor();
    for (int k = 0; k < 2 * 12; ++k) {
        kugel_world *w = k % 2 ? alone : beside;
        const double x[3] = {3 * (k / 2 % 2), 2. * (k / 4 % 3), 4 + 5. * (k / 12)};
        add(w, x, k / 2 % 3 ? 1 : 3.5, KUGEL_DYNAMIC);
    }
    for (int k = 0; k < 30; ++k) add(beside, (const double[]){1000 + k, 0, 5}, 0.1, KUGEL_STATIC);
    for (int at = 0; at < 300; ++at) {
        support_run(alone, tick, 1), support_run(beside, tick, 1);
        for (uint32_t id = 0; id < 12; ++id) {
            kugel_body_state a, b;
            support_state(alone, id, &a), support_state(beside, id, &b);
            for (int k = 0; k < 3; ++k)
                cr_assert_eq(a.position[k], b.position[k], "tick %d, body %u", at, id);
        }
    }
    kugel_world_destroy(alone), kugel_world_destroy(beside);
}
