/* Floors of several surfaces: where these are flush, overlap or lie on a plane, a ball moves as on
 * a plane; steps and ridges between them act. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kugel/body.h"
#include "kugel/mesh_shapes.h"
#include "kugel/snapshot.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

#define RADIUS 0.2
enum { TILES = 60 };

/* How the tiles of a floor lie. Their tops are in the plane z = 0. */
typedef enum layout {
    BOXES,       /* flush boxes, one-sided */
    RECTANGLES,  /* flush rectangles, two-sided */
    OVERLAPPING, /* rectangles turned at random; together they cover the floor */
    SUNK,        /* each second box is missing, and the floor is a plane, too */
    LAYOUTS
} layout;

static void add_tile(kugel_world *world, const double vertices[], uint32_t vertex_count,
                     const uint32_t triangles[], uint32_t triangle_count, double x, double y,
                     double z, double yaw)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = vertex_count;
    def.triangles = triangles, def.triangle_count = triangle_count;
    def.one_sided = vertex_count > 4;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    def.rotation[2] = sin(yaw / 2), def.rotation[3] = cos(yaw / 2);
    def.friction = 0.5, def.restitution = 0;
    kugel_status status = kugel_surface_create(world, &def, NULL);
    cr_assert_eq(status, KUGEL_OK, "%s", kugel_world_last_error(world)->message);
}

static void add_rectangle(kugel_world *world, double x, double y, double z, const double size[2],
                          double yaw)
{
    double vertices[3 * KUGEL_MESH_RECTANGLE_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_RECTANGLE_TRIANGLES];
    cr_assert_eq(kugel_mesh_rectangle((double[3]){-size[0] / 2, -size[1] / 2, 0},
                                      (double[3]){size[0], 0, 0}, (double[3]){0, size[1], 0},
                                      vertices, triangles),
                 KUGEL_OK);
    add_tile(world, vertices, KUGEL_MESH_RECTANGLE_VERTICES, triangles,
             KUGEL_MESH_RECTANGLE_TRIANGLES, x, y, z, yaw);
}

static void add_box(kugel_world *world, double x, double y, double top, const double half[3])
{
    double vertices[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_BOX_TRIANGLES];
    cr_assert_eq(kugel_mesh_box(half, vertices, triangles), KUGEL_OK);
    add_tile(world, vertices, KUGEL_MESH_BOX_VERTICES, triangles, KUGEL_MESH_BOX_TRIANGLES, x, y,
             top - half[2], 0);
}

/* Tiles of 1 m by 2 m in two rows, from x = -1 on; the ball starts near their common edge. */
static void add_floor(kugel_world *world, layout layout, support_random *random)
{
    const double half[3] = {0.5, 1, 0.25};
    for (int k = 0; k < 2 * TILES; ++k) {
        double x = k / 2 - 0.5, y = k % 2 ? 1 : -1;
        if (layout == BOXES || (layout == SUNK && k / 2 % 2)) add_box(world, x, y, 0, half);
        if (layout == RECTANGLES) add_rectangle(world, x, y, 0, (double[2]){1, 2}, 0);
        if (layout == OVERLAPPING)
            add_rectangle(world, x, y, 0, (double[2]){2.6, 3.2}, support_between(random, 0, 6));
    }
}

static support_scene one_ball(double x, double y, double z, double speed)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.def.sleep = false;
    kugel_body_def *ball = support_scene_add(&scene, (double[3]){x, y, z},
                                             (double[3]){speed, 0.003 * speed, 0}, RADIUS, 1);
    ball->friction = 0.5, ball->restitution = 0;
    return scene;
}

/* The largest speed of an impact of the last step. */
static double hardest_impact(const kugel_world *world)
{
    size_t count;
    const kugel_impact *impacts = kugel_world_impact_events(world, &count);
    double hardest = 0;
    for (size_t k = 0; k < count; ++k) hardest = fmax(hardest, impacts[k].speed);
    return hardest;
}

static void expect_near(const kugel_body_state *a, const kugel_body_state *b, double way,
                        double speed, const char *where)
{
    for (int k = 0; k < 3; ++k) {
        cr_assert_float_eq(a->position[k], b->position[k], 1e-9 * way, "%s: axis %d: %.17g, %.17g",
                           where, k, a->position[k], b->position[k]);
        cr_assert_float_eq(a->velocity[k], b->velocity[k], 3e-9 + 1e-9 * speed,
                           "%s: axis %d: %.17g, %.17g", where, k, a->velocity[k], b->velocity[k]);
        cr_assert_float_eq(a->spin[k], b->spin[k], (3e-9 + 1e-9 * speed) / RADIUS,
                           "%s: axis %d: %.17g, %.17g", where, k, a->spin[k], b->spin[k]);
    }
}

/* The ball slides, then rolls over the joints. The contact solver's floats round what gravity adds
 * in a substep, 0.04 m/s, by up to 3e-9 m/s. */
static void expect_the_plane(layout layout, double speed, support_random *random)
{
    char where[40];
    snprintf(where, sizeof where, "layout %d, %g m/s", layout, speed);
    support_scene scene = one_ball(-0.05, -0.013, RADIUS, speed);
    kugel_world *on_tiles = support_scene_world(&scene);
    add_floor(on_tiles, layout, random);
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    kugel_world *on_plane = support_scene_world(&scene);
    if (layout == SUNK) cr_assert_eq(support_add_plane(on_tiles, &scene.planes[0], NULL), KUGEL_OK);
    kugel_body_state a, b = {0};
    int tick = 0;
    for (; tick < 600 && b.position[0] < TILES - 4 - speed / 60; ++tick) {
        support_run(on_tiles, 1 / 60., 1);
        support_run(on_plane, 1 / 60., 1);
        support_state(on_plane, 0, &b);
        cr_assert_lt(hardest_impact(on_tiles), 1e-8, "%s, tick %d", where, tick);
    }
    cr_assert(tick > 1 && b.position[0] > 0);
    support_state(on_tiles, 0, &a);
    expect_near(&a, &b, b.position[0] + 1, speed, where);
    kugel_world_destroy(on_tiles);
    kugel_world_destroy(on_plane);
    support_scene_free(&scene);
}

Test(tiles, flush_tiles_are_the_plane)
{
    support_random random = support_random_start("tiles", 41);
    for (layout k = BOXES; k < LAYOUTS; ++k) {
        for (double speed = 0.01; speed < 2000; speed *= 10) expect_the_plane(k, speed, &random);
    }
}

/* Six boxes of 1 m by 2 m that rise and drift together, or one box in their place. */
static kugel_world *lift(const support_scene *scene, bool in_one)
{
    kugel_world *world = support_scene_world(scene);
    if (in_one) add_box(world, 2, 0, 0, (double[3]){3, 1, 0.25});
    for (int k = 0; k < 6 && !in_one; ++k) add_box(world, k - 0.5, 0, 0, (double[3]){0.5, 1, 0.25});
    for (uint32_t k = 0; k < (in_one ? 1 : 6); ++k)
        cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, k),
                                              (double[3]){0.2, 0.1, 0.7}, (double[3]){0}),
                     KUGEL_OK);
    return world;
}

Test(tiles, tiles_that_move_together_are_one_surface)
{
    support_scene scene = one_ball(-0.7, 0.2, RADIUS, 3);
    kugel_world *tiles = lift(&scene, false), *box = lift(&scene, true);
    kugel_body_state a, b;
    for (int tick = 0; tick < 100; ++tick) {
        support_run(tiles, 1 / 60., 1);
        support_run(box, 1 / 60., 1);
        cr_assert(tick == 0 || hardest_impact(tiles) < 1e-8, "tick %d", tick);
    }
    support_state(tiles, 0, &a);
    support_state(box, 0, &b);
    cr_assert_gt(b.position[0], 2);
    expect_near(&a, &b, 10, 3, "lift");
    kugel_world_destroy(tiles);
    kugel_world_destroy(box);
    support_scene_free(&scene);
}

/* How the tiles of a floor move in its plane. */
typedef enum slide {
    BESIDE, /* boxes in a row, each third slides one way along their joints, and each third back */
    ON_PLANE, /* boxes sunk into a plane slide along it */
    TURNING,  /* rectangles turn on a large box */
    SLIDES
} slide;

static void add_sliding_floor(kugel_world *world, slide slide, double rate)
{
    const double half[3] = {0.25, slide == BESIDE ? 50 : 0.4, 0.25};
    for (int k = 0; k < TILES; ++k) {
        double velocity[3] = {0, slide == BESIDE ? (k % 3 - 1) * rate : 0, 0},
               spin[3] = {0, 0, slide == TURNING ? rate : 0};
        if (slide == ON_PLANE) velocity[0] = (k % 2 ? 1 : -1) * rate;
        if (slide == TURNING) add_rectangle(world, 0.5 * k, 0, 0, (double[2]){0.9, 0.7}, 0.1 * k);
        else add_box(world, 0.5 * k - 0.5, 0, 0, half);
        cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, (uint32_t)k),
                                              velocity, spin),
                     KUGEL_OK);
    }
    support_plane plane = {.normal = {0, 0, 1}};
    if (slide == ON_PLANE) cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
    if (slide == TURNING) add_box(world, 0, 0, 0, (double[3]){100, 100, 1});
}

/* Without friction the ball keeps its velocity. */
Test(tiles, tiles_that_slide_or_turn_in_their_plane_are_the_plane)
{
    for (int trial = 0; trial < SLIDES * 3 * 3; trial += SUPPORT_SANITIZED ? 4 : 1) {
        static const double speeds[] = {0.5, 3, 30}, rates[] = {0.1, 0.7, 5};
        double speed = speeds[trial % 3], rate = rates[trial / 3 % 3];
        support_scene scene = one_ball(-0.05, -0.013, RADIUS, speed);
        scene.bodies[0].friction = 0;
        kugel_world *world = support_scene_world(&scene);
        kugel_body_state s;
        add_sliding_floor(world, (slide)(trial / 9), rate);
        int ticks = 0;
        for (; ticks < 600 && (ticks + 1) * speed / 60 < 28; ++ticks) {
            support_run(world, 1 / 60., 1);
            cr_assert_lt(hardest_impact(world), 1e-8, "trial %d, tick %d", trial, ticks);
        }
        support_state(world, 0, &s);
        cr_assert_float_eq(s.position[0], -0.05 + ticks * speed / 60, 3e-8, "trial %d: %.10g",
                           trial, s.position[0]);
        cr_assert_float_eq(s.position[2], RADIUS, 1e-9, "trial %d: %.12g", trial, s.position[2]);
        cr_assert_float_eq(s.velocity[0], speed, 1e-9 * speed, "trial %d: %.12g", trial,
                           s.velocity[0]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The next tile is higher by `step` radii. A ball that rolls against it touches its edge at
 * cos(angle) = 1 - step, with the part v sin(angle) of its speed. */
static double speed_at_step(double step, double speed)
{
    support_scene scene = one_ball(0.2, 0.3, RADIUS, speed);
    scene.bodies[0].spin[1] = speed / RADIUS;
    kugel_world *world = support_scene_world(&scene);
    add_box(world, 0.5, 0, 0, (double[3]){0.5, 1, 0.25});
    add_box(world, 1.5, 0, step * RADIUS, (double[3]){0.5, 1, 0.25});
    double hardest = 0;
    for (int tick = 0; tick < 60; ++tick) {
        support_run(world, 1 / 60., 1);
        hardest = fmax(hardest, hardest_impact(world));
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return hardest;
}

/* Within 2 %: the ball rests up to 1e-4 radii in the floor. */
Test(tiles, steps_act)
{
    for (double step = 0.003; step < 0.5; step *= 2) {
        double expected = 4 * sqrt(1 - (1 - step) * (1 - step));
        cr_assert_float_eq(speed_at_step(step, 4), expected, 0.02 * expected,
                           "step of %g radii: %g m/s, expected %g", step, speed_at_step(step, 4),
                           expected);
    }
}

/* A ball on the ridge of two surfaces, over neither of them, is held by their edges. */
Test(tiles, a_ridge_holds_a_ball)
{
    support_scene scene = one_ball(0, 0, RADIUS, 0);
    kugel_world *world = support_scene_world(&scene);
    kugel_body_state ball;
    for (int side = -1; side < 2; side += 2) {
        kugel_surface_def def = kugel_surface_def_default();
        const double vertices[12] = {0, -1, 0, 0, 1, 0, side, -1, -0.5, side, 1, -0.5};
        const uint32_t triangles[6] = {0, 1, 2, 1, 2, 3};
        def.vertices = vertices, def.vertex_count = 4;
        def.triangles = triangles, def.triangle_count = 2;
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    }
    support_run(world, 1 / 60., 120);
    support_state(world, 0, &ball);
    cr_assert_float_eq(ball.position[2], RADIUS, 1e-3 * RADIUS, "%g", ball.position[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball rests on two rectangles that overlap. One of ten times its mass falls on it: neither
 * rectangle leaves it to the other. At most 0.15 radii deep; 0.1 on a plane with these substeps. */
Test(tiles, overlapping_faces_both_hold_a_struck_ball)
{
    support_random random = support_random_start("struck", 43);
    static const int32_t substeps[] = {0, 1, 4};
    for (int trial = 0; trial < 300; ++trial) {
        support_scene scene = one_ball(0, 0, RADIUS + support_between(&random, 0, 0.3), 0);
        scene.def.substeps = substeps[trial % 3];
        support_scene_add(&scene, (double[3]){support_between(&random, 0, 0.02), 0, 1.5},
                          (double[3]){0, 0, -support_between(&random, 1, 40)}, RADIUS, 10);
        kugel_world *world = support_scene_world(&scene);
        add_rectangle(world, 0, 0, 0, (double[2]){2000, 2000}, 0);
        add_rectangle(world, 0.5, 0.3, 0, (double[2]){1900, 1800}, 0.2);
        for (int tick = 0; tick < 60; ++tick) {
            kugel_body_state ball;
            support_run(world, 1 / 60., 1);
            support_state(world, 0, &ball);
            cr_assert_gt(ball.position[2], 0.85 * RADIUS, "trial %d, tick %d: %g", trial, tick,
                         ball.position[2]);
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

static void restore(kugel_world *world)
{
    size_t size = support_snapshot_room(world, true), used;
    uint8_t *bytes = malloc(size);
    cr_assert_eq(kugel_snapshot_save(world, true, bytes, size, &used), KUGEL_OK);
    cr_assert_eq(kugel_snapshot_restore(world, bytes, used), KUGEL_OK);
    free(bytes);
}

/* Restoring builds all lists anew, so tiles come in another order. */
Test(tiles, restoring_a_snapshot_changes_no_bit)
{
    support_random random = support_random_start("restored", 44);
    for (int trial = 0; trial < 500; ++trial) {
        support_scene scene = one_ball(support_between(&random, -0.6, 0.6),
                                       support_between(&random, -0.5, 0.5), 1.2 * RADIUS, 1.5);
        kugel_world *worlds[2] = {support_scene_world(&scene), support_scene_world(&scene)};
        for (int k = 0; k < 3; ++k) {
            double x = support_between(&random, -0.5, 0.5),
                   top = trial % 2 ? support_between(&random, -1e-10, 1e-10) : 0,
                   half[3] = {support_between(&random, 0.1, 0.5), support_between(&random, 0.2, 3),
                              0.2};
            for (int w = 0; w < 2; ++w) add_box(worlds[w], x, 0, top, half);
        }
        for (int w = 0; w < 2; ++w) add_box(worlds[w], 0, 0, 0, (double[3]){5, 5, 0.2});
        for (int tick = 0; tick < 60; ++tick) {
            restore(worlds[1]);
            for (int w = 0; w < 2; ++w) support_run(worlds[w], 1 / 60., 1);
            cr_assert_eq(kugel_world_hash(worlds[0]), kugel_world_hash(worlds[1]),
                         "trial %d, tick %d", trial, tick);
        }
        for (int w = 0; w < 2; ++w) kugel_world_destroy(worlds[w]);
        support_scene_free(&scene);
    }
}

/* A plate in the plane of a floor rises below a ball: the ball stays on it. */
Test(tiles, a_plate_that_rises_out_of_a_floor_lifts_a_ball)
{
    for (double speed = 0.1; speed < 20; speed *= 4) {
        support_scene scene = one_ball(0.01, 0.02, RADIUS, 0);
        scene.def.substeps = 1;
        kugel_world *world = support_scene_world(&scene);
        kugel_body_state ball;
        add_rectangle(world, 0, 0, 0, (double[2]){10, 10}, 0);
        support_run(world, 1 / 60., 60);
        add_rectangle(world, 0, 0, 0, (double[2]){2, 2}, 0);
        cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, 1),
                                              (double[3]){0, 0, speed}, (double[3]){0}),
                     KUGEL_OK);
        for (int tick = 1; tick <= 20; ++tick) {
            support_run(world, 1 / 60., 1);
            support_state(world, 0, &ball);
            cr_assert_gt(ball.position[2] - tick * speed / 60, 0.99 * RADIUS, "%g m/s, tick %d",
                         speed, tick);
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The ball is in the floor by `sunk` radii, so that it touches the edge of a flat ramp before its
 * centre is over the ramp. It comes no deeper into the ramp. */
Test(tiles, a_sunk_ball_rolls_up_a_flat_ramp)
{
    for (double sunk = 1e-6; sunk < 0.02; sunk *= 10) {
        double slope = sqrt(sunk), size = 1e4;
        support_scene scene = one_ball(-0.5, 0, RADIUS * (1 - sunk), 100);
        kugel_world *world = support_scene_world(&scene);
        kugel_body_state ball;
        add_rectangle(world, -size / 2, 0, 0, (double[2]){size, size}, 0);
        const double vertices[12] = {0,     -size,        0,    0,    size,        0, size,
                                     -size, slope * size, size, size, slope * size};
        const uint32_t triangles[6] = {0, 2, 1, 1, 2, 3};
        add_tile(world, vertices, 4, triangles, 2, 0, 0, 0, 0);
        for (int tick = 0; tick < 20; ++tick) {
            support_run(world, 1 / 60., 1);
            support_state(world, 0, &ball);
            double height = (ball.position[2] - slope * ball.position[0]) / hypot(1, slope);
            cr_assert(ball.position[0] < 0 || height > RADIUS * (1 - 2 * sunk - 1e-6),
                      "sunk by %g, tick %d: %g", sunk, tick, height);
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
