/* Casts of a sphere that rests on something and moves along it meet what is ahead, and not the
 * floor, in random places and with the roundings and depths that such hosts have. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <kugel/kugel.h>

#include "support/support_random.h"
#include "support/support_turn.h"

enum { PLANE, BOX, BOX_TILES, MESH, MESH_TILES, CAPSULE, CONE, BALL, WALL, KINDS };

/* Axes of a floor: two along it and the normal, and the place where the mover touches it. */
typedef struct frame {
    double along[3], side[3], up[3], place[3];
    double rotation[4];
} frame;

/* Capsules and cones lie: z of their frame is along. */
static frame random_frame(support_random *random, int kind)
{
    frame f;
    bool level = kind == WALL, lies = kind == CAPSULE || kind == CONE;
    double length2 = 0;
    for (int k = 0; k < 4; ++k) {
        f.rotation[k] = level ? k == 3 : support_gauss(random);
        length2 += f.rotation[k] * f.rotation[k];
    }
    for (int k = 0; k < 4; ++k) f.rotation[k] /= sqrt(length2);
    support_turn(f.rotation, (const double[]){!lies, 0, lies}, f.along);
    support_turn(f.rotation, (const double[]){lies, !lies, 0}, f.side);
    support_turn(f.rotation, (const double[]){0, lies, !lies}, f.up);
    for (int k = 0; k < 3; ++k) f.place[k] = level ? 0 : support_between(random, -20, 20);
    return f;
}

/* The point at x, y, z of the floor's axes. */
static void point_at(const frame *f, double x, double y, double z, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = f->place[k] + x * f->along[k] + y * f->side[k] + z * f->up[k];
}

static void add_surface(kugel_world *world, const frame *f, kugel_surface_def def, double x,
                        double z)
{
    point_at(f, x, 0, z, def.position);
    memcpy(def.rotation, f->rotation, sizeof def.rotation);
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
}

static void add_rectangle(kugel_world *world, const frame *f, double x, double half_x, double half)
{
    const double vertices[12] = {-half_x, -half, 0, half_x,  -half, 0,
                                 half_x,  half,  0, -half_x, half,  0};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = 4;
    def.triangles = triangles, def.triangle_count = 2;
    add_surface(world, f, def, x, 0);
}

static void add_box(kugel_world *world, const frame *f, double x, double half_x, double half)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_BOX;
    def.size[0] = half_x, def.size[1] = half, def.size[2] = half;
    add_surface(world, f, def, x, -half);
}

/* A floor for a mover of radius r, with its surface at z = 0 of the frame. */
static void add_floor(kugel_world *world, const frame *f, int kind, double r)
{
    kugel_surface_def def = kugel_surface_def_default();
    kugel_body_def ball = kugel_body_def_default();
    double offset = 0;
    for (int k = 0; k < 3; ++k) offset += f->up[k] * f->place[k];
    for (int tile = 0; tile < 4; ++tile) {
        if (kind == BOX_TILES) add_box(world, f, (2 * tile - 1) * 0.7 * r, 0.7 * r, 9 * r);
        if (kind == MESH_TILES) add_rectangle(world, f, (2 * tile - 1) * 0.7 * r, 0.7 * r, 9 * r);
    }
    switch (kind) {
    case PLANE:
        def = kugel_surface_def_plane(f->up, offset);
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
        break;
    case BOX:
        add_box(world, f, 0, 20 * r, 20 * r);
        break;
    case MESH:
        add_rectangle(world, f, 0, 20 * r, 20 * r);
        break;
    case CAPSULE:
        def.shape = KUGEL_SURFACE_CAPSULE;
        def.size[0] = 2 * r, def.size[1] = 20 * r;
        add_surface(world, f, def, 0, -2 * r);
        break;
    case CONE:
        def.shape = KUGEL_SURFACE_CONE;
        def.size[0] = def.size[1] = 2 * r, def.size[2] = 20 * r;
        add_surface(world, f, def, 0, -2 * r);
        break;
    case BALL:
        ball.type = KUGEL_STATIC, ball.radius = 30 * r;
        point_at(f, 0, 0, -30 * r, ball.position);
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        break;
    default:
        break; /* a wall is part of the world */
    }
}

static kugel_world *make_world(bool wall)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    if (wall) def.bounds.faces[4] = KUGEL_FACE_WALL;
    for (int k = 0; k < 3; ++k) def.bounds.min[k] = k == 2 ? 0 : -99, def.bounds.max[k] = 99;
    for (int k = 0; k < 6 && !wall; ++k) def.bounds.faces[k] = KUGEL_FACE_OPEN;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    return world;
}

/* The mover, up to `depth` in the floor or so far above it, and a ball of its size ahead. The host
 * casts towards the ball's centre, which is up to `depth` deeper. */
static void check(int kind, uint64_t seed)
{
    support_random random = support_random_start("resting_casts", seed);
    frame f = random_frame(&random, kind);
    double r = pow(10, support_between(&random, -2, 0)),
           depth = r * pow(10, support_between(&random, -16, -3.5)),
           away = support_between(&random, 3, 5) * r;
    kugel_world *world = make_world(kind == WALL);
    add_floor(world, &f, kind, r);
    kugel_body_def ball = kugel_body_def_default();
    ball.type = KUGEL_STATIC, ball.radius = r;
    point_at(&f, away, 0, r - depth * support_between(&random, -1, 1), ball.position);
    kugel_body ahead;
    cr_assert_eq(kugel_body_create(world, &ball, &ahead), KUGEL_OK);
    kugel_ray ray = {.t_max = 1};
    point_at(&f, 0, 0, r - depth * support_between(&random, -1, 1), ray.origin);
    for (int k = 0; k < 3; ++k) ray.direction[k] = ball.position[k] - ray.origin[k];
    kugel_cast_hit hit;
    cr_assert_eq(kugel_world_cast_closest(world, &ray, r, NULL, &hit), KUGEL_OK);
    /* the balls touch when the mover has gone all but 2 r of the way */
    cr_assert(hit.body == ahead && fabs(hit.contact.time - (1 - 2 * r / away)) < 1e-6,
              "kind %d, seed %lu: target %d, index %u at %g", kind, (unsigned long)seed,
              (int)hit.target, hit.index, hit.contact.time);
    /* down at an angle of about 0.3: the floor, at once if the mover touches it */
    for (int k = 0; k < 3; ++k) ray.direction[k] -= 0.3 * away * f.up[k];
    point_at(&f, 0, 0, r - depth, ray.origin);
    cr_assert_eq(kugel_world_cast_closest(world, &ray, r, NULL, &hit), KUGEL_OK);
    /* rounding of places at 20 m, over a speed of at least 0.3 * 3 * 0.01 m a unit of time */
    cr_assert(hit.body != ahead && hit.contact.hit && hit.contact.time < 1e-11,
              "kind %d, seed %lu: into the floor at %g", kind, (unsigned long)seed,
              hit.contact.time);
    kugel_world_destroy(world);
}

Test(resting_casts, along_the_floor_meet_what_is_ahead)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        for (uint64_t seed = 1; seed <= 300; ++seed) check(kind, seed);
    }
}

/* Balls that fell from different heights rest at slightly different depths. */
Test(resting_casts, of_bodies_at_rest_towards_each_other)
{
    for (int n = 1; n <= 12; ++n) {
        kugel_world_def def = kugel_world_def_default();
        kugel_world *world;
        kugel_body balls[2];
        def.gravity[2] = -9.81;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        kugel_surface_def floor = kugel_surface_def_plane((const double[]){0, 0, 1}, 0);
        cr_assert_eq(kugel_surface_create(world, &floor, NULL), KUGEL_OK);
        kugel_body_def ball = kugel_body_def_default();
        ball.restitution = 0.3;
        for (int k = 0; k < 2; ++k) {
            ball.position[0] = 4 * k, ball.position[2] = ball.radius + (k ? 0.03 : 0.1) * n;
            cr_assert_eq(kugel_body_create(world, &ball, &balls[k]), KUGEL_OK);
        }
        for (int tick = 0; tick < 300; ++tick)
            cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        kugel_ray ray = {.t_max = 1};
        double to[3];
        kugel_cast_hit hit;
        kugel_filter filter = kugel_filter_default();
        cr_assert_eq(kugel_body_get_position(world, balls[0], ray.origin), KUGEL_OK);
        cr_assert_eq(kugel_body_get_position(world, balls[1], to), KUGEL_OK);
        for (int k = 0; k < 3; ++k) ray.direction[k] = to[k] - ray.origin[k];
        cr_assert_eq(kugel_body_set_enabled(world, balls[0], false), KUGEL_OK);
        cr_assert_eq(kugel_world_cast_closest(world, &ray, ball.radius, &filter, &hit), KUGEL_OK);
        cr_assert(hit.body == balls[1], "%d: target %d at %g", n, (int)hit.target,
                  hit.contact.time);
        kugel_world_destroy(world);
    }
}

/* A host walks a sphere over a floor by casts: gravity, a cast, a move to the hit, the rest along
 * what was hit. However long it walks, it is not deeper than the slack of one cast. */
Test(resting_casts, do_not_add_up)
{
    support_random random = support_random_start("walks", 3);
    for (int kind = 0; kind < 2; ++kind) {
        double p[3] = {0, 0, 0.5}, v[3] = {support_between(&random, 4, 8), 0, 0}, dt = 1 / 60.;
        kugel_world_def def = kugel_world_def_default();
        kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
        kugel_world *world;
        if (kind) {
            floor = kugel_surface_def_default();
            floor.shape = KUGEL_SURFACE_BOX;
            for (int k = 0; k < 3; ++k) floor.size[k] = 1000;
            floor.position[2] = -1000;
        }
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(kugel_surface_create(world, &floor, NULL), KUGEL_OK);
        for (int tick = 0; tick < 1200; ++tick) {
            double left = dt;
            v[2] -= 9.81 * dt;
            for (int cast = 0; cast < 4 && left > 0; ++cast) {
                kugel_ray path = {{p[0], p[1], p[2]}, {v[0], v[1], v[2]}, left};
                kugel_cast_hit hit;
                double into = 0;
                cr_assert_eq(kugel_world_cast_closest(world, &path, 0.5, NULL, &hit), KUGEL_OK);
                double go = hit.contact.hit ? hit.contact.time : left;
                for (int k = 0; k < 3; ++k) p[k] += v[k] * go;
                for (int k = 0; k < 3; ++k) into += v[k] * hit.contact.normal[k];
                left = hit.contact.hit ? left - go : 0;
                for (int k = 0; k < 3 && hit.contact.hit; ++k) v[k] -= into * hit.contact.normal[k];
            }
        }
        cr_assert(p[2] > 0.5 * (1 - 1.01e-3), "kind %d: %g radii deep", kind, 1 - p[2] / 0.5);
        kugel_world_destroy(world);
    }
}
