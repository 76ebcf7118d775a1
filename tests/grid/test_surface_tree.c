/* The tree of surfaces: none that comes within reach is passed over, and most others are. */
#include <criterion/criterion.h>

#include "geometry/sweep_linear.h"
#include "grid/grid.h"
#include "support/support_random.h"
#include "surfaces/mesh_closest.h"

enum { SURFACES = 200 };

/* Triangles and capsules in a cube of 40 m; some of them move, few spin. */
static void add_surfaces(support_random *random, kugel_world *world, uint32_t count)
{
    static const double vertices[] = {-1, 0, 0, 1, 0, 0, 0, 1, 1};
    static const uint32_t triangle[] = {0, 1, 2};
    for (uint32_t k = 0; k < count; ++k) {
        kugel_surface_def def = kugel_surface_def_default();
        if (k % 2) {
            def.shape = KUGEL_SURFACE_CAPSULE;
            def.size[0] = support_between(random, 0.1, 1),
            def.size[1] = support_between(random, 0, 2);
        } else {
            def.vertices = vertices, def.vertex_count = 3;
            def.triangles = triangle, def.triangle_count = 1;
        }
        for (int i = 0; i < 3; ++i) def.position[i] = support_between(random, -20, 20);
        if (k % 3 == 0) support_direction(random, 2, def.velocity);
        if (k % 20 == 0) support_direction(random, 3, def.spin);
        cr_assert_eq(kugel_world_add_surface(world, &def, NULL), KUGEL_OK);
    }
}

static double distance_at(const kg_surface *surface, double t, const double point[3])
{
    double x[3], outward[3];
    kg_pose moved;
    kg_mesh_closest closest;
    kg_pose_point_to_frame(kg_surface_pose_at(surface, t, &moved), point, x);
    if (kg_surface_is_solid(surface)) return kg_shape_distance(&surface->shape, x, outward);
    cr_assert(kg_mesh_find_closest(&surface->mesh, x, KG_NEVER, &closest));
    return closest.distance;
}

static bool count_visit(void *context, uint32_t k)
{
    uint32_t *visits = context;
    visits[k] += 1;
    return true;
}

/* A third of the numbers of surfaces is small; some surfaces are removed again. */
Test(surface_tree, finds_all_surfaces_in_reach)
{
    support_random random = support_random_start("surface_tree", 7);
    uint32_t in_reach = 0, visited = 0, asked = 0;
    for (uint32_t trial = 0; trial < 60; ++trial) {
        kugel_world_def def = kugel_world_def_default();
        kugel_world *world;
        uint32_t count = trial % 3 ? SURFACES : trial / 3;
        double lasts = trial % 2 ? 0 : support_between(&random, 0, 1);
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        add_surfaces(&random, world, count);
        for (uint32_t k = 0; k < count; k += 7)
            cr_assert_eq(kugel_world_remove_surface(world, k), KUGEL_OK);
        world->grid->near_lasts = lasts;
        cr_assert(kg_surface_tree_build(world));
        for (uint32_t ask = 0; ask < 50; ++ask) {
            double x[3], reach = support_between(&random, 0, 4);
            uint32_t visits[SURFACES] = {0};
            for (int k = 0; k < 3; ++k) x[k] = support_between(&random, -20, 20);
            cr_assert(kg_surface_tree_visit(world->grid, x, reach, count_visit, visits));
            for (uint32_t k = 0; k < world->surfaces.end; ++k) {
                const kg_surface *surface = &world->surfaces.items[k];
                cr_assert(visits[k] <= (surface->used ? 1 : 0));
                double t = support_between(&random, 0, lasts);
                bool near = surface->used && distance_at(surface, t, x) <= reach;
                cr_assert(!near || visits[k], "surface %u of %u, trial %u", k, count, trial);
                in_reach += near, visited += visits[k], asked += surface->used;
            }
        }
        kugel_world_destroy(world);
    }
    cr_assert_gt(in_reach, 500, "%u in reach", in_reach);
    cr_assert_lt(visited, asked / 4, "%u visits of %u", visited, asked);
}
