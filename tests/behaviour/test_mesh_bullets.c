/* Fast small balls against meshes: triangle and time of each first hit must be those of a search
 * over all triangles in long double, for all 1000 balls. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_mesh.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"
#include "surfaces/oracle_mesh.h"

enum { BULLETS = SUPPORT_ROUNDS(1000), NEAR = 256 };

typedef struct first_hit {
    uint32_t triangles[NEAR]; /* those that the bullet meets at this time: neighbours at an edge */
    uint32_t count;
    long double time;
} first_hit;

/* Distance of the point from the line of a path. */
static double distance_from_path(const kg_mesh_path *path, const double p[3])
{
    double d[3], along = 0, vv = 0, square = 0;
    for (int k = 0; k < 3; ++k) {
        d[k] = p[k] - path->x[k];
        along += d[k] * path->v[k], vv += path->v[k] * path->v[k];
    }
    for (int k = 0; k < 3; ++k) square += pow(d[k] - along / vv * path->v[k], 2);
    return sqrt(square);
}

/* True if the path passes the bounding sphere of the triangle, so that it may be hit. */
static bool may_meet(const kg_mesh *mesh, uint32_t triangle, const kg_mesh_path *path)
{
    double middle[3] = {0}, reach = 0;
    const double *p[3];
    for (int c = 0; c < 3; ++c) {
        p[c] = mesh->vertex + 3 * (size_t)mesh->corner[3 * (size_t)triangle + (size_t)c];
        for (int k = 0; k < 3; ++k) middle[k] += p[c][k] / 3;
    }
    for (int c = 0; c < 3; ++c)
        reach = fmax(reach,
                     hypot(hypot(p[c][0] - middle[0], p[c][1] - middle[1]), p[c][2] - middle[2]));
    return distance_from_path(path, middle) < reach + path->radius + 1e-6;
}

/* The time of the first contact; INFINITY without one. The distance from a triangle is convex along
 * the path, so the contact comes before the nearest point. */
static long double contact_time(const kg_mesh *mesh, uint32_t triangle, const kg_mesh_path *path)
{
    long double low = 0, high = path->horizon, x[3];
    for (int step = 0; step < 95; ++step) {
        long double one = low + (high - low) / 3, two = high - (high - low) / 3;
        oracle_position(path, one, x);
        long double here = oracle_distance(mesh, triangle, x);
        oracle_position(path, two, x);
        if (here <= oracle_distance(mesh, triangle, x)) high = two;
        else low = one;
    }
    oracle_position(path, low, x);
    if (oracle_distance(mesh, triangle, x) > path->radius) return INFINITY;
    long double before = 0, after = low;
    for (int step = 0; step < 65; ++step) {
        long double middle = (before + after) / 2;
        oracle_position(path, middle, x);
        *(oracle_distance(mesh, triangle, x) > path->radius ? &before : &after) = middle;
    }
    return after;
}

static first_hit find_first(const kg_mesh *mesh, const kg_mesh_path *path)
{
    first_hit best = {.time = INFINITY};
    long double slack = path->radius * 1e-9L / hypot(hypot(path->v[0], path->v[1]), path->v[2]);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (!may_meet(mesh, t, path)) continue;
        long double time = contact_time(mesh, t, path);
        if (time >= INFINITY || time > best.time + slack) continue;
        if (time < best.time - slack) best.count = 0;
        best.time = fminl(best.time, time);
        if (best.count < NEAR) best.triangles[best.count++] = t;
    }
    return best;
}

static bool has(const first_hit *hit, uint32_t triangle)
{
    for (uint32_t k = 0; k < hit->count; ++k) {
        if (hit->triangles[k] == triangle) return true;
    }
    return false;
}

/* Triangles of 1 to 3 m at random places in a cube of 20 m, which intersect and share no edges. */
static support_mesh soup(uint32_t count, support_random *random)
{
    support_mesh mesh = {calloc(9 * (size_t)count, sizeof(double)),
                         calloc(3 * (size_t)count, sizeof(uint32_t)), 3 * count, count};
    for (uint32_t t = 0; t < count; ++t) {
        double middle[3], corner[3];
        for (int k = 0; k < 3; ++k) middle[k] = support_between(random, -10, 10);
        for (uint32_t c = 0; c < 3; ++c) {
            support_direction(random, support_between(random, 0.5, 1.5), corner);
            for (uint32_t k = 0; k < 3; ++k)
                mesh.vertices[9 * (size_t)t + 3 * c + k] = middle[k] + corner[k];
            mesh.triangles[3 * t + c] = 3 * t + c;
        }
    }
    return mesh;
}

static void add_bullets(support_scene *scene, double speed, support_random *random)
{
    for (int i = 0; i < BULLETS; ++i) {
        double x[3], aim[3], v[3], length = 0;
        support_direction(random, 40, x);
        support_direction(random, support_between(random, 0, 6), aim);
        for (int k = 0; k < 3; ++k) length += (aim[k] - x[k]) * (aim[k] - x[k]);
        for (int k = 0; k < 3; ++k) v[k] = speed * (aim[k] - x[k]) / sqrt(length);
        kugel_body_def *def = support_scene_add(scene, x, v, 0.05, 1);
        def->restitution = 0, def->category = 2, def->mask = 1;
    }
}

static void check_bullets(const support_mesh *shape, double speed, uint64_t seed)
{
    support_random random = support_random_start("mesh bullets", seed);
    support_scene scene = {.def = kugel_world_def_default()};
    add_bullets(&scene, speed, &random);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def def = support_mesh_def(shape);
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    const kugel_allocator none = {0};
    kg_memory memory;
    kg_mesh mesh; /* with the facets that name triangles */
    kg_memory_init(&memory, &none);
    cr_assert(kg_mesh_build(&memory, NULL, &mesh, shape->vertices, shape->vertex_count,
                            shape->triangles, shape->triangle_count, false));
    uint8_t seen[BULLETS] = {0};
    uint32_t right = 0, wrong = 0, none_met = 0;
    const double dt = 1 / 60.;
    for (int tick = 0; tick * dt < 80 / speed; ++tick) {
        support_run(world, dt, 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t i = 0; i < count; ++i) {
            uint32_t id = kugel_body_id(impacts[i].a);
            if (seen[id]) continue;
            seen[id] = 1;
            kg_mesh_path path = {.radius = 0.05, .horizon = 80 / speed};
            for (int k = 0; k < 3; ++k)
                path.x[k] = scene.bodies[id].position[k], path.v[k] = scene.bodies[id].velocity[k];
            first_hit hit = find_first(&mesh, &path);
            double time = tick * dt + impacts[i].time;
            /* positions round to 1e-14 m; grazing contacts magnify that */
            bool good = has(&hit, impacts[i].triangle) && fabsl(hit.time - time) < 1e-6L / speed;
            right += good, wrong += !good;
            if (!good)
                fprintf(stderr, "bullet %u: triangle %u at %.17g, not %u at %.17Lg\n", id,
                        impacts[i].triangle, time, hit.triangles[0], hit.time);
        }
    }
    for (uint32_t id = 0; id < BULLETS; ++id) {
        if (seen[id]) continue;
        kg_mesh_path path = {.radius = 0.05, .horizon = 80 / speed};
        for (int k = 0; k < 3; ++k)
            path.x[k] = scene.bodies[id].position[k], path.v[k] = scene.bodies[id].velocity[k];
        first_hit hit = find_first(&mesh, &path);
        none_met += hit.time >= INFINITY;
    }
    fprintf(stderr, "%g m/s: %u right, %u pass by\n", speed, right, none_met);
    cr_assert(wrong == 0 && right + none_met == BULLETS && right > BULLETS / 2,
              "at %g m/s: %u of %d first hits right, %u wrong, %u missed", speed, right, BULLETS,
              wrong, BULLETS - right - wrong - none_met);
    kg_mesh_free(&memory, &mesh);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(mesh_bullets, hit_the_right_triangles_of_a_soup)
{
    support_random random = support_random_start("soup", 5);
    support_mesh mesh = soup(1500, &random);
    check_bullets(&mesh, 500, 6);
    check_bullets(&mesh, 5e4, 7);
    support_mesh_free(&mesh);
}

Test(mesh_bullets, hit_the_right_triangles_of_a_closed_mesh)
{
    support_mesh mesh = support_mesh_ball(4, 8);
    check_bullets(&mesh, 500, 8);
    check_bullets(&mesh, 5e6, 9);
    support_mesh_free(&mesh);
}

/* A flat floor of many triangles is one facet: each impact names the triangle under its point. */
Test(mesh_bullets, hit_the_right_triangles_of_a_flat_floor)
{
    enum { SIDE = 24, BALLS = 500 };
    static double corners[(SIDE + 1) * (SIDE + 1)][3];
    static uint32_t triangles[SIDE * SIDE][2][3];
    support_random random = support_random_start("flat_floor", 11);
    kugel_world_def settings = kugel_world_def_default();
    kugel_surface_def ground = kugel_surface_def_default();
    kugel_world *world;
    uint32_t found = 0;
    for (uint32_t k = 0; k < (SIDE + 1) * (SIDE + 1); ++k)
        corners[k][0] = k % (SIDE + 1), corners[k][1] = k / (SIDE + 1);
    for (uint32_t k = 0; k < SIDE * SIDE; ++k) {
        uint32_t at = k / SIDE * (SIDE + 1) + k % SIDE;
        for (uint32_t c = 0; c < 3; ++c) {
            triangles[k][0][c] = at + (const uint32_t[]){0, 1, SIDE + 1}[c];
            triangles[k][1][c] = at + (const uint32_t[]){1, SIDE + 2, SIDE + 1}[c];
        }
    }
    ground.vertices = corners[0], ground.triangles = triangles[0][0];
    ground.vertex_count = (SIDE + 1) * (SIDE + 1), ground.triangle_count = 2 * SIDE * SIDE;
    cr_assert_eq(kugel_world_create(&settings, &world), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &ground, NULL), KUGEL_OK);
    for (int k = 0; k < BALLS; ++k) {
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = 0.01, ball.velocity[2] = -50;
        for (int axis = 0; axis < 2; ++axis) {
            ball.position[axis] = 0.02 + (SIDE - 0.04) * support_uniform(&random);
            ball.velocity[axis] = 8 * support_uniform(&random) - 4;
        }
        ball.position[2] = 0.1 + support_uniform(&random);
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    }
    for (int tick = 0; tick < 3; ++tick) {
        size_t count;
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t k = 0; k < count; ++k) {
            if (impacts[k].target != KUGEL_TARGET_SURFACE || impacts[k].normal[2] > -0.5) continue;
            double x = impacts[k].point[0], y = impacts[k].point[1], u = x - floor(x),
                   v = y - floor(y);
            uint32_t square = (uint32_t)y * SIDE + (uint32_t)x, upper = u + v > 1;
            if (fabs(u + v - 1) < 1e-9 || u < 1e-9 || v < 1e-9) continue; /* at an edge */
            cr_assert_eq(impacts[k].triangle, 2 * square + upper, "at %g, %g: %u", x, y,
                         impacts[k].triangle);
            found += 1;
        }
    }
    cr_assert_gt(found, BALLS / 2);
    kugel_world_destroy(world);
}
