/* The filter before predictions keeps each neighbour with a predicted impact, in all periodic
 * images, for different clocks and accelerations. */
#include <criterion/criterion.h>

#include "geometry/sweep_linear.h"
#include "impact/predict.h"
#include "support/support_caches.h"
#include "support/support_scene.h"

/* Give the bodies clocks within the substep, as impacts do: each keeps its place and velocity then.
 */
static void scatter_clocks(kugel_world *world, double h, support_random *random)
{
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.mass[i] > 0)
            kg_resolve_advance_to(&world->work.motion[i], support_between(random, 0, h));
    }
}

static void check_superset(const support_scene *scene, double h, uint32_t ticks, double speed,
                           support_random *random)
{
    kugel_world *world = support_scene_world(scene);
    support_caches_allow_cell_lists(world, false);
    support_run(world, 0.01, ticks); /* makes the lists; the work area holds the last motions */
    uint32_t met = 0, left = 0, listed = 0;
    for (int round = 0; round < 20; ++round) {
        for (uint32_t i = 0; i < world->bodies.count; ++i) {
            kg_motion *m = &world->work.motion[i];
            m->clock = 0;
            for (int k = 0; k < 3; ++k)
                m->v[k] = world->bodies.mass[i] > 0 ? speed * support_gauss(random) : 0;
        }
        scatter_clocks(world, 0.5 * h, random);
        for (uint32_t i = 0; i < world->bodies.count; ++i) {
            for (uint32_t c = i; c != KG_NONE; c = world->grid->nodes[c].next) {
                const kg_list_node *node = &world->grid->nodes[c];
                uint32_t bits = kg_filter_neighbours(world, i, node, h);
                for (uint32_t k = 0; k < node->count; ++k) {
                    bool meets = kg_predict_pair(world, i, node->neighbour[k], h) < KG_NEVER;
                    cr_assert(!meets || (bits >> k & 1), "%u meets %u and is filtered out", i,
                              node->neighbour[k] & KG_NEIGHBOUR_SLOT);
                    met += meets, left += bits >> k & 1, listed += 1;
                }
                cr_assert_eq(bits >> node->count, 0, "bits beyond the list");
            }
        }
    }
    cr_assert(met > 100, "only %u pairs meet", met);
    if (scene->def.gravity[2] == 0) /* the filter is of use: few of those it leaves do not meet */
        cr_assert(left < listed / 2 && left < 2 * met, "%u of %u are left, %u meet", left, listed,
                  met);
    kugel_world_destroy(world);
    support_scene_free((support_scene *)scene);
}

Test(neighbour_filter, periodic_gas)
{
    support_random random = support_random_start("filter/periodic", 601);
    support_scene scene = support_scene_gas(4, 0.4, KUGEL_FACE_PERIODIC, 5, &random);
    check_superset(&scene, 0.05, 10, 4, &random);
}

Test(neighbour_filter, few_cells_and_many_images)
{
    support_random random = support_random_start("filter/images", 602);
    support_scene scene = support_scene_gas(2, 0.3, KUGEL_FACE_PERIODIC, 5, &random);
    check_superset(&scene, 0.1, 10, 4, &random);
}

Test(neighbour_filter, gravity_and_held_bodies)
{
    support_random random = support_random_start("filter/gravity", 603);
    support_scene scene = support_scene_gas(4, 0.25, KUGEL_FACE_WALL, 5, &random);
    scene.def.gravity[2] = -9.81;
    for (uint32_t i = 0; i < scene.count; i += 5) {
        scene.bodies[i].type = KUGEL_STATIC;
        for (int k = 0; k < 3; ++k) scene.bodies[i].velocity[k] = 0;
    }
    check_superset(&scene, 0.1, 10, 4, &random);
}

/* A heap of resting balls. Some are supported and some fall; their speeds are above and below the
 * rest speed. */
Test(neighbour_filter, resting_bodies)
{
    support_random random = support_random_start("filter/rests", 604);
    for (int round = 0; round < 2; ++round) {
        support_scene scene = support_scene_gas(4, 0.25, KUGEL_FACE_WALL, 1, &random);
        scene.def.gravity[2] = -9.81;
        scene.def.bounce_threshold = 0.5, scene.def.slop = 0.01, scene.def.substeps = 4;
        for (uint32_t i = 0; i < scene.count; ++i)
            scene.bodies[i].restitution = 0, scene.bodies[i].friction = 0.5;
        check_superset(&scene, round ? 1 / 240. : 0.05, 250, round ? 2 : 0.4, &random);
    }
}
