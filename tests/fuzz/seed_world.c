/* The bodies, planes and surfaces of the seed world. */
#include "seed_world.h"

#include <stdlib.h>

static void must(kugel_status status)
{
    if (status) abort();
}

void seed_world_add_mesh(kugel_world *world)
{
    static const double vertices[4][3] = {{1, -1, 0}, {-1, -1, 0}, {0, 1, 0}, {0, 0, 1.5}};
    static const uint32_t triangles[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices[0], def.vertex_count = 4;
    def.triangles = triangles[0], def.triangle_count = 4;
    def.position[2] = -3;
    must(kugel_surface_create(world, &def, NULL));
}

kugel_world *seed_world_make(bool periodic)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    def.substeps = 2;
    for (int k = 0; k < 3; ++k) def.bounds.min[k] = -4, def.bounds.max[k] = 4;
    for (int f = 0; f < 5; ++f) def.bounds.faces[f] = KUGEL_FACE_WALL;
    if (periodic) def.bounds.faces[0] = def.bounds.faces[1] = KUGEL_FACE_PERIODIC;
    kugel_world *world;
    must(kugel_world_create(&def, &world));
    kugel_surface_def slope = kugel_surface_def_plane((double[]){0, 0.6, 0.8}, -3);
    slope.restitution = 0.5;
    must(kugel_surface_create(world, &slope, NULL));
    if (!periodic) seed_world_add_mesh(world);
    for (int i = 0; i < 6; ++i) {
        kugel_body_def body = kugel_body_def_default();
        body.position[0] = 1.1 * i - 3;
        body.position[1] = 0.2 * i - 0.5;
        body.position[2] = i < 3 ? -3.5 : -1;
        if (i != 4) body.velocity[2] = -2.0 * i;
        body.radius = 0.5 + 0.02 * i;
        body.type = i == 4 ? KUGEL_STATIC : i == 5 ? KUGEL_KINEMATIC : KUGEL_DYNAMIC;
        body.restitution = 0.1 * i;
        body.sensor = i == 2;
        body.group = (uint32_t)i / 4;
        must(kugel_body_create(world, &body, NULL));
    }
    return world;
}

void seed_world_step(kugel_world *world)
{
    uint64_t tick = kugel_world_tick(world);
    kugel_body first = kugel_world_body(world, 0), third = kugel_world_body(world, 3);
    if (tick % 4 == 1) must(kugel_body_apply_force(world, first, (double[3]){3, 0, 40}, NULL));
    if (tick == 2) must(kugel_body_set_filter(world, third, 3, 5, 2));
    if (tick == 3) must(kugel_body_destroy(world, kugel_world_body(world, 1)));
    if (tick == 5) must(kugel_world_set_gravity(world, (double[3]){1, 0, -5}));
    must(kugel_world_step(world, 1 / 60.));
}
