/* Moving surfaces, as lifts, paddles and drums, push bodies; bodies do not push them. */
#include <criterion/criterion.h>
#include <math.h>

#include "kugel/body.h"
#include "kugel/mesh_shapes.h"
#include "support/support_mesh.h"
#include "support/support_random.h"
#include "support/support_scene.h"

static const double square[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const uint32_t square_triangles[] = {0, 1, 2, 0, 2, 3};

/* A square plate of 2 m in the plane z = 0 of its frame. */
static kugel_surface_def plate(void)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = square;
    def.triangles = square_triangles;
    def.vertex_count = 4;
    def.triangle_count = 2;
    return def;
}

static kugel_surface add_surface(kugel_world *world, const kugel_surface_def *def)
{
    kugel_surface surface;
    kugel_status status = kugel_surface_create(world, def, &surface);
    cr_assert_eq(status, KUGEL_OK, "%s", kugel_world_last_error(world)->message);
    return surface;
}

/* A ball on a rising lift rises with the lift's velocity up to rounding, is pressed to it by its
 * weight only, and stays awake. */
Test(moving_surfaces, a_lift_carries_a_ball)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    support_scene_add(&scene, (double[3]){0, 0, 0.2}, (double[3]){0, 0, 1}, 0.2, 1)->restitution =
        0;
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = plate();
    def.velocity[2] = 1;
    kugel_surface surface = add_surface(world, &def);
    support_run(world, 1 / 60., 300);
    kugel_body_state s;
    support_state(world, 0, &s);
    /* the slop, 0.01 of 0.2 m, bounds the gap to the plate at 5 m */
    cr_assert_float_eq(s.position[2], 5.2, 0.002, "%.17g", s.position[2]);
    cr_assert_float_eq(s.velocity[2], 1, 1e-6);
    cr_assert(!s.asleep);
    kugel_resting_contact contact;
    size_t count;
    kugel_world_contacts(world, 1, &contact, &count);
    cr_assert_eq(count, 1);
    cr_assert(contact.target == KUGEL_TARGET_SURFACE &&
              contact.index == kugel_surface_index(surface));
    cr_assert_float_eq(contact.force, 9.81, 1e-3 * 9.81, "%g", contact.force);
    /* it stops: the ball stays and falls asleep */
    cr_assert_eq(kugel_surface_set_motion(world, surface, (double[3]){0}, (double[3]){0}),
                 KUGEL_OK);
    support_run(world, 1 / 60., 300);
    support_state(world, 0, &s);
    cr_assert(s.asleep);
    /* it moves again: the ball wakes and is lifted */
    kugel_surface_set_motion(world, surface, (double[3]){0, 0, 1}, (double[3]){0});
    support_run(world, 1 / 60., 60);
    support_state(world, 0, &s);
    cr_assert_float_eq(s.position[2], 6.2, 0.01, "%.17g", s.position[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A plate at speed V hits an elastic ball at rest, which leaves at 2 V from where the plate met it:
 * straight motion is exact. */
Test(moving_surfaces, a_paddle_doubles_its_speed)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){0, 0, 0}, NULL, 0.25, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = plate();
    def.position[2] = -1;
    def.velocity[2] = 10;
    def.restitution = 1;
    add_surface(world, &def);
    support_run(world, 1 / 64., 32);
    kugel_body_state s;
    support_state(world, 0, &s);
    cr_assert_eq(s.velocity[2], 20, "%.17g", s.velocity[2]);
    cr_assert_float_eq(s.position[2], 20 * (0.5 - 0.075), 1e-12, "%.17g", s.position[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A plate turns about the y axis at 2 rad/s and hits a ball at rest. The impact is when the plate's
 * plane is a radius from the centre, with the speed of the plate at that point. In the plate's
 * frame the engine takes the path as a parabola, with an error of the square of the turn in a
 * substep, 0.02. */
Test(moving_surfaces, a_turning_plate_hits_with_the_speed_of_its_point)
{
    support_scene scene = support_scene_start();
    scene.def.substeps = 0;
    support_scene_add(&scene, (double[3]){0.8, 0, -0.5}, NULL, 0.1, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = plate();
    def.spin[1] = 2;
    def.restitution = 1;
    def.friction = 0;
    add_surface(world, &def);
    kugel_body_state s;
    size_t count = 0;
    const kugel_impact *impact = NULL;
    double start = 0;
    for (int tick = 0; tick < 60 && !count; ++tick) {
        start = tick / 60.;
        support_run(world, 1 / 60., 1);
        impact = kugel_world_impact_events(world, &count);
    }
    cr_assert_eq(count, 1);
    /* distance of (0.8, -0.5) from a line through 0 at the angle -a is 0.1 */
    double far = hypot(0.8, 0.5), angle = atan2(0.5, 0.8) - asin(0.1 / far),
           arm = sqrt(far * far - 0.1 * 0.1);
    cr_assert_float_eq(start + impact->time, angle / 2, 1e-4, "%.9g, not %.9g",
                       start + impact->time, angle / 2);
    cr_assert_float_eq(impact->speed, 2 * arm, 1e-3, "%.9g", impact->speed);
    support_run(world, 1 / 60., 1);
    support_state(world, 0, &s);
    double speed = sqrt(s.velocity[0] * s.velocity[0] + s.velocity[2] * s.velocity[2]);
    cr_assert_float_eq(speed, 4 * arm, 2e-3, "%.9g, not %.9g", speed, 4 * arm);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A closed mesh near a sphere turns with 150 balls in it. No ball leaves, friction carries the
 * balls up the rising side. @return the state hash, which must be equal for any number of
 * threads. */
static uint64_t run_drum(int threads)
{
    support_mesh drum = support_mesh_ball(3, 2);
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.def.tasks.threads = threads;
    for (int k = 0; k < 150; ++k) {
        double p[3] = {(k % 6 - 2.5) * 0.4, (k / 6 % 5 - 2) * 0.4, (k / 30 - 2) * 0.4};
        kugel_body_def *ball = support_scene_add(&scene, p, NULL, 0.1 + 0.04 * (k % 3), 1);
        ball->restitution = 0.2;
        ball->friction = 0.6;
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(&drum);
    def.spin[1] = 1.5;
    def.friction = 0.6;
    add_surface(world, &def);
    support_run(world, 1 / 60., 300);
    double mean = 0;
    for (uint32_t id = 0; id < scene.count; ++id) {
        kugel_body_state s;
        support_state(world, id, &s);
        double r = sqrt(s.position[0] * s.position[0] + s.position[1] * s.position[1] +
                        s.position[2] * s.position[2]);
        cr_assert_lt(r + 0.98 * scene.bodies[id].radius, 2, "ball %u at %g", id, r);
        mean += s.position[0] / scene.count;
    }
    /* the wall below moves towards -x */
    cr_assert(mean < -0.2 && mean > -1.5, "%g", mean);
    uint64_t hash = kugel_world_hash(world);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    support_mesh_free(&drum);
    return hash;
}

Test(moving_surfaces, a_drum_carries_its_content) { cr_assert_eq(run_drum(1), run_drum(3)); }

/* The gap (m) between a ball and the sides of a cube with an edge of 2 half m that has turned by
 * `angle` about the y axis. */
static double gap_in_cube(const double x[3], double radius, double half, double angle)
{
    double frame_x = x[0] * cos(angle) - x[2] * sin(angle),
           frame_z = x[0] * sin(angle) + x[2] * cos(angle),
           farthest = fmax(fmax(fabs(frame_x), fabs(frame_z)), fabs(x[1]));
    return half - farthest - radius;
}

/* A cube with an edge of 2 half m that turns by `spin` rad/s about the y axis. */
static void add_turning_cube(kugel_world *world, double half, double spin, double restitution,
                             double friction)
{
    double vertices[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_BOX_TRIANGLES];
    cr_assert_eq(kugel_mesh_box((double[3]){half, half, half}, vertices, triangles), KUGEL_OK);
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = KUGEL_MESH_BOX_VERTICES;
    def.triangles = triangles, def.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
    def.restitution = restitution, def.friction = friction;
    def.spin[1] = spin;
    add_surface(world, &def);
}

/* A ball of 0.1 m falls in a cube that turns by `turn` rad a tick about a horizontal axis; it soon
 * turns with the cube or tumbles in its corners. @return its greatest penetration, radii. */
static double sink_in_turning_cube(double half, double turn, int substeps)
{
    const double radius = 0.1, dt = 1 / 60.;
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.def.substeps = substeps;
    support_scene_add(&scene, (double[3]){0}, NULL, radius, 1)->restitution = 0;
    scene.bodies[0].friction = 0.6;
    kugel_world *world = support_scene_world(&scene);
    add_turning_cube(world, half, turn / dt, 0, 0.6);
    double worst = 0;
    for (int k = 1; k <= 300; ++k) {
        kugel_body_state s;
        support_run(world, dt, 1);
        support_state(world, 0, &s);
        worst = fmax(worst, -gap_in_cube(s.position, radius, half, k * turn));
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return worst / radius;
}

/* A body that turns with a surface does not sink in, whatever the turn and the number of substeps
 * in the def. 1 %: the landing of a ball with one substep; with the default 0.2 %. Before contacts
 * took the turn of their surface into account, it sank in by 4 % with the default, and passed the
 * surface with four substeps of 0.1 rad. */
Test(moving_surfaces, a_turning_cube_keeps_its_ball_out_of_its_sides)
{
    for (double turn = 0.02; turn < 2; turn *= 3) {
        for (double half = 0.4; half < 3; half *= 5) {
            double chosen = sink_in_turning_cube(half, turn, 0),
                   one = sink_in_turning_cube(half, turn, 1),
                   four = sink_in_turning_cube(half, turn, 4);
            cr_expect(chosen < 0.002, "half %g m, turn %g: %g", half, turn, chosen);
            cr_expect(one < 0.01, "half %g m, turn %g: %g", half, turn, one);
            cr_expect(four < 0.01, "half %g m, turn %g: %g", half, turn, four);
        }
    }
}

/* Balls much smaller than the cube, which the frame's spin accelerates by several radii in the
 * square of a tick. They do not collide with each other. @return how many centres are outside. */
static int leave_turning_cube(double radius, double speed, double spin)
{
    enum { BALLS = 50 };
    support_random random = support_random_start("moving surfaces/cube", 8);
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.bounce_threshold = 0;
    for (int i = 0; i < BALLS; ++i) {
        double x[3], v[3];
        for (int k = 0; k < 3; ++k) x[k] = support_between(&random, -0.5, 0.5);
        support_direction(&random, speed, v);
        kugel_body_def *ball = support_scene_add(&scene, x, v, radius, 1);
        ball->restitution = 0.5, ball->friction = 0.2;
        ball->category = 2, ball->mask = 1;
    }
    kugel_world *world = support_scene_world(&scene);
    add_turning_cube(world, 1, spin, 0.5, 0.2);
    support_run(world, 1 / 60., 100);
    int outside = 0;
    for (uint32_t i = 0; i < BALLS; ++i) {
        kugel_body_state s;
        support_state(world, i, &s);
        outside += gap_in_cube(s.position, 0, 1, spin * 100 / 60) < 0;
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return outside;
}

/* Before the height at the start of a substep counted, more than half of the balls of 1 mm left. */
Test(moving_surfaces, small_balls_stay_in_a_turning_cube)
{
    cr_expect_eq(leave_turning_cube(0.001, 10, 10), 0);
    cr_expect_eq(leave_turning_cube(0.001, 10, 3), 0);
    cr_expect_eq(leave_turning_cube(0.003, 300, 10), 0);
    cr_expect_eq(leave_turning_cube(0.01, 10, 10), 0);
}

/* A plate moves down on a pile between walls to half of its height. No centre passes the plate. */
Test(moving_surfaces, nothing_passes_a_press)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 1.6, KUGEL_FACE_WALL);
    scene.def.gravity[2] = -9.81;
    for (int k = 0; k < 64; ++k) {
        double p[3] = {0.25 + k % 4 * 0.36, 0.25 + k / 4 % 4 * 0.36, 0.2 + k / 16 * 0.36};
        support_scene_add(&scene, p, NULL, 0.17, 1)->restitution = 0;
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = plate();
    def.position[0] = def.position[1] = 0.8;
    def.position[2] = 1.55;
    def.velocity[2] = -0.5;
    kugel_surface surface = add_surface(world, &def);
    for (int tick = 0; tick < 90; ++tick) {
        support_run(world, 1 / 60., 1);
        cr_assert_eq(kugel_surface_get(world, surface, &def, NULL), KUGEL_OK);
        for (uint32_t id = 0; id < scene.count; ++id) {
            kugel_body_state s;
            support_state(world, id, &s);
            cr_assert_lt(s.position[2], def.position[2], "tick %d, ball %u", tick, id);
        }
    }
    cr_assert_lt(def.position[2], 0.81);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

enum { FLOOR_WALL, FLOOR_PLANE, FLOOR_CUBE, FLOORS };

/* A cube of 4 m around the box of holds_under_a_plate, as a mesh. */
static void add_cube(kugel_world *world)
{
    double half[3] = {2, 2, 2}, vertices[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_BOX_TRIANGLES];
    kugel_surface_def def = kugel_surface_def_default();
    cr_assert_eq(kugel_mesh_box(half, vertices, triangles), KUGEL_OK);
    def.vertices = vertices, def.triangles = triangles;
    def.vertex_count = KUGEL_MESH_BOX_VERTICES, def.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
    for (int k = 0; k < 3; ++k) def.position[k] = 2;
    add_surface(world, &def);
}

/* True when the centre of a ball on the floor of a box stays in the box while a plate presses it
 * into the floor and moves on. */
static bool holds_under_a_plate(double velocity, double spin, double dt, int floor)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 4, KUGEL_FACE_WALL);
    if (floor != FLOOR_WALL) scene.def.bounds.faces[4] = scene.def.bounds.faces[5] = 0;
    scene.def.gravity[2] = -9.81;
    support_scene_add(&scene, (double[3]){2, 1.5, 0.1}, NULL, 0.1, 1);
    kugel_world *world = support_scene_world(&scene);
    support_plane plane = {.normal = {0, 0, 1}};
    if (floor == FLOOR_PLANE) cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
    if (floor == FLOOR_CUBE) add_cube(world);
    kugel_surface_def def = plate();
    def.position[0] = def.position[1] = 2, def.position[2] = 0.3;
    def.velocity[2] = velocity, def.spin[0] = spin;
    add_surface(world, &def);
    bool inside = true;
    for (int tick = 0; tick < 100; ++tick) {
        kugel_body_state s;
        support_run(world, dt, 1);
        support_state(world, 0, &s);
        for (int k = 0; k < 2; ++k) inside &= s.position[k] >= 0 && s.position[k] <= 4;
        inside &= s.position[2] >= 0;
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return inside;
}

Test(moving_surfaces, press_no_centre_through_another_boundary)
{
    static const double speeds[] = {0.1, 0.4, 1.2, 4, 7}, ticks[] = {1 / 240., 1 / 60., 0.05};
    for (int k = 0; k < 5 * 3 * FLOORS; ++k) {
        double speed = speeds[k / (3 * FLOORS)], dt = ticks[k / FLOORS % 3];
        int floor = k % FLOORS;
        cr_expect(holds_under_a_plate(-speed, 0, dt, floor), "floor %d, %g m/s, ticks of %g s",
                  floor, speed, dt);
        cr_expect(holds_under_a_plate(0, speed, dt, floor), "floor %d, %g rad/s, ticks of %g s",
                  floor, speed, dt);
    }
}

Test(moving_surfaces, a_surface_stays_in_the_range_of_numbers)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_add(&scene, (double[3]){0, 0, 5}, NULL, 0.2, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = plate();
    def.position[1] = -9e14;
    def.velocity[1] = -6e13;
    add_surface(world, &def);
    support_run(world, 1, 1);
    uint64_t hash = kugel_world_hash(world);
    cr_assert_eq(kugel_world_step(world, 1), KUGEL_ERROR_LIMIT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "dt");
    cr_assert_eq(kugel_world_hash(world), hash);
    support_run(world, 0.5, 1);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A call puts a ball to sleep on a plate that goes down, goes up, or moves aside: the next step
 * wakes it, and it stays on the plate. */
Test(moving_surfaces, a_ball_put_to_sleep_on_one_wakes)
{
    const double ways[][3] = {{0, 0, -0.5}, {0, 0, 0.5}, {0.25, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        support_scene scene = {.def = kugel_world_def_default()};
        scene.def.gravity[2] = -9.81;
        kugel_body_def *ball = support_scene_add(&scene, (double[3]){0, 0, 0.2}, ways[k], 0.2, 1);
        ball->friction = 0.5, ball->restitution = 0;
        kugel_world *world = support_scene_world(&scene);
        kugel_surface_def def = plate();
        def.friction = 0.5;
        for (int axis = 0; axis < 3; ++axis) def.velocity[axis] = ways[k][axis];
        add_surface(world, &def);
        support_run(world, 1 / 60., 30);
        cr_assert_eq(kugel_body_sleep(world, kugel_world_body(world, 0)), KUGEL_OK);
        support_run(world, 1 / 60., 1);
        size_t wakes;
        (void)kugel_world_wake_events(world, &wakes);
        cr_assert_eq(wakes, 1, "way %d", k);
        support_run(world, 1 / 60., 60);
        kugel_body_state s;
        support_state(world, 0, &s);
        cr_assert(!s.asleep && s.contacts == 1, "way %d", k);
        /* the slop, and the overlap of the landing */
        cr_assert_float_eq(s.position[2], 0.2 + 91 / 60. * ways[k][2], 0.01, "way %d: %g", k,
                           s.position[2]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The turn of a tick of any length has a finite number of halvings. */
Test(moving_surfaces, a_rotation_is_a_unit_at_any_spin_and_tick)
{
    support_scene scene = {.def = kugel_world_def_default()};
    for (int power = 0; power <= 15; ++power) {
        kugel_world *world = support_scene_world(&scene);
        kugel_surface_def def = plate(), turned;
        double length = 0;
        for (int k = 0; k < 3; ++k) def.spin[k] = 1e15 / (k + 1);
        kugel_surface surface = add_surface(world, &def);
        support_run(world, pow(10, power), 1);
        cr_assert_eq(kugel_surface_get(world, surface, &turned, NULL), KUGEL_OK);
        for (int k = 0; k < 4; ++k) length += turned.rotation[k] * turned.rotation[k];
        cr_assert_float_eq(length, 1, 1e-14, "tick of 1e%d s: %g", power, length);
        kugel_world_destroy(world);
    }
    support_scene_free(&scene);
}
