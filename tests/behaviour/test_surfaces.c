/* Bodies on surfaces of triangles: a flat mesh acts as a plane, no body leaves a closed mesh, and
 * bodies come to rest on uneven ground. */
#include <criterion/criterion.h>
#include <math.h>

#include "kugel/body.h"
#include "support/support_mesh.h"
#include "support/support_scene.h"

static void add_surface(kugel_world *world, const kugel_surface_def *def)
{
    kugel_status status = kugel_surface_create(world, def, NULL);
    cr_assert_eq(status, KUGEL_OK, "%s", kugel_world_last_error(world)->message);
}

static support_scene one_ball(double speed)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    kugel_body_def *ball = support_scene_add(&scene, (double[3]){-50, 0.123, 0.5},
                                             (double[3]){speed, 0.1 * speed, 0}, 0.5, 1);
    ball->friction = 0.5;
    ball->restitution = 0;
    return scene;
}

/* Asserts equal places, velocities and spins on a flat floor of triangles and on a plane. All
 * triangles are one facet, whose plane has the same bits. */
static void expect_the_plane(const support_mesh *floor)
{
    for (double speed = 0.01; speed < 2000; speed *= 10) {
        support_scene scene = one_ball(speed);
        kugel_world *on_mesh = support_scene_world(&scene);
        kugel_surface_def def = support_mesh_def(floor);
        add_surface(on_mesh, &def);
        scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
        kugel_world *on_plane = support_scene_world(&scene);
        double way = 0;
        for (int tick = 0; tick < 600 && way < 100; ++tick) {
            kugel_body_state a, b;
            size_t impacts, ends;
            support_run(on_mesh, 1 / 60., 1);
            support_run(on_plane, 1 / 60., 1);
            support_state(on_mesh, 0, &a);
            support_state(on_plane, 0, &b);
            kugel_world_impact_events(on_mesh, &impacts);
            kugel_world_end_events(on_mesh, &ends);
            cr_assert(impacts == 0 && ends == 0, "%g m/s, tick %d: the ball hops", speed, tick);
            for (int k = 0; k < 3; ++k)
                cr_assert(a.position[k] == b.position[k] && a.velocity[k] == b.velocity[k] &&
                              a.spin[k] == b.spin[k],
                          "%g m/s, tick %d, axis %d: %.17g, %.17g", speed, tick, k, a.position[k],
                          b.position[k]);
            way = a.position[0] + 50;
        }
        kugel_world_destroy(on_mesh);
        kugel_world_destroy(on_plane);
        support_scene_free(&scene);
    }
}

Test(surfaces, a_flat_floor_is_the_plane)
{
    support_random random = support_random_start("flat_floor", 31);
    support_mesh floor = support_mesh_floor(100, 400, 0, &random);
    expect_the_plane(&floor);
    support_mesh_free(&floor);
}

/* At T-junctions an edge has one triangle on one side and several on the other. */
Test(surfaces, a_flat_floor_with_t_junctions_is_the_plane)
{
    support_random random = support_random_start("bricks", 37);
    support_mesh floor = support_mesh_bricks(50, 100, 400, &random);
    expect_the_plane(&floor);
    support_mesh_free(&floor);
}

/* A floor that is turned by its frame agrees with the plane of that normal within the rounding of
 * the turn: 1e-9 of the way. */
static void expect_the_sloping_plane(const support_mesh *floor)
{
    double angle = 0.3, q[4] = {0, sin(angle / 2), 0, cos(angle / 2)};
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    double normal[3] = {sin(angle), 0, cos(angle)};
    kugel_body_def *ball = support_scene_add(
        &scene, (double[3]){0.5 * normal[0], 0.2, 0.5 * normal[2]}, (double[3]){0, 1, 0}, 0.5, 1);
    ball->friction = 0.5;
    ball->restitution = 0;
    kugel_world *on_mesh = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(floor);
    for (int k = 0; k < 4; ++k) def.rotation[k] = q[k];
    add_surface(on_mesh, &def);
    scene.planes[scene.plane_count++] =
        (support_plane){.normal = {normal[0], 0, normal[2]}, .friction = 0.5};
    kugel_world *on_plane = support_scene_world(&scene);
    support_run(on_mesh, 1 / 60., 400);
    support_run(on_plane, 1 / 60., 400);
    kugel_body_state a, b;
    support_state(on_mesh, 0, &a);
    support_state(on_plane, 0, &b);
    cr_assert_gt(b.position[0], 30);
    for (int k = 0; k < 3; ++k) {
        cr_assert_float_eq(a.position[k], b.position[k], 1e-9 * b.position[0], "%.17g %.17g",
                           a.position[k], b.position[k]);
        cr_assert_float_eq(a.spin[k], b.spin[k], 1e-9 * 60, "%.17g %.17g", a.spin[k], b.spin[k]);
    }
    kugel_world_destroy(on_mesh);
    kugel_world_destroy(on_plane);
    support_scene_free(&scene);
}

Test(surfaces, a_slope_of_triangles_is_the_sloping_plane)
{
    support_random random = support_random_start("slope", 32);
    support_mesh floor = support_mesh_floor(60, 300, 0, &random),
                 bricks = support_mesh_bricks(60, 60, 300, &random);
    expect_the_sloping_plane(&floor);
    expect_the_sloping_plane(&bricks);
    support_mesh_free(&floor);
    support_mesh_free(&bricks);
}

static double distance(const kugel_body_state *s)
{
    return sqrt(s->position[0] * s->position[0] + s->position[1] * s->position[1] +
                s->position[2] * s->position[2]);
}

/* Elastic balls in a closed mesh keep their energy to rounding and never leave, whatever their
 * speed: 10,000 impacts and more. */
static void check_gas_in_ball(double speed, bool one_sided)
{
    support_random random = support_random_start("gas_in_ball", 33);
    support_mesh ball = support_mesh_ball(3, 5);
    if (one_sided) { /* the front is inside */
        for (uint32_t t = 0; t < ball.triangle_count; ++t) {
            uint32_t *corner = ball.triangles + 3 * (size_t)t, first = corner[0];
            corner[0] = corner[1];
            corner[1] = first;
        }
    }
    support_scene scene = support_scene_start();
    for (int k = 0; k < 125; ++k) {
        double v[3], p[3] = {k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2};
        support_direction(&random, speed, v);
        support_scene_add(&scene, p, v, 0.25, 1);
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(&ball);
    def.restitution = 1;
    def.friction = 0;
    def.one_sided = one_sided;
    add_surface(world, &def);
    kugel_energy before, after;
    kugel_world_energy(world, &before);
    support_run(world, 1 / speed, 400);
    kugel_world_energy(world, &after);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_gt(stats.impacts_total, 10000, "%lu", (unsigned long)stats.impacts_total);
    cr_assert_float_eq(after.kinetic, before.kinetic, 1e-12 * before.kinetic);
    for (uint32_t id = 0; id < 125; ++id) {
        kugel_body_state s;
        support_state(world, id, &s);
        cr_assert_lt(distance(&s), 4.75, "ball %u at %g", id, distance(&s));
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    support_mesh_free(&ball);
}

Test(surfaces, a_closed_mesh_holds_a_gas) { check_gas_in_ball(1, false); }
Test(surfaces, a_one_sided_mesh_holds_a_fast_gas) { check_gas_in_ball(1000, true); }

/* A ball passes a one-sided floor from behind and then bounces on its front. */
Test(surfaces, a_one_sided_floor_lets_bodies_pass_from_below)
{
    support_random random = support_random_start("one_sided", 34);
    support_mesh floor = support_mesh_floor(10, 20, 0, &random);
    support_scene scene = support_scene_start();
    scene.def.gravity[2] = -10;
    support_scene_add(&scene, (double[3]){0.3, 0.2, -3}, (double[3]){0, 0, 10}, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(&floor);
    def.one_sided = true;
    def.restitution = 1;
    def.friction = 0;
    add_surface(world, &def);
    support_run(world, 1 / 64., 256);
    kugel_body_state s;
    support_state(world, 0, &s);
    /* it rises to 2 m and bounces between 0.5 and 2 m with its energy of the start */
    double energy = 10 * s.position[2] + 0.5 * s.velocity[2] * s.velocity[2];
    cr_assert_float_eq(energy, 20, 1e-9, "%.17g", energy);
    cr_assert(s.position[2] >= 0.5 && s.position[2] <= 2);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    support_mesh_free(&floor);
}

/* Height of a floor below a point: the triangle whose square holds it. */
static double ground_below(const support_mesh *mesh, const double p[3])
{
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const double *c[3];
        double weight[3], sum = 0, height = 0;
        for (int k = 0; k < 3; ++k) c[k] = mesh->vertices + 3 * (size_t)mesh->triangles[3 * t + k];
        for (int k = 0; k < 3; ++k) {
            const double *a = c[(k + 1) % 3], *b = c[(k + 2) % 3];
            weight[k] = (a[0] - p[0]) * (b[1] - p[1]) - (a[1] - p[1]) * (b[0] - p[0]);
            sum += weight[k];
            height += weight[k] * c[k][2];
        }
        if (weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0) return height / sum;
    }
    return -INFINITY;
}

/* Balls of 0.1 to 0.2 m poured onto ground of triangles of 0.5 m come to rest, sleep, and are not
 * pressed in by more than the slop. Energy only falls. */
static void check_pouring(uint64_t seed, double bumps, int threads, uint64_t *hash)
{
    support_random random = support_random_start("pouring", seed);
    support_mesh floor = support_mesh_floor(16, 8, bumps, &random);
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 6, KUGEL_FACE_WALL);
    for (int k = 0; k < 3; ++k) scene.def.bounds.min[k] -= 3, scene.def.bounds.max[k] -= 3;
    scene.def.gravity[2] = -9.81;
    scene.def.tasks.threads = threads;
    for (int k = 0; k < 300; ++k) {
        double p[3] = {k % 10 * 0.5 - 2.3, k / 10 % 10 * 0.5 - 2.3, 1.2 + k / 100 * 0.5};
        kugel_body_def *ball =
            support_scene_add(&scene, p, NULL, support_between(&random, 0.1, 0.2), 1);
        ball->restitution = 0.3;
        ball->friction = 0.5;
        ball->rolling_resistance = 0.05;
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(&floor);
    add_surface(world, &def);
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    double energy = sums.kinetic + sums.potential;
    for (int second = 0; second < 20; ++second) {
        support_run(world, 1 / 60., 60);
        kugel_world_energy(world, &sums);
        double now = sums.kinetic + sums.potential;
        cr_assert_lt(now, energy + 1e-3, "second %d: %g from %g", second, now, energy);
        energy = now;
    }
    uint32_t awake = 0;
    for (uint32_t id = 0; id < scene.count; ++id) {
        kugel_body_state s;
        support_state(world, id, &s);
        double ground = ground_below(&floor, s.position);
        cr_assert_gt(s.position[2], ground, "seed %lu, ball %u", (unsigned long)seed, id);
        awake += !s.asleep;
    }
    cr_assert_leq(awake, 6, "%u balls are awake after 20 s", awake);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.budgets_exhausted, 0);
    *hash = kugel_world_hash(world);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    support_mesh_free(&floor);
}

Test(surfaces, balls_come_to_rest_on_uneven_ground)
{
    uint64_t hash;
    check_pouring(35, 0.1, 1, &hash);
    check_pouring(36, 0.6, 1, &hash);
}

Test(surfaces, threads_do_not_change_a_bit)
{
    uint64_t one, three;
    check_pouring(37, 0.3, 1, &one);
    check_pouring(37, 0.3, 3, &three);
    cr_assert_eq(one, three);
}

/* A frictionless ball that slides in a bowl of facets swings as a pendulum whose length is the
 * radius of its centre's path. 7 divisions: facets of 0.5 degrees for a swing of 11 degrees. The
 * period of small swings is 2 pi sqrt(l / g) (1 + start^2 / 16); half a facet in start^2 leaves 1
 * %. */
Test(surfaces, a_ball_in_a_bowl_swings_as_a_pendulum)
{
    support_mesh bowl = support_mesh_ball(7, 2);
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    double length = 2 - 0.1, start = 0.2;
    support_scene_add(&scene, (double[3]){length * sin(start), 0, -length * cos(start)}, NULL, 0.1,
                      1);
    scene.bodies[0].restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(&bowl);
    def.friction = 0;
    add_surface(world, &def);
    double period = 2 * acos(-1.0) * sqrt(length / 9.81) * (1 + start * start / 16), dt = 1 / 240.,
           before = 1, found = 0;
    int crossings = 0;
    for (int tick = 1; tick < 240 * 8 && crossings < 3; ++tick) {
        support_run(world, dt, 1);
        kugel_body_state s;
        support_state(world, 0, &s);
        if ((s.position[0] < 0) != (before < 0)) crossings += 1, found = tick * dt;
        before = s.position[0];
    }
    cr_assert_eq(crossings, 3, "it stopped after %d", crossings);
    cr_assert_float_eq(found, 1.25 * period, 0.01 * period, "%g, not %g", found, 1.25 * period);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    support_mesh_free(&bowl);
}

/* A place between -1 and 1 after a straight way with elastic walls there. */
static double folded(double x)
{
    double turns = fmod(x + 1, 4);
    if (turns < 0) turns += 4;
    return turns < 2 ? turns - 1 : 3 - turns;
}

/* An elastic ball crosses a closed box of triangles about 1,300 times a tick, on a path of 260,000
 * radii, at the times of the closed form. Each impact rounds by about 1e-16 m and 1e-16 rad. The
 * ball is unlisted: a list would need a refresh for each radius of the path. */
Test(surfaces, a_fast_ball_in_a_box_of_triangles_follows_the_closed_form)
{
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    double vertices[8][3];
    uint32_t triangles[12][3];
    const double radius = 0.01, dt = 1 / 64.;
    const double x[3] = {0.1, -0.2, 0.3}, v[3] = {1.2e5, 0.9e5, 0.5e5};
    for (uint32_t i = 0; i < 8; ++i) {
        for (uint32_t k = 0; k < 3; ++k) vertices[i][k] = i >> k & 1 ? 1 + radius : -1 - radius;
    }
    for (int f = 0; f < 6; ++f) {
        for (int k = 0; k < 3; ++k) {
            triangles[2 * f][k] = faces[f][k];
            triangles[2 * f + 1][k] = faces[f][(k + 2) % 4];
        }
    }
    support_scene scene = support_scene_start();
    support_scene_add(&scene, x, v, radius, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices[0], def.vertex_count = 8;
    def.triangles = triangles[0], def.triangle_count = 12;
    def.restitution = 1;
    def.friction = 0;
    add_surface(world, &def);
    for (int tick = 1; tick <= 3; ++tick) {
        kugel_body_state s;
        support_run(world, dt, 1);
        support_state(world, 0, &s);
        for (int k = 0; k < 3; ++k)
            cr_assert_float_eq(s.position[k], folded(x[k] + v[k] * dt * tick), 1e-8, "tick %d: %g",
                               tick, s.position[k] - folded(x[k] + v[k] * dt * tick));
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_lt(stats.list_refreshes, 20, "%d", (int)stats.list_refreshes);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Fast balls in a mesh of 2,048 triangles are unlisted and share one list of all triangles, 60 KB.
 * A list for each of the 200 balls would take 12 MB. */
Test(surfaces, fast_balls_share_a_list_of_all_triangles)
{
    support_mesh shell = support_mesh_ball(4, 2);
    support_random random = support_random_start("fast_balls", 38);
    support_scene scene = support_scene_start();
    for (int i = 0; i < 200; ++i) {
        double x[3], v[3];
        support_direction(&random, 1, x);
        support_direction(&random, 3e4, v);
        support_scene_add(&scene, x, v, 0.01, 1)->group = 1; /* they do not meet */
    }
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(&shell);
    def.restitution = 1;
    def.friction = 0;
    add_surface(world, &def);
    support_run(world, 1 / 240., 4);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_gt(stats.impacts_total, 10000);
    cr_assert_lt(stats.memory, 6 << 20, "%d bytes", (int)stats.memory);
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_state s;
        support_state(world, i, &s);
        cr_assert_lt(s.position[0] * s.position[0] + s.position[1] * s.position[1] +
                         s.position[2] * s.position[2],
                     4, "%u is outside", i);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    support_mesh_free(&shell);
}
