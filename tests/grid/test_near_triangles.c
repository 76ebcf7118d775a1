/* Lists of near triangles: none that is within reach of a place in the skin is passed over. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "grid/neighbours.h"
#include "support/support_mesh.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"

enum { BODIES = 40, PLACES = 100 };

static void add_surface(kugel_world *world, kugel_surface_def *def, double z)
{
    def->position[2] = z;
    cr_assert_eq(kugel_surface_create(world, def, NULL), KUGEL_OK);
}

/* Rough ground, a flat floor of one facet, and a solid shape, which turn or stand. */
static kugel_world *make_world(support_random *random, bool turned)
{
    support_scene scene = {.def = kugel_world_def_default()};
    for (int k = 0; k < BODIES; ++k) {
        const double x[3] = {support_between(random, -2, 2), support_between(random, -2, 2),
                             support_between(random, 0, 1)};
        double v[3];
        support_direction(random, support_between(random, 0, 3), v);
        support_scene_add(&scene, x, v, support_between(random, 0.1, 0.4), 1);
    }
    kugel_world *world = support_scene_world(&scene);
    support_scene_free(&scene);
    for (int flat = 0; flat < 2; ++flat) {
        support_mesh mesh = support_mesh_floor(12, 5, flat ? 0 : 0.2, random);
        kugel_surface_def def = support_mesh_def(&mesh);
        if (turned) def.rotation[0] = 0.6, def.rotation[3] = 0.8;
        add_surface(world, &def, 0.3 * flat);
        support_mesh_free(&mesh);
    }
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_CAPSULE;
    def.size[0] = 0.4, def.size[1] = 0.7;
    if (turned) def.rotation[1] = 0.6, def.rotation[3] = 0.8;
    add_surface(world, &def, 0.5);
    return world;
}

/* True if a triangle, or its facet as a whole, is among those within reach. */
static bool is_found(const kugel_world *world, uint32_t slot, const double place[3], double reach,
                     uint32_t triangle)
{
    kg_near_triangles near = kg_neighbours_triangles_within(world, slot, place, reach);
    for (uint32_t number; kg_near_triangles_next(&near, &number);) {
        bool whole = number & KG_WHOLE_FACET;
        if (whole ? kg_boundary_facet(world, number) == kg_boundary_facet(world, triangle)
                  : number == triangle)
            return true;
    }
    return false;
}

/* Returns how many were in reach. */
static uint32_t check_place(const kugel_world *world, uint32_t slot, const double place[3])
{
    uint32_t found = 0;
    double radius = world->bodies.radius[slot];
    for (uint32_t k = 0; k < world->surfaces.end; ++k) {
        const kg_surface *surface = &world->surfaces.items[k];
        for (uint32_t t = 0; t < kg_surface_number_count(surface); ++t) {
            uint32_t triangle = surface->first_triangle + t;
            if (kg_boundary_distance(world, triangle, place) > radius) continue;
            cr_assert(is_found(world, slot, place, radius, triangle), "body %u misses %u", slot,
                      triangle);
            found += 1;
        }
    }
    return found;
}

/* Number of items of the list whose bounds exclude a contact at `place`. */
static uint32_t count_passed(const kugel_world *world, uint32_t slot, const double place[3])
{
    kg_near_triangles all = kg_neighbours_triangles(world, slot);
    kg_near_triangles near =
        kg_neighbours_triangles_within(world, slot, place, world->bodies.radius[slot]);
    uint32_t count = (uint32_t)(all.end - all.next), number;
    while (kg_near_triangles_next(&near, &number)) --count;
    return count;
}

Test(near_triangles, none_in_reach_is_passed_over)
{
    support_random random = support_random_start("none_in_reach_is_passed_over", 1);
    uint32_t found = 0, passed = 0, whole = 0;
    for (int trial = 0; trial < SUPPORT_ROUNDS(10); ++trial) {
        kugel_world *world = make_world(&random, trial & 1);
        support_run(world, 1 / 60., 1);
        for (uint32_t slot = 0; slot < BODIES; ++slot) {
            kg_near_triangles all = kg_neighbours_triangles(world, slot);
            for (; all.next < all.end; ++all.next) whole += all.next->number / KG_WHOLE_FACET;
            for (int i = 0; i < PLACES; ++i) {
                double place[3], skin = world->grid->skin * (1 - 1e-6);
                support_direction(&random, support_between(&random, 0, skin), place);
                kg_add_scaled3(place, world->grid->origin[slot].x, 1, place);
                found += check_place(world, slot, place);
                passed += count_passed(world, slot, place);
            }
        }
        kugel_world_destroy(world);
    }
    fprintf(stderr, "%u in reach, %u passed over, %u whole facets\n", found, passed, whole);
    cr_assert(found > SUPPORT_ROUNDS(10000) && passed > SUPPORT_ROUNDS(10000) && whole > 4,
              "too few");
}

/* A large ball among small ones has some thousand. */
Test(near_triangles, are_in_order_however_many_there_are)
{
    support_random random = support_random_start("are_in_order", 2);
    uint32_t most = 0;
    support_scene scene = {.def = kugel_world_def_default()};
    for (int k = 0; k < 8; ++k)
        support_scene_add(&scene, (double[3]){0, 0, 0.1}, NULL, pow(2, k - 6), 1);
    kugel_world *world = support_scene_world(&scene);
    support_mesh mesh = support_mesh_floor(40, 5, 0.2, &random);
    kugel_surface_def def = support_mesh_def(&mesh);
    add_surface(world, &def, 0);
    support_run(world, 1 / 60., 1);
    for (uint32_t slot = 0; slot < scene.count; ++slot) {
        kg_near_triangles all = kg_neighbours_triangles(world, slot);
        uint32_t count = (uint32_t)(all.end - all.next);
        most = count > most ? count : most;
        for (uint32_t k = 1; k < count; ++k) {
            const kg_near_triangle *p = &all.next[k - 1], *q = &all.next[k];
            cr_assert(p->distance < q->distance ||
                          (p->distance == q->distance && p->number < q->number),
                      "body %u, item %u of %u", slot, k, count);
        }
    }
    cr_assert(most > 1000, "%u", most);
    kugel_world_destroy(world);
    support_mesh_free(&mesh);
    support_scene_free(&scene);
}

/* Returns the impacts of a full sweep; each in the given part of the time is also found by a sweep
 * of this part, with the same bits. */
static uint32_t check_part(const kugel_world *world, uint32_t slot, const kg_triangle_sweep *part)
{
    uint32_t found = 0;
    kg_triangle_sweep full = *part, some = *part;
    full.from = 0, full.until = full.horizon;
    kg_near_triangles near = kg_neighbours_triangles(world, slot);
    for (uint32_t number; near.next < near.end; ++near.next) {
        number = near.next->number;
        kg_triangle_impacts all, few;
        kg_boundary_sweep_triangle(world, number, &full, &all);
        kg_boundary_sweep_triangle(world, number, &some, &few);
        for (uint32_t k = 0; k < all.count; ++k) {
            double t = all.impact[k].time;
            bool same = t < part->from || t > part->until;
            for (uint32_t i = 0; i < few.count; ++i)
                same |= few.boundary[i] == all.boundary[k] && few.impact[i].time == t &&
                        few.impact[i].approach == all.impact[k].approach;
            cr_assert(same, "body %u, item %u at %.17g, from %.17g to %.17g", slot, number, t,
                      part->from, part->until);
            found += t >= part->from && t <= part->until;
        }
    }
    return found;
}

Test(near_triangles, a_part_of_the_time_has_the_impacts_of_all_of_it)
{
    support_random random = support_random_start("a_part_of_the_time", 3);
    uint32_t found = 0;
    for (int trial = 0; trial < 12; ++trial) {
        kugel_world *world = make_world(&random, trial & 1);
        for (uint32_t s = 0; s < 3 && trial & 2; ++s) {
            double velocity[3], spin[3];
            support_direction(&random, 1, velocity), support_direction(&random, 1, spin);
            cr_assert_eq(
                kugel_surface_set_motion(world, kugel_world_surface(world, s), velocity, spin),
                KUGEL_OK);
        }
        support_run(world, 1 / 60., 1);
        for (uint32_t slot = 0; slot < BODIES; ++slot) {
            kg_motion motion = world->work.motion[slot];
            kg_triangle_sweep part = {.motion = &motion, .horizon = 1};
            support_direction(&random, support_between(&random, 0, 4), motion.v);
            for (int k = 0; k < 3 && trial % 3; ++k) part.a[k] = support_between(&random, -5, 5);
            part.from = trial % 5 ? support_between(&random, 0, 0.5) : 0;
            part.until = support_between(&random, part.from, 1);
            found += check_part(world, slot, &part);
        }
        kugel_world_destroy(world);
    }
    fprintf(stderr, "%u impacts\n", found);
    cr_assert(found > 100, "%u", found);
}
