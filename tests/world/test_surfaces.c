/* The set of surfaces: numbers of triangles, and the search for a triangle. */
#include "world/surfaces.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "kugel/kugel.h"
#include "support/support_random.h"
#include "support/support_snapshot.h"
#include "world/world.h"

enum { MOST_SEGMENTS = 9 };

static kugel_world *make_world(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    return world;
}

/* A disc of 3 to 9 triangles, or an ellipsoid, which has one number. */
static uint32_t add_random(kugel_world *world, support_random *random)
{
    const double center[3] = {0}, normal[3] = {0, 0, 1};
    double vertices[3 * KUGEL_MESH_DISC_VERTICES(MOST_SEGMENTS)];
    uint32_t triangles[3 * KUGEL_MESH_DISC_TRIANGLES(MOST_SEGMENTS)];
    kugel_surface surface;
    uint32_t segments = 3 + support_below(random, MOST_SEGMENTS - 2);
    kugel_surface_def def = kugel_surface_def_default();
    if (support_below(random, 4) == 0) {
        def.shape = KUGEL_SURFACE_ELLIPSOID;
        for (int k = 0; k < 3; ++k) def.size[k] = 1;
    } else {
        kugel_mesh_disc(center, normal, 1, segments, vertices, triangles);
        def.vertices = vertices, def.vertex_count = KUGEL_MESH_DISC_VERTICES(segments);
        def.triangles = triangles, def.triangle_count = KUGEL_MESH_DISC_TRIANGLES(segments);
    }
    cr_assert_eq(kugel_surface_create(world, &def, &surface), KUGEL_OK);
    return kugel_surface_index(surface);
}

/* By trying all surfaces. */
static const kg_surface *owner(const kg_surfaces *set, uint32_t triangle, uint32_t except)
{
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *s = &set->items[k];
        if (k != except && s->used && triangle - s->first_triangle < kg_surface_number_count(s))
            return s;
    }
    return NULL;
}

static void check_lowest(const kg_surfaces *set, uint32_t index)
{
    const kg_surface *made = &set->items[index];
    uint32_t free = 0, first = 0; /* free numbers from `first` on */
    for (; free < kg_surface_number_count(made); ++free) {
        if (!owner(set, first + free, index)) continue;
        first += free + 1;
        free = UINT32_MAX;
    }
    cr_assert_eq(made->first_triangle, first, "surface %u begins at %u, free is %u", index,
                 made->first_triangle, first);
}

static void check_search(const kg_surfaces *set)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < 400; ++t)
        cr_assert_eq(kg_surfaces_find(set, t), owner(set, t, KG_NONE), "triangle %u", t);
    for (uint32_t k = 0; k < set->end; ++k) count += set->items[k].used;
    cr_assert_eq(set->count, count);
}

Test(surfaces, numbers_are_the_lowest_free_and_found)
{
    support_random random = support_random_start("surfaces/numbers", 1);
    kugel_world *world = make_world(), *other = make_world();
    for (int round = 0; round < 300; ++round) {
        uint32_t index = support_below(&random, 30);
        if (!kugel_surface_destroy(world, kugel_world_surface(world, index))) continue;
        check_lowest(&world->surfaces, add_random(world, &random));
        check_search(&world->surfaces);
        support_bytes bytes = support_snapshot_of(world);
        cr_assert_eq(kugel_snapshot_restore(other, bytes.data, bytes.size), KUGEL_OK);
        free(bytes.data);
        check_search(&other->surfaces);
    }
    kugel_world_destroy(world);
    kugel_world_destroy(other);
}
