/* Filters of surfaces that calls change: which contacts end, and which bodies wake. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

static const double dt = 1 / 60.;

/* Two balls of radius 0.5 on the plane z = 0, asleep, of categories 1 and 2. */
static kugel_world *asleep_on(kugel_surface *plane)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -10;
    for (int k = 0; k < 2; ++k) {
        kugel_body_def *def = support_scene_add(&scene, (double[]){4 * k, 0, 0.5}, NULL, 0.5, 1);
        def->restitution = 0, def->category = 1u << k;
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    cr_assert_eq(kugel_surface_create(world, &floor, plane), KUGEL_OK);
    support_run(world, dt, 300);
    support_scene_free(&scene);
    return world;
}

static kugel_body_state state_of(const kugel_world *world, uint32_t id)
{
    kugel_body_state state;
    cr_assert_eq(kugel_body_get(world, kugel_world_body(world, id), &state), KUGEL_OK);
    return state;
}

/* A ball that the filter excludes falls freely; the other one rests on in its contact. */
Test(surface_filter, an_excluded_contact_ends)
{
    kugel_surface plane;
    kugel_world *world = asleep_on(&plane);
    kugel_stats stats;
    size_t count;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.asleep, 2);
    double from = state_of(world, 0).position[2];
    cr_assert_eq(kugel_surface_set_filter(world, plane, 1, 2, 0), KUGEL_OK);
    kugel_world_stats(world, &stats);
    cr_assert(stats.asleep == 0 && state_of(world, 0).contacts == 0);
    cr_assert_eq(state_of(world, 1).contacts, 1);
    kugel_world_step(world, dt);
    const kugel_touch *ends = kugel_world_end_events(world, &count);
    cr_assert(count == 1 && ends->time == 0 && ends->target == KUGEL_TARGET_SURFACE);
    cr_assert(ends->a == kugel_world_body(world, 0) && ends->normal[2] == -1);
    kugel_world_begin_events(world, &count);
    cr_assert_eq(count, 0);
    support_run(world, dt, 29); /* half a second: g t^2 / 2 = 1.25 m */
    cr_assert_float_eq(state_of(world, 0).position[2], from - 1.25, 1e-12);
    cr_assert_float_eq(state_of(world, 1).position[2], 0.5, 1e-3);
    kugel_world_destroy(world);
}

/* An admitted surface pushes out a ball that sleeps across it, as a new surface does. */
Test(surface_filter, an_admitted_body_wakes_and_is_pushed_out)
{
    kugel_surface plane, raised;
    kugel_world *world = asleep_on(&plane);
    kugel_surface_def def = kugel_surface_def_plane((double[]){0, 0, 1}, 0.2);
    def.mask = 0;
    cr_assert_eq(kugel_surface_create(world, &def, &raised), KUGEL_OK);
    cr_assert(state_of(world, 0).asleep && state_of(world, 1).asleep);
    cr_assert_eq(kugel_surface_set_filter(world, raised, 1, 1, 0), KUGEL_OK);
    cr_assert(!state_of(world, 0).asleep && state_of(world, 1).asleep);
    support_run(world, dt, 300);
    cr_assert_geq(state_of(world, 0).position[2], 0.7 - 0.01 * 0.5); /* up to the slop */
    cr_assert_float_eq(state_of(world, 1).position[2], 0.5, 0.01 * 0.5);
    kugel_world_destroy(world);
}

/* The present filter changes nothing, and a snapshot has the filter. */
Test(surface_filter, is_state)
{
    kugel_surface plane;
    kugel_world *world = asleep_on(&plane), *clone;
    uint64_t hash = kugel_world_hash(world);
    cr_assert_eq(kugel_surface_set_filter(world, plane, 1, 0xffffffffu, 0), KUGEL_OK);
    cr_assert(kugel_world_hash(world) == hash && state_of(world, 0).asleep);
    cr_assert_eq(kugel_surface_set_filter(world, plane, 4, 2, 3), KUGEL_OK);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    kugel_surface_def def;
    cr_assert_eq(kugel_surface_get(clone, plane, &def, NULL), KUGEL_OK);
    cr_assert(def.category == 4 && def.mask == 2 && def.group == 3);
    for (int tick = 0; tick < 60; ++tick) {
        kugel_world_step(world, dt), kugel_world_step(clone, dt);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(clone), "tick %d", tick);
    }
    cr_assert_eq(kugel_surface_set_filter(NULL, plane, 1, 1, 0), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(clone);
    kugel_world_destroy(world);
}
