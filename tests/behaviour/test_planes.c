/* Planes as surfaces: their normals, and what removing, moving and changing them does to bodies. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_random.h"
#include "support/support_scene.h"
#include "world/world.h"

static const double dt = 1 / 60.;

/* A ball of radius 0.5 on the plane z = 0, asleep. */
static kugel_world *asleep_on(kugel_surface *plane)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -10;
    kugel_body_def *def = support_scene_add(&scene, (double[3]){0, 0, 0.5}, NULL, 0.5, 1);
    def->restitution = 0, def->friction = 0.5;
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    kugel_body_state ball;
    cr_assert_eq(kugel_surface_create(world, &floor, plane), KUGEL_OK);
    support_run(world, dt, 300);
    support_state(world, 0, &ball);
    cr_assert(ball.asleep && ball.contacts == 1);
    support_scene_free(&scene);
    return world;
}

/* Along an axis the gap is the difference of coordinates and the radius, bit for bit. */
Test(planes, normals_along_axes_are_exact)
{
    support_random random = support_random_start("planes/exact", 1);
    for (int k = 0; k < 6000; ++k) {
        int axis = k / 2 % 3, sign = k % 2 ? -1 : 1;
        double normal[3] = {0}, offset = support_between(&random, -1e3, 1e3), read[3], read_offset;
        kugel_world_def def = kugel_world_def_default();
        kugel_world *world;
        kugel_found found;
        size_t count;
        normal[axis] = k % 4 < 2 ? sign : sign * (1 + 9e-6); /* the length is made 1 */
        kugel_surface_def plane = kugel_surface_def_plane(normal, offset);
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(kugel_surface_create(world, &plane, NULL), KUGEL_OK);
        double x[3];
        for (int i = 0; i < 3; ++i) x[i] = support_between(&random, -1e3, 1e3);
        double radius = support_between(&random, 0, 2000);
        kugel_world_overlap_sphere(world, x, radius, NULL, 1, &found, &count);
        double gap = (sign * x[axis] - offset) - radius;
        cr_assert_eq(count, gap <= 0);
        if (count) cr_assert(found.gap == gap && found.normal[axis] == sign, "%d: %g", k, gap);
        cr_assert(kugel_surface_def_get_plane(&plane, read, &read_offset));
        cr_assert(read[axis] == sign && read_offset == offset);
        kugel_world_destroy(world);
    }
}

Test(planes, other_normals_are_near)
{
    support_random random = support_random_start("planes/normals", 2);
    for (int k = 0; k < 10000; ++k) {
        double normal[3], read[3], offset;
        support_direction(&random, 1, normal);
        if (k % 3 == 0) normal[k % 2] *= 1e-9, normal[2] = sqrt(1 - normal[k % 2] * normal[k % 2]);
        if (k % 3 == 0) normal[1 - k % 2] = 0;
        if (k % 2) normal[2] = -normal[2];
        kugel_surface_def plane = kugel_surface_def_plane(normal, 3);
        cr_assert(kugel_surface_def_get_plane(&plane, read, &offset));
        for (int i = 0; i < 3; ++i) cr_assert_float_eq(read[i], normal[i], 1e-15);
        cr_assert_float_eq(offset, 3, 5e-15);
    }
}

Test(planes, removing_one_wakes_what_lay_on_it)
{
    kugel_surface plane;
    kugel_world *world = asleep_on(&plane);
    kugel_body_state ball;
    size_t ends;
    cr_assert_eq(kugel_surface_destroy(world, plane), KUGEL_OK);
    support_state(world, 0, &ball);
    cr_assert(!ball.asleep && ball.contacts == 0);
    support_run(world, dt, 1);
    kugel_world_end_events(world, &ends);
    cr_assert_eq(ends, 1);
    support_run(world, dt, 59);
    support_state(world, 0, &ball);
    cr_assert_float_eq(ball.position[2], 0.5 - 5, 0.01, "it fell for a second");
    kugel_world_destroy(world);
}

Test(planes, stale_handles_are_refused)
{
    const double place[3] = {0}, turn[4] = {0, 0, 0, 1};
    kugel_surface plane, again;
    kugel_surface_def def = kugel_surface_def_plane((double[]){0, 0, 1}, -9), read;
    kugel_world *world = asleep_on(&plane);
    cr_assert_eq(kugel_surface_destroy(world, plane), KUGEL_OK);
    support_run(world, dt, 1); /* reports the end that names the index */
    cr_assert_eq(kugel_surface_create(world, &def, &again), KUGEL_OK);
    cr_assert(kugel_surface_index(again) == kugel_surface_index(plane) && again != plane);
    cr_expect_eq(kugel_surface_destroy(world, plane), KUGEL_ERROR_STALE_HANDLE);
    cr_expect_eq(kugel_surface_set_pose(world, plane, place, turn), KUGEL_ERROR_STALE_HANDLE);
    cr_expect_eq(kugel_surface_set_material(world, plane, 0, 0, 0, 0), KUGEL_ERROR_STALE_HANDLE);
    cr_expect_eq(kugel_surface_get(world, plane, &read, NULL), KUGEL_ERROR_STALE_HANDLE);
    cr_expect(kugel_surface_is_valid(world, again) && !kugel_surface_is_valid(world, plane));
    kugel_world_destroy(world);
}

/* The def of a plane has no code for other shapes: it is refused, not called. The def that a world
 * returns makes its like. */
Test(planes, def_stays_that_of_a_plane)
{
    kugel_surface plane, box;
    kugel_surface_def def = kugel_surface_def_plane((double[]){0, 0, 1}, -9), read;
    kugel_surface_def solid = kugel_surface_def_default();
    kugel_world *world = asleep_on(&plane);
    uint64_t hash = kugel_world_hash(world);
    for (uint32_t shape = 0; shape <= KUGEL_SURFACE_BOX; ++shape) {
        def.shape = (kugel_surface_shape)shape;
        for (int k = 0; k < 3; ++k) def.size[k] = 1;
        if (shape == KUGEL_SURFACE_PLANE) continue;
        cr_expect_eq(kugel_surface_create(world, &def, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
        cr_expect_str_eq(kugel_world_last_error(world)->argument, "surface.shape");
    }
    cr_expect(kugel_world_hash(world) == hash);
    solid.shape = KUGEL_SURFACE_BOX, solid.position[2] = -5;
    for (int k = 0; k < 3; ++k) solid.size[k] = 1;
    cr_assert_eq(kugel_surface_create(world, &solid, &box), KUGEL_OK);
    for (int k = 0; k < 2; ++k) {
        cr_assert_eq(kugel_surface_get(world, k ? box : plane, &read, NULL), KUGEL_OK);
        cr_expect_eq(kugel_surface_create(world, &read, NULL), KUGEL_OK);
    }
    support_run(world, dt, 10);
    kugel_world_destroy(world);
}

/* A ball that lies on a plane slides where the plane becomes smooth. */
Test(planes, a_changed_material_acts_at_once)
{
    kugel_surface plane;
    kugel_body_state ball;
    kugel_world *world = asleep_on(&plane);
    for (int smooth = 0; smooth < 2; ++smooth) {
        cr_assert_eq(kugel_surface_set_material(world, plane, 0, smooth ? 0 : 1, 0, 0), KUGEL_OK);
        support_state(world, 0, &ball);
        cr_assert_not(ball.asleep);
        kugel_body_set_velocity(world, ball.body, (double[3]){1, 0, 0});
        kugel_body_set_spin(world, ball.body, (double[3]){0});
        support_run(world, dt, 60);
        support_state(world, 0, &ball);
        cr_assert_float_eq(ball.velocity[0], smooth ? 1 : 5 / 7., 1e-3, "smooth %d: %g", smooth,
                           ball.velocity[0]);
    }
    kugel_world_destroy(world);
}

/* A plane that rises carries its ball; one that is placed higher pushes it out. */
Test(planes, one_that_moves_takes_its_body_along)
{
    const double up[3] = {0, 0, 1}, none[3] = {0}, turn[4] = {0, 0, 0, 1};
    kugel_surface plane;
    kugel_body_state ball;
    kugel_world *world = asleep_on(&plane);
    cr_assert_eq(kugel_surface_set_motion(world, plane, up, none), KUGEL_OK);
    support_run(world, dt, 120);
    support_state(world, 0, &ball);
    cr_assert_float_eq(ball.position[2], 2.5, 0.01);
    cr_assert_float_eq(ball.velocity[2], 1, 1e-6);
    cr_assert_eq(kugel_surface_set_motion(world, plane, none, none), KUGEL_OK);
    cr_assert_eq(kugel_surface_set_pose(world, plane, (double[3]){0, 0, 30}, turn), KUGEL_OK);
    support_run(world, dt, 900);
    support_state(world, 0, &ball);
    cr_assert_gt(ball.position[2], 30.49, "a ball far behind a plane comes out: %g",
                 ball.position[2]);
    kugel_world_destroy(world);
}
