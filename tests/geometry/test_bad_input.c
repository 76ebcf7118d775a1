/* Every public function of kugel/geometry.h with bad and extreme values: NaN and infinity give no
 * hit; a negative radius, semi-axis or dt and a NULL are invalid arguments; all results are finite.
 */
#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/support_calls.h"
#include "support/support_random.h"

static void assert_finite(const support_call *f, const support_values *o)
{
    for (int i = 0; i < o->count; ++i) {
        cr_assert(isfinite(o->values[i]), "%s: value %d is %g", f->name, i, o->values[i]);
    }
    if (o->status != KUGEL_OK) cr_assert(!o->hit, "%s", f->name);
}

Test(bad_input, good_values_hit)
{
    for (size_t i = 0; i < SUPPORT_CALLS; ++i) {
        support_values o = support_calls[i].call(support_calls[i].good);
        cr_assert(o.status == KUGEL_OK && o.hit, "%s", support_calls[i].name);
        assert_finite(&support_calls[i], &o);
    }
}

Test(bad_input, one_nan_or_infinity_is_no_hit)
{
    const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < SUPPORT_CALLS; ++i) {
        for (int k = 0; k < support_calls[i].numbers; ++k) {
            for (int b = 0; b < 4; ++b) {
                double x[SUPPORT_NUMBERS];
                for (int j = 0; j < SUPPORT_NUMBERS; ++j) x[j] = support_calls[i].good[j];
                x[k] = bad[b];
                support_values o = support_calls[i].call(x);
                cr_assert(!o.hit, "%s: number %d = %g", support_calls[i].name, k, bad[b]);
                bool negative = support_calls[i].negative[k] == '-' && bad[b] < 0;
                bool box = strcmp(support_calls[i].name, "sweep_sphere_box") == 0 && k >= 7 &&
                           k < 13 && isinf(bad[b]);
                if (!negative && !box)
                    cr_assert_eq(o.status, KUGEL_OK, "%s: number %d", support_calls[i].name, k);
                assert_finite(&support_calls[i], &o);
            }
        }
    }
}

Test(bad_input, negative_sizes_are_invalid)
{
    const double bad[] = {-1, -5e-324, -DBL_MAX, -INFINITY};
    for (size_t i = 0; i < SUPPORT_CALLS; ++i) {
        for (int k = 0; k < support_calls[i].numbers; ++k) {
            if (support_calls[i].negative[k] != '-') continue;
            for (int b = 0; b < 4; ++b) {
                double x[SUPPORT_NUMBERS];
                for (int j = 0; j < SUPPORT_NUMBERS; ++j) x[j] = support_calls[i].good[j];
                x[k] = bad[b];
                support_values o = support_calls[i].call(x);
                cr_assert_eq(o.status, KUGEL_ERROR_INVALID_ARGUMENT, "%s: number %d",
                             support_calls[i].name, k);
                assert_finite(&support_calls[i], &o);
            }
        }
    }
}

Test(bad_input, zero_sizes_and_minus_zero_are_legal)
{
    for (size_t i = 0; i < SUPPORT_CALLS; ++i) {
        for (int k = 0; k < support_calls[i].numbers; ++k) {
            if (support_calls[i].negative[k] != '-') continue;
            double x[SUPPORT_NUMBERS];
            for (int j = 0; j < SUPPORT_NUMBERS; ++j) x[j] = support_calls[i].good[j];
            x[k] = k % 2 ? 0.0 : -0.0;
            support_values o = support_calls[i].call(x);
            cr_assert_eq(o.status, KUGEL_OK, "%s: number %d", support_calls[i].name, k);
            assert_finite(&support_calls[i], &o);
        }
    }
}

/* Extreme numbers replace a few or all numbers of a valid call. */
Test(bad_input, random_extreme_numbers_give_finite_results)
{
    const double pool[] = {NAN,      INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN,
                           -DBL_MIN, 5e-324,   -5e-324,   0,       -0.0,     1,
                           -1,       1e-16,    1e150,     -1e150,  1e200,    -1e-200,
                           1e-160,   1e-150,   3,         -0.5,    0x1p53,   1e15};
    support_random random = support_random_start("fuzz", 79);
    int hits = 0;
    for (int i = 0; i < 400000; ++i) {
        const support_call *f = &support_calls[support_below(&random, SUPPORT_CALLS)];
        uint32_t first = i % 2 ? 3 : 0, how_many = i % 3 ? 1 + support_below(&random, 3) : 40;
        double x[SUPPORT_NUMBERS];
        bool not_finite = false;
        for (int j = 0; j < SUPPORT_NUMBERS; ++j) x[j] = f->good[j];
        while (how_many--) {
            int k = (int)support_below(&random, (uint32_t)f->numbers);
            x[k] = pool[first + support_below(&random, 24 - first)];
        }
        for (int j = 0; j < f->numbers; ++j) not_finite |= !isfinite(x[j]);
        support_values o = f->call(x);
        assert_finite(f, &o);
        if (not_finite) cr_assert(!o.hit, "%s", f->name);
        hits += o.hit;
    }
    cr_assert(hits > 20000, "only %d hits: too few for a test", hits);
}

Test(bad_input, normals_and_rotations_must_be_unit)
{
    const double p[3] = {0, 0, 5}, down[3] = {0, 0, -1}, axes[3] = {3, 2, 1}, zero[3] = {0, 0, 0};
    static const double lengths[] = {0, 0.5, 1 - 1.1e-5, 1 + 1.1e-5, 2, 1e200};
    kugel_plane_hit plane;
    kugel_plane_gap gap;
    kugel_circle circle;
    kugel_contact contact;
    kugel_hit hit;
    kugel_overlap nearest;
    for (int i = 0; i < 6; ++i) {
        const double n[3] = {0, 0, lengths[i]}, q[4] = {0, 0, 0, lengths[i]};
        kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
        cr_assert_eq(kugel_ray_plane(p, down, INFINITY, n, 0, &plane), bad);
        cr_assert_eq(kugel_plane_sphere(n, 0, p, 9, &gap), bad);
        cr_assert_eq(kugel_plane_sphere_circle(n, 0, p, 9, &circle), bad);
        cr_assert_eq(kugel_sweep_sphere_plane(p, down, 9, n, 0, 1, &contact), bad);
        cr_assert_eq(kugel_ray_ellipsoid(p, down, INFINITY, zero, axes, q, &hit), bad);
        cr_assert_eq(kugel_ellipsoid_nearest(p, zero, axes, q, &nearest), bad);
        cr_assert_eq(kugel_sweep_sphere_ellipsoid(p, down, 9, zero, axes, q, 1, &contact), bad);
        cr_assert_eq(kugel_sweep_sphere_disc(p, down, 9, zero, n, 1, 1, &contact), bad);
        cr_assert_eq(kugel_sweep_sphere_oriented_box(p, down, 9, zero, axes, q, 1, &contact), bad);
        cr_assert(!plane.hit && !gap.hit && !circle.hit && !contact.hit && !hit.hit &&
                  !nearest.hit);
    }
    const double almost[3] = {0, 0, 1 + 9e-6};
    cr_assert_eq(kugel_ray_plane(p, down, INFINITY, almost, 0, &plane), KUGEL_OK);
}

Test(bad_input, null_pointers_are_invalid)
{
    const double *none = NULL, x[3] = {0, 0, 1};
    kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_hit hit;
    kugel_line_hit line;
    kugel_plane_hit plane;
    kugel_plane_gap gap;
    kugel_circle circle;
    kugel_contact contact;
    kugel_overlap overlap;
    cr_assert_eq(kugel_ray_sphere(x, none, INFINITY, x, 1, &hit), bad);
    cr_assert_eq(kugel_ray_sphere(x, x, INFINITY, x, 1, NULL), bad);
    cr_assert_eq(kugel_line_sphere(x, x, none, 1, &line), bad);
    cr_assert_eq(kugel_ray_plane(x, x, INFINITY, none, 1, &plane), bad);
    cr_assert_eq(kugel_plane_sphere(x, 0, none, 1, &gap), bad);
    cr_assert_eq(kugel_plane_sphere_circle(none, 0, x, 1, &circle), bad);
    cr_assert_eq(kugel_ray_ellipsoid(x, x, INFINITY, x, none, NULL, &hit), bad);
    cr_assert_eq(kugel_ellipsoid_nearest(x, none, x, NULL, &overlap), bad);
    cr_assert_eq(kugel_sweep_spheres(x, x, 1, x, none, 1, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_sphere_plane(x, x, 1, none, 0, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_sphere_box(x, x, 1, none, x, 1, &contact, NULL), bad);
    cr_assert_eq(kugel_sweep_sphere_ellipsoid(x, x, 1, none, x, NULL, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_sphere_capsule(x, x, 1, x, x, 1, 1, NULL), bad);
    cr_assert_eq(kugel_sweep_sphere_capsule(x, none, 1, x, x, 1, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_sphere_triangle(x, x, 1, x, x, none, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_sphere_disc(x, x, 1, x, none, 1, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_sphere_oriented_box(x, x, 1, x, none, NULL, 1, &contact), bad);
    cr_assert_eq(kugel_overlap_spheres(x, 1, none, 1, &overlap), bad);
    cr_assert_eq(kugel_sweep_sphere_box(x, x, 0.1, x, x, 1, &contact, NULL), KUGEL_OK,
                 "face may be NULL");
}

Test(bad_input, a_ray_ends_at_a_number_of_at_least_0)
{
    const double from[3] = {-5, 0, 0}, along[3] = {1, 0, 0}, zero[3] = {0}, axes[3] = {3, 2, 1};
    kugel_hit hit;
    kugel_plane_hit plane;
    cr_assert_eq(kugel_ray_sphere(from, along, -1e-300, zero, 1, &hit),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ray_ellipsoid(from, along, -INFINITY, zero, axes, NULL, &hit),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_ray_plane(from, along, -1, along, 0, &plane), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert(kugel_ray_sphere(from, along, NAN, zero, 1, &hit) == KUGEL_OK && !hit.hit);
    cr_assert(kugel_ray_ellipsoid(from, along, NAN, zero, axes, NULL, &hit) == KUGEL_OK &&
              !hit.hit);
    cr_assert(kugel_ray_plane(from, along, NAN, along, 0, &plane) == KUGEL_OK && !plane.hit);
    kugel_ray_sphere(from, along, 0, zero, 5, &hit);
    cr_assert(hit.hit && hit.t_enter == 0, "a start on the surface");
    kugel_ray_sphere(from, along, 0, zero, 4, &hit);
    cr_assert(!hit.hit);
}
