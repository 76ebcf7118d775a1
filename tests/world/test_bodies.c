/* Bodies: handles, ids, columns. */
#include <criterion/criterion.h>

#include "support/support_scene.h"
#include "world/world.h"

Test(bodies, handles_survive_churn)
{
    support_random random = support_random_start("bodies", 1);
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    enum { MOST = 200 };
    kugel_body live[MOST], dead[MOST];
    double mark[MOST];
    uint32_t count = 0, buried = 0;
    for (int round = 0; round < 5000; ++round) {
        if (count < MOST && support_uniform(&random) < 0.55) {
            kugel_body_def body = kugel_body_def_default();
            body.position[0] = mark[count] = round;
            body.friction = support_below(&random, 40) * 0.1;
            cr_assert_eq(kugel_body_create(world, &body, &live[count]), KUGEL_OK);
            count += 1;
        } else if (count) {
            uint32_t k = support_below(&random, count);
            cr_assert_eq(kugel_body_destroy(world, live[k]), KUGEL_OK);
            dead[buried++ % MOST] = live[k];
            live[k] = live[--count];
            mark[k] = mark[count];
        }
        uint32_t k = support_below(&random, count ? count : 1);
        kugel_body_state state;
        if (count) {
            cr_assert_eq(kugel_body_get(world, live[k], &state), KUGEL_OK);
            cr_assert_eq(state.position[0], mark[k]);
            cr_assert_eq(kugel_world_body(world, kugel_body_id(live[k])), live[k]);
        }
        if (buried)
            cr_assert_eq(kugel_body_get(world,
                                        dead[support_below(&random, buried < MOST ? buried : MOST)],
                                        &state),
                         KUGEL_ERROR_STALE_HANDLE);
        cr_assert_eq(kugel_world_body_count(world), count);
    }
    kugel_world_destroy(world);
}

/* An id whose generations are used up is given to no body again, in this world and in restored
 * ones: after the last generation old handles would be valid again. */
Test(bodies, ids_retire_after_their_last_generation)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def body = kugel_body_def_default();
    kugel_world *world, *clone;
    kugel_body first, last, next, in_clone;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_body_create(world, &body, &first);
    kugel_body_destroy(world, first);
    world->bodies.generation[0] = KG_GENERATION_LIMIT - 1;
    cr_assert_eq(kugel_body_create(world, &body, &last), KUGEL_OK);
    cr_assert(kugel_body_id(last) == 0 && last >> 32 == KG_GENERATION_LIMIT);
    kugel_body_destroy(world, last);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    kugel_body_create(world, &body, &next);
    kugel_body_create(clone, &body, &in_clone);
    cr_assert(kugel_body_id(next) == 1 && in_clone == next);
    cr_assert(!kugel_body_is_valid(world, first) && !kugel_body_is_valid(world, last));
    kugel_body_destroy(world, next);
    kugel_body_create(world, &body, &next);
    cr_assert_eq(kugel_body_id(next), 1, "it stays retired");
    cr_assert_eq(kugel_world_hash(world) == kugel_world_hash(clone), false);
    kugel_world_destroy(clone);
    kugel_world_destroy(world);
}

Test(bodies, the_lowest_free_id_is_taken)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def body = kugel_body_def_default();
    kugel_world *world;
    kugel_body made[5], again;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (int i = 0; i < 5; ++i) kugel_body_create(world, &body, &made[i]);
    kugel_body_destroy(world, made[3]);
    kugel_body_destroy(world, made[1]);
    kugel_body_create(world, &body, &again);
    cr_assert_eq(kugel_body_id(again), 1);
    cr_assert_neq(again, made[1], "the generation differs");
    kugel_body_create(world, &body, &again);
    cr_assert_eq(kugel_body_id(again), 3);
    kugel_body_create(world, &body, &again);
    cr_assert_eq(kugel_body_id(again), 5);
    kugel_world_destroy(world);
}

/* After the last body of an id: with generation 0 the handle of id 0 would be the null handle. */
Test(bodies, a_generation_is_never_0)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    kugel_body body;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    cr_assert_eq(kugel_body_destroy(world, body), KUGEL_OK);
    world->bodies.generation[0] = KG_GENERATION_LIMIT;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    cr_assert_neq(body, KUGEL_NULL_BODY);
    cr_assert(kugel_body_is_valid(world, body));
    cr_assert_not(kugel_body_is_valid(world, KUGEL_NULL_BODY));
    kugel_world_destroy(world);
}

Test(bodies, permuting_the_columns_changes_nothing_that_shows)
{
    support_random random = support_random_start("permute", 2);
    support_scene scene = support_scene_gas(3, 0.2, KUGEL_FACE_WALL, 5, &random);
    kugel_world *world = support_scene_world(&scene);
    uint64_t before = kugel_world_hash(world);
    uint32_t n = world->bodies.count, order[200];
    double scratch[200];
    for (uint32_t i = 0; i < n; ++i) order[i] = (i * 7 + 3) % n; /* 7 and 108 share no factor */
    for (int k = 0; k < KG_BODY_COLUMNS; ++k)
        kg_bodies_permute_column(&world->bodies, k, order, scratch);
    kg_bodies_set_slots(&world->bodies, 0, n);
    cr_assert_eq(kugel_world_hash(world), before);
    cr_assert_eq(world->bodies.id[0], order[0]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A room's guests, each of a group of its own: what those that have left were made of is given up.
 */
Test(bodies, materials_of_those_that_left_take_no_memory)
{
    enum { GUESTS = 100, ROUNDS = 20000 };
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    kugel_stats early, late;
    kugel_body guests[GUESTS];
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        kugel_body *guest = &guests[round % GUESTS];
        if (round >= GUESTS) cr_assert_eq(kugel_body_destroy(world, *guest), KUGEL_OK);
        kugel_body_def body = kugel_body_def_default();
        body.position[0] = 2 * (round % GUESTS);
        body.group = round + 1;
        cr_assert_eq(kugel_body_create(world, &body, guest), KUGEL_OK);
        if (round % 3 == 0)
            cr_assert_eq(kugel_body_set_filter(world, *guest, 1, 0xffffffffu, round + ROUNDS),
                         KUGEL_OK);
        if (round == 5 * GUESTS) kugel_world_stats(world, &early);
    }
    kugel_world_stats(world, &late);
    cr_assert_eq(late.memory, early.memory, "%zu bytes, then %zu", early.memory, late.memory);
    for (uint32_t round = ROUNDS - GUESTS; round < ROUNDS; ++round) {
        kugel_body_state state;
        cr_assert_eq(kugel_body_get(world, guests[round % GUESTS], &state), KUGEL_OK);
        cr_assert_eq(state.group, round % 3 ? round + 1 : round + ROUNDS);
    }
    kugel_world_destroy(world);
}

/* Wherever the smallest and the largest stand, and however many there are. */
Test(bodies, radii_from_smallest_to_largest)
{
    enum { MOST = 11 };
    kugel_world_def def = kugel_world_def_default();
    for (uint32_t n = 0; n <= MOST; ++n) {
        for (uint32_t small = 0; small < (n ? n : 1); ++small) {
            for (uint32_t large = 0; large < (n ? n : 1); ++large) {
                kugel_world *world;
                kugel_body handle;
                cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
                for (uint32_t i = 0; i < n; ++i) {
                    kugel_body_def body = kugel_body_def_default();
                    body.position[0] = 10 * i;
                    body.radius = i == small ? 0.5 : i == large ? 3 : 1;
                    cr_assert_eq(kugel_body_create(world, &body, &handle), KUGEL_OK);
                }
                kg_radii radii = kg_bodies_radii(&world->bodies);
                double largest = n == 0 ? 0 : small != large ? 3 : n > 1 ? 1 : 0.5;
                cr_assert(radii.smallest == (n ? 0.5 : 0) && radii.largest == largest, "%u: %u, %u",
                          n, small, large);
                kugel_world_destroy(world);
            }
        }
    }
}
