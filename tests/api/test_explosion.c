/* Explosions: impulses by distance, masks, images; refused as a whole. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/support_scene.h"

enum { SENSED = 8 };

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
    def.impulse = 0;
    cr_assert_eq(kugel_world_explode(world, &def, &count), KUGEL_OK);
    cr_assert_eq(count, 0, "an impulse of 0 pushes %u bodies", count);
    def.impulse = 8, def.mask = 2;
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

/* A crowd of bodies of many sizes in groups, some of them moved, created and destroyed since the
 * index was built. */
static void stir(kugel_world *world, support_random *random)
{
    for (int n = 0; n < 30; ++n) {
        uint32_t id = support_below(random, kugel_world_id_end(world));
        kugel_body_def def = kugel_body_def_default();
        kugel_body body = kugel_world_body(world, id);
        double place[3];
        for (int k = 0; k < 3; ++k) place[k] = def.position[k] = support_between(random, -30, 30);
        def.radius = support_between(random, 0.1, 3);
        if (n % 3 == 0) kugel_body_set_position(world, body, place);
        else if (n % 3 == 1) kugel_body_destroy(world, body);
        else kugel_body_create(world, &def, NULL);
    }
}

/* An explosion and a sensor find the same bodies in both worlds. */
static void check_same(kugel_world *world, kugel_world *indexed, const kugel_explosion_def *def)
{
    uint32_t count[2];
    size_t inside[2];
    kugel_body bodies[2][SENSED] = {{0}}, sensor = kugel_world_body(world, 7);
    cr_assert_eq(kugel_world_explode(world, def, &count[0]), KUGEL_OK);
    cr_assert_eq(kugel_world_explode(indexed, def, &count[1]), KUGEL_OK);
    cr_assert(count[0] == count[1] && kugel_world_hash(world) == kugel_world_hash(indexed));
    kugel_status status = kugel_world_sensor_bodies(world, sensor, SENSED, bodies[0], &inside[0]);
    cr_assert_eq(kugel_world_sensor_bodies(indexed, sensor, SENSED, bodies[1], &inside[1]), status);
    cr_assert(inside[0] == inside[1] && !memcmp(bodies[0], bodies[1], sizeof bodies[0]));
}

/* The bodies that an explosion pushes, and those in a sensor, are found with and without the index
 * of the queries: the results are the same in each bit. */
Test(explosion, and_sensors_find_the_same_with_the_index)
{
    const support_mix mix = {300, 40, {0.05, 2}, {1, 9}, 1, KUGEL_FACE_OPEN};
    for (uint64_t seed = 0; seed < 20; ++seed) {
        support_random random = support_random_start("explosion/index", seed), same;
        support_scene scene = support_scene_mixed(&mix, &random);
        scene.bodies[7].sensor = true, scene.bodies[7].radius = 12;
        kugel_world *world = support_scene_world(&scene), *indexed = support_scene_world(&scene);
        cr_assert_eq(kugel_world_prepare_queries(indexed), KUGEL_OK);
        kugel_explosion_def def = kugel_explosion_def_default();
        same = random;
        stir(world, &random), stir(indexed, &same);
        for (int k = 0; k < 3; ++k) def.center[k] = support_between(&random, 0, 40);
        def.radius = support_between(&random, 0, 8), def.falloff = support_between(&random, 0, 8);
        def.impulse = 3;
        check_same(world, indexed, &def);
        kugel_world_destroy(world), kugel_world_destroy(indexed);
        support_scene_free(&scene);
    }
}
