/* For engine/geometry/ray_batch_lanes.h: every vector width of this machine has the bits of the
 * single form, for batches of 0 to several vectors. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/ray_batch.h"
#include "kugel/geometry.h"
#include "support/support_random.h"

enum { MOST = 40, GUARD = 8, ROUNDS = 60 };

static const char *const names[] = {"base", "AVX2", "AVX-512"};

static double many[3 * MOST], others[3 * MOST], radii[MOST], expected[MOST];
static unsigned hits, inside, misses;

/* Ordinary numbers and zeros; in a wild batch also numbers outside the range of the unscaled form.
 */
static double number(support_random *random, uint32_t wild)
{
    static const double odd[] = {1e-200, 1e200,  1e-80,  1e100, INFINITY, -INFINITY,
                                 NAN,    5e-324, 1e-308, 1e-59, 1e59,     1e160};
    double x = support_between(random, -3, 3);
    if (!support_below(random, 20)) return support_below(random, 2) ? 0. : -0.;
    return wild && !support_below(random, wild)
               ? odd[support_below(random, sizeof odd / sizeof *odd)] * x
               : x;
}

static void expect_at(size_t i, const kugel_hit *hit)
{
    expected[i] = hit->hit ? hit->t_enter : -1;
    ++*(!hit->hit ? &misses : hit->started_inside ? &inside : &hits);
}

/* Runs each width; values around the batch must stay as they are. */
static void compare(const kg_ray_batch *batch, kg_ray_batch_form form, size_t count)
{
    for (int width = KG_RAY_BATCH_BASE; width <= (int)kg_ray_batch_widest(); ++width) {
        double all[MOST + 2 * GUARD], *t = all + GUARD;
        kg_ray_batch a = *batch;
        for (size_t i = 0; i < sizeof all / sizeof *all; ++i) all[i] = -7;
        a.t_enter = t;
        kg_ray_batch_enter(&a, form, count, (kg_ray_batch_width)width);
        for (size_t i = 0; i < count; ++i) {
            cr_assert(memcmp(&t[i], &expected[i], sizeof *t) == 0,
                      "%s, form %d, %zu of %zu: %.17g, not %.17g", names[width], (int)form, i,
                      count, t[i], expected[i]);
        }
        for (int i = 0; i < GUARD; ++i)
            cr_assert(all[i] == -7 && t[count + (size_t)i] == -7, "%s: beyond %zu", names[width],
                      count);
    }
}

static void tell_skipped(void)
{
    for (int width = (int)kg_ray_batch_widest() + 1; width <= KG_RAY_BATCH_AVX512; ++width)
        fprintf(stderr, "skipped: this machine, or this build, has no %s\n", names[width]);
}

/* The arguments that a whole batch shares. */
typedef struct one {
    double origin[3], direction[3], radius, axes[3], rotation[4];
} one;

static void fill(support_random *random, uint32_t wild, one *of)
{
    double length = 0;
    for (int i = 0; i < 3 * MOST; ++i)
        many[i] = number(random, wild), others[i] = number(random, wild);
    for (int i = 0; i < MOST; ++i) radii[i] = fabs(number(random, wild));
    for (int k = 0; k < 3; ++k) {
        of->origin[k] = number(random, wild);
        of->direction[k] = number(random, wild);
        of->axes[k] = fabs(number(random, wild));
    }
    of->radius = fabs(number(random, wild));
    for (int k = 0; k < 4; ++k)
        of->rotation[k] = support_between(random, -1, 1),
        length += of->rotation[k] * of->rotation[k];
    for (int k = 0; k < 4; ++k) of->rotation[k] /= sqrt(length);
}

static void ray_spheres(const one *of, size_t count)
{
    kugel_hit hit;
    for (size_t i = 0; i < count; ++i)
        kugel_ray_sphere(of->origin, of->direction, many + 3 * i, radii[i], &hit),
            expect_at(i, &hit);
    kg_ray_batch a = {
        .origin = of->origin, .direction = of->direction, .center = many, .radius = radii};
    compare(&a, KG_RAY_BATCH_SPHERES, count);
}

static void rays_sphere(const one *of, size_t count)
{
    kugel_hit hit;
    for (size_t i = 0; i < count; ++i)
        kugel_ray_sphere(many + 3 * i, others + 3 * i, of->origin, of->radius, &hit),
            expect_at(i, &hit);
    kg_ray_batch a = {
        .origin = many, .direction = others, .center = of->origin, .radius = &of->radius};
    compare(&a, KG_RAY_BATCH_SPHERE, count);
}

static void rays_ellipsoid(const one *of, size_t count)
{
    kugel_hit hit;
    kg_ellipsoid e;
    bool made;
    for (size_t i = 0; i < count; ++i) {
        kugel_ray_ellipsoid(many + 3 * i, others + 3 * i, of->origin, of->axes, of->rotation, &hit);
        expect_at(i, &hit);
    }
    cr_assert_eq(kg_ellipsoid_make(&e, of->axes, of->rotation, &made), KUGEL_OK);
    kg_ray_batch a = {.origin = many,
                      .direction = others,
                      .center = of->origin,
                      .semi_axes = of->axes,
                      .rotation = of->rotation};
    a.ellipsoid = made && kg_ray_batch_unscaled(&e) ? &e : NULL;
    compare(&a, KG_RAY_BATCH_ELLIPSOID, count);
}

/* Rounds without, with few and with many extreme numbers, for every count. */
static void try_all(uint64_t seed, void (*batch)(const one *, size_t))
{
    support_random random = support_random_start("batch widths", seed);
    tell_skipped();
    for (int round = 0; round < ROUNDS; ++round) {
        for (size_t count = 0; count <= MOST; ++count) {
            one of;
            fill(&random, (const uint32_t[]){0, 300, 8}[round % 3], &of);
            batch(&of, count);
        }
    }
    cr_assert(hits > 1500 && inside > 1500 && misses > 1500, "%u hits, %u from inside, %u misses",
              hits, inside, misses);
}

Test(ray_batch_widths, one_ray_and_many_spheres_have_the_bits_of_the_single_form)
{
    try_all(91, ray_spheres);
}

Test(ray_batch_widths, many_rays_and_one_sphere_have_the_bits_of_the_single_form)
{
    try_all(92, rays_sphere);
}

Test(ray_batch_widths, many_rays_and_one_ellipsoid_have_the_bits_of_the_single_form)
{
    try_all(93, rays_ellipsoid);
}
