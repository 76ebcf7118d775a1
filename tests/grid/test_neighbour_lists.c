/* Verlet lists hold every pair that can meet, in its periodic image, and no cache changes a result.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid/neighbours.h"
#include "support/support_caches.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

/* True when a's list holds b in this image. */
static bool listed(const kg_grid *grid, uint32_t a, uint32_t b, uint32_t image)
{
    for (uint32_t c = a; c != KG_NONE; c = grid->nodes[c].next) {
        for (uint32_t k = 0; k < grid->nodes[c].count; ++k) {
            uint32_t neighbour = grid->nodes[c].neighbour[k];
            if ((neighbour & KG_NEIGHBOUR_SLOT) == b &&
                neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT == image)
                return true;
        }
    }
    return false;
}

/* Test all pairs and images: bodies that can touch within their skins are in each other's lists,
 * once. @return their number. */
static uint32_t check_lists(const kugel_world *world)
{
    const kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count, near = 0, neighbours = 0;
    for (uint32_t a = 0; a < n; ++a) {
        for (uint32_t b = 0; b < n; ++b) {
            for (uint32_t image = 0; image < 27 && a != b; ++image) {
                double offset[3], d2 = 0;
                kg_image_offset(grid->lattice, image, offset);
                bool real = true;
                for (int k = 0; k < 3; ++k) {
                    uint32_t step = k == 0 ? image % 3 : k == 1 ? image / 3 % 3 : image / 9;
                    real = real && (step == 1 || grid->lattice->count[k]);
                    double d = grid->origin[b].x[k] - grid->origin[a].x[k] + offset[k];
                    d2 += d * d;
                }
                double reach = grid->origin[a].radius + grid->origin[b].radius + 2 * grid->skin;
                if (!real || d2 >= reach * reach * (1 - 1e-12)) continue;
                near += 1;
                cr_assert(listed(grid, a, b, image), "%u does not list %u in image %u", a, b,
                          image);
            }
        }
        for (uint32_t c = a; c != KG_NONE; c = grid->nodes[c].next)
            neighbours += grid->nodes[c].count;
    }
    cr_assert(neighbours <= near + near / 100 + 2, "%u neighbours for %u near pairs", neighbours,
              near);
    return near;
}

/* Many overlapping bodies near each other: a block and its surroundings hold too many to copy. The
 * largest body of the level makes its cells large. */
Test(lists, crowded_cells)
{
    support_random random = support_random_start("lists", 8);
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 12, KUGEL_FACE_PERIODIC);
    for (int i = 0; i < 2500; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = support_between(&random, 0, 12);
        support_scene_add(&scene, x, (double[3]){0.1, 0.2, 0.3}, i ? 0.51 : 1, 1);
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1.0 / 60, 1);
    bool any = false;
    for (uint32_t b = 0; b < world->grid->block_count; ++b)
        any = any || world->grid->blocks[b].lacks_halo;
    cr_assert(any, "each block has a halo");
    check_lists(world);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Radii from `least` to 1 times `radius`, evenly in the logarithm. */
static void check_gas_of(kugel_face face, double length, double radius, double least, uint64_t seed)
{
    support_random random = support_random_start("lists", seed);
    support_scene scene = support_scene_start();
    support_scene_box(&scene, length, face);
    for (int i = 0; i < 150; ++i) {
        double x[3], v[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = support_between(&random, 0, length);
            v[k] = support_between(&random, -20, 20);
        }
        support_scene_add(&scene, x, v, radius * pow(least, support_between(&random, 0, 1)), 1);
    }
    kugel_world *world = support_scene_world(&scene);
    support_caches_allow_cell_lists(world, false);
    uint32_t near = 0;
    for (int tick = 0; tick < 20; ++tick) {
        support_run(world, 1.0 / 60, 1);
        near += check_lists(world);
    }
    cr_assert(near > 100, "only %u pairs were near", near);
    cr_assert(least == 0.5 || world->grid->level_count > 2, "%u levels", world->grid->level_count);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

static void check_gas(kugel_face face, double length, double radius, uint64_t seed)
{
    check_gas_of(face, length, radius, 0.5, seed);
}

Test(lists, many_sizes_between_walls) { check_gas_of(KUGEL_FACE_WALL, 30, 4, 0.01, 21); }
Test(lists, many_sizes_without_bounds) { check_gas_of(KUGEL_FACE_OPEN, 30, 4, 0.01, 22); }
Test(lists, many_sizes_in_a_periodic_box) { check_gas_of(KUGEL_FACE_PERIODIC, 30, 4, 0.01, 23); }
Test(lists, many_sizes_in_a_small_periodic_box)
{
    check_gas_of(KUGEL_FACE_PERIODIC, 9, 2, 0.02, 24);
}

/* Three large bodies among many: all pairs are listed; the lists of the others stay short. */
static void check_large(kugel_face face, uint64_t seed)
{
    support_random random = support_random_start("lists/giants", seed);
    support_scene scene = support_scene_start();
    double at[3][3] = {{10, 10, 10}, {31, 30, 29}, {10.5, 30, 38}}, radius[3] = {9, 8, 1.5};
    support_scene_box(&scene, 40, face);
    for (int g = 0; g < 3; ++g) {
        double v[3];
        for (int k = 0; k < 3; ++k) v[k] = support_between(&random, -30, 30);
        support_scene_add(&scene, at[g], v, radius[g], 1000);
    }
    for (int i = 0; i < 600; ++i) {
        double x[3], v[3];
        bool clear = true;
        for (int k = 0; k < 3; ++k)
            x[k] = support_between(&random, 0.3, 39.7), v[k] = support_between(&random, -20, 20);
        for (int g = 0; g < 3; ++g) {
            double d2 = 0;
            for (int k = 0; k < 3; ++k) d2 += pow(x[k] - at[g][k], 2);
            clear = clear && d2 > pow(radius[g] + 0.3, 2);
        }
        if (clear) support_scene_add(&scene, x, v, support_between(&random, 0.15, 0.3), 1);
    }
    kugel_world *world = support_scene_world(&scene), *other = support_scene_world(&scene);
    support_caches_allow_cell_lists(world, false);
    support_caches_allow_cell_lists(other, false);
    uint32_t near = 0;
    for (int tick = 0; tick < 40; ++tick) {
        support_run(world, 1.0 / 60, 1);
        support_caches_rebuild_lists(other);
        support_run(other, 1.0 / 60, 1);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(other), "tick %d", tick);
        if (tick % 5 == 0) near += check_lists(world);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert(stats.impacts_total > 50 && world->list_refreshes > 200 && near > 1000,
              "%d impacts, %d list refreshes, %u near: too few", (int)stats.impacts_total,
              (int)world->list_refreshes, near);
    cr_assert(world->grid->node_count < 1.5 * scene.count, "%u list nodes for %u bodies",
              world->grid->node_count, (unsigned)scene.count);
    kugel_world_destroy(world), kugel_world_destroy(other);
    support_scene_free(&scene);
}

Test(lists, large_bodies_between_walls) { check_large(KUGEL_FACE_WALL, 11); }
Test(lists, large_bodies_in_a_periodic_box) { check_large(KUGEL_FACE_PERIODIC, 12); }

Test(lists, walled_box) { check_gas(KUGEL_FACE_WALL, 12, 0.6, 1); }
Test(lists, periodic_box) { check_gas(KUGEL_FACE_PERIODIC, 12, 0.6, 2); }
Test(lists, periodic_box_of_few_cells) { check_gas(KUGEL_FACE_PERIODIC, 4.1, 0.3, 3); }
Test(lists, periodic_box_with_cells_behind_the_last_block)
{
    check_gas(KUGEL_FACE_PERIODIC, 9.7, 0.5, 7);
}
Test(lists, open_space) { check_gas(KUGEL_FACE_OPEN, 12, 0.6, 4); }

/* Memory does not grow with empty space: two clusters a million metres apart take that of one. */
Test(lists, empty_space_costs_nothing)
{
    size_t memory[2];
    for (int far = 0; far < 2; ++far) {
        support_scene scene = support_scene_start();
        for (int i = 0; i < 200; ++i) {
            double x[3] = {(i % 10) * 1.5 + (far && i >= 100 ? 1e6 : 0), (i / 10 % 10) * 1.5,
                           (i / 100) * 1.5};
            support_scene_add(&scene, x, (double[3]){0.1, 0, 0}, 0.5, 1);
        }
        kugel_world *world = support_scene_world(&scene);
        support_caches_allow_cell_lists(world, false);
        support_run(world, 1.0 / 60, 3);
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        memory[far] = stats.memory;
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert_lt(memory[1], 2 * memory[0]);
}

/* A body that falls 14 km in a step, from rest, has no list instead of thousands of refreshes. */
Test(lists, a_long_fall_costs_no_lists)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    kugel_stats stats;
    def.gravity[2] = -1e8;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    support_run(world, 1.0 / 60, 1);
    kugel_world_stats(world, &stats);
    cr_assert_lt(stats.list_refreshes, 100, "%llu lists", (unsigned long long)stats.list_refreshes);
    kugel_world_destroy(world);
}

/* A body too fast for lists has none until impacts slow it down. A world with cell lists gives the
 * expected hashes. */
Test(lists, a_slowed_body_gets_a_list_again)
{
    support_random random = support_random_start("lists/slowed", 8);
    support_scene scene = support_scene_gas(5, 0.3, KUGEL_FACE_PERIODIC, 1, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].restitution = 0.1;
    scene.bodies[7].mass = 1e-3;
    kugel_world *lists = support_scene_world(&scene), *cells = support_scene_world(&scene);
    support_caches_allow_cell_lists(lists, false);
    for (int tick = 0; tick < 10; ++tick) {
        const double fast[3] = {3000, 1000, -2000};
        cr_assert_eq(kugel_body_set_velocity(lists, kugel_world_body(lists, 7), fast), KUGEL_OK);
        cr_assert_eq(kugel_body_set_velocity(cells, kugel_world_body(cells, 7), fast), KUGEL_OK);
        support_run(lists, 0.02, 1);
        support_run(cells, 0.02, 1);
        cr_assert_eq(kugel_world_hash(lists), kugel_world_hash(cells), "tick %d", tick);
        cr_assert(!support_caches_use_cell_lists(lists) && support_caches_use_cell_lists(cells));
        cr_assert_eq(lists->grid->unlisted_count, 0, "tick %d: %u bodies without a list", tick,
                     lists->grid->unlisted_count);
        cr_assert_gt(check_lists(lists), 100);
    }
    kugel_world_destroy(lists);
    kugel_world_destroy(cells);
    support_scene_free(&scene);
}

/* A run that loses its lists and the order of its columns in every tick has the same hashes. */
static void compare_without_caches(const support_scene *scene, int ticks)
{
    kugel_world *kept = support_scene_world(scene), *lost = support_scene_world(scene);
    for (int tick = 0; tick < ticks; ++tick) {
        support_caches_rebuild_lists(lost);
        support_caches_set_skin(lost, 0.1 + 0.05 * (tick % 7));
        support_caches_sort_columns(lost, tick % 3 == 0);
        support_run(kept, 1.0 / 60, 1);
        support_run(lost, 1.0 / 60, 1);
        cr_assert_eq(kugel_world_hash(kept), kugel_world_hash(lost), "tick %d", tick);
    }
    cr_assert_neq(kept->list_rebuilds, lost->list_rebuilds,
                  "equal list rebuilds: the test compares nothing");
    kugel_world_destroy(kept);
    kugel_world_destroy(lost);
}

Test(caches, do_not_show_in_a_gas)
{
    support_random random = support_random_start("caches", 5);
    support_scene scene = support_scene_gas(5, 0.3, KUGEL_FACE_PERIODIC, 1, &random);
    compare_without_caches(&scene, 100);
    support_scene_free(&scene);
}

Test(caches, do_not_show_in_a_pile)
{
    support_random random = support_random_start("caches", 6);
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 6, KUGEL_FACE_WALL);
    scene.def.gravity[2] = -9.81;
    scene.def.bounds.friction = 0.5;
    for (int i = 0; i < 120; ++i) {
        double x[3] = {0.6 + i % 5 * 1.2, 0.6 + i / 5 % 5 * 1.2, 0.6 + i / 25 * 1.1};
        for (int k = 0; k < 2; ++k) x[k] += support_between(&random, -0.05, 0.05);
        kugel_body_def *body = support_scene_add(&scene, x, (double[3]){0, 0, 0}, 0.5, 1);
        body->restitution = 0.3;
        body->friction = 0.5;
    }
    compare_without_caches(&scene, 240);
    support_scene_free(&scene);
}

/* A list rebuild within a step keeps the counters of impacts. */
Test(caches, rebuilding_keeps_what_impacts_have_counted)
{
    support_random random = support_random_start("caches", 7);
    support_scene scene = support_scene_gas(5, 0.3, KUGEL_FACE_PERIODIC, 1, &random);
    kugel_world *world = support_scene_world(&scene);
    support_caches_allow_cell_lists(world, false);
    support_run(world, 0.01, 1);
    for (uint32_t i = 0; i < world->bodies.count; ++i)
        world->work.motion_version[i] = 7 * i + 1, world->work.impact_load[i].impacts = 3 * i;
    cr_assert(kg_list_rebuild(world, 0, 0.01));
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        cr_assert_eq(world->work.motion_version[i], 7 * i + 1);
        cr_assert_eq(world->work.impact_load[i].impacts, 3 * i);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A pair that comes to rest outside of the lists has one contact: each world can be saved, and the
 * restored world continues with the same hashes. */
Test(lists, pairs_that_rest_beyond_them_rest_once)
{
    support_random random = support_random_start("lists", 12);
    for (int run = 0; run < 20; ++run) {
        support_scene scene = {.def = kugel_world_def_default()};
        support_scene_box(&scene, 8, KUGEL_FACE_PERIODIC);
        for (int i = 0; i < 30; ++i) {
            double x[3], v[3];
            for (int k = 0; k < 3; ++k)
                x[k] = support_between(&random, 0.6, 7.4), v[k] = support_between(&random, -1, 1);
            kugel_body_def *def = support_scene_add(&scene, x, v, 0.5, 1);
            def->restitution = i == 0 ? 0.9 : 0, def->friction = 0.5;
            if (i == 0) def->velocity[0] = run % 2 ? 1e5 : 1e4;
        }
        kugel_world *world = support_scene_world(&scene), *copy;
        for (int tick = 0; tick < 10; ++tick) {
            support_bytes now = support_snapshot_of(world);
            kugel_error error;
            cr_assert_eq(kugel_snapshot_check(now.data, now.size, NULL, &error), KUGEL_OK,
                         "run %d, tick %d: %s %s", run, tick, error.argument, error.message);
            cr_assert_eq(kugel_world_clone(world, &copy), KUGEL_OK);
            cr_assert_eq(kugel_snapshot_restore(copy, now.data, now.size), KUGEL_OK);
            support_run(world, 1 / 60., 1);
            support_run(copy, 1 / 60., 1);
            cr_assert_eq(kugel_world_hash(world), kugel_world_hash(copy), "run %d, tick %d", run,
                         tick);
            kugel_world_destroy(copy);
            free(now.data);
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Slots of the candidates that are marked as resting on the body, as bits by id. */
static uint64_t resting_candidates(const kugel_world *world, uint32_t slot)
{
    uint64_t marked = 0;
    kg_candidates candidates;
    kg_candidates_begin(&candidates, world, slot);
    for (const kg_list_node *node; (node = kg_candidates_next(&candidates));) {
        for (uint32_t k = 0; k < node->count; ++k) {
            uint32_t other = node->neighbour[k] & KG_NEIGHBOUR_SLOT;
            if (node->neighbour[k] & KG_NEIGHBOUR_RESTING)
                marked |= (uint64_t)1 << world->bodies.id[other];
        }
    }
    return marked;
}

/* Contacts that began in the step, more of them than a node has room for, in any order and some of
 * them ended, mark the candidates of a body without a list. */
Test(neighbour_lists, begun_contacts_mark_copied_candidates)
{
    enum { BODIES = 60 };
    support_random random = support_random_start("begun", 11);
    support_scene scene = support_scene_start();
    scene.def.bounce_threshold = 0.5; /* Verlet lists */
    for (int i = 0; i < BODIES; ++i)
        support_scene_add(&scene, (double[3]){3 * (i % 8), 3 * (i / 8), 0}, NULL, 0.5, 1);
    for (uint32_t trial = 0; trial < 40; ++trial) {
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 1e-3, 1);
        uint32_t id = support_below(&random, BODIES), slot = world->bodies.slot[id];
        uint32_t partners = support_below(&random, 40);
        uint64_t expected = 0;
        cr_assert(kg_grid_set_unlisted(world, slot));
        for (uint32_t k = 0; k < BODIES; ++k) world->work.contact_count[k] = 1;
        for (uint32_t k = 0; k < 200; ++k) {
            uint32_t a = support_below(&random, BODIES), b = support_below(&random, BODIES);
            if (k % 5 == 0 && k / 5 < partners) a = id;
            else if (a == id || b == id) continue;
            if (a == b) continue;
            kg_contact c = {.a = a < b ? a : b,
                            .b = a < b ? b : a,
                            .with = KG_WITH_BODY,
                            .ended = support_below(&random, 4) == 0};
            if (a == id && !c.ended) expected |= (uint64_t)1 << b;
            cr_assert(kg_contact_set_add(&world->memory, &world->work.contacts, c));
        }
        uint64_t marked = resting_candidates(world, slot);
        cr_assert_eq(marked, expected, "trial %u: %llx, not %llx", trial,
                     (unsigned long long)marked, (unsigned long long)expected);
        world->work.contacts.count = 0;
        kugel_world_destroy(world);
    }
    support_scene_free(&scene);
}
