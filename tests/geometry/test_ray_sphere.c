/* For engine/geometry/ray_sphere.c: points, rays and lines against spheres, and cases in
 * which published articles are wrong. Expected values are exact in binary or closed forms;
 * tolerances are a few roundings. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "kugel/geometry.h"
#include "support/support_random.h"

#define ROUNDING 4e-15

static bool near(double a, double b) { return fabs(a - b) <= ROUNDING * (1 + fabs(b)); }

static void assert_vector(const double a[3], double x, double y, double z)
{
    cr_assert(near(a[0], x) && near(a[1], y) && near(a[2], z), "(%g %g %g) is not (%g %g %g)", a[0],
              a[1], a[2], x, y, z);
}

static const double zero[3] = {0, 0, 0};

/* A point is the start of a ray without a direction. */
static bool is_inside(const double point[3], const double center[3], double radius)
{
    kugel_hit hit;
    kugel_overlap overlap;
    cr_assert_eq(kugel_ray_sphere(point, zero, 0, center, radius, &hit), KUGEL_OK);
    cr_assert_eq(kugel_overlap_spheres(point, 0, center, radius, &overlap), KUGEL_OK);
    cr_assert_eq(hit.hit, overlap.hit, "a sphere of radius 0 is a point, too");
    return hit.hit;
}

Test(ray_sphere, article_test1_leaves_the_surface_outside)
{
    const double on[3] = {3, 4, 0}, out[3] = {3, 4, 0x1p-40};
    double squared = 3 * 3 + 4 * 4;
    cr_assert(!(squared < 5 * 5), "the article's < calls a touching point outside");
    cr_assert(is_inside(on, zero, 5), "a point on the surface is inside");
    cr_assert(!is_inside(out, zero, 5 - 0x1p-40));
    cr_assert(is_inside(zero, zero, 0), "a sphere of radius 0 holds its centre");
}

struct ray_row {
    char name[40];
    double origin[3], direction[3], center[3], radius;
    bool hit, inside;
    double enter, leave;
    double point[3], normal[3];
};

static const struct ray_row rows[] = {
    {"ahead", {-5, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1, true, false, 4, 6, {-1, 0, 0}, {-1, 0, 0}},
    {"long direction",
     {-5, 0, 0},
     {4, 0, 0},
     {0, 0, 0},
     1,
     true,
     false,
     1,
     1.5,
     {-1, 0, 0},
     {-1, 0, 0}},
    {"short direction",
     {-5, 0, 0},
     {0x1p-3, 0, 0},
     {0, 0, 0},
     1,
     true,
     false,
     32,
     48,
     {-1, 0, 0},
     {-1, 0, 0}},
    {"off centre",
     {-5, 3, 0},
     {1, 0, 0},
     {0, 0, 0},
     5,
     true,
     false,
     1,
     9,
     {-4, 3, 0},
     {-0.8, 0.6, 0}},
    {"tangent", {-5, 1, 0}, {1, 0, 0}, {0, 0, 0}, 1, true, false, 5, 5, {0, 1, 0}, {0, 1, 0}},
    {"past", {-5, 1 + 0x1p-50, 0}, {1, 0, 0}, {0, 0, 0}, 1, false, false, 0, 0, {0}, {0}},
    {"behind", {5, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1, false, false, 0, 0, {0}, {0}},
    {"away but inside",
     {0.5, 0, 0},
     {1, 0, 0},
     {0, 0, 0},
     1,
     true,
     true,
     0,
     0.5,
     {0.5, 0, 0},
     {1, 0, 0}},
    {"towards, inside",
     {0.5, 0, 0},
     {-1, 0, 0},
     {0, 0, 0},
     1,
     true,
     true,
     0,
     1.5,
     {0.5, 0, 0},
     {1, 0, 0}},
    {"from the centre",
     {1, 1, 1},
     {0, 0, 2},
     {1, 1, 1},
     3,
     true,
     true,
     0,
     1.5,
     {1, 1, 1},
     {1, 0, 0}},
    {"on it, going in",
     {-1, 0, 0},
     {1, 0, 0},
     {0, 0, 0},
     1,
     true,
     true,
     0,
     2,
     {-1, 0, 0},
     {-1, 0, 0}},
    {"on it, going out",
     {1, 0, 0},
     {1, 0, 0},
     {0, 0, 0},
     1,
     true,
     true,
     0,
     0,
     {1, 0, 0},
     {1, 0, 0}},
    {"on it, along it", {0, 1, 0}, {1, 0, 0}, {0, 0, 0}, 1, true, true, 0, 0, {0, 1, 0}, {0, 1, 0}},
    {"still, inside",
     {0, 0.5, 0},
     {0, 0, 0},
     {0, 0, 0},
     1,
     true,
     true,
     0,
     0,
     {0, 0.5, 0},
     {0, 1, 0}},
    {"still, outside", {0, 2, 0}, {0, 0, 0}, {0, 0, 0}, 1, false, false, 0, 0, {0}, {0}},
    {"point sphere", {-5, 0, 0}, {1, 0, 0}, {0, 0, 0}, 0, true, false, 5, 5, {0, 0, 0}, {-1, 0, 0}},
    {"point sphere, past", {-5, 1e-9, 0}, {1, 0, 0}, {0, 0, 0}, 0, false, false, 0, 0, {0}, {0}},
};

Test(ray_sphere, rays_have_exact_values)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const struct ray_row *row = &rows[i];
        kugel_hit hit;
        cr_assert_eq(
            kugel_ray_sphere(row->origin, row->direction, INFINITY, row->center, row->radius, &hit),
            KUGEL_OK);
        cr_assert_eq(hit.hit, row->hit, "%s: hit %d", row->name, hit.hit);
        cr_assert_eq(hit.started_inside, row->inside, "%s", row->name);
        cr_assert(near(hit.t_enter, row->enter), "%s: t_enter %.17g", row->name, hit.t_enter);
        cr_assert(near(hit.t_exit, row->leave), "%s: t_exit %.17g", row->name, hit.t_exit);
        assert_vector(hit.point, row->point[0], row->point[1], row->point[2]);
        assert_vector(hit.normal, row->normal[0], row->normal[1], row->normal[2]);
    }
}

Test(ray_sphere, article_test2_rejects_a_start_inside_that_points_away)
{
    const double origin[3] = {0.5, 0, 0}, direction[3] = {1, 0, 0};
    double towards = -origin[0] * direction[0]; /* (centre - origin) . direction */
    cr_assert(towards < 0, "the article stops here with a miss");
    kugel_hit hit;
    kugel_ray_sphere(origin, direction, INFINITY, zero, 1, &hit);
    cr_assert(hit.hit && hit.started_inside);
    cr_assert_eq(hit.t_enter, 0);
    cr_assert_eq(hit.t_exit, 0.5, "and there is a way out");
    assert_vector(hit.exit_point, 1, 0, 0);
    assert_vector(hit.exit_normal, 1, 0, 0);
}

/* The article's routine: the smaller root of a t^2 + b t + c, whatever its sign; -1 for a miss. */
static double article_test3(const double o[3], const double d[3], double radius)
{
    double a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    double b = 2 * (o[0] * d[0] + o[1] * d[1] + o[2] * d[2]);
    double c = o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - radius * radius;
    double disc = b * b - 4 * a * c;
    return disc < 0 ? -1 : (-b - sqrt(disc)) / (2 * a);
}

Test(ray_sphere, article_test3_reports_sphere_behind)
{
    const double origin[3] = {5, 0, 0}, direction[3] = {1, 0, 0};
    cr_assert_eq(article_test3(origin, direction, 1), -6, "a point 6 m behind the start");
    kugel_hit hit;
    kugel_ray_sphere(origin, direction, INFINITY, zero, 1, &hit);
    cr_assert(!hit.hit, "a sphere wholly behind is not hit");
    kugel_line_hit line;
    kugel_line_sphere(origin, direction, zero, 1, &line);
    cr_assert(line.hit && line.t_enter == -6 && line.t_exit == -4,
              "the line's roots keep their signs");
}

Test(ray_sphere, article_test3_reports_point_behind_a_start_inside)
{
    const double origin[3] = {0.5, 0, 0}, direction[3] = {1, 0, 0};
    cr_assert_eq(article_test3(origin, direction, 1), -1.5,
                 "the roots straddle 0: behind the start");
    kugel_hit hit;
    kugel_ray_sphere(origin, direction, INFINITY, zero, 1, &hit);
    cr_assert(hit.hit && hit.started_inside && hit.t_enter == 0 && hit.t_exit == 0.5);
}

Test(ray_sphere, article_test5_steps_back_too_little)
{
    const double radius = 5, d = 3; /* d = 0.6 r */
    const double origin[3] = {-20, d, 0}, direction[3] = {1, 0, 0};
    double article = 20 - (radius - d), right = 20 - sqrt(radius * radius - d * d);
    cr_assert(near(article - right, 0.4 * radius), "the article is off by 0.4 r");
    kugel_hit hit;
    kugel_ray_sphere(origin, direction, INFINITY, zero, radius, &hit);
    cr_assert(near(hit.t_enter, right), "t_enter %.17g", hit.t_enter);
}

Test(ray_sphere, line_roots_are_in_order_for_both_directions)
{
    support_random random = support_random_start("line_roots_in_either_order", 3);
    for (int i = 0; i < 20000; ++i) {
        double origin[3], direction[3], back[3];
        support_direction(&random, support_between(&random, 0, 3), origin);
        support_direction(&random, support_between(&random, 0.1, 10), direction);
        for (int k = 0; k < 3; ++k) back[k] = -direction[k];
        kugel_line_hit there, returning;
        kugel_line_sphere(origin, direction, zero, 1, &there);
        kugel_line_sphere(origin, back, zero, 1, &returning);
        cr_assert_eq(there.hit, returning.hit);
        cr_assert(there.t_enter <= there.t_exit);
        cr_assert(there.t_enter == -returning.t_exit && there.t_exit == -returning.t_enter,
                  "turned round: [%.17g %.17g] and [%.17g %.17g]", there.t_enter, there.t_exit,
                  returning.t_enter, returning.t_exit);
        kugel_hit ray;
        kugel_ray_sphere(origin, direction, INFINITY, zero, 1, &ray);
        bool ahead = there.hit && there.t_exit >= 0;
        cr_assert_eq(ray.hit, ahead, "the ray meets what the line meets ahead");
        if (ahead) cr_assert(ray.t_exit == there.t_exit);
        if (ahead && !ray.started_inside) cr_assert(ray.t_enter == there.t_enter);
    }
}

Test(ray_sphere, line_without_direction_is_the_point_test)
{
    const double outside[3] = {2, 0, 0};
    kugel_line_hit line;
    kugel_line_sphere(zero, zero, zero, 1, &line);
    cr_assert(line.hit && line.t_enter == 0 && line.t_exit == 0);
    kugel_line_sphere(outside, zero, zero, 1, &line);
    cr_assert(!line.hit);
}

/* The ray that ends at q. */
static kugel_status ray_to(const double p[3], const double q[3], const double center[3],
                           double radius, kugel_hit *hit)
{
    const double direction[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    return kugel_ray_sphere(p, direction, 1, center, radius, hit);
}

struct segment_row {
    char name[24];
    double p[3], q[3];
    bool hit, inside;
    double enter, leave;
};

Test(ray_sphere, rays_end_at_t_max)
{
    static const struct segment_row table[] = {
        {"through", {-3, 0, 0}, {3, 0, 0}, true, false, 1.0 / 3, 2.0 / 3},
        {"ends before", {-3, 0, 0}, {-1 - 0x1p-40, 0, 0}, false, false, 0, 0},
        {"ends on it", {-3, 0, 0}, {-1, 0, 0}, true, false, 1, 2},
        {"ends inside", {-3, 0, 0}, {0, 0, 0}, true, false, 2.0 / 3, 4.0 / 3},
        {"all inside", {-0.5, 0, 0}, {0.5, 0, 0}, true, true, 0, 1.5},
        {"a point inside", {0.5, 0, 0}, {0.5, 0, 0}, true, true, 0, 0},
        {"a point outside", {1.5, 0, 0}, {1.5, 0, 0}, false, false, 0, 0},
        {"starts on it, leaves", {1, 0, 0}, {3, 0, 0}, true, true, 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct segment_row *row = &table[i];
        kugel_hit hit;
        cr_assert_eq(ray_to(row->p, row->q, zero, 1, &hit), KUGEL_OK);
        cr_assert_eq(hit.hit, row->hit, "%s: hit %d", row->name, hit.hit);
        cr_assert_eq(hit.started_inside, row->inside, "%s", row->name);
        cr_assert(near(hit.t_enter, row->enter), "%s: %.17g", row->name, hit.t_enter);
        cr_assert(near(hit.t_exit, row->leave), "%s: %.17g", row->name, hit.t_exit);
    }
}

Test(ray_sphere, a_ray_hits_a_sphere_that_contains_one_of_its_ends)
{
    support_random random =
        support_random_start("a_ray_hits_a_sphere_that_contains_one_of_its_ends", 7);
    int held = 0, rounded = 0;
    for (int i = 0; i < 100000; ++i) {
        double p[3], q[3], center[3];
        support_direction(&random, 10, p);
        support_direction(&random, support_between(&random, 0, 5), center);
        support_direction(&random, 1,
                          q); /* on the unit sphere up to rounding, so just in or just out */
        for (int k = 0; k < 3; ++k) q[k] += center[k];
        const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        for (int k = 0; k < 3; ++k) q[k] = p[k] + d[k];
        bool inside = is_inside(q, center, 1);
        kugel_hit hit;
        ray_to(p, q, center, 1, &hit);
        held += inside;
        if (!inside) continue;
        cr_assert(hit.hit && hit.t_enter <= 1, "the end is inside, the ray misses");
        kugel_hit ray;
        kugel_ray_sphere(p, d, INFINITY, center, 1, &ray);
        rounded += ray.t_enter > 1;
        if (ray.t_enter > 1)
            cr_assert(hit.t_enter == 1 && hit.t_exit >= 1 && hit.t_exit == fmax(1, ray.t_exit));
    }
    cr_assert(rounded > 100, "the entry was rounded beyond the end only %d times", rounded);
    cr_assert(held > 10000 && held < 90000, "both cases must occur: %d", held);
}

/* Tangent rays up to rounding: the roots of those that hit are in order. */
Test(ray_sphere, tangents_enter_before_they_leave)
{
    support_random random = support_random_start("tangents", 13);
    int hits = 0;
    for (int i = 0; i < 100000; ++i) {
        double touch[3], side[3], along[3], origin[3], back = support_between(&random, 1, 10);
        support_direction(&random, 1, touch);
        support_direction(&random, 1, side);
        along[0] = touch[1] * side[2] - touch[2] * side[1];
        along[1] = touch[2] * side[0] - touch[0] * side[2];
        along[2] = touch[0] * side[1] - touch[1] * side[0];
        for (int k = 0; k < 3; ++k) origin[k] = touch[k] - back * along[k];
        kugel_hit hit;
        kugel_ray_sphere(origin, along, INFINITY, zero, 1, &hit);
        cr_assert(hit.t_enter <= hit.t_exit, "%.17g > %.17g", hit.t_enter, hit.t_exit);
        hits += hit.hit;
    }
    cr_assert(hits > 10000 && hits < 90000, "both cases must occur: %d", hits);
}

/* Scaling all lengths by a power of two changes no bit of t, up to extreme sizes. */
Test(ray_sphere, scaling_by_powers_of_two_changes_no_bit)
{
    support_random random = support_random_start("size_changes_no_bit", 11);
    static const double sizes[] = {0x1p-900, 0x1p-300, 0x1p-30, 0x1p40, 0x1p400, 0x1p900};
    for (int i = 0; i < 3000; ++i) {
        double origin[3], direction[3], far_origin[3], far_direction[3];
        support_direction(&random, support_between(&random, 0, 4), origin);
        support_direction(&random, support_between(&random, 0.5, 2), direction);
        kugel_hit one, other;
        kugel_ray_sphere(origin, direction, INFINITY, zero, 1, &one);
        double size = sizes[support_below(&random, 6)], length = sizes[support_below(&random, 6)];
        double ratio = length / size;
        if (ratio < 0x1p-900 || ratio > 0x1p900) continue; /* t itself would not fit */
        for (int k = 0; k < 3; ++k) {
            far_origin[k] = origin[k] * size;
            far_direction[k] = direction[k] * length;
        }
        kugel_ray_sphere(far_origin, far_direction, INFINITY, zero, size, &other);
        cr_assert_eq(one.hit, other.hit, "size %g, direction %g", size, length);
        cr_assert(one.t_enter == other.t_enter * ratio && one.t_exit == other.t_exit * ratio);
        cr_assert(memcmp(one.normal, other.normal, sizeof one.normal) == 0);
    }
}
