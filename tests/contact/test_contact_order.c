/* Blocks of one colour share no body, and neither do the contacts of a group. */
#include <criterion/criterion.h>
#include <string.h>

#include "contact/contact_order.h"
#include "grid/grid.h"
#include "support/support_scene.h"

static void block_of(const kugel_world *world, const kg_lattice *lattice, const kg_contact *c,
                     int32_t block[3])
{
    const double *xa = world->work.motion[world->bodies.slot[c->a]].x;
    const double *xb =
        c->with == KG_WITH_BODY ? world->work.motion[world->bodies.slot[c->b]].x : xa;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t p = kg_lattice_cell(lattice, axis, xa[axis]) >> KG_BLOCK_SHIFT,
                q = kg_lattice_cell(lattice, axis, xb[axis]) >> KG_BLOCK_SHIFT;
        block[axis] = p < q ? p : q;
    }
}

static bool share_body(const kg_contact *c, const kg_contact *d)
{
    bool pairs = c->with == KG_WITH_BODY, pair_d = d->with == KG_WITH_BODY;
    return c->a == d->a || (pairs && c->b == d->a) || (pair_d && c->a == d->b) ||
           (pairs && pair_d && c->b == d->b);
}

Test(contact_order, blocks_of_one_colour_share_no_body)
{
    support_random random = support_random_start("order", 1);
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 24, KUGEL_FACE_WALL);
    scene.def.gravity[2] = -9.81;
    for (int i = 0; i < 21 * 21 * 3; ++i) {
        double x[3] = {1 + i % 21 * 1.1, 1 + i / 21 % 21 * 1.1, 0.6 + i / 441 * 1.05};
        x[0] += support_between(&random, -0.04, 0.04);
        kugel_body_def *body = support_scene_add(&scene, x, (double[3]){0, 0, 0}, 0.5, 1);
        body->restitution = 0;
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1.0 / 60, 90);
    kg_contact_set *set = &world->work.contacts;
    cr_assert(kg_contact_set_copy(&world->memory, set, &world->contacts));
    world->grid->valid = false; /* all contacts are ordered again */
    cr_assert(kg_contact_order_update(world));
    kg_lattice lattice = kg_lattice_make(&world->def.bounds, KG_CONTACT_CELL_EDGE * 0.5);
    cr_assert(set->count > 500, "only %u contacts", set->count);
    static int32_t owner[27][21 * 21 * 3][3];
    static bool owned[27][21 * 21 * 3];
    uint32_t last_colour = 0, first = 0, groups = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        const uint32_t *order = world->contact->order;
        const kg_contact *c = &set->items[order[k] & KG_ORDER_ITEM_MASK];
        if (order[k] & KG_ORDER_GROUP_START) first = k, groups += 1;
        cr_assert(k - first < KG_LANES, "a group of more than %d", KG_LANES);
        for (uint32_t i = first; i < k; ++i)
            cr_assert(!share_body(&set->items[order[i] & KG_ORDER_ITEM_MASK], c),
                      "contacts %u and %u share a body", i, k);
        int32_t block[3];
        block_of(world, &lattice, c, block);
        uint32_t colour = kg_lattice_colour(&lattice, block);
        cr_assert(colour >= last_colour, "contact %u goes back to colour %u", k, colour);
        last_colour = colour;
        for (int side = 0; side < 2; ++side) {
            if (side && c->with != KG_WITH_BODY) continue;
            uint32_t id = side ? c->b : c->a;
            for (int axis = 0; axis < 3 && owned[colour][id]; ++axis) {
                cr_assert_eq(owner[colour][id][axis], block[axis],
                             "body %u is in two blocks of colour %u", id, colour);
            }
            owned[colour][id] = true;
            for (int axis = 0; axis < 3; ++axis) owner[colour][id][axis] = block[axis];
        }
    }
    cr_assert(set->count > 5 * groups, "groups hold %g contacts of %d", (double)set->count / groups,
              KG_LANES);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Bodies that are too large for blocks. */

static bool is_near(const double x[3], const kugel_body_def *body, double gap)
{
    double d2 = 0, reach = body->radius + 0.5 + gap;
    for (int k = 0; k < 3; ++k) d2 += (x[k] - body->position[k]) * (x[k] - body->position[k]);
    return d2 < reach * reach;
}

/* 4,500 grains fall on a large sphere that is immovable, with two boulders among them. */
static kugel_world *boulders(uint32_t threads)
{
    support_random random = support_random_start("order/boulders", 2);
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 26, KUGEL_FACE_WALL);
    scene.def.gravity[2] = -9.81;
    scene.def.tasks.threads = threads;
    const double still[3] = {0, 0, 0};
    support_scene_add(&scene, (double[]){13, 13, 0}, still, 4, 1)->type = KUGEL_STATIC;
    support_scene_add(&scene, (double[]){6, 6, 7}, still, 3, 216);
    support_scene_add(&scene, (double[]){20, 19, 8}, still, 4, 512);
    for (int i = 0; i < 23 * 23 * 10; ++i) {
        double x[3] = {0.9 + i % 23 * 1.1, 0.9 + i / 23 % 23 * 1.1, 0.6 + i / 529 * 1.05};
        x[0] += support_between(&random, -0.04, 0.04);
        bool taken = false;
        for (uint32_t b = 0; b < 3; ++b) taken |= is_near(x, &scene.bodies[b], 0.05);
        if (!taken) support_scene_add(&scene, x, still, 0.5, 1);
    }
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    support_scene_free(&scene);
    return world;
}

Test(contact_order, ranges_of_one_colour_share_no_movable_body_beside_boulders)
{
    enum { BODIES = 6000 };
    static uint32_t range_of[BODIES], group_of[BODIES];
    kugel_world *world = boulders(1), *threaded = boulders(4);
    const kg_contact_stage *stage = world->contact;
    uint32_t n = world->bodies.count, most_colours = 0, large = 0;
    cr_assert_lt(n, BODIES);
    for (int tick = 0; tick < 90; ++tick) {
        support_run(world, 1.0 / 60, 1);
        support_run(threaded, 1.0 / 60, 1);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(threaded), "tick %d", tick);
        if (tick % 10) continue;
        memset(group_of, 0xff, sizeof group_of);
        for (uint32_t c = 0; c < stage->colour_count; ++c) {
            memset(range_of, 0xff, sizeof range_of);
            for (uint32_t r = stage->colour_first_range[c]; r < stage->colour_first_range[c + 1];
                 ++r) {
                uint32_t end = r + 1 < stage->task_range_count ? stage->task_ranges[r + 1].first
                                                               : stage->ranged_group_count;
                for (uint32_t g = stage->task_ranges[r].first; g < end; ++g) {
                    for (int side = 0; side < 2 * KG_LANES; ++side) {
                        const kg_contact_group *group = &stage->groups[g];
                        uint32_t slot =
                            side < KG_LANES ? group->a[side] : group->b[side - KG_LANES];
                        if (slot == n || !(world->bodies.mass[slot] > 0)) continue;
                        cr_assert(range_of[slot] == KG_NONE || range_of[slot] == r);
                        cr_assert_neq(group_of[slot], g);
                        range_of[slot] = r;
                        group_of[slot] = g;
                        large += world->bodies.radius[slot] > stage->block_radius;
                    }
                }
            }
        }
        most_colours = stage->colour_count > most_colours ? stage->colour_count : most_colours;
    }
    cr_assert_eq(stage->block_radius, 0.5);
    cr_assert(stage->ranged_group_count > 1280 && large > 500, "%u groups, %u contacts of boulders",
              stage->ranged_group_count, large);
    cr_assert_gt(most_colours, 5);
    cr_assert(threaded->contact->parallel);
    kugel_world_destroy(world);
    kugel_world_destroy(threaded);
}

/* The largest radius of the movable bodies, unless few of them are more than four times as large as
 * the others. */
Test(contact_order, block_radius)
{
    static const struct {
        uint32_t count, large;
        double radius, expected;
    } rows[] = {{5000, 0, 5, 0.5},   {5000, 4, 5, 0.5}, {5000, 5, 5, 5}, {5000, 1, 1.9, 1.9},
                {5000, 1, 2.1, 0.5}, {1024, 1, 5, 0.5}, {1023, 1, 5, 5}, {1, 1, 5, 5}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        static double radius[5003] = {1e-3, 100}, mass[5003]; /* two immovable bodies first */
        static uint32_t sleep_state[5003];
        for (uint32_t i = 0; i < rows[k].count; ++i)
            radius[2 + i] = i < rows[k].large ? rows[k].radius : 0.5, mass[2 + i] = 1;
        uint32_t n = 2 + rows[k].count;
        radius[n] = 1000, mass[n] = 1, sleep_state[n] = KG_ASLEEP; /* a sleeping body last */
        kg_bodies bodies = {.count = n + 1, .radius = radius, .mass = mass};
        cr_assert_eq(kg_contact_block_radius(&bodies, sleep_state), rows[k].expected, "row %zu", k);
        sleep_state[n] = 0;
    }
}
