/* The clearance of bodies on meshes: on a shorter path they meet only what they rest on. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "geometry/sweep_linear.h"
#include "grid/neighbours.h"
#include "support/support_mesh.h"
#include "support/support_random.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"

enum { BODIES = 60 };

/* Balls that roll on rough ground, some of them on a ramp of one facet, too. */
static kugel_world *make_world(support_random *random, double bumps)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_mesh ground = support_mesh_floor(30, 10, bumps, random),
                 ramp = support_mesh_floor(5, 4, 0, random);
    kugel_surface_def def = support_mesh_def(&ground), ramp_def = support_mesh_def(&ramp);
    scene.def.gravity[2] = -9.81;
    scene.def.sleep = false;
    for (int k = 0; k < BODIES; ++k) {
        const double x[3] = {support_between(random, -3, 3), support_between(random, -3, 3),
                             support_between(random, 1, 1.5)};
        double v[3];
        support_direction(random, 1, v);
        support_scene_add(&scene, x, v, support_between(random, 0.05, 0.4), 1)->restitution = 0.1;
    }
    kugel_world *world = support_scene_world(&scene);
    ramp_def.rotation[0] = 0.1, ramp_def.rotation[3] = sqrt(1 - 0.01);
    ramp_def.position[2] = 0.2;
    cr_assert_eq(kugel_world_add_surface(world, &def, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_add_surface(world, &ramp_def, NULL), KUGEL_OK);
    support_scene_free(&scene);
    support_mesh_free(&ground);
    support_mesh_free(&ramp);
    return world;
}

/* The path in a second along v meets no triangle, except features on which the body rests; the same
 * at its end, for the triangle that is nearest there. */
static void check_path(const kugel_world *world, uint32_t slot, const double v[3])
{
    kg_motion motion = world->work.motion[slot];
    double end[3];
    kg_copy3(motion.v, v);
    motion.clock = 0;
    kg_add_scaled3(end, motion.x, 1, v);
    kg_triangle_sweep sweep = {.motion = &motion, .until = 1, .horizon = 1};
    for (uint32_t s = 0; s < 2; ++s) {
        const kg_surface *surface = kg_surfaces_at(&world->surfaces, s);
        for (uint32_t t = 0; t < kg_surface_number_count(surface); ++t) {
            uint32_t triangle = surface->first_triangle + t;
            kg_triangle_impacts all;
            kg_boundary k;
            kg_mesh_last_sharp last = {0};
            kg_boundary_sweep_triangle(world, triangle, &sweep, &all);
            for (uint32_t i = 0; i < all.count; ++i)
                cr_assert(kg_work_rests_on(&world->work, slot, all.boundary[i]),
                          "body %u meets triangle %u", slot, triangle);
            if (kg_boundary_nearest(world, triangle, end, motion.radius, &last, &k))
                cr_assert(kg_work_rests_on(&world->work, slot, k), "body %u touches triangle %u",
                          slot, triangle);
        }
    }
}

/* Paths in random directions, a little shorter than the clearance. Returns how many there are. */
static uint32_t check_body(const kugel_world *world, uint32_t slot, support_random *random)
{
    uint32_t checked = 0;
    const double *x = world->work.motion[slot].x;
    double limit = (double)world->grid->near_span[slot].clearance.clearance, path = limit, v[3];
    for (int halving = 0; halving < 3; ++halving, path /= 2) {
        double length = path * (1 - 1e-9);
        if (!kg_neighbours_triangles_are_clear(world, slot, x, length)) continue;
        for (int i = 0; i < 5; ++i, ++checked) {
            support_direction(random, length, v);
            check_path(world, slot, v);
        }
    }
    return checked;
}

Test(triangle_clearance, shorter_paths_meet_only_what_a_body_rests_on)
{
    support_random random = support_random_start("shorter_paths_meet", 1);
    uint32_t checked = 0;
    for (int trial = 0; trial < SUPPORT_ROUNDS(4); ++trial) {
        kugel_world *world = make_world(&random, trial & 1 ? 0.02 : 0.2);
        for (int tick = 0; tick < 120; ++tick) {
            support_run(world, 1 / 60., 1);
            for (uint32_t slot = 0; slot < BODIES && tick % 5 == 4; ++slot)
                checked += check_body(world, slot, &random);
        }
        kugel_world_destroy(world);
    }
    fprintf(stderr, "%u paths\n", checked);
    cr_assert(checked > SUPPORT_ROUNDS(1000), "%u", checked);
}
