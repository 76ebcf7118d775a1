/* A step with more than step_event_limit events is refused and leaves the world unchanged. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/support_scene.h"

/* An elastic ball between walls 3 m apart for its centre: one impact every 3 m. */
static support_scene shuttle(double speed, int32_t limit)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 4, KUGEL_FACE_WALL);
    scene.def.bounds.restitution = 1, scene.def.bounds.friction = 0;
    scene.def.step_event_limit = limit;
    support_scene_add(&scene, (double[3]){2, 2, 2}, (double[3]){speed, 0, 0}, 0.5, 1);
    return scene;
}

Test(event_limit, a_step_beyond_it_is_refused_and_changes_nothing)
{
    /* 1e6 m/s: 5,555 impacts in 1/60 s */
    support_scene scene = shuttle(1e6, 1000);
    kugel_world *world = support_scene_world(&scene);
    uint64_t before = kugel_world_hash(world);
    for (int k = 0; k < 2; ++k) {
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_ERROR_LIMIT);
        cr_assert_str_eq(kugel_world_last_error(world)->argument, "step_event_limit");
        cr_assert_not_null(strstr(kugel_world_last_error(world)->message, "1000 events"));
        cr_assert_eq(kugel_world_hash(world), before);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert(stats.tick == 0 && stats.impacts_total == 0);
    cr_assert_eq(kugel_world_step(world, 1 / 600.), KUGEL_OK, "555 impacts");
    kugel_world_stats(world, &stats);
    cr_assert(stats.impacts_total > 550 && stats.impacts_total < 560);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Crossings of a periodic face count like impacts: 4,166 in 1/60 s. */
Test(event_limit, counts_crossings_of_periodic_faces)
{
    for (int32_t limit = 4000; limit <= 5000; limit += 1000) {
        support_scene scene = shuttle(1e6, limit);
        scene.def.bounds.faces[0] = scene.def.bounds.faces[1] = KUGEL_FACE_PERIODIC;
        kugel_world *world = support_scene_world(&scene);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), limit == 4000 ? KUGEL_ERROR_LIMIT : KUGEL_OK,
                     "limit %d", (int)limit);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Subdomains count their impacts separately, but decide as one thread does. */
Test(event_limit, is_the_same_for_any_threads)
{
    kugel_status status[2][2];
    uint64_t hash[2][2];
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        support_random random = support_random_start("event limit/threads", 3);
        support_scene scene = support_scene_gas(20, 0.2, KUGEL_FACE_PERIODIC, 5, &random);
        scene.def.tasks.threads = threads;
        for (int k = 0; k < 2; ++k) {
            scene.def.step_event_limit = k ? 1 << 30 : (int32_t)scene.count / 2;
            kugel_world *world = support_scene_world(&scene);
            status[threads / 2][k] = kugel_world_step(world, 0.1);
            hash[threads / 2][k] = kugel_world_hash(world);
            kugel_world_destroy(world);
        }
        support_scene_free(&scene);
    }
    cr_assert(status[0][0] == KUGEL_ERROR_LIMIT && status[1][0] == KUGEL_ERROR_LIMIT);
    cr_assert(status[0][1] == KUGEL_OK && status[1][1] == KUGEL_OK);
    cr_assert(hash[0][0] == hash[1][0] && hash[0][1] == hash[1][1]);
}

/* A ball whose gap to an edge is 0 up to rounding moves along the surface. The sweep may find a
 * contact 1e-17 s later for which the impact law finds no approach, again and again. Without
 * gravity the ball must go straight on, after at most 390 such events, in each of which it moves by
 * less than rounding. */
static kugel_status graze(double restitution, int32_t limit, double tolerance)
{
    static const double vertices[][3] = {
        {-2, -0x1.d1745d1745d18p-1, -0x1.de69efa4f2ddbp+0},
        {-0x1.a2e8ba2e8ba2ep+0, -0x1.1745d1745d174p-1, -0x1.b78f470c6bec1p+0},
        {-2, -0x1.1745d1745d174p-1, -0x1.b6a66f9a2d940p+0},
        {-0x1.745d1745d174p-3, -0x1.d1745d1745d18p-1, -0x1.f6ee7137542dap+0},
        {0x1.745d1745d174p-3, -0x1.d1745d1745d18p-1, -0x1.b600e03b44332p+0},
        {0x1.745d1745d174p-3, -0x1.1745d1745d174p-1, -0x1.e868be6b2bd1ep+0}};
    static const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    const double x[3] = {-0x1.6a65b28f4adf7p-3, -0x1.ccc42e1f531b2p-1, -0x1.efa09a61d6567p+0},
                 v[3] = {-0x1.292c1dba1eeeep-2, -0x1.17aa749882fap-2, -0x1.beb4e6e195a29p-5};
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = 0;
    scene.def.step_event_limit = limit;
    support_scene_add(&scene, x, v, 0x1.719e06cf9bd56p-6, 0.05)->restitution = restitution;
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def surface = kugel_surface_def_default();
    surface.vertices = vertices[0], surface.vertex_count = 6;
    surface.triangles = triangles, surface.triangle_count = 2;
    surface.restitution = 0.24;
    kugel_body_state ball;
    cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    kugel_status status = kugel_world_step(world, 1 / 60.);
    cr_assert(!kugel_body_get(world, kugel_world_body(world, 0), &ball));
    for (int k = 0; k < 3 && !status; ++k)
        cr_assert_float_eq(ball.position[k], x[k] + v[k] / 60, tolerance, "axis %d: %g", k,
                           ball.position[k] - x[k] - v[k] / 60);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return status;
}

Test(event_limit, a_grazed_edge_is_left, .timeout = 20)
{
    cr_assert_eq(graze(0, 0, 4e-15), KUGEL_OK);
    cr_assert_eq(graze(1, 0, 4e-15), KUGEL_OK);
}

/* 200 balls that lie on a plane begin to rest there, by an event of each. None is an impact. */
Test(event_limit, counts_touches_without_an_impulse)
{
    for (int32_t limit = 100; limit <= 300; limit += 200) {
        support_scene scene = support_scene_start();
        scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}};
        scene.def.step_event_limit = limit;
        scene.def.gravity[2] = -9.81;
        for (int k = 0; k < 200; ++k)
            support_scene_add(&scene, (double[3]){2 * k, 0, 0.5}, (double[3]){0, 0, 0}, 0.5, 1)
                ->restitution = 0;
        kugel_world *world = support_scene_world(&scene);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), limit == 100 ? KUGEL_ERROR_LIMIT : KUGEL_OK,
                     "limit %d", (int)limit);
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        cr_assert_eq(stats.impacts_total, 0);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
