/* Blocks of one colour share no body, and neither do the contacts of a group. */
#include <criterion/criterion.h>

#include "contact/contact.h"
#include "grid/grid.h"
#include "support/support_scene.h"

static void block_of(const kugel_world *world, const kg_lattice *lattice, const kg_contact *c,
                     int32_t block[3])
{
    const double *xa = world->work.motion[world->bodies.slot[c->a]].x;
    const double *xb =
        c->other == KG_OTHER_BODY ? world->work.motion[world->bodies.slot[c->b]].x : xa;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t p = kg_lattice_cell(lattice, axis, xa[axis]) >> KG_BLOCK_SHIFT,
                q = kg_lattice_cell(lattice, axis, xb[axis]) >> KG_BLOCK_SHIFT;
        block[axis] = p < q ? p : q;
    }
}

static bool share_body(const kg_contact *c, const kg_contact *d)
{
    bool pairs = c->other == KG_OTHER_BODY, pair_d = d->other == KG_OTHER_BODY;
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
            if (side && c->other != KG_OTHER_BODY) continue;
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
