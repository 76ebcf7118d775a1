/* Clearances of inactive bodies. */
#include <criterion/criterion.h>

#include "grid/neighbours.h"
#include "support/support_substep.h"

/* In a world with grains, inactive bodies are so slow that a float of the clearance is too coarse
 * for the path of a substep. */
Test(inactive, short_paths_use_up_the_clearance)
{
    enum { SUBSTEPS = 1000 };
    support_scene scene = support_scene_start();
    scene.def.bounce_threshold = 0.5;
    for (int k = 0; k < 20; ++k)
        support_scene_add(&scene, (double[3]){4 * k, 0, 0}, (double[3]){1e-12, 0, 0}, k ? 1 : 1e-7,
                          1);
    kugel_world *world = support_substep_world(&scene, 1 / 60.);
    double path = kg_grid_inactive_motion(world, 1 / 60.), start[20];
    kg_grid_spend_clearance(world, 1 / 60.);
    for (int k = 0; k < 20; ++k) start[k] = (double)world->grid->clearance[k];
    for (int s = 0; s < SUBSTEPS; ++s) kg_grid_spend_clearance(world, 1 / 60.);
    for (int k = 0; k < 20; ++k) {
        cr_assert(start[k] > 0.1, "body %d is active", k);
        cr_assert_leq((double)world->grid->clearance[k], start[k] - 2 * SUBSTEPS * path, "body %d",
                      k);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
