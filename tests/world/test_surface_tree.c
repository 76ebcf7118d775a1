/* The tree of surfaces: none that comes within reach is passed over, and most others are. It is not
 * built again without need. */
#include "world/surface_tree.h"

#include <criterion/criterion.h>

#include "geometry/sweep_linear.h"
#include "query/support_many.h"
#include "surfaces/mesh_closest.h"
#include "world/world.h"

enum { SURFACES = 200 };

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
        for (uint32_t k = 0; k < count; ++k) support_many_add(&random, world, 20);
        for (uint32_t k = 0; k < count; k += 7)
            cr_assert_eq(kugel_surface_destroy(world, kugel_world_surface(world, k)), KUGEL_OK);
        kg_surface_tree_prepare(&world->surfaces, lasts);
        for (uint32_t ask = 0; ask < 50; ++ask) {
            double x[3], reach = support_between(&random, 0, 3);
            uint32_t visits[SURFACES] = {0};
            for (int k = 0; k < 3; ++k) x[k] = support_between(&random, -20, 20);
            cr_assert(kg_surface_tree_visit(&world->surfaces, x, x, &reach, count_visit, visits));
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

/* An item of a part of the tree is changed, to see whether the part is built again. */
static bool part_is_built_again(kugel_world *world, const kg_surface_boxes *part)
{
    kg_tree_item *items = part->boxes.items;
    uint32_t mark = items[0].number;
    items[0].number = KG_NONE;
    cr_assert_eq(kugel_world_step(world, 1e-3), KUGEL_OK);
    cr_assert_eq(kugel_world_prepare_queries(world), KUGEL_OK);
    bool built = items[0].number != KG_NONE;
    items[0].number = mark;
    return built;
}

static bool is_built_again(kugel_world *world)
{
    return part_is_built_again(world, &world->surfaces.tree->others);
}

static void add_row_of_balls(kugel_world *world, int count)
{
    kugel_surface_def ball = kugel_surface_def_default();
    ball.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) ball.size[k] = 1;
    for (int k = 0; k < count; ++k) {
        ball.position[0] = 3 * k;
        cr_assert_eq(kugel_surface_create(world, &ball, NULL), KUGEL_OK);
    }
}

/* What one surface does costs nothing of the others: their boxes are kept while it moves, is placed
 * or gets another motion. The one is found at its place only. */
Test(surface_tree, keeps_the_boxes_of_surfaces_at_rest)
{
    const double velocity[3] = {0, 1, 0}, beside[3] = {30, 9, 0}, turn[4] = {0, 0, 0, 1};
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    uint32_t visits[10] = {0};
    double none = 0;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    add_row_of_balls(world, 10);
    const kg_surface_boxes *at_rest = &world->surfaces.tree->at_rest;
    cr_assert(part_is_built_again(world, at_rest));
    cr_assert_eq(at_rest->count, 10);
    for (uint32_t k = 0; k < 10; ++k) {
        kugel_surface moved = kugel_world_surface(world, k % 4);
        cr_assert_eq(k % 2 ? kugel_surface_set_pose(world, moved, beside, turn)
                           : kugel_surface_set_motion(world, moved, velocity, kg_zero3),
                     KUGEL_OK);
        cr_assert(!part_is_built_again(world, at_rest), "change %u", k);
    }
    const double place[3] = {9, 0, 0};
    cr_assert(kg_surface_tree_visit(&world->surfaces, place, place, &none, count_visit, visits));
    cr_assert(!visits[3], "it was placed elsewhere");
    cr_assert(kg_surface_tree_visit(&world->surfaces, beside, beside, &none, count_visit, visits));
    cr_assert(visits[3]);
    cr_assert_eq(kugel_surface_destroy(world, kugel_world_surface(world, 9)), KUGEL_OK);
    cr_assert(part_is_built_again(world, at_rest));
    cr_assert_eq(at_rest->count, 7, "%u", at_rest->count);
    kugel_world_destroy(world);
}

Test(surface_tree, is_kept_until_a_surface_changes)
{
    const double velocity[3] = {1e4, 0, 0}, origin[3] = {9, 9, 9}, rotation[4] = {0, 0, 0, 1};
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def surface = kugel_surface_def_default();
    kugel_world *world;
    surface.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) surface.size[k] = 1;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    cr_assert(is_built_again(world));
    cr_assert(!is_built_again(world));
    cr_assert_eq(kugel_surface_set_pose(world, kugel_world_surface(world, 0), origin, rotation),
                 KUGEL_OK);
    cr_assert(is_built_again(world));
    cr_assert(!is_built_again(world));
    cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, 0), velocity, kg_zero3),
                 KUGEL_OK);
    cr_assert(is_built_again(world));
    cr_assert(is_built_again(world), "it has moved far");
    kugel_world_destroy(world);
}

/* Centres that differ by less than the inverse of the largest float, and places whose sum is beyond
 * it: conversions that overflow are undefined. */
Test(surface_tree, is_built_of_extreme_boxes)
{
    const double sizes[] = {1e-44, 3e38};
    for (int i = 0; i < 2; ++i) {
        kg_tree_item items[20];
        kg_mesh_node nodes[20];
        kg_tree_builder tree = {.items = items, .node = nodes, .leaf_items = 1};
        for (uint32_t k = 0; k < 20; ++k) {
            double x = sizes[i] * (i ? k / 19. : k);
            double low[3] = {x, 0, -x}, high[3] = {x + sizes[i] / 100, 0, -x};
            kg_tree_set_item(&items[k], low, high, k);
        }
        kg_tree_build(&tree, 20);
        cr_assert_eq(tree.leaf_count, 20);
        uint32_t seen = 0;
        for (uint32_t k = 0; k < 20; ++k) seen |= 1u << items[k].number;
        cr_assert_eq(seen, (1u << 20) - 1);
    }
}
