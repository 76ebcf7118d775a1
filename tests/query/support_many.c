/* See support_many.h. */
#include "query/support_many.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "geometry/sweep_linear.h"
#include "surfaces/support_mesh.h"
#include "world/surface_tree.h"
#include "world/world.h"

/* Half of the surfaces are not turned, so that they fill their boxes. */
static void set_place(support_random *random, double half, double position[3], double rotation[4])
{
    double length = 0, turn = support_below(random, 2);
    for (int k = 0; k < 3; ++k) position[k] = support_between(random, -half, half);
    for (int k = 0; k < 4; ++k)
        rotation[k] = k < 3 ? turn * support_gauss(random) : 1, length += rotation[k] * rotation[k];
    for (int k = 0; k < 4; ++k) rotation[k] /= sqrt(length);
}

/* One in three moves, one in nine spins. */
static void set_motion(support_random *random, double velocity[3], double spin[3])
{
    memset(velocity, 0, 3 * sizeof *velocity);
    memset(spin, 0, 3 * sizeof *spin);
    if (support_below(random, 3) == 0) support_direction(random, 2, velocity);
    if (support_below(random, 9) == 0) support_direction(random, 3, spin);
}

void support_many_add(support_random *random, kugel_world *world, double half)
{
    kugel_surface_def def = kugel_surface_def_default();
    support_shape *mesh = support_shape_start();
    double from_centre = support_below(random, 4) ? 0 : 3;
    uint32_t kind = support_below(random, 5);
    if (kind == 0) support_add_soup(mesh, random, 1, false);
    else if (kind == 1) support_add_cube(mesh, 0.5);
    else def.shape = (kugel_surface_shape)(KUGEL_SURFACE_PLANE + kind - 1);
    if (support_below(random, 40) == 0) def.shape = KUGEL_SURFACE_PLANE;
    for (uint32_t i = 0; i < mesh->vertices; ++i) mesh->vertex[3 * i] += from_centre;
    def.vertices = mesh->vertex, def.vertex_count = mesh->vertices;
    def.triangles = mesh->corner, def.triangle_count = mesh->triangles;
    for (int k = 0; k < 3; ++k) def.size[k] = support_between(random, 0.1, 1);
    def.one_sided = def.shape == KUGEL_SURFACE_MESH && support_below(random, 3) == 0;
    def.category = 1u << support_below(random, 3);
    set_place(random, half, def.position, def.rotation);
    set_motion(random, def.velocity, def.spin);
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK, "%s",
                 kugel_world_last_error(world)->message);
}

void support_many_change(support_random *random, kugel_world *world, double half)
{
    uint32_t end = kugel_world_surface_end(world), k = end ? support_below(random, end) : 0;
    uint32_t change = support_below(random, 4);
    double a[3], b[4];
    if (!end || !world->surfaces.items[k].used || change == 0) {
        support_many_add(random, world, half);
    } else if (change == 1) {
        cr_assert_eq(kugel_surface_destroy(world, kugel_world_surface(world, k)), KUGEL_OK);
    } else if (change == 2) {
        set_place(random, half, a, b);
        cr_assert_eq(kugel_surface_set_pose(world, kugel_world_surface(world, k), a, b), KUGEL_OK);
    } else {
        set_motion(random, a, b);
        cr_assert_eq(kugel_surface_set_motion(world, kugel_world_surface(world, k), a, b),
                     KUGEL_OK);
    }
}

void support_many_forget_tree(kugel_world *world)
{
    kg_surfaces *set = &world->surfaces;
    if (!set->tree) return;
    cr_assert_eq(kugel_world_prepare_queries(world), KUGEL_OK);
    for (uint32_t k = 0; k < set->count; ++k) {
        uint32_t index = set->order[k].index;
        set->tree->others.boxes.items[k].number = set->tree->other[k] = index;
        set->items[index].rests = false;
    }
    set->tree->at_rest.count = set->tree->others.count = 0;
    set->tree->unboxed_count = set->tree->other_count = set->count;
    set->tree->spins = false;
    set->tree->until = KG_NEVER;
}
