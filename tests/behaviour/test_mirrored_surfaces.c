/* A scene with surfaces that is its own mirror image across y = 0 stays so. It has rough ground,
 * two paddles that turn in opposite directions, and pairs of balls, where body 2 k + 1 mirrors 2 k.
 * The halves do not meet, because simultaneous impacts that share bodies have an order. Balls only
 * bounce, because the order of resting contacts in the solver has no mirror image. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "kugel/mesh_shapes.h"
#include "support/support_scene.h"

enum { SIDE = 9, PAIRS = 30 };

static void add_ground(kugel_world *world, support_random *random)
{
    double vertices[3 * SIDE * (2 * SIDE - 1)];
    uint32_t triangles[12 * (SIDE - 1) * (SIDE - 1)], t = 0;
    const uint32_t row = 2 * SIDE - 1;
    for (uint32_t i = 0; i < SIDE; ++i) {
        for (uint32_t j = 0; j < SIDE; ++j) {
            double x = (int)i - 4 + support_between(random, -0.3, 0.3),
                   y = j ? j + support_between(random, -0.3, 0.3) : 0,
                   z = support_between(random, 0, 0.7);
            for (int side = -1; side <= 1; side += 2) {
                double *p = vertices + 3 * (row * i + (uint32_t)(SIDE - 1 + side * (int)j));
                p[0] = x, p[1] = side * y, p[2] = z;
            }
        }
    }
    for (uint32_t i = 0; i + 1 < SIDE; ++i) {
        for (uint32_t j = 0; j + 1 < row; ++j) {
            bool right = j >= SIDE - 1; /* diagonals are mirrored, too */
            uint32_t a = row * i + j, b = a + 1, c = a + row, d = c + 1;
            const uint32_t corners[6] = {a, c, right ? d : b, right ? a : c, d, b};
            for (int k = 0; k < 6; ++k) triangles[t++] = corners[k];
        }
    }
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = SIDE * row;
    def.triangles = triangles, def.triangle_count = t / 3;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
}

/* A spin is mirrored as a vector and negated. */
static void add_paddles(kugel_world *world)
{
    static const double half[3] = {0.2, 1, 0.5};
    double vertices[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_BOX_TRIANGLES];
    cr_assert_eq(kugel_mesh_box(half, vertices, triangles), KUGEL_OK);
    for (int side = -1; side <= 1; side += 2) {
        kugel_surface_def def = kugel_surface_def_default();
        def.vertices = vertices, def.vertex_count = KUGEL_MESH_BOX_VERTICES;
        def.triangles = triangles, def.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
        def.position[1] = 2.2 * side, def.position[2] = 1;
        def.spin[0] = 0.4 * side, def.spin[1] = 0.3, def.spin[2] = 2 * side;
        def.velocity[0] = 0.2, def.velocity[1] = 0.1 * side;
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    }
}

/* The order of corners rounds differently in the two halves. Differences grow tenfold in a few
 * impacts, to 1e-6 m after 2 s. Diagonals in flat sides have no effect, because a side is a
 * facet. */
Test(mirrored_surfaces, a_mirrored_scene_stays_mirrored)
{
    support_random random = support_random_start("mirrored", 51);
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81, scene.def.bounce_threshold = 0;
    for (int k = 0; k < PAIRS; ++k) {
        double x = k % 6 - 2.5, y = 0.4 + 0.8 * (k / 6), z = support_between(&random, 1.8, 2.4),
               vx = support_between(&random, -2, 2), vy = support_between(&random, -2, 2),
               radius = support_between(&random, 0.1, 0.3);
        for (int side = 1; side >= -1; side -= 2) {
            kugel_body_def *def = support_scene_add(&scene, (double[3]){x, side * y, z},
                                                    (double[3]){vx, side * vy, 0}, radius, 1);
            def->restitution = 0.8, def->friction = 0.5;
            def->category = side > 0 ? 2 : 4, def->mask = def->category | 1;
        }
    }
    kugel_world *world = support_scene_world(&scene);
    add_ground(world, &random);
    add_paddles(world);
    double worst = 0;
    for (int tick = 0; tick < 120; ++tick) {
        support_run(world, 1 / 60., 1);
        for (uint32_t i = 0; i < scene.count; i += 2) {
            kugel_body_state a, b;
            support_state(world, i, &a);
            support_state(world, i + 1, &b);
            double error = fabs(a.position[0] - b.position[0]) +
                           fabs(a.position[1] + b.position[1]) +
                           fabs(a.position[2] - b.position[2]);
            worst = fmax(worst, error);
            cr_assert(error <= 1e-6, "tick %d: bodies %u and %u are off by %g m", tick, i, i + 1,
                      error);
        }
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    fprintf(stderr, "%g impacts, off by %g m\n", (double)stats.impacts_total, worst);
    cr_assert(stats.impacts_total > 150, "%g impacts", (double)stats.impacts_total);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
