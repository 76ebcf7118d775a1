/* No cache shows: random programs of calls on a world and on a twin, which is cloned, restored,
 * rolled back and given other caches. Both have the same bits and the same events after each step,
 * and a recording of the world plays.
 * Environment: KUGEL_PROGRAMS, the number of programs; KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_caches.h"
#include "support/support_plane.h"
#include "support/support_program.h"
#include "support/support_random.h"
#include "support/support_sanitized.h"

enum { PROGRAMS = SUPPORT_SANITIZED ? 200 : 3000, MOST_SHRUNK = 3 };

static uint64_t running;

/* An assertion of the engine failed. */
static void on_abort(int number)
{
    fprintf(stderr, "KUGEL_SEED=%llu KUGEL_PROGRAMS=1: aborted\n", (unsigned long long)running);
    signal(number, SIG_DFL);
}

static bool stays_equal(uint64_t seed, bool shrinks)
{
    running = seed;
    support_program program = support_program_make(seed);
    support_program_fault fault = support_program_run(&program);
    if (!fault.found) return true;
    fprintf(stderr, "KUGEL_SEED=%llu KUGEL_PROGRAMS=1: %s %u, %s\n", (unsigned long long)seed,
            fault.played ? "tick" : "call", fault.call, fault.text);
    if (!shrinks) return false;
    support_program_shrink(&program);
    fault = support_program_run(&program);
    support_program_print(&program);
    fprintf(stderr, "%s %u, %s\n", fault.played ? "tick" : "call", fault.call, fault.text);
    return false;
}

Test(programs, a_world_and_its_twin_stay_equal)
{
    const char *programs = getenv("KUGEL_PROGRAMS");
    uint64_t count = programs ? strtoull(programs, NULL, 0) : PROGRAMS, failed = 0;
    uint64_t seed = support_random_start("programs", 1).state;
    signal(SIGABRT, on_abort);
    for (uint64_t k = 0; k < count; ++k) failed += !stays_equal(seed + k, failed < MOST_SHRUNK);
    cr_assert_eq(failed, 0, "%llu of %llu programs failed", (unsigned long long)failed,
                 (unsigned long long)count);
}

/* A wall is added over a sleeping ball, which is put to sleep again by a call. A surface moves far
 * away, but inside a long skin. The ball sleeps on: nothing that moves touches it. */
Test(programs, a_sleeper_ignores_what_is_still_with_any_skin)
{
    for (int k = 0; k < 2; ++k) {
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def body = kugel_body_def_default();
        kugel_surface_def lift = kugel_surface_def_default();
        support_plane floor = {.normal = {0, 0, 1}}, wall = {.normal = {-1, 0, 0}, .offset = -0.48};
        kugel_world *world;
        kugel_body ball;
        size_t wakes;
        def.gravity[2] = -9.81;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        support_add_plane(world, &floor, NULL);
        body.position[2] = 0.5;
        cr_assert_eq(kugel_body_create(world, &body, &ball), KUGEL_OK);
        for (int tick = 0; tick < 5; ++tick) kugel_world_step(world, 1 / 60.);
        lift.shape = KUGEL_SURFACE_CAPSULE, lift.size[0] = 0.5, lift.size[1] = 1;
        lift.position[0] = -6, lift.position[2] = 5, lift.velocity[1] = 1e-3;
        cr_assert_eq(kugel_surface_create(world, &lift, NULL), KUGEL_OK);
        cr_assert_eq(support_add_plane(world, &wall, NULL), KUGEL_OK);
        cr_assert_eq(kugel_body_sleep(world, ball), KUGEL_OK);
        support_caches_force_skin(world, k);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        kugel_world_wake_events(world, &wakes);
        cr_assert_eq(wakes, 0, "%s skin", k ? "longest" : "shortest");
        kugel_world_destroy(world);
    }
}

/* A ball is created in another one and at a wall, which it approaches slowly. Its contact with the
 * other begins in the next step; what presses it then depends on no contact of the same moment. So
 * the world continues like its clone, whose rows have another order. */
Test(programs, contacts_that_begin_together_do_not_see_each_other)
{
    const double up[3] = {0, 0, 9.81};
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def body = kugel_body_def_default();
    kugel_world *world, *clone;
    def.substeps = 1, def.bounds.restitution = 1;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = 6;
    def.bounds.faces[4] = KUGEL_FACE_WALL;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    body.position[0] = 2.183, body.position[1] = 3.667, body.position[2] = body.radius = 0.584;
    cr_assert_eq(kugel_body_create(world, &body, NULL), KUGEL_OK);
    kugel_world_set_gravity(world, up);
    kugel_world_step(world, 1 / 60.);
    body.position[0] = 1.563, body.position[1] = 2.962, body.position[2] = body.radius = 0.925;
    body.velocity[0] = -0.509, body.velocity[1] = 0.826, body.velocity[2] = -0.399;
    cr_assert_eq(kugel_body_create(world, &body, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    kugel_world_step(world, 1 / 60.);
    kugel_world_step(clone, 1 / 60.);
    cr_assert_eq(kugel_world_hash(world), kugel_world_hash(clone));
    kugel_world_destroy(clone);
    kugel_world_destroy(world);
}

/* A ball falls through a periodic face into the middle of the box below a shelf: no surface is on
 * its way, so no containment moves it. Its path from the start of the substep, taken in one image,
 * would cross the shelf. */
Test(programs, containment_follows_a_centre_through_a_periodic_face)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def body = kugel_body_def_default();
    kugel_surface_def shelf = kugel_surface_def_default();
    kugel_world *world;
    kugel_body ball;
    kugel_body_state state;
    def.substeps = 1;
    def.bounds.max[2] = 10, def.bounds.faces[4] = def.bounds.faces[5] = KUGEL_FACE_PERIODIC;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    shelf.shape = KUGEL_SURFACE_CONE;
    shelf.size[0] = shelf.size[1] = 3, shelf.size[2] = 0.1;
    shelf.position[2] = 5;
    cr_assert_eq(kugel_surface_create(world, &shelf, NULL), KUGEL_OK);
    body.radius = 0.2, body.position[2] = 0.5, body.velocity[2] = -60;
    cr_assert_eq(kugel_body_create(world, &body, &ball), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    kugel_body_get(world, ball, &state);
    cr_assert_float_eq(state.position[2], 9.5, 1e-12, "%.17g", state.position[2]);
    cr_assert_float_eq(state.velocity[2], -60, 1e-12, "%.17g", state.velocity[2]);
    cr_assert_eq(state.image[2], -1);
    kugel_world_destroy(world);
}
