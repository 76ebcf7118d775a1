/* Galperin (2003): a wall, a light ball, and a ball 100^n times heavier. The total number of
 * impacts gives the digits of pi: 3, 31, 314, 3141. One lost or doubled impact fails the test. A
 * kinematic ball at rest may replace the wall. */
#include <criterion/criterion.h>

#include "support/support_scene.h"

static void count_impacts(double ratio, uint64_t should, double dt, bool kinematic_wall)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 1000, KUGEL_FACE_OPEN);
    scene.def.bounds.faces[0] = KUGEL_FACE_WALL;
    support_scene_add(&scene, (double[3]){5, 0, 0}, NULL, 0.5, 1);
    support_scene_add(&scene, (double[3]){10, 0, 0}, (double[3]){-4, 0, 0}, 0.5, ratio);
    if (kinematic_wall)
        support_scene_add(&scene, (double[3]){2, 0, 0}, NULL, 0.5, 1)->type = KUGEL_KINEMATIC;
    kugel_world *world = support_scene_world(&scene);
    kugel_body_state light, heavy;
    for (int tick = 0;; ++tick) {
        cr_assert(tick * dt < 100, "the light ball still bounces");
        support_run(world, dt, 1);
        support_state(world, 0, &light);
        support_state(world, 1, &heavy);
        if (heavy.velocity[0] > 0 && light.velocity[0] >= 0 &&
            light.velocity[0] <= heavy.velocity[0])
            break;
    }
    support_run(world, dt, 20);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.impacts_total, should, "ratio %g, tick %g s: %g impacts, should be %g",
                 ratio, dt, (double)stats.impacts_total, (double)should);
    cr_assert_eq(stats.budgets_exhausted, 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

static void at_many_ticks(double ratio, uint64_t should)
{
    static const double dt[4] = {1 / 60., 1 / 120., 1 / 15., 1};
    for (int k = 0; k < 8; ++k) count_impacts(ratio, should, dt[k / 2], k % 2);
}

Test(counting_pi, equal_masses) { at_many_ticks(1, 3); }
Test(counting_pi, hundredfold) { at_many_ticks(1e2, 31); }
Test(counting_pi, ten_thousandfold) { at_many_ticks(1e4, 314); }
Test(counting_pi, millionfold) { at_many_ticks(1e6, 3141); }
