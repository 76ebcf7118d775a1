/* Handles of surfaces: a stale one is refused whatever has its index now, and equal worlds have
 * equal handles. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "record/support_recording.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"
#include "world/world.h"

static kugel_world *make_world(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    return world;
}

/* A ball as a surface. */
static kugel_surface add(kugel_world *world, double x)
{
    kugel_surface_def def = kugel_surface_def_default();
    kugel_surface surface = 1;
    def.shape = KUGEL_SURFACE_ELLIPSOID;
    def.size[0] = def.size[1] = def.size[2] = 1;
    def.position[0] = x;
    cr_assert_eq(kugel_surface_create(world, &def, &surface), KUGEL_OK);
    return surface;
}

static kugel_body add_body(kugel_world *world, double x, double z)
{
    kugel_body_def def = kugel_body_def_default();
    kugel_body body;
    def.position[0] = x, def.position[2] = z;
    cr_assert_eq(kugel_body_create(world, &def, &body), KUGEL_OK);
    return body;
}

/* All calls that take the handle of a surface, which each of them refuses. */
static void check_refused(kugel_world *world, kugel_surface surface)
{
    const double v[3] = {1, 2, 3}, q[4] = {0, 0, 0, 1};
    uint64_t data, hash = kugel_world_hash(world);
    kugel_surface_def def;
    const kugel_status found[] = {
        kugel_surface_destroy(world, surface),
        kugel_surface_set_pose(world, surface, v, q),
        kugel_surface_set_motion(world, surface, v, v),
        kugel_surface_set_tangent_velocity(world, surface, v),
        kugel_surface_set_material(world, surface, 0, 0, 0, 0),
        kugel_surface_set_filter(world, surface, 1, 1, 0),
        kugel_surface_set_target(world, surface, v, q, 1),
        kugel_surface_set_user_data(world, surface, 1),
        kugel_surface_get_user_data(world, surface, &data),
        kugel_surface_get(world, surface, &def, NULL),
    };
    for (size_t k = 0; k < sizeof found / sizeof *found; ++k)
        cr_assert_eq(found[k], KUGEL_ERROR_STALE_HANDLE, "call %zu: %d", k, (int)found[k]);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "surface");
    cr_assert_not(kugel_surface_is_valid(world, surface));
    cr_assert_eq(kugel_world_hash(world), hash, "a refused call changes nothing");
}

Test(handles, of_a_removed_surface_moves_no_successor)
{
    kugel_world *world = make_world();
    kugel_surface first = add(world, 0), second = add(world, 5);
    cr_assert_eq(kugel_surface_index(first), 0);
    cr_assert_eq(kugel_surface_index(second), 1);
    cr_assert_eq(first >> 32 & KG_GENERATION_LIMIT, 1);
    for (int round = 0; round < 50; ++round) {
        cr_assert_eq(kugel_surface_destroy(world, first), KUGEL_OK);
        cr_assert_eq(kugel_world_surface(world, 0), KUGEL_NULL_SURFACE);
        check_refused(world, first);
        kugel_surface next = add(world, 0);
        cr_assert_eq(kugel_surface_index(next), 0);
        cr_assert_eq(next, first + ((uint64_t)1 << 32));
        check_refused(world, first);
        cr_assert_eq(kugel_world_surface(world, 0), next);
        first = next;
    }
    cr_assert(kugel_surface_is_valid(world, first) && kugel_surface_is_valid(world, second));
    kugel_world_destroy(world);
}

/* The first body and the first surface have one id and index, and one generation. */
Test(handles, of_other_kinds_are_refused)
{
    kugel_world *world = make_world();
    kugel_surface surface = add(world, 0);
    kugel_body body = add_body(world, 9, 0);
    cr_assert_neq(surface, body);
    check_refused(world, body);
    check_refused(world, KUGEL_NULL_SURFACE);
    check_refused(world, surface | 1); /* an index that was never given */
    check_refused(world, surface | (uint64_t)1 << 63);
    cr_assert_eq(kugel_body_destroy(world, surface), KUGEL_ERROR_STALE_HANDLE);
    cr_assert_not(kugel_body_is_valid(world, surface));
    cr_assert_eq(kugel_world_surface(world, UINT32_MAX), KUGEL_NULL_SURFACE);
    cr_assert_eq(kugel_world_surface(NULL, 0), KUGEL_NULL_SURFACE);
    cr_assert_not(kugel_surface_is_valid(NULL, surface));
    kugel_world_destroy(world);
}

/* A host in JavaScript has numbers of 53 bits: index or id, generation and kind fit. */
Test(handles, have_53_bits_that_vary)
{
    kugel_world *world = make_world();
    kugel_surface surface = add(world, 0);
    for (int round = 0; round < 2; ++round) {
        world->surfaces.indices.state[0] = (KG_GENERATION_LIMIT - 1) | KG_INDEX_USED;
        surface = kugel_world_surface(world, 0);
        cr_assert_eq(kugel_surface_destroy(world, surface), KUGEL_OK);
        surface = add(world, 0);
        cr_assert_eq(kugel_surface_index(surface), 0);
    }
    cr_assert_lt(surface >> 32, 1u << 27);
    cr_assert_geq(KG_BODY_LIMIT, KG_SURFACE_LIMIT);
    /* after its last generation an index is not given again, also by a restored world */
    cr_assert_eq(kugel_surface_destroy(world, surface), KUGEL_OK);
    support_bytes saved = support_snapshot_of(world);
    cr_assert_eq(kugel_surface_index(add(world, 0)), 1);
    cr_assert_eq(kugel_snapshot_restore(world, saved.data, saved.size), KUGEL_OK);
    cr_assert_eq(kugel_surface_index(add(world, 0)), 1);
    check_refused(world, surface);
    free(saved.data);
    kugel_world_destroy(world);
}

/* Restored, cloned and played worlds have the handles of the world, those of free indices too. */
Test(handles, are_equal_in_equal_worlds)
{
    kugel_world *world = make_world(), *clone, *other = make_world();
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, true);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    kugel_surface made[4];
    for (int k = 0; k < 4; ++k) made[k] = add(world, 3 * k);
    cr_assert_eq(kugel_surface_destroy(world, made[1]), KUGEL_OK);
    made[1] = add(world, 3);
    for (int k = 1; k < 4; ++k) cr_assert_eq(kugel_surface_destroy(world, made[k]), KUGEL_OK);
    cr_assert_eq(kugel_world_surface_end(world), 1);
    support_run(world, 0.01, 2);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    support_bytes saved = support_snapshot_of(world);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    add(other, 1), add(other, 1);
    cr_assert_eq(kugel_snapshot_restore(other, saved.data, saved.size), KUGEL_OK);
    kugel_player *player;
    cr_assert_eq(kugel_player_open(file.data, file.size, NULL, NULL, 1, &player, NULL), KUGEL_OK);
    cr_assert_eq(kugel_player_seek(player, 2), KUGEL_PLAY_TICK);
    const kugel_world *played = kugel_player_world(player);
    cr_assert_eq(kugel_world_hash(world), kugel_world_hash(clone));
    cr_assert_eq(kugel_world_hash(world), kugel_world_hash(other));
    cr_assert_eq(kugel_world_hash(world), kugel_world_hash(played));
    cr_assert_eq(kugel_world_surface(played, 0), made[0]);
    for (int k = 0; k < 4; ++k) {
        kugel_surface next = k ? add(world, 3 * k) : kugel_world_surface(world, 0);
        cr_assert_eq(next, k ? add(clone, 3 * k) : kugel_world_surface(clone, 0));
        cr_assert_eq(next, k ? add(other, 3 * k) : kugel_world_surface(other, 0));
        if (k) check_refused(other, made[k]), check_refused(clone, made[k]);
    }
    kugel_player_close(player);
    support_file_free(&file), free(saved.data);
    kugel_world_destroy(world), kugel_world_destroy(clone), kugel_world_destroy(other);
}

/* A world whose surface was added a second time differs from one whose surface was added once. */
Test(handles, are_part_of_hash_and_snapshot)
{
    kugel_world *once = make_world(), *twice = make_world();
    kugel_divergence d = {0};
    add(once, 0);
    cr_assert_eq(kugel_surface_destroy(twice, add(twice, 0)), KUGEL_OK);
    add(twice, 0);
    cr_assert_neq(kugel_world_hash(once), kugel_world_hash(twice));
    support_bytes a = support_snapshot_of(once), b = support_snapshot_of(twice);
    cr_assert(kugel_snapshot_difference(a.data, a.size, b.data, b.size, &d));
    cr_assert_str_eq(d.field, "surface.generation");
    cr_assert(d.expected == 1 && d.found == 2);
    free(a.data), free(b.data);
    kugel_world_destroy(once), kugel_world_destroy(twice);
}

/* An end that the next step reports names no other surface than that which was removed. */
Test(handles, the_index_of_an_end_is_free_until_it_is_reported)
{
    kugel_world *world = make_world();
    kugel_surface ground = add(world, 0);
    size_t count;
    add_body(world, 0, 1.5);
    support_run(world, 1 / 60., 4);
    cr_assert_eq(kugel_surface_destroy(world, ground), KUGEL_OK);
    kugel_surface next = add(world, 50);
    cr_assert_eq(kugel_surface_index(next), 1);
    support_run(world, 1 / 60., 1);
    const kugel_touch *ends = kugel_world_end_events(world, &count);
    cr_assert_eq(count, 1);
    cr_assert(ends->target == KUGEL_TARGET_SURFACE && ends->index == kugel_surface_index(ground));
    cr_assert_eq(kugel_world_surface(world, ends->index), KUGEL_NULL_SURFACE);
    cr_assert_eq(kugel_surface_index(add(world, 90)), 0);
    kugel_world_destroy(world);
}
