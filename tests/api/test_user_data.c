/* User data: kept with the handle, left out of hashes and snapshots, copied by clones. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/support_scene.h"
#include "support/support_snapshot.h"

static uint64_t data_of(const kugel_world *world, kugel_body body)
{
    uint64_t data = 77;
    cr_assert_eq(kugel_body_get_user_data(world, body, &data), KUGEL_OK);
    return data;
}

static kugel_body add(kugel_world *world, double x, uint64_t user_data)
{
    kugel_body_def def = kugel_body_def_default();
    def.position[0] = x;
    def.user_data = user_data;
    kugel_body body;
    cr_assert_eq(kugel_body_create(world, &def, &body), KUGEL_OK);
    return body;
}

static kugel_world *make_world(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    return world;
}

Test(user_data, belongs_to_the_handle)
{
    kugel_world *world = make_world();
    kugel_body body[200];
    for (uint32_t i = 0; i < 200; ++i) body[i] = add(world, 2. * (i * 7 % 200), i % 3 ? i : 0);
    kugel_body_set_user_data(world, body[9], UINT64_MAX);
    support_run(world, 1 / 60., 3); /* sorts the columns */
    for (uint32_t i = 0; i < 200; ++i)
        cr_assert_eq(data_of(world, body[i]), i == 9 ? UINT64_MAX : i % 3 ? i : 0);
    kugel_body_state state;
    kugel_body_get(world, body[10], &state);
    cr_assert_eq(state.user_data, 10);
    kugel_body_destroy(world, body[10]);
    cr_assert_eq(kugel_body_get_user_data(world, body[10], &state.user_data),
                 KUGEL_ERROR_STALE_HANDLE);
    cr_assert_eq(kugel_body_set_user_data(world, body[10], 1), KUGEL_ERROR_STALE_HANDLE);
    kugel_body again = add(world, 1000, 0);
    cr_assert_eq(kugel_body_id(again), 10);
    cr_assert_eq(data_of(world, again), 0);
    kugel_world_destroy(world);
}

Test(user_data, is_no_part_of_hash_and_snapshot)
{
    kugel_world *plain = make_world(), *tagged = make_world();
    for (uint32_t i = 0; i < 5; ++i) add(plain, 2 * i, 0), add(tagged, 2 * i, i + 1);
    kugel_world_set_user_data(tagged, 42);
    cr_assert_eq(kugel_world_hash(plain), kugel_world_hash(tagged));
    support_bytes one = support_snapshot_of(plain), two = support_snapshot_of(tagged);
    cr_assert(support_same_bytes(&one, &two));
    free(one.data), free(two.data);
    kugel_world_destroy(plain), kugel_world_destroy(tagged);
}

Test(user_data, survives_rollback_with_its_handle)
{
    kugel_world *world = make_world(), *clone, *other = make_world();
    kugel_body kept = add(world, 0, 5), gone = add(world, 2, 6);
    kugel_world_set_user_data(world, 42);
    support_bytes saved = support_snapshot_of(world);
    kugel_body_destroy(world, gone);
    cr_assert_eq(kugel_snapshot_restore(world, saved.data, saved.size), KUGEL_OK);
    cr_assert(data_of(world, kept) == 5 && data_of(world, gone) == 6);
    cr_assert_eq(kugel_world_get_user_data(world), 42);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    cr_assert(data_of(clone, gone) == 6 && kugel_world_get_user_data(clone) == 42);
    kugel_body_destroy(world, gone);
    add(world, 4, 7); /* takes the id */
    cr_assert_eq(kugel_snapshot_restore(world, saved.data, saved.size), KUGEL_OK);
    cr_assert(data_of(world, kept) == 5 && data_of(world, gone) == 0, "another handle: 0");
    cr_assert_eq(kugel_snapshot_restore(other, saved.data, saved.size), KUGEL_OK);
    cr_assert_eq(data_of(other, kept), 0, "another world: 0");
    free(saved.data);
    kugel_world_destroy(world), kugel_world_destroy(clone), kugel_world_destroy(other);
}
