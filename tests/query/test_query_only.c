/* A solid surface whose category and mask are a bit that no body has: queries find it, and bodies
 * pass through it as if it did not exist. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/support_scene.h"

enum { FREE_BIT = 1 << 20, TICKS = 120 };

static kugel_surface_def shield_def(void)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_ELLIPSOID;
    def.size[0] = 1, def.size[1] = 2, def.size[2] = 3;
    def.category = def.mask = FREE_BIT;
    return def;
}

Test(query_only, rays_and_spheres_find_it_with_the_default_filter)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){5, 0, 0}, NULL, 1, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = shield_def();
    kugel_ray ray = {.origin = {-9, 0, 0}, .direction = {2, 0, 0}, .t_max = 100};
    kugel_ray_hit hits[2];
    kugel_cast_hit cast;
    kugel_found found;
    size_t count;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_ray_all(world, &ray, NULL, 2, hits, &count), KUGEL_OK);
    cr_assert(count == 2 && hits[0].target == KUGEL_TARGET_SURFACE && hits[0].index == 0);
    cr_assert_float_eq(hits[0].hit.t_enter, 4, 1e-14);
    cr_assert(hits[0].hit.normal[0] == -1 && hits[1].target == KUGEL_TARGET_BODY);
    cr_assert_eq(kugel_world_cast_closest(world, &ray, 2, NULL, &cast), KUGEL_OK);
    cr_assert(cast.contact.hit && cast.target == KUGEL_TARGET_SURFACE);
    cr_assert_float_eq(cast.contact.time, 3, 1e-14);
    cr_assert_eq(kugel_world_nearest(world, ray.origin, 100, NULL, 1, &found, &count), KUGEL_OK);
    cr_assert(count == 1 && found.target == KUGEL_TARGET_SURFACE);
    cr_assert_float_eq(found.gap, 8, 1e-14);
    kugel_filter filter = kugel_filter_default();
    filter.mask = ~(uint32_t)FREE_BIT;
    cr_assert_eq(kugel_world_ray_closest(world, &ray, &filter, hits), KUGEL_OK);
    cr_assert_eq(hits[0].target, KUGEL_TARGET_BODY, "the bit selects it");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

static void check_same_bodies(const kugel_world *a, const kugel_world *b, int tick)
{
    for (uint32_t id = 0; id < kugel_world_id_end(a); ++id) {
        kugel_body_state p, q;
        support_state(a, id, &p), support_state(b, id, &q);
        bool same = memcmp(p.position, q.position, sizeof p.position) == 0 &&
                    memcmp(p.velocity, q.velocity, sizeof p.velocity) == 0 &&
                    memcmp(p.spin, q.spin, sizeof p.spin) == 0 &&
                    memcmp(p.rotation, q.rotation, sizeof p.rotation) == 0 &&
                    p.asleep == q.asleep && p.contacts == q.contacts;
        cr_assert(same, "tick %d: body %u differs", tick, id);
    }
}

/* Balls fall through the shield onto a floor in it, and roll to rest there; a gas flies through it.
 * The shield moves and spins. */
static void check_passing(bool falls)
{
    support_random random = support_random_start("query_only", 1);
    support_scene scene = support_scene_gas(3, 0.1, KUGEL_FACE_WALL, 2, &random);
    kugel_surface_def def = shield_def();
    kugel_world *world[2];
    if (falls) {
        scene.def.gravity[2] = -9.81, scene.def.bounce_threshold = 0.5, scene.def.substeps = 0;
        for (uint32_t k = 0; k < scene.count; ++k)
            scene.bodies[k].restitution = 0.2, scene.bodies[k].friction = 0.5;
    }
    for (int k = 0; k < 3; ++k) def.position[k] = 3, def.spin[k] = 0.4;
    def.velocity[0] = 0.1;
    for (int k = 0; k < 2; ++k) world[k] = support_scene_world(&scene);
    cr_assert_eq(kugel_surface_create(world[0], &def, NULL), KUGEL_OK);
    for (int tick = 0; tick < TICKS; ++tick) {
        for (int k = 0; k < 2; ++k) cr_assert_eq(kugel_world_step(world[k], 1. / 60), KUGEL_OK);
        check_same_bodies(world[0], world[1], tick);
    }
    for (int k = 0; k < 2; ++k) kugel_world_destroy(world[k]);
    support_scene_free(&scene);
}

Test(query_only, a_gas_passes_with_the_bits_of_a_world_without_it) { check_passing(false); }

Test(query_only, a_pile_settles_with_the_bits_of_a_world_without_it) { check_passing(true); }
