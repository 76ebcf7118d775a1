/* No ball passes a closed mesh, from outside or inside, at 1 to 1000 m/s. Meshes have dents and
 * spikes and are star-shaped, so that long double decides inside or outside. Single balls do not
 * collide with each other, so that each is a case of its own. Crowds of colliding balls stay
 * inside, too, in long ticks, and single balls inside meshes that move and spin. Environment:
 * KUGEL_BALLS, number of balls (100000 takes a minute); KUGEL_CROWDS and KUGEL_MOVING, numbers of
 * crowds and of moving meshes; KUGEL_SEED. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_mesh.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"
#include "support/support_turn.h"

enum { BALLS = SUPPORT_SANITIZED ? 200 : 1200, BATCH = 500, TICKS = 60 };
enum { CROWDS = SUPPORT_SANITIZED ? 8 : 40, CROWD_TICKS = 16 };
enum { MOVING = SUPPORT_SANITIZED ? 10 : 60, MOVING_TICKS = 80 };

/* A ball of triangles whose vertices lie at random distances from its centre. */
static support_mesh star(uint32_t divisions, double low, double high, support_random *random)
{
    support_mesh mesh = support_mesh_ball(divisions, 1);
    for (uint32_t v = 0; v < mesh.vertex_count; ++v) {
        double *p = mesh.vertices + 3 * (size_t)v, length = 0;
        for (uint32_t w = 0; w < v && length == 0; ++w) { /* equal vertices stay equal */
            const double *q = mesh.vertices + 3 * (size_t)w;
            double along = p[0] * q[0] + p[1] * q[1] + p[2] * q[2], far = 0;
            for (int k = 0; k < 3; ++k) far += q[k] * q[k];
            far = sqrt(far);
            if (along > (1 - 1e-12) * far) length = far;
        }
        if (length == 0) length = support_between(random, low, high);
        for (int k = 0; k < 3; ++k) p[k] *= length;
    }
    return mesh;
}

/* True if x is nearer to the origin than the mesh is in its direction. */
static bool is_inside(const support_mesh *mesh, const double x[3])
{
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const double *p[3];
        long double n[3] = {0}, side[3], volume = 0, height = 0;
        for (int k = 0; k < 3; ++k)
            p[k] = mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + k];
        for (int k = 0; k < 3;
             ++k) { /* x is in the cone of the triangle: left of its three sides */
            const double *a = p[k], *b = p[(k + 1) % 3];
            const long double cross[3] = {(long double)a[1] * b[2] - (long double)a[2] * b[1],
                                          (long double)a[2] * b[0] - (long double)a[0] * b[2],
                                          (long double)a[0] * b[1] - (long double)a[1] * b[0]};
            side[k] = cross[0] * x[0] + cross[1] * x[1] + cross[2] * x[2];
            for (int i = 0; i < 3; ++i) n[i] += cross[i];
        }
        for (int i = 0; i < 3; ++i) volume += n[i] * p[0][i], height += n[i] * x[i];
        if (volume < 0) { /* corners turn right */
            for (int k = 0; k < 3; ++k) side[k] = -side[k];
        }
        if (side[0] >= 0 && side[1] >= 0 && side[2] >= 0) return fabsl(height) < fabsl(volume);
    }
    cr_assert_fail("%g %g %g is in no cone", x[0], x[1], x[2]);
    return false;
}

typedef struct trial {
    const support_mesh *mesh;
    double low, high; /* distances of vertices from the centre */
    bool inside, one_sided;
} trial;

/* Outside, balls fly from a shell at the mesh, between elastic walls that send them back. */
static void add_balls(support_scene *scene, const trial *t, uint32_t count, support_random *random)
{
    for (uint32_t i = 0; i < count; ++i) {
        double x[3], v[3], aim[3], length = 0,
                                   radius = t->low * pow(10, support_between(random, -3, -0.5)),
                                   speed = pow(10, support_between(random, 0, 3));
        support_direction(random, t->inside ? 0 : 1.5 * t->high, x);
        support_direction(random, support_between(random, 0, t->inside ? 1 : t->high), aim);
        for (int k = 0; k < 3; ++k) length += (aim[k] - x[k]) * (aim[k] - x[k]);
        for (int k = 0; k < 3; ++k) v[k] = speed * (aim[k] - x[k]) / sqrt(length);
        kugel_body_def *def = support_scene_add(scene, x, v, radius, 1);
        def->restitution = support_below(random, 2) ? 1 : support_uniform(random);
        def->friction = support_uniform(random);
        def->category = 2, def->mask = 1;
    }
}

static uint64_t run_batch(const trial *t, uint32_t count, support_random *random)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 4 * t->high, KUGEL_FACE_WALL);
    for (int k = 0; k < 3; ++k)
        scene.def.bounds.min[k] = -2 * t->high, scene.def.bounds.max[k] = 2 * t->high;
    scene.def.gravity[2] = -9.81;
    scene.def.bounds.restitution = 1;
    add_balls(&scene, t, count, random);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(t->mesh);
    def.one_sided = t->one_sided;
    def.restitution = support_below(random, 2);
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    kugel_world_report_impacts_above(world, 1e9);
    for (int tick = 0; tick < TICKS; ++tick) {
        support_run(world, 1 / 60., 1);
        for (uint32_t id = 0; id < count && (tick % 10 == 9 || tick == 0); ++id) {
            kugel_body_state s;
            support_state(world, id, &s);
            cr_assert_eq(is_inside(t->mesh, s.position), t->inside,
                         "tick %d: ball %u of radius %g at %.17g %.17g %.17g, speed %g", tick, id,
                         s.radius, s.position[0], s.position[1], s.position[2],
                         hypot(hypot(s.velocity[0], s.velocity[1]), s.velocity[2]));
        }
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert_eq(stats.budgets_exhausted, 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return stats.impacts_total;
}

/* The front inside. */
static void turn_inside_out(support_mesh *mesh)
{
    for (uint32_t k = 0; k < mesh->triangle_count; ++k) {
        uint32_t *corner = mesh->triangles + 3 * (size_t)k, first = corner[0];
        corner[0] = corner[1], corner[1] = first;
    }
}

static void check(const char *test, trial t, uint64_t seed)
{
    support_random random = support_random_start(test, seed);
    const char *wanted = getenv("KUGEL_BALLS");
    uint32_t balls = wanted ? (uint32_t)strtoul(wanted, NULL, 0) / 4 : BALLS / 4, done = 0;
    uint64_t impacts = 0;
    while (done < balls) {
        uint32_t count = balls - done < BATCH ? balls - done : BATCH;
        support_mesh mesh = star(2, t.low, t.high, &random);
        if (t.inside && t.one_sided) turn_inside_out(&mesh);
        t.mesh = &mesh;
        impacts += run_batch(&t, count, &random);
        support_mesh_free(&mesh);
        done += count;
    }
    fprintf(stderr, "%s: %llu impacts of %u balls\n", test, (unsigned long long)impacts, balls);
    cr_assert_gt(impacts, 4 * (uint64_t)balls);
}

Test(watertight, rain_on_a_spiky_mesh) { check("rain", (trial){NULL, 1, 2, false, false}, 1); }
Test(watertight, rain_on_a_one_sided_mesh) { check("front", (trial){NULL, 1, 2, false, true}, 2); }
Test(watertight, balls_in_a_spiky_mesh) { check("inside", (trial){NULL, 1, 2, true, false}, 3); }
Test(watertight, balls_in_a_one_sided_mesh) { check("back", (trial){NULL, 1, 2, true, true}, 4); }

/* Balls at random places; tries that overlap other balls are left out. The first ball may be
 * kinematic: it passes through the mesh and presses others against it. */
static support_scene crowd(support_random *random)
{
    support_scene scene = support_scene_start();
    double restitution = support_uniform(random), friction = support_uniform(random),
           speed = pow(10, support_between(random, -1, 4)),
           large = support_between(random, 0.06, 0.2),
           small = large * support_between(random, 0.2, 1);
    uint32_t count = 3 + support_below(random, 60), presses = support_below(random, 4) / 2;
    scene.def.gravity[2] = support_below(random, 4) ? -9.81 : 0;
    scene.def.bounce_threshold = support_below(random, 3) ? KUGEL_BOUNCE_BY_SIZE : 0;
    for (uint32_t k = 0; k < 10 * count && scene.count < count; ++k) {
        double x[3], v[3], radius = support_between(random, small, large);
        bool free = true;
        support_direction(random, support_between(random, 0, 0.8 - radius), x);
        support_direction(random, speed, v);
        for (uint32_t i = 0; i < scene.count; ++i) {
            const kugel_body_def *b = &scene.bodies[i];
            double d2 = 0, reach = b->radius + radius;
            for (int a = 0; a < 3; ++a) d2 += (b->position[a] - x[a]) * (b->position[a] - x[a]);
            free = free && d2 > reach * reach;
        }
        if (!free) continue;
        kugel_body_def *def = support_scene_add(&scene, x, v, radius, pow(radius / large, 3));
        def->restitution = restitution, def->friction = friction;
        if (scene.count <= presses) def->type = KUGEL_KINEMATIC;
    }
    return scene;
}

/* A step of both worlds; the second is restored from the first before. */
static void step_both(kugel_world *on, kugel_world *restored, double dt, uint64_t seed)
{
    support_bytes saved = support_snapshot_of(on);
    cr_assert_eq(kugel_snapshot_restore(restored, saved.data, saved.size), KUGEL_OK);
    free(saved.data);
    kugel_status status = kugel_world_step(on, dt);
    cr_assert(status == KUGEL_OK || status == KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_world_step(restored, dt), status);
    cr_assert_eq(kugel_world_hash(restored), kugel_world_hash(on), "seed %llu",
                 (unsigned long long)seed);
}

static void run_crowd(uint64_t seed)
{
    support_random random = {seed};
    support_scene scene = crowd(&random);
    support_mesh mesh =
        star(1 + support_below(&random, 2), 1, support_between(&random, 1, 1.6), &random);
    kugel_world *on = support_scene_world(&scene), *restored = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(&mesh);
    def.one_sided = support_below(&random, 2);
    if (def.one_sided) turn_inside_out(&mesh);
    def.restitution = support_uniform(&random);
    cr_assert_eq(kugel_surface_create(on, &def, NULL), KUGEL_OK);
    double longest = pow(10, support_between(&random, -2, 0.5));
    for (int tick = 0; tick < CROWD_TICKS; ++tick) {
        step_both(on, restored, longest * support_between(&random, 0.1, 1), seed);
        for (uint32_t id = 0; id < scene.count; ++id) {
            kugel_body_state s;
            support_state(on, id, &s);
            cr_assert(s.type == KUGEL_KINEMATIC || is_inside(&mesh, s.position),
                      "seed %llu, tick %d: ball %u of radius %g", (unsigned long long)seed, tick,
                      id, s.radius);
        }
    }
    kugel_world_destroy(on);
    kugel_world_destroy(restored);
    support_scene_free(&scene);
    support_mesh_free(&mesh);
}

/* Crowded balls must not pass through triangles in the rest of a long substep. A touching ball that
 * slides to the next triangle of a facet must act alike if its list holds triangles or facets. */
Test(watertight, crowds_stay_in_closed_meshes)
{
    const char *wanted = getenv("KUGEL_CROWDS");
    uint64_t crowds = wanted ? strtoull(wanted, NULL, 0) : CROWDS,
             seed = support_random_start("crowds", 5).state;
    for (uint64_t k = 0; k < crowds; ++k) run_crowd(seed + k);
}

/* A point of the world in the frame of a surface: turned by the conjugate of its rotation. */
static void to_frame(const kugel_surface_def *def, const double point[3], double out[3])
{
    const double *q = def->rotation, back[4] = {-q[0], -q[1], -q[2], q[3]};
    for (int k = 0; k < 3; ++k) out[k] = point[k] - def->position[k];
    support_turn(back, out, out);
}

/* A motion along and about random axes, each with a speed up to the given one or 0. */
static void choose_motion(support_random *random, double speed, double spin, kugel_surface_def *def)
{
    support_direction(random, support_below(random, 4) ? speed : 0, def->velocity);
    support_direction(random, support_below(random, 8) ? spin : 0, def->spin);
}

static void run_moving(uint64_t seed)
{
    support_random random = {seed};
    support_scene scene = {.def = kugel_world_def_default()};
    double low = support_between(&random, 0.3, 1), friction = support_uniform(&random),
           restitution = support_below(&random, 2) ? support_uniform(&random) : 0,
           speed = pow(10, support_between(&random, -1, 2.5)),
           spin = pow(10, support_between(&random, 0, 2)),
           dt = support_below(&random, 2) ? 1 / 60. : pow(10, support_between(&random, -3, -0.6));
    bool varies = support_below(&random, 2);
    if (support_below(&random, 2)) scene.def.bounce_threshold = 0;
    if (support_below(&random, 2)) scene.def.gravity[2] = -9.81;
    for (uint32_t i = 0; i < 4; ++i) {
        double x[3], v[3];
        support_direction(&random, 0.1 * low, x);
        support_direction(&random, pow(10, support_between(&random, 0, 3)), v);
        double radius = low * pow(10, support_between(&random, -2.7, -1));
        kugel_body_def *def = support_scene_add(&scene, x, v, radius, 1);
        def->restitution = restitution, def->friction = friction;
        def->category = 2, def->mask = 1;
    }
    support_mesh mesh = star(1 + support_below(&random, 2), low, 1, &random);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(&mesh);
    def.one_sided = support_below(&random, 2);
    if (def.one_sided) turn_inside_out(&mesh);
    def.restitution = restitution, def.friction = friction;
    choose_motion(&random, speed, spin, &def);
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    for (int tick = 0; tick < MOVING_TICKS; ++tick) {
        if (varies) choose_motion(&random, speed, spin, &def);
        cr_assert_eq(
            kugel_surface_set_motion(world, kugel_world_surface(world, 0), def.velocity, def.spin),
            KUGEL_OK);
        support_run(world, dt, 1);
        kugel_surface_def now;
        cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, 0), &now, NULL), KUGEL_OK);
        for (uint32_t id = 0; id < scene.count; ++id) {
            kugel_body_state s;
            double x[3];
            support_state(world, id, &s);
            to_frame(&now, s.position, x);
            cr_assert(is_inside(&mesh, x), "seed %llu, tick %d: ball %u of radius %g",
                      (unsigned long long)seed, tick, id, s.radius);
        }
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    support_mesh_free(&mesh);
}

/* In the frame of a mesh that spins, paths are approximate, and between substeps a facet may turn
 * through a ball. Then the sides of the ends of its path count, however long it is. */
Test(watertight, balls_stay_in_closed_meshes_that_move)
{
    const char *wanted = getenv("KUGEL_MOVING");
    uint64_t count = wanted ? strtoull(wanted, NULL, 0) : MOVING,
             seed = support_random_start("moving", 6).state;
    for (uint64_t k = 0; k < count; ++k) run_moving(seed + k);
}

/* A mesh that is far from the world's origin: the velocity of its spin is rounded there, so that an
 * impact which stopped a ball was met again and again. */
Test(watertight, impacts_on_a_mesh_that_spins_far_away_do_not_repeat) { run_moving(862); }

/* Balls fall onto the edges of a box of triangles, with their centres beside the plane of a side by
 * any rounding. Either the edge or the side's facet acts: none falls in. */
Test(watertight, edges_act_beside_facets_by_any_rounding)
{
    support_random random = support_random_start("edges", 9);
    for (int k = 0; k < SUPPORT_ROUNDS(300); ++k) {
        double vertices[24], half = support_between(&random, 0.5, 2),
                             radius = support_between(&random, 0.05, 0.5),
                             beside = half * pow(10, support_between(&random, -16.5, -6)),
                             at = support_between(&random, -0.9, 0.9) * half;
        uint32_t triangles[36], axis = support_below(&random, 2);
        kugel_world_def def = kugel_world_def_default();
        kugel_surface_def box = kugel_surface_def_default();
        kugel_body_def ball = kugel_body_def_default();
        kugel_world *world;
        kugel_body body;
        double turn = support_between(&random, 0, 6), position[3];
        def.gravity[2] = -9.81;
        kugel_mesh_box((double[]){half, half, half}, vertices, triangles);
        box.vertices = vertices, box.vertex_count = 8, box.triangles = triangles;
        box.triangle_count = 12, box.one_sided = k % 2;
        if (k % 3 == 0) box.rotation[2] = sin(turn), box.rotation[3] = cos(turn);
        ball.radius = radius, ball.position[axis] = (half + beside) * (k % 4 < 2 ? 1 : -1);
        ball.position[1 - axis] = at, ball.position[2] = half + 1.1 * radius;
        support_turn(box.rotation, ball.position, ball.position);
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(kugel_surface_create(world, &box, NULL), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
        for (int tick = 0; tick < 20; ++tick) {
            kugel_found found;
            kugel_filter surfaces = kugel_filter_default();
            size_t count;
            surfaces.targets = KUGEL_TARGETS_SURFACES;
            cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
            kugel_body_get_position(world, body, position);
            cr_assert_eq(kugel_world_nearest(world, position, 1e9, &surfaces, 1, &found, &count),
                         KUGEL_OK);
            cr_assert(found.gap > 0.98 * radius, "trial %d: beside by %g m, %g radii deep", k,
                      beside, 1 - found.gap / radius);
        }
        kugel_world_destroy(world);
    }
}
