/* For engine/geometry/plane_geometry.c: rays and spheres against planes, and cases in
 * which published articles are wrong. Tolerances are a few roundings. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "kugel/geometry.h"
#include "support/support_random.h"

static bool near(double a, double b) { return fabs(a - b) <= 4e-15 * (1 + fabs(b)); }

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const double up[3] = {0, 0, 1};

struct plane_row {
    char name[32];
    double origin[3], direction[3], normal[3], offset;
    bool hit;
    kugel_plane_relation relation;
    int side;
    double t, facing; /* facing: the reported normal . the plane's */
};

Test(plane_geometry, rays_have_exact_values)
{
    static const struct plane_row table[] = {
        {"from the front",
         {0, 0, 5},
         {0, 0, -2},
         {0, 0, 1},
         1,
         true,
         KUGEL_PLANE_CROSSING,
         1,
         2,
         1},
        {"from the back",
         {0, 0, -3},
         {1, 0, 2},
         {0, 0, 1},
         1,
         true,
         KUGEL_PLANE_CROSSING,
         -1,
         2,
         -1},
        {"away in front", {0, 0, 5}, {0, 0, 2}, {0, 0, 1}, 1, false, KUGEL_PLANE_CROSSING, 1, 0, 0},
        {"away behind",
         {0, 0, -3},
         {0, 0, -1},
         {0, 0, 1},
         1,
         false,
         KUGEL_PLANE_CROSSING,
         -1,
         0,
         0},
        {"parallel", {0, 0, 5}, {3, 1, 0}, {0, 0, 1}, 1, false, KUGEL_PLANE_PARALLEL, 1, 0, 0},
        {"parallel behind",
         {0, 0, 0},
         {3, 1, 0},
         {0, 0, 1},
         1,
         false,
         KUGEL_PLANE_PARALLEL,
         -1,
         0,
         0},
        {"in the plane", {4, 4, 1}, {3, 1, 0}, {0, 0, 1}, 1, true, KUGEL_PLANE_INSIDE, 0, 0, 1},
        {"on it, going down",
         {4, 4, 1},
         {0, 0, -1},
         {0, 0, 1},
         1,
         true,
         KUGEL_PLANE_CROSSING,
         0,
         0,
         1},
        {"on it, going up",
         {4, 4, 1},
         {0, 0, 1},
         {0, 0, 1},
         1,
         true,
         KUGEL_PLANE_CROSSING,
         0,
         0,
         -1},
        {"still, on it", {4, 4, 1}, {0, 0, 0}, {0, 0, 1}, 1, true, KUGEL_PLANE_INSIDE, 0, 0, 1},
        {"still, off it", {4, 4, 2}, {0, 0, 0}, {0, 0, 1}, 1, false, KUGEL_PLANE_PARALLEL, 1, 0, 0},
        {"almost parallel",
         {0, 0, 1},
         {1, 0, -1e-300},
         {0, 0, 1},
         0,
         true,
         KUGEL_PLANE_CROSSING,
         1,
         1e300,
         1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct plane_row *row = &table[i];
        kugel_plane_hit hit;
        cr_assert_eq(
            kugel_ray_plane(row->origin, row->direction, INFINITY, row->normal, row->offset, &hit),
            KUGEL_OK);
        cr_assert_eq(hit.hit, row->hit, "%s", row->name);
        cr_assert_eq(hit.relation, row->relation, "%s: relation %d", row->name, hit.relation);
        cr_assert_eq(hit.side, row->side, "%s: side %d", row->name, hit.side);
        cr_assert(near(hit.t, row->t), "%s: t %.17g", row->name, hit.t);
        cr_assert_eq(dot(hit.normal, row->normal), row->facing, "%s: normal", row->name);
    }
}

/* For slanted planes n . direction of a vector in the plane rounds to a number near 0. It counts as
 * parallel or in-plane; a direction that is off by 1e-12 does not. */
Test(plane_geometry, parallel_and_in_plane_differ_on_slanted_planes)
{
    support_random random = support_random_start("parallel_and_in_plane", 5);
    int rounded = 0;
    for (int i = 0; i < 20000; ++i) {
        double normal[3] = {0.6, 0, 0.8}, along[3] = {-0.8, 0, 0.6}, origin[3], direction[3];
        double a = support_between(&random, -9, 9), b = support_between(&random, -9, 9);
        double offset = support_between(&random, -9, 9);
        for (int k = 0; k < 3; ++k) {
            direction[k] = a * along[k] + (k == 1 ? b : 0);
            origin[k] = offset * normal[k] + 3 * direction[k];
        }
        rounded += dot(normal, direction) != 0;
        kugel_plane_hit in, above, crossing;
        kugel_ray_plane(origin, direction, INFINITY, normal, offset, &in);
        cr_assert_eq(in.relation, KUGEL_PLANE_INSIDE, "n.d = %g", dot(normal, direction));
        cr_assert(in.hit && in.t == 0);
        kugel_ray_plane(origin, direction, INFINITY, normal, offset - 1e-9, &above);
        cr_assert_eq(above.relation, KUGEL_PLANE_PARALLEL);
        cr_assert(!above.hit && above.side == 1);
        for (int k = 0; k < 3; ++k) direction[k] -= 1e-12 * normal[k];
        kugel_ray_plane(origin, direction, INFINITY, normal, offset - 1e-9, &crossing);
        cr_assert(crossing.relation == KUGEL_PLANE_CROSSING && crossing.hit);
    }
    cr_assert(rounded > 1000, "only %d directions rounded off the plane", rounded);
}

/* The ray that ends at q. */
static void ray_to(const double p[3], const double q[3], const double normal[3], double offset,
                   kugel_plane_hit *hit)
{
    const double direction[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    cr_assert_eq(kugel_ray_plane(p, direction, 1, normal, offset, hit), KUGEL_OK);
}

Test(plane_geometry, rays_with_an_end_have_exact_values)
{
    const double high[3] = {0, 0, 3}, low[3] = {0, 0, -1}, on[3] = {5, 5, 0},
                 above[3] = {0, 0, 0x1p-40};
    kugel_plane_hit hit;
    ray_to(high, low, up, 0, &hit);
    cr_assert(hit.hit && hit.t == 0.75 && hit.point[2] == 0);
    ray_to(high, above, up, 0, &hit);
    cr_assert(!hit.hit && hit.side == 1, "ends above the plane");
    ray_to(high, on, up, 0, &hit);
    cr_assert(hit.hit && hit.t == 1, "ends on the plane");
    ray_to(on, on, up, 0, &hit);
    cr_assert(hit.hit && hit.t == 0 && hit.relation == KUGEL_PLANE_INSIDE,
              "one point on the plane");
    ray_to(high, high, up, 0, &hit);
    cr_assert(!hit.hit && hit.relation == KUGEL_PLANE_PARALLEL);
}

Test(plane_geometry, a_ray_that_ends_on_a_slanted_plane_meets_it)
{
    support_random random = support_random_start("a_segment_that_ends_on_a_slanted_plane", 6);
    for (int i = 0; i < 20000; ++i) {
        double normal[3], p[3], q[3], offset = support_between(&random, -2, 2);
        support_direction(&random, 1, normal);
        support_direction(&random, 10, p);
        support_direction(&random, 5, q);
        for (int pass = 0; pass < 3; ++pass) { /* on the plane up to the rounding of q itself */
            double height = dot(normal, q) - offset;
            for (int k = 0; k < 3; ++k) q[k] -= height * normal[k];
        }
        kugel_plane_hit hit;
        ray_to(p, q, normal, offset, &hit);
        double start = fabs(dot(normal, p) - offset); /* rounding of q's height, over the slope */
        cr_assert(hit.hit && hit.t <= 1 && (1 - hit.t) * start < 1e-14, "t %.17g", hit.t);
    }
}

struct gap_row {
    char name[24];
    double offset, z, radius;
    bool hit;
    double distance, height, nearest_z;
};

Test(plane_geometry, distance_to_sphere_has_exact_values)
{
    static const struct gap_row table[] = {
        {"in front", 1, 5, 2, false, 2, 4, 3},     {"behind", 1, -5, 2, false, 4, -6, -3},
        {"touching", 1, 3, 2, true, 0, 2, 1},      {"touching behind", 1, -1, 2, true, 0, -2, 1},
        {"cut", 1, 2, 2, true, 0, 1, 0},           {"through the centre", 1, 1, 2, true, 0, 0, -1},
        {"a point on it", 1, 1, 0, true, 0, 0, 1}, {"a point off it", 1, 2, 0, false, 1, 1, 2},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct gap_row *row = &table[i];
        const double center[3] = {7, 8, row->z};
        kugel_plane_gap gap;
        cr_assert_eq(kugel_plane_sphere(up, row->offset, center, row->radius, &gap), KUGEL_OK);
        cr_assert_eq(gap.hit, row->hit, "%s", row->name);
        cr_assert_eq(gap.distance, row->distance, "%s: distance %g", row->name, gap.distance);
        cr_assert_eq(gap.height, row->height, "%s", row->name);
        cr_assert_eq(gap.point[2], row->nearest_z, "%s: nearest point at %g", row->name,
                     gap.point[2]);
        cr_assert_eq(gap.on_plane[2], row->offset, "%s", row->name);
    }
}

Test(plane_geometry, article_test7_takes_the_sign_of_n_dot_c)
{
    /* The plane z = 10, a sphere below it at z = 4: n.c > 0 though the centre is behind the plane.
     */
    const double center[3] = {0, 0, 4};
    double article = center[2] - 1 * 2;
    kugel_plane_gap gap;
    kugel_plane_sphere(up, 10, center, 2, &gap);
    cr_assert_eq(gap.point[2], 6, "the nearest point is on the plane's side");
    cr_assert_eq(gap.distance, 4);
    cr_assert_eq((10 - article) - gap.distance, 4,
                 "the article's point is a diameter further away");
}

Test(plane_geometry, circle_of_a_cut_has_exact_values)
{
    const double center[3] = {1, 2, 7};
    kugel_circle circle;
    kugel_plane_sphere_circle(up, 4, center, 5, &circle);
    cr_assert(circle.hit && circle.radius == 4);
    cr_assert(circle.center[0] == 1 && circle.center[1] == 2 && circle.center[2] == 4);
    kugel_plane_sphere_circle(up, 2, center, 5, &circle);
    cr_assert(circle.hit && circle.radius == 0, "a touching plane cuts in a circle of radius 0");
    kugel_plane_sphere_circle(up, 2 - 0x1p-40, center, 5, &circle);
    cr_assert(!circle.hit);
}

/* The point is on the sphere and on the plane; u, v, normal are orthonormal and right-handed, also
 * for normals near n3 = 0, by which the article divides, and near n3 = -1. */
Test(plane_geometry, article_test8_divides_by_n3)
{
    support_random random = support_random_start("article_test8_divides_by_n3", 8);
    const double tiny =
        5e-324; /* the article's third component, -(n1 x + n2 y) / n3, is infinite */
    cr_assert(isinf((0.6 * 1 + 0.8 * 1) / tiny));
    for (int i = 0; i < 20000; ++i) {
        double normal[3], center[3], radius = support_between(&random, 1, 2);
        support_direction(&random, 1, normal);
        double small = i % 3 == 0 ? tiny : pow(10, -support_between(&random, 9, 40));
        if (i % 2) {
            double flat = hypot(normal[0], normal[1]);
            normal[0] /= flat, normal[1] /= flat, normal[2] = i % 4 == 1 ? small : -small;
        } else if (i % 8 == 0) {
            normal[0] = small, normal[1] = 0, normal[2] = -1;
        }
        support_direction(&random, 3, center);
        double offset = dot(normal, center) + support_between(&random, -1, 1) * radius * 0.99;
        kugel_circle c;
        cr_assert_eq(kugel_plane_sphere_circle(normal, offset, center, radius, &c), KUGEL_OK);
        cr_assert(c.hit);
        cr_assert(near(dot(normal, c.point), offset), "off the plane by %g",
                  dot(normal, c.point) - offset);
        double out[3] = {c.point[0] - center[0], c.point[1] - center[1], c.point[2] - center[2]};
        cr_assert(near(sqrt(dot(out, out)), radius), "off the sphere");
        cr_assert(near(dot(c.u, c.u), 1) && near(dot(c.v, c.v), 1) && near(dot(c.u, c.v), 0));
        cr_assert(near(dot(c.u, normal), 0) && near(dot(c.v, normal), 0));
        cr_assert(near(c.u[0] * c.v[1] - c.u[1] * c.v[0], normal[2]), "right-handed");
    }
}
