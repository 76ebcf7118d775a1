/* The skin of the lists changes no result: a clone with new lists makes the same step, bit for bit.
 * Fast spheres in a small box, so that lists hold several images of a body; dense and sparse
 * regions; bodies too fast for lists. */
#include <criterion/criterion.h>

#include "grid/grid.h"
#include "support/support_caches.h"
#include "support/support_scene.h"
#include "world/world.h"

/* Compare each step with that of a new clone. @return the longest skin, in largest radii. */
static double check_steps(const support_scene *scene, double dt, int ticks)
{
    kugel_world *world = support_scene_world(scene), *clone;
    double longest = 0;
    support_caches_allow_cell_lists(world, false);
    for (int tick = 0; tick < ticks; ++tick) {
        cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
        support_run(clone, dt, 1);
        support_run(world, dt, 1);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(clone),
                     "%u bodies, tick %d: skins of %g and %g m", scene->count, tick,
                     support_caches_skin(world), support_caches_skin(clone));
        kugel_world_destroy(clone);
        double skin = support_caches_skin(world) / kg_bodies_radii(&world->bodies).largest;
        longest = skin > longest ? skin : longest;
    }
    kugel_world_destroy(world);
    return longest;
}

Test(skins, longer_than_the_box)
{
    support_random random = support_random_start("skins/box", 1);
    double longest = 0;
    for (uint32_t count = 1; count <= 12; ++count) {
        for (int face = 0; face < 2; ++face) {
            support_mix mix = {.count = count,
                               .length = 1,
                               .radius = {0.03, 0.06},
                               .mass = {1, 2},
                               .sigma = 5 * count * count,
                               .face = face ? KUGEL_FACE_WALL : KUGEL_FACE_PERIODIC};
            support_scene scene = support_scene_mixed(&mix, &random);
            scene.def.substeps = 1 + (int)count % 3;
            double skin = check_steps(&scene, 1 / 60., 100);
            longest = skin > longest ? skin : longest;
            support_scene_free(&scene);
        }
    }
    cr_assert(longest > 20, "no skin was longer than the box: %g radii", longest);
}

/* A dense cluster moves through a thin gas. */
Test(skins, a_cluster_in_thin_air)
{
    support_random random = support_random_start("skins/cluster", 2);
    support_mix mix = {.count = 300,
                       .length = 100,
                       .radius = {0.1, 0.1},
                       .mass = {1, 2},
                       .sigma = 200,
                       .face = KUGEL_FACE_PERIODIC};
    support_scene scene = support_scene_mixed(&mix, &random);
    for (int k = 0; k < 343; ++k) {
        const double x[3] = {40 + 0.22 * (k % 7), 40 + 0.22 * (k / 7 % 7), 40 + 0.22 * (k / 49)},
                     v[3] = {30, 20, 10};
        support_scene_add(&scene, x, v, 0.1, 1);
    }
    cr_assert(check_steps(&scene, 1 / 60., 10) > 4);
    support_scene_free(&scene);
}
