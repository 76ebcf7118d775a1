/* kugel_body_get counts the resting contacts of a body in constant time: the counts agree with the
 * contact set after steps, calls, restored snapshots and in clones. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/support_pile.h"
#include "support/support_snapshot.h"
#include "world/world.h"

static void check(const kugel_world *world, const char *when)
{
    uint32_t *counts = calloc(world->bodies.id_end, sizeof *counts);
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (c->ended) continue; /* by a call */
        counts[c->a] += 1;
        if (c->with == KG_WITH_BODY) counts[c->b] += 1;
    }
    kugel_body_state state;
    for (uint32_t id = 0; id < world->bodies.id_end; ++id) {
        kugel_body body = kugel_world_body(world, id);
        if (body == KUGEL_NULL_BODY) continue;
        cr_assert_eq(kugel_body_get(world, body, &state), KUGEL_OK);
        cr_assert_eq(state.contacts, counts[id], "%s: body %u has %u contacts, not %u", when, id,
                     counts[id], state.contacts);
    }
    free(counts);
}

Test(contact_counts, agree_with_the_set_of_contacts)
{
    support_random random = support_random_start("contact_counts", 1);
    support_scene scene = support_pile(5, 4, 0, &random);
    kugel_world *world = support_scene_world(&scene), *clone;
    for (int tick = 0; tick < 90; ++tick) {
        support_run(world, 1 / 60., 1);
        check(world, "in the fall");
    }
    cr_assert_gt(world->contacts.count, 100);
    support_bytes saved = support_snapshot_of(world);
    kugel_body_destroy(world, kugel_world_body(world, 12));
    check(world, "after a body was destroyed");
    kugel_body_set_position(world, kugel_world_body(world, 31), (double[3]){0, 0, 9});
    check(world, "after a body was moved");
    kugel_body_set_filter(world, kugel_world_body(world, 40), 1, 0, 0);
    check(world, "after a body was filtered");
    kugel_body_def def = kugel_body_def_default();
    def.position[2] = 20;
    kugel_body_create(world, &def, NULL);
    check(world, "after a body was created");
    support_run(world, 1 / 60., 30);
    check(world, "after a second half");
    cr_assert_eq(kugel_snapshot_restore(world, saved.data, saved.size), KUGEL_OK);
    check(world, "after a snapshot was restored");
    support_run(world, 1 / 60., 1);
    check(world, "after a step from the snapshot");
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    check(clone, "in a clone");
    free(saved.data);
    kugel_world_destroy(clone);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
