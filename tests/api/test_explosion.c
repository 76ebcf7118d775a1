/* Explosions: impulses by distance, masks, images; refused as a whole. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

static double speed_of(const kugel_world *world, uint32_t id, int axis)
{
    double v[3];
    cr_assert_eq(kugel_body_get_velocity(world, kugel_world_body(world, id), v), KUGEL_OK);
    return v[axis];
}

static kugel_world *make_row(kugel_face face)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 20, face);
    for (int k = 0; k < 5; ++k)
        support_scene_add(&scene, (double[3]){2 + 2 * k, 10, 10}, NULL, 0.5, 2);
    scene.bodies[3].category = 2;
    support_scene_add(&scene, (double[3]){1, 12, 10}, NULL, 0.5, 2)->type = KUGEL_STATIC;
    kugel_world *world = support_scene_world(&scene);
    support_scene_free(&scene);
    return world;
}

Test(explosion, impulse_falls_with_the_distance)
{
    kugel_world *world = make_row(KUGEL_FACE_WALL);
    kugel_explosion_def def = kugel_explosion_def_default();
    uint32_t count;
    def.center[0] = 1, def.center[1] = 10, def.center[2] = 10;
    def.radius = 3, def.falloff = 4, def.impulse = 8;
    cr_assert_eq(kugel_world_explode(world, &def, &count), KUGEL_OK);
    /* surfaces at 0.5, 2.5, 4.5, 6.5 and 8.5 m: all of it, all, 5/8, 1/8, none; mass 2 */
    static const double expected[5] = {4, 4, 2.5, 0.5, 0};
    cr_assert_eq(count, 4);
    for (uint32_t id = 0; id < 5; ++id)
        cr_assert_float_eq(speed_of(world, id, 0), expected[id], 1e-12);
    def.mask = 2;
    cr_assert_eq(kugel_world_explode(world, &def, &count), KUGEL_OK);
    cr_assert_eq(count, 1, "only body 3 has category 2");
    cr_assert_float_eq(speed_of(world, 3, 0), 1, 1e-12);
    kugel_world_destroy(world);
}

Test(explosion, takes_the_nearest_image_and_a_way_out_of_the_centre)
{
    kugel_world *world = make_row(KUGEL_FACE_PERIODIC);
    kugel_explosion_def def = kugel_explosion_def_default();
    def.center[0] = 19.5, def.center[1] = 10, def.center[2] = 10, def.impulse = 2, def.radius = 2;
    cr_assert_eq(kugel_world_explode(world, &def, NULL), KUGEL_OK);
    cr_assert_float_eq(speed_of(world, 0, 0), 1, 1e-12);
    cr_assert_eq(speed_of(world, 4, 0), 0);
    def.center[0] = 8, def.radius = 0;
    cr_assert_eq(kugel_world_explode(world, &def, NULL), KUGEL_OK);
    cr_assert_float_eq(speed_of(world, 3, 2), 1, 1e-12, "along +z");
    def.center[0] = 19.5 - 7 * 20, def.radius = 2;
    cr_assert_eq(kugel_world_explode(world, &def, NULL), KUGEL_OK);
    cr_assert_float_eq(speed_of(world, 0, 0), 2, 1e-12, "from a center lengths away");
    kugel_world_destroy(world);
}

#define REFUSED(should, name)                                                                      \
    do {                                                                                           \
        cr_expect_eq(kugel_world_explode(world, &def, &count), should);                            \
        cr_expect_str_eq(kugel_world_last_error(world)->argument, name);                           \
        cr_expect_eq(kugel_world_hash(world), hash);                                               \
        cr_expect_eq(count, 0);                                                                    \
        def = kugel_explosion_def_default();                                                       \
    } while (0)

Test(explosion, is_refused_as_a_whole)
{
    kugel_world *world = make_row(KUGEL_FACE_WALL);
    kugel_body_set_mass(world, kugel_world_body(world, 4), 1e-6);
    uint64_t hash = kugel_world_hash(world);
    kugel_explosion_def def = kugel_explosion_def_default();
    uint32_t count = 9;
    def.radius = 100, def.impulse = 1e12; /* only body 4 would leave the range */
    REFUSED(KUGEL_ERROR_INVALID_ARGUMENT, "def.impulse");
    def.center[1] = NAN;
    REFUSED(KUGEL_ERROR_INVALID_ARGUMENT, "def.center");
    def.radius = -1;
    REFUSED(KUGEL_ERROR_INVALID_ARGUMENT, "def.radius");
    def.falloff = INFINITY;
    REFUSED(KUGEL_ERROR_INVALID_ARGUMENT, "def.falloff");
    def.cookie = 0;
    REFUSED(KUGEL_ERROR_UNINITIALIZED_DEF, "def");
    cr_expect_eq(kugel_world_explode(world, NULL, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(kugel_world_explode(NULL, &def, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
}
