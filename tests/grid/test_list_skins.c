/* The skin of the lists changes no result: a clone with new lists makes the same step, bit for bit.
 * Fast spheres in a small box, so that lists hold several images of a body; dense and sparse
 * regions; bodies too fast for lists; list origins that drift. */
#include <criterion/criterion.h>

#include "grid/grid.h"
#include "support/support_caches.h"
#include "support/support_mesh.h"
#include "support/support_scene.h"
#include "world/world.h"

/* Compare each step of the world with that of a new clone, and destroy it. @return the longest
 * skin, in largest radii. */
static double check_world(kugel_world *world, double dt, int ticks)
{
    kugel_world *clone;
    double longest = 0;
    support_caches_allow_cell_lists(world, false);
    for (int tick = 0; tick < ticks; ++tick) {
        cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
        support_run(clone, dt, 1);
        support_run(world, dt, 1);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(clone),
                     "%u bodies, tick %d: skins of %g and %g m", world->bodies.count, tick,
                     support_caches_skin(world), support_caches_skin(clone));
        kugel_world_destroy(clone);
        double skin = support_caches_skin(world) / kg_bodies_radii(&world->bodies).largest;
        longest = skin > longest ? skin : longest;
    }
    kugel_world_destroy(world);
    return longest;
}

static double check_steps(const support_scene *scene, double dt, int ticks)
{
    return check_world(support_scene_world(scene), dt, ticks);
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

/* Balls far away, which keep the skin as it is. */
static void add_far_balls(support_scene *scene, double radius)
{
    for (int k = 0; k < 50; ++k)
        support_scene_add(scene, (double[3]){20 * radius * (5 + k), 0, 10}, NULL, radius, 1);
}

/* With some 0.01 neighbours a body and a third of a radius a tick, lists are rebuilt in every third
 * tick if skins grow to the path of three substeps only, else in every fifth or sixth. */
Test(skins, last_for_many_ticks_in_thin_air)
{
    support_random random = support_random_start("skins/thin", 6);
    support_mix mix = {.count = 2000,
                       .length = 12,
                       .radius = {0.05, 0.05},
                       .mass = {1, 1},
                       .sigma = 0.6,
                       .face = KUGEL_FACE_OPEN};
    support_scene scene = support_scene_mixed(&mix, &random);
    scene.def.substeps = 4;
    kugel_world *world = support_scene_world(&scene);
    kugel_stats stats;
    support_caches_allow_cell_lists(world, false);
    support_run(world, 1 / 60., 60);
    kugel_world_stats(world, &stats);
    cr_assert_lt(stats.list_rebuilds, 15, "%llu rebuilds", (unsigned long long)stats.list_rebuilds);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Two balls come so slowly that they begin to rest before they touch. By then each is at the end of
 * its skin. */
Test(skins, hold_pairs_with_a_gap_that_begin_to_rest)
{
    for (int trial = 0; trial < 24; ++trial) {
        support_scene scene = {.def = kugel_world_def_default()};
        const double speed = 0.2985 + 0.0005 * (trial / 6), gap = 0.8 + 1e-4 * (1 + trial % 6);
        support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){speed, 0, 0}, 1, 1);
        support_scene_add(&scene, (double[3]){2 + gap, 0, 0}, (double[3]){-speed, 0, 0}, 1, 1);
        add_far_balls(&scene, 1);
        check_steps(&scene, 1 / 60., 90);
        support_scene_free(&scene);
    }
}

/* The same with a plane or a floor of triangles: the ball is large, and so is its slop. */
Test(skins, hold_boundaries_with_a_gap_that_begin_to_rest)
{
    support_random random = support_random_start("skins/slop", 5);
    for (int trial = 0; trial < 320; ++trial) {
        support_scene scene = {.def = kugel_world_def_default()};
        const double radius = 0.005, speed = 0.0135 + 0.0005 * (trial % 5),
                     gap = 2e-4 + 1e-6 * (trial / 2);
        const bool plane = trial & 1;
        if (plane) scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}};
        support_scene_add(&scene, (double[3]){0, 0, radius + gap}, (double[3]){0, 0, -speed},
                          radius, 1);
        add_far_balls(&scene, 0.1 * radius);
        kugel_world *world = support_scene_world(&scene);
        support_mesh mesh = support_mesh_floor(2, 1, 0, &random);
        kugel_surface_def surface = support_mesh_def(&mesh);
        if (!plane) cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
        check_world(world, 1 / 60., 6);
        support_mesh_free(&mesh);
        support_scene_free(&scene);
    }
}

/* Skins from a tenth of the rounding of positions to twice as long as it. A fast body gets its list
 * origin ahead of it, which rounding could carry out of the skin: then the step never ended. */
Test(skins, end_where_positions_are_as_coarse, .timeout = 20)
{
    const double place = 1e9, rounding = 0x1p-23;
    for (int trial = 0; trial < 40; ++trial) {
        support_scene scene = {.def = kugel_world_def_default()};
        scene.def.substeps = 4;
        const double skin = (0.1 + 0.05 * trial) * rounding, radius = skin / KG_SKIN_INITIAL;
        const double v[3] = {1.9 * skin * 240, 0, 0};
        support_scene_add(&scene, (double[3]){place, 0, 0}, v, radius, 1);
        for (int k = 1; k <= 100; ++k)
            support_scene_add(&scene, (double[3]){place, 40 * radius * k, 0}, NULL, radius, 1);
        check_steps(&scene, 1 / 60., 3);
        support_scene_free(&scene);
    }
}

/* A box with an open floor, in it a bumpy mesh and a capsule on the way of some bodies, below it a
 * slope. A static ball far away ends all drifts. */
static kugel_world *make_fall(const support_scene *scene, bool drifts, bool has_surfaces)
{
    kugel_world *world = support_scene_world(scene);
    support_random random = support_random_start("skins/mesh", 4);
    support_mesh mesh = support_mesh_floor(6, 0.3, 0.02, &random);
    kugel_surface_def surface = support_mesh_def(&mesh);
    surface.position[2] = -2;
    surface.restitution = 0.5;
    if (has_surfaces) cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    support_mesh_free(&mesh);
    surface.shape = KUGEL_SURFACE_CAPSULE;
    surface.size[0] = 0.02, surface.size[1] = 0.05;
    surface.position[1] = 0.1, surface.position[2] = -1;
    if (has_surfaces) cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    if (drifts) return world;
    kugel_body_def ball = kugel_body_def_default();
    ball.type = KUGEL_STATIC;
    ball.radius = 0.01;
    ball.position[1] = 1e6;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    return world;
}

static void expect_equal_states(const kugel_world *a, const kugel_world *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        kugel_body_state p, q;
        support_state(a, i, &p), support_state(b, i, &q);
        for (int k = 0; k < 3; ++k) {
            cr_assert_eq(p.position[k], q.position[k], "body %u", i);
            cr_assert_eq(p.velocity[k], q.velocity[k], "body %u", i);
            cr_assert_eq(p.spin[k], q.spin[k], "body %u", i);
        }
    }
}

/* The mean velocity moves, but the bodies do not: one of them is fast. */
Test(skins, do_not_drift_with_one_fast_body)
{
    support_scene scene = support_scene_start();
    scene.def.bounce_threshold = 0.1;
    for (int face = 0; face < 2; ++face) scene.def.bounds.faces[face] = KUGEL_FACE_WALL;
    scene.def.bounds.min[0] = -1, scene.def.bounds.max[0] = 40;
    scene.def.bounds.restitution = 1, scene.def.bounds.friction = 0;
    for (int k = 0; k < 512; ++k)
        support_scene_add(&scene, (double[3]){0.03 * (k % 8), 0.03 * (k / 8 % 8), 0.03 * (k / 64)},
                          NULL, 0.01, 1);
    /* between walls, so that it stays in their place */
    support_scene_add(&scene, (double[3]){1, -0.5, 0}, (double[3]){3000, 0, 0}, 0.01, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 3);
    cr_assert_eq(world->grid->drift_path, 0);
    cr_assert_leq(world->grid->unlisted_count, 1);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_leq(stats.list_rebuilds, 2, "%llu", (unsigned long long)stats.list_rebuilds);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Balls that fall together, on the way of some of them a mesh, a capsule, a wall and a slope. */
Test(skins, that_drift)
{
    support_random random = support_random_start("skins/drift", 3);
    uint32_t drifts[2] = {0}; /* without and with surfaces */
    for (int trial = 0; trial < 4; ++trial) {
        support_scene scene = support_scene_start();
        scene.def.gravity[2] = -92;
        scene.def.gravity[0] = trial & 1 ? 3 : 0;
        scene.def.substeps = trial < 2 ? 0 : 1 + trial;
        scene.def.bounce_threshold = trial % 3 ? 0.1 : 0;
        scene.def.slop = 0.01;
        kugel_bounds bounds = {.min = {-1, -1, -20}, .max = {1, 1, 1}, .friction = 0.5};
        bounds.faces[0] = bounds.faces[1] = KUGEL_FACE_WALL;
        scene.def.bounds = bounds;
        scene.planes[scene.plane_count++] =
            (support_plane){.normal = {0.6, 0, 0.8}, .offset = -6, .restitution = 0.5};
        for (int k = 0; k < 216; ++k) {
            double x[3] = {0.022 * (k % 6), 0.022 * (k / 6 % 6), 0.022 * (k / 36)}, v[3];
            support_direction(&random, trial % 2 * 0.1, v);
            support_scene_add(&scene, x, v, 0.01, 1)->restitution = 0.5;
        }
        kugel_world *world = make_fall(&scene, true, trial & 1),
                    *other = make_fall(&scene, false, trial & 1);
        for (int tick = 0; tick < 20; ++tick) {
            support_run(world, 0.025, 1), support_run(other, 0.025, 1);
            drifts[trial & 1] += world->grid->drift_path > 0;
            cr_assert_eq(other->grid->drift_path, 0);
            expect_equal_states(world, other, scene.count);
        }
        kugel_world_destroy(world), kugel_world_destroy(other);
        support_scene_free(&scene);
    }
    cr_assert(drifts[0] > 4 && drifts[1] > 4, "list origins drifted in %u and %u ticks", drifts[0],
              drifts[1]);
}
