/* A substep gives the same bits with any division into windows, and with or without a list rebuild
 * between them. */
#include <criterion/criterion.h>

#include "impact/impact.h"
#include "support/support_caches.h"
#include "support/support_scene.h"

/* Ticks of some 20 impacts a sphere, with windows of the engine's choice and of ours. */
static void check_cuts(const support_scene *scene, double dt, bool cells)
{
    static const double parts[4] = {1 / 3., 1 / 7., 1 / 40., 3};
    kugel_world *free_choice = support_scene_world(scene), *cut = support_scene_world(scene);
    support_caches_allow_cell_lists(free_choice, cells);
    support_caches_allow_cell_lists(cut, cells);
    for (int tick = 0; tick < 8; ++tick) {
        support_caches_set_window(cut, parts[tick % 4] * dt / scene->def.substeps);
        if (tick & 1) support_caches_scale_skin(cut, 0.6); /* other lists: worn at other moments */
        if (tick & 1) support_caches_rebuild_lists(cut);
        support_run(free_choice, dt, 1);
        support_run(cut, dt, 1);
        cr_assert_eq(kugel_world_hash(cut), kugel_world_hash(free_choice), "tick %d", tick);
    }
    kugel_stats stats;
    kugel_world_stats(free_choice, &stats);
    cr_assert(cells || stats.list_rebuilds > 8 * (uint64_t)scene->def.substeps,
              "lists were made %g times: no cuts at all", (double)stats.list_rebuilds);
    cr_assert(stats.impacts_total > 20 * scene->count, "only %g impacts",
              (double)stats.impacts_total);
    double impacts_a_body =
        (double)stats.impacts_total / scene->count * free_choice->impact->window_length / (8 * dt);
    cr_assert(!support_caches_use_cell_lists(free_choice) ||
                  (impacts_a_body > 0.7 && impacts_a_body < 1.4), /* 864 +- 30, by chance */
              "a window holds %g impacts a body", impacts_a_body);
    kugel_world_destroy(free_choice);
    kugel_world_destroy(cut);
}

Test(windows, periodic_gas)
{
    support_random random = support_random_start("windows/gas", 611);
    support_scene scene = support_scene_gas(6, 0.3, KUGEL_FACE_PERIODIC, 5, &random);
    check_cuts(&scene, 0.2, false);
    check_cuts(&scene, 0.2, true);
    support_scene_free(&scene);
}

/* Walls, friction, losses, gravity, a static and a moving body, bodies much faster than the rest.
 */
Test(windows, mixed_between_walls)
{
    support_random random = support_random_start("windows/mixed", 612);
    support_scene scene = support_scene_gas(6, 0.25, KUGEL_FACE_WALL, 8, &random);
    scene.def.gravity[2] = -9.81;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *def = &scene.bodies[i];
        def->restitution = 0.98, def->friction = 0.2;
        if (i % 100 == 7) def->velocity[0] *= 40;
    }
    scene.bodies[50].type = KUGEL_STATIC;
    scene.bodies[51].type = KUGEL_KINEMATIC;
    for (int k = 0; k < 3; ++k)
        scene.bodies[50].velocity[k] = 0, scene.bodies[51].velocity[k] = 0.5;
    scene.def.substeps = 2;
    check_cuts(&scene, 0.5, true);
    support_scene_free(&scene);
}
