/* Queries against solid shapes: rays, casts, overlaps and nearest points against distances in long
 * double and samples. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"
#include "support/support_shapes.h"

enum { ROWS = 3000, SAMPLES = 300 };

/* A world with one shape, of a random kind, size and place. */
static kugel_world *random_world(support_random *random, kugel_surface_def *def)
{
    support_scene scene = support_scene_start();
    kugel_world *world = support_scene_world(&scene);
    double length = 0;
    *def = kugel_surface_def_default();
    def->shape = (kugel_surface_shape)(KUGEL_SURFACE_PLANE + support_below(random, 5));
    for (int k = 0; k < 3; ++k) {
        def->size[k] = exp(support_between(random, log(0.1), log(2)));
        def->position[k] = support_between(random, -1, 1);
    }
    for (int k = 0; k < 4; ++k)
        def->rotation[k] = support_gauss(random), length += def->rotation[k] * def->rotation[k];
    for (int k = 0; k < 4; ++k) def->rotation[k] /= sqrt(length);
    cr_assert_eq(kugel_surface_create(world, def, NULL), KUGEL_OK);
    support_scene_free(&scene);
    return world;
}

static void random_point(support_random *random, double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = support_between(random, -4, 4);
}

/* Rays (radius 0) and casts: the gap closes at the hit, to rounding, and is open before. */
static void check_line(const kugel_world *world, const kugel_surface_def *def, const kugel_ray *ray,
                       double radius, uint32_t row)
{
    kugel_ray_hit met = {0};
    kugel_cast_hit touched = {0};
    if (radius == 0) cr_assert_eq(kugel_world_ray_closest(world, ray, NULL, &met), KUGEL_OK);
    else cr_assert_eq(kugel_world_cast_closest(world, ray, radius, NULL, &touched), KUGEL_OK);
    bool hit = radius == 0 ? met.hit.hit : touched.contact.hit;
    double until = !hit ? ray->t_max : radius == 0 ? met.hit.t_enter : touched.contact.time;
    double at_start = support_shape_distance(def, ray->origin) - radius;
    for (int k = 0; k <= SAMPLES; ++k) {
        double x[3], t = until * k / SAMPLES;
        for (int i = 0; i < 3; ++i) x[i] = ray->origin[i] + t * ray->direction[i];
        double gap = support_shape_distance(def, x) - radius;
        bool last = hit && k == SAMPLES;
        if (at_start > 0) cr_assert_gt(gap, -1e-11, "row %u: %g at %g of %g", row, gap, t, until);
        if (last && at_start > 0) cr_assert_lt(gap, 1e-11, "row %u: %g", row, gap);
    }
    if (at_start <= 0 && radius == 0) cr_assert(hit && until == 0 && met.hit.started_inside);
    if (!hit) return;
    cr_assert_eq(radius == 0 ? met.target : touched.target, KUGEL_TARGET_SURFACE);
    if (at_start > 0 && radius > 0)
        cr_assert_lt(fabs(support_shape_distance(def, touched.contact.point)), 1e-11, "row %u",
                     row);
}

Test(query_shapes, lines_end_at_the_surface)
{
    support_random random = support_random_start("query_shapes/lines", 1);
    for (uint32_t row = 0; row < ROWS; ++row) {
        kugel_surface_def def;
        kugel_world *world = random_world(&random, &def);
        kugel_ray ray = {.t_max = support_between(&random, 0.5, 3)};
        random_point(&random, ray.origin);
        for (int k = 0; k < 3; ++k)
            ray.direction[k] = support_between(&random, -1, 1) - 0.5 * ray.origin[k];
        check_line(world, &def, &ray, row & 1 ? support_between(&random, 0.1, 0.5) : 0, row);
        kugel_world_destroy(world);
    }
}

/* The gap of a sphere is the distance less the radius; a plane's inside, too. */
Test(query_shapes, spheres_find_what_is_near)
{
    support_random random = support_random_start("query_shapes/spheres", 2);
    for (uint32_t row = 0; row < ROWS; ++row) {
        kugel_surface_def def;
        kugel_world *world = random_world(&random, &def);
        double x[3], radius = support_between(&random, 0.1, 2);
        size_t count;
        kugel_found found;
        random_point(&random, x);
        double distance = support_shape_distance(&def, x);
        cr_assert_eq(kugel_world_overlap_sphere(world, x, radius, NULL, 1, &found, &count),
                     KUGEL_OK);
        cr_assert_eq(count, distance <= radius, "row %u: %g, %g", row, distance, radius);
        if (count && distance > 0) {
            cr_assert_float_eq(found.gap, distance - radius, 1e-12);
            cr_assert_lt(fabs(support_shape_distance(&def, found.point)), 1e-12);
        }
        cr_assert_eq(kugel_world_nearest(world, x, 100, NULL, 1, &found, &count), KUGEL_OK);
        cr_assert_eq(count, 1);
        if (distance > 0) cr_assert_float_eq(found.gap, distance, 1e-12);
        kugel_world_destroy(world);
    }
}

/* What is found has a common point; what is not found has none among samples. */
Test(query_shapes, boxes_and_ellipsoids_find_what_they_meet)
{
    support_random random = support_random_start("query_shapes/volumes", 3);
    uint32_t met = 0;
    for (uint32_t row = 0; row < ROWS; ++row) {
        kugel_surface_def def;
        kugel_world *world = random_world(&random, &def);
        double center[3], half[3], min[3], max[3];
        kugel_found found;
        size_t count;
        random_point(&random, center);
        for (int k = 0; k < 3; ++k) {
            half[k] = support_between(&random, 0.1, 2);
            min[k] = center[k] - half[k], max[k] = center[k] + half[k];
        }
        bool box = row & 1;
        if (box) kugel_world_overlap_box(world, min, max, NULL, 1, &found, &count);
        else kugel_world_overlap_ellipsoid(world, center, half, NULL, NULL, 1, &found, &count);
        met += count;
        for (int k = 0; k < 1000 && !count; ++k) {
            double x[3], inside = 0;
            for (int i = 0; i < 3; ++i) {
                double u = support_between(&random, -1, 1);
                x[i] = center[i] + half[i] * u, inside += u * u;
            }
            if (box || inside <= 1)
                cr_assert_gt(support_shape_distance(&def, x), 0, "row %u: missed", row);
        }
        if (count) {
            double inside = 0;
            cr_assert_lt(support_shape_distance(&def, found.point), 1e-9, "row %u", row);
            for (int i = 0; i < 3; ++i) {
                double u = fabs(found.point[i] - center[i]) / half[i];
                inside += u * u;
                if (box) cr_assert_leq(u, 1 + 1e-9, "row %u", row);
            }
            if (!box) cr_assert_leq(inside, 1 + 1e-9, "row %u", row);
        }
        kugel_world_destroy(world);
    }
    cr_assert(met > ROWS / 10 && met < ROWS - ROWS / 10);
}

/* A shape of a size between 1e-6 and 1e6 m, some sizes up to 1000 times smaller, at up to 1e7 sizes
 * from the origin, turned by any angle or by a small one. */
static void random_scaled(support_random *random, kugel_surface_def *def, double *size)
{
    double away = pow(10, support_between(random, -1, 7)), axis[3];
    *def = kugel_surface_def_default();
    *size = pow(10, support_between(random, -6, 6));
    def->shape = (kugel_surface_shape)(KUGEL_SURFACE_PLANE + support_below(random, 4));
    for (int k = 0; k < 3; ++k) {
        def->size[k] = *size * pow(10, support_between(random, -3, 0));
        def->position[k] = *size * away * support_between(random, -1, 1);
    }
    bool small = support_below(random, 2);
    double turn = small ? pow(10, support_between(random, -6, -1)) : support_between(random, 0, 3);
    support_direction(random, sin(turn / 2), axis);
    for (int k = 0; k < 3; ++k) def->rotation[k] = axis[k];
    def->rotation[3] = cos(turn / 2);
}

/* A point in the shape, deeper than the margin. */
static void random_inside(support_random *random, const kugel_surface_def *def, double margin,
                          double x[3])
{
    for (double reach = 2;; reach *= 0.9) {
        for (int k = 0; k < 3; ++k)
            x[k] = def->position[k] + reach * def->size[0] * support_between(random, -1, 1);
        if (reach < 1e-9 || support_shape_distance(def, x) < -margin) return;
    }
}

/* Boxes and ellipsoids around a point of a shape meet it at any size, place and thinness. */
Test(query_shapes, volumes_around_a_point_of_a_shape_meet_it)
{
    support_random random = support_random_start("query_shapes/scales", 4);
    for (uint32_t row = 0; row < ROWS; ++row) {
        kugel_surface_def def;
        double size, x[3], center[3], half[3], min[3], max[3];
        random_scaled(&random, &def, &size);
        support_scene scene = support_scene_start();
        kugel_world *world = support_scene_world(&scene);
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
        random_inside(&random, &def, 1e-5 * size, x);
        for (int k = 0; k < 3; ++k) {
            half[k] = size * pow(10, support_between(&random, -4, 3));
            center[k] = x[k] + half[k] * 0.5 * support_between(&random, -1, 1);
            min[k] = center[k] - half[k], max[k] = center[k] + half[k];
        }
        kugel_found found;
        size_t count;
        kugel_world_overlap_box(world, min, max, NULL, 1, &found, &count);
        cr_assert_eq(count, 1, "row %u: box, shape %d", row, (int)def.shape);
        cr_assert_lt(support_shape_distance(&def, found.point), 1e-6 * size, "row %u", row);
        kugel_world_overlap_ellipsoid(world, center, half, NULL, NULL, 1, &found, &count);
        cr_assert_eq(count, 1, "row %u: ellipsoid, shape %d", row, (int)def.shape);
        cr_assert_lt(support_shape_distance(&def, found.point), 1e-6 * size, "row %u", row);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The end of a ray or path counts: 3 m above the top of each shape, which is at z = 0. */
Test(query_shapes, lines_that_end_on_a_shape_meet_it)
{
    for (int shape = KUGEL_SURFACE_PLANE; shape <= KUGEL_SURFACE_BOX; ++shape) {
        support_scene scene = support_scene_start();
        kugel_world *world = support_scene_world(&scene);
        kugel_surface_def def = kugel_surface_def_default();
        def.shape = (kugel_surface_shape)shape;
        for (int k = 0; k < 3; ++k) def.size[k] = 1;
        def.position[2] = shape == KUGEL_SURFACE_PLANE     ? 0
                          : shape == KUGEL_SURFACE_CAPSULE ? -2
                                                           : -1;
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
        kugel_ray ray = {.origin = {0, 0, 3}, .direction = {0, 0, -1}, .t_max = 3};
        kugel_ray_hit met;
        kugel_cast_hit touched;
        kugel_world_ray_closest(world, &ray, NULL, &met);
        cr_assert(met.hit.hit && met.hit.t_enter == 3, "ray, shape %d", shape);
        ray.t_max = 2;
        kugel_world_cast_closest(world, &ray, 1, NULL, &touched);
        cr_assert(touched.contact.hit && touched.contact.time == 2, "cast, shape %d", shape);
        ray.t_max = 1.999999;
        kugel_world_cast_closest(world, &ray, 1, NULL, &touched);
        cr_assert(!touched.contact.hit, "short cast, shape %d", shape);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}
