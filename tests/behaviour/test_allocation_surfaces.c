/* Failed allocations in calls on surfaces and in steps of worlds with surfaces: a failed call
 * changes nothing, and after its repetition the run reaches the same states. */
#include <criterion/criterion.h>
#include <string.h>

#include "record/support_recording.h"
#include "record/support_surfaces.h"

enum { BODIES = 12, TICKS = 14 };

typedef struct repeated_run {
    support_memory memory;
    kugel_world *world;
    uint32_t refusals;
    uint64_t hash[TICKS];
} repeated_run;

/* True if the call failed for lack of memory and must be repeated. */
static bool was_refused(repeated_run *d, kugel_status status, uint64_t before, const char *what)
{
    if (status == KUGEL_OK) return false;
    cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY, "%s: %s", what, kugel_status_text(status));
    cr_assert_eq(kugel_world_hash(d->world), before, "%s without memory changed the world", what);
    d->memory.fail_at = 0;
    d->refusals += 1;
    return true;
}

#define CALL(d, call)                                                                              \
    do {                                                                                           \
        uint64_t before = kugel_world_hash((d)->world);                                            \
        if (was_refused(d, call, before, #call)) cr_assert_eq(call, KUGEL_OK);                     \
    } while (0)

/* Adds a surface and bodies, steps, places and moves the surface, adds another, removes the first.
 * @param fail the allocation that fails, counted from 1 after the world's creation. @param on true:
 * all later allocations of the call fail, too. */
static void play(repeated_run *d, uint64_t fail, bool on)
{
    static const double up[3] = {0, 0, 0.05}, upright[4] = {0, 0, 0, 1}, lift[3] = {0, 0, 0.2};
    kugel_world_def def = support_surfaces_settings();
    support_random random = support_random_start("terrain", 3);
    support_terrain terrain;
    kugel_surface_def ground = support_terrain_make(&terrain, &random, 0.5),
                      stone = support_tetrahedron();
    def.allocator = support_allocator(&d->memory);
    cr_assert_eq(kugel_world_create(&def, &d->world), KUGEL_OK);
    d->memory.fail_at = fail ? d->memory.allocations + fail : 0, d->memory.fail_on = on;
    CALL(d, kugel_surface_create(d->world, &ground, NULL));
    for (int i = 0; i < BODIES; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = 0.3;
        ball.position[0] = i % 4 - 1.5, ball.position[1] = i / 4 - 1., ball.position[2] = 0.8;
        CALL(d, kugel_body_create(d->world, &ball, NULL));
    }
    for (int tick = 0; tick < TICKS; ++tick) {
        if (tick == 8)
            CALL(d,
                 kugel_surface_set_pose(d->world, kugel_world_surface(d->world, 0), up, upright));
        if (tick == 9)
            CALL(d, kugel_surface_set_motion(d->world, kugel_world_surface(d->world, 0), lift, up));
        if (tick == 10) CALL(d, kugel_surface_create(d->world, &stone, NULL));
        if (tick == 12) CALL(d, kugel_surface_destroy(d->world, kugel_world_surface(d->world, 0)));
        CALL(d, kugel_world_step(d->world, 1 / 20.));
        d->hash[tick] = kugel_world_hash(d->world);
        if (tick == 7) cr_assert_gt(support_surface_contacts(d->world), 3);
    }
    kugel_world_destroy(d->world);
    cr_assert_eq(d->memory.bytes, 0);
}

/* Covers impulses of contacts that end at an edge of the surface in a failed step. */
Test(allocation_surfaces, each_failure_is_survived)
{
    repeated_run whole = {0};
    play(&whole, 0, false);
    cr_assert_eq(whole.refusals, 0);
    uint64_t failures = 0;
    for (bool done = false; !done;) {
        failures += 1 + failures / 64;
        for (int on = 0; on < 2; ++on) {
            repeated_run d = {0};
            play(&d, failures, on);
            cr_assert_leq(d.refusals, 1, "allocation %d", (int)failures);
            cr_assert(!memcmp(d.hash, whole.hash, sizeof d.hash),
                      "after a failure of allocation %d the run is another", (int)failures);
            done = d.refusals == 0;
        }
    }
    cr_assert_gt(failures, 50, "only %d allocations", (int)failures);
}

/* Create the surface with each of its allocations failing in turn, and then without failures. */
static uint64_t create_with_failures(const kugel_surface_def *def)
{
    for (uint64_t failures = 1;; ++failures) {
        repeated_run d = {0};
        kugel_world_def settings = support_surfaces_settings();
        settings.allocator = support_allocator(&d.memory);
        cr_assert_eq(kugel_world_create(&settings, &d.world), KUGEL_OK);
        d.memory.fail_at = d.memory.allocations + failures;
        CALL(&d, kugel_surface_create(d.world, def, NULL));
        kugel_world_destroy(d.world);
        cr_assert_eq(d.memory.bytes, 0, "shape %d, allocation %d", (int)def->shape, (int)failures);
        if (!d.refusals) return failures - 1;
    }
}

/* A plane that is shown lost memory when it could not get all of it. */
Test(allocation_surfaces, each_shape_frees_what_it_could_not_finish)
{
    static const kugel_surface_shape shapes[] = {KUGEL_SURFACE_PLANE, KUGEL_SURFACE_BOX,
                                                 KUGEL_SURFACE_ELLIPSOID, KUGEL_SURFACE_CAPSULE,
                                                 KUGEL_SURFACE_CONE};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
        kugel_surface_def def = kugel_surface_def_default();
        def.shape = shapes[k];
        def.size[0] = def.size[1] = def.size[2] = 0.5;
        if (shapes[k] == KUGEL_SURFACE_PLANE) def.size[1] = def.size[2] = 0;
        if (shapes[k] == KUGEL_SURFACE_CAPSULE) def.size[2] = 0;
        cr_assert_geq(create_with_failures(&def), 2);
    }
}
