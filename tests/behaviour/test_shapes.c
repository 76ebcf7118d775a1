/* Solid shapes as surfaces: bodies hit the exact round surface at the time that a search in long
 * double finds. Planes of a world after the first 57 act like those. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "kugel/body.h"
#include "support/support_shapes.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

static kugel_surface_def random_shape(support_random *random, uint32_t kind)
{
    kugel_surface_def def = kugel_surface_def_default();
    double length = 0;
    def.shape = (kugel_surface_shape)kind;
    for (int k = 0; k < 3; ++k) {
        def.size[k] = exp(support_between(random, log(0.05), log(3)));
        def.position[k] = support_between(random, -1, 1);
    }
    if (kind == KUGEL_SURFACE_CONE && !support_below(random, 4)) def.size[1] = 0;
    for (int k = 0; k < 4; ++k)
        def.rotation[k] = support_gauss(random), length += def.rotation[k] * def.rotation[k];
    for (int k = 0; k < 4; ++k) def.rotation[k] /= sqrt(length);
    def.restitution = 1;
    def.friction = 0;
    return def;
}

static void add_surface(kugel_world *world, const kugel_surface_def *def)
{
    kugel_status status = kugel_surface_create(world, def, NULL);
    cr_assert_eq(status, KUGEL_OK, "%s", kugel_world_last_error(world)->message);
}

typedef struct flight {
    double x[3], v[3], a[3], radius;
} flight;

static void place_at(const flight *f, double t, double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = f->x[k] + f->v[k] * t + 0.5 * f->a[k] * t * t;
}

static double gap_at(const kugel_surface_def *def, const flight *f, double t)
{
    double x[3];
    place_at(f, t, x);
    return support_shape_distance(def, x) - f->radius;
}

/* A flight that starts outside, more or less towards the shape. */
static flight random_flight(support_random *random, const kugel_surface_def *def)
{
    flight f = {.radius = exp(support_between(random, log(0.01), log(1)))};
    double speed = exp(support_between(random, log(1), log(100)));
    do {
        for (int k = 0; k < 3; ++k) {
            f.x[k] = support_between(random, -6, 6);
            f.v[k] = speed * (support_between(random, -1, 1) - f.x[k]) / 6;
        }
    } while (gap_at(def, &f, 0) < 0.01);
    support_direction(random, support_below(random, 2) ? speed * speed : 0, f.a);
    return f;
}

/* One body flies for a tick. Its impact is where the gap closes, up to rounding of a distance of
 * some metres. Before the impact, or without one, the gap is open. */
static void check_flight(const kugel_surface_def *def, const flight *f, uint32_t row)
{
    enum { SAMPLES = 400 };
    const double tick = 1, tolerance = 1e-11;
    support_scene scene = support_scene_start();
    support_scene_add(&scene, f->x, f->v, f->radius, 1);
    for (int k = 0; k < 3; ++k) scene.def.gravity[k] = f->a[k];
    scene.def.substeps = 1;
    kugel_world *world = support_scene_world(&scene);
    add_surface(world, def);
    support_run(world, tick, 1);
    size_t count;
    const kugel_impact *impact = kugel_world_impact_events(world, &count);
    double until = count ? impact->time : tick;
    for (int k = 0; k < SAMPLES; ++k) {
        double t = until * k / SAMPLES;
        cr_assert_gt(gap_at(def, f, t), -tolerance, "row %u: passed at %g of %g", row, t, until);
    }
    if (count) {
        double speed = 0, bend = 0;
        for (int k = 0; k < 3; ++k) speed += f->v[k] * f->v[k], bend += f->a[k] * f->a[k];
        double rounding = tolerance * (1 + sqrt(speed) + sqrt(bend));
        cr_assert_eq(impact->target, KUGEL_TARGET_SURFACE);
        cr_assert_lt(fabs(gap_at(def, f, until)), rounding, "row %u: gap %g at %g", row,
                     gap_at(def, f, until), until);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(shapes, bodies_meet_the_round_surface_first)
{
    support_random random = support_random_start("shapes/flights", 1);
    for (uint32_t row = 0; row < 2000; ++row) {
        kugel_surface_def def = random_shape(&random, KUGEL_SURFACE_PLANE + row % 5);
        flight f = random_flight(&random, &def);
        check_flight(&def, &f, row);
    }
}

/* An elastic gas around a shape of each kind keeps its energy to the rounding of 10,000 impacts,
 * and no centre comes nearer than its radius. */
Test(shapes, a_gas_never_enters_a_shape)
{
    support_random random = support_random_start("shapes/gas", 2);
    for (uint32_t kind = KUGEL_SURFACE_PLANE; kind <= KUGEL_SURFACE_BOX; ++kind) {
        kugel_surface_def def = random_shape(&random, kind);
        support_scene scene = support_scene_start();
        support_scene_box(&scene, 10, KUGEL_FACE_WALL);
        for (int k = 0; k < 3; ++k) def.position[k] = 5;
        for (int tries = 0; scene.count < 200 && tries < 100000; ++tries) {
            double x[3], v[3];
            bool apart = true;
            for (int k = 0; k < 3; ++k) x[k] = support_between(&random, 0.3, 9.7);
            for (uint32_t i = 0; i < scene.count; ++i) {
                const double *y = scene.bodies[i].position;
                apart = apart && hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) > 0.5;
            }
            if (!apart || support_shape_distance(&def, x) < 0.3) continue;
            support_direction(&random, 20, v);
            support_scene_add(&scene, x, v, 0.25, 1);
        }
        kugel_world *world = support_scene_world(&scene);
        add_surface(world, &def);
        double before = support_kinetic_energy(world);
        for (int tick = 0; tick < 120; ++tick) {
            support_run(world, 1 / 60., 1);
            for (uint32_t id = 0; id < scene.count; ++id) {
                kugel_body_state state;
                support_state(world, id, &state);
                double gap = support_shape_distance(&def, state.position) - state.radius;
                cr_assert_gt(gap, -1e-11, "shape %u, tick %d, body %u: %g", kind, tick, id, gap);
            }
        }
        cr_assert_float_eq(support_kinetic_energy(world), before, 1e-12 * before, "shape %u", kind);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A ball that slides from the top of a smooth sphere leaves it at a height of 2/3 (R + r) over its
 * centre, where the contact force vanishes. The tolerance is 1 %, because the constraint is
 * explicit in each substep. */
Test(shapes, a_sliding_ball_leaves_a_sphere_at_two_thirds)
{
    for (int kind = 0; kind < 2; ++kind) {
        kugel_surface_def def = kugel_surface_def_default();
        def.shape = kind ? KUGEL_SURFACE_CAPSULE : KUGEL_SURFACE_ELLIPSOID;
        for (int k = 0; k < 3; ++k) def.size[k] = 2;
        if (kind) def.size[1] = 0;
        def.friction = 0;
        support_scene scene = {.def = kugel_world_def_default()};
        scene.def.gravity[2] = -9.81;
        double angle = 0.02, reach = 2.1;
        kugel_body_def *ball = support_scene_add(
            &scene, (double[3]){reach * sin(angle), 0, reach * cos(angle)}, (double[3]){0}, 0.1, 1);
        ball->restitution = 0;
        kugel_world *world = support_scene_world(&scene);
        add_surface(world, &def);
        double left = 0;
        for (int tick = 0; tick < 2000; ++tick) {
            kugel_resting_contact contact;
            kugel_body_state state;
            size_t count;
            support_run(world, 1 / 240., 1);
            cr_assert_eq(kugel_world_contacts(world, 1, &contact, &count), KUGEL_OK);
            support_state(world, 0, &state);
            if (tick && !count) break;
            if (contact.force > 1e-3 * 9.81) left = state.position[2] / reach;
        }
        cr_assert_float_eq(left, 2 / 3. * cos(angle), 0.01, "shape %d: %g", kind, left);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A plane shape and a plane of the world give the same flight, up to the rounding of the
 * rotation. */
Test(shapes, a_plane_shape_is_the_plane)
{
    double angle = 0.3, normal[3] = {sin(angle), 0, cos(angle)};
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    kugel_body_def *ball =
        support_scene_add(&scene, (double[3]){0, 0.2, 3}, (double[3]){0, 1, 0}, 0.5, 1);
    ball->friction = 0.5;
    ball->restitution = 0.5;
    kugel_world *on_shape = support_scene_world(&scene);
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_PLANE;
    def.rotation[1] = sin(angle / 2), def.rotation[3] = cos(angle / 2);
    add_surface(on_shape, &def);
    scene.planes[scene.plane_count++] =
        (support_plane){.normal = {normal[0], 0, normal[2]}, .friction = 0.5};
    kugel_world *on_plane = support_scene_world(&scene);
    kugel_body_state a, b;
    support_run(on_shape, 1 / 60., 300), support_run(on_plane, 1 / 60., 300);
    support_state(on_shape, 0, &a), support_state(on_plane, 0, &b);
    cr_assert_gt(b.position[0], 10);
    for (int k = 0; k < 3; ++k)
        cr_assert_float_eq(a.position[k], b.position[k], 1e-9 * b.position[0], "%.17g %.17g",
                           a.position[k], b.position[k]);
    kugel_world_destroy(on_shape), kugel_world_destroy(on_plane);
    support_scene_free(&scene);
}

static void add_planes(kugel_world *world, uint32_t far_ones)
{
    for (uint32_t k = 0; k < far_ones; ++k) {
        support_plane far = {.normal = {0, 0, 1}, .offset = -1000. - k};
        cr_assert_eq(support_add_plane(world, &far, NULL), KUGEL_OK);
    }
    for (int k = 0; k < 4; ++k) { /* a funnel */
        double x = k < 2 ? (k ? 0.6 : -0.6) : 0, y = k < 2 ? 0 : (k == 2 ? 0.6 : -0.6);
        support_plane side = {.normal = {x, y, 0.8}, .friction = 0.3};
        kugel_surface made;
        cr_assert_eq(support_add_plane(world, &side, &made), KUGEL_OK);
        cr_assert_eq(kugel_surface_index(made), far_ones + (uint32_t)k);
    }
}

/* A ball rests in a funnel of four planes at one place, whether these are the first planes of a
 * world or follow a hundred others; the tolerance is 1e-6, because their order in the solver
 * differs. Events and queries name the planes; snapshots include them. */
Test(shapes, many_planes_are_as_few)
{
    kugel_body_state rest[2];
    for (int more = 0; more < 2; ++more) {
        support_scene scene = {.def = kugel_world_def_default()};
        scene.def.gravity[2] = -9.81;
        kugel_body_def *ball =
            support_scene_add(&scene, (double[3]){0.1, -0.2, 3}, (double[3]){1, 0, 0}, 0.5, 1);
        ball->friction = 0.5;
        ball->restitution = 0.3;
        kugel_world *world = support_scene_world(&scene), *again = support_scene_world(&scene);
        add_planes(world, more ? 100 : 0);
        bool named = false;
        for (int tick = 0; tick < 600; ++tick) {
            size_t count;
            support_run(world, 1 / 60., 1);
            const kugel_impact *impacts = kugel_world_impact_events(world, &count);
            for (size_t k = 0; k < count; ++k) {
                cr_assert_eq(impacts[k].target, KUGEL_TARGET_SURFACE);
                cr_assert_lt(impacts[k].index - (more ? 100 : 0), 4);
                named = true;
            }
            if (tick % 50) continue;
            support_bytes bytes = support_snapshot_of(world);
            cr_assert_eq(kugel_snapshot_restore(again, bytes.data, bytes.size), KUGEL_OK);
            free(bytes.data);
            cr_assert_eq(kugel_world_hash(again), kugel_world_hash(world));
            support_run(world, 1 / 60., 1), support_run(again, 1 / 60., 1);
            cr_assert_eq(kugel_world_hash(again), kugel_world_hash(world));
        }
        cr_assert(named);
        support_state(world, 0, &rest[more]);
        kugel_ray down = {.origin = {1, 0, 5}, .direction = {0, 0, -1}, .t_max = 100};
        kugel_ray_hit hit;
        cr_assert_eq(kugel_world_ray_closest(world, &down, NULL, &hit), KUGEL_OK);
        cr_assert_eq(hit.target, KUGEL_TARGET_SURFACE);
        cr_assert_eq(hit.index, (more ? 100 : 0) + 0);
        cr_assert_float_eq(hit.hit.point[2], 0.75, 1e-12);
        kugel_world_destroy(world), kugel_world_destroy(again);
        support_scene_free(&scene);
    }
    for (int k = 0; k < 3; ++k)
        cr_assert_float_eq(rest[0].position[k], rest[1].position[k], 1e-6, "%g %g",
                           rest[0].position[k], rest[1].position[k]);
    cr_assert_float_eq(rest[0].position[2], 0.5 / 0.8, 1e-3);
}

/* A ball on a rising plate, and a ball in front of a moving capsule, are hit as by a wall of that
 * speed, and no centre enters the shape. */
Test(shapes, moving_shapes_push)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_CAPSULE;
    def.size[0] = 0.5, def.size[1] = 2;
    def.velocity[0] = 3;
    def.restitution = 1;
    def.friction = 0;
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){2, 0, 0.3}, (double[3]){-1, 0, 0}, 0.25, 1);
    kugel_world *world = support_scene_world(&scene);
    add_surface(world, &def);
    support_run(world, 1, 1);
    size_t count;
    const kugel_impact *impact = kugel_world_impact_events(world, &count);
    kugel_body_state state;
    support_state(world, 0, &state);
    cr_assert_eq(count, 1);
    cr_assert_float_eq(impact->time, 1.25 / 4, 1e-12);
    cr_assert_float_eq(state.velocity[0], 7, 1e-12);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(shapes, sizes_are_checked_and_read_back)
{
    support_scene scene = support_scene_start();
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = kugel_surface_def_default(), read;
    def.shape = (kugel_surface_shape)9;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "surface.shape");
    static const double bad[] = {0, -1, NAN, INFINITY, 1e16};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        def.shape = KUGEL_SURFACE_ELLIPSOID;
        def.size[0] = 1, def.size[1] = bad[k], def.size[2] = 1;
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
        cr_assert_str_eq(kugel_world_last_error(world)->argument, "surface.size");
    }
    def.shape = KUGEL_SURFACE_CONE;
    def.size[0] = def.size[1] = 0;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    def.size[0] = 1;
    kugel_surface surface;
    cr_assert_eq(kugel_surface_create(world, &def, &surface), KUGEL_OK);
    cr_assert_eq(kugel_surface_get(world, surface, &read, NULL), KUGEL_OK);
    cr_assert_eq(read.shape, KUGEL_SURFACE_CONE);
    for (int k = 0; k < 3; ++k) cr_assert_eq(read.size[k], def.size[k]);
    cr_assert_gt(read.triangle_count, 32);
    for (uint32_t k = 0; k < 3 * read.triangle_count; ++k)
        cr_assert_lt(read.triangles[k], read.vertex_count);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
