/* Surfaces that are sensors: times of entries and exits in closed form and by samples; they change
 * no motion. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "kugel/kugel.h"
#include "support/support_pile.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"
#include "world/world.h"

static kugel_surface add_sensor(kugel_world *world, kugel_surface_def def)
{
    kugel_surface surface;
    def.sensor = true;
    cr_assert_eq(kugel_surface_create(world, &def, &surface), KUGEL_OK);
    return surface;
}

static kugel_surface_def shape(uint32_t kind, double a, double b, double c)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = (kugel_surface_shape)kind;
    def.size[0] = a, def.size[1] = b, def.size[2] = c;
    return def;
}

/* A ball falls into the half space below a plane at z = 0: a kill zone. */
Test(sensor_surfaces, a_plane_reports_a_falling_ball)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    kugel_body body, in;
    size_t count = 0;
    def.gravity[2] = -9.81;
    ball.position[2] = 5.5;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    kugel_surface zone = add_sensor(world, kugel_surface_def_plane((double[]){0, 0, 1}, 0));
    double time = 0, expected = sqrt(2 * 5 / 9.81);
    const kugel_sensor_event *e = NULL;
    for (; !count && time < 2; time += 1 / 64.) {
        cr_assert_eq(kugel_world_step(world, 1 / 64.), KUGEL_OK);
        e = kugel_world_sensor_events(world, &count);
    }
    cr_assert(count == 1 && e->entered && e->surface == zone && !e->sensor && e->body == body);
    cr_assert_float_eq(time - 1 / 64. + e->time, expected, 1e-12);
    cr_assert_float_eq(e->speed, 9.81 * expected, 1e-10);
    cr_assert(e->normal[2] == 1 && fabs(e->point[2] + 0) < 1e-12 + 0.5);
    cr_assert_eq(kugel_surface_bodies(world, zone, 1, &in, &count), KUGEL_OK);
    cr_assert(count == 1 && in == body);
    kugel_world_destroy(world);
}

/* Balls of up to 3 km/s cross a disc (a flat cone) of 2 cm within one step. */
Test(sensor_surfaces, thin_ones_report_fast_balls)
{
    kugel_world *world;
    kugel_world_def def = kugel_world_def_default();
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    add_sensor(world, shape(KUGEL_SURFACE_CONE, 3, 3, 0.01));
    for (int k = 0; k < 10; ++k) {
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = 0.05;
        ball.position[0] = 0.25 * (k - 5), ball.position[2] = 1;
        ball.velocity[2] = -100 * pow(1.4, k + 1);
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    }
    size_t count;
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
    cr_assert_eq(count, 20u);
    for (size_t k = 0; k < count; ++k) {
        double speed = 100 * pow(1.4, (double)kugel_body_id(e[k].body) + 1);
        double at = (e[k].entered ? 1 - 0.06 : 1 + 0.06) / speed;
        cr_assert_float_eq(e[k].time, at, 1e-14, "%g: %.17g, not %.17g", speed, e[k].time, at);
        cr_assert_float_eq(e[k].speed, e[k].entered ? speed : -speed, 1e-9 * speed);
    }
    kugel_world_destroy(world);
}

/* A ball on a parabola leaves a capsule and comes back within one step. */
Test(sensor_surfaces, a_parabola_enters_twice)
{
    kugel_world *world;
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    def.gravity[2] = -10, def.substeps = 1;
    ball.radius = 0.1, ball.velocity[2] = 5, ball.position[2] = 0.5;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    add_sensor(world, shape(KUGEL_SURFACE_CAPSULE, 0.2, 0.8, 0)); /* up to z = 1 */
    size_t count;
    cr_assert_eq(kugel_world_step(world, 1), KUGEL_OK);
    const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
    cr_assert_eq(count, 3u);
    /* the centre is at 1.1 where 0.5 + 5 t - 5 t^2 = 1.1 */
    double root = sqrt(25 - 20 * 0.6) / 10;
    cr_assert(e[0].entered && e[0].time == 0);
    cr_assert(!e[1].entered && fabs(e[1].time - (0.5 - root)) < 1e-14);
    cr_assert(e[2].entered && fabs(e[2].time - (0.5 + root)) < 1e-14);
    kugel_world_destroy(world);
}

enum { BODIES = 40, SENSORS = 6, PARTS = 64, PILES = 3, IN_PILE = 9 };

/* Free balls among sensors that move and turn. */
static kugel_world *free_world(uint64_t seed)
{
    support_random random = {seed};
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (int i = 0; i < BODIES; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = support_between(&random, 0.05, 0.3);
        ball.mask = 2; /* no body collides */
        support_direction(&random, support_between(&random, 0, 4), ball.position);
        support_direction(&random, support_between(&random, 0, 20), ball.velocity);
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    }
    for (int k = 0; k < SENSORS; ++k) {
        kugel_surface_def s = shape(
            KUGEL_SURFACE_ELLIPSOID + support_below(&random, 4), support_between(&random, 0.2, 2),
            support_between(&random, 0.2, 2), support_between(&random, 0.2, 2));
        support_direction(&random, support_between(&random, 0, 3), s.position);
        support_direction(&random, k % 2 ? 3 : 0, s.velocity);
        support_direction(&random, k % 3 ? 4 : 0, s.spin);
        s.category = 2;
        add_sensor(world, s);
    }
    return world;
}

/* What is inside at a time of the last step, by the events after `before`. */
static void replay(const kugel_world *world, double time, bool inside[SENSORS][BODIES],
                   double last[SENSORS][BODIES])
{
    size_t count;
    const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
    for (size_t k = 0; k < count; ++k) {
        uint32_t s = kugel_surface_index(e[k].surface), b = kugel_body_id(e[k].body);
        if (fabs(e[k].time - time) < fabs(last[s][b] - time)) last[s][b] = e[k].time;
        if (e[k].time <= time) inside[s][b] = e[k].entered;
    }
}

/* Events of long steps agree with samples of short ones, but next to an event: there the substeps
 * of the two differ in the rotations by their rounding. */
Test(sensor_surfaces, agree_with_samples)
{
    uint32_t sampled = 0, events = 0;
    for (uint64_t seed = 1; seed <= SUPPORT_ROUNDS(10); ++seed) {
        bool before[SENSORS][BODIES] = {0};
        const double dt = 1 / 16.;
        kugel_world *world = free_world(seed), *fine = free_world(seed);
        for (int tick = 0; tick < 6; ++tick) {
            cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
            for (int part = 1; part <= PARTS; ++part) {
                bool inside[SENSORS][BODIES], is[SENSORS][BODIES] = {0};
                double last[SENSORS][BODIES];
                memcpy(inside, before, sizeof inside);
                for (int s = 0; s < SENSORS; ++s)
                    for (int b = 0; b < BODIES; ++b) last[s][b] = INFINITY;
                cr_assert_eq(kugel_world_step(fine, dt / PARTS), KUGEL_OK);
                replay(world, part * dt / PARTS, inside, last);
                for (uint32_t s = 0; s < SENSORS; ++s) {
                    kugel_body in[BODIES];
                    size_t count;
                    cr_assert_eq(kugel_surface_bodies(fine, kugel_world_surface(fine, s), BODIES,
                                                      in, &count),
                                 KUGEL_OK);
                    for (size_t k = 0; k < count; ++k) is[s][kugel_body_id(in[k])] = true;
                    for (uint32_t b = 0; b < BODIES; ++b, ++sampled)
                        cr_assert(is[s][b] == inside[s][b] ||
                                      fabs(last[s][b] - part * dt / PARTS) < 1e-9,
                                  "seed %llu, tick %d, part %d: %u, %u", (unsigned long long)seed,
                                  tick, part, s, b);
                }
                if (part == PARTS) memcpy(before, inside, sizeof before);
            }
            size_t count;
            kugel_world_sensor_events(world, &count);
            events += (uint32_t)count;
        }
        kugel_world_destroy(world);
        kugel_world_destroy(fine);
    }
    cr_assert(events > SUPPORT_ROUNDS(500u), "%u events", events);
    cr_assert(sampled > 0);
}

/* Bodies move as without sensors, bit for bit, also on moving ones, and sleep as well. */
Test(sensor_surfaces, change_no_motion)
{
    support_random random = support_random_start("sensor surfaces", 2);
    support_scene scene = support_pile(5, 6, 0, &random);
    kugel_world *plain = support_scene_world(&scene), *sensed = support_scene_world(&scene);
    kugel_surface_def s = shape(KUGEL_SURFACE_CAPSULE, 1, 2, 0);
    s.velocity[0] = 0.5, s.spin[1] = 30;
    add_sensor(sensed, s);
    add_sensor(sensed, kugel_surface_def_plane((double[]){0, 0, 1}, 2));
    add_sensor(sensed, shape(KUGEL_SURFACE_ELLIPSOID, 2, 3, 1));
    static double x[2][3 * 512];
    for (int tick = 0; tick < 200; ++tick) {
        kugel_world *worlds[2] = {plain, sensed};
        uint32_t count = 0;
        for (int k = 0; k < 2; ++k) {
            cr_assert_eq(kugel_world_step(worlds[k], 1 / 60.), KUGEL_OK);
            count = kugel_world_read_arrays(worlds[k], 512, &(kugel_body_arrays){.position = x[k]});
        }
        cr_assert(!memcmp(x[0], x[1], 3 * count * sizeof **x), "tick %d", tick);
    }
    kugel_world_destroy(plain);
    kugel_world_destroy(sensed);
    support_scene_free(&scene);
}

/* Piles far from each other, each with an area. */
static kugel_world *piles(void)
{
    kugel_world *world;
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    cr_assert_eq(kugel_surface_create(world, &floor, NULL), KUGEL_OK);
    for (uint32_t i = 0; i < PILES * IN_PILE; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = 100. * (i / IN_PILE) + i % IN_PILE % 3;
        ball.position[2] = 0.5 + i % IN_PILE / 3;
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    }
    for (int k = 0; k < PILES; ++k) {
        kugel_surface_def area = shape(KUGEL_SURFACE_BOX, 1, 2, 0.9);
        area.position[0] = 100 * k;
        add_sensor(world, area);
    }
    return world;
}

/* Teleport a ball, or place, move or stop an area. */
static void disturb(kugel_world *world, support_random *random)
{
    static const double still[4] = {0, 0, 0, 1};
    uint32_t what = support_below(random, 12), pile = support_below(random, PILES);
    const double x[3] = {100. * pile + support_between(random, -2, 3), 0,
                         support_between(random, 0.5, 4)};
    const double v[3] = {what % 2 ? support_between(random, -1, 1) : 0, 0, 0};
    kugel_body ball = kugel_world_body(world, support_below(random, PILES * IN_PILE));
    kugel_surface area = kugel_world_surface(world, 1 + pile);
    if (what == 0) cr_assert_eq(kugel_body_set_position(world, ball, x), KUGEL_OK);
    if (what == 1) cr_assert_eq(kugel_surface_set_pose(world, area, x, still), KUGEL_OK);
    if (what == 2 || what == 3) cr_assert_eq(kugel_surface_set_motion(world, area, v, v), KUGEL_OK);
    if (what == 4) cr_assert_eq(kugel_body_set_filter(world, ball, 1, pile ? ~0u : 2, 0), KUGEL_OK);
}

/* Also where places step alone, and bodies at rest are left out, a body has entered and not left
 * the areas that list it, and no others. */
Test(sensor_surfaces, pairs_alternate_among_places_and_bodies_at_rest)
{
    size_t events = 0, apart = 0, idle = 0, count;
    for (uint64_t seed = 1; seed <= SUPPORT_ROUNDS(6); ++seed) {
        support_random random = support_random_start("areas and places", seed);
        kugel_world *world = piles();
        bool inside[PILES][PILES * IN_PILE] = {0};
        for (int tick = 0; tick < 500; ++tick) {
            if (tick > 90 && tick % 100 < 50) disturb(world, &random);
            cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
            const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
            for (size_t k = 0; k < count; ++k) {
                bool *is = &inside[kugel_surface_index(e[k].surface) - 1][kugel_body_id(e[k].body)];
                cr_assert_neq(*is, e[k].entered, "seed %llu, tick %d", (unsigned long long)seed,
                              tick);
                *is = e[k].entered;
            }
            events += count;
            apart += world->apart, idle += world->aside.count > 0;
            for (uint32_t s = 0; s < PILES; ++s) {
                kugel_body in[PILES * IN_PILE];
                cr_assert_eq(kugel_surface_bodies(world, kugel_world_surface(world, s + 1),
                                                  PILES * IN_PILE, in, &count),
                             KUGEL_OK);
                size_t listed = 0;
                for (uint32_t b = 0; b < PILES * IN_PILE; ++b) listed += inside[s][b];
                cr_assert_eq(listed, count, "seed %llu, tick %d", (unsigned long long)seed, tick);
                for (size_t k = 0; k < count; ++k) cr_assert(inside[s][kugel_body_id(in[k])]);
            }
        }
        kugel_world_destroy(world);
    }
    cr_assert(events > SUPPORT_ROUNDS(100u) && apart > SUPPORT_ROUNDS(100u) &&
                  idle > SUPPORT_ROUNDS(20u),
              "%zu events, %zu ticks apart, %zu with bodies aside", events, apart, idle);
}

Test(sensor_surfaces, refusals)
{
    kugel_world *world;
    kugel_world_def def = kugel_world_def_default();
    kugel_surface surface;
    kugel_body in;
    size_t count;
    const double vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t triangle[3] = {0, 1, 2};
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_surface_def mesh = kugel_surface_def_default();
    mesh.vertices = vertices, mesh.vertex_count = 3, mesh.triangles = triangle;
    mesh.triangle_count = 1, mesh.sensor = true;
    cr_assert_eq(kugel_surface_create(world, &mesh, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "surface.sensor");
    mesh.sensor = false;
    cr_assert_eq(kugel_surface_create(world, &mesh, &surface), KUGEL_OK);
    cr_assert_eq(kugel_surface_bodies(world, surface, 1, &in, &count),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_surface_bodies(world, surface, 1, &in, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    surface = add_sensor(world, shape(KUGEL_SURFACE_CAPSULE, 1, 0, 0));
    cr_assert_eq(kugel_surface_bodies(world, surface, 1, &in, &count), KUGEL_OK);
    cr_assert_eq(count, 0u);
    kugel_ray_hit hit;
    kugel_ray ray = {{0, 0, 9}, {0, 0, -1}, 20};
    kugel_filter filter = kugel_filter_default();
    cr_assert_eq(kugel_world_ray_closest(world, &ray, &filter, &hit), KUGEL_OK);
    cr_assert(!hit.hit.hit || hit.index != kugel_surface_index(surface), "sensors are not found");
    filter.sensors = true;
    cr_assert_eq(kugel_world_ray_closest(world, &ray, &filter, &hit), KUGEL_OK);
    cr_assert(hit.hit.hit && hit.index == kugel_surface_index(surface));
    cr_assert_eq(kugel_surface_destroy(world, surface), KUGEL_OK);
    cr_assert_eq(kugel_surface_bodies(world, surface, 1, &in, &count), KUGEL_ERROR_STALE_HANDLE);
    kugel_world_destroy(world);
}
