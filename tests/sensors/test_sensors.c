/* For engine/sensors/sensors.c: which bodies enter and leave a sensor, when and where, in closed
 * form and against brute force over the paths of the bodies. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "grid/grid.h"
#include "record/support_recording.h"
#include "sensors/sensors.h"
#include "support/support_mesh.h"
#include "support/support_pile.h"
#include "support/support_scene.h"
#include "support/support_sensor_events.h"

static kugel_body_def *add_sensor(support_scene *scene, double x, double y, double z, double radius)
{
    kugel_body_def *def =
        support_scene_add(scene, (double[3]){x, y, z}, (double[3]){0, 0, 0}, radius, 1);
    def->type = KUGEL_STATIC;
    def->sensor = true;
    return def;
}

/* 500 m/s through a sensor of 2 cm in one tick: it enters and leaves at the times of the closed
 * form, is not slowed down, and pushes no body. */
Test(sensors, see_a_bullet_pass_inside_one_step)
{
    support_scene scene = support_scene_start();
    add_sensor(&scene, 3, 0, 0, 0.01);
    support_scene_add(&scene, (double[3]){0, 0.012, 0}, (double[3]){500, 0, 0}, 0.005, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 1);
    const kugel_sensor_event *e = support_sensor_events(world, 2);
    double half = sqrt(0.015 * 0.015 - 0.012 * 0.012);
    cr_assert(e[0].entered && !e[1].entered);
    cr_assert_float_eq(e[0].time, (3 - half) / 500, 1e-12);
    cr_assert_float_eq(e[1].time, (3 + half) / 500, 1e-12);
    cr_assert(kugel_body_id(e[0].sensor) == 0 && kugel_body_id(e[0].body) == 1);
    cr_assert_float_eq(e[0].normal[0], -half / 0.015, 1e-9);
    cr_assert_float_eq(e[0].normal[1], 0.012 / 0.015, 1e-9);
    cr_assert_float_eq(e[0].point[1], 0.01 * 0.8, 1e-9);
    cr_assert_float_eq(e[0].speed, 500 * half / 0.015, 1e-6);
    cr_assert_float_eq(e[1].speed, -e[0].speed, 1e-6);
    kugel_body_state state;
    support_state(world, 1, &state);
    cr_assert_eq(state.velocity[0], 500);
    support_run(world, 1 / 60., 1);
    support_sensor_events(world, 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball thrown up through a sensor and falling back: four events at the closed form's times, over
 * several ticks; none doubled or lost at their borders. */
Test(sensors, follow_free_fall)
{
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = -10;
    add_sensor(&scene, 0, 0, 3, 0.5);
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){0, 0, 10}, 0.5,
                      1); /* touches at z = 2 and 4 */
    kugel_world *world = support_scene_world(&scene);
    double at[4], root = sqrt(100 - 40);
    int seen = 0;
    for (int tick = 0; tick < 240; ++tick) {
        size_t count;
        support_run(world, 1 / 100., 1);
        const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
        for (size_t k = 0; k < count; ++k, ++seen) {
            cr_assert(seen < 4);
            cr_assert_eq(e[k].entered, seen % 2 == 0);
            at[seen] = tick / 100. + e[k].time;
        }
    }
    /* z = 2 at (10 -+ root) / 10; the top is z = 5, so it leaves above at z = 4 and comes back */
    cr_assert_eq(seen, 4);
    cr_assert_float_eq(at[0], (10 - sqrt(100 - 40)) / 10, 1e-9);
    cr_assert_float_eq(at[1], (10 - sqrt(100 - 80)) / 10, 1e-9);
    cr_assert_float_eq(at[2], (10 + sqrt(100 - 80)) / 10, 1e-9);
    cr_assert_float_eq(at[3], (10 + root) / 10, 1e-9);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The same in one tick of one substep: up through the sensor and down again, which are two ways in
 * and two out. And of one that holds the ball at both ends, but not at the top. */
Test(sensors, see_a_ball_that_falls_back_in_one_step)
{
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = -10;
    add_sensor(&scene, 0, 0, 3, 0.5);
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){0, 0, 10}, 0.5,
                      1);             /* touches at z = 2 and 4 */
    add_sensor(&scene, 0, 0, 0, 3.3); /* touches at 3.8 */
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 2, 1);
    const kugel_sensor_event *e = support_sensor_events(world, 7);
    const double height[7] = {0, 2, 3.8, 4, 4, 3.8, 2};
    for (int k = 0; k < 7; ++k) {
        bool large = height[k] == 0 || height[k] == 3.8, rises = k < 4;
        double root = sqrt(100 - 20 * height[k]);
        cr_assert_eq(kugel_body_id(e[k].sensor), large ? 2u : 0);
        cr_assert_eq(e[k].entered, k == 0 || k == 1 || k == 4 || k == 5);
        cr_assert_float_eq(e[k].time, (10 - (rises ? root : -root)) / 10, 1e-9);
        if (k > 0) cr_assert_float_eq(e[k].speed, e[k].entered ? root : -root, 1e-9);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Made inside: enters at time 0. Moved out by hand, or destroyed: leaves at time 0, from the place
 * where it was; moved in: enters at time 0; moved inside: no event. Filters hold. */
Test(sensors, bodies_put_there)
{
    support_scene scene = support_scene_start();
    add_sensor(&scene, 0, 0, 0, 2)->mask = 1;
    support_scene_add(&scene, (double[3]){0.5, 0, 0}, (double[3]){0, 0, 0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){-0.7, 0, 0}, (double[3]){0, 0, 0}, 0.5, 1)->category = 2;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.1, 1);
    const kugel_sensor_event *e = support_sensor_events(world, 1);
    cr_assert(e->entered && e->time == 0 && kugel_body_id(e->body) == 1);
    support_run(world, 0.1, 1);
    support_sensor_events(world, 0);
    cr_assert_eq(kugel_body_set_position(world, kugel_world_body(world, 1), (double[3]){9, 0, 0}),
                 KUGEL_OK);
    support_run(world, 0.1, 1);
    e = support_sensor_events(world, 1);
    cr_assert(!e->entered && e->time == 0 && e->speed == 0 && signbit(e->speed));
    cr_assert(e->point[0] == 2 && e->normal[0] == 1);
    cr_assert_eq(kugel_body_set_position(world, kugel_world_body(world, 1), (double[3]){1, 0, 0}),
                 KUGEL_OK);
    support_run(world, 0.1, 1);
    cr_assert(support_sensor_events(world, 1)->entered);
    cr_assert_eq(kugel_body_set_position(world, kugel_world_body(world, 1), (double[3]){0, 1, 0}),
                 KUGEL_OK);
    support_run(world, 0.1, 1);
    support_sensor_events(world, 0);
    kugel_body destroyed = kugel_world_body(world, 1);
    cr_assert_eq(kugel_body_destroy(world, destroyed), KUGEL_OK);
    support_run(world, 0.1, 1);
    e = support_sensor_events(world, 1);
    cr_assert(!e->entered && e->time == 0 && e->body == destroyed);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A body inside a sensor gets another filter. One that excludes the pair reports an exit, one that
 * admits it an entry; another that admits it, too, makes no event. */
Test(sensors, bodies_given_another_filter)
{
    support_scene scene = support_scene_start();
    add_sensor(&scene, 0, 0, 0, 2);
    support_scene_add(&scene, (double[3]){0.5, 0, 0}, (double[3]){0, 0, 0}, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.1, 1);
    support_sensor_events(world, 1);
    for (uint32_t whose = 0; whose < 2; ++whose) { /* the sensor's, the body's */
        kugel_body body = kugel_world_body(world, whose);
        cr_assert_eq(kugel_body_set_filter(world, body, 1, 0xffffffffu, 0), KUGEL_OK);
        support_run(world, 0.1, 1);
        support_sensor_events(world, 0);
        cr_assert_eq(kugel_body_set_filter(world, body, 3, 0xffffu, 5),
                     KUGEL_OK); /* another, and seen as before */
        support_run(world, 0.1, 1);
        support_sensor_events(world, 0);
        cr_assert_eq(kugel_body_set_filter(world, body, 1, 2, 0), KUGEL_OK);
        support_run(world, 0.1, 1);
        cr_assert(!support_sensor_events(world, 1)->entered);
        cr_assert_eq(kugel_body_set_filter(world, body, 1, 0xffffffffu, 0), KUGEL_OK);
        support_run(world, 0.1, 1);
        const kugel_sensor_event *e = support_sensor_events(world, 1);
        cr_assert(e->entered && e->time == 0 && kugel_body_id(e->body) == 1);
    }
    cr_assert_eq(kugel_body_set_velocity(world, kugel_world_body(world, 1), (double[3]){100, 0, 0}),
                 KUGEL_OK);
    support_run(world, 0.1, 1);
    cr_assert(!support_sensor_events(world, 1)->entered);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A ball on the floor inside of a larger one becomes a sensor, and the other way round. The pair's
 * events and contacts follow; the floor holds both. */
Test(sensors, bodies_made_sensors)
{
    support_scene scene = support_scene_start();
    scene.def = kugel_world_def_default();
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}};
    support_scene_add(&scene, (double[3]){0, 0, 0.5}, NULL, 0.5, 1)->restitution = 0;
    support_scene_add(&scene, (double[3]){0, 0, 1.5}, NULL, 0.5, 1)->restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    kugel_body low = kugel_world_body(world, 0);
    support_run(world, 1 / 60., 90);
    kugel_body_state s;
    cr_assert_eq(kugel_body_set_sensor(world, low, true), KUGEL_OK);
    support_run(world, 1 / 60., 1);
    size_t ends;
    (void)kugel_world_end_events(world, &ends);
    cr_assert_eq(ends, 1);
    cr_assert(support_sensor_events(world, 1)->entered);
    support_run(world, 1 / 60., 120);
    for (uint32_t id = 0; id < 2; ++id) {
        support_state(world, id, &s);
        cr_assert_float_eq(s.position[2], 0.5, 0.01, "body %u at %g m", id, s.position[2]);
        cr_assert_eq(s.sensor, id == 0);
    }
    cr_assert_eq(kugel_body_set_sensor(world, low, false), KUGEL_OK);
    support_run(world, 1 / 60., 1);
    cr_assert(!support_sensor_events(world, 1)->entered);
    support_run(world, 1 / 60., 120);
    kugel_body_state t;
    support_state(world, 0, &s), support_state(world, 1, &t);
    double apart = hypot(hypot(s.position[0] - t.position[0], s.position[1] - t.position[1]),
                         s.position[2] - t.position[2]);
    cr_assert_geq(apart, 0.98);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Speeds: what is made inside enters by 0 unless it moves inwards, and leaves as fast as it moves.
 */
Test(sensors, speeds_of_bodies_put_there)
{
    support_scene scene = support_scene_start();
    add_sensor(&scene, 0, 0, 0, 2)->mask = 1;
    support_scene_add(&scene, (double[3]){2, 0, 0}, (double[3]){3, 0, 0}, 0.5, 1);  /* outwards */
    support_scene_add(&scene, (double[3]){-2, 0, 0}, (double[3]){0, 0, 0}, 0.5, 1); /* still */
    support_scene_add(&scene, (double[3]){0, 2, 0}, (double[3]){0, -1, 0}, 0.5, 1); /* inwards */
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.5, 1);
    const kugel_sensor_event *e = support_sensor_events(world, 4);
    for (uint32_t k = 0; k < 3; ++k)
        cr_assert(e[k].entered && e[k].time == 0 && kugel_body_id(e[k].body) == 1 + k);
    cr_assert(e[0].speed == 0 && !signbit(e[0].speed), "%g", e[0].speed);
    cr_assert(e[1].speed == 0 && !signbit(e[1].speed), "%g", e[1].speed);
    cr_assert_eq(e[2].speed, 1);
    cr_assert(!e[3].entered && kugel_body_id(e[3].body) == 1);
    cr_assert_eq(e[3].speed, -3);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Two balls lie in one another and drift together; the contact pushes the first across the sensor's
 * surface against the drift. The sign is still that of what happened. */
static void check_push(double place, double other, double drift, bool entered)
{
    support_scene scene = support_scene_start();
    scene.def.bounce_threshold = 1;
    add_sensor(&scene, 0, 0, 0, 1);
    support_scene_add(&scene, (double[3]){place, 0, 0}, (double[3]){drift, 0, 0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){other, 0, 0}, (double[3]){drift, 0, 0}, 0.5, 1)
        ->category = 2;
    for (uint32_t k = 0; k < 3; ++k) scene.bodies[k].mask = k ? 3 : 1;
    kugel_world *world = support_scene_world(&scene);
    bool seen = false;
    for (int tick = 0; tick < 10; ++tick) {
        size_t count;
        support_run(world, 1 / 60., 1);
        const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
        cr_assert(count <= 1);
        if (count == 0 || e->entered != entered) continue;
        seen = true;
        cr_assert(e->speed == 0 && !signbit(e->speed) == entered, "%g", e->speed);
        cr_assert_eq(e->normal[0], 1);
    }
    cr_assert(seen);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(sensors, speed_of_who_is_pushed_in) { check_push(1.505, 2.3, 1e-3, true); }
Test(sensors, speed_of_who_is_pushed_out) { check_push(1.485, 0.7, -1e-3, false); }

/* A gas among sensors of all types: every body's events alternate, what is inside at the end of a
 * step is exactly what overlaps then, and the gas is the same without sensors. Threads change
 * nothing. */
static void check_gas(kugel_face face, uint32_t threads)
{
    support_random random = support_random_start("sensors/gas", 31);
    support_scene scene = support_scene_gas(4, 0.1, face, 5, &random);
    uint32_t balls = scene.count;
    double length = scene.def.bounds.max[0] - scene.def.bounds.min[0];
    scene.def.substeps = 3;
    kugel_world *plain = support_scene_world(&scene);
    for (int i = 0; i < 12; ++i) {
        kugel_body_def *def = add_sensor(&scene, 0, 0, 0, support_between(&random, 0.1, 1.2));
        for (int k = 0; k < 3; ++k) def->position[k] = support_between(&random, 0.2, 0.8) * length;
        if (i % 3 == 0) continue;
        def->type = i % 3 == 1 ? KUGEL_KINEMATIC : KUGEL_DYNAMIC;
        support_direction(&random, 2, def->velocity);
    }
    scene.def.tasks.threads = threads;
    kugel_world *world = support_scene_world(&scene);
    static bool inside[512][16];
    memset(inside, 0, sizeof inside);
    cr_assert(balls <= 512);
    size_t all = 0;
    for (int tick = 0; tick < 40; ++tick) {
        size_t count;
        support_run(world, 1 / 60., 1);
        support_run(plain, 1 / 60., 1);
        const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
        all += count;
        for (size_t k = 0; k < count; ++k) {
            uint32_t s = kugel_body_id(e[k].sensor) - balls, b = kugel_body_id(e[k].body);
            cr_assert(s < 12 && b < balls);
            cr_assert(k == 0 || e[k].time >= e[k - 1].time);
            cr_assert(e[k].time >= 0 && e[k].time <= 1 / 60.);
            cr_assert_neq(inside[b][s], e[k].entered, "tick %d: body %u, sensor %u", tick, b, s);
            inside[b][s] = e[k].entered;
        }
        for (uint32_t b = 0; b < balls; ++b) {
            kugel_body_state body, other;
            support_state(world, b, &body);
            support_state(plain, b, &other);
            cr_assert(memcmp(body.position, other.position, sizeof body.position) == 0,
                      "sensors push");
            for (uint32_t s = 0; s < 12; ++s) {
                double dd = 0;
                support_state(world, balls + s, &other);
                for (int k = 0; k < 3; ++k) {
                    double d = body.position[k] - other.position[k];
                    if (face == KUGEL_FACE_PERIODIC && fabs(d) > length / 2)
                        d -= d > 0 ? length : -length;
                    dd += d * d;
                }
                double reach = body.radius + other.radius;
                cr_assert(inside[b][s] == (dd <= reach * reach), "tick %d: body %u, sensor %u",
                          tick, b, s);
            }
        }
    }
    cr_assert(all > 100, "%zu events", all);
    kugel_world_destroy(world);
    kugel_world_destroy(plain);
    support_scene_free(&scene);
}

Test(sensors, in_a_gas_with_walls) { check_gas(KUGEL_FACE_WALL, 1); }
Test(sensors, in_a_periodic_gas) { check_gas(KUGEL_FACE_PERIODIC, 1); }
Test(sensors, on_threads) { check_gas(KUGEL_FACE_WALL, 3); }

/* A pile that lands and settles is the same, bit for bit, with static and moving sensors around it
 * whose filter admits no body: some are much smaller than all balls, and they are the majority. */
Test(sensors, have_no_effect_on_bodies)
{
    support_random random = support_random_start("sensors/felt", 78);
    support_scene pile = support_pile(8, 6, 0.2, &random);
    kugel_world *alone = support_scene_world(&pile);
    uint32_t balls = pile.count;
    for (int k = 0; k < 500; ++k) {
        kugel_body_def *def = add_sensor(&pile, 0.01 * k, 0, 500, k % 2 ? 1e-4 : 0.5);
        def->category = def->mask = 0;
        if (k < 4) def->type = KUGEL_KINEMATIC, def->velocity[0] = 0.02;
    }
    kugel_world *seen = support_scene_world(&pile);
    for (int tick = 0; tick < 300; ++tick) {
        support_run(alone, 1 / 60., 1);
        support_run(seen, 1 / 60., 1);
        for (uint32_t id = 0; id < balls && tick % 20 == 19; ++id) {
            kugel_body_state a, b;
            support_state(alone, id, &a);
            support_state(seen, id, &b);
            cr_assert(memcmp(a.position, b.position, sizeof a.position) == 0 &&
                          memcmp(a.velocity, b.velocity, sizeof a.velocity) == 0,
                      "tick %d, ball %u: %.17g, with sensors %.17g", tick, id, a.position[0],
                      b.position[0]);
        }
    }
    kugel_world_destroy(alone);
    kugel_world_destroy(seen);
    support_scene_free(&pile);
}

/* A dynamic sensor that falls on a surface rests on it, as on a plane, but passes through a static
 * body above it. */
static void check_fall(bool on_mesh)
{
    support_random random = support_random_start("sensors/fall", 79);
    support_mesh floor = support_mesh_floor(8, 8, 0, &random);
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = -9.81;
    scene.def.bounce_threshold = KUGEL_BOUNCE_BY_SIZE;
    scene.def.slop = 0.01;
    scene.def.substeps = 0;
    kugel_body_def *body =
        support_scene_add(&scene, (double[3]){0.3, 0.2, 5}, (double[3]){0}, 0.5, 1);
    body->sensor = true;
    body->restitution = 0;
    body = support_scene_add(&scene, (double[3]){0.3, 0.2, 3}, (double[3]){0}, 0.5, 1);
    body->type = KUGEL_STATIC;
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def mesh = support_mesh_def(&floor);
    support_plane plane = {.normal = {0, 0, 1}};
    cr_assert_eq(on_mesh ? kugel_surface_create(world, &mesh, NULL)
                         : support_add_plane(world, &plane, NULL),
                 KUGEL_OK);
    support_run(world, 1 / 60., 180);
    kugel_body_state sensor;
    support_state(world, 0, &sensor);
    cr_assert(sensor.contacts == 1 && fabs(sensor.position[2] - 0.5) < 0.005,
              "%u contacts at height %g", sensor.contacts, sensor.position[2]);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    support_mesh_free(&floor);
}

Test(sensors, rest_on_a_plane) { check_fall(false); }
Test(sensors, rest_on_a_surface) { check_fall(true); }

/* A snapshot between creation and the first step keeps which bodies are new: the same events
 * follow. */
Test(sensors, are_saved)
{
    support_scene scene = support_scene_start();
    add_sensor(&scene, 0, 0, 0, 2);
    support_scene_add(&scene, (double[3]){0.5, 0, 0}, (double[3]){0, 0, 0}, 0.5, 1);
    kugel_world *world = support_scene_world(&scene), *copy;
    for (size_t expected = 2; expected-- > 0;) {
        cr_assert_eq(kugel_world_clone(world, &copy), KUGEL_OK);
        support_run(world, 0.1, 1);
        support_run(copy, 0.1, 1);
        support_sensor_events(world, expected);
        support_sensor_events(copy, expected);
        kugel_world_destroy(copy);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The longest run of used places in the table of pairs inside: the most that a search of it
 * costs. */
static uint32_t longest_run(const kg_sensors *set)
{
    uint32_t longest = 0, run = 0;
    for (uint32_t k = 0; k <= set->table_mask; ++k) {
        run = set->table[k] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* 32,768 balls that drift, and four sensors with none or all of them inside. The cells stay as wide
 * as the balls require. A search in the table, which is at most half full, is short: random places
 * make runs of some 15 ln(places) = 190. */
Test(sensors, large_ones_cost_a_look_a_body)
{
    enum { EDGE = 32, COUNT = EDGE * EDGE * EDGE, SENSORS = 4 };
    double reach[2];
    for (int large = 0; large < 2; ++large) {
        support_scene scene = support_scene_start();
        for (uint32_t k = 0; k < COUNT; ++k) {
            const double x[3] = {1.5 * (k % EDGE), 1.5 * (k / EDGE % EDGE),
                                 1.5 * (k / EDGE / EDGE)};
            support_scene_add(&scene, x, (double[3]){0.1, 0, 0}, 0.5, 1);
        }
        for (int k = 0; k < SENSORS; ++k)
            add_sensor(&scene, large ? 20 : -20, 20, 20, large ? 100 : 0.5);
        kugel_world *world = support_scene_world(&scene);
        world->grid->cell_lists.disabled = true; /* lists */
        support_run(world, 1 / 60., 1);
        support_sensor_events(world, large ? SENSORS * COUNT : 0);
        support_run(world, 1 / 60., 2);
        support_sensor_events(world, 0);
        reach[large] = world->grid->usual_reach;
        cr_assert_eq(world->sensors->inside_count, large ? SENSORS * COUNT : 0);
        cr_assert_leq(2 * world->sensors->inside_count, world->sensors->table_mask + 1);
        cr_assert_lt(longest_run(world->sensors), 400, "a run of %u places",
                     longest_run(world->sensors));
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert_eq(reach[0], reach[1], "cells reach %g m, %g m with large sensors", reach[0],
                 reach[1]);
}

/* Sensor events of a step in which bodies enter a sensor that many are in; allocation `fail_at` of
 * the step fails (from 1; 0: none). SIZE_MAX: the step failed. */
static size_t events_without_memory(uint32_t inside, uint32_t entering, uint64_t fail_at,
                                    uint64_t *allocations)
{
    support_memory memory = {0};
    support_scene scene = support_scene_start();
    scene.def.allocator = support_allocator(&memory);
    add_sensor(&scene, 0, 0, 0, 10);
    for (uint32_t k = 0; k < inside + entering; ++k) {
        double x = k < inside ? 0 : 10.1, v = k < inside ? 0 : -6;
        support_scene_add(&scene, (double[3]){x, 0.1 * k - 1.6, 0}, (double[3]){v, 0, 0}, 0.01, 1);
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1e-3, 1);
    memory.allocations = 0, memory.fail_at = fail_at;
    kugel_status status = kugel_world_step(world, 0.1);
    size_t count;
    (void)kugel_world_sensor_events(world, &count);
    *allocations = memory.allocations;
    memory.fail_at = 0;
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return status ? SIZE_MAX : count;
}

/* Each allocation fails once, also where the table of pairs inside grows: the step fails, or has
 * all its events. */
Test(sensors, without_memory_no_event_is_lost)
{
    uint32_t failed = 0;
    for (uint32_t entering = 4; entering < 9; ++entering) {
        for (uint32_t inside = 24; inside < 33; ++inside) {
            uint64_t used, unused;
            size_t all = events_without_memory(inside, entering, 0, &used);
            cr_assert_eq(all, entering);
            for (uint64_t at = 1; at <= used; ++at) {
                size_t found = events_without_memory(inside, entering, at, &unused);
                cr_assert(found == all || found == SIZE_MAX, "%u inside, %u entering: %zu events",
                          inside, entering, found);
                failed += found == SIZE_MAX;
            }
        }
    }
    cr_assert_gt(failed, 100);
}
