/* Resting contacts of an unlisted body, which has no neighbour list and is tested against all
 * bodies. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>

/* A heavy ball squeezes a light one against the floor of a box. Ticks are so long that the light
 * one has no neighbour list. */
static kugel_world *squeeze(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    def.bounce_threshold = 2;
    for (int k = 0; k < 3; ++k) def.bounds.min[k] = -4, def.bounds.max[k] = 4;
    for (int f = 0; f < 6; ++f) def.bounds.faces[f] = KUGEL_FACE_WALL;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_body_def light = kugel_body_def_default(), heavy = light;
    light.position[2] = -3.8, light.radius = 0.2, light.mass = 0.01, light.restitution = 0.5;
    heavy.position[0] = 0.1, heavy.position[2] = 1, heavy.velocity[2] = -100, heavy.mass = 50,
    heavy.restitution = 0.5;
    cr_assert_eq(kugel_body_create(world, &light, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &heavy, NULL), KUGEL_OK);
    return world;
}

static size_t between_bodies(const kugel_touch *touches, size_t count)
{
    size_t n = 0;
    for (size_t k = 0; k < count; ++k) n += touches[k].target == KUGEL_TARGET_BODY;
    return n;
}

Test(far_rests, a_lasting_contact_begins_once)
{
    kugel_world *world = squeeze();
    size_t rests = 0, began = 0;
    for (int tick = 0; tick < 3; ++tick) {
        size_t begins, ends;
        cr_assert_eq(kugel_world_step(world, 1), KUGEL_OK);
        const kugel_touch *begin = kugel_world_begin_events(world, &begins),
                          *end = kugel_world_end_events(world, &ends);
        size_t more = between_bodies(begin, begins), less = between_bodies(end, ends);
        began += more;
        rests += more - less;
        cr_assert_leq(more, 4, "two balls begin to rest %zu times in 4 substeps", more);
        cr_assert_leq(rests, 1, "two balls rest on one another %zu times", rests);
    }
    cr_assert_geq(began, 1, "no resting contact: the test has no effect");
    kugel_world_destroy(world);
}
