/* The table of pairs: places of rows, and which worlds lose no energy. */
#include <criterion/criterion.h>

#include "support/support_scene.h"
#include "world/pair_filter.h"

Test(pairs, each_pair_has_a_place_of_its_own)
{
    enum { PLACES = KUGEL_KIND_COUNT * (KUGEL_KIND_COUNT + 1) / 2 };
    bool taken[PLACES] = {false};
    for (uint32_t a = 0; a < KUGEL_KIND_COUNT; ++a) {
        for (uint32_t b = 0; b <= a; ++b) {
            uint32_t place = kg_pairs_place(a, b);
            cr_assert_eq(place, kg_pairs_place(b, a));
            cr_assert_lt(place, PLACES);
            cr_assert(!taken[place], "%u and %u", a, b);
            taken[place] = true;
        }
    }
}

/* A box of walls with two kinds of bodies, 1 and 2; wall kind 3, and a surface of kind 4. */
static kugel_world *make_world(double restitution, double friction)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_WALL);
    for (int k = 0; k < 6; ++k) scene.def.face_kinds[k] = 3;
    for (uint32_t kind = 1; kind <= 2; ++kind) {
        kugel_body_def *ball =
            support_scene_add(&scene, (double[3]){3.0 * kind, 5, 5}, (double[3]){0}, 0.5, 1);
        ball->restitution = restitution, ball->friction = friction, ball->kind = kind;
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def floor = kugel_surface_def_plane((double[3]){0, 0, 1}, 1);
    floor.kind = 4;
    cr_assert_eq(kugel_surface_create(world, &floor, NULL), KUGEL_OK);
    support_scene_free(&scene);
    return world;
}

static void set(kugel_world *world, uint32_t a, uint32_t b, double restitution, double friction)
{
    const kugel_pair_material pair = {restitution, friction, 0, 0};
    cr_assert_eq(kugel_world_set_pair_material(world, a, b, &pair), KUGEL_OK);
}

/* Lossless bodies stay so with lossless pairs and with pairs that no two things have, such as two
 * boundaries. */
Test(pairs, of_things_that_meet_decide_whether_energy_is_lost)
{
    static const uint32_t lossy[][2] = {{1, 1}, {1, 2}, {2, 3}, {4, 1}};
    kugel_world *world = make_world(1, 0);
    cr_assert(kg_pairs_are_lossless(world));
    set(world, 0, 1, 0.5, 0), set(world, 5, 2, 0.5, 0), set(world, 3, 4, 0, 1);
    set(world, 3, 3, 0, 1), set(world, 1, 1, 1, 0);
    cr_assert(kg_pairs_are_lossless(world));
    for (int k = 0; k < 4; ++k) {
        set(world, lossy[k][0], lossy[k][1], k % 2 ? 1 : 0.9, k % 2 ? 0.1 : 0);
        cr_assert(!kg_pairs_are_lossless(world), "pair %d", k);
        cr_assert_eq(kugel_world_set_pair_material(world, lossy[k][1], lossy[k][0], NULL),
                     KUGEL_OK);
        cr_assert(kg_pairs_are_lossless(world), "without pair %d", k);
    }
    kugel_world_destroy(world);
}

/* Lossy bodies lose nothing if all their pairs are in the table, without a loss. */
Test(pairs, can_make_lossy_bodies_lossless)
{
    static const uint32_t all[][2] = {{1, 1}, {1, 2}, {2, 2}, {3, 1}, {3, 2}, {1, 4}, {2, 4}};
    kugel_world *world = make_world(0.5, 0.5);
    for (int k = 0; k < 7; ++k) {
        cr_assert(!kg_pairs_are_lossless(world), "%d pairs", k);
        set(world, all[k][0], all[k][1], 1, 0);
    }
    cr_assert(kg_pairs_are_lossless(world));
    const kugel_pair_material rolls = {1, 0, 0.1, 0};
    cr_assert_eq(kugel_world_set_pair_material(world, 1, 2, &rolls), KUGEL_OK);
    cr_assert(!kg_pairs_are_lossless(world));
    kugel_world_destroy(world);
}
