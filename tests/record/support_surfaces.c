/* Random terrains and tetrahedra, and the calls that change them. */
#include "record/support_surfaces.h"

#include <criterion/criterion.h>
#include <math.h>

static void ok(kugel_world *world, kugel_status status)
{
    cr_assert_eq(status, KUGEL_OK, "%s: %s", kugel_status_text(status),
                 kugel_world_last_error(world)->message);
}

kugel_surface_def support_terrain_make(support_terrain *terrain, support_random *random,
                                       double height)
{
    enum { N = SUPPORT_TERRAIN_CELLS };
    uint32_t *t = terrain->triangles;
    kugel_surface_def def = kugel_surface_def_default();
    for (uint32_t i = 0; i < (N + 1) * (N + 1); ++i) {
        terrain->vertices[3 * i] = (double)(i % (N + 1)) - 6;
        terrain->vertices[3 * i + 1] = (double)(i / (N + 1)) - 6;
        terrain->vertices[3 * i + 2] = support_between(random, 0, height);
    }
    for (uint32_t y = 0; y < N; ++y) {
        for (uint32_t x = 0; x < N; ++x, t += 6) {
            uint32_t at = y * (N + 1) + x;
            t[0] = t[3] = at, t[1] = at + 1, t[2] = t[4] = at + N + 2, t[5] = at + N + 1;
        }
    }
    def.vertices = terrain->vertices, def.vertex_count = (N + 1) * (N + 1);
    def.triangles = terrain->triangles, def.triangle_count = 2 * N * N;
    return def;
}

kugel_surface_def support_tetrahedron(void)
{
    static const double vertices[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    static const uint32_t triangles[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = 4;
    def.triangles = triangles, def.triangle_count = 4;
    return def;
}

kugel_world_def support_surfaces_settings(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    for (int axis = 0; axis < 3; ++axis) def.bounds.min[axis] = -6, def.bounds.max[axis] = 6;
    for (int face = 0; face < 4; ++face) def.bounds.faces[face] = KUGEL_FACE_WALL;
    return def;
}

void support_surfaces_fill(kugel_world *world, uint32_t bodies)
{
    support_random random = {20260101};
    support_terrain terrain;
    kugel_surface_def ground = support_terrain_make(&terrain, &random, 0.5);
    ground.friction = 0.6, ground.restitution = 0.2;
    ok(world, kugel_surface_create(world, &ground, NULL));
    for (uint32_t i = 0; i < bodies; ++i) {
        kugel_body_def def = kugel_body_def_default();
        def.radius = support_between(&random, 0.2, 0.4);
        def.rolling_resistance = 0.05;
        def.position[0] = 0.9 * (i % 3) - 1 + support_between(&random, 0, 0.05);
        def.position[1] = 0.9 * (i / 3 % 3) - 1 + support_between(&random, 0, 0.05);
        def.position[2] = 1.2 + 0.9 * (i / 9);
        ok(world, kugel_body_create(world, &def, NULL));
    }
    kugel_body_def ball = kugel_body_def_default();
    ball.position[0] = -5, ball.position[1] = 3, ball.position[2] = 0.9;
    ball.velocity[0] = 4;
    ball.radius = 0.3;
    ok(world, kugel_body_create(world, &ball, NULL));
}

kugel_world *support_surfaces_world(uint32_t bodies, const kugel_world_def *settings)
{
    kugel_world *world;
    cr_assert_eq(kugel_world_create(settings, &world), KUGEL_OK);
    support_surfaces_fill(world, bodies);
    return world;
}

void support_surfaces_calls(kugel_world *world, uint64_t tick)
{
    const double near[3] = {2, -3, 1}, away[3] = {-3, -3, 0.8}, turned[4] = {0, 0.6, 0, 0.8},
                 upright[4] = {0, 0, 0, 1}, lift[3] = {0.3, 0, 0.5}, turn[3] = {0, 0.2, 1},
                 sink[3] = {0, 0, -0.2};
    kugel_surface_def stone = support_tetrahedron();
    kugel_surface made;
    if (tick == 50) stone.spin[2] = 3;
    stone.position[0] = 2, stone.position[1] = 3, stone.position[2] = 0.5;
    if (tick == 10 || tick == 20 || tick == 50) {
        stone.one_sided = tick == 20;
        ok(world, kugel_surface_create(world, &stone, &made));
        cr_assert_eq(kugel_surface_index(made), tick == 20 ? 2 : 1);
    }
    if (tick == 15)
        ok(world, kugel_surface_set_pose(world, kugel_world_surface(world, 1), near, turned));
    if (tick == 30)
        ok(world, kugel_surface_set_pose(world, kugel_world_surface(world, 2), away, upright));
    if (tick == 35)
        ok(world, kugel_surface_set_motion(world, kugel_world_surface(world, 2), lift, turn));
    if (tick == 45)
        ok(world,
           kugel_surface_set_target(world, kugel_world_surface(world, 2), away, turned, 0.5));
    if (tick == 65)
        ok(world, kugel_surface_set_motion(world, kugel_world_surface(world, 0), sink, upright));
    if (tick == 75)
        ok(world, kugel_surface_set_motion(world, kugel_world_surface(world, 0), upright, upright));
    if (tick == 40) ok(world, kugel_surface_destroy(world, kugel_world_surface(world, 1)));
    if (tick == 80) ok(world, kugel_surface_destroy(world, kugel_world_surface(world, 2)));
}

uint32_t support_surface_contacts(const kugel_world *world)
{
    enum { MOST = 1024 };
    static kugel_resting_contact rows[MOST];
    size_t n;
    uint32_t count = 0;
    cr_assert_eq(kugel_world_contacts(world, MOST, rows, &n), KUGEL_OK);
    cr_assert_leq(n, MOST);
    for (size_t k = 0; k < n; ++k) count += rows[k].target == KUGEL_TARGET_SURFACE;
    return count;
}
