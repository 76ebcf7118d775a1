/* Bodies that neither accelerate nor rest have faster code: vectors, floats, cell lists, and their
 * own impact law. A gravity too small to change any bit selects the general code: both must reach
 * the same states, bit for bit. */
#include <criterion/criterion.h>
#include <string.h>

#include "geometry/sweep_linear.h"
#include "impact/predict_straight.h"
#include "support/support_caches.h"
#include "support/support_scene.h"

static kugel_world *world_of(support_scene *scene, double gravity, bool cells)
{
    scene->def.gravity[2] = gravity;
    kugel_world *world = support_scene_world(scene);
    support_caches_allow_cell_lists(world, cells);
    return world;
}

static void check_same(const kugel_world *one, const kugel_world *other, int tick)
{
    cr_assert_eq(one->bodies.count, other->bodies.count);
    cr_assert_eq(one->impacts_total, other->impacts_total, "tick %d: %lu and %lu impacts", tick,
                 (unsigned long)one->impacts_total, (unsigned long)other->impacts_total);
    for (uint32_t id = 0; id < one->bodies.count; ++id) {
        uint32_t i = one->bodies.slot[id], j = other->bodies.slot[id];
        for (int k = 0; k < 3; ++k) {
            cr_assert_eq(memcmp(&one->bodies.x[k][i], &other->bodies.x[k][j], sizeof(double)), 0,
                         "tick %d: place of %u", tick, id);
            cr_assert_eq(memcmp(&one->bodies.v[k][i], &other->bodies.v[k][j], sizeof(double)), 0,
                         "tick %d: velocity of %u", tick, id);
            cr_assert_eq(memcmp(&one->bodies.w[k][i], &other->bodies.w[k][j], sizeof(double)), 0,
                         "tick %d: spin of %u", tick, id);
        }
    }
    size_t n, m;
    const kugel_impact *p = kugel_world_impact_events(one, &n),
                       *q = kugel_world_impact_events(other, &m);
    cr_assert_eq(n, m);
    cr_assert(n == 0 || memcmp(p, q, n * sizeof *p) == 0, "tick %d: other impacts are told", tick);
}

static void compare(support_scene *scene, bool cells, double dt, int ticks)
{
    kugel_world *shorter = world_of(scene, 0, cells), *longer = world_of(scene, -1e-300, cells);
    bool used = false;
    for (int tick = 0; tick < ticks; ++tick) {
        support_run(shorter, dt, 1);
        support_run(longer, dt, 1);
        used |= support_caches_use_cell_lists(shorter);
        cr_assert(!support_caches_use_cell_lists(longer));
        check_same(shorter, longer, tick);
    }
    cr_assert_eq(used, cells, "cells are used: %d", used);
    cr_assert(shorter->impacts_total > 100, "%lu impacts", (unsigned long)shorter->impacts_total);
    kugel_world_destroy(shorter);
    kugel_world_destroy(longer);
}

static void compare_gas(const char *name, double eta, kugel_face face, double restitution,
                        double friction)
{
    support_random random = support_random_start(name, (uint64_t)(1000 * eta));
    support_scene scene = support_scene_gas(5, eta, face, 5, &random);
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].restitution = i % 3 ? restitution : 1;
        scene.bodies[i].friction = i % 4 ? friction : 0;
        if (i % 5 == 4) scene.bodies[i].mass *= 3;
    }
    compare(&scene, true, 0.02, 20);
    compare(&scene, false, 0.02, 20);
    support_scene_free(&scene);
}

Test(straight, elastic_periodic)
{
    compare_gas("straight/periodic", 0.3, KUGEL_FACE_PERIODIC, 1, 0);
}
Test(straight, elastic_in_walls) { compare_gas("straight/walls", 0.2, KUGEL_FACE_WALL, 1, 0); }
Test(straight, thin) { compare_gas("straight/thin", 0.05, KUGEL_FACE_PERIODIC, 1, 0); }
Test(straight, some_lose_energy)
{
    compare_gas("straight/loss", 0.25, KUGEL_FACE_PERIODIC, 0.8, 0);
}
Test(straight, some_rub) { compare_gas("straight/rub", 0.25, KUGEL_FACE_WALL, 1, 0.4); }

/* Time by time: what vectors say of a pair, and what predict.c says. */
Test(straight, every_pair)
{
    support_random random = support_random_start("straight/pairs", 7);
    support_scene scene = support_scene_gas(5, 0.3, KUGEL_FACE_PERIODIC, 5, &random);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.01, 3);
    cr_assert(support_caches_use_cell_lists(world));
    uint32_t met = 0, n = world->bodies.count;
    for (uint32_t i = 0; i < n; ++i)
        kg_resolve_advance_to(&world->work.motion[i], support_between(&random, 0, 0.01));
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t neighbour[KG_CELL_NEIGHBOURS_MAX],
            count = kg_cell_lists_neighbours(&world->grid->cell_lists, i, neighbour);
        for (uint32_t k = 0; k < count; ++k) {
            if ((neighbour[k] & KG_NEIGHBOUR_SLOT) == i) continue;
            double t = kg_predict_straight(world, i, neighbour[k], 0.1),
                   exact = kg_predict_pair(world, i, neighbour[k], 0.1);
            cr_assert_eq(memcmp(&t, &exact, sizeof t), 0, "%u and %u: %.17g and %.17g", i,
                         neighbour[k] & KG_NEIGHBOUR_SLOT, t, exact);
            met += t != KG_NEVER;
        }
    }
    cr_assert(met > 100, "only %u meet", met);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
