/* User data: kept with the handle of a body and the index of a surface, left out of hashes,
 * snapshots and recordings, copied by clones. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
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

static uint64_t data_of_surface(const kugel_world *world, kugel_surface surface)
{
    uint64_t data = 77;
    kugel_surface_def def;
    cr_assert_eq(kugel_surface_get_user_data(world, surface, &data), KUGEL_OK);
    cr_assert_eq(kugel_surface_get(world, surface, &def, NULL), KUGEL_OK);
    cr_assert_eq(def.user_data, data);
    return data;
}

static kugel_surface add_ball(kugel_world *world, double radius, uint64_t user_data)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_CAPSULE;
    def.size[0] = radius;
    def.user_data = user_data;
    kugel_surface surface;
    cr_assert_eq(kugel_surface_create(world, &def, &surface), KUGEL_OK);
    return surface;
}

static kugel_surface add_triangle(kugel_world *world, uint64_t user_data)
{
    static const double vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = 3;
    def.triangles = triangle, def.triangle_count = 1;
    def.user_data = user_data;
    kugel_surface surface;
    cr_assert_eq(kugel_surface_create(world, &def, &surface), KUGEL_OK);
    return surface;
}

Test(user_data, of_a_surface_is_set_and_read)
{
    kugel_world *world = make_world();
    uint64_t data;
    kugel_surface ball = add_ball(world, 1, UINT64_MAX), triangle = add_triangle(world, 0);
    cr_assert_eq(kugel_surface_def_default().user_data, 0);
    cr_assert(data_of_surface(world, ball) == UINT64_MAX && data_of_surface(world, triangle) == 0);
    cr_assert_eq(kugel_surface_set_user_data(world, triangle, 3), KUGEL_OK);
    support_run(world, 1 / 60., 3);
    kugel_surface_set_pose(world, triangle, (double[3]){5}, (double[4]){0, 0, 0, 1});
    cr_assert(data_of_surface(world, ball) == UINT64_MAX && data_of_surface(world, triangle) == 3);
    kugel_surface_destroy(world, ball);
    cr_assert_eq(kugel_surface_set_user_data(world, ball, 1), KUGEL_ERROR_STALE_HANDLE);
    cr_assert_eq(kugel_surface_get_user_data(world, ball, &data), KUGEL_ERROR_STALE_HANDLE);
    cr_assert_eq(kugel_surface_get_user_data(world, triangle, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_surface next = add_ball(world, 1, 0);
    cr_assert_eq(kugel_surface_index(next), kugel_surface_index(ball));
    cr_assert_eq(data_of_surface(world, next), 0);
    kugel_world_destroy(world);
}

Test(user_data, of_a_surface_wakes_no_body)
{
    kugel_world_def world_def = kugel_world_def_default();
    world_def.gravity[2] = -9.81;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&world_def, &world), KUGEL_OK);
    kugel_surface triangle = add_triangle(world, 0);
    kugel_body_def def = kugel_body_def_default();
    def.position[0] = def.position[1] = 0.25, def.position[2] = 0.125, def.radius = 0.125;
    kugel_body body;
    kugel_body_state state;
    kugel_body_create(world, &def, &body);
    support_run(world, 1 / 60., 120);
    cr_assert(!kugel_body_get(world, body, &state) && state.asleep);
    uint64_t hash = kugel_world_hash(world);
    cr_assert_eq(kugel_surface_set_user_data(world, triangle, 3), KUGEL_OK);
    cr_assert(!kugel_body_get(world, body, &state) && state.asleep);
    cr_assert_eq(kugel_world_hash(world), hash);
    kugel_world_destroy(world);
}

Test(user_data, of_a_surface_is_no_part_of_hash_snapshot_and_recording)
{
    kugel_world *world[2] = {make_world(), make_world()};
    support_bytes snapshot[2];
    support_file file[2] = {{0}};
    for (uint32_t k = 0; k < 2; ++k) {
        kugel_recording_def def = support_recording_def(&file[k], true);
        cr_assert_eq(kugel_world_recording_start(world[k], &def), KUGEL_OK);
        add_triangle(world[k], k), add_ball(world[k], 1, 0);
        kugel_surface_set_user_data(world[k], kugel_world_surface(world[k], 1), 2 * k);
        support_run(world[k], 1 / 60., 3);
        cr_assert_eq(kugel_world_recording_stop(world[k]), KUGEL_OK);
        snapshot[k] = support_snapshot_of(world[k]);
    }
    cr_assert_eq(kugel_world_hash(world[0]), kugel_world_hash(world[1]));
    cr_assert(support_same_bytes(&snapshot[0], &snapshot[1]));
    cr_assert_eq(file[0].size, file[1].size);
    cr_assert_eq(memcmp(file[0].data, file[1].data, file[0].size), 0);
    for (uint32_t k = 0; k < 2; ++k) {
        free(snapshot[k].data), support_file_free(&file[k]);
        kugel_world_destroy(world[k]);
    }
}

Test(user_data, of_a_surface_survives_rollback_with_its_shape)
{
    kugel_world *world = make_world(), *clone, *other = make_world();
    kugel_surface ball = add_ball(world, 1, 5), triangle = add_triangle(world, 6);
    kugel_surface resized = add_ball(world, 2, 7);
    support_bytes saved = support_snapshot_of(world);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    cr_assert(data_of_surface(clone, ball) == 5 && data_of_surface(clone, triangle) == 6);
    kugel_surface_set_pose(world, triangle, (double[3]){5}, (double[4]){0, 0, 0, 1});
    kugel_surface_destroy(world, resized);
    kugel_surface other_size = add_ball(world, 3, 8), again;
    cr_assert_eq(kugel_surface_index(other_size), kugel_surface_index(resized));
    cr_assert_eq(kugel_snapshot_restore(world, saved.data, saved.size), KUGEL_OK);
    cr_assert(data_of_surface(world, ball) == 5 && data_of_surface(world, triangle) == 6);
    cr_assert_eq(data_of_surface(world, resized), 0, "another size: 0");
    kugel_surface_destroy(world, ball), again = add_ball(world, 1, 9);
    cr_assert_eq(kugel_surface_index(again), kugel_surface_index(ball));
    cr_assert_eq(kugel_snapshot_restore(world, saved.data, saved.size), KUGEL_OK);
    cr_assert_eq(data_of_surface(world, ball), 0, "another handle: 0");
    cr_assert_eq(kugel_snapshot_restore(other, saved.data, saved.size), KUGEL_OK);
    cr_assert_eq(data_of_surface(other, ball), 0, "another world: 0");
    free(saved.data);
    kugel_world_destroy(world), kugel_world_destroy(clone), kugel_world_destroy(other);
}
