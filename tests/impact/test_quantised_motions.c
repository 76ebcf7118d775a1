/* The filter of cell lists keeps each neighbour that the exact prediction meets, at any moment of
 * the window, and is of use: it drops most of the others. */
#include <criterion/criterion.h>

#include "geometry/sweep_linear.h"
#include "impact/quantised_motions.h"
#include "support/support_substep.h"

/* The neighbours of all bodies at `now`; counts those that meet, and those that are left. */
typedef struct tally {
    uint32_t met, left, listed;
} tally;

static void check_bodies(const kugel_world *world, double now, tally *all)
{
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        uint32_t neighbour[KG_CELL_NEIGHBOURS_MAX] = {0},
                 count = kg_cell_lists_neighbours(&world->grid->cell_lists, i, neighbour);
        count = count < 64 ? count : 64;
        uint64_t bits =
            kg_filter_motion_lanes(&world->impact->quantised, i, neighbour, count, now, false);
        for (uint32_t k = 0; k < count; ++k) {
            if ((neighbour[k] & KG_NEIGHBOUR_SLOT) == i) continue;
            double t = kg_predict_pair(world, i, neighbour[k], world->impact->until);
            bool meets = t >= now && t < KG_NEVER, kept = bits >> k & 1;
            cr_assert(!meets || kept, "at %g s: %u meets %u at %.17g s and is filtered out", now, i,
                      neighbour[k] & KG_NEIGHBOUR_SLOT, t);
            all->met += meets, all->left += kept, all->listed += 1;
        }
    }
}

static void check_gas(const char *name, kugel_face face, double window, double shift)
{
    support_random random = support_random_start(name, 1);
    support_scene scene = support_scene_gas(5, 0.2, face, 5, &random);
    support_scene_shift(&scene, (double[3]){shift, -shift, shift});
    kugel_world *world = support_substep_world(&scene, window);
    cr_assert(world->grid->cell_lists.used && kg_quantised_motions_begin(world));
    tally all = {0};
    for (int part = 0; part < 8; ++part) {
        double now = part * window / 8;
        for (uint32_t i = 0; i < world->bodies.count && part; i += 3) { /* impacts until now */
            kg_motion *m = &world->work.motion[i];
            kg_resolve_advance_to(m, support_between(&random, m->clock, now));
            for (int k = 0; k < 3; ++k) m->v[k] = 5 * support_gauss(&random);
        }
        /* as after an impact: the motion at the start of the window that leads to this one */
        cr_assert(kg_quantised_motions_begin(world));
        check_bodies(world, now, &all);
    }
    cr_assert(all.met > 500, "only %u meet", all.met);
    cr_assert(all.left < all.listed / 2, "%u of %u are left", all.left, all.listed);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Windows of about one impact a body. */
Test(quantised_motions, in_a_periodic_box)
{
    check_gas("quantised/periodic", KUGEL_FACE_PERIODIC, 0.1, 0);
}
Test(quantised_motions, between_walls) { check_gas("quantised/walls", KUGEL_FACE_WALL, 0.1, 0); }
Test(quantised_motions, in_short_windows)
{
    check_gas("quantised/short", KUGEL_FACE_PERIODIC, 0.06, 0);
}
/* 1e6 radii off the origin a float could not tell neighbours apart. */
Test(quantised_motions, far_from_the_origin)
{
    check_gas("quantised/far", KUGEL_FACE_PERIODIC, 0.1, 5e5);
}

/* A body that travels farther than the quantised speeds can express passes with all neighbours, and
 * ends the cell lists when it can cross too many cells. */
Test(quantised_motions, fast_bodies_always_pass)
{
    support_random random = support_random_start("quantised/fast", 5);
    support_scene scene = support_scene_gas(5, 0.2, KUGEL_FACE_PERIODIC, 1, &random);
    scene.bodies[7].velocity[1] = 1e4;
    kugel_world *world = support_substep_world(&scene, 0.1);
    cr_assert(world->grid->cell_lists.used && kg_quantised_motions_begin(world));
    uint32_t neighbour[KG_CELL_NEIGHBOURS_MAX] = {0},
             count = kg_cell_lists_neighbours(&world->grid->cell_lists, 7, neighbour);
    uint64_t all = count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
    uint64_t bits = kg_filter_motion_lanes(&world->impact->quantised, 7, neighbour,
                                           count < 64 ? count : 64, 0.05, false);
    cr_assert_eq(bits & all, all, "%llx of %llx pass", (unsigned long long)bits,
                 (unsigned long long)all);
    cr_assert_eq(world->grid->cell_lists.abandon, 1e4 * 0.1 > world->grid->cell_lists.motion_limit);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
