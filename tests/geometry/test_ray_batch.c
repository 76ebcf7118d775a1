/* For engine/geometry/ray_batch.c: batches have the bits of the single form, for ordinary and for
 * extreme numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "kugel/geometry.h"
#include "support/support_random.h"

enum { COUNT = 203 /* no multiple of four */, ROUNDS = 600 };

static double many[3 * COUNT], others[3 * COUNT], radii[COUNT], t[COUNT];
static int hits, inside, misses;

/* Ordinary numbers and zeros; in a wild round also huge, tiny and NaN. */
static double number(support_random *random, int wild)
{
    static const double odd[10] = {1e-200, 1e200,  1e-80, 1e100, INFINITY,
                                   NAN,    1e-308, 1e-59, 1e59,  1e160};
    double x = support_between(random, -3, 3);
    if (!support_below(random, 20)) return 0;
    return wild && !support_below(random, (uint32_t)wild) ? odd[support_below(random, 10)] * x : x;
}

static void expect(const kugel_hit *hit, size_t i)
{
    double expected = hit->hit ? hit->t_enter : -1;
    cr_assert(memcmp(&expected, &t[i], sizeof expected) == 0, "%zu: %.17g, not %.17g", i, t[i],
              expected);
    ++*(!hit->hit ? &misses : hit->started_inside ? &inside : &hits);
}

static void fill(support_random *random, int wild)
{
    for (int i = 0; i < 3 * COUNT; ++i)
        many[i] = number(random, wild), others[i] = number(random, wild);
    for (int i = 0; i < COUNT; ++i) radii[i] = fabs(number(random, wild)) * 0.5;
    for (int i = 0; i < COUNT; ++i) t[i] = -7;
}

/* Rounds without, with few and with many extreme numbers. */
static int wildness(int round) { return (const int[3]){0, 300, 8}[round % 3]; }

static void expect_all_kinds(void)
{
    cr_assert(hits > 1500 && inside > 1500 && misses > 1500, "%d hits, %d from inside, %d misses",
              hits, inside, misses);
}

Test(ray_batch, one_ray_and_many_spheres_have_the_bits_of_the_single_form)
{
    support_random random = support_random_start("batch", 81);
    for (int round = 0; round < ROUNDS; ++round) {
        double origin[3], direction[3];
        size_t count = (size_t)(round < 12 ? round : COUNT);
        fill(&random, wildness(round));
        for (int k = 0; k < 3; ++k)
            origin[k] = number(&random, wildness(round)),
            direction[k] = number(&random, wildness(round));
        cr_assert_eq(kugel_ray_spheres(origin, direction, count, many, radii, t), KUGEL_OK);
        for (size_t i = 0; i < count; ++i) {
            kugel_hit hit;
            kugel_ray_sphere(origin, direction, many + 3 * i, radii[i], &hit);
            expect(&hit, i);
        }
        cr_assert_eq(t[COUNT - 1] == -7, count < COUNT, "written beyond the count");
    }
    expect_all_kinds();
}

Test(ray_batch, many_rays_and_one_sphere_have_the_bits_of_the_single_form)
{
    support_random random = support_random_start("batch", 82);
    for (int round = 0; round < ROUNDS; ++round) {
        double center[3], radius = fabs(number(&random, wildness(round)));
        size_t count = (size_t)(round < 12 ? round : COUNT);
        fill(&random, wildness(round));
        for (int k = 0; k < 3; ++k) center[k] = number(&random, wildness(round));
        cr_assert_eq(kugel_rays_sphere(count, many, others, center, radius, t), KUGEL_OK);
        for (size_t i = 0; i < count; ++i) {
            kugel_hit hit;
            kugel_ray_sphere(many + 3 * i, others + 3 * i, center, radius, &hit);
            expect(&hit, i);
        }
    }
    expect_all_kinds();
}

static void unit_quaternion(support_random *random, double q[4])
{
    double length = 0;
    for (int k = 0; k < 4; ++k) q[k] = support_between(random, -1, 1), length += q[k] * q[k];
    for (int k = 0; k < 4; ++k) q[k] = length > 0.01 ? q[k] / sqrt(length) : k == 3;
}

Test(ray_batch, many_rays_and_one_ellipsoid_have_the_bits_of_the_single_form)
{
    support_random random = support_random_start("batch", 83);
    for (int round = 0; round < ROUNDS; ++round) {
        double center[3], axes[3], q[4];
        size_t count = (size_t)(round < 12 ? round : COUNT);
        fill(&random, wildness(round));
        for (int k = 0; k < 3; ++k)
            center[k] = number(&random, wildness(round)),
            axes[k] = fabs(number(&random, wildness(round)));
        if (round % 10 == 0) axes[1] = axes[2] = axes[0];
        unit_quaternion(&random, q);
        const double *rotation = round % 4 ? q : NULL;
        cr_assert_eq(kugel_rays_ellipsoid(count, many, others, center, axes, rotation, t),
                     KUGEL_OK);
        for (size_t i = 0; i < count; ++i) {
            kugel_hit hit;
            kugel_ray_ellipsoid(many + 3 * i, others + 3 * i, center, axes, rotation, &hit);
            expect(&hit, i);
        }
    }
    expect_all_kinds();
}

static void expect_refused(kugel_status status)
{
    cr_assert_eq(status, KUGEL_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < COUNT; ++i) cr_assert_eq(t[i], -1);
    for (int i = 0; i < COUNT; ++i) t[i] = -7;
}

Test(ray_batch, one_bad_argument_is_an_error_of_the_batch)
{
    support_random random = support_random_start("batch", 84);
    const double x[3] = {0}, axes[3] = {1, 2, -1}, twisted[4] = {0, 0, 0, 2};
    fill(&random, 0);
    expect_refused(kugel_ray_spheres(NULL, x, COUNT, many, radii, t));
    expect_refused(kugel_ray_spheres(x, x, COUNT, NULL, radii, t));
    cr_assert_eq(kugel_ray_spheres(x, x, COUNT, many, radii, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    radii[COUNT - 1] = -1;
    expect_refused(kugel_ray_spheres(x, x, COUNT, many, radii, t));
    expect_refused(kugel_rays_sphere(COUNT, many, others, x, -1, t));
    expect_refused(kugel_rays_sphere(COUNT, many, NULL, x, 1, t));
    expect_refused(kugel_rays_ellipsoid(COUNT, many, others, x, axes, NULL, t));
    expect_refused(kugel_rays_ellipsoid(COUNT, many, others, x, many, twisted, t));
    expect_refused(kugel_rays_ellipsoid(COUNT, many, others, NULL, many, NULL, t));
    cr_assert_eq(kugel_rays_sphere(0, NULL, NULL, x, 1, NULL), KUGEL_OK);
}
